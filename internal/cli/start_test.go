package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStart counts the memory allocations before main, which every command pays. The test binary
// imports what the program does. The libraries make about 29,000.
func TestStart(t *testing.T) {
	const mostOurs, mostAll = 4_000, 33_500
	command := exec.Command(os.Args[0], "-test.list=^$")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ours, all, packages := 0, 0, 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var size, count int
		// package runtime, "Environment Variables": inittrace
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs",
			&name, &at, &clock, &size, &count); err != nil {
			continue
		}
		all += count
		if strings.HasPrefix(name, "leadline/") {
			ours += count
			packages++
			t.Logf("%6d allocations in %s", count, name)
		}
	}
	if packages < 30 {
		t.Fatalf("%d packages of ours in the trace, want at least 30:\n%s", packages, out)
	}
	if ours > mostOurs || all > mostAll {
		t.Errorf("%d allocations before main, %d of them ours; want at most %d, %d",
			all, ours, mostAll, mostOurs)
	}
}
