package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/schema"
	"leadline/internal/stations"
	"leadline/internal/trials"
	"leadline/internal/upstream"
)

var update = flag.Bool("update", false, "rewrite golden files")

// noon is the time of the tests: Friday 2026-11-20, noon in Boston.
var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// TestMain lets many tests wait at once: most ask providers that are down again.
func TestMain(m *testing.M) {
	trials.Waiting()
	os.Exit(m.Run())
}

// newSet returns the operations at noon, without providers.
func newSet(t testing.TB) *Set {
	t.Helper()
	s, err := withoutProviders()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withoutProviders returns the operations of newSet. All tests share them: nothing changes them,
// and a catalog and a directory take longer to build than most tests.
var withoutProviders = sync.OnceValues(func() (*Set, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, err
	}
	coops, err := offlineClient(coast.COOPS)
	if err != nil {
		return nil, err
	}
	weather, err := offlineClient(coast.NWS)
	if err != nil {
		return nil, err
	}
	return rigAt(directory, "", coops, weather).Set, nil
})

func offlineClient(provider string) (*upstream.Client, error) {
	return upstream.New(upstream.Config{Provider: provider, Offline: true, Now: frozen(noon)})
}

// offline returns a client that sends no requests and has an empty cache.
func offline(t testing.TB, provider string) *upstream.Client {
	t.Helper()
	client, err := offlineClient(provider)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// callers caches the contexts of the running tests: a gate costs more than most calls.
var callers sync.Map

// caller returns the context of a caller without a credential, the same during a test.
func caller(t testing.TB) context.Context {
	t.Helper()
	ctx, ok := callers.Load(t)
	if !ok {
		ctx = accesstest.Anonymous(t, func() time.Time { return noon })
		callers.Store(t, ctx)
		t.Cleanup(func() { callers.Delete(t) })
	}
	return ctx.(context.Context)
}

// pro returns the context of a caller for whom all tools are.
func pro(t testing.TB) context.Context {
	t.Helper()
	gate := accesstest.New(t, access.BuiltIn(), func() time.Time { return noon })
	return gate.Context(t, limit.MCP, gate.Key(t, gate.Account(t, access.Pro)))
}

// catalogs caches the catalogs of the sets of tests: building a catalog costs more than most
// calls.
var catalogs sync.Map

// everyTool returns the tools of all tool sets.
func everyTool(s *Set) []operation.Tool { return append(s.Catalog(), s.planningTools()...) }

func toolNamed(t testing.TB, s *Set, name string) operation.Tool {
	t.Helper()
	catalog, ok := catalogs.Load(s)
	if !ok {
		catalog, _ = catalogs.LoadOrStore(s, everyTool(s))
	}
	for _, tool := range catalog.([]operation.Tool) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return operation.Tool{}
}

// call runs a tool of the catalog with JSON arguments.
func call(t testing.TB, s *Set, name, args string) (operation.Result, error) {
	t.Helper()
	return toolNamed(t, s, name).Call(caller(t), []byte(args))
}

// get runs a tool and decodes its result, and fails the test on an error.
func get(t testing.TB, s *Set, name, args string) map[string]any {
	t.Helper()
	r, err := call(t, s, name, args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCatalogue compares names, descriptions and schemas with a golden file, so that changes
// are visible as a diff.
func TestCatalogue(t *testing.T) {
	const golden = "testdata/catalogue.json"
	got, err := json.MarshalIndent(everyTool(newSet(t)), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(append(got, '\n'), want) {
		t.Errorf("the catalog differs from %s; read the difference, then run go test ./tools -update",
			golden)
	}
}

// coreTools is the number of tools in the default list. Other tests count the catalogue.
const coreTools = 26

// TestCatalogueShape checks the number of tools, the order of their groups, and that every
// tool has what a model needs.
func TestCatalogueShape(t *testing.T) {
	s := newSet(t)
	if got := len(s.Catalog()); got != coreTools {
		t.Errorf("the default list has %d tools, want %d", got, coreTools)
	}
	groups := []operation.Group{operation.Water, operation.Weather, operation.Stations,
		operation.Derived, operation.Sky, operation.Reference, operation.PlanningTools}
	at := 0
	for _, tool := range everyTool(s) {
		group := slices.Index(groups, tool.Group)
		if group < at {
			t.Errorf("%s: its group %q is unknown or comes after %q", tool.Name, tool.Group, groups[at])
		}
		at = max(at, group)
		checkShape(t, tool)
	}
}

// checkShape checks that a tool has what a model needs.
func checkShape(t *testing.T, tool operation.Tool) {
	t.Helper()
	if len(tool.About) < 150 || len(tool.About) > 400 {
		t.Errorf("%s: about has %d characters, want 150 to 400", tool.Name, len(tool.About))
	}
	var in struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(tool.Input, &in); err != nil {
		t.Fatal(err)
	}
	for name, p := range in.Properties {
		if p.Description == "" {
			t.Errorf("%s: %s has no description", tool.Name, name)
		}
	}
	if bytes.Contains(tool.Input, []byte("$ref")) {
		t.Errorf("%s: $ref in its schema, which some clients do not follow", tool.Name)
	}
}

// TestAboutExamples runs the example at the end of every description. Tools that need a
// provider must get as far as sending a request to it.
func TestAboutExamples(t *testing.T) {
	ctx := pro(t)
	for _, tool := range everyTool(newSet(t)) {
		example := exampleOf(t, tool)
		_, err := tool.Call(ctx, example)
		if err != nil && !(tool.Live && code(err) == coast.ProviderUnavailable) {
			t.Errorf("%s: its example %s fails: %v", tool.Name, example, err)
		}
	}
}

// exampleOf returns the arguments at the end of a tool's description as JSON.
func exampleOf(t *testing.T, tool operation.Tool) []byte {
	t.Helper()
	_, example, found := strings.Cut(tool.About, "Example: ")
	if !found {
		t.Errorf("%s: about has no example", tool.Name)
	}
	if example == "{}" {
		return []byte(example)
	}
	args := map[string]string{}
	for _, argument := range strings.Split(example, ", ") {
		name, value, _ := strings.Cut(argument, "=")
		args[name] = value
	}
	body, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// examples has a valid call of each tool that needs no provider, and several calls of tools
// whose results have different shapes.
var examples = []struct{ tool, args string }{
	{"noaa_get_tide_predictions", `{"station":"8443970"}`},
	{"noaa_get_tide_predictions",
		`{"station":"8443970","interval":"6","units":"metric","time_zone":"gmt","datum":"NAVD"}`},
	{"noaa_get_tide_predictions", `{"station":"8557863","interval":"h","date":"today"}`},
	{"noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2020-01-01","range":24}`},
	{"noaa_get_current_predictions", `{"station":"ACT0091"}`},
	{"noaa_get_current_predictions", `{"station":"EPT0003","interval":"30","time_zone":"lst"}`},
	{"noaa_get_current_predictions", `{"station":"EPT0003_11","units":"metric"}`},
	{"noaa_get_current_predictions", `{"station":"ACT0091","at_most":0.5,"range":72}`},
	{"noaa_search_stations", `{"query":"portland","limit":3}`},
	{"noaa_search_stations", `{"query":"no such place at all"}`},
	{"noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05}`},
	{"noaa_get_station_info",
		`{"station":"8443970","expand":["details","datums","floodlevels","nearby","sensors"]}`},
	{"noaa_get_station_info", `{"station":"EPT0003","expand":["details","bins"]}`},
	{"noaa_get_station_info", `{"station":"8557863","expand":["datums"]}`},
	{"noaa_get_station_datums", `{"station":"8443970"}`},
	{"noaa_get_harmonic_constituents", `{"station":"8443970","units":"metric"}`},
	{"noaa_get_harmonic_constituents", `{"station":"EPT0003"}`},
	{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
	{"noaa_get_current_station_bins", `{"station":"EPT0003"}`},
	{"noaa_get_current_station_bins", `{"station":"ACT0091"}`},
	{"noaa_get_station_flood_levels", `{"station":"8443970","datum":"MHHW"}`},
	{"astro_get_moon_phase", `{}`},
	{"astro_get_moon_phase",
		`{"latitude":69.65,"longitude":18.96,"begin_date":"2026-06-01","end_date":"2026-06-14"}`},
	{"astro_get_sun_times", `{"latitude":69.65,"longitude":18.96,"date":"2026-06-21","days":3}`},
	{"astro_get_moon_phase", `{"event":"full_moon","date":"2026-11-27","time_zone":"gmt"}`},
	{"astro_get_sun_times", `{"station":"8443970"}`},
	{"astro_get_sun_times", `{"station":"9497645","event":"sunrise","date":"2026-12-01"}`},
	{"astro_get_sun_times", `{"station":"8443970","days":2,"fields":["sunrise","sunset","civil",` +
		`"nautical","astronomical","solar_noon","day_length","golden_hour","blue_hour"]}`},
	{"astro_get_sun_times", `{"place":"Half Moon Bay, CA"}`},
	{"noaa_get_tide_predictions", `{"place":"Half Moon Bay, CA","range":24}`},
	{"noaa_get_tide_predictions", `{"station":"8443970","below":0,"range":240}`},
	{"noaa_get_tide_predictions", `{"station":"8443970","type":"low","light":"daylight"}`},
	{"noaa_get_tide_predictions", `{"station":"8443970","type":"high","top":3,` +
		`"begin_date":"2027-01-01","end_date":"2027-12-31"}`},
	{"astro_get_sun_position", `{"station":"8443970","time":"2026-11-20 12:00"}`},
	{"noaa_get_reference_guide", `{"topic":"datums"}`},
	{"leadline_whoami", `{}`},
	{"leadline_find_places", `{"query":"portland"}`},
	{"leadline_find_places", `{"query":"no such place at all"}`},
	{"leadline_tide_telegram", `{"station":"8443970"}`},
	{"leadline_tide_telegram", `{"place":"Half Moon Bay, CA","days":1,"units":"metric"}`},
	{"leadline_plan_transit", `{"station":"PUG1701","distance":1.5,"speed":6,` +
		`"direction":"with_flood","light":"daylight"}`},
	{"leadline_plan_transit", `{"place":"Deception Pass, WA","distance":0,"speed":5,"max_current":1,` +
		`"limit":3}`},
	{"leadline_plan_transit", `{"station":"PUG1701","distance":3,"speed":3,"course":270}`},
	{"leadline_plan_route", `{"speed":6,"limit":5,"gates":[` +
		`{"station":"PUG1701","leg":2,"distance":0.5,"direction":"with_flood","max_current":3},` +
		`{"station":"PUG1702","leg":12,"max_current":2}]}`},
}

// TestExamples validates every result against its full schema with a third-party validator,
// and checks its text.
func TestExamples(t *testing.T) {
	s := newSet(t)
	called := map[string]bool{}
	for _, example := range examples {
		called[example.tool] = true
		t.Run(example.tool, func(t *testing.T) {
			r, err := call(t, s, example.tool, example.args)
			if err != nil {
				t.Fatalf("%s: %v", example.args, err)
			}
			body, err := r.Structured()
			if err != nil {
				t.Fatal(err)
			}
			if want, err := json.Marshal(r.Value); err != nil || string(body) != string(want) {
				t.Errorf("%s: %s, want %s, %v", example.args, body, want, err)
			}
			if problem := conforms(resultSchema(t, toolNamed(t, s, example.tool)), body); problem != nil {
				t.Errorf("%s: %v", example.args, problem)
			}
			text, answer, err := r.Forms(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			var tree any
			if err := json.Unmarshal(body, &tree); err != nil {
				t.Fatal(err)
			}
			readable(t, example.tool+" "+example.args, string(text), tree)
			agreeing(t, example.tool+" "+example.args, string(text), answer, tree)
		})
	}
	for _, tool := range everyTool(s) {
		if !tool.Live && !called[tool.Name] {
			t.Errorf("%s has no example in examples (tools_test.go)", tool.Name)
		}
	}
}

// TestInputSchemas compiles every input schema and compares it with the examples, using a
// third-party validator. The schema accepts what we accept, and rejects all faults that a
// schema can express.
func TestInputSchemas(t *testing.T) {
	s, ctx := newSet(t), pro(t)
	for _, tool := range everyTool(s) {
		problem := conforms(tool.Input, []byte(`[]`))
		if problem == nil || strings.Contains(problem.Error(), "compil") {
			t.Errorf("%s: a list as arguments: %v", tool.Name, problem)
		}
		_, err := tool.Call(ctx, []byte(`{"response_format":"no such format"}`))
		if code(err) != coast.InvalidRequest || !strings.Contains(err.Error(), "markdown, json") {
			t.Errorf("%s: an unknown format: %v", tool.Name, err)
		}
		_, err = tool.Call(ctx, []byte(`{"no such argument":1}`))
		if code(err) != coast.InvalidRequest {
			t.Errorf("%s accepts an unknown argument: %v", tool.Name, err)
		}
	}
	for _, example := range examples {
		problem := conforms(toolNamed(t, s, example.tool).Input, []byte(example.args))
		if problem != nil {
			t.Errorf("%s %s: %v", example.tool, example.args, problem)
		}
	}
	for _, bad := range []struct{ tool, args string }{
		{"noaa_get_water_level_summaries", `{}`},
		{"noaa_get_tide_predictions", `{"station":"x"}`},
		{"noaa_get_tide_predictions", `{"station":"8443970","hours":0}`},
		{"noaa_get_tide_predictions", `{"station":"8443970","datum":"MLWL"}`},
		{"noaa_find_nearest_stations", `{"latitude":91,"longitude":0}`},
		{"noaa_get_station_info", `{"station":"8443970","expand":["everything"]}`},
	} {
		if conforms(toolNamed(t, s, bad.tool).Input, []byte(bad.args)) == nil {
			t.Errorf("%s: the schema accepts %s, which we refuse", bad.tool, bad.args)
		}
		if _, err := call(t, s, bad.tool, bad.args); code(err) != coast.InvalidRequest {
			t.Errorf("%s: we accept %s, which the schema refuses: %v", bad.tool, bad.args, err)
		}
	}
}

// resultSchema returns the full schema of a tool's results, as OpenAPI documents have it. What
// MCP lists accepts any object.
func resultSchema(t testing.TB, tool operation.Tool) []byte {
	t.Helper()
	document, err := json.Marshal(schema.Object{
		{Name: "components", Value: map[string]any{"schemas": schema.Results(tool.Output)}},
		{Name: "$ref", Value: schema.RefOf(tool.Output)[0].Value},
	})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func conforms(schema, body []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		return err
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// TestProvidersNeeded checks that tools which need a provider return provider_unavailable
// without one, after the usual checks of arguments.
func TestProvidersNeeded(t *testing.T) {
	for _, tool := range newSet(t).Catalog() {
		if !tool.Live {
			continue
		}
		_, err := tool.Call(t.Context(), exampleOf(t, tool))
		if code(err) != coast.ProviderUnavailable {
			t.Errorf("%s: %v, want provider_unavailable", tool.Name, err)
		}
		_, err = tool.Call(t.Context(), []byte(`{"statoin":"8443970"}`))
		if code(err) != coast.InvalidRequest {
			t.Errorf("%s accepts an unknown argument: %v", tool.Name, err)
		}
	}
}

func code(err error) coast.Code {
	var e *coast.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// TestBadInput checks that each error names the argument, the rule and how to fix it.
func TestBadInput(t *testing.T) {
	s := newSet(t)
	tests := []struct {
		tool, args string
		code       coast.Code
		says       string
	}{
		{"noaa_get_tide_predictions", `{"station":"8443971"}`, coast.StationNotFound, "8443970 (Boston)"},
		{"noaa_get_tide_predictions", `{"station":"Bostn"}`, coast.StationNotFound,
			"Near: 8443970 (Boston)"},
		{"noaa_get_tide_predictions", `{"station":"9063020"}`, coast.ProductUnavailable, "Great Lakes"},
		{"noaa_get_tide_predictions", `{"station":"ACT0091"}`, coast.ProductUnavailable,
			`Get flood, ebb and slack at ACT0091: getCurrentPredictions {"station": "ACT0091"}`},
		{"noaa_get_tide_predictions", `{"station":"8660754"}`, coast.ProductUnavailable,
			"no harmonic constants"},
		{"noaa_get_tide_predictions", `{"station":"8443970","datum":"CRD"}`, coast.DatumUnavailable,
			"MHHW, MHW"},
		{"noaa_get_tide_predictions", `{"station":"8557863","datum":"MSL"}`, coast.DatumUnavailable,
			"MLLW"},
		{"noaa_get_tide_predictions", `{"station":"8443970","datum":"MLWL"}`, coast.InvalidRequest,
			"one of MHHW"},
		{"noaa_get_tide_predictions", `{"station":"8443970","date":"today","range":3}`,
			coast.InvalidRequest, "date, range together"},
		{"noaa_get_tide_predictions", `{"station":"8443970","hours":3,"range":4}`, coast.InvalidRequest,
			"hours and range"},
		{"noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2026-02-30"}`,
			coast.InvalidRequest, "a valid calendar day"},
		{"noaa_get_tide_predictions",
			`{"station":"8443970","begin_date":"2000-01-01","end_date":"2026-01-01"}`, coast.RangeTooLong,
			"at most 3660"},
		{"noaa_get_tide_predictions",
			`{"station":"8443970","interval":"6","begin_date":"2020-01-01","end_date":"2026-01-01"}`,
			coast.RangeTooLong, "at most 367"},
		{"noaa_get_tide_predictions", `{"station":"8443970","hours":87601}`, coast.InvalidRequest,
			"from 1 to 87600"},
		{"noaa_get_tide_predictions", `{"station":"8443970","hours":"soon"}`, coast.InvalidRequest,
			`Example: "hours": 48`},
		{"noaa_get_tide_predictions", `{"station":"8443970","hours":1.5}`, coast.InvalidRequest,
			"a whole number"},
		{"noaa_get_tide_predictions", `{"station":{"id":"8443970"}}`, coast.InvalidRequest,
			`Example: "station": "8443970"`},
		{"noaa_get_tide_predictions", `{}`, coast.InvalidRequest, "station is required"},
		{"noaa_get_tide_predictions", `[]`, coast.InvalidRequest, "must be an object"},
		{"noaa_get_tide_predictions", `{"station":"8443970","datums":"MLLW"}`, coast.InvalidRequest,
			`Did you mean "datum"?`},
		{"noaa_get_current_predictions", `{"station":"8443970"}`, coast.ProductUnavailable,
			"nearest current station"},
		{"noaa_get_current_predictions", `{"station":"EPT0003","bin":3}`, coast.ProviderUnavailable,
			"Leave bin out"},
		{"noaa_get_current_predictions", `{"station":"EPT0003_x"}`, coast.InvalidRequest, "whole number"},
		{"noaa_get_current_predictions", `{"station":"EPT0003","vel_type":"speed_dir"}`,
			coast.ProductUnavailable, "minor axis"},
		{"noaa_get_current_predictions", `{"station":"ACT0261"}`, coast.ProductUnavailable,
			"weak and variable"},
		{"noaa_get_current_predictions", `{"station":"EPT0003_11","bin":12}`, coast.InvalidRequest,
			"the same as bin"},
		{"astro_get_sun_position", `{"latitude":42,"longitude":-71,"time":"2026-11-20"}`,
			coast.InvalidRequest, "must be a minute"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"date":"2026-11-20 25:04"}`,
			coast.InvalidRequest, "must be a valid calendar day"},
		{"noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2100-06-01","range":87600}`,
			coast.InvalidRequest, "the years 1900 to 2100"},
		{"noaa_get_water_levels", `{"station":"8443970","begin_date":"2026-02-30"}`, coast.InvalidRequest,
			"a valid calendar day"},
		{"noaa_get_water_levels", `{"station":"8443970","date":"today","range":5}`, coast.InvalidRequest,
			"date, range together"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"time_zone":"localtime"}`,
			coast.InvalidRequest, "IANA name"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"date":"1492-10-12"}`,
			coast.InvalidRequest, "the years 1900 to 2100"},
		{"noaa_find_nearest_stations", `{"latitude":91,"longitude":0}`, coast.InvalidRequest,
			"latitude must be a number from -90 to 90, not 91"},
		{"noaa_find_nearest_stations", `{"latitude":"NaN","longitude":0}`, coast.InvalidRequest,
			"latitude must be a number"},
		{"noaa_find_nearest_stations", `{"latitude":1e999,"longitude":0}`, coast.InvalidRequest,
			"latitude must be a number"},
		{"noaa_find_nearest_stations", `{"latitude":1,"longitude":0,"type":"met"}`,
			coast.ProviderUnavailable, "tidepredictions"},
		{"noaa_search_stations", `{"state":"Mass"}`, coast.InvalidRequest, `Example: "state": "MA"`},
		{"noaa_get_station_datums", `{"station":"8557863"}`, coast.ProductUnavailable, "8570280"},
		{"noaa_get_station_datums", `{"station":"8443970","epoch":"superseded"}`,
			coast.ProviderUnavailable, "No data is invented"},
		{"noaa_get_station_info", `{"station":"8443970","expand":["everything"]}`, coast.InvalidRequest,
			"details, sensors"},
		{"noaa_get_harmonic_constituents", `{"station":"8557863"}`, coast.ProductUnavailable,
			`Get those of 8570280: getHarmonicConstituents {"station": "8570280"}`},
		{"noaa_get_tide_prediction_offsets", `{"station":"8443970"}`, coast.ProductUnavailable,
			"reference station"},
		{"noaa_get_station_flood_levels", `{"station":"8557863"}`, coast.ProductUnavailable,
			"subordinate"},
		{"astro_get_sun_times", `{"latitude":42}`, coast.InvalidRequest, "longitude is missing"},
		{"astro_get_sun_times", `{}`, coast.InvalidRequest, "a place is needed"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"station":"8443970"}`,
			coast.InvalidRequest, "not both"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"time_zone":"Mars/Olympus"}`,
			coast.InvalidRequest, "IANA name"},
		{"astro_get_sun_times", `{"latitude":42,"longitude":-71,"time_zone":"../../etc/passwd"}`,
			coast.InvalidRequest, "IANA name"},
		{"astro_get_moon_phase", `{"begin_date":"2026-01-01","end_date":"2026-03-01"}`,
			coast.RangeTooLong, "at most 31"},
		{"astro_get_moon_phase", `{"begin_date":"2026-01-02","end_date":"2026-01-01"}`,
			coast.InvalidRequest, "after end_date"},
		{"noaa_get_reference_guide", `{"topic":"tides"}`, coast.InvalidRequest, "interpretation"},
	}
	for _, test := range tests {
		_, err := call(t, s, test.tool, test.args)
		if code(err) != test.code || !strings.Contains(hinted(err), test.says) {
			t.Errorf("%s %s:\n got %s: %v\nwant %s with %q",
				test.tool, test.args, code(err), hinted(err), test.code, test.says)
		}
	}
}

// hinted returns the message of an error with its hints.
func hinted(err error) string {
	e, _ := coast.AsError(err)
	return e.Explain(func(h coast.Hint) string {
		return h.Do + ": " + string(h.Operation) + " " + h.Arguments.JSON()
	}).Message
}

// TestWeakCurrentsOnly checks that the error for an unknown tide station does not mention
// weak currents.
func TestWeakCurrentsOnly(t *testing.T) {
	_, err := call(t, newSet(t), "noaa_get_tide_predictions", `{"station":"TPT9999"}`)
	if code(err) != coast.StationNotFound || strings.Contains(err.Error(), "currents") {
		t.Errorf("TPT9999: %v", err)
	}
}

// TestHarmlessMismatch checks that arguments of the wrong type are accepted if their meaning
// is unambiguous.
func TestHarmlessMismatch(t *testing.T) {
	s := newSet(t)
	want := get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","hours":24,"datum":"MLLW","interval":"6"}`)
	got := get(t, s, "noaa_get_tide_predictions",
		`{"station":8443970,"hours":"24","datum":"mllw","interval":6,"units":null}`)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestAllFaultsAtOnce checks that one error lists all faults in a request.
func TestAllFaultsAtOnce(t *testing.T) {
	_, err := call(t, newSet(t), "noaa_get_tide_predictions",
		`{"station":"x","hours":0,"datum":"?","when":"now"}`)
	var e *coast.Error
	if !errors.As(err, &e) || len(e.Issues) != 4 {
		t.Fatalf("%v, want 4 issues", err)
	}
}

// TestRepeated checks that equal requests within a minute have equal results, of which a client
// that has the first need not receive the second.
func TestRepeated(t *testing.T) {
	early, late := newSet(t), rigAt(newSet(t).Stations, "", offline(t, coast.COOPS),
		offline(t, coast.NWS))
	late.clock.at = noon.Add(59 * time.Second)
	for _, example := range examples {
		var bodies [2]string
		for i, s := range []*Set{early, late.Set} {
			r, err := call(t, s, example.tool, example.args)
			if err != nil {
				t.Fatalf("%s %s: %v", example.tool, example.args, err)
			}
			body, err := r.Structured()
			if err != nil {
				t.Fatal(err)
			}
			bodies[i] = string(body)
		}
		if bodies[0] != bodies[1] {
			t.Errorf("%s %s: %s, and %s", example.tool, example.args, bodies[0], bodies[1])
		}
	}
}
