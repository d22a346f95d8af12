package stations

import (
	"math"
	"testing"
)

// TestAbroad checks countries and the positions that NOAA's list has elsewhere. The positions are
// those of GeoNames' towns and of the gauges of the University of Hawaii Sea Level Center.
func TestAbroad(t *testing.T) {
	d := openTest(t)
	for _, row := range []struct {
		id, state, country  string
		latitude, longitude float64
	}{
		{"TPT2893", "", "TO", -18.651, -173.984}, {"6835001", "", "ID", -6.117, 106.850},
		{"TPT2891", "", "NU", -19.033, -169.917}, {"TWC0279", "", "EC", 1.286, -78.835},
		{"TPT2871", "", "FJ", -17.803, 177.416}, {"TPT2897", "", "TO", -20.267, -174.800},
		{"TPT2869", "", "FJ", -17.633, 178.567}, {"TWC2321", "AK", "", 52.90, 172.62},
		{"TWC0365", "", "SV", 13.488, -89.322}, {"TEC4623", "", "BS", 25.083, -77.350},
		{"TPT2687", "", "MH", 11.6, 165.55}, {"PCT2576", "", "CA", 52.617, -128.65},
		{"9759938", "PR", "", 18.089, -67.938}, {"1890000", "", "", 19.29, 166.62},
		{"8443970", "MA", "", 42.354, -71.050},
	} {
		s := find(t, d, row.id)
		if s.State != row.state || s.Country() != row.country ||
			math.Hypot(s.Latitude-row.latitude, s.Longitude-row.longitude) > 0.1 {
			t.Errorf("%s (%s) is in %q, %q at %.3f, %.3f, want %+v", s.ID, s.Name, s.State, s.Country(),
				s.Latitude, s.Longitude, row)
		}
	}
	for _, s := range d.All("") {
		if s.State != "" && s.Country() != "" || s.Country() != "" && len(s.Country()) != 2 {
			t.Errorf("%s is in state %q and country %q", s.ID, s.State, s.Country())
		}
	}
}

// TestNearTonga checks that a search near Vavau finds the station of its harbor.
func TestNearTonga(t *testing.T) {
	if near := openTest(t).Nearest(-18.651, -173.984, 1, nil); near[0].Station.ID != "TPT2893" {
		t.Errorf("nearest to Vavau is %s", near[0].Station.ID)
	}
}
