package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"leadline/docs"
	"leadline/tools"
)

// documents lists the OpenAPI documents in the order of help.
var documents = []struct {
	name     string
	table    func(*tools.Set) []route
	describe func(table []route, base string) document
}{
	{"contract", contractRoutes, describeContract},
	{"developer", developerRoutes, describeDeveloper},
	{"planning", planningRoutes, describePlanning},
}

// DocumentNames returns the names of the OpenAPI documents.
func DocumentNames() (names []string) {
	for _, d := range documents {
		names = append(names, d.name)
	}
	return names
}

// OpenAPI returns the OpenAPI document of a name as indented JSON. It needs no server: the
// address in the document is "/".
func OpenAPI(name string) ([]byte, error) {
	for _, d := range documents {
		if d.name == name {
			var out bytes.Buffer
			err := json.Indent(&out, encode(d.describe(recorded(d.table(new(tools.Set))), "/")), "", "  ")
			return out.Bytes(), err
		}
	}
	return nil, fmt.Errorf("invalid document %q: must be one of %s", name,
		strings.Join(DocumentNames(), ", "))
}

// recorded adds the recorded examples of operations to a table, and returns it.
func recorded(table []route) []route {
	for i, o := range table {
		if e, ok := docs.ExampleOf(o.id); ok {
			table[i].example = &e
		}
	}
	return table
}

// examples returns the recorded response of an operation for its description.
func (o route) examples() map[string]example {
	if o.example == nil {
		return nil
	}
	return map[string]example{"recorded": {docs.Simulated, o.example.Response}}
}
