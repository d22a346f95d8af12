package trials

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// waitingChild is the environment variable that makes the test binary print the number of tests
// that run at once.
const waitingChild = "LEADLINE_TRIALS_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(waitingChild) == "" {
		os.Exit(m.Run())
	}
	Waiting()
	fmt.Println(flag.Lookup("test.parallel").Value)
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		value                string
		cases, kills, rounds int
	}{
		{"", 100, 1, 1},
		{"check", 1000, 10, 1},
		{"all", 10_000, 100, 30},
	} {
		t.Setenv(variable, c.value)
		if n, k, r := Cases(), Kills(), Rounds(); n != c.cases || k != c.kills || r != c.rounds {
			t.Errorf("%q: Cases() = %d, Kills() = %d, Rounds() = %d, want %d, %d and %d",
				c.value, n, k, r, c.cases, c.kills, c.rounds)
		}
		if got := Thorough(); got != (c.value != "") {
			t.Errorf("%q: Thorough() = %v", c.value, got)
		}
	}
	t.Setenv(variable, "al")
	defer func() {
		if recover() == nil {
			t.Error("LEADLINE_TRIALS=al: got no panic")
		}
	}()
	Cases()
}

// TestPattern checks that tests are selected by their whole names.
func TestPattern(t *testing.T) {
	match := regexp.MustCompile(pattern([]func(*testing.T){TestCounts, TestPattern})).MatchString
	for name, want := range map[string]bool{
		"TestCounts": true, "TestPattern": true, "TestCountsMore": false, "AtestPattern": false,
		"TestWaitFor": false,
	} {
		if got := match(name); got != want {
			t.Errorf("%s is selected: %v, want %v", name, got, want)
		}
	}
}

// TestWaiting checks that more tests run at once, and as many as the command line says.
func TestWaiting(t *testing.T) {
	cmd := func(args ...string) string {
		c := exec.Command(os.Args[0], append(args, "-test.run=^$")...)
		c.Env = append(os.Environ(), waitingChild+"=1")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := cmd(); got != waiting {
		t.Errorf("%s tests run at once, want %s", got, waiting)
	}
	if got := cmd("-test.parallel=3"); got != "3" {
		t.Errorf("%s tests run at once, want the 3 of the command line", got)
	}
}

func TestWaitFor(t *testing.T) {
	n := 0
	WaitFor(t, "a third call", func() bool { n++; return n == 3 })
	if n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}
