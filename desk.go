package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/store"
	"leadline/tools"
)

// desk is where the commands that need the store are carried out: in the
// server where one runs on the data folder, else in the process of the command
// line, which then has the store to itself.
type desk struct {
	*keep
	config *config.Config
	now    func() time.Time
	base   string       // what browsers see of the server, "" where none runs
	set    *tools.Set   // what is served, nil where nothing is
	save   func() error // keeps what the providers of set have returned
}

// errand is what such a command does. words are what is left of its line when
// its flags are read. It reads nothing: who asks may sit at another process.
type errand func(ctx context.Context, d *desk, words []string, s streams) error

// verb is such a command, as it is typed.
type verb struct {
	name  string // keys create
	takes string // what follows it, for people
	about string
	words int // how many words follow it beside its flags, or anyNumber
	with  need
	bind  func(own *flag.FlagSet) errand  // binds its flags and returns what it does
	here  func(o *order, s streams) error // what has to be done where it was typed, or nil
}

const anyNumber = -1

// need is what a verb wants of the store.
type need int

const (
	there  need = iota // that it is there
	begun              // that it is there, or is begun
	closed             // that nobody has it open
)

// verbs are the commands that need the store, in the order of the usage.
func verbs() []verb {
	return slices.Concat(keyVerbs(), accountVerbs(), incidentVerbs(), backupVerbs(), stationVerbs())
}

// verbNamed finds a verb, and says which there are where there is none.
func verbNamed(list []verb, name string) (verb, error) {
	first, _, _ := strings.Cut(name, " ")
	var kin []string
	for _, v := range list {
		if v.name == name {
			return v, nil
		}
		if strings.HasPrefix(v.name, first+" ") {
			kin = append(kin, v.name)
		}
	}
	return verb{}, fmt.Errorf("leadline %s is no command; there are %s", name, strings.Join(kin, ", "))
}

// atDesk is the command of a first word whose verbs need the store.
func atDesk(first string) func(context.Context, *config.Config, []string, streams) error {
	return func(ctx context.Context, c *config.Config, args []string, s streams) error {
		v, err := verbNamed(verbs(), first)
		if err != nil && len(args) > 0 {
			if isHelp(args[0]) {
				return explain(first, s.out)
			}
			v, err = verbNamed(verbs(), first+" "+args[0])
			args = args[1:]
		}
		if err != nil {
			return err
		}
		o, err := v.read(c, args, s.out)
		if err != nil {
			return err
		}
		return o.carryOut(ctx, c, s)
	}
}

func isHelp(word string) bool {
	return strings.TrimLeft(word, "-") == "h" || strings.TrimLeft(word, "-") == "help"
}

// explain tells the verbs of a first word.
func explain(first string, w io.Writer) error {
	for _, v := range verbs() {
		if strings.HasPrefix(v.name, first+" ") {
			fmt.Fprintf(w, "%s\n    %s\n", v.usage(), v.about)
		}
	}
	fmt.Fprintf(w, "\nEach has a -h of its own.\n")
	return flag.ErrHelp
}

func (v verb) usage() string { return strings.TrimSpace("leadline " + v.name + " " + v.takes) }

// help tells a verb and its flags.
func (v verb) help(own *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", v.usage(), v.about)
	own.SetOutput(w)
	own.PrintDefaults()
	fmt.Fprintln(w, "The flags of leadline -h, such as -data, may stand here too.")
}

// order is a verb with what was typed after it.
type order struct {
	verb
	own   *flag.FlagSet
	do    errand
	words []string
}

// order makes a verb ready to be told its flags and words.
func (v verb) order() *order {
	own := flag.NewFlagSet(v.name, flag.ContinueOnError)
	return &order{verb: v, own: own, do: v.bind(own)}
}

// read reads what was typed after a verb, where flags, the settings among
// them, and words may stand in any order.
func (v verb) read(c *config.Config, args []string, help io.Writer) (*order, error) {
	o := v.order()
	all := flag.NewFlagSet(v.name, flag.ContinueOnError)
	all.SetOutput(io.Discard)
	o.own.VisitAll(func(f *flag.Flag) { all.Var(f.Value, f.Name, f.Usage) })
	bindFlags(c, all)
	for len(args) > 0 {
		if err := all.Parse(args); errors.Is(err, flag.ErrHelp) {
			v.help(o.own, help)
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w; leadline %s -h tells its flags", v.name, err, v.name)
		}
		if args = all.Args(); len(args) > 0 {
			o.words, args = append(o.words, args[0]), args[1:]
		}
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	all.Visit(func(f *flag.Flag) {
		if o.own.Lookup(f.Name) != nil {
			o.own.Set(f.Name, f.Value.String()) // so that own knows what was given
		}
	})
	return o, c.Load()
}

// complete fails where an order has too few words, or too many.
func (o *order) complete() error {
	if o.verb.words != anyNumber && o.verb.words != len(o.words) {
		return fmt.Errorf("%s does not go with %q; it is typed so: %s", o.name, o.words, o.usage())
	}
	return nil
}

// carryOut has an order carried out by the server that runs on the data
// folder, or does so here where none runs.
func (o *order) carryOut(ctx context.Context, c *config.Config, s streams) error {
	if o.here != nil {
		if err := o.here(o, s); err != nil {
			return err
		}
	}
	var silence error
	for range 2 { // a server that starts has its store before it answers
		conn, err := knock(ctx, c.Data)
		if err == nil {
			return o.handOver(ctx, c, conn, s)
		}
		silence = err
		if err := o.carryOutHere(ctx, c, s); o.with == closed || !errors.Is(err, store.ErrInUse) {
			return err
		}
	}
	return fmt.Errorf("another process has the store in %s open and does not answer (%w): a server that hangs, or another command at work; end it, or try again", c.Data, silence)
}

// handOver gives an order to a server.
func (o *order) handOver(ctx context.Context, c *config.Config, conn net.Conn, s streams) error {
	defer conn.Close()
	if o.with == closed {
		return fmt.Errorf("a server runs on %s: stop it first, and start it again when %s is done", c.Data, o.name)
	}
	if names := overruled(c); len(names) > 0 {
		fmt.Fprintf(s.err, "the server that runs on %s goes by its own settings: %s is not looked at\n", c.Data, strings.Join(names, ", "))
	}
	err := o.send(ctx, conn, s)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted, and the command may have taken effect or not: %w", ctx.Err())
	}
	return err
}

// overruled are the settings of the command line that a server has for itself.
func overruled(c *config.Config) (names []string) {
	for _, s := range c.Settings() {
		if s.Origin() == config.Flag && !slices.Contains([]string{"data", "log-level", "log-format"}, s.Name) {
			names = append(names, "-"+s.Name)
		}
	}
	return names
}

// carryOutHere carries an order out with the store to itself.
func (o *order) carryOutHere(ctx context.Context, c *config.Config, s streams) (err error) {
	d := &desk{config: c, now: time.Now}
	if o.with == closed {
		return o.do(ctx, d, o.words, s)
	}
	if _, err := os.Stat(filepath.Join(c.Data, server.StoreFile)); o.with == there && errors.Is(err, fs.ErrNotExist) {
		if err := server.CheckOrphaned(c.Data); err != nil {
			return err
		}
		return fmt.Errorf("there is no store in %s yet; the server begins one, and so does leadline keys create. -data names another folder", c.Data)
	}
	if d.keep, err = openKeep(ctx, c); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	return o.do(ctx, d, o.words, s)
}

// table writes rows with their columns aligned, in one piece.
func table(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// printJSON writes a value for a person and for a program.
func printJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// toTheMinute is how a time in UTC is written for people, and read from them.
const toTheMinute = "2006-01-02 15:04"

// timeOr is a time in a layout, or what there is to say of none.
func timeOr(t time.Time, layout, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(layout)
}

// whenKnown is nil of the zero time.
func whenKnown(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
