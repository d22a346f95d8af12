// Package cli is the command line: it parses flags, runs one command and prints the
// result, as text and tables for people or as JSON for programs. Predictions and
// searches are operations of package tools. Commands that need the store call the
// administrative API of the server that runs on the data folder, or of one in this
// process if none runs.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/server"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run executes a command line, without the name of the program, until it ends or ctx
// does. It returns the exit code: 0, or 1 after an error, which it
// prints.
func Run(ctx context.Context, args []string, getenv func(string) string, s Streams) int {
	p := &program{config: config.New(), streams: s, args: append([]string{}, args...)}
	p.config.Getenv = getenv
	root := p.root()
	root.SetArgs(p.args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(s.Err, "leadline:", coast.Redact(err.Error())) // it quotes what was typed
		return 1
	}
	return 0
}

// Stopped returns the cause for which the context of Run ends after a signal.
func Stopped(s os.Signal) error { return server.Stopped{Signal: s} }

// program is one execution of the command line.
type program struct {
	config  *config.Config
	streams Streams
	args    []string
	yes     bool // answers questions
}

// The groups of commands in help.
const (
	serving    = "serving"
	asking     = "asking"
	operating  = "operating"
	describing = "describing"
)

// root returns the tree of commands.
func (p *program) root() *cobra.Command {
	serve := p.serveCommand()
	root := &cobra.Command{
		Use:   "leadline",
		Short: "Answer questions about the coast over MCP, REST and the command line",
		Long: "Leadline answers questions about the coast over MCP, REST and the command line: " +
			"tides, currents, water levels, weather and planning decisions. " +
			"Without a command it serves, as leadline serve does.\n" +
			"Planning aid only. Not for navigation.",
		Args: unknownCommand, RunE: serve.RunE,
		SilenceUsage: true, SilenceErrors: true,
		SuggestionsMinimumDistance: maxTypos,
	}
	root.AddGroup(
		&cobra.Group{ID: serving, Title: "Serving"}, &cobra.Group{ID: asking, Title: "Asking"},
		&cobra.Group{ID: operating, Title: "Operating"},
		&cobra.Group{ID: describing, Title: "Describing itself"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(serving, serve, p.stdioCommand(), p.healthCommand())
	add(asking, p.predictCommand(), p.searchCommand(), p.verifyCommand())
	add(operating, p.accountsCommand(), p.keysCommand(), p.incidentsCommand(), p.maintenanceCommand(),
		p.backupCommand(), p.restoreCommand(), p.checkCommand(), p.stationsCommand())
	add(describing, p.configCommand(), p.manCommand(), p.versionCommand())
	help := helpCommand()
	add(describing, help)
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

// runE is the type of cobra.Command.RunE.
type runE = func(*cobra.Command, []string) error

// run returns the RunE of a command that has the settings.
func (p *program) run(f func(ctx context.Context, args []string) error) runE {
	return func(c *cobra.Command, args []string) error {
		if err := p.config.Load(); err != nil {
			return err
		}
		return f(c.Context(), args)
	}
}

// maxTypos is the largest edit distance of a command or flag that is suggested.
const maxTypos = 2

// group returns a command that only has subcommands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use: name, Short: short, SuggestionsMinimumDistance: maxTypos,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return fmt.Errorf("missing command after %s; there are %s", c.CommandPath(), names(c))
		},
	}
	g.AddCommand(commands...)
	return g
}

// names lists the subcommands of a command.
func names(c *cobra.Command) string {
	var list []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.Name())
		}
	}
	return strings.Join(list, ", ")
}

// unknownCommand returns an error if a command has an argument, which was meant to be
// a subcommand.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "there are " + names(c)
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	} else if !c.HasParent() {
		hint = "leadline help lists the commands"
	}
	return fmt.Errorf("unknown command %q of %s; %s", args[0], c.CommandPath(), hint)
}

// takes returns the check of a command with exactly the named arguments.
func takes(arguments ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(arguments):
			return fmt.Errorf("missing %s; usage: %s", arguments[len(args)], c.UseLine())
		case len(args) > len(arguments):
			return fmt.Errorf("unexpected argument %q; usage: %s", args[len(arguments)], c.UseLine())
		}
		return nil
	}
}
