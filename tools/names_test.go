package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/place"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/tides"
	"leadline/internal/trials"
	"leadline/internal/words"
)

// tideAt returns the station whose tide a place gets, or the error.
func tideAt(t *testing.T, s *Set, place string) (string, error) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"place": place})
	if err != nil {
		t.Fatal(err)
	}
	r, err := call(t, s, "noaa_get_tide_predictions", string(arguments))
	if err != nil {
		return "", err
	}
	return r.Value.(tides.TidePredictions).Station.ID, nil
}

// TestNamesAbroad checks published names abroad: each is refused, or has one of the stations that
// NOAA has there, over the argument place and in a search.
func TestNamesAbroad(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), "published", "water_places.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	s, all := newSet(t), 0
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) < 3 || columns[2] != "foreign" {
			continue
		}
		all++
		place, want := columns[0], strings.Split(columns[1], ",")
		id, err := tideAt(t, s, place)
		if refused := columns[1] == "REFUSE"; refused != (code(err) == coast.StationNotFound) ||
			!refused && !slices.Contains(want, id) {
			t.Errorf("tide of %q: station %q, %v, want %s", place, id, err, columns[1])
		}
		list := searched(t, s,
			by{Query: place, OfType: directory.OfType{Type: "tidepredictions"}}).Stations
		first := "REFUSE"
		if len(list) > 0 {
			first = list[0].ID
		}
		if !slices.Contains(want, first) {
			t.Errorf("search for %q: first %s, want %s", place, first, columns[1])
		}
	}
	if all < 30 {
		t.Errorf("%d names abroad, want at least 30", all)
	}
}

// suggested finds the names that a refusal lists.
var suggested = regexp.MustCompile(`(?:several places: |" may be |Similar names: |` +
	`stations? in [^:.]+: |begins with it: |There is also )(.*?)\.` +
	`(?: (?:Give|The|There|NOAA|For|A) |$)`)

// TestNames checks who answers for a name, and why a name is refused. What a refusal
// suggests is tried as it is printed. The answers are from NOAA's list and from maps.
func TestNames(t *testing.T) {
	s, retried := newSet(t), 0
	for _, test := range []struct{ place, station, refusal string }{
		{"Kingston, Jamaica", "TEC4697", ""}, {"Kingston Jamaica", "TEC4697", ""},
		{"Panamá, Panama", "9812501", ""}, {"Panama, Panama", "9812501", ""},
		{"Colon, Panama", "9817583", ""},
		{"Panama City, Panama", "9812501", ""}, {"Hamilton, Bermuda", "TEC4605", ""},
		{"George Town, Cayman Islands", "TEC4707", ""}, {"Tampico, Mexico", "9500966", ""},
		{"Tampico", "9500966", ""}, {"Veracruz", "9501701", ""}, {"Bimini, Bahamas", "TEC4617", ""},
		{"Papeete, Tahiti", "1732417", ""}, {"Neiafu, Tonga", "TPT2893", ""},
		{"Ensenada, BC", "TWC0403", ""}, {"Nassau, New Providence Island", "TEC4623", ""},
		{"Boston, MA, USA", "8443970", ""}, {"Boston, Massachusetts", "8443970", ""},
		{"Kaneohe, HI", "1612480", ""}, {"Kāneʻohe, Hawaiʻi", "1612480", ""},
		{"St. Petersburg, FL", "8726520", ""}, {"Saint Petersburg, Florida", "8726520", ""},
		{"New York City", "8518750", ""}, {"New York, NY", "8518750", ""},
		{"Ocean Beach, San Francisco", "9414275", ""}, {"42.354, -71.05", "8443970", ""},
		{"42°21.2'N 71°03'W", "8443970", ""}, {"Charlotte Amalie, USVI", "9751639", ""},
		{"Gary, IN", "", "predicts no tide"},
		{"Halifax, Nova Scotia", "", `"Halifax" is in Nova Scotia, Canada.`},
		{"Valparaiso, Chile", "", `"Valparaiso" is in Chile.`},
		{"Xyzzy, Canada", "", `"Xyzzy" is known in Canada.`},
		{"Boston, Xyzzy", "", `"Xyzzy" in "Boston, Xyzzy" is not a state, a country or a place`},
		{"Xyzzyvale, Boston", "", `No place named "Xyzzyvale" is known near Boston, MA.`},
		{"Mexico", "", "Mexico is also a country. NOAA has 22 stations in Mexico that predict tides: "},
		{"Panama", "", "may be Panama City, FL. "}, {"Bermuda", "2695540", ""},
		{"Jamaica", "", "also a country"},
		{"France", "", "NOAA has no station in France that predicts tides."},
		{"Key West, Cuba", "", `No place or station named "Key West" is known in Cuba. NOAA has 25 `},
		{"Key West, Cuba", "", "There is also Key West, FL."},
		{"key west cuba", "", "There is also Key West, FL."},
		{"Bar Harbor, Canada", "", "There is also Bar Harbor, ME."},
		{"Nova Scotia", "", `"Nova Scotia" is in Canada.`},
		{"LA", "", `"LA" is Louisiana: name a town or a water in it.`},
		{"Massachusetts", "", "is Massachusetts: name a town"},
		{"USA", "", "is United States: name a town"},
		{"Halifax", "", `"Halifax" may be Halifax, MA. Give it with its state. The largest, `},
		{"San Sebastian", "", "may be San Sebastián, PR. Give it with its state. The largest, San Seb"},
		{"San Sebastian, PR", "9759394", ""}, {"San Sebastián, Spain", "", "is in Spain."},
		{"St. John", "", "may be St. John, VI. "},
		{"Naples", "", "may be Naples, FL. Give it with its state."},
		{"Portsmouth", "", "several places: Portsmouth, VA; "},
		{"Beaufort", "", "several places: Beaufort, SC; Beaufort, NC."},
		{"Melbourne", "", "may be Melbourne, FL. Give it with its state. The largest, "},
		{"Kingston", "", "The largest is Kingston, Jamaica: write its country."},
		{"Denver", "", "Denver, CO is inland; the nearest coast is at "},
		{"Denver, Colorado", "", "Denver, CO is inland"},
		{"Antigua", "", `"Antigua" is in Antigua and Barbuda. NOAA has 1 station in Ant`},
		{"Rarotonga", "TPT2853", ""}, {"Savaii", "TPT2859", ""},
		{"Providenciales", "", `"Providenciales" is in Turks and Caicos Islands.`},
		{"Rehoboth", "", "several places: Rehoboth, MA; Rehoboth Beach, DE."},
		{"Monmouth", "", "several places: Monmouth, ME; Monmouth Beach, NJ."},
		{"Rockaway", "", "several places: Rockaway, NJ; Rockaway Beach, NY; Rockaway Beach, OR."},
		{"Rockaway, NJ", "8530591", ""},
		{"Ocean Beach", "", "Ocean Beach, San Francisco, CA; Ocean Beach, San Diego, CA; "},
		{"Long Beach", "", "Long Beach, CA; Long Beach, NY; Long Beach, MS; Long Beach, NC; " +
			"Long Beach, MD; Long Beach, WA."},
		{"Canada", "", "Give one with its id."}, {"NYC", "8518750", ""}, {"Lunenburg", "", "is named"},
		{"Tijuana, BC", "", `"Tijuana" is in Baja California, Mexico.`},
		{"Xyzzy, BC", "", "is known in British Columbia, Canada, or Baja California, Mexico."},
		{"Port of Spain", "", `"Port of Spain" is in Trinidad and Tobago.`},
		{"Gulf of Mexico", "", `tides is named "Gulf of Mexico".`},
		{"Brighton, Ontario", "", `"Brighton" is known in Ontario, Canada.`},
		{"Stinson Beach, Orange County", "", `near "Orange County". There is also Stinson Beach, CA.`},
		{"Cork", "", `"Cork" is in Ireland.`}, {"Cork harbour", "", `"Cork" is in Ireland.`},
		{"Paris", "", "A station begins with it: TEC4445 (Paris Road Bridge (ICWW), LA)."},
		{"Brighton", "", "names several places: Brighton, MA; Brighton, OR. Give one with its state. " +
			"The largest, Brighton, "},
		{"Brighton, OR", "9437815", ""},
		{"Halifax harbour", "", "may be Halifax, MA. Give it with its state."},
		{"Halifax Harbor", "", "The largest, Halifax, Canada, has no station that predicts tides."},
		{"Halifax, MA", "8446166", ""}, {"Halifax MA", "8446166", ""},
		{"Sydney harbour", "", `"Sydney" is Sydney, Australia`},
		{"California", "", `"California" is California: name a town or a water in it. There is also`},
		{"California, MD", "8577330", ""}, {"Oregon", "", `"Oregon" is Oregon: name a town`},
		{"Samoa", "", "may be Samoa, CA. Give it with its state. Samoa is also a country."},
		{"Samoa, CA", "9418817", ""}, {"Westport, MA", "8447975", ""},
		{"Los Angeles", "9410660", ""}, {"9504651 (Salina Cruz)", "9504651", ""},
		{"TEC4697 (Port Royal, Jamaica)", "TEC4697", ""}, {"8443970 (Paris)", "", "is named"},
		{"Burlington, Vermont", "", "Vermont has no coast"},
		{"Honolulu, Denver", "", `"Denver" in "Honolulu, Denver" is not`},
		{strings.Repeat("bay ", 200), "", "is too long"}, {"🌊", "", "has no letters"},
		{",", "", "has no letters"}, {" , ,", "", "has no letters"}, {"\x00\x07", "", "has no letters"},
	} {
		id, err := tideAt(t, s, test.place)
		if id != test.station || test.refusal != "" && (err == nil ||
			!strings.Contains(err.Error(), test.refusal)) {
			t.Errorf("%.40q: station %q, %v, want %q, %q", test.place, id, err, test.station, test.refusal)
		}
		if err == nil {
			continue
		}
		text, _, _ := strings.Cut(err.Error(), " Coverage: ")
		for _, m := range suggested.FindAllStringSubmatch(text, -1) {
			retried++
			for name := range strings.SplitSeq(m[1], "; ") {
				if _, err := tideAt(t, s, name); err != nil {
					t.Errorf("%q suggests %q, which is refused: %v", test.place, name, err)
				}
			}
		}
	}
	if retried < 30 {
		t.Errorf("%d lists of suggestions were tried, want at least 30", retried)
	}
}

// TestNamesAlike checks that the kind of station changes nothing of the refusal of a name that a
// far larger place elsewhere has, and that the refusal begins with the name. The sun of a name that
// only places elsewhere have is theirs.
func TestNamesAlike(t *testing.T) {
	s := newSet(t)
	for _, name := range []string{
		"Cork", "Paris", "Brighton", "Halifax", "Halifax harbour", "California",
	} {
		for _, tool := range []string{
			"noaa_get_tide_predictions", "noaa_get_current_predictions", "astro_get_sun_times",
		} {
			_, err := call(t, s, tool, fmt.Sprintf(`{"place":%q}`, name))
			if tool == "astro_get_sun_times" && (name == "Cork" || name == "Paris") {
				if err != nil {
					t.Errorf("the sun of %q: %v", name, err)
				}
			} else if err == nil || strings.HasPrefix(err.Error(), "The largest") {
				t.Errorf("%s of %q: %v, want a refusal that begins with the name", tool, name, err)
			}
		}
	}
}

// TestNamedFarAway checks that a station of the name has the warning of a distant one.
func TestNamedFarAway(t *testing.T) {
	text := textOf(t, newSet(t), "noaa_get_tide_predictions", `{"place":"Los Angeles"}`)
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, "37 km from Los Angeles, CA: another stretch of coast:") {
		t.Errorf("the first line is %q", first)
	}
}

// TestNamesOfCurrents checks that the kind of station decides among places of one name.
func TestNamesOfCurrents(t *testing.T) {
	r, err := call(t, newSet(t), "noaa_get_current_predictions", `{"place":"Golden Gate"}`)
	if err != nil {
		t.Fatal(err)
	}
	if st := r.Value.(currents.CurrentPredictions).Station; st.State != "CA" {
		t.Errorf("the Golden Gate is at %s (%s), %s", st.ID, st.Name, st.State)
	}
}

// TestNoForeignNameIsAmerican checks that a name behind which an area abroad stands never has a
// station of a state, with any name before it.
func TestNoForeignNameIsAmerican(t *testing.T) {
	d := newSet(t).Stations
	before := []string{"Boston", "Portland", "Halifax", "Newport", "San Juan", "Westport", "Bay"}
	i, all := 0, places.AreaNames()
	if len(all) < 450 {
		t.Errorf("%d names abroad, want at least 450", len(all))
	}
	for _, area := range all {
		for _, text := range []string{before[i%len(before)] + ", " + area, area} {
			m := locate.Find(d, text, nil, "")
			for _, f := range m.Stations {
				if strings.Contains(text, ",") && f.Country() == "" {
					t.Errorf("%q has station %s (%s), %s", text, f.ID, f.Name, f.State)
				}
			}
			for _, p := range m.Places {
				if strings.Contains(text, ",") && p.Country == "" {
					t.Errorf("%q has place %v", text, p)
				}
			}
		}
		i++
	}
}

// TestStateChangesNothing checks that the state behind a name that needs none leaves the station
// as it is, unless a station has the bare name and lies in another state, or no station is near
// the place.
func TestStateChangesNothing(t *testing.T) {
	s, checked := newSet(t), 0
	for i, p := range places.Open().All() {
		if p.Kind == places.ZIP || i%(2000/min(trials.Cases(), 1000)) != 0 {
			continue
		}
		id, err := tideAt(t, s, p.Name)
		if err != nil || len(places.Open().Named(words.Split(p.Name), "")) > 1 {
			continue // it has several places, or none
		}
		checked++
		with, err := tideAt(t, s, p.String())
		named := locate.Find(s.Stations, p.Name, nil, "").Stations
		if err != nil && strings.Contains(err.Error(), " lies within ") {
			if len(named) == 0 {
				t.Errorf("%s has station %s of another name, and no station is near %s", p.Name, id, p)
			}
			continue
		}
		elsewhere := func(st stations.Found) bool { return st.ID == id && st.State != p.State }
		if with != id && !slices.ContainsFunc(named, elsewhere) {
			t.Errorf("%s has station %s, and %s has %s, %v", p.Name, id, p, with, err)
		}
	}
	if checked < 30 {
		t.Errorf("%d names, want more", checked)
	}
}

// TestDistances checks over places of all coasts that no station answers beyond its limit, that a
// distant one has its warning first, and that a refusal names the nearest station.
func TestDistances(t *testing.T) {
	r := simulated(t, nil)
	refusal := regexp.MustCompile(`The nearest is \w+ \(.+\), \d+ km away\.`)
	for _, test := range []struct {
		tool, args string
		within     place.Reach
	}{
		{"noaa_get_current_predictions", "", place.OfCurrents},
		{"noaa_get_tide_predictions", "", place.OfWater},
		{"noaa_get_water_levels", "", place.OfWater},
		{"noaa_get_meteorological_data", `,"product":"water_temperature"`, place.OfSensors},
		{"noaa_get_meteorological_data", `,"product":"wind"`, place.OfSensors},
	} {
		warned, refused := 0, 0
		for i, p := range places.Open().All() {
			if p.Kind == places.ZIP || i%101 != 0 {
				continue
			}
			args := fmt.Sprintf(`{"place":%q%s}`, p, test.args)
			_, err := call(t, r.Set, test.tool, args)
			if err != nil {
				far := strings.Contains(err.Error(), " lies within ")
				if far && !refusal.MatchString(err.Error()) {
					t.Errorf("%s at %s: %v, want the nearest station", test.tool, p, err)
				}
				if far {
					refused++
				}
				continue
			}
			out := get(t, r.Set, test.tool, args)
			km, ok := follow(out, "place.distanceKm").(float64)
			first := fmt.Sprint(follow(out, "notes.0"))
			far := strings.Contains(first, "away: another ") ||
				strings.Contains(first, "away: the open coast")
			if want := km > test.within.Sure; ok &&
				(km > max(test.within.Most, test.within.Along)+0.05 || far != want) {
				t.Errorf("%s at %s: %.1f km, first note %q", test.tool, p, km, first)
			}
			if km > test.within.Sure {
				warned++
			}
		}
		if refused == 0 || test.within.Sure < test.within.Most && warned == 0 {
			t.Errorf("%s: %d warned and %d refused, want some", test.tool, warned, refused)
		}
	}
}

// TestCurrentOfDecision checks the current of decisions by its distance: near, in another channel
// and too far. The stations and distances are from NOAA's list.
func TestCurrentOfDecision(t *testing.T) {
	r := simulated(t, nil)
	seen := map[string]int{}
	for i, st := range r.Set.Stations.All(stations.Tide) {
		if i%97 != 0 || facts.Predicts(st) != "tides" {
			continue
		}
		near := r.Set.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
			_, bin := o.Bin()
			return o.Kind == stations.Current && bin == 0
		})[0]
		body, err := json.Marshal(get(t, r.Set, "leadline_trip_health", fmt.Sprintf(
			`{"stationId":%q,"activity":"boating","localDate":"2026-11-25","localTime":"15:00"}`, st.ID)))
		if err != nil {
			t.Fatal(err)
		}
		text := string(body)
		here := strings.Contains(text, "The current is the one predicted at ")
		warned := strings.Contains(text, "km away: another channel. The current is the one")
		events := regexp.MustCompile(`(Slack|Flood of \S+ kn|Ebb of \S+ kn) at `).MatchString(text)
		switch km := near.Kilometers; {
		case km > facts.FarCurrentReach:
			seen["far"]++
			if here || !strings.Contains(text, "within 15 km; the nearest, "+near.Station.ID) {
				t.Errorf("%s, %.0f km from %s: %s", st.ID, km, near.Station.ID, text)
			}
		case here && km > facts.CurrentReach:
			seen["other"]++
			if !warned || events {
				t.Errorf("%s, %.0f km from %s: warned %v, events %v", st.ID, km, near.Station.ID, warned,
					events)
			}
		case here && !warned:
			seen["near"]++
		}
	}
	if seen["far"] == 0 || seen["other"] == 0 || seen["near"] == 0 {
		t.Errorf("stations by distance: %v, want all three", seen)
	}
}
