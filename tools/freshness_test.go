package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
)

// aged is a row of the freshness table: the request, the id of the source, the time from
// which its age counts, and the two limits, both inclusive.
type aged struct {
	name, tool, args, source string
	clock                    func(t testing.TB, out map[string]any) time.Time
	fresh, aging             time.Duration
}

// newestOf returns the time of the newest row with a value.
func newestOf(path string) func(testing.TB, map[string]any) time.Time {
	return func(t testing.TB, out map[string]any) time.Time { return timeAt(t, out, path) }
}

// clockOf returns a timestamp from the source itself.
func clockOf(id, field string) func(testing.TB, map[string]any) time.Time {
	return func(t testing.TB, out map[string]any) time.Time {
		return timeAt(t, sourceOf(out, id), field)
	}
}

// table returns the documented limits, row by row.
func table() []aged {
	const quick, slow = 18 * time.Minute, time.Hour
	var rows []aged
	add := func(name, tool, args, source string, clock func(testing.TB, map[string]any) time.Time,
		fresh, aging time.Duration) {
		rows = append(rows, aged{name, tool, args, source, clock, fresh, aging})
	}
	add("6-minute levels", "noaa_get_water_levels", `{"station":"8443970"}`, "observed-water-level",
		newestOf("newest.time"), quick, time.Hour)
	add("1-minute levels", "noaa_get_water_levels", `{"station":"8443970","interval":"1","range":2}`,
		"observed-water-level", newestOf("newest.time"), quick, time.Hour)
	add("currents", "noaa_get_currents", `{"station":"cb0102"}`, "observed-current",
		clockOf("observed-current", "sourceAt"), quick, time.Hour)
	for _, product := range []struct{ name, station string }{
		{"wind", "8443970"},
		{"air_pressure", "8443970"},
		{"air_gap", "8517986"},
		{"visibility", "8638610"},
	} {
		add(product.name, "noaa_get_meteorological_data",
			fmt.Sprintf(`{"station":%q,"product":%q}`, product.station, product.name),
			"observed-"+strings.ReplaceAll(product.name, "_", "-"),
			newestOf("newest.0.time"), quick, time.Hour)
	}
	for _, product := range []struct{ name, station string }{
		{"air_temperature", "8443970"},
		{"water_temperature", "8443970"},
		{"salinity", "8443970"},
		{"conductivity", "8443970"},
		{"humidity", "8638610"},
	} {
		add(product.name, "noaa_get_meteorological_data",
			fmt.Sprintf(`{"station":%q,"product":%q}`, product.station, product.name),
			"observed-"+strings.ReplaceAll(product.name, "_", "-"),
			newestOf("newest.0.time"), slow, 3*time.Hour)
	}
	add("past levels", "noaa_get_water_levels", `{"station":"8443970","begin_date":"2020-01-01"}`,
		"observed-water-level", clockOf("observed-water-level", "receivedAt"), facts.Day, 30*facts.Day)
	add("past wind", "noaa_get_meteorological_data",
		`{"station":"8443970","product":"wind","begin_date":"2020-01-01"}`, "observed-wind",
		clockOf("observed-wind", "receivedAt"), facts.Day, 30*facts.Day)
	add("verified heights", "noaa_get_water_levels",
		`{"station":"8443970","interval":"hourly","begin_date":"2020-01-01"}`, "observed-water-level",
		clockOf("observed-water-level", "receivedAt"), facts.Day, 30*facts.Day)
	add("highs and lows", "noaa_get_water_level_summaries",
		`{"station":"8443970","product":"high_low","begin_date":"2020-01-01"}`,
		"observed-water-level-summary", clockOf("observed-water-level-summary", "receivedAt"), facts.Day,
		30*facts.Day)
	add("grid", "nws_get_wind_forecast", `{"station":"8443970","hours":6}`, "wind-forecast",
		newestOf("issued"), 7*time.Hour, 13*time.Hour)
	add("alerts", "nws_get_marine_forecast", `{"station":"8443970"}`, "marine-alerts",
		newestOf("alertsAsOf"), 5*time.Minute, 15*time.Minute)
	add("sensors", "noaa_get_station_sensors", `{"station":"8443970"}`, "station-sensors",
		clockOf("station-sensors", "receivedAt"), 30*facts.Day, 180*facts.Day)
	add("published flood levels", "noaa_get_station_flood_levels", `{"station":"8443970"}`,
		"published-flood-levels", clockOf("published-flood-levels", "receivedAt"), 30*facts.Day,
		180*facts.Day)
	add("trends", "noaa_get_sea_level_trends", `{"station":"8443970"}`, "sea-level-trends",
		clockOf("sea-level-trends", "receivedAt"), 30*facts.Day, 180*facts.Day)
	add("flood days", "noaa_get_high_tide_flooding", `{"station":"8443970","year":2025}`,
		"high-tide-flooding", clockOf("high-tide-flooding", "receivedAt"), 30*facts.Day, 180*facts.Day)
	add("top ten", "noaa_get_top_ten_water_levels", `{"station":"8443970"}`, "top-ten-water-levels",
		clockOf("top-ten-water-levels", "receivedAt"), 30*facts.Day, 180*facts.Day)
	add("extremes", "noaa_get_extreme_water_levels", `{"station":"8443970"}`, "extreme-water-levels",
		clockOf("extreme-water-levels", "receivedAt"), 30*facts.Day, 180*facts.Day)
	return rows
}

// TestFreshness checks every row of the table on both sides of both limits, and the age in
// minutes.
func TestFreshness(t *testing.T) {
	r := simulated(t, nil)
	for _, row := range table() {
		t.Run(row.name, func(t *testing.T) {
			r.clock.at = noon
			at := row.clock(t, get(t, r.Set, row.tool, row.args))
			for _, age := range []struct {
				of   time.Duration
				want coast.Freshness
			}{
				{0, coast.Fresh},
				{row.fresh, coast.Fresh},
				{row.fresh + time.Second, coast.Aging},
				{row.aging, coast.Aging},
				{row.aging + time.Second, coast.Stale},
			} {
				now := at.Add(age.of)
				r.clock.at = now
				s := sourceOf(get(t, r.Set, row.tool, row.args), row.source)
				if s["freshness"] != string(age.want) {
					t.Errorf("%v old: %v, want %s", age.of, s["freshness"], age.want)
				}
				most := age.of.Truncate(time.Minute).Minutes()
				// receivedAt does not include fractions of a second.
				least := max(0, (age.of - time.Second).Truncate(time.Minute).Minutes())
				if minutes, ok := s["ageMinutes"].(float64); !ok ||
					minutes != most && (row.fresh < facts.Day || minutes != least) {
					t.Errorf("%v old: %v minutes, want %v", age.of, s["ageMinutes"], most)
				}
			}
		})
	}
	r.clock.at = noon
}

// TestBulletinFreshness checks that a text is fresh for seven hours and stale after its
// expiry, whichever comes first. A text without an expiry is stale after a day.
func TestBulletinFreshness(t *testing.T) {
	r := simulated(t, nil)
	for _, station := range []string{"8443970", "9063063"} { // coastal waters, a Great Lake
		r.clock.at = noon
		out := get(t, r.Set, "nws_get_marine_forecast", fmt.Sprintf(`{"station":%q}`, station))
		issued, expires := timeAt(t, out, "text.issued"), timeAt(t, out, "text.expires")
		for _, test := range []struct {
			at   time.Time
			want coast.Freshness
		}{
			{issued.Add(7 * time.Hour), coast.Fresh},
			{issued.Add(7*time.Hour + time.Second), coast.Aging},
			{expires.Add(-time.Second), coast.Aging},
			{expires, coast.Stale},
			{expires.Add(time.Hour), coast.Stale},
		} {
			r.clock.at = test.at
			s := sourceOf(get(t, r.Set, "nws_get_marine_forecast", fmt.Sprintf(`{"station":%q}`, station)),
				"marine-text")
			if s["freshness"] != string(test.want) || !timeAt(t, s, "sourceAt").Equal(issued) {
				t.Errorf("%s at %v: %v of %v, want %s",
					station, test.at, s["freshness"], s["sourceAt"], test.want)
			}
		}
	}
}

// TestEmbeddedFreshness checks that embedded data is aging after a year, has a note after
// two, and is never stale. Values computed from the clock are always fresh.
func TestEmbeddedFreshness(t *testing.T) {
	r := newRig(t, "", offline(t, coast.COOPS), offline(t, coast.NWS))
	s := r.Set
	built := s.Stations.Built()
	for _, test := range []struct {
		at    time.Time
		want  string
		noted bool
	}{
		{built, "fresh", false},
		{built.AddDate(1, 0, 0).Add(-time.Second), "fresh", false},
		{built.AddDate(1, 0, 0), "aging", false},
		{built.AddDate(2, 0, 0).Add(-time.Second), "aging", false},
		{built.AddDate(2, 0, 0), "aging", true},
		{built.AddDate(20, 0, 0), "aging", true},
	} {
		r.clock.at = test.at
		for tool, source := range map[string]string{
			"noaa_get_tide_predictions": "tide-prediction", "noaa_get_station_datums": "station-datums",
			"noaa_get_station_flood_levels":  "flood-levels",
			"noaa_get_harmonic_constituents": "harmonic-constituents",
		} {
			out := get(t, s, tool, `{"station":"8443970"}`)
			if got := sourceOf(out, source); got["freshness"] != test.want ||
				got["ageMinutes"] != float64(test.at.Sub(built)/time.Minute) {
				t.Errorf("%s at %v: %v, want %s", tool, test.at, got, test.want)
			}
			if got := notes(out, "NOAA has revised constants since"); got != test.noted {
				t.Errorf("%s at %v: noted %v, want %v", tool, test.at, got, test.noted)
			}
		}
		sun := get(t, s, "astro_get_sun_position", `{"latitude":42.35,"longitude":-71.05}`)
		if follow(sun, "sources.0.freshness") != "fresh" || follow(sun, "sources.0.ageMinutes") != 0.0 {
			t.Errorf("the sun at %v: %v", test.at, sun["sources"])
		}
	}
}
