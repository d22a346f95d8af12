// Package docs embeds what the documentation and the OpenAPI documents share: recorded examples of
// the operations of REST.
package docs

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Simulated describes the examples. Each has it as its label.
const Simulated = "Recorded. Observations and forecasts are simulated; ids, secrets and " +
	"durations are examples; lists are cut to three rows."

// Example is a recorded request with its response.
type Example struct {
	Label    string          `json:"label"`
	Request  Request         `json:"request"`
	Response json.RawMessage `json:"response"` // of status 200
}

// Request is the request of an example.
type Request struct {
	Method string          `json:"method"`
	Target string          `json:"target"`         // path and query
	Body   json.RawMessage `json:"body,omitempty"` // nil without a body
}

//go:embed examples/*.json
var examples embed.FS

// ExampleOf returns the example of an operation by its operationId, if there is one.
func ExampleOf(operation string) (e Example, ok bool) {
	text, err := examples.ReadFile("examples/" + operation + ".json")
	if err != nil {
		return e, false
	}
	if err := json.Unmarshal(text, &e); err != nil {
		panic(fmt.Sprintf("docs: read the example of %s: %v", operation, err)) // it is embedded
	}
	return e, true
}

// ExampleNames returns the operationIds that have an example, in alphabetical order.
func ExampleNames() (names []string) {
	files, err := examples.ReadDir("examples")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}
