// Language checks that the words of the project are plain English: it reports
// phrases that the style rules out in comments, strings and documents, and
// lines of more than 100 columns. It also reports tests that read the machine's
// clock.
//
//	go run ./scripts/language [FILE...]
//
// Without files it checks all files that git tracks. Findings go to standard output,
// one per line; the exit code is 1 if there are any. exceptions.txt lists lines that
// may stay, each as FILE: PHRASE, and clocks.txt tests that may read the clock, each as
// FILE FUNCTION: REASON.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed exceptions.txt
var exceptions string

func main() {
	findings, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "language:", err)
		os.Exit(2)
	}
	if findings > 0 {
		fmt.Printf("%d findings\n", findings)
		os.Exit(1)
	}
}

// run checks files, or all that git tracks, and returns the number of findings.
func run(files []string, out io.Writer) (int, error) {
	if len(files) == 0 {
		list, err := exec.Command("git", "ls-files").Output()
		if err != nil {
			return 0, fmt.Errorf("list tracked files: %w", err)
		}
		files = strings.Fields(string(list))
	}
	count := 0
	for _, file := range files {
		findings, err := checkFile(file)
		if err != nil {
			return count, err
		}
		for _, f := range findings {
			fmt.Fprintln(out, f)
		}
		count += len(findings)
	}
	return count, nil
}

// checkFile returns the findings of one file without its exceptions.
func checkFile(file string) ([]finding, error) {
	read, ok := readers[filepath.Ext(file)]
	if !ok && strings.HasPrefix(file, "scripts/") && filepath.Ext(file) == "" {
		read, ok = readPlain, true
	}
	if !ok || excluded(file) {
		return nil, nil
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	findings := slices.DeleteFunc(check(file, read(file, source)), excepted)
	clock, err := checkClock(file, source)
	return append(findings, clock...), err
}

// excluded reports whether a file holds data of tests, or text that others wrote
// or that is generated.
func excluded(file string) bool {
	for _, folder := range []string{"testdata", "node_modules"} {
		if strings.Contains("/"+file, "/"+folder+"/") {
			return true
		}
	}
	return strings.HasPrefix(file, "scripts/language/")
}

// excepted reports whether exceptions.txt lists a finding.
func excepted(f finding) bool {
	lines := bufio.NewScanner(strings.NewReader(exceptions))
	for lines.Scan() {
		if lines.Text() == f.file+": "+f.phrase {
			return true
		}
	}
	return false
}
