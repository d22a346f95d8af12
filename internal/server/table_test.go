package server

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"leadline/mcp"
	"leadline/resources"
	"leadline/rest"
	"leadline/tools"
)

// TestDocumentedTable checks that docs/architecture.md has the table of routes as it is.
func TestDocumentedTable(t *testing.T) {
	set := new(tools.Set)
	endpoint, err := mcp.New(mcp.Config{BaseURL: "https://tides.example", Toolsets: set.Toolsets(),
		Topics: resources.New(resources.Facts{})})
	if err != nil {
		t.Fatal(err)
	}
	s := routes{base: "https://tides.example", challenge: "text", mcp: endpoint,
		api: rest.New(set, nil, slog.New(slog.DiscardHandler))}
	var table strings.Builder
	table.WriteString("| path | surface | counts as | served by |\n|---|---|---|---|\n")
	for _, r := range s.table() {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", r.path, r.surface.Name(), r.policy, r.by)
	}
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), table.String()) {
		t.Errorf("docs/architecture.md lacks this table of routes:\n%s", &table)
	}
}
