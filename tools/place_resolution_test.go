package tools

import (
	"fmt"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// TestPlace checks which station represents a place, and its distance. Positions and names
// are from NOAA's list and from maps.
func TestPlace(t *testing.T) {
	const tideTool, currents = "noaa_get_tide_predictions", "noaa_get_current_predictions"
	s := newSet(t)
	for _, test := range []struct{ tool, args, station, match, name string }{
		{tideTool, `"place":"Half Moon Bay, CA"`, "9414131", "place", "Half Moon Bay, CA"},
		{tideTool, `"place":"half moon bay"`, "9414131", "place", "Half Moon Bay, CA"},
		{tideTool, `"place":"94019"`, "9414131", "place", "Half Moon Bay, CA"},
		{tideTool, `"place":"Boston"`, "8443970", "exact", "Boston, MA"},
		{tideTool, `"place":"8443970"`, "8443970", "id", "Boston, MA"},
		{tideTool, `"place":"Woods Hole"`, "8447930", "alias", "Woods Hole, MA"},
		{tideTool, `"place":"Fire Island, AK"`, "9455912", "exact", "Fire Island, AK"},
		{tideTool, `"place":"Fire Island, NY"`, "8515228", "place", "Fire Island, NY"},
		{tideTool, `"place":"Jamaica Bay"`, "8517137", "place", "Jamaica Bay, NY"},
		{tideTool, `"place":"Elliott Bay"`, "9447130", "", ""},
		// the nearest station of the ocean is subordinate and does not have this datum
		{tideTool, `"place":"Cannon Beach","datum":"NAVD"`, "9437585", "place", "Cannon Beach, OR"},
		{currents, `"place":"Deception Pass"`, "PUG1701", "exact", "Deception Pass, WA"},
		{currents, `"place":"Sausalito, CA"`, "", "place", "Sausalito, CA"},
	} {
		out := get(t, s, test.tool, "{"+test.args+"}")
		named, _ := out["place"].(map[string]any)
		if station := follow(out, "station.id"); test.station != "" && station != test.station ||
			test.match != "" && (named["match"] != test.match || named["name"] != test.name) {
			t.Errorf("%s %s: station %v, named %v, want %s, %s, %s", test.tool, test.args, station, named,
				test.station, test.match, test.name)
		}
		first, station := fmt.Sprint(follow(out, "notes.0")), fmt.Sprint(follow(out, "station.id"))
		if !strings.Contains(first, station) {
			t.Errorf("%s %s: the first note is %q", test.tool, test.args, first)
		}
		km, ok := named["distanceKm"].(float64)
		if test.match == "place" && (!ok || km <= 0 || km > place.OfWater.Most) {
			t.Errorf("%s %s: %v km away", test.tool, test.args, named["distanceKm"])
		}
	}
}

// TestPlaceZIP checks that results and searches for a ZIP code name the center of its area
// and the places near it. The center is from the Census Bureau. The distances are
// great-circle distances to the positions in GeoNames and in our list of waters.
func TestPlaceZIP(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ tool, args, note string }{
		{"noaa_get_tide_predictions", `{"place":"02543"}`, "notes.1"},
		{"noaa_search_stations", `{"query":"02543"}`, "notes.2"},
	} {
		note := fmt.Sprint(follow(get(t, s, test.tool, test.args), test.note))
		for _, want := range []string{
			"The ZIP code 02543 is an area", "(41.47, -70.78)", "Elizabeth Islands, MA (1.9 km)",
			"Woods Hole, MA (10.9 km)",
		} {
			if !strings.Contains(note, want) {
				t.Errorf("%s %s: the note is %q, want %q", test.tool, test.args, note, want)
			}
		}
	}
	town := get(t, s, "noaa_get_tide_predictions", `{"place":"Cannon Beach"}`)
	if notes := fmt.Sprint(town["notes"]); strings.Contains(notes, "ZIP code") {
		t.Errorf("a town has the notes %s", notes)
	}
}

// TestPlaceSame checks that the result for a place equals the result for its station, plus
// the place and notes.
func TestPlaceSame(t *testing.T) {
	s := newSet(t)
	const tideTool = "noaa_get_tide_predictions"
	of := get(t, s, tideTool, `{"place":"Half Moon Bay, CA","date":"tomorrow"}`)
	want := get(t, s, tideTool, `{"station":"9414131","date":"tomorrow"}`)
	if fmt.Sprint(of["extremes"]) != fmt.Sprint(want["extremes"]) || want["place"] != nil {
		t.Errorf("extremes %v, want %v", of["extremes"], want["extremes"])
	}
	// The request for the next page names the station.
	r, err := call(t, s, tideTool, `{"place":"Half Moon Bay, CA","begin_date":"2026-01-01","range":8000}`)
	if err != nil {
		t.Fatal(err)
	}
	part, err := r.Fit(3000)
	if err != nil {
		t.Fatal(err)
	}
	next := part.Value.(tides.TidePredictions).Next
	if next["station"] != "9414131" || next["place"] != nil {
		t.Errorf("the next page is %v, want station 9414131 and no place", next)
	}
}

// TestPlaceObserved checks the operations that send requests to providers.
func TestPlaceObserved(t *testing.T) {
	r := simulated(t, nil)
	levels := get(t, r.Set, "noaa_get_water_levels", `{"place":"Boston, MA"}`)
	if follow(levels, "station.id") != "8443970" || follow(levels, "place.name") != "Boston, MA" {
		t.Errorf("levels of Boston: station %v, place %v", follow(levels, "station.id"), levels["place"])
	}
	lake := get(t, r.Set, "noaa_get_water_levels", `{"place":"Buffalo, NY"}`)
	if follow(lake, "station.id") != "9063020" || lake["datum"] != "IGLD" {
		t.Errorf("levels of Buffalo: station %v, datum %v", follow(lake, "station.id"), lake["datum"])
	}
	_, err := call(t, r.Set, "noaa_get_tide_predictions", `{"place":"Buffalo, NY"}`)
	if code(err) != coast.StationNotFound || !strings.Contains(err.Error(), "predicts no tide") {
		t.Errorf("tide at Buffalo: %v", err)
	}
	// Tacoma MET has the weather of Tacoma, and no gauge.
	for _, test := range []struct{ tool, args, station string }{
		{"noaa_get_meteorological_data", `"place":"Boston, MA","product":"all"`, "8443970"},
		{"noaa_get_meteorological_data", `"place":"Tacoma, WA","product":"wind"`, "9446482"},
	} {
		out := get(t, r.Set, test.tool, "{"+test.args+"}")
		if follow(out, "station.id") != test.station || follow(out, "place.match") == nil {
			t.Errorf("%s %s: station %v, place %v, want %s", test.tool, test.args,
				follow(out, "station.id"), out["place"], test.station)
		}
		text := textOf(t, r.Set, test.tool, "{"+test.args+"}")
		first, _, _ := strings.Cut(text, "\n")
		if !strings.Contains(first, "("+test.station+"), ") || !strings.Contains(first, " km from ") {
			t.Errorf("%s %s: the first line is %q", test.tool, test.args, first)
		}
	}
}

// TestPlaceRefused checks names without a match and names of several places.
func TestPlaceRefused(t *testing.T) {
	const tideTool, sun = "noaa_get_tide_predictions", "astro_get_sun_times"
	s := newSet(t)
	for _, test := range []struct {
		tool, args string
		code       coast.Code
		want       string
	}{
		{tideTool, `"place":"Newport"`, coast.InvalidRequest, "several places: Newport, RI; Newport, OR; "},
		{tideTool, `"place":"Portland"`, coast.InvalidRequest, "Portland, OR; Portland, ME"},
		{tideTool, `"place":"Fire Island"`, coast.InvalidRequest, "Fire Island, NY; Fire Island, AK"},
		{tideTool, `"place":"Denver"`, coast.StationNotFound,
			`Denver, CO is inland; the nearest coast is at `},
		{sun, `"place":"Laguna Beach"`, coast.InvalidRequest, "Laguna Beach, CA; Laguna Beach, FL"},
		{tideTool, `"place":"Laguna Beach, OR"`, coast.StationNotFound, "Coverage: US coasts"},
		{tideTool, `"place":"Milwaukee"`, coast.StationNotFound, "predicts no tide, and which gauges are"},
		{"noaa_get_current_predictions", `"place":"Columbia River Entrance"`, coast.StationNotFound,
			"9440574 (Columbia River Entrance (N. Jetty), WA) has that name and is of another kind. " +
				"The nearest of the wanted kind is "},
		{tideTool, `"place":"London"`, coast.StationNotFound, "Coverage: US coasts"},
		{tideTool, `"place":"Sydney"`, coast.StationNotFound,
			`"Sydney" is Sydney, Australia, or Sydney, Canada. NOAA has no station`},
		{tideTool, `"place":"Provincetwon, MA"`, coast.StationNotFound, "Similar names: Provincetown, MA."},
		{tideTool, `"place":"Provincetwon"`, coast.StationNotFound, "Similar names: Provincetown, MA."},
		{tideTool, `"place":"Wood Hole"`, coast.StationNotFound, "Similar names: Woods Hole, MA."},
		{"noaa_get_current_predictions", `"place":"Wood Hole"`, coast.StationNotFound,
			"Similar names: Woods Hole, MA; Woods Hole, the Strait, MA."},
		{"noaa_get_current_predictions", `"place":"Pearse Cannery"`, coast.StationNotFound,
			"(Wales Island (Cannery), Pearse Canal, Canada) has a similar name and is of another kind."},
		{"noaa_get_current_predictions", `"place":"Nassau, Bahamas"`, coast.StationNotFound,
			`"Nassau" is in Bahamas. NOAA has no station in Bahamas that predicts currents.`},
		{"noaa_get_current_predictions", `"place":"Halifax, Canada"`, coast.StationNotFound,
			"NOAA has 9 stations in Canada that predict currents, the nearest "},
		{tideTool, `"place":"Halifax, Canada"`, coast.StationNotFound,
			"NOAA has 4 stations in Canada that predict tides, the nearest 47"},
		{sun, `"place":"Aurora"`, coast.InvalidRequest,
			"Give one with its state. The largest, Aurora, CO, has"},
		{tideTool, `"place":"Cancún, Mexico"`, coast.StationNotFound, " km away: 9503151 (Progreso); "},
		{tideTool, `"place":"Valparaiso, Chile"`, coast.StationNotFound,
			"NOAA has 1 station in Chile that predicts tides, 3680 km away: TPT2819 (Easter Island"},
		{tideTool, `"place":"80202"`, coast.StationNotFound, "within 40 km of a station"},
		{"noaa_get_current_predictions", `"place":"Pago Pago Harbor"`, coast.StationNotFound,
			"No station that predicts currents lies within 15 km of Pago Pago Harbor, AS."},
		{tideTool, `"place":"Boston","station":"8443970"`, coast.InvalidRequest, "not both"},
		{tideTool, ``, coast.InvalidRequest, "station is required"},
		{sun, ``, coast.InvalidRequest, "a place is needed"},
		{sun, `"place":"Boston","latitude":42,"longitude":-71`, coast.InvalidRequest, "not two of them"},
		{sun, `"place":"Boston","station":"8443970"`, coast.InvalidRequest, "not two of them"},
		{"noaa_get_water_levels", `"place":"Boston"`, coast.ProviderUnavailable, ""},
	} {
		_, err := call(t, s, test.tool, "{"+test.args+"}")
		if e, _ := coast.AsError(err); err == nil || e.Code != test.code ||
			!strings.Contains(e.Message, test.want) {
			t.Errorf("%s %s: %v, want %s with %q", test.tool, test.args, err, test.code, test.want)
		}
	}
}
