package nws

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRecordedAlerts compares each property that is read with the files.
func TestRecordedAlerts(t *testing.T) {
	files := recorded(t, ".",
		func(path string) bool { return strings.Contains(path, "alerts_active") })
	count := 0
	for name, body := range files {
		got, err := readAlerts(response(body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		document := raw(t, body)
		if !got.AsOf.Equal(received) || got.Updated == nil ||
			!sameTime(*got.Updated, text(document, "updated")) {
			t.Errorf("%s: as of %v, updated %v", name, got.AsOf, got.Updated)
		}
		features := document["features"].([]any)
		if len(got.Alerts) != len(features) {
			t.Errorf("%s: %d alerts, want %d", name, len(got.Alerts), len(features))
			continue
		}
		for i, a := range got.Alerts {
			compareAlert(t, a, dig(features[i], "properties"))
			count++
		}
	}
	if len(files) != 4 || count != 3 {
		t.Errorf("%d alerts in %d files, want 3 in 4", count, len(files))
	}
}

func compareAlert(t *testing.T, a Alert, p any) {
	t.Helper()
	for name, got := range map[string]string{
		"id": a.ID, "event": a.Event, "headline": a.Headline, "description": a.Description,
		"instruction": a.Instruction, "areaDesc": a.Area,
		"status": a.Status, "messageType": a.MessageType, "severity": a.Severity,
		"certainty": a.Certainty, "urgency": a.Urgency,
	} {
		want := strings.ReplaceAll(text(p, name), "\n", " ") // one line
		if got != want || want == "" {
			t.Errorf("%s: %s %q, want %q", a.ID, name, got, want)
		}
	}
	for name, got := range map[string]*time.Time{"sent": a.Sent, "effective": a.Effective,
		"onset": a.Onset, "expires": a.Expires, "ends": a.Ends} {
		if got == nil || !sameTime(*got, text(p, name)) {
			t.Errorf("%s: %s %v, want %s", a.ID, name, got, text(p, name))
		}
	}
	for _, list := range []struct {
		got  []string
		want any
	}{{a.Zones, dig(p, "geocode", "UGC")}, {a.VTEC, dig(p, "parameters", "VTEC")},
		{[]string{a.NWSHeadline}, dig(p, "parameters", "NWSheadline")}} {
		if fmt.Sprint(list.got) != fmt.Sprint(list.want) {
			t.Errorf("%s: %q, want %q", a.ID, list.got, list.want)
		}
	}
}

func TestAlerts(t *testing.T) {
	got, err := readAlerts(response(fixture(t, "alerts.json")))
	if err != nil || len(got.Alerts) != 2 {
		t.Fatalf("%d alerts, %v, want 2: the second repeats the first", len(got.Alerts), err)
	}
	a := got.Alerts[0]
	if a.Ends != nil || a.Instruction != "" || a.Onset.Format(time.RFC3339) != "2026-11-20T21:00:00Z" {
		t.Errorf("%+v", a)
	}
	if want := "SMALL CRAFT ADVISORY IN EFFECT FROM 1 PM THIS AFTERNOON; SEAS " +
		"BUILD"; a.NWSHeadline != want {
		t.Errorf("headline %q, want %q", a.NWSHeadline, want)
	}
	if b := got.Alerts[1]; b.Zones != nil || b.Effective != nil || b.Sent == nil {
		t.Errorf("%+v", b)
	}
	for _, row := range []struct{ body, want string }{
		{`{}`, "no features"},
		{`{"features":null}`, "no features"},
		{`{"error":"x","features":[]}`, "an error instead of alerts"},
		{`{"features":[],"error":{"message":"down"}}`, "an error instead of alerts"},
		{`{"error":false,"features":[]}`, "an error instead of alerts"},
		{`{"type":"https://api.weather.gov/problems/UnexpectedProblem","features":[]}`,
			"an error instead of alerts"},
		{`{"features":{}}`, "cannot unmarshal"},
		{`<html>`, "invalid character"},
		{`{"features":[{}]}`, "without id or event"},
		{`{"features":[{"properties":{"id":"a"}}]}`, "without id or event"},
		{`{"features":[{"properties":{"id":"a","event":"b","ends":"tomorrow"}}]}`, "alert a: time"},
		{`{"features":[],"updated":"yesterday"}`, "updated"},
	} {
		if got, err := readAlerts(response(row.body)); err == nil ||
			!strings.Contains(err.Error(), row.want) {
			t.Errorf("readAlerts(%s) = %+v, %v, want an error about %q", row.body, got, err, row.want)
		}
	}
	const empty = `{"type":"FeatureCollection","error":null,"features":[]}`
	if got, err := readAlerts(response(empty)); err != nil || got.Alerts == nil ||
		len(got.Alerts) != 0 || got.Updated != nil {
		t.Errorf("an empty feed: %+v, %v", got, err)
	}
}

func TestZone(t *testing.T) {
	const head = `{"type":"FeatureCollection","features":[`
	for name, row := range map[string]struct {
		body string
		want Zone
		err  string
	}{
		"bay": {head +
			`{"properties":{"id":"GMZ330","type":"coastal","name":"Matagorda Bay","cwa":["HGX"],"timeZone":["America/Chicago"],"state":null}},{"properties":{"id":"GMZ350"}}]}`, Zone{"GMZ330", "Matagorda Bay", "coastal", "HGX", "America/Chicago"}, ""},
		"bare strings": {head +
			`{"properties":{"id":"GMZ330","cwa":"HGX","timeZone":"America/Chicago"}}]}`,
			Zone{ID: "GMZ330", Office: "HGX", TimeZone: "America/Chicago"}, ""},
		"no office": {head + `{"properties":{"id":"GMZ330","cwa":[],"timeZone":null}}]}`,
			Zone{ID: "GMZ330"}, ""},
		"none":       {head + `]}`, Zone{}, ""},
		"odd id":     {head + `{"properties":{"id":"Matagorda"}}]}`, Zone{}, `id "Matagorda"`},
		"odd office": {head + `{"properties":{"id":"GMZ330","cwa":["../x"]}}]}`, Zone{}, "office"},
		"number":     {head + `{"properties":{"id":"GMZ330","cwa":7}}]}`, Zone{}, "cannot unmarshal"},
		"no list":    {`{}`, Zone{}, "no features"},
		"page":       {`<html>`, Zone{}, "invalid character"},
	} {
		got, err := readZone(response(row.body))
		if got == nil {
			got = &Zone{}
		}
		if *got != row.want || (err == nil) != (row.err == "") || err != nil &&
			!strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %+v, %v, want %+v, %q", name, *got, err, row.want, row.err)
		}
	}
}

func FuzzAlerts(f *testing.F) {
	f.Add(fixture(f, "alerts.json"))
	f.Add(`{"features":[],"updated":"2026-11-20T10:41:00+00:00"}`)
	f.Fuzz(func(t *testing.T, body string) {
		got, err := readAlerts(response(body))
		if err != nil {
			return
		}
		ids := make([]string, len(got.Alerts))
		for i, a := range got.Alerts {
			ids[i] = a.ID
			if cmp.Or(a.ID, a.Event) == "" {
				t.Error("an alert without id and event")
			}
		}
		if slices.Sort(ids); len(slices.Compact(ids)) != len(got.Alerts) {
			t.Error("an alert twice")
		}
	})
}

func FuzzZones(f *testing.F) {
	f.Add(`{"features":[{"properties":{"id":"GMZ330","type":"coastal","name":"Matagorda Bay","cwa":["HGX"],"timeZone":["America/Chicago"]}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if z, err := readZone(response(body)); err == nil && z != nil && !ugc(z.ID) {
			t.Errorf("%+v", z)
		}
	})
}
