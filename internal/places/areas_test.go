package places

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/words"
)

// TestAreas checks names of areas. Codes are those of ISO 3166-1 and of the postal services.
func TestAreas(t *testing.T) {
	for name, want := range map[string]string{
		"Nova Scotia": "CA", "B.C.": "CA MX", "Bahamas": "BS", "the Bahamas": "BS", "UK": "GB",
		"U.K.": "GB", "England": "GB", "Holland": "NL", "Tahiti": "PF", "Cornwall": "GB", "NSW": "AU",
		"Georgia":       "GA",
		"Massachusetts": "MA", "IN": "IN", "ON": "CA", "CO": "CO", "USA": "US", "USVI": "VI",
		"CA": "CA", "Veracruz": "MX", "Curaçao": "CW", "Saint Lucia": "LC", "St. Lucia": "LC",
		"Nowhere": "", "": "", "Scotia": "",
	} {
		var codes []string
		for _, a := range AreasOf(words.Split(name)) {
			codes = append(codes, a.Code)
		}
		slices.Sort(codes)
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("AreasOf(%q) = %q, want %q", name, got, want)
		}
	}
	if rest, behind := CutArea(words.Split("port louis mauritius")); len(behind) != 1 ||
		behind[0].Code != "MU" || len(rest) != 2 {
		t.Errorf("CutArea = %q, %v", rest, behind)
	}
}

// TestAreaRows checks that each country of a part has a name, and that no name abroad is also
// a state's.
func TestAreaRows(t *testing.T) {
	for key, list := range areas() {
		for _, a := range list {
			if a.Name == "" || a.Abroad() && CountryName(a.Code) == "" {
				t.Errorf("%q is %+v without a country", key, a)
			}
			if state, n := words.StateOf(strings.Fields(key)); a.Abroad() && n > 0 &&
				n == len(strings.Fields(key)) {
				t.Errorf("%q is the state %s and %+v", key, state, a)
			}
		}
	}
	if n := len(countries()); n < 240 {
		t.Errorf("%d countries, want about 249", n)
	}
}

// TestBeyond checks towns abroad and inland. Countries are from the Times atlas.
func TestBeyond(t *testing.T) {
	for name, want := range map[string]string{
		"Halifax": "Halifax, Canada", "halifax": "Halifax, Canada", "Denver": "Denver, CO",
		"Sydney": "Sydney, Australia", "Valparaíso": "Valparaíso, Chile",
		"Valparaiso": "Valparaíso, Chile", "Panama City": "Panamá, Panama", "Aachen": "Aachen, Germany",
		"San Sebastian": "San Sebastián, Spain", "Donostia": "Donostia, Spain",
		"Zwolle": "Zwolle, Netherlands", "Xyzzyvale": "", "": "", "a": "",
	} {
		got := ""
		if found := Beyond(words.Split(name)); len(found) > 0 {
			got = found[0].String()
		}
		if got != want {
			t.Errorf("Beyond(%q) = %q, want %q", name, got, want)
		}
	}
	last := ""
	for line := range strings.Lines(beyondRows) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		p := beyondPlace(strings.TrimSuffix(line, "\n"))
		if _, err := time.LoadLocation(p.Zone); err != nil {
			t.Errorf("row %q: %v", line, err)
		}
		if len(columns) != 8 || p.Name == "" || p.Rank <= 0 || columns[0] < last ||
			(p.State == "") == (p.Country == "") || words.Key(words.Split(p.Name)) != columns[0] {
			t.Errorf("row %q", line)
		}
		if found := Beyond(words.Split(p.Name)); !slices.Contains(found, p) {
			t.Errorf("%v is not found by its name", p)
		}
		last = columns[0]
	}
}

// TestPosition checks the forms in which people copy positions.
func TestPosition(t *testing.T) {
	for _, text := range []string{
		"42.35, -71.05", "42.35,-71.05", "42.35 -71.05", "42.35; -71.05", "42.35 \u221271.05",
		"42.35N 71.05W", "42.35° N, 71.05° W", "N42.35 W71.05", "n 42.35, w 71.05",
		"42°21'N 71°3'W", "42° 21′ 0″ N, 71° 3′ 0″ W", "42 21 N 71 03 W", "42-21.0N 071-03.0W",
		`42°21'00"N 71°03'00"W`, "N42 21.0 W071 03.0", "42.35º, -71.05º",
		"(42.35, -71.05)", "geo:42.35,-71.05", "lat 42.35, lon -71.05", "71.05 W, 42.35 N",
		"Latitude: 42.35 Longitude: -71.05", "42.35 north, 71.05 west", "42.35 / -71.05",
		"42.35 degrees N 71.05 degrees W",
	} {
		latitude, longitude, ok := Position(text)
		if !ok || math.Hypot(latitude-42.35, longitude+71.05) > 1e-9 {
			t.Errorf("Position(%q) = %v, %v, %v", text, latitude, longitude, ok)
		}
	}
	for _, text := range []string{
		"", ",", "94019", "12 34", "28th St. Pier", "95, 10", "42.35, 190", "42.35N", "42 61 N 71 W",
		"8443970", "1, 2, 3", "42N 71N", "Pier 39, 2",
	} {
		if latitude, longitude, ok := Position(text); ok {
			t.Errorf("Position(%q) = %v, %v", text, latitude, longitude)
		}
	}
}
