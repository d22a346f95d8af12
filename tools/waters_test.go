package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/trials"
	"leadline/internal/waters"
)

// TestPublishedPlaces asks for the tide of each place of the published list. Each must be answered
// from one of the stations that a person who knows the coast accepts, or be refused. A failure
// prints what is known of the station.
func TestPublishedPlaces(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), "published", "water_places.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSet(t)
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(c) < 3 {
			continue
		}
		station := answering(t, s, c[0], "")
		if !slices.Contains(strings.Split(c[1], ","), station) {
			class, _ := waters.Of(station)
			t.Errorf("%s: %s (%s, %.0f min, ratio %.2f), want %s on the %s", c[0], station, class.Water,
				class.Minutes, class.Ratio, c[1], c[2])
		}
	}
}

// answering returns the id of the station that answers for a place, or REFUSE.
func answering(t *testing.T, s *Set, place, water string) string {
	t.Helper()
	args := fmt.Sprintf(`{"place":%q}`, place)
	if water != "" {
		args = fmt.Sprintf(`{"place":%q,"water":%q}`, place, water)
	}
	if _, err := call(t, s, "noaa_get_tide_predictions", args); err != nil {
		return "REFUSE"
	}
	return fmt.Sprint(follow(get(t, s, "noaa_get_tide_predictions", args), "station.id"))
}

// TestWaterOfPlace checks that words and the argument water choose the same station.
func TestWaterOfPlace(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ words, place, water string }{
		{"Myrtle Beach waterway", "Myrtle Beach", "inside"},
		{"Myrtle Beach ocean, SC", "Myrtle Beach, SC", "ocean"},
		{"Vero Beach lagoon", "Vero Beach", "inside"},
		{"Vero Beach lagoon, FL", "Vero Beach, FL", "inside"},
		{"Daytona Beach river", "Daytona Beach", "inside"},
		{"Montauk ocean", "Montauk", "ocean"},
	} {
		words, argument := answering(t, s, test.words, ""), answering(t, s, test.place, test.water)
		if words != argument || words == "REFUSE" {
			t.Errorf("%s: station %s; %s with water %s: %s", test.words, words, test.place, test.water,
				argument)
		}
	}
	sea, river := answering(t, s, "Daytona Beach", "ocean"), answering(t, s, "Daytona Beach", "inside")
	if sea == river {
		t.Errorf("both waters of Daytona Beach are answered from %s", sea)
	}
}

// TestOtherWater checks the fields and the first line of a place with two waters.
func TestOtherWater(t *testing.T) {
	out := get(t, newSet(t), "noaa_get_tide_predictions",
		`{"place":"Daytona Beach, FL","date":"2027-06-12"}`)
	place := out["place"].(map[string]any)
	if place["water"] != "ocean" || place["faces"] != "both" ||
		follow(out, "station.water") != "ocean" {
		t.Errorf("place = %v, station = %v, want the ocean, and both faced", place, out["station"])
	}
	other := follow(out, "place.alternatives.0").(map[string]any)
	// NOAA, 8721120 and 8721045, predictions of 12 June 2027: 2:57 and 7:10, 3.84 and 0.65 ft.
	if m := other["minutesLater"].(float64); m < 200 || m > 300 {
		t.Errorf("minutesLater = %v, want about 250", m)
	}
	if r := other["rangeRatio"].(float64); r < 0.1 || r > 0.3 {
		t.Errorf("rangeRatio = %v, want about 0.2", r)
	}
}

// TestKindsOfPlaces has a place of each kind that was once answered from other water, or from a
// place of a similar name. The stations are those of NOAA that lie on the water of the place.
func TestKindsOfPlaces(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ place, water, want string }{
		// A station of the name lies on other water, far away.
		{"Corpus Christi, TX", "", "8775296"}, {"Tuckerton, NJ", "", "8534080"},
		{"Stony Point, NY", "", "8518924"},
		// Bays of the open sea.
		{"Hanalei Bay, HI", "", "1611683"}, {"Hanauma Bay, HI", "", "1612301"},
		{"Dutch Harbor, AK", "", "9462611"}, {"Drakes Bay, CA", "", "9415020"},
		// The words of a water are the name of another.
		{"Cooper River", "", "REFUSE"}, {"James River", "", "REFUSE"},
		{"Boynton Inlet", "", "REFUSE"}, {"Shinnecock Bay", "", "8512671"},
		{"Galveston beach", "", "8771510"}, {"Pacific Beach, WA", "", "9441627"},
		// ZIP codes whose centers are far from their towns, and positions of stations.
		{"32951", "ocean", "8721804"}, {"02543", "", "8448251"},
		{"38.327, -75.083", "", "8570280"}, {"29.285, -94.789", "", "8771510"},
		// There is no such water.
		{"Seattle, WA", "ocean", "REFUSE"}, {"Poughkeepsie, NY", "ocean", "REFUSE"},
	} {
		if got := answering(t, s, test.place, test.water); got != test.want {
			t.Errorf("%s %s: station %s, want %s", test.place, test.water, got, test.want)
		}
	}
}

// TestAcrossLand checks that an answer from water that a place does not lie on says so in its first
// line, and that the station of an inlet does not answer for the ocean far from it.
func TestAcrossLand(t *testing.T) {
	s := newSet(t)
	for place, want := range map[string]string{
		"Titusville, FL": "on the ocean, 30.3 km from Titusville, FL, which does not face it",
		"Cocoa, FL":      "on the ocean, 14 km from Cocoa, FL, which does not face it",
		"Currituck, NC":  "on the ocean, 28.2 km from Currituck, NC, which does not face it",
		"Eastham, MA":    "from Eastham, MA, not on the open coast",

		"St. George Island, FL": "on the bay, 1.7 km from St. George Island, FL, not on the open coast",
		// A bar that the map does not have closes Siletz Bay.
		"Lincoln City, OR": "Lincoln City, OR (the water near the open coast at 9435827 Depoe Bay",
		// The station lies at the mouth of an inlet, or on a bay that land separates.
		"Port Mansfield, TX": "from Port Mansfield, TX (the lagoon at 8779280 Realitos Pennisula",
		"Navarre, FL":        "from Navarre, FL (the bay at 8729717 Navarre, North Side",
		"Palacios, TX":       "from Palacios, TX (the lagoon at 8773701 Port O'Connor",
		// The center of a ZIP code lies on other water than its town.
		"02540": "on the bay, 4.4 km from 02540 (the lagoon at 8447865 Falmouth Heights",
		// These are towns, whose centers they are not.
		"78597": "on the ocean, 4.2 km along the coast from South Padre Island, TX:",
		"23310": "on the bay, 0.8 km from Cape Charles, VA:",
		"70631": "on the ocean, 3.7 km from Cameron, LA:",
		"36528": "on the bay, 2.9 km from Dauphin Island, AL (the open coast at 8731269",
		"98586": "on the river, 0.5 km from South Bend, WA",
		"31522": "on the ocean, 3.7 km along the coast from Saint Simons Island, GA (",
		// Names that only a station has.
		"Sargent, ICWW, TX":           "on the waterway, taken for Sargent, ICWW, TX",
		"Hunting Island State Park":   "near the open coast, taken for Hunting Island",
		"Edisto Beach State Park, SC": "on the ocean, 0.4 km from Edisto Beach, SC",
		// A word for the water behind a position.
		"39.655, -74.20 inside": "on the lagoon, 1.3 km from 39.655, -74.2 (the open coast at 8533071",
		"30.390,-86.50 ocean":   "on the ocean, 9.6 km along the coast from 30.39, -86.5 (the lagoon at",
	} {
		out, err := call(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"place":%q}`, place))
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := out.Forms(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if !strings.Contains(first, want) {
			t.Errorf("%s: the first line is %q, want %q in it", place, first, want)
		}
		at := get(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"place":%q}`, place))
		if faces := follow(at, "place.faces"); strings.Contains(want, "does not face") && faces != nil {
			t.Errorf("%s: faces %v, want none", place, faces)
		}
	}
}

// TestAskedNames checks that a name is asked about if stations with different tides have it, or if
// towns begin with it, and that one with a word for a water behind it is not read as another one.
func TestAskedNames(t *testing.T) {
	s := newSet(t)
	for place, want := range map[string]string{
		"James River":              "8638450 (Tettington, James River, VA); 8636941 (Richmond",
		"Edisto":                   "8667630 (Edisto Beach, Edisto Island, SC)",
		"North Island SC":          `named "North Island SC"`,
		"Aransas Bay":              `named "Aransas Bay"`,
		"Sargent, ICWW, TX ocean":  "No station of the open coast that predicts tides lies within 15 km",
		"Barview, OR":              "Barview, Coos Bay, OR; 9437581 (Barview, OR)",
		"Klamath River":            `named "Klamath River"`,
		"Beverly Beach State Park": "No place",
	} {
		_, err := call(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"place":%q}`, place))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", place, err, want)
		}
	}
}

// TestNoSuchWater checks that a place without the water that is asked for is refused for that, and
// that no beach of another town is suggested.
func TestNoSuchWater(t *testing.T) {
	s := newSet(t)
	for place, want := range map[string]string{
		"Falmouth, MA ocean":  "No station of the open coast that predicts tides lies within 15 km",
		"41.94,-69.97 ocean":  "No station of the open coast that predicts tides lies within 60 km",
		"02540 ocean":         "No station of the open coast that predicts tides lies within 15 km",
		"Matagorda Beach, TX": "Matagorda, TX does not face the open sea",
	} {
		_, err := call(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"place":%q}`, place))
		if code(err) != coast.StationNotFound || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", place, err, want)
		}
	}
}

// TestPlacesAtAllEnds checks that a place has one station for its tide, however it is asked for.
func TestPlacesAtAllEnds(t *testing.T) {
	s := newSet(t)
	for _, place := range []string{
		"Daytona Beach, FL", "Vero Beach, FL", "Myrtle Beach, SC", "Dutch Harbor, AK", "Key West, FL",
		"Half Moon Bay, CA", "Boston, MA", "32951",
	} {
		want := answering(t, s, place, "")
		args := fmt.Sprintf(`{"query":%q,"type":"tidepredictions"}`, place)
		search := get(t, s, "noaa_search_stations", args)
		found := get(t, s, "leadline_find_places", fmt.Sprintf(`{"query":%q}`, place))
		telegram := get(t, s, "leadline_tide_telegram", fmt.Sprintf(`{"place":%q}`, place))
		day := get(t, s, "leadline_get_day", fmt.Sprintf(`{"place":%q,"include":["tides"]}`, place))
		for end, got := range map[string]any{
			"search": follow(search, "stations.0.id"), "places": follow(found, "places.0.nearest.tide.id"),
			"telegram": follow(telegram, "station.id"), "day": follow(day, "station.id"),
		} {
			if got != want {
				t.Errorf("%s: %s has %v, predictions have %s", place, end, got, want)
			}
		}
	}
}

// TestFirstLine checks that the first line of a text names the water, the other one with how its
// tide differs, and that there is hardly any tide: at Melbourne, FL, the mean range is 0.2 ft
// (NOAA, 8721843, datums: MN).
func TestFirstLine(t *testing.T) {
	s := newSet(t)
	for place, want := range map[string]string{
		"Daytona Beach, FL": "on the ocean, 9.4 km along the coast from Daytona Beach, FL (the river at ",
		"Melbourne, FL":     "hardly any tide",
		"Chincoteague, VA":  "on the lagoon, 0.4 km from Chincoteague, VA (the open coast at 8630440",
	} {
		r, err := call(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"place":%q}`, place))
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := r.Forms(1 << 20)
		if line, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(line, want) {
			t.Errorf("%s: the first line is %q, want %q", place, line, want)
		}
	}
}

// TestAdviceHolds asks for the other water of places in the words of the note, and expects the
// station that the first answer names.
func TestAdviceHolds(t *testing.T) {
	s, asked, step := newSet(t), 0, 23
	if trials.Thorough() {
		step = 1
	}
	for i, p := range places.Open().All() {
		if i%step != 0 || p.Kind == places.ZIP {
			continue
		}
		args := fmt.Sprintf(`{"place":%q}`, p)
		if _, err := call(t, s, "noaa_get_tide_predictions", args); err != nil {
			continue // the name alone is ambiguous, or no station is near
		}
		out := get(t, s, "noaa_get_tide_predictions", args)
		other := follow(out, "place.alternatives.0.station")
		_, advice, found := strings.Cut(fmt.Sprint(out["notes"]), " For that water, ask for \"")
		if (other != nil) != found {
			t.Errorf("%s: other station %v, advice %v", p, other, found)
		}
		if !found {
			continue
		}
		asked++
		words, _, _ := strings.Cut(advice, "\"")
		if got := answering(t, s, words, ""); got != other {
			t.Errorf("%q: station %s, want %v", words, got, other)
		}
	}
	if asked == 0 {
		t.Error("no place has two waters")
	}
}
