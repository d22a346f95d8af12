package facts

import (
	"slices"
	"testing"

	"leadline/internal/stations"
)

// TestContradictions checks which embedded stations have contradictory datums.
func TestContradictions(t *testing.T) {
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, st := range directory.All("") {
		if ofDatums(st) != "" {
			got = append(got, st.ID)
		}
	}
	if want := []string{"1778000"}; !slices.Equal(got, want) {
		t.Errorf("contradictions of %v, want %v", got, want)
	}
}
