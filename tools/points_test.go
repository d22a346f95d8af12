package tools

import (
	"encoding/json"
	"fmt"
	"leadline/internal/waters"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/stations"
)

// TestPointOfPlace checks that results about a point are for the place itself, without a station.
// Positions are from maps.
func TestPointOfPlace(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		place, name, zone   string
		latitude, longitude float64
	}{
		{"Cannon Beach", "Cannon Beach, OR", "America/Los_Angeles", 45.89, -123.96},
		{"Boston, MA", "Boston, MA", "America/New_York", 42.36, -71.06},
		{"94019", "Half Moon Bay, CA", "America/Los_Angeles", 37.46, -122.43},
		{"Denver", "Denver, CO", "America/Denver", 39.74, -104.98},
		{"Phoenix, AZ", "Phoenix, AZ", "America/Phoenix", 33.45, -112.07},
		{"Paris, France", "Paris, France", "Europe/Paris", 48.86, 2.35},
	} {
		for _, tool := range []string{
			"astro_get_sun_times", "astro_get_sun_position", "astro_get_moon_phase",
		} {
			out := get(t, s, tool, fmt.Sprintf(`{"place":%q}`, test.place))
			latitude, _ := out["latitude"].(float64)
			longitude, _ := out["longitude"].(float64)
			far := stations.Kilometers(latitude, longitude, test.latitude, test.longitude)
			if out["station"] != nil || far > 6 || out["timeZone"] != test.zone ||
				follow(out, "place.name") != test.name || follow(out, "place.match") != "exact" {
				t.Errorf("%s of %q: station %v, %v, %v (%.1f km off) in %v, place %v, want %+v", tool,
					test.place, out["station"], latitude, longitude, far, out["timeZone"], out["place"], test)
			}
			text := textOf(t, s, tool, fmt.Sprintf(`{"place":%q}`, test.place))
			if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, test.name+" (") {
				t.Errorf("%s of %q: the first line is %q", tool, test.place, first)
			}
		}
	}
	if out := get(t, s, "astro_get_sun_times", `{"place":"8443970"}`); follow(out,
		"station.id") != "8443970" {
		t.Errorf("the sun of an id: station %v", out["station"])
	}
}

// TestPointAsText checks that a position as text gives the result of its coordinates.
func TestPointAsText(t *testing.T) {
	r := simulated(t, nil)
	for _, tool := range []string{
		"astro_get_sun_times", "astro_get_sun_position", "astro_get_moon_phase",
		"nws_get_wind_forecast", "nws_get_marine_forecast",
	} {
		want := textOf(t, r.Set, tool, `{"latitude":42.35,"longitude":-71.05}`)
		for _, place := range []string{"42.35,-71.05", "42°21'N 71°3'W"} {
			if got := textOf(t, r.Set, tool, fmt.Sprintf(`{"place":%q}`, place)); got != want {
				t.Errorf("%s of %s:\n%s\nwant:\n%s", tool, place, got, want)
			}
		}
	}
}

// TestPointMistaken checks that swapped and unsigned coordinates are refused with the right pair,
// as numbers and as text.
func TestPointMistaken(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ args, want string }{
		{`"latitude":42.35,"longitude":71.05`, "42.35, -71.05 has one: give it"},
		{`"latitude":-71.05,"longitude":42.35`, "42.35, -71.05 has one: give it"},
		{`"place":"42.35, 71.05"`, "42.35, -71.05 has one: give it"},
		{`"place":"-122.43, 37.5"`, "Give 37.5, -122.43."},
	} {
		for _, tool := range []string{
			"astro_get_sun_times", "astro_get_sun_position", "astro_get_moon_phase",
			"nws_get_wind_forecast", "nws_get_marine_forecast",
		} {
			_, err := call(t, s, tool, "{"+test.args+"}")
			if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s %s: %v, want %q", tool, test.args, err, test.want)
			}
		}
	}
	if _, err := call(t, s, "astro_get_sun_times", `{"latitude":-33.9,"longitude":151.2}`); err != nil {
		t.Errorf("the sun of Sydney: %v", err)
	}
}

// TestForecastOfPlace checks that forecasts are for the place itself, also inland.
func TestForecastOfPlace(t *testing.T) {
	r := simulated(t, nil)
	for _, place := range []string{"Boston, MA", "Half Moon Bay, CA"} {
		wind := get(t, r.Set, "nws_get_wind_forecast", fmt.Sprintf(`{"place":%q}`, place))
		sun := get(t, r.Set, "astro_get_sun_times", fmt.Sprintf(`{"place":%q}`, place))
		if wind["station"] != nil || follow(wind, "resolvedPlace.name") != place ||
			follow(wind, "place.latitude") != sun["latitude"] {
			t.Errorf("wind of %s: station %v, place %v, %v", place, wind["station"],
				wind["resolvedPlace"], wind["place"])
		}
		marine := get(t, r.Set, "nws_get_marine_forecast", fmt.Sprintf(`{"place":%q}`, place))
		text := textOf(t, r.Set, "nws_get_marine_forecast", fmt.Sprintf(`{"place":%q}`, place))
		if marine["station"] != nil || follow(marine, "place.name") != place ||
			!strings.HasPrefix(text, place+" (") {
			t.Errorf("marine forecast of %s: station %v, place %v: %s", place, marine["station"],
				marine["place"], text)
		}
	}
	inland := get(t, r.Set, "nws_get_wind_forecast", `{"place":"Denver"}`)
	if inland["timeZone"] != "America/Denver" || follow(inland, "place.surface") != "land" {
		t.Errorf("wind of Denver: zone %v, place %v", inland["timeZone"], inland["place"])
	}
}

// TestDayOfPlace checks that the light, the wind and the alerts of a day are those of the place,
// and its tides those of the station.
func TestDayOfPlace(t *testing.T) {
	r := simulated(t, nil)
	const place = `"place":"Half Moon Bay, CA"`
	day := get(t, r.Set, "leadline_get_day", "{"+place+`,"activity":"boating"}`)
	sun := get(t, r.Set, "astro_get_sun_times", "{"+place+"}")
	if got, want := follow(day, "light.sunrise"), follow(sun, "days.0.sunrise"); got != want {
		t.Errorf("sunrise %v, want %v", got, want)
	}
	if follow(day, "station.id") != "9414131" || follow(day, "place.latitude") != sun["latitude"] {
		t.Errorf("station %v, place %v", follow(day, "station.id"), day["place"])
	}
	notes, more := fmt.Sprint(day["notes"]), fmt.Sprint(day["more"])
	for _, want := range []string{
		"Light, moon, wind and alerts are for the position of Half Moon Bay, CA, 37.4635, -122.4286.",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes are %s, want %q", notes, want)
		}
	}
	for _, want := range []string{
		"noaa_get_tide_predictions station=9414131", `astro_get_sun_times place="Half Moon Bay, CA"`,
		`nws_get_marine_forecast place="Half Moon Bay, CA"`,
		`leadline_trip_health place="Half Moon Bay, CA"`,
	} {
		if !strings.Contains(more, want) {
			t.Errorf("the calls are %s, want %q", more, want)
		}
	}
}

// TestTripOfPlace checks that a decision about a place takes the grid of the place and the tide of
// the station, and says so.
func TestTripOfPlace(t *testing.T) {
	r := simulated(t, nil)
	const trip = `"activity":"boating","localDate":"2026-11-21","localTime":"09:00"`
	out := get(t, r.Set, "leadline_trip_health", `{"place":"Half Moon Bay, CA",`+trip+"}")
	text := fmt.Sprint(out)
	for _, want := range []string{
		"lat=37.4635&lon=-122.4286", "id:9414131",
		"Light, wind, waves and alerts are for the position of Half Moon Bay, CA, 37.4635, -122.4286.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the decision does not have %q: %s", want, text)
		}
	}
	for _, args := range []string{"{" + trip + "}", `{"place":"Boston","stationId":"8443970",` + trip +
		"}"} {
		if _, err := call(t, r.Set, "leadline_trip_health", args); code(err) != "invalid_request" {
			t.Errorf("%s: %v, want invalid_request", args, err)
		}
	}
}

// TestWavesOffShore checks that a place without waves in the grid has those of the sea off its
// shore, and says so. The simulator has waves from 4 km from a tide station on.
func TestWavesOffShore(t *testing.T) {
	r := simulated(t, nil)
	away := func(latitude, longitude float64) float64 {
		return r.Set.Stations.Nearest(latitude, longitude, 1, func(st stations.Station) bool {
			return st.Kind == stations.Tide && st.State != ""
		})[0].Kilometers
	}
	for _, p := range places.Open().All() {
		front, faces := waters.FrontOf(p)
		if !faces || p.Kind != places.Town || p.State != "OR" || away(p.Latitude, p.Longitude) > 3.5 ||
			away(front.Sea.Latitude, front.Sea.Longitude) < 4.5 {
			continue
		}
		out := get(t, r.Set, "nws_get_wind_forecast", fmt.Sprintf(`{"place":%q,"hours":6}`, p))
		sea := get(t, r.Set, "nws_get_wind_forecast", fmt.Sprintf(
			`{"latitude":%g,"longitude":%g,"hours":6}`, front.Sea.Latitude, front.Sea.Longitude))
		got, want := follow(out, "hours.waves"), follow(sea, "hours.waves")
		if got == nil || fmt.Sprint(got) != fmt.Sprint(want) ||
			!strings.Contains(fmt.Sprint(out["notes"]), "km away off its shore, at ") {
			t.Errorf("%s: waves %v, want %v; notes %s", p, got, want, out["notes"])
		}
		if land := follow(out, "place.surface"); land != "land" {
			t.Errorf("%s: the wind is for %v, want land", p, land)
		}
		return
	}
	t.Fatal("no town with its waves off the shore")
}

// TestPlaceOfStations checks that each tool that takes a station takes a place too, and that its
// result is that of the station it names, with the place.
func TestPlaceOfStations(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct{ tool, place, args, station string }{
		{"noaa_get_water_level_summaries", "Boston, MA", `,"product":"monthly_mean"`, "8443970"},
		{"noaa_get_currents", "Cape Henry, VA", `,"date":"latest"`, ""},
		{"noaa_get_station_info", "Half Moon Bay, CA", "", "9414131"},
		{"noaa_get_station_datums", "Boston, MA", "", "8443970"},
		{"noaa_get_harmonic_constituents", "Boston, MA", "", "8443970"},
		{"noaa_get_tide_prediction_offsets", "Half Moon Bay, CA", "", "9414449"},
		{"noaa_get_station_sensors", "Boston, MA", "", "8443970"},
		{"noaa_get_current_station_bins", "Deception Pass", "", "PUG1701"},
		{"noaa_get_station_flood_levels", "Boston, MA", "", "8443970"},
		{"noaa_get_extreme_water_levels", "Boston, MA", "", "8443970"},
		{"noaa_get_high_tide_flooding", "Boston, MA", "", "8443970"},
		{"noaa_get_top_ten_water_levels", "Boston, MA", "", "8443970"},
	} {
		out, err := call(t, r.Set, test.tool, fmt.Sprintf(`{"place":%q%s}`, test.place, test.args))
		if err != nil {
			t.Errorf("%s of %s: %v", test.tool, test.place, err)
			continue
		}
		body, _ := out.Structured()
		var result map[string]any
		if err := json.Unmarshal(body, &result); err != nil {
			t.Fatal(err)
		}
		if id := follow(result, "station.id"); test.station != "" && id != test.station ||
			follow(result, "place.asked") != test.place {
			t.Errorf("%s of %s: station %v, place %v, want %s", test.tool, test.place, id,
				result["place"], test.station)
		}
	}
}
