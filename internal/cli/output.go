package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
)

// printTable writes rows with aligned columns in a single write.
func printTable(w io.Writer, rows [][]string) error {
	_, err := io.WriteString(w, strings.Join(aligned(rows), "\n")+"\n")
	return err
}

// printFitting prints a table with the columns of --columns, or with those that fit.
func (p *program) printFitting(rows [][]string) error {
	s, err := p.screen()
	if err == nil {
		rows, err = s.fit(rows, p.columns)
	}
	if err != nil {
		return err
	}
	return printTable(p.streams.Out, rows)
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// printf prints to standard output.
func (p *program) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(p.streams.Out, format, args...)
	return err
}

// notef prints to standard error, which carries everything except the result.
func (p *program) notef(format string, args ...any) { fmt.Fprintf(p.streams.Err, format, args...) }

// printList prints a list as JSON or as a table. For an empty table it prints a
// remark on standard error instead.
func printList[T any](
	p *program, asJSON bool, list []T, none string, rows func([]T) [][]string,
) error {
	switch {
	case asJSON:
		return printJSON(p.streams.Out, list)
	case len(list) == 0:
		p.notef("%s\n", none)
		return nil
	}
	return p.printFitting(rows(list))
}

// addJSON adds the flag for programs that read the output.
func addJSON(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// addColumns adds the flag for the columns of a table.
func (p *program) addColumns(c *cobra.Command) {
	c.Flags().StringVar(&p.columns, "columns", "", "comma-separated `NAMES` of columns to print; "+
		"all that fit if not given")
}

// addList adds the flags of a list: JSON or columns.
func (p *program) addList(c *cobra.Command, asJSON *bool) {
	addJSON(c, asJSON)
	p.addColumns(c)
}

// minutes is the layout of times in UTC.
const minutes = "2006-01-02 15:04"

// confirm asks a question at the terminal, unless --yes answers it. Unless the
// answer is "yes", it returns an error that says what was not done.
func (p *program) confirm(question, not string) error {
	if p.yes {
		return nil
	}
	if !terminal(p.streams.In) {
		return fmt.Errorf("%s: stdin is not a terminal; pass --yes", not)
	}
	return p.ask(p.streams.In, question, not)
}

// ask asks a question and reads the answer.
func (p *program) ask(in io.Reader, question, not string) error {
	p.notef("%s Type yes: ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.TrimSpace(answer) {
	case "yes":
		return nil
	case "":
		p.notef("\n")
		if errors.Is(err, io.EOF) { // for example from /dev/null
			return fmt.Errorf("%s: stdin has no answer; pass --yes", not)
		}
	}
	return errors.New(not)
}

// terminal reports whether a stream is connected to a terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// addShort adds the flag for heights with fewer digits.
func addShort(c *cobra.Command, short *bool) {
	c.Flags().BoolVar(short, "short", false, "print heights in feet with one decimal")
}

// decimals returns the number of decimals of heights.
func decimals(units coast.Units, short bool) int {
	if short && units == coast.English {
		return 1
	}
	return 2
}

// distance returns a distance in units.
func distance(kilometers float64, units coast.Units) string {
	if units == coast.English {
		return fmt.Sprintf("%.1f mi", kilometers/1.609344)
	}
	return fmt.Sprintf("%.1f km", kilometers)
}

// unitsValue is the value of --units.
type unitsValue coast.Units

// addUnits adds the flag for units, which must have their default.
func addUnits(c *cobra.Command, units *coast.Units) {
	c.Flags().Var((*unitsValue)(units), "units", "`SYSTEM` of units: "+
		strings.Join(units.Values(), " or "))
}

func (u *unitsValue) String() string { return string(*u) }
func (u *unitsValue) Type() string   { return "SYSTEM" }

// Set implements pflag.Value.
func (u *unitsValue) Set(text string) error {
	if all := coast.Units("").Values(); !slices.Contains(all, text) {
		return fmt.Errorf("must be %s", strings.Join(all, " or "))
	}
	*u = unitsValue(text)
	return nil
}
