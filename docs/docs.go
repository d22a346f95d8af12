// Package docs embeds what the documentation and the OpenAPI documents share: the guides, and
// recorded examples of the operations of REST and of the tools of MCP.
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

// ToolExample is a recorded call of a tool with its result.
type ToolExample struct {
	Label             string          `json:"label"`
	Path              string          `json:"path"` // of the endpoint, with the tool set
	Arguments         json.RawMessage `json:"arguments"`
	Text              string          `json:"text"`
	StructuredContent json.RawMessage `json:"structuredContent"`
}

//go:embed examples/tools/*.json
var toolExamples embed.FS

// ToolExampleOf returns the example of a tool by its name, if there is one.
func ToolExampleOf(tool string) (e ToolExample, ok bool) {
	text, err := toolExamples.ReadFile("examples/tools/" + tool + ".json")
	if err != nil {
		return e, false
	}
	if err := json.Unmarshal(text, &e); err != nil {
		panic(fmt.Sprintf("docs: read the example of %s: %v", tool, err)) // it is embedded
	}
	return e, true
}

//go:embed *.md
var guides embed.FS

// Guide returns a guide as Markdown by its name, such as rest, if there is one.
func Guide(name string) (text string, ok bool) {
	b, err := guides.ReadFile(name + ".md")
	return string(b), err == nil
}

// GuideNames returns the names of the guides in alphabetical order.
func GuideNames() (names []string) {
	files, err := guides.ReadDir(".")
	if err != nil {
		panic(err) // the guides are embedded
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".md"))
	}
	return names
}
