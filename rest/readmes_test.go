package rest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmesOfClients checks that the README of each client library names the method of every
// operation in the row of its group.
func TestReadmesOfClients(t *testing.T) {
	capital := regexp.MustCompile(`[A-Z]`)
	row := regexp.MustCompile("(?m)^\\| `.*\\|$")
	for language, nameOf := range map[string]func(string) string{
		"typescript": func(name string) string { return name },
		"python": func(name string) string {
			return strings.ToLower(capital.ReplaceAllString(name, "_$0"))
		},
	} {
		text, err := os.ReadFile("../clients/" + language + "/README.md")
		if err != nil {
			t.Fatal(err)
		}
		rows := row.FindAllString(string(text), -1)
		for _, o := range newGated(t).table() {
			if o.client == "" {
				continue
			}
			group, name, _ := strings.Cut(o.client, ".")
			if !named(rows, group, nameOf(name)) {
				t.Errorf("README of %s: no row of %s has %s", language, group, nameOf(name))
			}
		}
	}
}

// named reports whether a row of a table has a group in its first cell and a method in its second.
func named(rows []string, group, method string) bool {
	for _, row := range rows {
		cells := strings.Split(row, "|")
		if strings.Contains(cells[1], "`"+group+"`") && strings.Contains(cells[2], "`"+method+"`") {
			return true
		}
	}
	return false
}
