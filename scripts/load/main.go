// Load attacks a Leadline server on this machine and checks that it remains small
// and continues to respond. It starts the servers itself, on loopback, and connects
// to nothing else.
//
//	go run ./scripts/load
//	go run ./scripts/load -only bodies
//	go run ./scripts/load -leadline build/leadline -simulator build/simulator
//
// It needs Linux, where all of 127.0.0.0/8 is loopback and /proc has the memory of a
// process, and for the check store the programs of PostgreSQL. The exit code is 1 if a
// measured value exceeds its limit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// check is one attack with its limits.
type check struct {
	name, about string
	run         func(context.Context, *bench) error
}

var checks = []check{
	{"bodies", "3,000 connections announce 1 MiB or 64 KiB and send slowly", slowBodies},
	{"readers", "1,500 connections request the longest document and do not read", slowReaders},
	{"lists", "9 and 90 addresses read long lists at 3 kB/s on 30 connections each", slowLists},
	{"heavy", "9 addresses ask for the moonlit tides of a year, 30 at a time each", heavyWindows},
	{"key", "one free key asks for the moonlit tides of a year, 40 at a time", heavyKey},
	{"leavers", "callers ask for the king tides of a year and leave", leavers},
	{"burst", "1,000 requests at once from one address", burst},
	{"idle", "one address opens as many connections as it can", idleFlood},
	{"flight", "more requests than are handled at a time", inFlight},
	{"fair", "uncached requests of one key, then of 60 addresses, and of others", fairness},
	{"store", "1,000 requests of known accounts, with a database 200 ms away", farStore},
}

// bench has the binaries and the folder of all checks.
type bench struct {
	leadline, simulator string // binaries
	folder              string // for data
	started             int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var b bench
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	flags.StringVar(&b.leadline, "leadline", "",
		"binary of the server (default: built from this checkout)")
	flags.StringVar(&b.simulator, "simulator", "",
		"binary of the simulated providers (default: built from this checkout)")
	only := flags.String("only", "", "checks to run, comma-separated (default: all)")
	flags.Parse(args)
	if runtime.GOOS != "linux" {
		return fmt.Errorf("unsupported system %s: needs Linux", runtime.GOOS)
	}
	if err := enoughFiles(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "leadline-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b.folder = folder
	if err := b.build(ctx); err != nil {
		return err
	}
	return b.each(ctx, *only)
}

// each runs the named checks, or all, and joins their errors.
func (b *bench) each(ctx context.Context, only string) (err error) {
	ran := 0
	for _, c := range checks {
		if only != "" && !strings.Contains(","+only+",", ","+c.name+",") {
			continue
		}
		ran++
		fmt.Printf("%s: %s\n", c.name, c.about)
		began := time.Now()
		if failed := c.run(ctx, b); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", c.name, failed))
		}
		fmt.Printf("  %.1f s\n", time.Since(began).Seconds())
	}
	if ran == 0 {
		return fmt.Errorf("invalid -only %q: names no check", only)
	}
	return err
}

// files is the number of open files that this process or a server needs.
const files = 9500

// enoughFiles checks the limit of open files. Go raises the soft limit to the
// hard one at the start of a process.
func enoughFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if limit.Max < files {
		return fmt.Errorf("hard limit of open files %d: must be at least %d; raise it with ulimit -Hn",
			limit.Max, files)
	}
	return nil
}

// build builds the binaries that were not given.
func (b *bench) build(ctx context.Context) error {
	for binary, source := range map[*string]string{
		&b.leadline: ".", &b.simulator: "./internal/simulator",
	} {
		if *binary != "" {
			continue
		}
		*binary = filepath.Join(b.folder, "bin"+filepath.Base(source))
		out, err := exec.CommandContext(ctx, "go", "build", "-o", *binary, source).CombinedOutput()
		if err != nil {
			return fmt.Errorf("build %s: %w: %s", source, err, out)
		}
	}
	return nil
}
