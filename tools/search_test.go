package tools

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"leadline/internal/directory"
	"leadline/internal/place"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// by holds the arguments of a search.
type by = directory.SearchStationsInput

// searched runs a search by name, as every endpoint does.
func searched(t *testing.T, s *Set, in by) directory.StationList {
	t.Helper()
	if in.Limit == 0 {
		in.Limit = 5000
	}
	list, err := s.Directory.SearchStations(caller(t), in)
	if err != nil {
		t.Fatalf("SearchStations(%+v): %v", in, err)
	}
	return list
}

// TestSearchUnchanged checks that queries which found stations before places were added still
// find the same stations in the same order, those abroad last. The file was written by the
// earlier search: query, number of stations, first station and hash of all ids.
func TestSearchUnchanged(t *testing.T) {
	text, err := os.ReadFile("testdata/searches.tsv")
	if err != nil {
		t.Fatal(err)
	}
	s := newSet(t)
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		hash, count := fnv.New32a(), 0
		list := searched(t, s, by{Query: columns[0]})
		for i, row := range list.Stations {
			switch row.Match {
			case "alias", "place": // new kinds of matches, which come before or after the others
				// A place comes before the stations of the name, or after all of them.
				first, last := list.Stations[0].Match, i == len(list.Stations)-1
				if row.Match == "place" && first != "place" && !last &&
					list.Stations[i+1].Match != "fuzzy" {
					t.Errorf("%s: a place precedes %s, found by %s", columns[0],
						list.Stations[i+1].ID, list.Stations[i+1].Match)
				}
				continue
			case "id", "exact", "fuzzy":
			default:
				t.Errorf("%s: %s has match %q", columns[0], row.ID, row.Match)
			}
			count++
			fmt.Fprintln(hash, row.ID)
		}
		got := fmt.Sprintf("%08x", hash.Sum32())
		if strconv.Itoa(count) != columns[1] || got != columns[3] {
			t.Errorf("%s: %d stations from %v, want %s from %s", columns[0], count,
				list.Stations[:min(2, len(list.Stations))], columns[1], columns[2])
		}
	}
}

// TestSearchPlaces checks that at least 92 % of the 214 prepared queries (towns, waters, ZIP
// codes) return a station within 20 km first, and that no query leads far away because of a
// similar spelling. For five queries there is no station within 20 km.
func TestSearchPlaces(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), "published", "places_queries.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSet(t)
	right, all := 0, 0
	for line := range strings.Lines(string(text)) {
		query, position, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok {
			continue
		}
		var latitude, longitude float64
		if _, err := fmt.Sscanf(position, "%f|%f", &latitude, &longitude); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all++
		list := searched(t, s, by{Query: query, Limit: 1})
		if len(list.Stations) == 0 {
			t.Logf("%s: nothing", query)
			continue
		}
		first := list.Stations[0]
		switch km := stations.Kilometers(latitude, longitude, first.Latitude, first.Longitude); {
		case km <= 20:
			right++
		case km > place.OfPoints.Most && first.Match == "fuzzy":
			t.Errorf("%s: %s (%s), %.0f km away, by a similar spelling", query, first.Name, first.State, km)
		default:
			t.Logf("%s: %s (%s), %s, %.0f km away", query, first.Name, first.State, first.Match, km)
		}
	}
	t.Logf("%d of %d right", right, all)
	if all < 214 || float64(right) < 0.92*float64(all) {
		t.Errorf("%d of %d right, want 92 %% of at least 214", right, all)
	}
}

// TestSearchMatches checks the first station that each query returns, how it was found, and
// the notes. Positions and states are from maps.
func TestSearchMatches(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		in                  by
		first, match, notes string
	}{
		{by{Query: "8443970"}, "8443970", "id", ""},
		{by{Query: "844397"}, "8443970", "id", ""},
		{by{Query: "boston, ma"}, "8443970", "exact", ""},
		{by{Query: "bost"}, "8443970", "exact", ""},
		{by{}, "1610367", "exact", ""},
		{by{Query: "bostno"}, "8443970", "fuzzy", "similar names"},
		{by{Query: "oceanographic institution"}, "8447930", "exact", ""},
		{by{Query: "Woods Hole", OfType: directory.OfType{Type: "tidepredictions"}}, "8447930", "alias",
			""},
		{by{Query: "woods hole ma", OfType: directory.OfType{Type: "tidepredictions"}}, "8447930",
			"alias", ""},
		{by{Query: "Sewells Point"}, "8638610", "exact", ""},
		{by{Query: "TEMCO Kalama Terminal"}, "9440357", "exact", ""},
		{by{Query: "Duck NC"}, "8651370", "exact", ""},
		{by{Query: "Cannon Beach"}, "9437585", "place",
			`No station is named "Cannon Beach". Cannon Beach, OR (45.89, -123.96) is a place`},
		{by{Query: "Acadia"}, "8413320", "place", "Acadia, ME"},
		{by{Query: "94019"}, "9414131", "place", "Half Moon Bay, CA"},
		{by{Query: "Laguna Beach"}, "9410583", "place",
			"Other places of that name: Laguna Beach, FL."},
		{by{Query: "Laguna Beach", State: "FL"}, "8729210", "place", "Laguna Beach, FL ("},
		{by{Query: "New Bedford"}, "8447636", "exact", ""}, // and not 8532371 in New Jersey
		{by{Query: "Long Beach"}, "9410680", "exact", "Long Beach, NY"},
		{by{Query: "Fire Island"}, "9455912", "exact", "Fire Island, NY"},
		{by{Query: "Seaside OR"}, "", "place", "Seaside, OR"},
		{by{Query: "Seaside Heights OR"}, "", "", "Coverage: US coasts"},
		{by{Query: "Sydney"}, "", "", `"Sydney" is Sydney, Australia, or Sydney, Canada. NOAA has no`},
		{by{Query: "Milwaukee"}, "", "", "No such station lies within 50 km of Milwaukee, WI."},
		{by{Query: "Chicago"}, "9415144", "exact", "Elsewhere, places have that name too: Chicago, IL."},
		{by{Query: "Denver"}, "", "", "Coverage: US coasts and territories, the Great Lakes"},
		{by{Query: "80202"}, "", "", "No station has the ZIP code 80202 within 40 km"},
		{by{Query: "8654792"}, "", "",
			"8654792 (Ocracoke, Ocracoke Island) is retired"},
		{by{Query: "ACT0261"}, "", "", "weak and variable"},
		{
			by{Query: "Columbia River entrance", OfType: directory.OfType{Type: "currentpredictions"}},
			"", "",
			"9440574 (Columbia River Entrance (N. Jetty), WA) has that name and is of another kind.",
		},
		{by{Query: "Anaktuvuk Pass", OfType: directory.OfType{Type: "currentpredictions"}}, "", "",
			"Coverage"},
	} {
		list := searched(t, s, test.in)
		var first directory.FoundStation
		if len(list.Stations) > 0 {
			first = list.Stations[0]
		}
		if test.first != "" && first.ID != test.first || string(first.Match) != test.match {
			t.Errorf("%+v: %s (%s), %s, want %s, %s", test.in, first.ID, first.Name, first.Match,
				test.first, test.match)
		}
		notes := strings.Join(list.Notes, "\n")
		if strings.Contains(notes, "retired") && strings.Contains(notes, "No station matches") {
			t.Errorf("%+v: a station that is listed does not match: %q", test.in, notes)
		}
		if !strings.Contains(notes, test.notes) {
			t.Errorf("%+v: notes %q, want %q", test.in, notes, test.notes)
		}
		if (first.DistanceKm != nil) != (test.match == "place") {
			t.Errorf("%+v: distance %v of a station found by %s", test.in, first.DistanceKm, first.Match)
		}
	}
}

// TestSearchNear checks that a search for a place returns the station of its water and the nearest
// stations within reach, and that pages split the list.
func TestSearchNear(t *testing.T) {
	s := newSet(t)
	const most = 10
	all := searched(t, s, by{Query: "Cannon Beach"})
	if all.Total != len(all.Stations) || all.Total != most {
		t.Errorf("total %d of %d stations, want %d", all.Total, len(all.Stations), most)
	}
	for i, row := range all.Stations {
		km := stations.Kilometers(45.8918, -123.9615, row.Latitude, row.Longitude)
		if row.DistanceKm == nil || km > *row.DistanceKm+0.1 || km < *row.DistanceKm-0.1 ||
			i > 1 && *row.DistanceKm < *all.Stations[i-1].DistanceKm {
			t.Errorf("%s is %.1f km away, not %v", row.ID, km, row.DistanceKm)
		}
	}
	last := searched(t, s, by{Query: "Cannon Beach", Offset: 8, Limit: 2})
	if len(last.Stations) != 2 || last.NextOffset != nil || last.Stations[1].ID != all.Stations[9].ID {
		t.Errorf("the last page is %v, next %v", last.Stations, last.NextOffset)
	}
	for _, source := range all.Sources {
		if source.ID == "place-names" && strings.Contains(source.Label, "GeoNames") {
			return
		}
	}
	t.Errorf("the sources %v do not credit GeoNames", all.Sources)
}

// TestNearestOutside checks points with no station nearby: Sydney and London.
func TestNearestOutside(t *testing.T) {
	s := newSet(t)
	type at = directory.NearestStationsInput
	far := 20040.0
	for _, test := range []struct {
		in    at
		count int
		note  string
	}{
		{at{Latitude: -33.87, Longitude: 151.21, Limit: 3}, 0,
			"This point is outside coverage, which is US coasts and territories, the Great Lakes"},
		{at{Latitude: 51.5, Longitude: -0.12, Limit: 3}, 0, " km away."},
		{at{Latitude: 51.5, Longitude: -0.12, Limit: 3, Farthest: &far}, 3, "straight lines"},
		{at{Latitude: 42.35, Longitude: -71.05, Limit: 3}, 3, "straight lines"},
	} {
		got, err := s.Directory.NearestStations(caller(t), test.in)
		if err != nil || len(got.Stations) != test.count ||
			!strings.Contains(strings.Join(got.Notes, "\n"), test.note) {
			t.Errorf("%+v: %d stations, notes %q, %v, want %d, %q", test.in, len(got.Stations), got.Notes,
				err, test.count, test.note)
		}
	}
}

// TestUnknownState checks that a list for an unknown state has a note, and that a list for a
// known state does not.
func TestUnknownState(t *testing.T) {
	for state, want := range map[string]bool{"ZZ": true, "ma": false} {
		list := searched(t, newSet(t), by{State: state})
		notes := strings.Join(list.Notes, " ")
		noted := strings.Contains(notes, "No station of the directory is in the state")
		if noted != want || noted != (list.Total == 0) {
			t.Errorf("state %s: %d stations, notes %q", state, list.Total, list.Notes)
		}
	}
}
