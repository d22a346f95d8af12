package product

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"leadline/internal/server"
	"leadline/tools"
)

// Tree returns the files of the project.
func Tree() fs.FS { return os.DirFS("../..") }

// Document returns a document of docs/.
func Document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TableRows returns the cells of a document's table, given the beginning of its head.
func TableRows(t *testing.T, name, head string) [][]string {
	t.Helper()
	return RowsOf(t, Document(t, name), head)
}

// RowsOf returns the cells of a table of a document.
func RowsOf(t *testing.T, document, head string) [][]string {
	t.Helper()
	_, rest, ok := strings.Cut(document, "\n| "+head)
	if !ok {
		t.Fatalf("no table begins with %q", head)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	var out [][]string
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	return out
}

// OfflineTools returns the operations of a server without providers.
func OfflineTools(t *testing.T) *tools.Set {
	t.Helper()
	set, err := server.Offline(Noon)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// NamesOf returns the names of the tools in tool sets, in the order of tools/list.
func NamesOf(sets ...tools.Toolset) []string {
	var names []string
	for _, set := range sets {
		for _, tool := range set.Tools {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Documents returns the Markdown files of the root and of docs/.
func Documents(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 15 {
		t.Fatalf("%d documents, want all", len(files))
	}
	return files
}

// ReadText returns the text of a file.
func ReadText(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
