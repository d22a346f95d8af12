package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/coast"
)

// outer has a field of every kind that outputs have.
type outer struct {
	embedded
	Text     string            `json:"text" pattern:"^[a-z ]+$" doc:"Some words."`
	Day      string            `json:"day" format:"date"`
	Grade    string            `json:"grade,omitempty" enum:"low high"`
	Kind     *coast.Kind       `json:"kind"`
	Whole    int               `json:"whole" min:"1"`
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
	page
}

// page is a part of a result.
type page struct {
	Next map[string]any `json:"next,omitempty" schema:"-"`
}

type embedded struct {
	First string `json:"first"`
}

type inner struct {
	Deep []string `json:"deep,omitempty"`
}

func TestResults(t *testing.T) {
	got, err := json.Marshal(Results(reflect.TypeFor[outer]()))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"SourceKind":{"type":"string","enum":["prediction","observation","forecast","calculation"]},"inner":{"type":"object","properties":{"deep":{"type":"array","items":{"type":"string"}}}},` +
		`"outer":{"type":"object","properties":{"first":{"type":"string"},` +
		`"text":{"type":"string","pattern":"^[a-z ]+$","description":"Some words."},"day":{"type":"string","format":"date"},` +
		`"grade":{"type":"string","enum":["low","high"]},"kind":{"anyOf":[{"$ref":"#/components/schemas/SourceKind"},{"type":"null"}]},` +
		`"whole":{"type":"integer","minimum":1},"number":{"type":["number","null"]},"left":{"type":"number"},"yes":{"type":"boolean"},` +
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

// TestNamed checks that types choose their names in documents.
func TestNamed(t *testing.T) {
	got, err := json.Marshal(RefOf(reflect.TypeFor[coast.Error]()))
	if want := `{"$ref":"#/components/schemas/ErrorDetail"}`; err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	all := Results(reflect.TypeFor[coast.Error]())
	if all["ErrorDetail"] == nil || all["Error"] != nil {
		t.Errorf("got the schemas %v", slices.Collect(maps.Keys(all)))
	}
}

// TestPromised checks that a result can promise the properties of a struct that it embeds.
func TestPromised(t *testing.T) {
	type framed struct {
		coast.Frame `always:"station units" never:"datum datumEpoch"`
	}
	s := Results(reflect.TypeFor[framed]())["framed"]
	var names []string
	for _, p := range s[1].Value.(Object) {
		names = append(names, p.Name)
	}
	required := strings.Join(s[2].Value.([]string), " ")
	if got, want := strings.Join(names, " "),
		"station units timeZone sources missing notes quoted"; got != want {
		t.Errorf("got the properties %s, want %s", got, want)
	}
	if want := "station units sources missing notes"; required != want {
		t.Errorf("required are %s, want %s", required, want)
	}
}

func TestResultSchemasOfOneName(t *testing.T) {
	type Station struct{ A coast.Station }
	defer func() {
		if recover() == nil {
			t.Error("two types of one name: no panic")
		}
	}()
	Results(reflect.TypeFor[Station]())
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

// TestSource checks that the schema of sources matches the sources in the contract's
// decisions.
func TestSource(t *testing.T) {
	all := Results(reflect.TypeFor[coast.Source]())
	text, err := json.Marshal(all["Source"])
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
		if ref, ok := p["$ref"].(string); ok {
			enumeration := all[strings.TrimPrefix(ref, "#/components/schemas/")]
			kind, values = string(stringKind), enumeration[1].Value.([]string)
		}
		if kind != test.kind || null != test.null || strings.Join(values, ",") != test.values ||
			test.must && !slices.Contains(got.Required, test.name) {
			t.Errorf("%s = %v, want %v", test.name, p, test)
		}
	}
	if len(got.Properties) != 12 || slices.Contains(got.Required, "datumEpoch") {
		t.Errorf("%d properties, required %v, want the 11 of the contract and datumEpoch",
			len(got.Properties), got.Required)
	}
}

func TestParameters(t *testing.T) {
	type datum struct {
		Datum string `json:"datum,omitempty"`
	}
	type input struct {
		datum
		Day   string   `json:"day,omitempty" doc:"A day." format:"date" example:"2026-11-20"`
		Hours int      `json:"hours" min:"1" max:"24" example:"6"`
		Parts []string `json:"parts,omitempty" enum:"a b" example:"a"`
	}
	list := Arguments[input]().Parameters()
	text, err := json.Marshal(list[1:])
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"Name":"day","Doc":"A day.","Required":false,"Schema":{"type":"string","format":"date"},"Example":"2026-11-20","Enumerations":null},` +
		`{"Name":"hours","Doc":"","Required":true,"Schema":{"type":"integer","minimum":1,"maximum":24},"Example":6,"Enumerations":null},` +
		`{"Name":"parts","Doc":"","Required":false,"Schema":{"type":"array","items":{"type":"string","enum":["a","b"]}},"Example":["a"],"Enumerations":null}]`
	if got := string(text); got != want || list[0].Name != "datum" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// zone is an Open type.
type zone string

func (zone) SchemaName() string { return "ZoneMode" }

func (zone) Known() []string { return []string{"local", "gmt"} }

// TestOpen checks that inputs of an Open type accept every string, and that documents name its
// known values.
func TestOpen(t *testing.T) {
	type input struct {
		Zone zone `json:"zone" doc:"Zone." default:"local"`
	}
	takes := Arguments[input]()
	for given, want := range map[string]zone{
		`{}`: "local", `{"zone":"gmt"}`: "gmt", `{"zone":"America/New_York"}`: "America/New_York",
	} {
		var in input
		if err := takes.Decode([]byte(given), &in); err != nil || in.Zone != want {
			t.Errorf("Decode(%s) = %q, %v, want %q", given, in.Zone, err, want)
		}
	}
	const known = `"ZoneMode":{"type":"string","enum":["local","gmt"]}`
	const choice = `"anyOf":[{"$ref":"#/components/schemas/ZoneMode"},{"type":"string"}]`
	for name, test := range map[string]struct {
		described any
		want      string
	}{
		"arguments": {takes, `{"type":"object","properties":{"zone":{"type":"string",` +
			`"description":"Zone.","default":"local"}}}`},
		"body": {Body[input]().Schemas(), `{` + known + `,"input":{"type":"object","properties":` +
			`{"zone":{` + choice + `,"description":"Zone.","default":"local"}},` +
			`"additionalProperties":false}}`},
		"parameters": {takes.Parameters(), `[{"Name":"zone","Doc":"Zone.","Required":false,"Schema":{` +
			choice + `,"default":"local"},"Example":null,"Enumerations":{` + known + `}}]`},
	} {
		if got, err := json.Marshal(test.described); err != nil || string(got) != test.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, test.want)
		}
	}
}
