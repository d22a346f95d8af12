package bolt

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"leadline/internal/trials"
)

// manyInspector is a process that inspects files until one of them crashes it. A process for each
// file takes longer to start than the inspection.
type manyInspector struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	files   *json.Encoder
	reports *json.Decoder
	stderr  *strings.Builder
}

// inspecting is the inspector that the tests share.
var inspecting struct {
	mu  sync.Mutex
	one *manyInspector // guarded by mu; nil if none runs
}

// toInspect is a line of the input of an inspector.
type toInspect struct{ Scope, Path string }

// inspectMany inspects the files that are named in lines of stdin, in a process of its own.
func inspectMany(stdin io.Reader, stdout io.Writer) error {
	limitProcess(0)
	reports := json.NewEncoder(stdout)
	for files := json.NewDecoder(stdin); ; {
		var next toInspect
		if err := files.Decode(&next); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := reports.Encode(inspect(next.Scope, next.Path)); err != nil {
			return err
		}
	}
}

// inspectFile returns the error that an inspection of a file finds. With LEADLINE_TRIALS each file
// has a process of its own, as in the program.
func inspectFile(t testing.TB, scope, path string) error {
	t.Helper()
	if trials.Thorough() {
		_, err := inspector{inspected.Inspect}.run(t.Context(), scope, path)
		return err
	}
	inspecting.mu.Lock()
	defer inspecting.mu.Unlock()
	if inspecting.one == nil {
		inspecting.one = startInspector(t)
	}
	found, err := inspecting.one.inspect(scope, path)
	if err != nil { // it has crashed
		stderr := inspecting.one.end()
		inspecting.one = nil
		if reason := crash().FindString(stderr); reason != "" {
			return damaged("reading it fails: %s", reason)
		}
		return errors.Join(err, errors.New(stderr))
	}
	return found.err()
}

func startInspector(t testing.TB) *manyInspector {
	t.Helper()
	m := &manyInspector{cmd: exec.Command(os.Args[0], inspectManyCommand), stderr: &strings.Builder{}}
	stdin, err := m.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.stdin, m.cmd.Stderr = stdin, m.stderr
	m.files, m.reports = json.NewEncoder(stdin), json.NewDecoder(stdout)
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *manyInspector) inspect(scope, path string) (found inspection, err error) {
	if err = m.files.Encode(toInspect{scope, path}); err == nil {
		err = m.reports.Decode(&found)
	}
	return found, err
}

// end waits for the end of an inspector that has crashed and returns its last words.
func (m *manyInspector) end() string {
	m.stdin.Close()
	_ = m.cmd.Wait()
	return m.stderr.String()
}
