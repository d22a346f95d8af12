package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/almanac"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/schema"
)

// TestResultsSatisfySchemas checks results against the schemas of their types. Properties that
// a schema does not name are errors.
func TestResultsSatisfySchemas(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ tool, args string }{
		{"noaa_get_tide_predictions", `{"station":"8443970"}`},
		{"noaa_get_tide_predictions",
			`{"station":"8557863","interval":"30","units":"metric","time_zone":"lst"}`},
		{"noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2031-01-01","range":24}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003"}`},
		{"noaa_get_current_predictions", `{"station":"ACT0091","interval":"60"}`},
		{"noaa_search_stations", `{"query":"boston"}`},
		{"noaa_search_stations", `{"query":"nosuchplaceanywhere"}`},
		{"noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05}`},
		{"noaa_get_station_info",
			`{"station":"8443970","expand":["details","datums","floodlevels","products"]}`},
		{"noaa_get_station_info", `{"station":"8557863"}`},
		{"noaa_get_station_info", `{"station":"EPT0003","expand":["details","bins"]}`},
		{"noaa_get_station_datums", `{"station":"8443970"}`},
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003"}`},
		{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
		{"noaa_get_current_station_bins", `{"station":"ACT0101"}`},
		{"noaa_get_station_flood_levels", `{"station":"9447130"}`},
		{"astro_get_moon_phase", `{}`},
		{"astro_get_moon_phase",
			`{"latitude":69.65,"longitude":18.96,"begin_date":"2026-06-01","end_date":"2026-06-30"}`},
		{"astro_get_sun_times", `{"latitude":69.65,"longitude":18.96,"date":"2026-06-21","days":31}`},
		{"astro_get_sun_position", `{"latitude":42.35,"longitude":-71.05}`},
		{"noaa_get_reference_guide", `{"topic":"datums"}`},
		{"leadline_whoami", `{}`},
	} {
		r, err := call(t, s, test.tool, test.args)
		if err != nil {
			t.Errorf("%s %s: %v", test.tool, test.args, err)
			continue
		}
		satisfies(t, test.tool+" "+test.args, r)
	}
	latitude, longitude := 42.35, -71.05
	sky, err := s.Sky.Astronomy(t.Context(),
		almanac.AstronomyInput{SunTimesInput: almanac.SunTimesInput{AtNamedPlace: place.AtNamedPlace{
			AtPlace: operation.AtPlace{Latitude: &latitude, Longitude: &longitude}},
			Days: 31}})
	if err != nil {
		t.Fatal(err)
	}
	satisfies(t, "astronomy", operation.Result{Value: sky})
}

var fractionOfSecond = regexp.MustCompile(`T[0-9:]+\.[0-9]+`)

// satisfies strictly checks a result against the schema of its type.
func satisfies(t *testing.T, what string, r operation.Result) {
	t.Helper()
	kind := reflect.TypeOf(r.Value)
	schemas := schema.Results(kind)
	for name, s := range schemas {
		schemas[name] = append(s, schema.Member{Name: "additionalProperties", Value: false})
	}
	compiled := compile(t, map[string]any{"components": map[string]any{"schemas": schemas}},
		schema.RefOf(kind)[0].Value.(string))
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	if fraction := fractionOfSecond.Find(body); fraction != nil {
		t.Errorf("%s has %s: times are in whole seconds", what, fraction)
	}
	if err := compiled.Validate(unmarshal(t, body)); err != nil {
		t.Errorf("%s: %v\n%s", what, err, body)
	}
}

// compile compiles the schema that a reference into a document names. It asserts formats.
func compile(t testing.TB, document any, ref string) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("document.json", unmarshal(t, text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("document.json" + ref)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func unmarshal(t testing.TB, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
