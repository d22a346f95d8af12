package product

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"

	"leadline/internal/cli"
	"leadline/internal/trials"
	"leadline/store/postgres/postgrestest"
)

// programName is the first argument with which a test binary runs as the program.
const programName = "leadline"

// Program returns a command that runs the program in another process. It is the test binary, which
// need not be built again.
func Program(args ...string) *exec.Cmd {
	return exec.Command(os.Args[0], append([]string{programName}, args...)...)
}

// Script returns the text of a shell script that runs the program.
func Script() string {
	return "#!/bin/sh\nexec '" + os.Args[0] + "' " + programName + " \"$@\"\n"
}

// Main runs the tests of a package and returns its exit code. TestMain calls it. The test binary
// can also run as the program, and inspect files of stores as the program does.
func Main(m *testing.M, sets trials.Sets) int {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case cli.InspectCommand:
			return runProgram(os.Args[1:])
		case programName:
			return runProgram(os.Args[2:])
		}
	}
	sets.Select()
	trials.Waiting()
	tuneCollector()
	defer removeFolders()
	return postgrestest.Main(m)
}

// runProgram runs the program until it ends or is interrupted.
func runProgram(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	return cli.Run(ctx, args, os.Getenv, nil, s)
}

// tuneCollector keeps servers from adjusting the garbage collector to a process with one server:
// in this one, with many, it would collect all the time.
func tuneCollector() {
	const percent, limit = 400, 2 << 30
	os.Setenv("GOGC", strconv.Itoa(percent))
	os.Setenv("GOMEMLIMIT", strconv.Itoa(limit))
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(limit)
}
