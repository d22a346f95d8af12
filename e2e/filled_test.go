package e2e

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/docs"
	"leadline/internal/simulator/provider"
)

// filled lists requests whose responses, together with the recorded examples, have every property
// that the documents declare.
var filled = map[string][]string{
	"/openapi.json": {
		"/api/v1/stations?q=boston",
		"/api/v1/stations?q=bostn",
		"/api/v1/stations?q=94019", // a ZIP code
		"/api/v1/stations/nearest?lat=42.35&lon=-71.05",
		"/api/v1/stations/8443970",
		"/api/v1/stations/8557863?units=metric", // subordinate
		"/api/v1/stations/EPT0003",              // currents
		"/api/v1/stations/ACT0101",              // currents, subordinate
		"/api/v1/stations/8443970/predictions",
		"/api/v1/stations/8443970/predictions?interval=6&time_zone=gmt",
		"/api/v1/stations/8443970/water-levels",
		"/api/v1/stations/8443970/conditions?units=metric",
		"/api/v1/stations/8443970/forecast",
		"/api/v1/astronomy?lat=42.35&lon=-71.05&days=31",
		`/api/v1/decisions/trip-health {"stationId":"8443970","activity":"coastal-living",` +
			`"localDate":"2026-11-20","localTime":"12:30"}`,
		"/api/v1/stations/8443970/forecast?hours=0",
		`/api/v1/decisions/material-change {"stationId":"8443970","activity":"boating",` +
			`"localDate":"2026-11-20","localTime":"14:00","baseline":{"state":"normal"}}`,
	},
	"/api/planning/openapi.json": {
		"/api/planning/tide-windows?station=8443970&below=0&limit=1",
		"/api/planning/tide-windows?place=Boston&above=3",
		"/api/planning/tide-windows?station=8443970&draft=5&charted_depth=4",
		"/api/planning/tide-ranks?station=8443970",
		"/api/planning/tide-ranks?place=Boston&what=king",
		"/api/planning/tide-ranks?station=8443970&what=springs",
		"/api/planning/current-windows?station=PUG1701&wind=true",
		"/api/planning/current-windows?place=Deception+Pass,+WA&at_least=2",
		"/api/planning/transits?station=PUG1701&distance=3&speed=4&course=90",
		"/api/planning/transits?place=Deception+Pass,+WA&distance=1&speed=9&direction=with_ebb",
		"/api/planning/day?place=Boston&activity=boating&include=tides,light,currents,wind,alerts," +
			"water_level,temperature,decision",
		"/api/planning/day?station=8443970&date=2026-11-26",
		"/api/planning/transits?station=PUG1701&distance=0&speed=5&max_current=20",
		"/api/planning/places?query=boston",
		"/api/planning/telegram?place=Boston",
	},
	"/api/developer/openapi.json": nil, // the recorded examples
}

// elsewhere lists schemas and properties that no response here has, with the reason and the test
// that covers them.
var elsewhere = map[string]string{
	"Attempt.reply":          "not kept in private networks, where receivers are: TestReadReply",
	"PastStep":               "watches change with the weather: TestWatchChanges",
	"Status.error":           "the store responds: TestStatus in tools",
	"StationDetails.chart":   "the simulator has no charts: TestRecordedDetails",
	"StationDetails.removed": "the simulator has no removed stations: TestRecordedDetails",
}

// TestContractIsFilled checks that responses have what their schemas promise, at every depth: each
// required property in every response, each declared one in at least one.
func TestContractIsFilled(t *testing.T) {
	simulator, root := simulate(t, noon)
	storm(t, simulator)
	err := simulator.SetSurf("MAZ015", provider.Surf{Risk: func(string) string {
		return "\n  North of Boston Light...High"
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := setup{root: root, now: noon, folder: t.TempDir(), alone: true} // a key comes before the start
	key := strings.TrimSpace(at(t, s.folder, "keys", "create", "--account", "mate@example.org",
		"--plan", "pro"))
	p := s.start(t).join(t)
	f := filling{t, map[string]bool{}, map[string]bool{}}
	for document, targets := range filled {
		c := readDocument(t, p.url, document)
		for _, target := range targets {
			target, body, _ := strings.Cut(target, " ")
			f.request(c, p.url, key, target, body)
		}
		for path, item := range c.paths {
			for verb, o := range item.(map[string]any) {
				schema := answerSchema(c, path, verb)
				f.declare(c, schema)
				if e, ok := docs.ExampleOf(inside(o, "operationId").(string)); ok {
					f.record(c, schema, parsed(t, e.Response))
				}
			}
		}
		f.declare(c, map[string]any{"$ref": "#/components/schemas/ErrorResponse"})
	}
	simulator.Fail(provider.Data, provider.Fault{Kind: provider.Broken})
	f.request(readContract(t, p.url), p.url, "", "/api/v1/stations/8454000/water-levels", "")
	f.check()
}

// filling records which properties the schemas declare and responses have, by the names of schema
// and property.
type filling struct {
	*testing.T
	declared, seen map[string]bool
}

// request sends a request and records its response, which must match its schema.
func (f filling) request(c *contractOf, base, key, target, body string) {
	f.Helper()
	path, schema := c.pathOf(target), any(nil)
	status, answer, err := http.StatusOK, []byte(nil), error(nil)
	if body != "" {
		status, answer, err = sendAs(key, base+target, body)
		schema = answerSchema(c, path, "post")
	} else {
		var header http.Header
		status, header, answer = exchange(f.T, "GET", base+target)
		schema, err = answerSchema(c, path, "get"), c.checkAnswer(path, status, header, answer)
	}
	if status != http.StatusOK {
		schema = map[string]any{"$ref": "#/components/schemas/ErrorResponse"}
	}
	if err == nil {
		name, _ := c.resolve(schema)
		err = c.violates(parsed(f.T, answer), pointer("components", "schemas", name))
	}
	if err != nil {
		f.Errorf("%s = %d %.300s: %v", target, status, answer, err)
	}
	f.record(c, schema, parsed(f.T, answer))
}

// answerSchema returns the schema of the results of an operation.
func answerSchema(c *contractOf, path, verb string) any {
	return inside(c.paths[path], verb, "responses", "200", "content", "application/json", "schema")
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// resolve follows a reference and returns the name of the schema, "" for a schema without a name.
func (c *contractOf) resolve(schema any) (name string, _ map[string]any) {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		_, name, _ = strings.Cut(ref, "#/components/schemas/")
		s, _ = c.find(strings.TrimPrefix(ref, "#")).(map[string]any)
	}
	return name, s
}

// parts returns the schemas inside a schema other than those of its properties.
func parts(s map[string]any) []any {
	choices, _ := s["anyOf"].([]any)
	return append(slices.Clone(choices), s["items"], s["additionalProperties"])
}

// declare records the properties of a schema and of those that it refers to. It does not go into
// the kinds of events: TestEveryKindArrives checks one of each.
func (f filling) declare(c *contractOf, schema any) {
	name, s := c.resolve(schema)
	if s == nil || f.declared[name] || s["discriminator"] != nil {
		return
	}
	if name != "" {
		f.declared[name] = true
	}
	properties, _ := s["properties"].(map[string]any)
	for property, p := range properties {
		f.declared[name+"."+property] = true
		f.declare(c, p)
	}
	for _, part := range parts(s) {
		f.declare(c, part)
	}
}

// record records the properties that a value has.
func (f filling) record(c *contractOf, schema, value any) {
	name, s := c.resolve(schema)
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			f.record(c, s["items"], item)
		}
	case map[string]any:
		if names := inside(s, "discriminator", "mapping"); names != nil {
			kind := value[inside(s, "discriminator", "propertyName").(string)].(string)
			f.record(c, map[string]any{"$ref": inside(names, kind)}, value)
			return
		}
		for property, v := range value {
			if p := inside(s, "properties", property); p != nil {
				f.seen[name+"."+property] = true
				f.record(c, p, v)
			} else {
				f.record(c, s["additionalProperties"], v)
			}
		}
	}
	if choices, ok := s["anyOf"].([]any); ok && value != nil {
		f.record(c, choices[0], value) // the others are null
	}
}

// check compares what was seen with what is declared.
func (f filling) check() {
	f.Helper()
	for _, name := range slices.Sorted(maps.Keys(f.declared)) {
		schema, property, _ := strings.Cut(name, ".")
		reason := elsewhere[name] + elsewhere[schema]
		switch {
		case property == "":
		case !f.seen[name] && reason == "":
			f.Errorf("the documents declare %s, which no response has", name)
		case f.seen[name] && elsewhere[name] != "":
			f.Errorf("a response has %s: remove it from elsewhere", name)
		}
	}
	for name := range elsewhere {
		if !f.declared[name] {
			f.Errorf("the documents do not declare %s", name)
		}
	}
	if len(f.seen) < 500 {
		f.Errorf("%d properties in responses", len(f.seen))
	}
}
