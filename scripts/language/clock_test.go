package main

import (
	"os"
	"strings"
	"testing"
)

// TestCheckClock checks that reading the machine's clock is found in files of tests alone, and not
// in bubbles.
func TestCheckClock(t *testing.T) {
	const head = "package a\n\nfunc TestA(t *testing.T) {\n"
	for _, c := range []struct {
		name, file, body string
		want             int
	}{
		{"now", "a_test.go", "_ = time.Now()", 1},
		{"since and until", "a_test.go", "_ = time.Since(x) + time.Until(y)", 2},
		{"a function value", "a_test.go", "f := time.Now; f()", 1},
		{"another function", "a_test.go", "time.Sleep(time.Second)", 0},
		{"product", "a.go", "_ = time.Now()", 0},
		{"test-only package", "store/storetest/a.go", "_ = time.Now()", 1},
		{"bubble", "a_test.go", "synctest.Test(t, func(t *testing.T) { _ = time.Now() })", 0},
		{"helper of bubbles", "a_test.go", "inBubble(t, func() { _ = time.Now() })", 0},
		{"after a bubble", "a_test.go", "synctest.Test(t, f)\n_ = time.Now()", 1},
		{"exception", "internal/trials/wait.go", "_ = time.Now()", 1}, // of WaitFor, not of TestA
	} {
		got, err := checkClock(c.file, []byte(head+c.body+"\n}\n"))
		if err != nil || len(got) != c.want {
			t.Errorf("%s: %v, %v, want %d findings", c.name, got, err, c.want)
		}
	}
	waits := strings.Replace(head, "TestA", "WaitFor", 1) + "_ = time.Now()\n}\n"
	if got, err := checkClock("internal/trials/wait.go", []byte(waits)); err != nil || len(got) != 0 {
		t.Errorf("a function that may read the clock: %v, %v, want no findings", got, err)
	}
}

// TestClocks checks that every function of clocks.txt exists and reads the clock.
func TestClocks(t *testing.T) {
	for line := range strings.Lines(clocks) {
		file, rest, _ := strings.Cut(line, " ")
		function, reason, ok := strings.Cut(rest, ": ")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Errorf("invalid line %q: must be FILE FUNCTION: REASON", line)
		}
		source, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Error(err)
			continue
		}
		_, body, found := strings.Cut(string(source), ") "+function+"(")
		if !found {
			_, body, found = strings.Cut(string(source), "func "+function+"(")
		}
		body, _, _ = strings.Cut(body, "\n}\n")
		if !found || !strings.Contains(body, "time.Now") && !strings.Contains(body, "time.Since") {
			t.Errorf("%s: %s does not read the clock", file, function)
		}
	}
}
