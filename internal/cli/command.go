package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/config"
	"leadline/internal/server"
)

// Streams carry the input and output of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// program is one execution of the command line.
type program struct {
	config  *config.Config
	streams Streams
	args    []string
	now     func() time.Time
	yes     bool     // answers all questions with yes
	color   string   // value of --color
	columns string   // value of --columns
	code    int      // exit code of a command without an error
	inspect []string // the command line of InspectCommand, or nil to open stores unchecked
}

// parts returns the configuration of the parts that the command runs.
func (p *program) parts(c *config.Config) server.Config {
	return server.Config{
		Settings: c, Version: thisBuild().version, Stderr: p.streams.Err, Inspect: p.inspect,
		Now: p.now,
	}
}

// live opens the operations with their providers. The caller closes them.
func (p *program) live(c *config.Config) (server.Live, error) {
	return server.OpenLive(p.parts(c))
}

// runE is the type of cobra.Command.RunE.
type runE = func(*cobra.Command, []string) error

// run returns the RunE of a command, called with the settings.
func (p *program) run(f func(ctx context.Context, args []string) error) runE {
	return func(c *cobra.Command, args []string) error {
		if err := p.config.Load(); err != nil {
			return err
		}
		for _, warning := range p.config.UnknownVariables() {
			p.notef("warning: %s\n", warning)
		}
		return f(c.Context(), args)
	}
}

// usesAnnotation lists the settings that help of a command shows. Every command
// accepts all of them.
const usesAnnotation = "settings"

// uses makes help of a command show settings.
func uses(c *cobra.Command, settings ...string) *cobra.Command {
	c.Annotations = map[string]string{usesAnnotation: strings.Join(settings, " ")}
	return c
}

// allSettings makes help show all settings.
const allSettings = "*"

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

// unknownCommand returns an error if a command group has an argument, which was
// meant to be a subcommand.
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

// takes returns the argument check of a command with exactly the named
// arguments.
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

// takesOptional returns the argument check of a command with at most one argument.
func takesOptional(argument string) cobra.PositionalArgs {
	one := takes(argument)
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return one(c, args)
	}
}

// takesOneOrTwo returns the argument check of a command with an argument and an optional one.
func takesOneOrTwo(first, second string) cobra.PositionalArgs {
	both := takes(first, second)
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return both(c, args)
	}
}

// takesSome returns the argument check of a command with one or more words.
func takesSome(argument string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("missing %s; usage: %s", argument, c.UseLine())
		}
		return nil
	}
}

// requires makes a command return an error unless each of the flags has a
// value.
func requires(c *cobra.Command, flags ...string) *cobra.Command {
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		for _, name := range flags {
			if c.Flag(name).Value.String() == "" {
				return fmt.Errorf("missing --%s; usage: %s", name, c.UseLine())
			}
		}
		return nil
	}
	return c
}

// addPlan adds the flag for a plan.
func addPlan(c *cobra.Command, plan *string, usage string) {
	c.Flags().StringVar(plan, "plan", "", usage)
}

// addYes adds the flag that answers questions.
func (p *program) addYes(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&p.yes, "yes", false, "answer yes to questions")
	return c
}
