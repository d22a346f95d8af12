package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func architecture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestArchitecturePackages checks that the document has the packages of the import
// table, each with its allowed imports.
func TestArchitecturePackages(t *testing.T) {
	documented := map[string]string{}
	for _, row := range rowsOf(t, architecture(t), "package | what") {
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

// TestArchitectureDependencies checks that the document gives a reason for each module
// of go.mod, and for no other.
func TestArchitectureDependencies(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		want = append(want, line[1])
	}
	var got []string
	for _, row := range rowsOf(t, architecture(t), "module | does") {
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
