package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"leadline/internal/operation"
	"leadline/internal/render"
)

// TestSpansOfObservations checks that the first line has the highest value of the whole span, also
// if the rows are thinned or only the first of many, and that it is observed.
func TestSpansOfObservations(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct{ tool, args, values string }{
		{"noaa_get_water_levels", `{"station":"8443970","range":240}`, "observed.heights"},
		{"noaa_get_water_levels", `{"station":"8443970","interval":"hourly",` +
			`"begin_date":"2025-10-01","end_date":"2026-09-30"}`, "observed.heights"},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"air_temperature",` +
			`"range":240}`, "series.0.values"},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"air_temperature",` +
			`"interval":"h","begin_date":"2026-02-01","end_date":"2026-11-19"}`, "series.0.values"},
		{"noaa_get_currents", `{"station":"cb0102","bin":1,"range":240}`, "observed.bins.0.speeds"},
	} {
		result, err := call(t, r.Set, test.tool, test.args)
		if err != nil {
			t.Errorf("%s %s: %v", test.tool, test.args, err)
			continue
		}
		whole, err := json.Marshal(result.Value)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		_ = json.Unmarshal(whole, &tree)
		most, n := 0.0, 0
		for _, v := range valuesAt(tree, test.values) {
			if v, known := v.(float64); known && (n == 0 || v > most) {
				most = v
			}
			if v != nil {
				n++
			}
		}
		text, answer := formsOf(t, r.Set, test.tool, test.args)
		first, _, _ := strings.Cut(text, "\n")
		want := " highest " + render.Short(most, 2)
		if !strings.Contains(first, want) || !strings.Contains(first, "observed ") ||
			!strings.Contains(first, fmt.Sprintf("of %d values", n)) {
			t.Errorf("%s %s: %q, want %q of %d values", test.tool, test.args, first, want, n)
		}
		var form struct {
			Days []struct{ Rows [][]any }
		}
		_ = json.Unmarshal([]byte(answer), &form)
		rows := 0
		for _, d := range form.Days {
			rows += len(d.Rows)
		}
		if rows == 0 || rows > operation.TextRows {
			t.Errorf("%s %s: %d rows", test.tool, test.args, rows)
		}
	}
}

// valuesAt returns the list at a path of members and indexes.
func valuesAt(tree any, path string) []any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := tree.(type) {
		case map[string]any:
			tree = v[name]
		case []any:
			tree = v[0]
		}
	}
	list, _ := tree.([]any)
	return list
}
