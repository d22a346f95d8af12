package main

import (
	"go/scanner"
	"go/token"
	"strings"
)

// line is one line of a file: its words that people read, and whether it may
// have any number of columns.
type line struct {
	number int
	source string
	prose  string // comments, strings or text; code is left out
	wide   bool   // a table, a URL, a struct tag or data of a test
}

// readers split files into lines, by the extension of their names.
var readers = map[string]func(file string, source []byte) []line{
	".go":   readGo,
	".md":   readMarkdown,
	".txt":  readMarkdown,
	".html": readPlain,
	".css":  readPlain,
	".js":   readPlain,
	".ts":   readPlain,
	".py":   readPlain,
	".sh":   readPlain,
}

func split(source []byte) []line {
	var lines []line
	for i, text := range strings.Split(string(source), "\n") {
		wide := strings.Contains(text, "http://") || strings.Contains(text, "https://")
		lines = append(lines, line{number: i + 1, source: text, wide: wide})
	}
	return lines
}

// readPlain takes every word of a file as prose.
func readPlain(_ string, source []byte) []line {
	lines := split(source)
	for i := range lines {
		lines[i].prose = lines[i].source
	}
	return lines
}

// readMarkdown leaves out code, and lets tables be wide.
func readMarkdown(_ string, source []byte) []line {
	lines := split(source)
	fenced := false
	for i := range lines {
		text := strings.TrimSpace(lines[i].source)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
			continue
		}
		lines[i].wide = lines[i].wide || strings.HasPrefix(text, "|")
		if !fenced {
			lines[i].prose = withoutCode(lines[i].source)
		}
	}
	return lines
}

// withoutCode returns a line of Markdown without its code spans.
func withoutCode(text string) string {
	var prose strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			prose.WriteString(part + " ")
		}
	}
	return prose.String()
}

// readGo takes comments and strings with a space as prose. Struct tags may be
// wide, and so may raw strings in tests, which hold data.
func readGo(file string, source []byte) []line {
	lines := split(source)
	files := token.NewFileSet()
	f := files.AddFile(file, -1, len(source))
	var s scanner.Scanner
	s.Init(f, source, nil, scanner.ScanComments)
	test := strings.HasSuffix(file, "_test.go")
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind != token.COMMENT && kind != token.STRING {
			continue
		}
		first := f.Line(at) - 1
		raw := kind == token.STRING && strings.HasPrefix(text, "`")
		for i, part := range strings.Split(text, "\n") {
			l := &lines[first+i]
			if kind == token.COMMENT || strings.Contains(part, " ") {
				l.prose += part + "\n"
			}
			l.wide = l.wide || raw && (test || isTag(text))
		}
	}
}

// isTag reports whether a raw string is a struct tag.
func isTag(raw string) bool {
	name, value, ok := strings.Cut(strings.Trim(raw, "`"), ":")
	return ok && !strings.ContainsAny(name, " \n") && strings.HasPrefix(value, `"`)
}
