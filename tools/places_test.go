package tools

import (
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/stations"
)

// TestFindPlaces checks the first row of queries of each kind. The positions of towns are
// from the U.S. Geological Survey, the position of the ZIP code is from the Census Bureau,
// and the stations are from NOAA's map.
func TestFindPlaces(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		query, name, state, kind, match string
		latitude, longitude             float64
		tide                            string
	}{
		{"Half Moon Bay, CA", "Half Moon Bay", "CA", "place", "exact", 37.46, -122.43, "9414131"},
		{"portland maine", "Portland", "ME", "place", "exact", 43.66, -70.26, "8418150"},
		{"94019", "Half Moon Bay", "CA", "place", "exact", 37.4636, -122.4286, "9414131"},
		{"Annapoliss", "Annapolis", "MD", "place", "fuzzy", 38.98, -76.49, "8575512"},
		{"9414290", "San Francisco (Golden Gate)", "CA", "station", "id", 37.81, -122.47, "9414290"},
	} {
		list, err := s.Directory.FindPlaces(caller(t),
			directory.FindPlacesInput{Query: test.query, Limit: 5})
		if err != nil || len(list.Places) == 0 || list.Total < len(list.Places) {
			t.Errorf("FindPlaces(%q) = %+v, %v, want rows", test.query, list, err)
			continue
		}
		row := list.Places[0]
		far := stations.Kilometers(row.Latitude, row.Longitude, test.latitude, test.longitude)
		if row.Name != test.name || row.State != test.state || string(row.Kind) != test.kind ||
			string(row.Match) != test.match || far > 10 || row.Nearest.Tide.ID != test.tide {
			t.Errorf("FindPlaces(%q) = %+v, %.0f km off, want %+v", test.query, row, far, test)
		}
	}
}

// TestFindPlacesOfOneName checks that places with the same name are listed with their states,
// that the limit applies to rows, and that total counts all places.
func TestFindPlacesOfOneName(t *testing.T) {
	s := newSet(t)
	list, err := s.Directory.FindPlaces(caller(t),
		directory.FindPlacesInput{Query: "portland", Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	for _, row := range list.Places {
		states[row.State] = true
	}
	if !states["ME"] || !states["OR"] || list.Total != len(list.Places) {
		t.Errorf("FindPlaces(portland) = %+v, want those in ME and OR", list.Places)
	}
	first, err := s.Directory.FindPlaces(caller(t),
		directory.FindPlacesInput{Query: "portland", Limit: 1})
	if err != nil || len(first.Places) != 1 || first.Total != list.Total {
		t.Errorf("with limit 1: %+v, %v, want one row of %d", first, err, list.Total)
	}
}

// TestFindPlacesNowhere checks a name without a match, and a blank query.
func TestFindPlacesNowhere(t *testing.T) {
	s := newSet(t)
	list, err := s.Directory.FindPlaces(caller(t),
		directory.FindPlacesInput{Query: "Xyzzyvale", Limit: 5})
	if err != nil || list.Total != 0 || list.Places == nil ||
		!strings.Contains(strings.Join(list.Notes, " "), "Coverage: US coasts") {
		t.Errorf("FindPlaces(Xyzzyvale) = %+v, %v, want no rows and what is covered", list, err)
	}
	_, err = operation.Run(caller(t), s.Directory.FindPlaces,
		directory.FindPlacesInput{Query: " ", Limit: 5})
	if code(err) != coast.InvalidRequest {
		t.Errorf("a blank query: %v, want %s", err, coast.InvalidRequest)
	}
}
