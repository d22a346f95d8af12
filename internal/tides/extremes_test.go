package tides

import (
	"slices"
	"testing"
	"time"

	"leadline/internal/stations"
)

// TestExtremesByParts checks that high and low waters of years are those of each year.
func TestExtremesByParts(t *testing.T) {
	all, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2020, 3, 1, 0, 0, 30, 0, time.UTC)
	to := from.Add(3*longestStep + time.Minute)
	for _, id := range []string{"8443970", "9455920", "8735180", "9414131", "8557863"} {
		st, _ := all.Station(id)
		predicted, ok := all.Tides(st, "MLLW")
		if !ok {
			t.Fatalf("%s has no tides", id)
		}
		got, err := extremesOf(t.Context(), predicted, from, to)
		if want := predicted.Extremes(from, to); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d events, %v, want %d", id, len(got), err, len(want))
		}
	}
}
