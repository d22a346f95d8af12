// Package tools holds every operation of Leadline: its input, its output and
// its handler, and the catalogue of the 26 that MCP clients see. Both doors
// call the same methods of Set, so equal questions get equal answers.
package tools

import (
	"context"
	"encoding/json"
)

// Group is a tool's chapter in the catalogue.
type Group string

// The groups, in the order of the catalogue.
const (
	Water     Group = "Water"
	Weather   Group = "Weather"
	Stations  Group = "Stations"
	Derived   Group = "Derived products"
	Sky       Group = "Sky"
	Reference Group = "Reference"
)

// Handler is an operation: valid input in, output or a coast.Error out.
type Handler[In, Out any] func(context.Context, In) (Out, error)

// Tool is one entry of the catalogue.
type Tool struct {
	Name   string
	Title  string
	Group  Group
	About  string          // for the model: what it answers and what it does not
	Input  json.RawMessage // JSON Schema of the arguments, properties in the order of the struct
	Output json.RawMessage // JSON Schema of the result's top level
	Live   bool            // answered by asking a provider
	call   func(ctx context.Context, args []byte) (Result, error)
}

// Call checks args against the schema and runs the operation. Every error is
// a coast.Error or a fault of ours.
func (t Tool) Call(ctx context.Context, args []byte) (Result, error) { return t.call(ctx, args) }

// Result is the output of an operation, in the forms that MCP carries.
type Result struct {
	Value any  // the operation's output struct
	JSON  bool // the caller asked for JSON in the text block too
}

// Structured returns the output as JSON.
func (r Result) Structured() ([]byte, error) { panic("stub") }

// Text returns the output as Markdown, or as JSON where the caller asked for
// that. It carries every fact of Structured.
func (r Result) Text() (string, error) { panic("stub") }

// Fit returns r, or where its JSON is over limit bytes its first part with
// truncated, total and the parameters of the next part.
func (r Result) Fit(limit int) (Result, error) { panic("stub") }
