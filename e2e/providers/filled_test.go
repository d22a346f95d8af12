package providers

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/docs"
	"leadline/e2e/product"
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
		"/api/v1/stations?q=st+george+island", // with another clock than NOAA's tables
		"/api/v1/stations/nearest?lat=29.61&lon=-84.96",
		"/api/v1/stations/TPT2859", // and its reference station, too
		"/api/v1/stations/8443970",
		"/api/v1/stations/8557863?units=metric", // subordinate
		"/api/v1/stations/EPT0003",              // currents
		"/api/v1/stations/ACT0101",              // currents, subordinate
		"/api/v1/stations/8443970/predictions",
		"/api/v1/stations/8443970/predictions?interval=6&time_zone=gmt",
		// Spans without an event.
		"/api/v1/stations/8443970/predictions?begin_date=2026-11-28+02:00&hours=4",
		"/api/v1/stations/EPT0003/predictions?begin_date=2024-09-26T00:00Z&hours=1",
		"/api/v1/stations/8443970/water-levels",
		"/api/v1/stations/8443970/conditions?units=metric",
		"/api/v1/stations/9414290/water-levels", // flagged
		"/api/v1/stations/9414290/conditions",
		"/api/v1/stations/8443970/forecast",
		"/api/v1/astronomy?lat=42.35&lon=-71.05&days=31",
		// Days with two moonrises and two moonsets, and of a polar night.
		"/api/v1/astronomy?lat=66.9&lon=-162.6&date=2026-07-09&days=31",
		"/api/v1/astronomy?lat=71.29&lon=-156.79&date=2026-12-21",
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
		"/api/planning/current-windows?station=PUG1701&wind=true&at_least=1&range=144",
		"/api/planning/current-windows?place=Deception+Pass,+WA&at_least=2",
		"/api/planning/current-windows?station=PUG1701", // slacks
		"/api/planning/transits?station=PUG1701&distance=3&speed=4&course=90",
		"/api/planning/transits?place=Deception+Pass,+WA&distance=1&speed=9&direction=with_ebb",
		"/api/planning/day?place=Boston&activity=boating&include=tides,light,currents,wind,alerts," +
			"water_level,temperature,decision",
		"/api/planning/day?station=8443970&date=2026-11-26",
		"/api/planning/trip?place=Boston&hours=48&activity=beachcombing",
		"/api/planning/trip?station=9414290&activity=photography&date=saturday",
		"/api/planning/trip?station=8443970&activity=coastal-living&date=today&hours=24",
		"/api/planning/transits?station=PUG1701&distance=0&speed=5&max_current=20",
		"/api/planning/places?query=boston",
		"/api/planning/telegram?place=Daytona+Beach,+FL",
	},
	"/api/developer/openapi.json": nil, // the recorded examples
}

// elsewhere lists schemas and properties that no response here has, with the reason and the test
// that covers them.
var elsewhere = map[string]string{
	"Attempt.reply":             "not kept in private networks, where receivers are: TestReadReply",
	"PastStep":                  "watches change with the weather: TestWatchChanges",
	"Reason.predictedLow":       belowPrediction,
	"Reason.residual":           belowPrediction,
	"Reason.residualAgeMinutes": belowPrediction,

	"HoursReason.predictedLow":       belowPrediction,
	"HoursReason.residual":           belowPrediction,
	"HoursReason.residualAgeMinutes": belowPrediction,
	"Status.error":                   "the store responds: TestStatus in tools",
	"StationDetails.chart":           "the simulator has no charts: TestRecordedDetails",
	"StationDetails.removed":         "the simulator has no removed stations: TestRecordedDetails",
}

// belowPrediction explains why no response has the fields of low_water_observed.
const belowPrediction = "the gauge is above its prediction: TestLowWaterObserved in decide"

// TestContractIsFilled checks that responses have what their schemas promise, at every depth: each
// required property in every response, each declared one in at least one.
func TestContractIsFilled(t *testing.T) {
	simulator, root := product.Simulate(t, product.Noon)
	storm(t, simulator)
	err := simulator.SetSurf("MAZ015", provider.Surf{Risk: func(string) string {
		return "\n  North of Boston Light...High"
	}})
	if err == nil {
		flags := func(product string, _ time.Time) string {
			return map[string]string{"water_level": "0,1,0,0"}[product]
		}
		err = simulator.SetWater("9414290", provider.Water{Flags: flags})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := product.Setup{
		Root:   root,
		Now:    product.Noon,
		Folder: t.TempDir(),
		Alone:  true,
		// Many requests follow each other, on a machine that may be busy.
		Deadline: time.Minute,
	} // a key comes before the start
	key := strings.TrimSpace(
		product.At(t, s.Folder, "keys", "create", "--account", "mate@example.org",
			"--plan", "pro"),
	)
	p := s.Start(t).Join(t)
	f := filling{t, map[string]bool{}, map[string]bool{}}
	for document, targets := range filled {
		c := product.ReadDocument(t, p.URL, document)
		for _, target := range targets {
			target, body, _ := strings.Cut(target, " ")
			f.request(c, p.URL, key, target, body)
		}
		for path, item := range c.Paths {
			for verb, o := range item.(map[string]any) {
				schema := answerSchema(c, path, verb)
				f.declare(c, schema)
				if e, ok := docs.ExampleOf(product.Inside(o, "operationId").(string)); ok {
					f.record(c, schema, parsed(t, e.Response))
				}
			}
		}
		f.declare(c, map[string]any{"$ref": "#/components/schemas/ErrorResponse"})
	}
	simulator.Fail(provider.Data, provider.Fault{Kind: provider.Broken})
	f.request(readContract(t, p.URL), p.URL, "", "/api/v1/stations/8454000/water-levels", "")
	f.check()
}

// filling records which properties the schemas declare and responses have, by the names of schema
// and property.
type filling struct {
	*testing.T
	declared, seen map[string]bool
}

// request sends a request and records its response, which must match its schema.
func (f filling) request(c *product.ContractOf, base, key, target, body string) {
	f.Helper()
	path, schema := c.PathOf(target), any(nil)
	status, answer, err := http.StatusOK, []byte(nil), error(nil)
	if body != "" {
		status, answer, err = product.SendAs(key, base+target, body)
		schema = answerSchema(c, path, "post")
	} else {
		var header http.Header
		status, header, answer = product.Exchange(f.T, "GET", base+target)
		schema, err = answerSchema(c, path, "get"), c.CheckAnswer(path, status, header, answer)
	}
	if status != http.StatusOK {
		schema = map[string]any{"$ref": "#/components/schemas/ErrorResponse"}
	}
	if err == nil {
		name, _ := c.Resolve(schema)
		err = c.Violates(parsed(f.T, answer), product.Pointer("components", "schemas", name))
	}
	if err != nil {
		f.Errorf("%s = %d %.300s: %v", target, status, answer, err)
	}
	f.record(c, schema, parsed(f.T, answer))
}

// answerSchema returns the schema of the results of an operation.
func answerSchema(c *product.ContractOf, path, verb string) any {
	return product.Inside(
		c.Paths[path],
		verb,
		"responses",
		"200",
		"content",
		"application/json",
		"schema",
	)
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// parts returns the schemas inside a schema other than those of its properties.
func parts(s map[string]any) []any {
	choices, _ := s["anyOf"].([]any)
	return append(slices.Clone(choices), s["items"], s["additionalProperties"])
}

// declare records the properties of a schema and of those that it refers to. It does not go into
// the kinds of events: TestEveryKindArrives checks one of each.
func (f filling) declare(c *product.ContractOf, schema any) {
	name, s := c.Resolve(schema)
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
func (f filling) record(c *product.ContractOf, schema, value any) {
	name, s := c.Resolve(schema)
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			f.record(c, s["items"], item)
		}
	case map[string]any:
		if names := product.Inside(s, "discriminator", "mapping"); names != nil {
			kind := value[product.Inside(s, "discriminator", "propertyName").(string)].(string)
			f.record(c, map[string]any{"$ref": product.Inside(names, kind)}, value)
			return
		}
		for property, v := range value {
			if p := product.Inside(s, "properties", property); p != nil {
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
