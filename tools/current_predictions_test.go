package tools

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// TestCurrentEvents checks the fields that we add against NOAA's rows: the sign of the
// series, the slack windows and the phase after a slack.
func TestCurrentEvents(t *testing.T) {
	s := newSet(t)
	for _, station := range []string{"EPT0003", "ACT0091", "PUG1616", "PCT0016", "SFB1201"} {
		out := get(t, s, "noaa_get_current_predictions",
			fmt.Sprintf(`{"station":%q,"begin_date":"2026-06-01","range":72,"time_zone":"gmt"}`, station))
		events, directions := out["events"].([]any), out["directions"].(map[string]any)
		series := get(t, s, "noaa_get_current_predictions",
			fmt.Sprintf(`{"station":%q,"begin_date":"2026-06-01","range":72,"time_zone":"gmt","interval":"1"}`, station))["series"].(map[string]any)["velocities"].([]any)
		if len(events) < 12 {
			t.Errorf("%s: %d events in three days", station, len(events))
		}
		for i, e := range events {
			e := e.(map[string]any)
			v := series[int(minutes(t, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), e))].(float64)
			if math.Abs(math.Abs(v)-e["speed"].(float64)) > 0.0151 {
				t.Errorf("%s: %v, but the series has %.2f", station, e, v)
			}
			if e["type"] != "slack" {
				if want := map[bool]string{true: "flood", false: "ebb"}[v > 0]; e["type"] != want ||
					e["direction"] != directions[want] || e["peak"] == nil {
					t.Errorf("%s: %v at velocity %.2f", station, e, v)
				}
				continue
			}
			if e["direction"] != nil || e["slackWindow"] == nil {
				t.Errorf("%s: slack %v", station, e)
			}
			if next, ok := e["next"]; ok && i+1 < len(events) {
				if got := events[i+1].(map[string]any)["type"]; got != next && got != "slack" {
					t.Errorf("%s: slack says %v follows, but %v does", station, next, got)
				}
			}
		}
	}
}

// TestSlackWindow checks that the speed is below half a knot inside the window and not
// outside.
func TestSlackWindow(t *testing.T) {
	s := newSet(t)
	out := get(t, s, "noaa_get_current_predictions",
		`{"station":"EPT0003","begin_date":"2026-06-01","range":24,"time_zone":"gmt"}`)
	series := get(t, s, "noaa_get_current_predictions",
		`{"station":"EPT0003","begin_date":"2026-05-31","range":72,"time_zone":"gmt","interval":"1"}`)["series"].(map[string]any)["velocities"].([]any)
	start := time.Date(2026, 5, 31, 0, 0, 0, 0, time.UTC)
	slacks := 0
	for _, e := range out["events"].([]any) {
		w, ok := e.(map[string]any)["slackWindow"].(map[string]any)
		if !ok {
			continue
		}
		slacks++
		from := int(minutes(t, start, map[string]any{"time": w["from"]}))
		to := int(minutes(t, start, map[string]any{"time": w["to"]}))
		for m := from; m <= to; m++ {
			if v := math.Abs(series[m].(float64)); v > 0.5 {
				t.Errorf("%v: %.2f kn inside, at minute %d", w, v, m)
			}
		}
		before, after := math.Abs(series[from-1].(float64)), math.Abs(series[to+1].(float64))
		if before < 0.49 || after < 0.49 || to-from < 5 {
			t.Errorf("%v: %.2f and %.2f kn just outside", w, before, after)
		}
	}
	if slacks < 3 {
		t.Errorf("%d slacks in a day", slacks)
	}
}

// TestCurrentNow checks the phase and direction at the current time.
func TestCurrentNow(t *testing.T) {
	r := newRig(t, "", offline(t, coast.COOPS), offline(t, coast.NWS))
	s := r.Set
	seen := map[any]bool{}
	for minute := 0; minute < 13*60; minute += 3 {
		at := noon.Add(time.Duration(minute) * time.Minute)
		r.clock.at = at
		now := get(t, s, "noaa_get_current_predictions", `{"station":"EPT0003"}`)["now"].(map[string]any)
		seen[now["phase"]] = true
		if (now["phase"] == "slack") != (now["direction"] == nil) || now["nextSlack"] == nil ||
			now["nextMax"] == nil {
			t.Errorf("%v: %v", at, now)
		}
		if minutes(t, at, now["nextSlack"].(map[string]any)) < 0 {
			t.Errorf("%v: next slack %v", at, now["nextSlack"])
		}
	}
	// Half a minute before a slack, the next event is still that slack.
	first := get(t, s, "noaa_get_current_predictions",
		`{"station":"EPT0003","time_zone":"gmt"}`)["now"].(map[string]any)["nextSlack"].(map[string]any)
	slack, err := time.Parse(time.RFC3339, first["time"].(string))
	if err != nil {
		t.Fatal(err)
	}
	r.clock.at = slack.Add(-30 * time.Second)
	now := get(t, s, "noaa_get_current_predictions",
		`{"station":"EPT0003","time_zone":"gmt"}`)["now"].(map[string]any)
	if got := now["nextSlack"].(map[string]any)["time"]; got != first["time"] {
		t.Errorf("30 s before the slack of %v the next slack is reported as %v", first["time"], got)
	}
	if got := now["nextMax"].(map[string]any); got["peak"] != "max" || got["type"] == "slack" {
		t.Errorf("next maximum %v", got)
	}
	if len(seen) != 3 {
		t.Errorf("phases %v in half a day, want all three", seen)
	}
}

// TestSlackWithoutEnd checks that both ends of a window are null if the speed never reaches
// half a knot.
func TestSlackWithoutEnd(t *testing.T) {
	out := get(t, newSet(t), "noaa_get_current_predictions",
		`{"station":"BOS1105","begin_date":"2026-11-22","time_zone":"gmt"}`)
	windows := 0
	for _, e := range out["events"].([]any) {
		if w, ok := e.(map[string]any)["slackWindow"].(map[string]any); ok {
			windows++
			if w["from"] != nil || w["to"] != nil {
				t.Errorf("window %v, though the current stays below 0.5 kn all day", w)
			}
		}
	}
	if windows == 0 {
		t.Error("no slack at all")
	}
}

// TestInterpolatedCurrentsAreMarked checks that slack windows and velocities of a subordinate
// station are marked as our values, not NOAA's.
func TestInterpolatedCurrentsAreMarked(t *testing.T) {
	s := newSet(t)
	for args, want := range map[string]bool{
		`{"station":"ACT0091","begin_date":"2026-01-05"}`:                true, // has slack windows
		`{"station":"ACT0091","begin_date":"2026-01-05","interval":"h"}`: true,
		`{"station":"EPT0003","begin_date":"2026-01-05"}`:                false,
	} {
		out := get(t, s, "noaa_get_current_predictions", args)
		noted := strings.Contains(fmt.Sprint(out["notes"]),
			"interpolated by Leadline, not published by NOAA")
		if got := hasSource(out, "current-interpolation", "calculation", "Leadline"); got != want ||
			noted != want {
			t.Errorf("%s: marked as interpolated %v, noted %v, want %v", args, got, noted, want)
		}
	}
}

// TestOddEvents checks that notes explain values in NOAA's tables that look like mistakes.
func TestOddEvents(t *testing.T) {
	out := get(t, newSet(t), "noaa_get_current_predictions",
		`{"station":"BOS1105","begin_date":"2026-11-22","time_zone":"gmt"}`)
	if notes := fmt.Sprint(out["notes"]); !strings.Contains(notes, "slacks can follow each other") {
		t.Errorf("two slacks in a row, and notes %s", notes)
	}
	out = get(t, newSet(t), "noaa_get_current_predictions",
		`{"station":"EPT0003","begin_date":"2026-11-22"}`)
	if notes := fmt.Sprint(out["notes"]); strings.Contains(notes, "slacks can follow each other") {
		t.Errorf("events alternate, and notes %s", notes)
	}
}

// TestNoRatio checks a phase whose speed ratio is 0 in NOAA's data, which means that its
// strength is unknown. The result has no speed, no slack window and no current state.
func TestNoRatio(t *testing.T) {
	s := newSet(t)
	out := get(t, s, "noaa_get_current_predictions", `{"station":"ACT2771"}`)
	if out["now"] != nil ||
		!strings.Contains(fmt.Sprint(out["missing"]), "which does not mean still water") {
		t.Errorf("now %v, missing %v", out["now"], out["missing"])
	}
	silent := 0
	for _, e := range out["events"].([]any) {
		e := e.(map[string]any)
		if e["slackWindow"] != nil || e["speed"] == 0.0 && e["type"] != "slack" {
			t.Errorf("event %v", e)
		}
		if e["speed"] == nil {
			silent++
		}
	}
	if silent == 0 {
		t.Error("no event without a speed")
	}
	_, err := call(t, s, "noaa_get_current_predictions", `{"station":"ACT2771","interval":"h"}`)
	if code(err) != coast.ProductUnavailable {
		t.Errorf("a series: %v, want product_unavailable", err)
	}
}

// TestNoSlackAhead checks that missing gives the reason if one of the next events is null.
func TestNoSlackAhead(t *testing.T) {
	out := get(t, newSet(t), "noaa_get_current_predictions", `{"station":"PUG1634"}`)
	if now := out["now"].(map[string]any); now["nextSlack"] != nil ||
		!strings.Contains(fmt.Sprint(out["missing"]), "nextSlack") {
		t.Errorf("next slack %v, missing %v", now["nextSlack"], out["missing"])
	}
}

// TestCurrentSentence checks the first line of predictions that do not cover now. NOAA's values
// of 26 September 2024 at EPT0003 run from -76.1 cm/s at 00:00 to -107.6 at 01:00 UTC.
func TestCurrentSentence(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ args, want string }{
		{`"begin_date":"2024-09-26T00:00Z","range":1,"interval":"10","units":"metric","time_zone":"utc"`,
			"strongest of these rows is the predicted ebb 107.6 cm/s at 1:00 AM UTC on Thu 26 Sep 2024"},
		{`"begin_date":"2024-09-26T00:00Z","range":1,"units":"metric","time_zone":"utc"`,
			"no flood, ebb or slack in this span: predicted ebb 76.2 cm/s at 12:00 AM UTC to ebb 107.6 " +
				"cm/s at 1:00 AM UTC; before it slack 0.2 cm/s at"},
		{`"begin_date":"2024-09-26T00:00Z","range":6,"light":"daylight"`,
			"no flood, ebb or slack in daylight in this span"},
	} {
		text := textOf(t, s, "noaa_get_current_predictions", `{"station":"EPT0003",`+test.args+`}`)
		first, _, _ := strings.Cut(text, "\n")
		if want := "Estes Head, Eastport, ME (EPT0003): " + test.want; !strings.HasPrefix(first, want) {
			t.Errorf("%s: %q, want %q", test.args, first, want)
		}
	}
}
