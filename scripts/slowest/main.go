// Slowest reads the events of go test -json from standard input and prints them as go test does,
// followed by the ten tests that took longest.
//
//	go test -json ./... | go run ./scripts/slowest
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json, which cmd/test2json describes.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// most is the number of tests that are printed.
const most = 10

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	output := map[string]*strings.Builder{} // by package
	var tests []event
	for events := json.NewDecoder(in); ; {
		var e event
		if err := events.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		said, ok := output[e.Package]
		if !ok {
			said = &strings.Builder{}
			output[e.Package] = said
		}
		switch {
		case e.Action == "output" || e.Action == "build-output":
			said.WriteString(e.Output)
		case e.Action == "pass" && e.Test == "":
			fmt.Fprint(out, lines(said.String(), "ok "))
		case (e.Action == "fail" || e.Action == "build-fail") && e.Test == "":
			fmt.Fprint(out, said)
		}
		if (e.Action == "pass" || e.Action == "fail") && e.Test != "" && !strings.Contains(e.Test, "/") {
			tests = append(tests, e)
		}
	}
	slices.SortStableFunc(tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, t := range tests[:min(most, len(tests))] {
		fmt.Fprintf(out, "%7.2f s  %s %s\n", t.Elapsed, t.Package, t.Test)
	}
	return nil
}

// lines returns the lines of a text that begin with a prefix.
func lines(text, prefix string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
