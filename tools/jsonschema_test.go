package tools

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/coast"
)

// outer holds a field of every form that outputs have.
type outer struct {
	embedded
	Text     string            `json:"text" doc:"Some words."`
	Day      string            `json:"day" format:"date"`
	Grade    string            `json:"grade,omitempty" enum:"low high"`
	Kind     *coast.Kind       `json:"kind"`
	Whole    int               `json:"whole"`
	Number   *float64          `json:"number"`
	Left     *float64          `json:"left,omitempty"`
	Yes      bool              `json:"yes"`
	At       time.Time         `json:"at"`
	Until    *time.Time        `json:"until"`
	Part     inner             `json:"part"`
	Perhaps  *inner            `json:"perhaps" doc:"One or none."`
	Rather   *inner            `json:"rather,omitempty"`
	Rows     []inner           `json:"rows"`
	Values   []*float64        `json:"values,omitzero"`
	Numbered map[string]string `json:"numbered"`
	Loose    map[string]any    `json:"loose,omitempty"`
	Any      any               `json:"any" doc:"What it was given."`
	Anyhow   []any             `json:"anyhow,omitempty"`
	cut
}

type embedded struct {
	First string `json:"first"`
}

type inner struct {
	Deep []string `json:"deep,omitempty"`
}

func TestResultSchemas(t *testing.T) {
	got, err := json.Marshal(ResultSchemas(reflect.TypeFor[outer]()))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"inner":{"type":"object","properties":{"deep":{"type":"array","items":{"type":"string"}}}},` +
		`"outer":{"type":"object","properties":{"first":{"type":"string"},` +
		`"text":{"type":"string","description":"Some words."},"day":{"type":"string","format":"date"},` +
		`"grade":{"type":"string","enum":["low","high"]},"kind":{"type":["string","null"],"enum":["prediction","observation","forecast","calculation",null]},` +
		`"whole":{"type":"integer"},"number":{"type":["number","null"]},"left":{"type":"number"},"yes":{"type":"boolean"},` +
		`"at":{"type":"string","format":"date-time"},"until":{"type":["string","null"],"format":"date-time"},` +
		`"part":{"$ref":"#/components/schemas/inner"},"perhaps":{"anyOf":[{"$ref":"#/components/schemas/inner"},{"type":"null"}],"description":"One or none."},` +
		`"rather":{"$ref":"#/components/schemas/inner"},"rows":{"type":"array","items":{"$ref":"#/components/schemas/inner"}},` +
		`"values":{"type":"array","items":{"type":["number","null"]}},"numbered":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"loose":{"type":"object"},"any":{"description":"What it was given."},"anyhow":{"type":"array","items":{}}},` +
		`"required":["first","text","day","kind","whole","number","yes","at","until","part","perhaps","rows","numbered","any"]}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestResultSchemasOfOneName(t *testing.T) {
	type Station struct{ A coast.Station }
	defer func() {
		if recover() == nil {
			t.Error("two types of one name: no panic")
		}
	}()
	ResultSchemas(reflect.TypeFor[Station]())
}

// TestAnswersSatisfySchemas holds answers to the schemas of their types, with
// no property that the schema does not name.
func TestAnswersSatisfySchemas(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ tool, args string }{
		{"noaa_get_tide_predictions", `{"station":"8443970"}`},
		{"noaa_get_tide_predictions", `{"station":"8557863","interval":"30","units":"metric","time_zone":"lst"}`},
		{"noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2031-01-01","range":24}`},
		{"noaa_get_current_predictions", `{"station":"EPT0003"}`},
		{"noaa_get_current_predictions", `{"station":"ACT0091","interval":"60"}`},
		{"noaa_search_stations", `{"query":"boston"}`},
		{"noaa_search_stations", `{"query":"nosuchplaceanywhere"}`},
		{"noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05}`},
		{"noaa_get_station_info", `{"station":"8443970","expand":["details","datums","floodlevels","products","nearby","sensors"]}`},
		{"noaa_get_station_info", `{"station":"8557863"}`},
		{"noaa_get_station_info", `{"station":"EPT0003","expand":["details","bins"]}`},
		{"noaa_get_station_datums", `{"station":"8443970"}`},
		{"noaa_get_harmonic_constituents", `{"station":"EPT0003"}`},
		{"noaa_get_tide_prediction_offsets", `{"station":"8557863"}`},
		{"noaa_get_current_station_bins", `{"station":"ACT0101"}`},
		{"noaa_get_station_flood_levels", `{"station":"9447130"}`},
		{"astro_get_moon_phase", `{}`},
		{"astro_get_moon_phase", `{"latitude":69.65,"longitude":18.96,"begin_date":"2026-06-01","end_date":"2026-06-30"}`},
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
	sky, err := s.Astronomy(t.Context(), AstronomyInput{SunTimesInput{AtPlace: AtPlace{Latitude: &latitude, Longitude: &longitude}, Days: 31}})
	if err != nil {
		t.Fatal(err)
	}
	satisfies(t, "astronomy", Result{Value: sky})
}

// satisfies checks a result against the schema of its type, strictly.
func satisfies(t *testing.T, what string, r Result) {
	t.Helper()
	kind := reflect.TypeOf(r.Value)
	schemas := ResultSchemas(kind)
	for name, s := range schemas {
		schemas[name] = append(s, Member{"additionalProperties", false})
	}
	schema := compile(t, map[string]any{"components": map[string]any{"schemas": schemas}}, SchemaRef(kind)[0].Value.(string))
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(unmarshal(t, body)); err != nil {
		t.Errorf("%s: %v\n%s", what, err, body)
	}
}

// compile compiles the schema at a reference into a document; formats count.
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

// TestSource: the sources of answers are those of the contract's decisions.
func TestSource(t *testing.T) {
	text, err := json.Marshal(ResultSchemas(reflect.TypeFor[coast.Source]())["Source"])
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, kind string // type, format
		values     string
		null, must bool
	}{
		{"id", "string", "", false, true},
		{"label", "string", "", false, true},
		{"provider", "string", "NOAA CO-OPS,NWS,Leadline", false, true},
		{"kind", "string", "prediction,observation,forecast,calculation", false, true},
		{"required", "boolean", "", false, true},
		{"available", "boolean", "", false, true},
		{"freshness", "string", "fresh,aging,stale,unknown", false, true},
		{"sourceAt", "string date-time", "", true, false},
		{"receivedAt", "string date-time", "", false, true},
		{"ageMinutes", "integer", "", true, false},
		{"attributionUrl", "string uri", "", false, true},
	} {
		p := got.Properties[test.name]
		kind, null := p["type"], false
		if list, ok := kind.([]any); ok {
			kind, null = list[0], slices.Contains(list[1:], any("null"))
		}
		if format, ok := p["format"]; ok {
			kind = kind.(string) + " " + format.(string)
		}
		var values []string
		if list, ok := p["enum"].([]any); ok {
			for _, v := range list {
				values = append(values, v.(string))
			}
		}
		if kind != test.kind || null != test.null || strings.Join(values, ",") != test.values || test.must && !slices.Contains(got.Required, test.name) {
			t.Errorf("%s = %v, want %v", test.name, p, test)
		}
	}
	if len(got.Properties) != 12 || slices.Contains(got.Required, "datumEpoch") {
		t.Errorf("%d properties, required %v, want the 11 of the contract and datumEpoch", len(got.Properties), got.Required)
	}
}

// TestValuesAreAll: the closed lists are the constants of their types.
func TestValuesAreAll(t *testing.T) {
	declared := map[string][]string{}
	for _, file := range []string{"../internal/coast/coast.go", "../internal/coast/error.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, typed := spec.Type.(*ast.Ident)
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && typed {
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				declared[kind.Name] = append(declared[kind.Name], value)
			}
			return true
		})
	}
	for _, kind := range []reflect.Type{reflect.TypeFor[coast.Kind](), reflect.TypeFor[coast.Freshness](), reflect.TypeFor[coast.Code]()} {
		if got, want := Values(kind), declared[kind.Name()]; !slices.Equal(got, want) {
			t.Errorf("Values(%s) = %v, want %v", kind, got, want)
		}
		delete(declared, kind.Name())
	}
	if len(declared) > 0 {
		t.Errorf("types of constants without a list in Values: %v", declared)
	}
}

func TestParametersOf(t *testing.T) {
	type input struct {
		OnDatum
		Day   string   `json:"day,omitempty" doc:"A day." format:"date" example:"2026-11-20"`
		Hours int      `json:"hours" min:"1" max:"24" example:"6"`
		Parts []string `json:"parts,omitempty" enum:"a b" example:"a"`
	}
	list := ParametersOf[input]()
	text, err := json.Marshal(list[1:])
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"Name":"day","Doc":"A day.","Required":false,"Schema":{"type":"string","format":"date"},"Example":"2026-11-20"},` +
		`{"Name":"hours","Doc":"","Required":true,"Schema":{"type":"integer","minimum":1,"maximum":24},"Example":6},` +
		`{"Name":"parts","Doc":"","Required":false,"Schema":{"type":"array","items":{"type":"string","enum":["a","b"]}},"Example":["a"]}]`
	if got := string(text); got != want || list[0].Name != "datum" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
