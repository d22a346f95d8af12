package tools

import (
	"fmt"
	"testing"

	"leadline/internal/operation"
	"leadline/internal/weather"
)

// TestUsualDatum checks the default datum of heights: IGLD on the Great Lakes, which have no
// MLLW, and MLLW elsewhere.
func TestUsualDatum(t *testing.T) {
	r := simulated(t, nil)
	for station, want := range map[string]string{"9063020": "IGLD", "8443970": "MLLW"} {
		for _, test := range []struct{ tool, args string }{
			{"noaa_get_water_levels", ""},
			{"noaa_get_water_level_summaries", `,"product":"daily_mean"`},
			{"noaa_get_water_level_summaries", `,"product":"monthly_mean"`},
		} {
			if station != "9063020" && test.args == `,"product":"daily_mean"` {
				continue // NOAA publishes these only for the Great Lakes
			}
			out := get(t, r.Set, test.tool, fmt.Sprintf(`{"station":%q%s}`, station, test.args))
			if out["datum"] != want {
				t.Errorf("%s %s%s: heights above %v, want %s", test.tool, station, test.args, out["datum"],
					want)
			}
		}
		conditions, err := r.Set.Weather.Conditions(caller(t),
			weather.ConditionsInput{AtStation: operation.AtStation{Station: station}})
		if err != nil || string(conditions.Datum) != want {
			t.Errorf("conditions of %s: heights above %v, %v, want %s", station, conditions.Datum, err, want)
		}
	}
	tide := get(t, r.Set, "noaa_get_tide_predictions", `{"station":"8443970"}`)
	if tide["datum"] != "MLLW" {
		t.Errorf("tide: heights above %v, want MLLW", tide["datum"])
	}
}
