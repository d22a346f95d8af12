package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"leadline/internal/trials"
)

// onTerminal runs a command on a terminal with a width and returns its output.
func onTerminal(t *testing.T, columns uint16, env map[string]string, args ...string) string {
	t.Helper()
	person, program := trials.Terminal(t, columns)
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(person) // ends with an error when the program closes its end
		read <- string(text)
	}()
	p := newProgram(args, Streams{In: strings.NewReader(""), Out: program, Err: io.Discard})
	p.config.Getenv = func(name string) string { return env[name] }
	p.execute(t.Context())
	program.Close()
	return strings.ReplaceAll(<-read, "\r\n", "\n")
}

// TestTerminal checks that lines keep to the width of the terminal, which columns of a table are
// left out, and color.
func TestTerminal(t *testing.T) {
	for columns, head := range map[uint16]string{
		40:  "ID NAME",
		60:  "ID NAME",
		80:  "ID NAME DISTANCE",
		120: "ID NAME KIND PLACE DISTANCE",
	} {
		out := onTerminal(t, columns, nil, "search", "42.35,-71.05", "--limit", "3")
		first, _, _ := strings.Cut(out, "\n")
		if got := strings.Join(strings.Fields(first), " "); got != head {
			t.Errorf("at %d columns: %q, want %q", columns, got, head)
		}
		out += onTerminal(t, columns, nil, "now", "boston", "--offline")
		out += onTerminal(t, columns, nil, "trip", "boston", "--offline")
		out += onTerminal(t, columns, nil, "trip", "half moon bay", "+2", "walk", "--offline")
		longest := slices.Max(lengths(strings.Split(out, "\n")))
		if most := max(int(columns), leastColumns); longest > most {
			t.Errorf("at %d columns a line has %d:\n%s", columns, longest, out)
		}
		if !strings.Contains(out, "\x1b[1mBoston, MA\x1b[0m") {
			t.Errorf("at %d columns without color:\n%s", columns, out)
		}
	}
	for _, test := range []struct {
		env   map[string]string
		color string
		want  bool
	}{
		{nil, "auto", true},
		{map[string]string{"NO_COLOR": ""}, "auto", true},
		{map[string]string{"NO_COLOR": "1"}, "auto", false},
		{map[string]string{"NO_COLOR": "1"}, "always", true},
		{nil, "never", false},
	} {
		out := onTerminal(t, 80, test.env, "predict", "8443970", "--color", test.color)
		if got := strings.Contains(out, "\x1b"); got != test.want || out == "" {
			t.Errorf("%v --color %s: color %v\n%s", test.env, test.color, got, out)
		}
	}
	out := onTerminal(t, 120, map[string]string{"COLUMNS": "60"}, "search", "boston", "--limit", "3")
	if strings.Contains(out, "PLACE") {
		t.Errorf("COLUMNS is not obeyed:\n%s", out)
	}
}

// TestColumns checks the columns that are asked for.
func TestColumns(t *testing.T) {
	out, _, _ := run(t, "search", "boston", "--limit", "1", "--columns", "name, id")
	if want := "NAME    ID\nBoston  8443970\n"; out != want {
		t.Errorf("--columns name, id: %q, want %q", out, want)
	}
	_, stderr, code := run(t, "search", "boston", "--columns", "name,age")
	want := fmt.Sprintf("invalid --columns %q: must be some of ID,NAME,KIND,PLACE,MATCH", "AGE")
	if code != 1 || !strings.Contains(stderr, want) {
		t.Errorf("--columns name,age: %d, %q, want %q", code, stderr, want)
	}
}
