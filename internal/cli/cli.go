// Package cli is the command line: it parses flags, runs one command and prints the
// result, as text and tables for people or as JSON for programs. Predictions and
// searches are operations of package tools. Commands that need the store call the
// administrative API of the server that runs on the data folder, or of one in this
// process if none runs.
package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/operation"
	"leadline/internal/server"
	"leadline/tools"
)

// Run executes a command line, without the name of the program, until it ends or ctx does.
// It returns the exit code: 1 after an error, which it prints, else 0 or what the command says:
// see trip. The environment is read through getenv; environ lists it, as "name=value", to find
// misspelled names.
func Run(
	ctx context.Context, args []string, getenv func(string) string, environ []string, s Streams,
) int {
	if len(args) > 0 && args[0] == InspectCommand {
		return inspect(args[1:], s)
	}
	p := newProgram(args, s)
	p.config.Getenv, p.config.Environ = getenv, environ
	return p.execute(ctx)
}

// RunUninspected is Run without the process that examines a store before it is opened. Tests use
// it, whose stores are whole: for most commands, that process takes longer than the rest.
func RunUninspected(
	ctx context.Context, args []string, getenv func(string) string, s Streams,
) int {
	p := newProgram(args, s)
	p.config.Getenv, p.inspect = getenv, nil
	return p.execute(ctx)
}

// newProgram returns an execution of the command line, without an environment.
func newProgram(args []string, s Streams) *program {
	return &program{
		config: config.New(), streams: s, args: append([]string{}, args...), inspect: inspectLine(),
		now: time.Now,
	}
}

// execute runs the command, prints its error and returns the exit code.
func (p *program) execute(ctx context.Context) int {
	root := p.root()
	root.SetArgs(p.args)
	if err := root.ExecuteContext(ctx); err != nil {
		// the error quotes user input
		fmt.Fprintln(p.streams.Err, "leadline:", coast.Redact(explain(err)))
		return exitError
	}
	return p.code
}

// Stopped returns the cause with which a signal ends the context of Run.
func Stopped(s os.Signal) error { return server.Stopped{Signal: s} }

// describing is the group of commands that describe the program.
const describing = "Describing itself"

// root returns the tree of commands.
func (p *program) root() *cobra.Command {
	serve := p.serveCommand()
	root := &cobra.Command{
		Use:   "leadline",
		Short: "Answer questions about the coast over MCP, REST and the command line",
		Long: "Leadline answers questions about the coast over MCP, REST and the command line: " +
			"tides, currents, water levels, weather and planning decisions. " +
			"Without a command it serves, as leadline serve does.\n" +
			coast.Disclaimer,
		Args: unknownCommand, RunE: serve.RunE,
		SilenceUsage: true, SilenceErrors: true,
		SuggestionsMinimumDistance: maxTypos,
	}
	root.SetIn(p.streams.In)
	root.SetOut(p.streams.Out)
	root.SetErr(p.streams.Err)
	help := helpCommand()
	addGroup(root, "Serving", serve, p.stdioCommand(), p.healthCommand())
	catalog := p.catalog()
	addGroup(root, "Asking", p.nowCommand(), p.tripCommand(), p.predictCommand(catalog),
		p.searchCommand(catalog), p.planCommand(catalog), p.telegramCommand(catalog), p.verifyCommand())
	addGroup(root, "Operating", p.accountsCommand(), p.keysCommand(), p.webhooksCommand(),
		p.eventsCommand(), p.watchesCommand(), p.incidentsCommand(), p.maintenanceCommand(),
		p.backupCommand(), p.restoreCommand(), p.checkCommand(), p.storeCommand(),
		p.stationsCommand())
	addGroup(root, describing, p.configCommand(), p.manCommand(), p.openapiCommand(),
		p.updateCommand(), p.versionCommand(), help)
	root.SetHelpCommand(help)
	root.SetHelpFunc(printHelp)
	root.SetUsageFunc(printUsage)
	root.SetHelpCommandGroupID(describing)
	root.SetCompletionCommandGroupID(describing)
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(p.explainFlag)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-")) // as in --begin_date
	})
	p.addSettings(root)
	return root
}

// catalog returns the operations whose schemas describe flags, or nil if the
// command line does not need them, because a server starts 4 ms earlier without
// them. The operations in this set are never called.
func (p *program) catalog() []operation.Tool {
	describing := []string{
		"predict", "plan", "telegram", "search", "help", manual, "completion",
		cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd,
	}
	if !slices.ContainsFunc(p.args, func(a string) bool { return slices.Contains(describing, a) }) {
		return nil
	}
	return described()
}

// described returns the operations that describe flags. They are the same for each execution.
var described = sync.OnceValue(func() []operation.Tool { return everyTool(new(tools.Set)) })

// everyTool returns the operations of all tool sets, and those for planning that are not tools.
func everyTool(set *tools.Set) (all []operation.Tool) {
	for _, s := range set.Toolsets() {
		all = append(all, s.Tools...)
	}
	return append(all, set.PlanningOperations()...)
}

// addGroup adds commands under a title in help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}
