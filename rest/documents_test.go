package rest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"leadline/tools"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden is the merged document, from which the client libraries are generated.
const golden = "../clients/openapi.json"

// TestGoldenDocument compares the merged document with the golden file: what programs rely on may
// grow, but not change.
func TestGoldenDocument(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(encode(merged(t))))
	d.UseNumber()
	got := []byte(shorten(t, d, "", "") + "\n")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %s; review the difference after go test ./rest -update", golden,
			firstDifference(string(got), string(want)))
	}
}

// merged returns one document with the operations of all documents. It fails if two of these have
// different schemas with one name. Of several parameters with one name, the first is a component.
func merged(t *testing.T) document {
	t.Helper()
	var table []route
	for _, d := range documents {
		table = append(table, d.table(new(tools.Set))...)
	}
	all := describe(table, "/", info{
		Title: "Leadline", Summary: "All operations, for the generators of the client libraries.",
		Description: "Made by go test ./rest -update: do not edit.", Version: Contract,
	})
	all.addWebhooks()
	for _, d := range documents {
		own := d.describe(d.table(new(tools.Set)), "/").Components.Schemas
		for name, schema := range own {
			if !reflect.DeepEqual(schema, all.Components.Schemas[name]) {
				t.Errorf("the schema %s of %s differs from that of another document", name, d.name)
			}
		}
	}
	return all
}

// unused lists the members of documents that the golden file does not have: tests compare the
// examples with schemas, and headers and servers with responses.
var unused = []string{"example", "examples", "headers", "servers", "tags", "x-service"}

// shorten returns the next value of d, which is the member name of an object, without unused
// members. A value that fits into 100 columns is one line.
func shorten(t *testing.T, d *json.Decoder, name, indent string) string {
	t.Helper()
	token := next(t, d)
	open, ok := token.(json.Delim)
	if !ok {
		return quote(t, token)
	}
	var members []string
	for inner := indent + "  "; d.More(); {
		if open == '[' {
			members = append(members, shorten(t, d, "", inner))
			continue
		}
		key := next(t, d).(string)
		value := shorten(t, d, key, inner)
		if name == "properties" || !slices.Contains(unused, key) {
			members = append(members, quote(t, key)+": "+value)
		}
	}
	end := next(t, d).(json.Delim)
	line := open.String() + strings.Join(members, ", ") + end.String()
	if !strings.Contains(line, "\n") && len(indent)+len(name)+len(`"": ,`)+len(line) <= 100 {
		return line
	}
	gap := "\n" + indent + "  "
	return open.String() + gap + strings.Join(members, ","+gap) + "\n" + indent + end.String()
}

// next returns the next token of d.
func next(t *testing.T, d *json.Decoder) json.Token {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// quote returns a string, a number, a boolean or null as JSON.
func quote(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// firstDifference returns the first line in which two texts differ, from a little before the
// difference.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			at = max(0, at-20)
			return fmt.Sprintf("line %d has %.80q, want %.80q", i+1, a[i][at:], b[i][at:])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}
