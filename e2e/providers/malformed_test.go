package providers

import (
	"strings"
	"testing"

	"leadline/e2e/product"
)

// The tools that most of the calls name.
const (
	tide    = "noaa_get_tide_predictions"
	current = "noaa_get_current_predictions"
	search  = "noaa_search_stations"
	nearest = "noaa_find_nearest_stations"
	sun     = "astro_get_sun_times"
	guide   = "noaa_get_reference_guide"
	info    = "noaa_get_station_info"
)

// malformed lists wrong calls, words that the error must have, and the call to which they lead: of
// the same tool unless another one is named before the arguments.
var malformed = []struct{ tool, args, words, then string }{
	{tide, `{}`, `Example: "station": "8443970"`, `{"station":"8443970"}`},
	{tide, `{"station":"0000000"}`, `noaa_search_stations`, search + ` {"query": "Boston"}`},
	{tide, `{"station":"Boston"}`, `8443970 (Boston)`, `{"station":"8443970"}`},
	{tide, `{"stationId":"8443970"}`, `Did you mean "station"?`, `{"station":"8443970"}`},
	{tide, `{"station_id":"8443970"}`, `Did you mean "station"?`, `{"station":"8443970"}`},
	{tide, `{"location":"Boston, MA"}`, `Did you mean "place"?`, `{"place":"Boston, MA"}`},
	{tide, `{"place":"Portland"}`, `Portland, ME`, `{"place":"Portland, ME"}`},
	{tide, `{"place":"Londn"}`, `New London`, `{"place":"New London, CT"}`},
	{tide, `{"place":"Boston","station":"8443970"}`, `not both`, `{"station": "8443970"}`},
	{tide, `{"station":"8443970","water":"ocean"}`, `"place": "Daytona Beach, FL"`,
		`{"place": "Daytona Beach, FL", "water": "ocean"}`},
	{tide, `{"station":"8443970","date":"11/20/2026"}`, `2026-11-20`,
		`{"station":"8443970","date":"2026-11-20"}`},
	{tide, `{"station":"8443970","date":"20-11-2026"}`, `2026-11-20`,
		`{"station":"8443970","date":"2026-11-20"}`},
	{tide, `{"station":"8443970","date":"soon"}`, `today`, `{"station":"8443970","date":"today"}`},
	{tide, `{"station":"8443970","begin_date":"2026-11-21","end_date":"2026-11-20"}`,
		`Give the earlier one as begin_date`,
		`{"station":"8443970","begin_date":"2026-11-20","end_date":"2026-11-21"}`},
	{tide, `{"station":"8443970","end_date":"2026-11-21"}`, `end_date needs begin_date`,
		`{"station":"8443970","begin_date": "2026-11-20", "end_date": "2026-11-21"}`},
	{tide, `{"station":"8443970","date":"today","range":24}`, `"range": 48`,
		`{"station":"8443970","begin_date": "2026-11-20", "range": 48}`},
	{tide, `{"station":"8443970","days":3}`, `begin_date, end_date, range`,
		`{"station":"8443970","range":72}`},
	{tide, `{"station":"8443970","datum":"WGS84"}`, `NAVD`, `{"station":"8443970","datum":"NAVD"}`},
	{tide, `{"station":"8443970","units":"furlongs"}`, `metric`,
		`{"station":"8443970","units":"metric"}`},
	{tide, `{"station":"8443970","interval":"7"}`, `"interval": "hilo"`,
		`{"station":"8443970","interval":"hilo"}`},
	{tide, `{"station":"8443970","type":"highs"}`, `"type": "high"`,
		`{"station":"8443970","type":"high"}`},
	{tide, `{"station":"8443970","light":"day"}`, `"light": "daylight"`,
		`{"station":"8443970","light":"daylight"}`},
	{tide, `{"station":"8443970","below":0,"above":5}`, `"below": 0`,
		`{"station":"8443970","below":0}`},
	{tide, `{"station":"8443970","top":0,"type":"low"}`, `from 1 to 60`,
		`{"station":"8443970","top":1,"type":"low"}`},
	{tide, `{"station":"8443970","time_zone":"EST"}`, `"time_zone": "America/New_York"`,
		`{"station":"8443970","time_zone":"America/New_York"}`},
	{tide, `{"station":"8443970","format":"json"}`, `Did you mean "response_format"?`,
		`{"station":"8443970","response_format":"json"}`},
	{tide, `{"station":"8443970","view":"all"}`, `full`, `{"station":"8443970","view":"full"}`},
	{tide, `{"station":"9063020"}`, `noaa_get_water_levels`,
		`noaa_get_water_levels {"station": "9063020"}`},
	{tide, `{"station":"ACT0091"}`, `noaa_get_current_predictions`,
		current + ` {"station": "ACT0091"}`},
	{tide, `{"station":"8443970","begin_date":"2000-01-01","end_date":"2026-12-31"}`,
		`at most 3660`, `{"station":"8443970","begin_date":"2020-01-01","end_date":"2026-12-31"}`},
	{tide, `{"station":"8443970","interval":"6","range":87600}`, `at most 367`,
		`{"station":"8443970","interval":"6","range":8760}`},
	{current, `{"station":"8443970"}`, `ACT1206`, `{"station":"ACT1206"}`},
	{current, `{"station":"EPT0003","bin":99}`, `bin`, `{"station":"EPT0003"}`},
	{current, `{"station":"ACT0091","at_most":0.5,"at_least":2}`, `"at_most": 0.5`,
		`{"station":"ACT0091","at_most": 0.5}`},
	{current, `{"station":"ACT0091","interval":"hilo"}`, `"interval": "max_slack"`,
		`{"station":"ACT0091","interval": "max_slack"}`},
	{search, `{"limit":1000}`, `from 1 to 100`, `{"limit":100}`},
	{search, `{"state":"Massachusetts"}`, `"state": "MA"`, `{"state": "MA"}`},
	{search, `{"type":"tide"}`, `tidepredictions`, `{"type":"tidepredictions"}`},
	{search, `{"q":"boston"}`, `Did you mean "query"?`, `{"query":"boston"}`},
	{nearest, `{"lat":42.3,"lon":-71}`, `Did you mean "latitude"?`,
		`{"latitude":42.3,"longitude":-71}`},
	{nearest, `{"latitude":42.3}`, `"longitude": -71.05`, `{"latitude":42.3,"longitude":-71.05}`},
	{nearest, `{"latitude":142,"longitude":-71}`, `"latitude": 42.35`,
		`{"latitude":42.35,"longitude":-71}`},
	{sun, `{}`, `"longitude": -71.05`, `{"latitude": 42.35, "longitude": -71.05}`},
	{sun, `{"latitude":42,"longitude":-71,"days":400}`, `from 1 to 31`,
		`{"latitude":42,"longitude":-71,"days":31}`},
	{sun, `{"latitude":42,"longitude":71}`, `42, -71`, `{"latitude":42,"longitude":-71}`},
	{sun, `{"place":"Boston","fields":["dawn"]}`, `"fields": ["sunrise"]`,
		`{"place":"Boston","fields": ["sunrise"]}`},
	{"astro_get_moon_phase", `{"begin_date":"2026-11-20","end_date":"2028-11-20"}`, `at most 31`,
		`{"begin_date":"2026-11-20","end_date":"2026-12-20"}`},
	{"astro_get_sun_position", `{"station":"8443970","time":"noon"}`, `2026-11-20T15:04`,
		`{"station":"8443970","time":"2026-11-20T15:04"}`},
	{guide, `{"topic":"datum"}`, `did you mean "datums"?`, `{"topic":"datums"}`},
	{guide, `{}`, `"topic": "products"`, `{"topic": "products"}`},
	{info, `{"station":"8443970","expand":["all"]}`, `"expand": ["details"]`,
		`{"station":"8443970","expand": ["details"]}`},
	{"noaa_get_station_datums", `{"station":"ACT0091"}`, `8410140`, `{"station":"8410140"}`},
	{"noaa_get_tide_prediction_offsets", `{"station":"8443970"}`, `noaa_get_harmonic_constituents`,
		`noaa_get_harmonic_constituents {"station": "8443970"}`},
	{"noaa_get_current_station_bins", `{"station":"8443970"}`, `ACT1206`, `{"station":"ACT1206"}`},
	{"noaa_get_water_levels", `{"station":"8443970","interval":"5"}`, `hourly`,
		`{"station":"8443970","interval":"6"}`},
	{"noaa_get_meteorological_data", `{"station":"8443970"}`, `"product"`,
		`{"station":"8443970","product":"wind"}`},
}

// TestMalformedCalls checks that the text of an error leads on in one step: it names what to send,
// and that call succeeds.
func TestMalformedCalls(t *testing.T) {
	if len(malformed) < 50 {
		t.Errorf("%d malformed calls, want at least 50", len(malformed))
	}
	p := product.Live(t)
	for _, m := range malformed {
		wrong := callTool(t, p.URL, call{m.tool, m.args})
		text := wrong.Content[0].Text
		if !wrong.IsError || !strings.Contains(text, m.words) {
			t.Errorf("%s %s: %s, want an error with %s", m.tool, m.args, text, m.words)
		}
		tool, args := m.tool, m.then
		if name, rest, other := strings.Cut(m.then, " {"); other && !strings.HasPrefix(m.then, "{") {
			tool, args = name, "{"+rest
		}
		if right := callTool(t, p.URL, call{tool, args}); right.IsError {
			t.Errorf("%s %s leads to %s %s: %s", m.tool, m.args, tool, args, right.Content[0].Text)
		}
	}
}
