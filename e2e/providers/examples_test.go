package providers

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access/credential"
)

// fence is a fenced block of a document.
type fence struct {
	file     string
	lead     string // last line of the text directly before it, "" if that is a fence
	language string
	text     string
}

// fences returns the fenced blocks of a document.
func fences(t *testing.T, file string) (all []fence) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, open := fence{file: file}, false
	for line := range strings.Lines(string(text)) {
		language, marks := strings.CutPrefix(line, "```")
		switch {
		case marks && open:
			all = append(all, b)
			b, open = fence{file: file}, false
		case marks:
			b.language, open = strings.TrimSpace(language), true
		case open:
			b.text += line
		case strings.TrimSpace(line) != "":
			b.lead = strings.TrimSpace(line)
		}
	}
	return all
}

// commands reports whether a block has commands to type.
func (b fence) commands() bool {
	return slices.Contains([]string{"sh", "bash", "shell", "console"}, b.language) ||
		strings.HasPrefix(b.text, "$ ")
}

// marked matches the lead of a block whose commands no test runs, because they
// need another program or another server.
var marked = regexp.MustCompile(`(?i)\bfor example:$`)

// TestDocumentedCommands runs the commands in the blocks of the README and of all
// guides against a real server, except for those that the text marks as examples.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	s := newReader(t)
	s.build(t)
	ran, examples := 0, 0
	for _, file := range product.Documents(t) {
		for _, b := range fences(t, file) {
			switch {
			case !b.commands():
			case marked.MatchString(b.lead):
				examples++
			default:
				s.run(t, b)
				ran++
			}
		}
	}
	if ran < 10 || examples < 5 {
		t.Errorf("%d blocks with commands and %d examples, want at least 10 and 5", ran, examples)
	}
}

// TestFirstCommands does so for the first such block of each document that needs no Go.
func TestFirstCommands(t *testing.T) {
	t.Parallel()
	s := newReader(t)
	ran := 0
	for _, file := range product.Documents(t) {
		for _, b := range fences(t, file) {
			if b.commands() && !marked.MatchString(b.lead) && !strings.HasPrefix(b.text, "go ") {
				s.run(t, b)
				ran++
				break
			}
		}
	}
	if ran < 8 {
		t.Errorf("%d documents have commands, want at least 8", ran)
	}
}

// reader follows the documentation: it has the binaries, a server, a key, and the
// variables that the text sets.
type reader struct {
	binaries  string // folder
	env       []string
	base      string // of the server
	id        string // of a key
	providers string // host and port of the simulator
}

// newReader starts a server without providers. The program is the test binary.
func newReader(t *testing.T) *reader {
	t.Helper()
	s := &reader{binaries: t.TempDir(), providers: "127.0.0.1:0"}
	script := filepath.Join(s.binaries, "leadline")
	if err := os.WriteFile(script, []byte(product.Script()), 0o700); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	// Without this, the exit code of curl is 0 for all statuses.
	curl := filepath.Join(home, ".curlrc")
	if err := os.WriteFile(curl, []byte("fail-with-body\nshow-error\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := product.ServeOn(t, t.TempDir())
	create := []string{"keys", "create", "--account", "mate@example.org", "--plan", "pro"}
	key := strings.TrimSpace(product.At(t, server.Folder, create...))
	id, ok := credential.KeyID(strings.TrimSpace(product.At(t, server.Folder, create...)))
	if !ok {
		t.Fatal("the output of keys create is not a key")
	}
	s.base, s.id = server.Base, id
	s.env = []string{
		"PATH=" + s.binaries + ":" + os.Getenv("PATH"), "HOME=" + home,
		"LEADLINE_DATA=" + server.Folder, "KEY=" + key, "D=" + tomorrow(t, server.Base),
	}
	return s
}

// build builds the programs as the documentation says, in place of the test binary.
func (s *reader) build(t *testing.T) {
	t.Helper()
	if err := os.Remove(filepath.Join(s.binaries, "leadline")); err != nil { // the script
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", s.binaries, "../..", "../../internal/simulator")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
}

// tomorrow returns the next day at Boston by the clock of a server.
func tomorrow(t *testing.T, base string) string {
	t.Helper()
	_, header, _ := product.Exchange(t, http.MethodGet, base+"/livez")
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return now.In(zone).AddDate(0, 0, 1).Format(time.DateOnly)
}

// run runs the commands of a block.
func (s *reader) run(t *testing.T, b fence) {
	t.Helper()
	text := strings.NewReplacer("http://127.0.0.1:8080", s.base, "7LqQBDD", s.id,
		"127.0.0.1:9090", s.providers).Replace(b.text)
	switch {
	case text == "go test ./...\n": // runs this test
	case strings.HasPrefix(text, "go run "):
		s.serve(t, b.file, strings.Fields(text)[2:])
	case b.language == "console":
		command, want := transcriptOf(text)
		out := s.shell(t, b.file, command)
		if want == "" || !strings.HasPrefix(out, want) {
			t.Errorf("%s: %s prints\n%s\nwant\n%s", b.file, command, out, want)
		}
	default:
		if out := s.shell(t, b.file, text); out == "" {
			t.Errorf("%s: no output of %s", b.file, text)
		}
	}
}

// transcriptOf splits a console block into its command, which continues after a
// pipe or a backslash, and the output.
func transcriptOf(text string) (command, output string) {
	output = strings.TrimPrefix(text, "$ ")
	for more := true; more; {
		line, rest, _ := strings.Cut(output, "\n")
		command, output = command+line+"\n", rest
		more = strings.HasSuffix(line, "|") || strings.HasSuffix(line, `\`)
	}
	return command, output
}

// longestCommand limits the time of a documented command.
const longestCommand = 2 * time.Minute

// shell runs a script, whose commands must all succeed and end, and returns its output.
func (s *reader) shell(t *testing.T, file, script string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	ctx, cancel := context.WithTimeoutCause(t.Context(), longestCommand,
		fmt.Errorf("still running after %v", longestCommand))
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-e")
	shell.WaitDelay = time.Minute // what the shell started keeps its output open
	shell.Dir, shell.Env = t.TempDir(), s.env
	shell.Stdin, shell.Stdout, shell.Stderr = strings.NewReader(script), &out, &stderr
	err := shell.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		t.Errorf("%s: %v after\n%s\n%s%s", file, err, script, &out, &stderr)
	}
	return out.String()
}

// serve starts the binary of a package as go run would, on a free port, until the
// test ends, and checks that it responds.
func (s *reader) serve(t *testing.T, file string, args []string) {
	t.Helper()
	binary, path := "leadline", "/livez"
	portFile := filepath.Join(t.TempDir(), "port")
	flags := []string{"--port-file", portFile}
	switch {
	case args[0] == "./internal/simulator":
		binary, path = "simulator", "/mdapi/prod/webapi/stations/8443970.json"
	case len(args) == 1: // without simulated providers
		flags = append(flags, "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--offline")
	default:
		path = "/api/v1/stations/8443970/water-levels"
		flags = append(flags, "--listen", "127.0.0.1:0", "--data", t.TempDir())
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, filepath.Join(s.binaries, binary),
		append(args[1:], flags...)...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	done, ended := make(chan error, 1), make(chan bool)
	go func() { done <- command.Run(); close(ended) }()
	t.Cleanup(func() { product.CloseIdle(); cancel(); <-ended })
	address := "127.0.0.1:" + product.PortIn(t, portFile, done)
	if status, _, body := product.Exchange(t, http.MethodGet, "http://"+address+path); status != 200 {
		t.Errorf("%s: go run %s: %s: %d %s", file, args[0], path, status, body)
	}
	if binary == "simulator" {
		s.providers = address
	}
}
