package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The layout of help: columns of a line, and of the descriptions of flags.
const (
	helpWidth  = 80
	helpIndent = 26
)

// printHelp prints the description and the usage of a command.
func printHelp(c *cobra.Command, _ []string) {
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(about), "\n") {
		fmt.Fprintln(c.OutOrStdout(), strings.Join(wrap(paragraph, helpWidth), "\n"))
	}
	fmt.Fprintln(c.OutOrStdout())
	printUsage(c)
}

// printUsage prints what to type, subcommands and flags of a command.
func printUsage(c *cobra.Command) error {
	var b strings.Builder
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", title, body)
		}
	}
	fmt.Fprintf(&b, "Usage:\n%s", usageLines(c))
	section("Also called", indent(strings.Join(c.Aliases, ", ")))
	section("Examples", indent(c.Example))
	if len(c.Groups()) == 0 {
		section("Commands", commandList(c, ""))
	}
	for _, g := range c.Groups() {
		section(g.Title, commandList(c, g.ID))
	}
	section("Flags", flagList(c.LocalFlags()))
	fmt.Fprintf(&b, "\n%s\n", strings.Join(wrap(seeAlso(c), helpWidth), "\n"))
	_, err := io.WriteString(c.OutOrStdout(), b.String())
	return err
}

// usageLines returns what to type.
func usageLines(c *cobra.Command) string {
	if !c.HasAvailableSubCommands() {
		return indent(c.UseLine())
	}
	line := indent(c.CommandPath() + " COMMAND")
	if !c.HasParent() {
		line = indent(c.UseLine()) + line
	}
	return line
}

// indent indents the lines of a text. An empty text stays empty.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

// seeAlso returns the last lines of help.
func seeAlso(c *cobra.Command) string {
	switch {
	case !c.HasParent():
		return `"leadline COMMAND --help" describes a command. A setting is a flag (--base-url), an ` +
			`environment variable (LEADLINE_BASE_URL) and a key of the --config file ("base-url"). ` +
			`The flag has precedence over the variable, that over the file, and that over the default.`
	case c.HasAvailableSubCommands():
		return fmt.Sprintf("%q describes a command.", c.CommandPath()+" COMMAND --help")
	}
	return `All settings are accepted; "leadline serve --help" describes them.`
}

// commandList lists the subcommands of a group.
func commandList(c *cobra.Command, group string) string {
	var b strings.Builder
	for _, sub := range c.Commands() {
		if (sub.IsAvailableCommand() || sub.Name() == "help") && sub.GroupID == group {
			fmt.Fprintf(&b, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	return b.String()
}

// flagList lists the flags that help shows.
func flagList(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		name := strings.TrimRight("  --"+f.Name+" "+value, " ")
		if len(name) > helpIndent-2 {
			fmt.Fprintln(&b, name)
			name = ""
		}
		for _, line := range wrap(usage, helpWidth-helpIndent) {
			fmt.Fprintf(&b, "%-*s%s\n", helpIndent, name, line)
			name = ""
		}
	})
	return b.String()
}

// wrap wraps text between words into lines of at most the given width, where
// possible.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && visible(line)+1+visible(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

// helpCommand returns leadline help, which fails on unknown commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: "Describe a command",
		Long: "Describe a command, such as leadline help keys create.",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && found.HasSubCommands() {
				err = unknownCommand(found, rest)
			}
			if err != nil {
				return err
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
