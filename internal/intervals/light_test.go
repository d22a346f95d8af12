package intervals

import (
	"slices"
	"testing"
	"time"

	"leadline/internal/sky"
)

// TestLightByParts checks that the light of a year is that of its parts.
func TestLightByParts(t *testing.T) {
	noon := time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)
	end := noon.AddDate(1, 0, 0)
	for _, at := range []sky.Place{{Latitude: 42, Longitude: -71}, {Latitude: 71, Longitude: -156}} {
		for _, light := range []sky.Light{sky.Daylight, sky.Civil, sky.Dark, sky.Moonlit} {
			got, err := LitParts(t.Context(), at, noon, end, light)
			if want := sky.When(at, noon, end, light); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v %s: %d intervals, %v, want %d", at, light, len(got), err, len(want))
			}
		}
	}
}
