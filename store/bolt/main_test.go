package bolt

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Environment variables of the child processes: some tests run the test binary again.
const (
	childOf   = "LEADLINE_BOLT_CHILD" // the file that the child opens
	childSeed = "LEADLINE_BOLT_SEED"  // a number that makes the ids of the child unique
)

// inspectCommand makes the test binary inspect a file, as the program does.
const inspectCommand = "inspect-file"

// inspectManyCommand makes the test binary inspect many files, one after another.
const inspectManyCommand = "inspect-files"

// inspected are the options of a store whose files are inspected.
var inspected = Options{Inspect: []string{os.Args[0], inspectCommand}}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == inspectCommand {
		if err := Inspect(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == inspectManyCommand {
		if err := inspectMany(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path := os.Getenv(childOf); path != "" {
		fmt.Fprintln(os.Stderr, work(path, os.Getenv(childSeed)))
		os.Exit(1)
	}
	// The child processes of race tests inspect damaged files. Goroutines of bbolt's own check
	// race when it panics over one, which must not change the exit code of the child.
	os.Setenv("GORACE", "exitcode=0 atexit_sleep_ms=0")
	code := m.Run()
	if inspecting.one != nil {
		inspecting.one.end()
	}
	os.Exit(code)
}

// child is another process that works on a store until it is killed.
type child struct {
	cmd    *exec.Cmd
	output *bufio.Scanner // a line for every completed call
	pipe   io.Closer
}

func startChild(t *testing.T, path string, seed int) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childOf+"="+path, childSeed+"="+fmt.Sprint(seed))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, bufio.NewScanner(pipe), pipe}
	t.Cleanup(func() { c.kill() })
	return c
}

// kill kills the process and returns the rest of its output.
func (c *child) kill() []string {
	_ = c.cmd.Process.Kill()
	var rest []string
	for c.output.Scan() {
		rest = append(rest, c.output.Text())
	}
	_ = c.cmd.Wait()
	return rest
}
