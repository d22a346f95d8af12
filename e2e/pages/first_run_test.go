//go:build linux

package pages

import (
	"bytes"
	"context"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/cli"
	"leadline/internal/trials"
)

// desk is a person who starts leadline serve in a terminal. What an opener of files gets is in the
// folder opened: the arguments, and a copy of the file with its mode.
type desk struct {
	folder, opened string
	said           *product.Journal
	stop           func()
}

// sitDown starts leadline serve with an environment and flags. script is the xdg-open of the desk.
func sitDown(t *testing.T, script string, environment map[string]string, flags ...string) *desk {
	t.Helper()
	d := &desk{folder: t.TempDir(), opened: t.TempDir(), said: &product.Journal{}}
	programs := t.TempDir()
	if script != "" {
		file := filepath.Join(programs, "xdg-open")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs) // without the xdg-open of the machine
	t.Setenv("OPENED", d.opened)
	person, program := trials.Terminal(t, 0)
	go io.Copy(d.said, person) // until the terminal is closed
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	args := append([]string{"--data", d.folder, "--listen", "127.0.0.1:0", "--offline"}, flags...)
	go func() {
		done <- cli.Run(ctx, args, func(name string) string { return environment[name] }, nil,
			cli.Streams{In: program, Out: io.Discard, Err: program})
	}()
	d.stop = sync.OnceFunc(func() {
		product.CloseIdle()
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("serving ended with the exit code %d\n%s", code, d.said)
		}
	})
	t.Cleanup(d.stop)
	d.await(t, func() bool { return product.JoinLink.MatchString(d.said.String()) })
	return d
}

// await waits until a condition holds.
func (d *desk) await(t *testing.T, holds func() bool) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the program has printed\n%s", d.said)
		}
	}()
	trials.WaitFor(t, "what a person sees", holds)
}

// exists reports whether a file exists.
func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// opening is an xdg-open that copies what it gets.
const opening = `PATH=/usr/bin:/bin
echo "$@" > "$OPENED/arguments"
stat -c %a "$1" > "$OPENED/mode"
cp "$1" "$OPENED/part" && mv "$OPENED/part" "$OPENED/page"
`

// commandCode is a command on the page of a new key.
var commandCode = regexp.MustCompile(`(?s)<pre><code>(curl .*?)</code></pre>`)

// TestFirstRun checks the way of a person from the first start in a terminal on a desktop to the
// first response: the link opens, the account is created, a button creates a key, and the command
// that is shown works in a shell.
func TestFirstRun(t *testing.T) {
	d := sitDown(t, opening, map[string]string{"DISPLAY": ":0"})
	d.await(t, func() bool { return exists(filepath.Join(d.opened, "page")) })
	link := strings.TrimSpace(product.JoinLink.FindString(d.said.String()))
	file := filepath.Join(d.folder, "first-run.html")
	for name, want := range map[string]string{"arguments": file, "mode": "600"} {
		got, err := os.ReadFile(filepath.Join(d.opened, name))
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("the opener got %s %q, %v, want %s", name, got, err, want)
		}
	}
	page, err := os.ReadFile(filepath.Join(d.opened, "page"))
	if err != nil || !strings.Contains(string(page),
		`<meta http-equiv="refresh" content="0; url=`+html.EscapeString(link)+`">`) {
		t.Fatalf("the page does not lead to %s: %v\n%s", link, err, page)
	}
	base, path, _ := strings.Cut(link, "/oauth/")
	h := &holder{Visitor: product.NewVisitor(t, base)}
	_, text, _ := h.Ask("/oauth/"+path, nil)
	_, _, to := h.Ask("/oauth/join", h.Form(text, "/oauth/join", "email", "owner@example.org",
		"password", "a lead and a long line"))
	if to.Path != "/account" {
		t.Errorf("the first page after the link is %s, want /account", to)
	}
	d.await(t, func() bool { return !exists(file) })
	secret, shown := h.firstKey()
	commands := commandCode.FindStringSubmatch(shown.body)
	if commands == nil {
		t.Fatalf("the page of the key has no command:\n%s", shown.body)
	}
	command := html.UnescapeString(commands[1])
	if !strings.Contains(command, secret) || !strings.Contains(command, base+"/api/v1/") {
		t.Errorf("the command is %s, want the key and %s in it", command, base)
	}
	if status := inShell(t, command); status != "200" {
		t.Errorf("the command gets status %s, want 200:\n%s", status, command)
	}
}

// inShell runs a command with curl as a person would paste it, and returns the HTTP status.
func inShell(t *testing.T, command string) string {
	t.Helper()
	home := t.TempDir()
	settings := "silent\noutput = /dev/null\nwrite-out = \"%{http_code}\"\n"
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	c.Env = append(os.Environ(), "PATH=/usr/bin:/bin", "HOME="+home, "CURL_HOME="+home,
		"XDG_CONFIG_HOME="+home)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said.String())
	}
	return string(out)
}

// TestFirstRunWithoutBrowser checks when no browser is opened, that failures of the opener do not
// stop the server, and that the page with the link does not remain.
func TestFirstRunWithoutBrowser(t *testing.T) {
	desktop := map[string]string{"DISPLAY": ":0"}
	off := map[string]string{"DISPLAY": ":0", "LEADLINE_BROWSER": "off"}
	for name, test := range map[string]struct {
		script      string
		environment map[string]string
		flags       []string
		opens       bool
	}{
		"switched off":      {opening, desktop, []string{"--browser", "off"}, false},
		"by the variable":   {opening, off, nil, false},
		"no desktop":        {opening, nil, nil, false},
		"CI":                {opening, map[string]string{"DISPLAY": ":0", "CI": "true"}, nil, false},
		"no opener":         {"", desktop, nil, false},
		"a failing opener":  {"exit 3", desktop, nil, true},
		"a lasting opener":  {"exec /bin/sleep 5", desktop, nil, true},
		"stopped before it": {opening, desktop, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := sitDown(t, test.script, test.environment, test.flags...)
			link := product.JoinLink.FindString(d.said.String())
			base, path, _ := strings.Cut(link, "/oauth/")
			if status, _, _ := product.NewVisitor(t, base).Ask("/oauth/"+path, nil); status != 200 {
				t.Errorf("the link is %d, want 200", status)
			}
			opens := func() bool { return strings.Contains(d.said.String(), "should open in your browser") }
			file := filepath.Join(d.folder, "first-run.html")
			if test.opens {
				d.await(t, opens)
			} else if opens() || exists(file) {
				t.Errorf("there is a page with the link: %v\n%s", exists(file), d.said)
			}
			d.stop()
			if exists(file) {
				t.Error("the page with the link remains after the end")
			}
		})
	}
}
