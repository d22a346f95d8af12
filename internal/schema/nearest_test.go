package schema

import "testing"

// TestMeant checks which known name is suggested for an unknown one.
func TestMeant(t *testing.T) {
	tide := []string{"station", "begin_date", "end_date", "range", "units", "time_zone"}
	point := []string{"latitude", "longitude", "time_zone"}
	query := []string{"q", "lat", "lon", "limit"}
	for _, test := range []struct {
		name  string
		known []string
		want  string
	}{
		{"start_date", tide, "begin_date"},
		{"from", tide, "begin_date"},
		{"until", tide, "end_date"},
		{"hours", tide, "range"},
		{"station_id", tide, "station"},
		{"timezone", tide, "time_zone"},
		{"beginDate", tide, "begin_date"},
		{"lat", point, "latitude"},
		{"lng", point, "longitude"},
		{"latitude", query, "lat"},
		{"query", query, "q"},
		{"place", query, "q"},
		{"lat", []string{"station", "place", "date"}, "place"},
		{"lon", tide, "station"},
		{"place", tide, "station"},
		{"name", []string{"place", "date"}, "place"},
		{"limit", []string{"type", "top"}, "top"},
		{"colour", tide, ""},
	} {
		if got := meant(test.name, test.known); got != test.want {
			t.Errorf("meant(%q, %q) = %q, want %q", test.name, test.known, got, test.want)
		}
	}
}
