package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("x", 101)
	for _, c := range []struct {
		name, file, source string
		want               []string // phrases
	}{
		{"comment", "a.go", "package a\n\n// F tells the time.\nfunc F() {}", []string{"tells"}},
		{"doc comment", "a.go", "package a\n\n// F is what is known.\nfunc F() {}", []string{"is what"}},
		{"string", "a.go", `package a; const c = "ask whoever knows"`, []string{"whoever"}},
		{"word in a string", "a.go", `package a; const c = "door"`, nil},
		{"identifier", "a.go", "package a; var door int", nil},
		{"wide code", "a.go", "package a\n// " + long, []string{"columns"}},
		{"URL", "a.go", "package a\n// https://" + long, nil},
		{"struct tag", "a.go", "package a; type t struct { f int `doc:\"" + long + "\"` }", nil},
		{"raw string", "a.go", "package a; const c = `" + long + "`", []string{"columns"}},
		{"test data", "a_test.go", "package a; const c = `" + long + "`", nil},
		{"second line of a string", "a.go", "package a; const c = `x\n has none`", []string{"has none"}},
		{"Markdown", "a.md", "It goes by the clock.", []string{"goes by"}},
		{"code span", "a.md", "Use `--door` here.", nil},
		{"fence", "a.md", "```\ntell\n```\ntold", []string{"told"}},
		{"table", "a.md", "| " + long + " |", nil},
		{"script", "a.sh", "# what is left of it", []string{"what is left of"}},
		{"negation", "a.md", "A key that is no key; there is no key.", []string{"that is no key"}},
		{"verdict", "a.md", "We cannot tell what they tell.", []string{"tell"}},
		{"runes", "a.md", strings.Repeat("ü", 100), nil},
	} {
		read := readers[c.file[strings.LastIndex(c.file, "."):]]
		var got []string
		for _, f := range check(c.file, read(c.file, []byte(c.source))) {
			got = append(got, f.phrase)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestExceptions checks that the list of exceptions stays short.
func TestExceptions(t *testing.T) {
	if n := strings.Count(exceptions, "\n"); n > 10 {
		t.Errorf("exceptions.txt has %d lines, want at most 10", n)
	}
}
