package coast

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Operation names an operation that an error can hint at: its operationId in the OpenAPI documents,
// or a name of that form if REST does not serve it.
type Operation string

// These are the operations that hints name.
const (
	SearchStations          Operation = "searchStations"
	GetPredictions          Operation = "getPredictions"
	GetCurrentPredictions   Operation = "getCurrentPredictions"
	GetWaterLevels          Operation = "getWaterLevels"
	GetConditions           Operation = "getConditions"
	GetMarineForecast       Operation = "getMarineForecast"
	GetHarmonicConstituents Operation = "getHarmonicConstituents"
	ListWebhooks            Operation = "listWebhooks"
	UpdateWebhook           Operation = "updateWebhook"
	DeleteWebhook           Operation = "deleteWebhook"
	ListDeliveries          Operation = "listDeliveries"
	ListEvents              Operation = "listEvents"
	ListWatches             Operation = "listWatches"
)

// hinted has the names of the arguments that hints give to each operation, in order.
var hinted = map[Operation][]string{
	SearchStations:          {"query"},
	GetPredictions:          {"station"},
	GetCurrentPredictions:   {"station"},
	GetWaterLevels:          {"station"},
	GetConditions:           {"station"},
	GetMarineForecast:       {"latitude", "longitude"},
	GetHarmonicConstituents: {"station"},
	ListWebhooks:            nil,
	UpdateWebhook:           {"id", "enabled"},
	DeleteWebhook:           nil,
	ListDeliveries:          {"id"},
	ListEvents:              nil,
	ListWatches:             nil,
}

// HintedOperations returns the operations that hints name, sorted. Each front end has a test that
// it can print all of them.
func HintedOperations() []Operation { return slices.Sorted(maps.Keys(hinted)) }

// Arguments returns the names of the arguments that hints give to the operation.
func (o Operation) Arguments() []string { return hinted[o] }

// Hint suggests an operation to the caller of another one that failed. Front ends print it in their
// own terms: as a tool, a route or a command.
type Hint struct {
	Do        string    `json:"do"` // an imperative, such as: Search by name
	Operation Operation `json:"operation"`
	Arguments Arguments `json:"arguments"`
}

// Argument is the value of one argument of an operation.
type Argument struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // text, a number or a bool
}

// Arguments are the arguments of an operation, in order.
type Arguments []Argument

// Hint returns a hint to do something with the operation, with a value for each of its arguments.
// It panics if their number differs, or if the operation is not among HintedOperations.
func (o Operation) Hint(do string, values ...any) Hint {
	names, ok := hinted[o]
	if !ok || len(names) != len(values) {
		panic(fmt.Sprintf("coast: hint at %s with %d arguments", o, len(values)))
	}
	h := Hint{Do: do, Operation: o}
	for i, name := range names {
		h.Arguments = append(h.Arguments, Argument{name, values[i]})
	}
	return h
}

// JSON returns the arguments as people write a JSON object: {"query": "Boston"}.
func (a Arguments) JSON() string {
	members := make([]string, len(a))
	for i, one := range a {
		value, _ := json.Marshal(one.Value) // text, a number or a bool: cannot fail
		members[i] = fmt.Sprintf("%q: %s", one.Name, value)
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// With adds hints to the error and returns it.
func (e *Error) With(hints ...Hint) *Error {
	e.hints = append(e.hints, hints...)
	return e
}

// Hints returns the hints of the error.
func (e *Error) Hints() []Hint { return e.hints }

// Explain returns the error with its hints at the end of the message, each as the sentence that
// phrase returns. It leaves out a hint without a sentence. The result has no hints.
func (e *Error) Explain(phrase func(Hint) string) *Error {
	out := *e
	out.hints = nil
	for _, h := range e.hints {
		if sentence := phrase(h); sentence != "" {
			out.Message += " " + sentence
		}
	}
	return &out
}
