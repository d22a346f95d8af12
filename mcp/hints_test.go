package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// TestHints checks that every hint names a tool of the catalogue with arguments that it takes. Only
// operations on accounts have no tool.
func TestHints(t *testing.T) {
	catalogue := newTools(t).Catalog()
	for _, o := range coast.HintedOperations() {
		name, ok := toolOf[o]
		if !ok {
			t.Errorf("%s has no tool; write \"\" if it is an operation on accounts", o)
		}
		values := make([]any, len(o.Arguments()))
		h := o.Hint("Do it", values...)
		got := hintOf(h)
		if name == "" {
			about := func(what string) bool { return strings.Contains(string(o), what) }
			if got != "" || !slices.ContainsFunc([]string{"Webhook", "Deliver", "Event", "Watch"}, about) {
				t.Errorf("hint at %s, which has no tool: %q", o, got)
			}
			continue
		}
		i := slices.IndexFunc(catalogue, func(t operation.Tool) bool { return t.Name == name })
		if i < 0 {
			t.Errorf("%s: no tool %s", o, name)
			continue
		}
		var input struct{ Properties map[string]any }
		if err := json.Unmarshal(catalogue[i].Input, &input); err != nil {
			t.Fatal(err)
		}
		for _, a := range h.Arguments {
			if _, ok := input.Properties[a.Name]; !ok {
				t.Errorf("%s: the tool %s has no argument %s", o, name, a.Name)
			}
		}
	}
	if len(toolOf) != len(coast.HintedOperations()) {
		t.Errorf("%d tools of hints for %d operations", len(toolOf), len(coast.HintedOperations()))
	}
}

// TestHintedCalls checks the hints of calls that fail, in the text and in the structured content.
func TestHintedCalls(t *testing.T) {
	s := newProduct(t)
	for _, test := range []struct{ tool, arguments, want string }{
		{
			"noaa_get_tide_predictions", `{"station":"0000000"}`,
			`Search by name with noaa_search_stations, for example {"query": "Boston"}.`,
		},
		{
			"noaa_get_tide_predictions", `{"station":"ACT0091"}`,
			`Get flood, ebb and slack at ACT0091 with noaa_get_current_predictions, for example ` +
				`{"station": "ACT0091"}.`,
		},
		{
			"noaa_get_current_predictions", `{"station":"8443970"}`,
			`Get the heights at 8443970 with noaa_get_tide_predictions, for example ` +
				`{"station": "8443970"}.`,
		},
		{
			"noaa_get_tide_prediction_offsets", `{"station":"8443970"}`,
			`Get the constants with noaa_get_harmonic_constituents, for example {"station": "8443970"}.`,
		},
	} {
		var result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Error coast.Error }
		}
		got := post(t, s, call(test.tool, test.arguments))
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
		if message := result.StructuredContent.Error.Message; !strings.HasSuffix(message, test.want) ||
			result.Content[0].Text != message {
			t.Errorf("%s %s\ngot  %s\nwant ... %s", test.tool, test.arguments, got.body, test.want)
		}
	}
}
