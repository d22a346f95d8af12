package facts

import (
	"maps"
	"slices"
	"testing"

	"leadline/internal/stations"
)

// TestContradictions checks which embedded stations have contradictory data.
func TestContradictions(t *testing.T) {
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(newContradictions(directory, new(zones)).embedded()))
	if want := []string{"1778000", "TPT2819"}; !slices.Equal(got, want) {
		t.Errorf("contradictions of %v, want %v", got, want)
	}
}
