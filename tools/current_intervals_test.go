package tools

import (
	"fmt"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// TestCurrentWindows checks the number of windows of at most 1 kn in a year against the
// counts of a prototype: 1,410 at Deception Pass and 1,374 outside the Golden Gate.
func TestCurrentWindows(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		station string
		want    int
	}{{"PUG1701", 1410}, {"SFB1201", 1374}} {
		out := get(t, s, "noaa_get_current_predictions", `{"station":"`+test.station+
			`","at_most":1,"begin_date":"2026-11-22","end_date":"2027-11-21"}`)
		rows := list(t, out, "windows")
		if n := len(rows); n < test.want-5 || n > test.want+5 {
			t.Errorf("%s: %d windows, want about %d", test.station, n, test.want)
		}
		const shortest = 10 // minutes
		for i, row := range rows {
			w := row.(map[string]any)
			if w["kind"] != "slack" || w["peak"] != nil || w["minutes"].(float64) < shortest ||
				w["turn"] != nil && (w["before"] == nil || w["after"] == nil || w["slackAt"] == nil) {
				t.Errorf("%s: window %d is %v", test.station, i, w)
			}
		}
	}
}

// TestCurrentWindowsHoldSlacks checks that, for any limit, each published slack lies in one
// window, and that runs and slacks do not overlap.
func TestCurrentWindowsHoldSlacks(t *testing.T) {
	s := newSet(t)
	const span = `,"begin_date":"2026-11-01","end_date":"2026-11-14"}`
	events := get(t, s, "noaa_get_current_predictions", `{"station":"PUG1701"`+span)
	for _, limit := range []string{"0.5", "1", "3"} {
		slacks := list(t, get(t, s, "noaa_get_current_predictions",
			`{"station":"PUG1701","at_most":`+limit+span), "windows")
		runs := list(t, get(t, s, "noaa_get_current_predictions",
			`{"station":"PUG1701","at_least":`+limit+span), "windows")
		in := func(rows []any, at string) (n int) {
			for _, row := range rows {
				w := row.(map[string]any)
				if w["from"].(string) <= at && at <= w["to"].(string) {
					n++
				}
			}
			return n
		}
		for _, e := range currentEvents(events) {
			at := fmt.Sprint(e.(map[string]any)["time"])
			slack := e.(map[string]any)["type"] == "slack"
			if got := in(slacks, at); slack && got != 1 {
				t.Errorf("at most %s: the slack at %s is in %d windows", limit, at, got)
			}
			if got := in(runs, at); slack && got != 0 {
				t.Errorf("at least %s: the slack at %s is in %d windows", limit, at, got)
			}
		}
		for _, row := range runs {
			peak := row.(map[string]any)["peak"].(map[string]any)
			if at := peak["time"].(string); in(slacks, at) != 0 || in(runs, at) != 1 {
				t.Errorf("limit %s: the peak %v is not of one run", limit, peak)
			}
		}
	}
}

// TestCurrentWindowPages checks that the pages together contain every window.
func TestCurrentWindowPages(t *testing.T) {
	s := newSet(t)
	rows := func(out map[string]any) []any { return list(t, out, "windows") }
	whole := rows(get(t, s, "noaa_get_current_predictions",
		`{"station":"PUG1701","at_least":2,"light":"daylight","range":2000}`))
	got := allRows(t, s, "noaa_get_current_predictions", map[string]any{
		"station": "PUG1701", "at_least": 2, "light": "daylight", "range": 2000,
	}, rows)
	if fmt.Sprint(got) != fmt.Sprint(whole) || len(whole) < 100 {
		t.Errorf("%d windows in pages, %d in the whole result, or they differ", len(got), len(whole))
	}
}

// TestCurrentWindowFaults checks that invalid requests are refused, and that light selects a
// subset of the events.
func TestCurrentWindowFaults(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ args, code, want string }{
		{`"at_most":1,"at_least":2`, "invalid_request", "exclude each other"},
		{`"at_most":1,"interval":"h"`, "invalid_request", "Leave out interval"},
		{`"light":"dark","interval":"h"`, "invalid_request", "Leave out interval"},
		{`"at_most":-1`, "invalid_request", "at_most"},
		{`"at_most":1,"range":9000`, "range_too_long", "at most 366 days"},
	} {
		_, err := call(t, s, "noaa_get_current_predictions", `{"station":"PUG1701",`+test.args+`}`)
		if e, _ := coast.AsError(err); e == nil || string(e.Code) != test.code ||
			!strings.Contains(e.Message, test.want) {
			t.Errorf("%s: %v, want %s with %q", test.args, err, test.code, test.want)
		}
	}
	all := get(t, s, "noaa_get_current_predictions", `{"station":"PUG1701","range":96}`)
	count := 0
	for _, light := range []string{"daylight", "dark"} {
		out := get(t, s, "noaa_get_current_predictions", `{"station":"PUG1701","range":96,"light":"`+
			light+`"}`)
		count += len(currentEvents(out))
	}
	if whole := len(currentEvents(all)); count >= whole || count < whole/2 {
		t.Errorf("%d events in daylight or dark, %d in all, of which some are in twilight", count, whole)
	}
}

// TestWindAgainstCurrent checks the current of Deception Pass in a wind of 18 kn from 282
// degrees. NOAA predicts for 20 November 2026, in PST: slack at 11:30, then an ebb of 6.2 kn
// toward 282 degrees at 14:18, slack at 18:27. The rule asks for action if the wind is at
// least 15 kn and the current at least 2 kn, within 60 degrees of opposed directions. The
// flood toward 102 degrees runs with the wind.
func TestWindAgainstCurrent(t *testing.T) {
	const wind = `"windSpeed":{"uom":"wmoUnit:km_h-1","values":[{"validTime":"` + week +
		`","value":33.336}]},"windDirection":{"uom":"wmoUnit:degree_(angle)","values":[{"validTime":"` +
		week + `","value":282}]}`
	r := ownGrid(t, week, wind)
	for _, units := range []string{"english", "metric"} {
		out := get(t, r.Set, "nws_get_wind_forecast", `{"latitude":42.354,"longitude":-71.05,"hours":10,`+
			`"current_station":"PUG1701","units":"`+units+`"}`)
		got := fmt.Sprint(follow(out, "current.windAgainstCurrent"))
		// From 9:00 to 19:00 PST; the hours that contain a slack may have either value.
		want := []string{"none none", "action action action action action action"}
		phases := list(t, out, "current.phases")
		if !strings.HasPrefix(got, "["+want[0]) || !strings.Contains(got, want[1]) ||
			phases[0] != "flood" || phases[5] != "ebb" {
			t.Errorf("%s: wind against current %s, phases %v", units, got, phases)
		}
	}
	text := textOf(t, r.Set, "nws_get_wind_forecast", `{"latitude":42.354,"longitude":-71.05,`+
		`"hours":2,"current_station":"PUG1701"}`)
	const none = "Predicted current at Deception Pass (Narrows), WA (PUG1701) in kn. " +
		"No wind against current in 2 of 2 hours; the wind is the stronger of grid and text.\n"
	if !strings.Contains(text, none) {
		t.Errorf("the text does not contain %q:\n%s", none, text)
	}
	for _, test := range []struct{ station, code string }{
		{"8443970", "product_unavailable"}, {"ZZZ9999", "station_not_found"},
	} {
		_, err := call(t, r.Set, "nws_get_wind_forecast",
			`{"latitude":42.354,"longitude":-71.05,"current_station":"`+test.station+`"}`)
		if string(code(err)) != test.code {
			t.Errorf("current_station %s: %v, want %s", test.station, err, test.code)
		}
	}
}
