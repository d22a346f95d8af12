package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leadline/internal/config"
)

// setting adapts a setting to pflag.
type setting struct{ *config.Setting }

// Type names the value in help.
func (s setting) Type() string {
	if s.IsBoolFlag() {
		return "bool" // help omits this type
	}
	return "VALUE"
}

// addSettings adds the settings to the flags of a command and of those below it that the command
// line needs. Help shows the ones that the command uses.
func (p *program) addSettings(c *cobra.Command) {
	shown := strings.Fields(c.Annotations[usesAnnotation])
	all := !c.HasParent() || slices.Contains(shown, allSettings)
	fs := c.Flags()
	fs.SortFlags = false
	defer fs.BoolP("help", "h", false, "print this help")
	add := func(f *pflag.Flag) {
		f.Hidden = !all && !slices.Contains(shown, f.Name)
		if fs.Lookup(f.Name) == nil {
			fs.AddFlag(f)
		}
	}
	if len(shown) > 0 {
		shown = append(shown, "config")
	}
	for _, s := range p.config.Settings() {
		f := &pflag.Flag{Name: s.Name, Usage: s.Usage, Value: setting{s}, DefValue: s.Default}
		if s.IsBoolFlag() {
			f.NoOptDefVal = "true"
		}
		add(f)
	}
	var file pflag.FlagSet
	file.StringVar(&p.config.File, "config", p.config.File,
		"JSON `FILE` with settings, such as {\"offline\": true}")
	add(file.Lookup("config"))
	for _, sub := range c.Commands() {
		if p.needs(sub) {
			p.addSettings(sub)
		}
	}
}

// needs reports whether the command line may run or describe a command: it has its name, or asks
// for the manual pages of all.
func (p *program) needs(c *cobra.Command) bool {
	return slices.ContainsFunc(p.args, func(arg string) bool {
		return arg == c.Name() || c.HasAlias(arg) || arg == manual
	})
}

// explainFlag returns the error for a flag that cannot be parsed, with what to
// type instead.
func (p *program) explainFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w; %s --help describes the flags", err, c.CommandPath())
	}
	typed := "--" + unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		typed = p.singleDash(letters)
		name, _, _ := strings.Cut(strings.TrimPrefix(typed, "-"), "=")
		if c.Flags().Lookup(name) != nil {
			return fmt.Errorf("unknown flag %s: flags have two dashes, --%s", typed, name)
		}
	}
	if near := nearest(c.Flags(), strings.TrimLeft(typed, "-")); near != "" {
		return fmt.Errorf("unknown flag %s; did you mean --%s?", typed, near)
	}
	if sub, _, err := c.Find([]string{strings.TrimLeft(typed, "-")}); err == nil && sub != c {
		return fmt.Errorf("unknown flag %s; did you mean %s?", typed, sub.CommandPath())
	}
	return fmt.Errorf("unknown flag %s; %s --help describes the flags", typed, c.CommandPath())
}

// singleDash returns the argument whose last letters were parsed as one-letter flags.
func (p *program) singleDash(letters string) string {
	for _, arg := range p.args {
		short, ok := strings.CutPrefix(arg, "-")
		if ok && !strings.HasPrefix(short, "-") && strings.HasSuffix(short, letters) {
			return arg
		}
	}
	return "-" + letters
}

// nearest returns the flag name that is closest to a misspelled one, or "".
func nearest(flags *pflag.FlagSet, name string) string {
	words := &cobra.Command{SuggestionsMinimumDistance: maxTypos}
	flags.VisitAll(func(f *pflag.Flag) {
		words.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if near := words.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}
