package main

import (
	"errors"
	"flag"
	"io"
	"strings"

	"leadline/internal/config"
)

// bindFlags binds the settings to a flag set.
func bindFlags(c *config.Config, fs *flag.FlagSet) {
	for _, s := range c.Settings() {
		fs.Var(s, s.Name, s.Usage)
	}
	fs.StringVar(&c.File, "config", c.File, "JSON file with these settings")
}

// configure reads the settings from args (flags may precede and follow the
// command), the environment and the file. It returns the other arguments.
func configure(args []string, getenv func(string) string, stdout io.Writer) (*config.Config, []string, error) {
	c := config.New()
	c.Getenv = getenv
	fs := flag.NewFlagSet("leadline", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	bindFlags(c, fs)
	rest, err := parseAround(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout)
	}
	if err != nil {
		return nil, nil, err
	}
	return c, rest, c.Load()
}

// parseAround parses the flags before the command and those after it up to
// the first argument that the command keeps for itself.
func parseAround(fs *flag.FlagSet, args []string) ([]string, error) {
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	rest := fs.Args()
	if len(rest) == 0 {
		return nil, nil
	}
	command, own := rest[0], rest[1:]
	if c, ok := find(command); ok && c.ownFlags {
		return rest, nil
	}
	if err := fs.Parse(own); err != nil {
		return nil, err
	}
	return append([]string{command}, fs.Args()...), nil
}

// split parts a list at its commas.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
