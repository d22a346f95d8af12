package pages

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
)

func architecture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestArchitecturePackages checks that the document has the packages of the import
// table, each with its allowed imports.
func TestArchitecturePackages(t *testing.T) {
	documented := map[string]string{}
	for _, row := range product.RowsOf(t, architecture(t), "package | what") {
		documented[row[0]] = row[2]
	}
	for folder, imports := range arrows {
		name := folder
		if folder == "." {
			name = "main"
		}
		got, ok := documented[name]
		if !ok {
			t.Errorf("the document lacks %s", name)
			continue
		}
		delete(documented, name)
		want := strings.Join(strings.Fields(strings.ReplaceAll(imports, "internal/", "")), ", ")
		switch {
		case folder == "internal/server":
			want = "everything below it"
		case want == "":
			want = "none"
		}
		if got != want {
			t.Errorf("the document lets %s import %q, the law %q", name, got, want)
		}
	}
	for name := range documented {
		t.Errorf("the document has %s, which is not a package", name)
	}
}

// TestArchitectureNames checks that the files and the names in the chapters "How to add ..."
// exist. Their code is compared by TestDocumentedTool of package tools.
func TestArchitectureNames(t *testing.T) {
	files, identifiers := goFiles(t)
	chapters := strings.Split(architecture(t), "\n## ")
	chapters = slices.DeleteFunc(chapters, func(chapter string) bool {
		return !strings.HasPrefix(chapter, "How to add")
	})
	text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(strings.Join(chapters, "\n"), "")
	file := regexp.MustCompile(`^[\w/]*(/|\.go|\.mjs)$`)
	name := regexp.MustCompile(`^(?:[a-z]+\.)*([A-Za-z][A-Za-z0-9]+)(?:\[\w+\]|\(.*\))?$`)
	checked := 0
	for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		n := name.FindStringSubmatch(code[1])
		switch {
		case file.MatchString(code[1]):
			if _, err := os.Stat("../../" + code[1]); err != nil && !files[code[1]] {
				t.Errorf("the document names %s, which is not a file", code[1])
			}
		case n == nil:
			continue // a tool, an argument, a path of REST or a command
		case !identifiers[n[1]]:
			t.Errorf("the document names %s, which no Go file has", code[1])
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("%d files and names, want at least 40", checked)
	}
}

// goFiles returns the names of the project's Go files, and the identifiers in them.
func goFiles(t *testing.T) (files, identifiers map[string]bool) {
	t.Helper()
	files, identifiers = map[string]bool{}, map[string]bool{}
	err := fs.WalkDir(product.Tree(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		files[d.Name()] = true
		content, err := fs.ReadFile(product.Tree(), name)
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(name, -1, len(content)), content, nil, 0)
		for _, kind, text := s.Scan(); kind != token.EOF; _, kind, text = s.Scan() {
			if kind == token.IDENT {
				identifiers[text] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, identifiers
}

// TestArchitectureDependencies checks that the document gives a reason for each module
// of go.mod, and for no other.
func TestArchitectureDependencies(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		want = append(want, line[1])
	}
	var got []string
	for _, row := range product.RowsOf(t, architecture(t), "module | does") {
		got = append(got, row[0])
		if len(row) != 4 || slices.Contains(row, "") {
			t.Errorf("the row of %s lacks a cell", row[0])
		}
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the document has modules %v, go.mod %v", got, want)
	}
}
