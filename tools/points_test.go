package tools

import (
	"fmt"
	"strings"
	"testing"

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
		{"94019", "94019", "America/Los_Angeles", 37.46, -122.44},
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
