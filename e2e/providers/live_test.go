package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/schema"
	"leadline/internal/simulator/provider"
	"leadline/tools"
)

// longFetch is the deadline of fetches in tests that are not about it. No machine is so busy.
const longFetch = time.Minute

// call is a call of a tool, or a path of REST.
type call struct{ tool, args string }

// liveCalls returns calls of every tool for all of its results, at stations of
// every kind: a reference station, a subordinate one, predicted currents with bins
// and without, a current meter, the Great Lakes, one with weather only.
func liveCalls() []call {
	past := fmt.Sprintf(`"begin_date":%q,"end_date":%q`, product.Days(-60), product.Days(-58))
	list := []call{
		{"noaa_get_water_levels", `{"station":"8443970"}`},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","date":"latest","units":"metric","time_zone":"gmt"}`,
		},
		{"noaa_get_water_levels", `{"station":"8443970","interval":"1","range":6,"datum":"STND"}`},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","interval":"hourly",` + past + `,"datum":"HAT"}`,
		},
		{
			"noaa_get_water_levels",
			`{"station":"8443970","date":"recent","datum":"MSL","time_zone":"lst"}`,
		},
		{"noaa_get_water_levels", `{"station":"8443970",` + past + `,"datum":"NAVD"}`},
		{"noaa_get_water_levels", `{"station":"9063020","datum":"IGLD","date":"today"}`},
		{
			"noaa_get_water_levels",
			`{"station":"9063020","datum":"LWD","units":"metric","range":48}`,
		},
		{
			"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"high_low",` + past + `}`,
		},
		{
			"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"daily_max_min",` + past + `,"units":"metric"}`,
		},
		{"noaa_get_water_level_summaries", `{"station":"8443970","product":"monthly_mean"}`},
		{
			"noaa_get_water_level_summaries",
			`{"station":"9063020","product":"daily_mean",` + past + `,"datum":"IGLD"}`,
		},
		{"noaa_get_tide_predictions", `{"station":"8443970"}`},
		{
			"noaa_get_tide_predictions",
			`{"station":"8557863","interval":"30","hours":24,"units":"metric"}`,
		},
		{"noaa_get_currents", `{"station":"cb0102"}`},
		{
			"noaa_get_currents",
			`{"station":"cb0102","bin":0,"range":3,"units":"metric","time_zone":"gmt"}`,
		},
		{"noaa_get_currents", `{"station":"cb0102","bin":2,"expand_detailed":true,"range":2}`},
		{"noaa_get_currents", `{"station":"cb1401","date":"latest"}`},
		{"noaa_get_current_predictions", `{"station":"ACT0091"}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003"}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003","bin":11,"units":"metric"}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003","bin":8}`},
		{
			"noaa_get_current_predictions",
			`{"station":"EPT0003","bin":14,"interval":"30","range":12}`,
		},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`},
		{"noaa_get_meteorological_data", `{"station":"9063020","product":"all","units":"metric"}`},
		{
			"noaa_get_meteorological_data",
			`{"station":"9446482","product":"wind","range":6,"time_zone":"lst"}`,
		},
		{
			"noaa_get_meteorological_data",
			`{"station":"8443970","product":"wind",` + past + `,"interval":"h"}`,
		},
		{"nws_get_wind_forecast", `{"latitude":42.35,"longitude":-71.05}`},
		{
			"nws_get_wind_forecast",
			`{"latitude":42.2,"longitude":-70.5,"hours":156,"units":"metric"}`,
		},
		{"nws_get_wind_forecast", `{"station":"8443970","hours":1}`},
		{"nws_get_marine_forecast", `{"latitude":42.35,"longitude":-71.05}`},
		{"nws_get_marine_forecast", `{"latitude":36.96,"longitude":-76.01}`},
		{"nws_get_marine_forecast", `{"station":"9414290"}`},
		{"nws_get_marine_forecast", `{"station":"9063020"}`},
		{"noaa_search_stations", `{"query":"bostn"}`},
		{"noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05,"limit":50}`},
		{
			"noaa_get_station_info",
			`{"station":"cb0102","expand":["bins","deployments","products"]}`,
		},
		{"noaa_get_station_datums", `{"station":"8443970"}`},
		{"noaa_get_station_datums", `{"station":"9063020"}`},
		{"noaa_get_harmonic_constituents", `{"station":"8443970"}`},
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003","bin":11,"units":"metric"}`},
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003_8"}`},
		{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
		{"noaa_get_station_sensors", `{"station":"8443970"}`},
		{"noaa_get_station_sensors", `{"station":"9446482","units":"metric"}`},
		{"noaa_get_current_station_bins", `{"station":"EPT0003"}`},
		{"noaa_get_current_station_bins", `{"station":"cb0102","units":"metric"}`},
		{"noaa_get_current_station_bins", `{"station":"ACT0091"}`},
		{"noaa_get_station_flood_levels", `{"station":"8443970"}`},
		{"noaa_get_station_flood_levels", `{"station":"8443970","datum":"STND","units":"metric"}`},
		{"noaa_get_sea_level_trends", `{"station":"8443970"}`},
		{"noaa_get_sea_level_trends", `{"state":"MA"}`},
		{"noaa_get_sea_level_trends", `{"limit":100}`},
		{"noaa_get_extreme_water_levels", `{"station":"8443970"}`},
		{
			"noaa_get_extreme_water_levels",
			`{"station":"8443970","level_type":"low","datum":"MLLW","units":"metric"}`,
		},
		{"noaa_get_top_ten_water_levels", `{"station":"8443970"}`},
		{
			"noaa_get_top_ten_water_levels",
			`{"station":"8443970","analysis":"peaks","units":"metric"}`,
		},
		{"astro_get_moon_phase", `{"station":"8443970"}`},
		{"astro_get_sun_times", `{"station":"8443970","days":3}`},
		{"astro_get_sun_position", `{"latitude":42.35,"longitude":-71.05}`},
		{"noaa_get_reference_guide", `{"topic":"datums"}`},
		{"leadline_whoami", `{}`},
	}
	for _, product := range []string{
		"air_temperature", "water_temperature", "wind", "air_pressure", "conductivity", "salinity",
	} {
		list = append(list, call{
			"noaa_get_meteorological_data",
			fmt.Sprintf(`{"station":"8443970","product":%q,"range":3}`, product),
		})
	}
	for station, product := range map[string]string{
		"8517986": "air_gap", "8638610": "visibility", "9414290": "humidity",
	} {
		list = append(list, call{
			"noaa_get_meteorological_data",
			fmt.Sprintf(`{"station":%q,"product":%q,"units":"metric"}`, station, product),
		})
	}
	for _, kind := range []string{
		"waterlevels", "tidepredictions", "currents", "currentpredictions", "met", "watertemp", "harcon",
		"datums", "airgap", "visibility", "cond", "physocean", "historicwl", "1minute",
	} {
		list = append(
			list,
			call{"noaa_search_stations", fmt.Sprintf(`{"type":%q,"limit":3}`, kind)},
		)
	}
	for _, part := range []string{
		"details", "sensors", "floodlevels", "datums", "products", "notices", "disclaimers",
		"benchmarks", "nearby",
	} {
		list = append(list, call{
			"noaa_get_station_info",
			fmt.Sprintf(`{"station":"8443970","expand":[%q],"units":"metric"}`, part),
		})
	}
	for _, report := range []string{
		"annual", "daily", "monthly", "seasonal", "outlook", "projections",
	} {
		list = append(list, call{
			"noaa_get_high_tide_flooding", fmt.Sprintf(`{"station":"8443970","report":%q}`, report),
		})
	}
	return list
}

// toolResult is a tool's result as a client reads it.
type toolResult struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
}

// callTool returns the full result of a call.
func callTool(t *testing.T, base string, c call) toolResult {
	t.Helper()
	var answer struct {
		Result toolResult
		Error  any
	}
	text := product.PostTo(t, base+"/mcp?view=full", product.CallOf(c.tool, c.args))
	product.Decode(t, text, &answer)
	if answer.Error != nil || len(answer.Result.Content) == 0 {
		t.Fatalf("%s %s returns %.300s", c.tool, c.args, text)
	}
	return answer.Result
}

// resultSchemas returns the full schemas of the results of tools, by tool.
func resultSchemas(t *testing.T, catalog []operation.Tool) map[string]*jsonschema.Schema {
	t.Helper()
	schemas := map[string]*jsonschema.Schema{}
	for _, tool := range catalog {
		text, err := json.Marshal(schema.Object{
			{Name: "components", Value: map[string]any{"schemas": schema.Results(tool.Output)}},
			{Name: "$ref", Value: schema.RefOf(tool.Output)[0].Value},
		})
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(tool.Name, document); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = c.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// TestLiveTools calls all tools over HTTP with simulated providers.
func TestLiveTools(t *testing.T) {
	p := product.Live(t)
	base, schemas := p.URL, resultSchemas(t, p.Tools().Catalog())
	asked := map[string]bool{}
	for _, c := range liveCalls() {
		asked[c.tool] = true
		got := callTool(t, base, c)
		if got.IsError {
			t.Errorf("%s %s fails: %s", c.tool, c.args, got.Content[0].Text)
			continue
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.StructuredContent))
		if err == nil {
			err = schemas[c.tool].Validate(value)
		}
		if err != nil {
			t.Errorf("%s %s: %v in %.300s", c.tool, c.args, err, got.StructuredContent)
		}
		if got.Content[0].Text == "" || len(got.StructuredContent) > 25_000 {
			t.Errorf("%s %s: %d characters of text, %d of structured content, want some, and at most "+
				"25,000", c.tool, c.args, len(got.Content[0].Text), len(got.StructuredContent))
		}
		for _, fault := range faultsOf(t, got.StructuredContent, product.Noon(), product.Now()) {
			t.Errorf("%s %s: %s", c.tool, c.args, fault)
		}
		for _, lost := range narrower(t, got.StructuredContent) {
			if !slices.Contains(knownNarrower, c.tool+" "+lost) {
				t.Errorf("%s %s: %s is missing, though the providers are at hand", c.tool, c.args, lost)
			}
		}
	}
	for _, tool := range p.Tools().Catalog() {
		if !asked[tool.Name] {
			t.Errorf("%s is not called in liveCalls", tool.Name)
		}
	}
}

// knownNarrower lists, by tool, the inputs that results correctly report as missing
// when all providers are available: no station measures everything, lakes do not have
// tides and harbors do not have ocean waves.
var knownNarrower = []string{
	"noaa_get_water_levels predicted, residual",
	"noaa_get_current_predictions depth",
	"noaa_get_meteorological_data humidity",
	"noaa_get_meteorological_data visibility",
	"noaa_get_meteorological_data air gap",
	"noaa_get_meteorological_data conductivity",
	"noaa_get_meteorological_data salinity",
	"nws_get_wind_forecast waves",
	"nws_get_marine_forecast rip-current risk",
	"noaa_get_extreme_water_levels exceedance levels", // of low water
	"leadline_whoami remaining",
}

// provenance is the origin of a result.
type provenance struct {
	Sources []coast.Source
	Missing []coast.Missing
}

// narrower returns the inputs that a result reports as missing.
func narrower(t *testing.T, body []byte) (inputs []string) {
	t.Helper()
	var p provenance
	product.Decode(t, string(body), &p)
	for _, m := range p.Missing {
		inputs = append(inputs, m.Input)
	}
	return inputs
}

// shelves holds the minutes for which the facts of a source are fresh, and then aging,
// counted from the newest one. Other sources are documents, whose age is counted from
// the time when they were received.
var shelves = map[string][2]float64{
	"observed-water-level": {18, 60}, "observed-wind": {18, 60}, "observed-air-pressure": {18, 60},
	"observed-air-gap":    {18, 60},
	"observed-visibility": {18, 60}, "observed-current": {18, 60},
	"observed-air-temperature": {60, 180}, "observed-water-temperature": {60, 180},
	"observed-humidity":     {60, 180},
	"observed-conductivity": {60, 180}, "observed-salinity": {60, 180},
	"water-temperature": {60, 180}, "wind-forecast": {7 * 60, 13 * 60},
}

// aged returns the age and the freshness of facts of a source, if the table of ages
// defines them.
func aged(s coast.Source, now time.Time) (minutes int, freshness coast.Freshness, known bool) {
	const daily = 24 * 60
	limits, clock := [2]float64{30 * daily, 180 * daily}, s.ReceivedAt
	shelf, live := shelves[s.ID]
	switch {
	case s.ID == "marine-text" || s.ID == "surf-forecast" || s.ID == "marine-alerts":
		return 0, "", false // depends on the bulletin's own expiry and the Date of the response
	case s.SourceAt == nil:
	case live && now.Sub(*s.SourceAt).Minutes() <= shelf[1]:
		limits, clock = shelf, *s.SourceAt
	case s.Kind == coast.Observation: // a past span
		limits = [2]float64{daily, 30 * daily}
	case s.Provider == coast.Leadline && !s.SourceAt.Before(now): // of the clock
		limits, clock = [2]float64{1, 1}, now
	default: // built in
		limits, clock = [2]float64{365 * daily, 1e9}, *s.SourceAt
	}
	age := max(0, now.Sub(clock).Minutes())
	switch {
	case age <= limits[0]:
		return int(age), coast.Fresh, true
	case age <= limits[1]:
		return int(age), coast.Aging, true
	}
	return int(age), coast.Stale, true
}

// faultsOf returns the faults of the sources of a response that was made between
// two times.
func faultsOf(t *testing.T, body []byte, from, to time.Time) (faults []string) {
	t.Helper()
	var p provenance
	product.Decode(t, string(body), &p)
	if len(p.Sources) == 0 {
		faults = append(faults, "no sources")
	}
	for _, s := range p.Sources {
		for _, fault := range faultsOfSource(s, from, to) {
			faults = append(faults, fmt.Sprintf("source %s %s: %+v", s.ID, fault, s))
		}
		if !s.Available && s.Required && len(p.Missing) == 0 {
			faults = append(faults, "source "+s.ID+" could not be had, and nothing is missing")
		}
	}
	for _, m := range p.Missing {
		if m.Input == "" || m.Reason == "" {
			faults = append(faults, fmt.Sprintf("missing without a name or a reason: %+v", m))
		}
	}
	return faults
}

func faultsOfSource(s coast.Source, from, to time.Time) (faults []string) {
	report := func(bad bool, what string) {
		if bad {
			faults = append(faults, what)
		}
	}
	report(s.ID == "" || s.Label == "" || s.ReceivedAt.IsZero() ||
		!strings.Contains(s.AttributionURL, "://"), "is not whole")
	report(!slices.Contains(s.Provider.Values(), string(s.Provider)),
		"has no provider")
	report(!slices.Contains([]coast.Kind{
		coast.Prediction, coast.Observation, coast.Forecast, coast.Calculation,
	}, s.Kind), "has no kind")
	report(s.SourceAt != nil && s.SourceAt.After(to), "is of the future")
	report(s.SourceAt == nil && s.Freshness != coast.Unknown, "has an age without a time of its own")
	// NOAA does not date these documents: their time is that of the fetch.
	undated := s.ID == "station-record" || s.ID == "high-tide-flooding"
	fromElsewhere := (s.Kind == coast.Observation || s.Kind == coast.Forecast) && !undated
	report(fromElsewhere && s.SourceAt != nil && s.SourceAt.Equal(s.ReceivedAt),
		"has the time of the fetch for its own")
	if !s.Available {
		report(s.Freshness != coast.Unknown || s.SourceAt != nil || s.AgeMinutes != nil,
			"was not had, and has an age")
		return faults
	}
	report(s.AgeMinutes == nil, "has no age")
	least, freshest, known := aged(s, from)
	most, oldest, _ := aged(s, to)
	if known && s.AgeMinutes != nil {
		report(*s.AgeMinutes < least || *s.AgeMinutes > most,
			fmt.Sprintf("is not %d to %d minutes old", least, most))
		report(s.Freshness != freshest && s.Freshness != oldest, fmt.Sprintf("is not %s", freshest))
	}
	return faults
}

// TestLiveREST requests every GET route with simulated providers, and checks the
// responses against the OpenAPI document.
func TestLiveREST(t *testing.T) {
	c := readContract(t, product.Live(t).URL)
	asked := map[string]bool{}
	for _, target := range liveRoutes() {
		path := c.PathOf(target)
		asked[path] = true
		status, header, body := product.Exchange(t, http.MethodGet, c.Base+target)
		if status != http.StatusOK {
			t.Errorf("%s = %d %.300s, want 200", target, status, body)
			continue
		}
		if err := c.CheckAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", target, status, body, err)
		}
		if err := c.CheckRequest(path, target); err != nil {
			t.Errorf("%s, by the document: %v", target, err)
		}
		if path == "/api/developer/status" {
			continue // not a route of the coast
		}
		for _, fault := range faultsOf(t, body, product.Noon(), product.Now()) {
			t.Errorf("%s: %s", target, fault)
		}
	}
	for path := range c.Paths {
		if c.Method(path) == "get" && !asked[path] {
			t.Errorf("%s is not called", path)
		}
	}
}

func liveRoutes() []string {
	return []string{
		"/api/v1/stations?type=met",
		"/api/v1/stations?type=currents&limit=2&units=metric",
		"/api/v1/stations?q=verrazzano&type=airgap",
		"/api/v1/stations/nearest?lat=36.96&lon=-76.01&type=waterlevels",
		"/api/v1/stations/8443970",
		"/api/v1/stations/8443970?units=metric&time_zone=gmt",
		"/api/v1/stations/EPT0003",
		"/api/v1/stations/ACT0091",
		"/api/v1/stations/cb0102",
		"/api/v1/stations/9063020",
		"/api/v1/stations/9446482",
		"/api/v1/stations/8443970/predictions?interval=6",
		"/api/v1/stations/8443970/water-levels",
		"/api/v1/stations/8443970/water-levels?hours=720&units=metric&time_zone=lst",
		"/api/v1/stations/8443970/water-levels?hours=1&datum=NAVD",
		"/api/v1/stations/9063020/water-levels?hours=3&datum=IGLD",
		"/api/v1/stations/8443970/conditions",
		"/api/v1/stations/8443970/conditions?units=metric&time_zone=gmt",
		"/api/v1/stations/9063020/conditions",
		"/api/v1/stations/9446482/conditions",
		"/api/v1/stations/8443970/forecast",
		"/api/v1/stations/8443970/forecast?hours=156&units=metric&time_zone=gmt",
		"/api/v1/stations/8557863/forecast?hours=1",
		"/api/v1/stations/9063020/forecast",
		"/api/v1/astronomy?lat=42.35&lon=-71.05",
		"/api/developer/status",
	}
}

// TestEndpointsAgreeLive compares the results of both endpoints that need
// providers.
func TestEndpointsAgreeLive(t *testing.T) {
	base := product.Live(t).URL
	for _, test := range []struct{ path, tool, args string }{
		{
			"/api/v1/stations/8443970/water-levels", "noaa_get_water_levels",
			`{"station":"8443970","range":24}`,
		},
		{
			"/api/v1/stations/9063020/water-levels?hours=5&datum=IGLD&units=metric&time_zone=gmt",
			"noaa_get_water_levels",
			`{"station":"9063020","range":5,"datum":"IGLD","units":"metric","time_zone":"gmt"}`,
		},
		{
			"/api/v1/stations/8443970/water-levels?datum=CRD", "noaa_get_water_levels",
			`{"station":"8443970","range":24,"datum":"CRD"}`,
		},
		{
			"/api/v1/stations/9446482/water-levels", "noaa_get_water_levels",
			`{"station":"9446482","range":24}`,
		},
		{
			"/api/v1/stations/ZZZZ9999/water-levels", "noaa_get_water_levels",
			`{"station":"ZZZZ9999","range":24}`,
		},
		{"/api/v1/stations/8443970", "noaa_get_station_info", `{"station":"8443970","expand":["details","products","datums","floodlevels","bins"]}`},
		{
			"/api/v1/stations/cb0102?units=metric", "noaa_get_station_info",
			`{"station":"cb0102","units":"metric","expand":["details","products","datums","floodlevels","bins"]}`,
		},
		{"/api/v1/stations?type=met&limit=20", "noaa_search_stations", `{"type":"met","limit":20}`},
	} {
		got := product.OverREST(t, base+test.path)
		if want := product.InRoutes(product.OverMCP(t, base, test.tool, test.args)); got != want {
			t.Errorf("%s and %s %s differ:\n%s\n%s", test.path, test.tool, test.args, got, want)
		}
	}
	forecastAgrees(t, base)
	statusAgrees(t, base)
}

// forecastAgrees compares what REST joins with the results of two tools.
func forecastAgrees(t *testing.T, base string) {
	t.Helper()
	var joined struct {
		provenance
		Wind, Marine map[string]any
	}
	product.Decode(
		t,
		product.OverREST(t, base+"/api/v1/stations/8443970/forecast?hours=36&units=metric"),
		&joined,
	)
	for tool, part := range map[string]struct {
		args string
		of   map[string]any
	}{
		"nws_get_wind_forecast":   {`{"station":"8443970","hours":36,"units":"metric"}`, joined.Wind},
		"nws_get_marine_forecast": {`{"station":"8443970"}`, joined.Marine},
	} {
		text := product.OverMCP(t, base, tool, part.args)
		var alone map[string]any
		product.Decode(t, text, &alone)
		if len(part.of) == 0 {
			t.Errorf("%s has no part in the joined forecast", tool)
		}
		for name, value := range part.of {
			if got, want := fmt.Sprint(value), fmt.Sprint(alone[name]); got != want {
				t.Errorf("%s of %s: %s, want %s", name, tool, got, want)
			}
		}
		var of provenance
		product.Decode(t, text, &of)
		for _, s := range of.Sources {
			if !slices.ContainsFunc(
				joined.Sources,
				func(j coast.Source) bool { return j.ID == s.ID && j.ReceivedAt.Equal(s.ReceivedAt) },
			) {
				t.Errorf("source %s of %s is not in the joined forecast", s.ID, tool)
			}
		}
	}
}

// statusAgrees checks the status against the requests of the providers.
func statusAgrees(t *testing.T, base string) {
	t.Helper()
	var status tools.Status
	product.Decode(t, product.OverREST(t, base+"/api/developer/status?whatever=1"), &status)
	for _, c := range status.Components {
		if c.Status != "operational" || c.CheckedAt == nil || c.LatencyMs == nil {
			t.Errorf("component %+v, want it operational and checked", c)
		}
	}
	if status.Status != "operational" || len(status.Components) != 5 {
		t.Errorf("status %+v, want operational with five components", status)
	}
}

// TestObservesWithoutLists checks that a station is not reported as without sensors
// if a list of stations could not be fetched.
func TestObservesWithoutLists(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	base := product.Setup{Root: root, Now: product.Noon}.Start(t).URL
	p.Fail(provider.Metadata, provider.Fault{Kind: provider.GatewayTime})
	p.Fail(provider.Metadata+"stations.json", provider.Fault{Kind: provider.OK})
	product.OverREST(t, base+"/api/v1/stations?type=airgap&limit=1")
	var info directory.StationInfo
	product.Decode(t, product.OverREST(t, base+"/api/v1/stations/8443970"), &info)
	for _, m := range info.Missing {
		if m.Input == "observations" {
			return
		}
	}
	t.Errorf("Boston observes %q, missing %+v, with only the list of air gaps available",
		info.Observes, info.Missing)
}

// TestLiveRefusals checks that requests for data that the providers do not have get
// their own error codes, not provider_unavailable.
func TestLiveRefusals(t *testing.T) {
	base := product.Live(t).URL
	for _, test := range []struct{ tool, args, code string }{
		{"noaa_get_water_levels", `{"station":"9446482"}`, "product_unavailable"},
		{"noaa_get_water_levels", `{"station":"8443970","datum":"CRD"}`, "datum_unavailable"},
		{"noaa_get_water_levels", `{"station":"8443970","begin_date":"2001-01-01","end_date":"2020-01-01"}`, "range_too_long"},
		{"noaa_get_water_levels", `{"station":"8443970","begin_date":"2030-01-01"}`, "product_unavailable"},
		{"noaa_get_water_levels", `{"station":"0000000"}`, "station_not_found"},
		{
			"noaa_get_water_level_summaries", `{"station":"8443970","product":"daily_mean"}`,
			"product_unavailable",
		},
		{"noaa_get_meteorological_data", `{"station":"8443970","product":"air_gap"}`, "product_unavailable"},
		{"noaa_get_currents", `{"station":"8443970"}`, "product_unavailable"},
		{"noaa_get_current_predictions", `{"station":"PCT0161"}`, "product_unavailable"},
		{"noaa_get_current_predictions", `{"station":"EPT0003","bin":5}`, "invalid_request"},
		{"noaa_get_tide_predictions", `{"station":"9063020"}`, "product_unavailable"},
		{"noaa_get_station_datums", `{"station":"8443970","epoch":"superseded"}`, "product_unavailable"},
		{"nws_get_wind_forecast", `{"latitude":48.85,"longitude":2.35}`, "product_unavailable"},
		{"nws_get_marine_forecast", `{"latitude":48.85,"longitude":2.35}`, "product_unavailable"},
	} {
		got := callTool(t, base, call{test.tool, test.args})
		var failed struct{ Error coast.Error }
		product.Decode(t, string(got.StructuredContent), &failed)
		if !got.IsError || string(failed.Error.Code) != test.code ||
			failed.Error.RetryAfterSeconds != 0 {
			t.Errorf("%s %s = %.300s, want %s", test.tool, test.args, got.StructuredContent, test.code)
		}
	}
}
