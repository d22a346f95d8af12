package product

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"leadline/internal/cli"
	"leadline/internal/trials"
	"leadline/store/postgres/postgrestest"
)

// Main runs the tests of a package and returns its exit code. TestMain calls it. The test binary
// can also inspect files of stores, as the program does.
func Main(m *testing.M, sets trials.Sets) int {
	if len(os.Args) > 1 && os.Args[1] == cli.InspectCommand {
		s := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
		return cli.Run(context.Background(), os.Args[1:], os.Getenv, nil, s)
	}
	sets.Select()
	tuneCollector()
	return postgrestest.Main(m)
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
