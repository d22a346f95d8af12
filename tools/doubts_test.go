package tools

import (
	"maps"
	"slices"
	"testing"
)

// TestDoubts: the embedded data has four stations that contradict themselves,
// and the answers about them, and about those predicted from them, say so.
func TestDoubts(t *testing.T) {
	s := newSet(t)
	want := []string{"1778000", "TPT2819", "TPT2893", "TWC0279"}
	if got := slices.Sorted(maps.Keys(s.doubtful())); !slices.Equal(got, want) {
		t.Errorf("doubts of %v, want %v", got, want)
	}
	for _, test := range []struct{ tool, args, says string }{
		{"noaa_get_tide_predictions", `{"station":"1778000"}`, "datums of 1778000 contradict each other"},
		{"noaa_get_tide_predictions", `{"station":"TPT2893"}`, "datums of 1778000 contradict each other"},
		{"noaa_get_tide_predictions", `{"station":"TPT2819"}`, "time zone (Etc/GMT+11) is 3.7 hours"},
		{"noaa_get_tide_predictions", `{"station":"TWC0279"}`, "time zone"},
	} {
		if out := get(t, s, test.tool, test.args); !notes(out, test.says) {
			t.Errorf("%s %s: notes %v, want %q", test.tool, test.args, out["notes"], test.says)
		}
	}
}
