package tools

import (
	"testing"
)

// TestContradictions checks that results have a note if the data of the station or of its
// reference station is contradictory.
func TestContradictions(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ tool, args, says string }{
		{"noaa_get_tide_predictions", `{"station":"1778000"}`, "datums of 1778000 contradict each other"},
		{"noaa_get_tide_predictions", `{"station":"TPT2893"}`, "datums of 1778000 contradict each other"},
	} {
		if out := get(t, s, test.tool, test.args); !notes(out, test.says) {
			t.Errorf("%s %s: notes %v, want %q", test.tool, test.args, out["notes"], test.says)
		}
	}
}
