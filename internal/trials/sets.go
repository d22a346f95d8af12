package trials

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// waiting is the number of parallel tests of a package whose tests mostly wait for retries,
// timeouts and processes.
const waiting = "8"

// Waiting lets more tests of a package run in parallel than the machine has cores, for tests that
// mostly wait. TestMain calls it. It does not change the number of a command line.
func Waiting() {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		mustSet("test.parallel", waiting)
	}
}

// Sets sorts tests of a package by what some runs select. A test is named by its function, so that
// the compiler finds a name that does not exist. A test may be in several sets.
type Sets struct {
	// Long tests take too long for `go test ./...`, which leaves them out. scripts/check runs them,
	// with LEADLINE_TRIALS.
	Long []func(*testing.T)
	// Concurrent tests are about many goroutines at once. LEADLINE_TESTS=concurrent runs no others,
	// under the race detector.
	Concurrent []func(*testing.T)
	// Single tests start programs of their own, or are about one server. LEADLINE_INSTANCES leaves
	// them out.
	Single []func(*testing.T)
}

// Select sets the flags -test.run and -test.skip to the tests that this run selects. TestMain calls
// it. It changes nothing for a command line that names tests itself.
func (s Sets) Select() {
	flag.Parse()
	if flag.Lookup("test.run").Value.String() != "" {
		return
	}
	var skipped []func(*testing.T)
	if factor() == 1 {
		skipped = append(skipped, s.Long...)
	}
	if os.Getenv("LEADLINE_INSTANCES") != "" {
		skipped = append(skipped, s.Single...)
	}
	setFlag("test.skip", skipped)
	switch set := os.Getenv("LEADLINE_TESTS"); {
	case set == "concurrent" && len(s.Concurrent) > 0:
		setFlag("test.run", s.Concurrent)
	case set == "concurrent":
		panic("LEADLINE_TESTS=concurrent: this package does not have concurrent tests")
	case set != "":
		panic("invalid LEADLINE_TESTS " + set + ": must be concurrent or empty")
	}
}

// setFlag sets a flag to a pattern that matches tests, and leaves it as it is without any.
func setFlag(name string, tests []func(*testing.T)) {
	if len(tests) == 0 {
		return
	}
	mustSet(name, pattern(tests))
}

func mustSet(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// pattern returns a regular expression that matches the names of tests and no others.
func pattern(tests []func(*testing.T)) string {
	names := make([]string, len(tests))
	for i, test := range tests {
		full := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		names[i] = regexp.QuoteMeta(full[strings.LastIndexByte(full, '.')+1:])
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
