package bolt

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// bbolt maps a file and trusts it. A damaged page can make it panic in a goroutine of its own,
// recurse without end, allocate without bound, or read past the end of the file, and a process
// cannot recover from that. Files are therefore inspected in a child process: if it crashes, the
// file is damaged.

// Scopes of an inspection.
const (
	inspectPages   = "pages"   // what bbolt needs in order to work with the file
	inspectRecords = "records" // everything, as Verify does
)

// inspection is the report of the child process.
type inspection struct {
	Report  store.Report `json:"report"`
	Error   string       `json:"error,omitempty"`
	Damaged bool         `json:"damaged,omitempty"`
	InUse   bool         `json:"inUse,omitempty"`
}

// Inspect runs in the child process: a command of the binary calls it with the arguments that
// follow those of Options.Inspect. It writes its report to stdout. It ends the process when stdin
// is closed, so that the child does not outlive its parent, and when the check needs more memory
// than an intact file would.
func Inspect(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("inspect %q: want a scope (pages or records) and a file", args)
	}
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		os.Exit(1)
	}()
	file, err := os.Stat(args[1])
	if err != nil {
		return err
	}
	limitProcess(file.Size())
	return json.NewEncoder(stdout).Encode(inspect(args[0], args[1]))
}

// inspect inspects a file in this process.
func inspect(scope, path string) (i inspection) {
	var err error
	if i.Report, err = verify(path, scope == inspectRecords); err != nil {
		i.Error = err.Error()
		i.Damaged = errors.Is(err, store.ErrDamaged)
		i.InUse = errors.Is(err, store.ErrInUse)
	}
	return i
}

// limitProcess makes a process end that uses more memory than the inspection of an intact file.
func limitProcess(size int64) {
	debug.SetMaxStack(mostStack)
	debug.SetGCPercent(100)
	go limitMemory(64<<20 + uint64(size)/4) // bbolt's check needs some 100 bytes a page
}

// mostStack suffices for trees far deeper than bbolt's.
const mostStack = 16 << 20

// limitMemory panics once the heap is larger than most.
func limitMemory(most uint64) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(10 * time.Millisecond) {
		if metrics.Read(heap); heap[0].Value.Uint64() > most {
			panic("the check needs too much memory")
		}
	}
}

// checkPages reads all pages that are in use. It returns the first fault.
func checkPages(tx *bbolt.Tx, size int64) error {
	f, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checkTrees(tx, f, size); err != nil {
		return err
	}
	for err := range tx.Check() {
		return damaged("%w", err)
	}
	return nil
}

// inspector runs Inspect in a child process.
type inspector struct {
	command []string // Options.Inspect
}

// pages checks the pages of a file that is about to be opened. A file that does not exist, or is
// empty, is left to Open.
func (i inspector) pages(path string) error {
	if file, err := os.Stat(path); err != nil || file.Size() == 0 || i.command == nil {
		return nil
	}
	_, err := i.run(context.Background(), inspectPages, path)
	return err
}

// records verifies a file that no process writes to.
func (i inspector) records(ctx context.Context, path string) (store.Report, error) {
	if i.command == nil {
		return Verify(path)
	}
	return i.run(ctx, inspectRecords, path)
}

// inspectionTime returns how long an inspection may take: 4 MiB a second, far below what disks do.
func inspectionTime(size int64) time.Duration {
	return time.Minute + time.Duration(size>>22)*time.Second
}

func (i inspector) run(ctx context.Context, what, path string) (store.Report, error) {
	file, err := os.Stat(path)
	if err != nil {
		return store.Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, inspectionTime(file.Size()))
	defer cancel()
	c := exec.CommandContext(ctx, i.command[0], slices.Concat(i.command[1:], []string{what, path})...)
	alive, err := c.StdinPipe()
	if err != nil {
		return store.Report{}, err
	}
	defer alive.Close()
	var stderr strings.Builder
	c.Stderr = &stderr
	stdout, err := c.Output()
	if reason := crash().FindString(stderr.String()); reason != "" {
		return store.Report{}, damaged("reading it fails: %s", reason)
	}
	var found inspection
	if err == nil {
		err = json.Unmarshal(stdout, &found)
	}
	if err != nil {
		err = cmp.Or(ctx.Err(), err)
		return store.Report{}, fmt.Errorf("inspecting %s: %w: %s", path, err, stderr.String())
	}
	return found.Report, found.err()
}

// crash matches the line in which the Go runtime reports why it ended the process.
var crash = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(panic|fatal error): .*`)
})

// err returns the error of an inspection in another process.
func (i inspection) err() error {
	switch {
	case i.Error == "":
		return nil
	case i.Damaged:
		return remote{i.Error, store.ErrDamaged}
	case i.InUse:
		return remote{i.Error, store.ErrInUse}
	}
	return errors.New(i.Error)
}

// remote is an error of another process.
type remote struct {
	text string
	kind error
}

func (r remote) Error() string { return r.text }
func (r remote) Unwrap() error { return r.kind }
