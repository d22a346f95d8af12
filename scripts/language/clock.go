package main

import (
	"bufio"
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

//go:embed clocks.txt
var clocks string

// testOnly are the folders of packages that only tests use, besides files of tests.
var testOnly = []string{
	"e2e/product", "internal/access/accesstest", "internal/login/logintest", "internal/trials",
	"store/postgres/postgrestest", "store/storetest",
}

// checkClock returns the places where a file of tests reads the clock of the machine, outside of a
// bubble of testing/synctest. clocks.txt lists the functions that may, each with its reason.
func checkClock(file string, source []byte) ([]finding, error) {
	if !isTest(file) {
		return nil, nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, 0)
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && (inBubbles(f.Name.Name) || mayRead(file, f.Name.Name)) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && bubble(call) {
				return false
			}
			if name, ok := readsClock(n); ok {
				findings = append(findings, finding{
					file: file, line: files.Position(n.Pos()).Line, phrase: name,
					rule: "tests have clocks of their own: inject one, or use synctest or trials",
				})
			}
			return true
		})
	}
	return findings, nil
}

func isTest(file string) bool {
	folder := path.Dir(file)
	for _, one := range testOnly {
		if folder == one {
			return strings.HasSuffix(file, ".go")
		}
	}
	return strings.HasSuffix(file, "_test.go")
}

// readsClock reports whether a node names a function of package time that reads the clock.
func readsClock(n ast.Node) (name string, ok bool) {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := s.X.(*ast.Ident)
	if !ok || x.Name != "time" {
		return "", false
	}
	switch s.Sel.Name {
	case "Now", "Since", "Until":
		return "time." + s.Sel.Name, true
	}
	return "", false
}

// bubble reports whether the functions that a call gets run in a bubble, which has a clock of its
// own.
func bubble(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && x.Name == "synctest" && f.Sel.Name == "Test" || inBubbles(f.Sel.Name)
	case *ast.Ident:
		return inBubbles(f.Name)
	}
	return false
}

// inBubbles reports whether a function runs in bubbles, which its name says.
func inBubbles(name string) bool { return strings.Contains(name, "Bubble") }

// mayRead reports whether clocks.txt lists a function.
func mayRead(file, function string) bool {
	lines := bufio.NewScanner(strings.NewReader(clocks))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), file+" "+function+": ") {
			return true
		}
	}
	return false
}
