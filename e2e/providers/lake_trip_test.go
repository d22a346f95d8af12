package providers

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/simulator/provider"
)

// lakeTrip has the fields of the hours at a place that the test reads.
type lakeTrip struct {
	Station struct{ ID string }
	Datum   string
	Hours   []struct{ State string }
	Reasons []struct{ Code string }
	Sources []struct {
		ID        string
		Available bool
	}
	Missing []struct{ Input string }
	Notes   []string
}

// TestTripOnALake checks that the hours of a place on the Great Lakes are decided without facts
// about the tide, which are said not to apply and are not missing, and that nothing is known of
// them without the weather service.
func TestTripOnALake(t *testing.T) {
	t.Parallel()
	p, root := product.Simulate(t, product.Noon)
	server := product.Setup{Root: root, Now: product.Noon}.Start(t)
	get := func(query string) (trip lakeTrip) {
		t.Helper()
		product.Decode(t, product.OverREST(t, server.URL+"/api/planning/trip?"+query), &trip)
		return trip
	}
	for _, query := range []string{"station=9063020", "place=Buffalo,+NY", "place=Chicago,+IL",
		"place=Duluth,+MN&activity=surf-paddle", "station=9063020&activity=coastal-living"} {
		trip := get(query)
		if !strings.HasPrefix(trip.Station.ID, "90") || trip.Datum != "IGLD" || len(trip.Hours) == 0 {
			t.Errorf("%s: %+v", query, trip)
		}
		for _, r := range trip.Reasons {
			if slices.Contains([]string{"low_water", "rising_tide", "fast_rise", "current",
				"flooding_predicted", "flooding_observed"}, r.Code) {
				t.Errorf("%s: the reason %s on a lake", query, r.Code)
			}
		}
		for _, m := range trip.Missing {
			if m.Input == "tide-prediction" || m.Input == "observed-water-level" {
				t.Errorf("%s: %s is missing, but does not apply", query, m.Input)
			}
		}
		if notes := strings.Join(trip.Notes, " "); !strings.Contains(notes,
			"Does not apply: tide prediction; NOAA predicts no tide on the Great Lakes") {
			t.Errorf("%s: the notes are %s", query, notes)
		}
		for _, s := range trip.Sources {
			if s.ID == "tide-prediction" && s.Available {
				t.Errorf("%s: a tide prediction on a lake", query)
			}
		}
	}
	inland, err := http.Get(server.URL + "/api/planning/trip?place=Denver,+CO")
	if err != nil {
		t.Fatal(err)
	}
	inland.Body.Close()
	if inland.StatusCode != http.StatusNotFound {
		t.Errorf("Denver: status %d, want 404", inland.StatusCode)
	}
	p.Fail(provider.Weather, provider.Fault{Kind: provider.Broken})
	for _, h := range get("place=Cleveland,+OH").Hours {
		if h.State != "unknown" {
			t.Errorf("without the weather service an hour is %s, want unknown", h.State)
		}
	}
}
