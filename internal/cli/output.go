package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// printTable writes rows with aligned columns in a single write.
func printTable(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
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
	return printTable(p.streams.Out, rows(list))
}

// addJSON adds the flag for programs that read the output.
func addJSON(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
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
