package operation

import (
	"testing"
	"time"

	"leadline/internal/stations"
)

// TestSeriesByParts checks that the values of a long series are those of its parts.
func TestSeriesByParts(t *testing.T) {
	all, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)
	for _, id := range []string{"PUG1701", "ACT0091"} {
		st, _ := all.Station(id)
		current, ok := all.Currents(st)
		if !ok {
			t.Fatalf("%s has no currents", id)
		}
		got, want := make([]float64, 3*longestFill/2), make([]float64, 3*longestFill/2)
		current.Velocities(from, time.Minute, want)
		if err := FillSeries(t.Context(), from, time.Minute, got, current.Velocities); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if d := got[i] - want[i]; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%s: value %d is %v, want %v", id, i, got[i], want[i])
			}
		}
	}
}
