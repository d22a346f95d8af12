package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/schema"
	"leadline/store"
)

// The id and the time of the events in tests.
const anEvent = "msg_019a8f3c7b1e7c3a9d5e2f4061728394"

var happened = time.Date(2026, 11, 27, 15, 2, 10, 999_000_000, time.FixedZone("EST", -5*3600))

// samples returns data of every kind.
func samples() []Data {
	const page = "https://leadline.example.org/status"
	usage := Quota{
		Account: AccountPlan{"0195c0de-0000-7000-8000-000000000001", "pro"}, Month: "2026-11",
		Limit: 250_000, Used: 237_500, Remaining: 12_500,
		ResetsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
	}
	incident := store.Incident{
		ID: "7e0a9b1c-5d2f-4c3b-8a19-0f6e5d4c3b2a", Title: "Slow & late", Status: "investigating",
		Message: "<Looking>", From: happened, Updated: happened,
	}
	maintenance := incident
	maintenance.Maintenance, maintenance.Status = true, "scheduled"
	maintenance.Until = happened.Add(time.Hour)
	begun := maintenance
	begun.Status = "in-progress"
	return []Data{
		WebhookTestData{Endpoint: "we_4fT9kQ2mZx7LbN", Cause: "created", Message: "Test event."},
		changeOf(decision()),
		QuotaWarningData{Quota: usage, Level: quota.Critical},
		QuotaExceededData{Quota: usage, RetryAfterSeconds: 3600},
		ComponentData{
			Component: "nws", From: "operational", To: "degraded", Since: happened,
			DurationSeconds: 120, Status: "degraded", Message: "4 of 10 requests failed.",
			StatusURL: page,
		},
		IncidentOf(incident, "", page),
		IncidentOf(begun, "scheduled", page),
		MaintenanceOf(maintenance, "scheduled", page),
	}
}

// decision returns a decision with a reason of each severity.
func decision() *decide.Decision {
	value, unit, at := 21.5, "kn", happened
	return &decide.Decision{
		DecisionID: "019a8f3c-7b1e-7c3a-9d5e-2f4061728394", State: decide.ActionNeeded,
		Confidence: decide.High, Headline: "Action needed: wind.", EvaluatedAt: happened,
		RequestedFor: happened.Add(time.Hour), MissingInputs: []string{}, Reasons: []decide.Reason{
			{Code: "wind", Severity: decide.Action, Message: "Wind.", SourceID: "wind",
				StationID: "8443970", Value: &value, Unit: &unit, Threshold: &value,
				Margin: new(float64), At: &at},
			{Code: "darkness", Severity: decide.Watch, Message: "Dark.", SourceID: "sun"},
			{Code: "nearest_gauge", Severity: decide.Info, Message: "Near.", SourceID: "levels",
				Value: &value},
		},
	}
}

// changeOf returns the data of an operation's material change: the state was watch.
func changeOf(d *decide.Decision) MaterialChangeData {
	baseline := decide.Baseline{State: new(decide.WatchState)}
	return MaterialChangeData{
		Cause: "operation", Request: TripRequest{"8443970", decide.Boating, "2026-11-28", "09:00"},
		Report: decide.ReportSince(baseline, d, d, maxReport),
	}
}

// body returns the body of an event.
func body(t *testing.T, d Data) []byte {
	t.Helper()
	b, err := Body(anEvent, happened, d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBody checks what the bodies of all kinds have in common.
func TestBody(t *testing.T) {
	for _, d := range samples() {
		got := body(t, d)
		start := fmt.Sprintf(`{"type":%q,"timestamp":"2026-11-27T20:02:10Z","data":{"eventId":%q,`+
			`"contractVersion":"2026-07-09",`, d.Kind(), anEvent)
		if !bytes.HasPrefix(got, []byte(start)) {
			t.Errorf("%s: %s, want %s...", d.Kind(), got, start)
		}
		var minified bytes.Buffer
		if err := json.Compact(&minified, got); err != nil || !bytes.Equal(minified.Bytes(), got) {
			t.Errorf("%s: not minified: %s, %v", d.Kind(), got, err)
		}
		if bytes.Contains(got, []byte("-05:00")) || bytes.Contains(got, []byte(".999")) {
			t.Errorf("%s: a time is not in UTC or whole seconds: %s", d.Kind(), got)
		}
	}
}

// TestBodies compares two bodies with the documented examples.
func TestBodies(t *testing.T) {
	list := samples()
	for i, want := range map[int]string{
		2: `"account":{"id":"0195c0de-0000-7000-8000-000000000001","plan":"pro"},` +
			`"month":"2026-11","limit":250000,"used":237500,"remaining":12500,` +
			`"resetsAt":"2026-12-01T00:00:00Z","level":"critical"}}`,
		5: `"incident":{"id":"7e0a9b1c-5d2f-4c3b-8a19-0f6e5d4c3b2a","maintenance":false,` +
			`"title":"Slow \u0026 late","status":"investigating","message":"\u003cLooking\u003e",` +
			`"from":"2026-11-27T20:02:10Z","until":null,"updatedAt":"2026-11-27T20:02:10Z"},` +
			`"previousStatus":null,"statusUrl":"https://leadline.example.org/status"}}`,
	} {
		if got := string(body(t, list[i])); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want ...%s", list[i].Kind(), got, want)
		}
	}
}

// TestMaterialChange checks the reasons, the lists and the disclaimer of a material change.
func TestMaterialChange(t *testing.T) {
	var got struct {
		Data struct {
			Decision                       struct{ Reasons []map[string]any }
			Carried, Watch, Summary, Other json.RawMessage
			Direction, Disclaimer          string
		}
	}
	if err := json.Unmarshal(body(t, changeOf(decision())), &got); err != nil {
		t.Fatal(err)
	}
	keys := func(r map[string]any) string {
		return strings.Join(slices.Sorted(maps.Keys(r)), " ")
	}
	for i, want := range []string{
		"at code margin message severity sourceId stationId threshold unit value",
		"code message severity sourceId",
		"code severity",
	} {
		if have := keys(got.Data.Decision.Reasons[i]); have != want {
			t.Errorf("reason %d has %s, want %s", i, have, want)
		}
	}
	d := got.Data
	if d.Direction != "worse" || string(d.Carried) != "[]" ||
		string(d.Watch) != "null" || d.Disclaimer != coast.Disclaimer {
		t.Errorf("%s, carried %s, watch %s, disclaimer %q", d.Direction, d.Carried, d.Watch,
			d.Disclaimer)
	}
	if then, err := decide.ReadBaseline(d.Summary); err != nil ||
		decide.Compare(decision(), then).Material {
		t.Errorf("summary %s is not a baseline of the decision: %v", d.Summary, err)
	}
}

// TestLongestChange checks that the longest material change fits: a report without any space left,
// of the watch with the longest name.
func TestLongestChange(t *testing.T) {
	d, w := decision(), &WatchStep{
		ID: NewWatchID(), Name: strings.Repeat("<", MaxWatchName), Step: math.MaxInt,
	}
	for len(d.Reasons) < 40 {
		d.Reasons = append(d.Reasons, d.Reasons[1])
	}
	longest := 0
	for range 200 { // more text, until reasons lose theirs
		d.Reasons[1].Message += strings.Repeat("\u2028", 20)
		data := changeOf(d)
		data.Cause, data.Watch = "watch", w
		data.Request.StationID = strings.Repeat("9", 16)
		data.Request.Activity = decide.CoastalLiving
		got := body(t, data)
		longest = max(longest, len(got))
		if len(data.Decision.Reasons) != len(d.Reasons) {
			t.Fatalf("%d reasons, want %d", len(data.Decision.Reasons), len(d.Reasons))
		}
	}
	if longest > MaxBody || longest < MaxBody-400 {
		t.Errorf("the longest body has %d bytes, want %d at most and nearly as many", longest, MaxBody)
	}
	if maxReport < decide.LeastReport {
		t.Errorf("maxReport = %d, want %d at least", maxReport, decide.LeastReport)
	}
}

// TestLongestNotice checks that the longest texts of an operator fit: 120 and 2,000 characters,
// each six bytes long in JSON.
func TestLongestNotice(t *testing.T) {
	i := store.Incident{Title: strings.Repeat("<", 120), Message: strings.Repeat("\u2028", 2000)}
	if _, err := Body(anEvent, happened, IncidentOf(i, "identified", "https://a/")); err != nil {
		t.Error(err)
	}
}

// TestSchemas validates the bodies of all kinds against the schemas of their data.
func TestSchemas(t *testing.T) {
	for _, d := range samples() {
		var event struct{ Data any }
		if err := json.Unmarshal(body(t, d), &event); err != nil {
			t.Fatal(err)
		}
		if err := schemaOf(t, d).Validate(event.Data); err != nil {
			t.Errorf("%s: %v", d.Kind(), err)
		}
	}
	for _, bad := range []string{
		`{"eventId":"msg_1","contractVersion":"1","endpoint":"we_4fT9kQ2mZx7LbN",` +
			`"cause":"created","message":""}`,
		`{"eventId":"` + anEvent + `","contractVersion":"1","endpoint":"we_4fT9kQ2mZx7LbN",` +
			`"cause":"bored","message":""}`,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil || schemaOf(t, WebhookTestData{}).Validate(v) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

// schemaOf returns the schema of a kind's data.
func schemaOf(t *testing.T, d Data) *jsonschema.Schema {
	t.Helper()
	kind := reflect.TypeOf(d)
	document := map[string]any{"components": map[string]any{"schemas": schema.Results(kind)}}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:events", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("urn:events#/components/schemas/" + kind.Name())
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// TestKinds compares the kinds, and the members that their data requires, with the documented
// ones.
func TestKinds(t *testing.T) {
	usage := "eventId contractVersion account month limit used remaining resetsAt level"
	incident := "eventId contractVersion incident previousStatus statusUrl"
	want := []struct{ kind, required string }{
		{"webhook.test", "eventId contractVersion endpoint cause message"},
		{"decision.material_change", "eventId contractVersion cause watch request direction " +
			"change decision carried summary disclaimer"},
		{"quota.warning", usage},
		{"quota.exceeded", usage + " retryAfterSeconds"},
		{"api.degraded", "eventId contractVersion component from to since recovered " +
			"durationSeconds status message statusUrl"},
		{"status.incident.created", incident},
		{"status.incident.updated", incident},
		{"status.maintenance.scheduled", "eventId contractVersion maintenance change statusUrl"},
	}
	list, data := Kinds(), samples()
	if len(list) != len(want) || len(data) != len(want) {
		t.Fatalf("%d kinds, %d samples, want %d", len(list), len(data), len(want))
	}
	for i, w := range want {
		d := list[i]
		if string(d.Kind) != w.kind || data[i].Kind() != d.Kind || reflect.TypeOf(data[i]) != d.Data {
			t.Errorf("kind %d: %s of %s, sample %s, want %s", i, d.Kind, d.Data, data[i].Kind(), w.kind)
		}
		if !strings.HasSuffix(d.Summary, ".") || strings.Count(d.Summary, ". ") > 0 {
			t.Errorf("%s: %q is not one sentence", d.Kind, d.Summary)
		}
		for _, m := range schema.Results(d.Data)[d.Data.Name()] {
			if got := fmt.Sprint(m.Value); m.Name == "required" && got != "["+w.required+"]" {
				t.Errorf("%s requires %s, want [%s]", d.Kind, got, w.required)
			}
		}
	}
	if names := Kind("").Values(); names[7] != want[7].kind {
		t.Errorf("Values() = %v", names)
	}
}
