package accounts

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestSecurityCases checks that docs/security.md lists 79 cases and, for each, exactly
// the packages whose tests name it.
func TestSecurityCases(t *testing.T) {
	named := casesOfTests(t)
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| .+ \| (.+) \|$`).
		FindAllStringSubmatch(string(text), -1)
	if len(rows) != 79 || len(named) != 79 {
		t.Errorf("%d cases are listed and %d have tests, want 79", len(rows), len(named))
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("row %d lists case %s", i+1, row[1])
		}
		got, want := strings.Fields(row[2]), slices.Sorted(maps.Keys(named[row[1]]))
		if !slices.Equal(got, want) {
			t.Errorf("case %s: tests in %v are listed, want %v", row[1], got, want)
		}
	}
}

// casesOfTests returns the packages by the number of the case that their tests
// name.
func casesOfTests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	named := map[string]map[string]bool{}
	test := regexp.MustCompile(`(?m)^func TestCase(\d+)(?:And(\d+))?\w*\(`)
	tree := product.Tree()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (d.Name() == "node_modules" || d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		for _, m := range test.FindAllStringSubmatch(string(text), -1) {
			for _, number := range slices.DeleteFunc(m[1:], func(n string) bool { return n == "" }) {
				if named[number] == nil {
					named[number] = map[string]bool{}
				}
				named[number][folder] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return named
}
