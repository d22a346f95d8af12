package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
)

// allRows requests all pages of a result with next, as a client would, and returns their rows.
func allRows(
	t *testing.T, s *Set, tool string, args map[string]any, rows func(map[string]any) []any,
) []any {
	t.Helper()
	var all []any
	for range 100 {
		given, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := call(t, s, tool, string(given))
		if err != nil {
			t.Fatal(err)
		}
		const limit = 25_000
		if r, err = r.Fit(limit); err != nil {
			t.Fatal(err)
		}
		body, err := r.Structured()
		if err != nil {
			t.Fatal(err)
		}
		if len(body) > limit {
			t.Fatalf("a page has %d characters, want at most %d", len(body), limit)
		}
		var out map[string]any
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatal(err)
		}
		all = append(all, rows(out)...)
		next, cut := out["next"].(map[string]any)
		if !cut {
			return all
		}
		args = next
	}
	t.Fatal("more than 100 pages")
	return nil
}

func extremes(out map[string]any) []any { return out["extremes"].([]any) }

func currentEvents(out map[string]any) []any { return out["events"].([]any) }

func heights(out map[string]any) []any {
	return out["series"].(map[string]any)["heights"].([]any)
}

// TestPages checks that the pages of a long result together form the complete result, across
// New Year and both clock changes.
func TestPages(t *testing.T) {
	s := newSet(t)
	span := map[string]any{"station": "8443970", "begin_date": "2025-12-01", "end_date": "2027-02-01"}
	whole := extremes(get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","begin_date":"2025-12-01","end_date":"2027-02-01"}`))
	got := allRows(t, s, "noaa_get_tide_predictions", span, extremes)
	if fmt.Sprint(got) != fmt.Sprint(whole) {
		t.Errorf("%d events in pages, %d in the complete result, or they differ", len(got), len(whole))
	}
	// next is a complete request, however the span was given.
	span = map[string]any{"station": "8443970", "hours": 20000}
	whole = extremes(get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","range":20000}`))
	got = allRows(t, s, "noaa_get_tide_predictions", span, extremes)
	if fmt.Sprint(got) != fmt.Sprint(whole) {
		t.Errorf("%d events in pages, %d in the complete result, or they differ", len(got), len(whole))
	}
	// Two events of ACT0311 share the minute 2026-05-10 10:02 GMT.
	span = map[string]any{
		"station": "ACT0311", "begin_date": "2026-02-10", "end_date": "2026-08-10", "time_zone": "gmt",
	}
	whole = currentEvents(get(t, s, "noaa_get_current_predictions",
		`{"station":"ACT0311","begin_date":"2026-02-10","end_date":"2026-08-10","time_zone":"gmt"}`))
	got = allRows(t, s, "noaa_get_current_predictions", span, currentEvents)
	if fmt.Sprint(got) != fmt.Sprint(whole) {
		t.Errorf("%d events in pages, %d in the complete result, or they differ", len(got), len(whole))
	}
	span = map[string]any{
		"station": "8443970", "begin_date": "2026-10-30", "end_date": "2026-11-20", "interval": "1",
	}
	whole = heights(get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","begin_date":"2026-10-30","end_date":"2026-11-20","interval":"1"}`))
	got = allRows(t, s, "noaa_get_tide_predictions", span, heights)
	if fmt.Sprint(got) != fmt.Sprint(whole) {
		t.Errorf("%d heights in pages, %d in the complete result, or they differ", len(got), len(whole))
	}
}

// TestClockChanges checks that a series has a row at every step, even on days of 23 or 25
// hours. The provider's own local series lacks an hour then.
func TestClockChanges(t *testing.T) {
	s := newSet(t)
	for day, hours := range map[string]int{"2026-03-08": 23, "2026-11-01": 25, "2026-07-04": 24} {
		for _, interval := range []string{"h", "6", "30"} {
			out := get(t, s, "noaa_get_tide_predictions",
				fmt.Sprintf(`{"station":"8443970","begin_date":%q,"interval":%q}`, day, interval))
			per := map[string]int{"h": 1, "6": 10, "30": 2}[interval]
			if got, want := len(heights(out)), hours*per; got != want {
				t.Errorf("%s at %s: %d rows, want %d", day, interval, got, want)
			}
		}
		local := get(t, s, "noaa_get_tide_predictions",
			fmt.Sprintf(`{"station":"8443970","begin_date":%q,"interval":"h"}`, day))
		start, err := time.Parse(time.RFC3339, local["series"].(map[string]any)["start"].(string))
		if err != nil {
			t.Fatal(err)
		}
		gmt := get(t, s, "noaa_get_tide_predictions",
			fmt.Sprintf(`{"station":"8443970","begin_date":%q,"range":%d,"interval":"h","time_zone":"gmt"}`,
				start.UTC().Format("2006-01-02 15:04"), hours-1))
		if fmt.Sprint(heights(local)) != fmt.Sprint(heights(gmt)) {
			t.Errorf("%s: the local series is not the one in GMT", day)
		}
	}
}

// TestSeriesMeetsEvents checks that the series has the height of a high water at its minute,
// at reference and at subordinate stations.
func TestSeriesMeetsEvents(t *testing.T) {
	s := newSet(t)
	for _, station := range []string{"8443970", "8557863", "1611683", "9414806"} {
		events := extremes(get(t, s, "noaa_get_tide_predictions",
			fmt.Sprintf(`{"station":%q,"begin_date":"2026-05-01","range":96,"time_zone":"gmt"}`, station)))
		out := get(t, s, "noaa_get_tide_predictions",
			fmt.Sprintf(`{"station":%q,"begin_date":"2026-05-01","range":96,"time_zone":"gmt","interval":"1"}`,
				station))
		series := heights(out)
		start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		if len(events) < 6 {
			t.Errorf("%s: %d events in four days", station, len(events))
		}
		for _, e := range events {
			e := e.(map[string]any)
			at, err := time.Parse(time.RFC3339, e["time"].(string))
			if err != nil {
				t.Fatal(err)
			}
			got, want := series[int(at.Sub(start)/time.Minute)].(float64), e["height"].(float64)
			if math.Abs(got-want) > 0.003 {
				t.Errorf("%s: %s: the series has %.3f, the event %.3f", station, e["time"], got, want)
			}
		}
	}
}

// TestTideNow compares the current state with the events throughout a day.
func TestTideNow(t *testing.T) {
	r := newRig(t, "", offline(t, coast.COOPS), offline(t, coast.NWS))
	s := r.Set
	seen := map[string]bool{}
	for minute := 0; minute < 24*60; minute += 5 {
		at := noon.Add(time.Duration(minute) * time.Minute)
		r.clock.at = at
		now := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970"}`)["now"].(map[string]any)
		next, previous := now["next"].(map[string]any), now["previous"].(map[string]any)
		state := now["state"].(string)
		seen[state] = true
		toNext, fromPrevious := minutes(t, at, next), minutes(t, at, previous)
		if toNext < 0 || fromPrevious > 0 || next["type"] == previous["type"] {
			t.Fatalf("%v: previous %v, next %v", at, previous, next)
		}
		want := map[any]string{"high": "rising", "low": "falling"}[next["type"]]
		if toNext <= 10 {
			want = next["type"].(string) + "_stand"
		} else if fromPrevious >= -10 {
			want = previous["type"].(string) + "_stand"
		}
		if state != want {
			t.Errorf("%v: state %s, want %s", at, state, want)
		}
		if rate := now["rate"].(float64); math.Abs(rate) > 8 ||
			math.Abs(rate) > 0.3 && (rate > 0) != (next["type"] == "high") {
			t.Errorf("%v: rate %v before %v", at, rate, next)
		}
		change := now["height"].(float64) - previous["height"].(float64)
		if math.Abs(change-now["changeFromPrevious"].(float64)) > 0.0015 {
			t.Errorf("%v: changeFromPrevious %v, want %.3f", at, now["changeFromPrevious"], change)
		}
	}
	if len(seen) != 4 {
		t.Errorf("states %v in a day, want all four", seen)
	}
	// At half tide a range of 9.9 ft in 6.3 h rises and falls by pi/2 times its mean rate.
	r.clock.at = time.Date(2026, 11, 21, 9, 43, 0, 0, time.UTC)
	rate := get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970"}`)["now"].(map[string]any)["rate"].(float64)
	if rate < 2 || rate > 2.7 {
		t.Errorf("rate at half tide %v ft/h, want about 2.3", rate)
	}
	past := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2020-01-01"}`)
	if past["now"] != nil {
		t.Error("a span that does not include the current time has now")
	}
}

func minutes(t *testing.T, from time.Time, event map[string]any) float64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, event["time"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return at.Sub(from).Minutes()
}

// TestInterpolatedIsMarked checks that an interpolated curve at a subordinate station is never
// labeled as NOAA's.
func TestInterpolatedIsMarked(t *testing.T) {
	s := newSet(t)
	for _, args := range []string{
		`{"station":"8557863","interval":"h","begin_date":"2026-05-01"}`,
		`{"station":"8557863"}`, // the current value is interpolated
	} {
		out := get(t, s, "noaa_get_tide_predictions", args)
		if !hasSource(out, "tide-interpolation", "calculation", "Leadline") {
			t.Errorf("%s: no source says that heights are interpolated: %v", args, out["sources"])
		}
	}
	out := get(t, s, "noaa_get_tide_predictions", `{"station":"8557863","begin_date":"2026-05-01"}`)
	if hasSource(out, "tide-interpolation", "calculation", "Leadline") ||
		!hasSource(out, "tide-prediction", "prediction", "NOAA CO-OPS") {
		t.Errorf("high and low waters as published: sources %v", out["sources"])
	}
}

func hasSource(out map[string]any, id, kind, provider string) bool {
	for _, s := range out["sources"].([]any) {
		if s := s.(map[string]any); s["id"] == id && s["kind"] == kind && s["provider"] == provider {
			return true
		}
	}
	return false
}

// TestAgeing checks that old constants are marked as aging, with a note, but never as stale.
func TestAgeing(t *testing.T) {
	r := newRig(t, "", offline(t, coast.COOPS), offline(t, coast.NWS))
	s := r.Set
	built := s.Stations.Built()
	for _, test := range []struct {
		at        time.Time
		freshness string
		notes     int
	}{
		{built.AddDate(0, 11, 0), "fresh", 1},
		{built.AddDate(1, 1, 0), "aging", 1},
		{built.AddDate(3, 0, 0), "aging", 2},
	} {
		r.clock.at = test.at
		out := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","begin_date":"2026-05-01"}`)
		source := out["sources"].([]any)[0].(map[string]any)
		if source["freshness"] != test.freshness || len(out["notes"].([]any)) != test.notes {
			t.Errorf("%v: freshness %v and %d notes, want %s and %d", test.at, source["freshness"],
				len(out["notes"].([]any)), test.freshness, test.notes)
		}
		if got, want := source["ageMinutes"].(float64), test.at.Sub(built).Minutes(); got != want {
			t.Errorf("%v: age %v minutes, want %v", test.at, got, want)
		}
	}
}

// TestUnits checks that a foot is 0.3048 m and a knot 51.4444 cm/s.
func TestUnits(t *testing.T) {
	s := newSet(t)
	ft := extremes(get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","begin_date":"2026-05-01"}`))
	m := extremes(get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","begin_date":"2026-05-01","units":"metric"}`))
	for i := range ft {
		got, want := ft[i].(map[string]any)["height"].(float64)*0.3048,
			m[i].(map[string]any)["height"].(float64)
		if math.Abs(got-want) > 0.0007 {
			t.Errorf("%v ft is %.4f m, want %v", ft[i], got, want)
		}
	}
	if got := facts.SpeedsIn("metric").Of(1); got != 51.4 {
		t.Errorf("1 kn = %v cm/s, want 51.4", got)
	}
}

// TestDisorderedExtremes checks that a note explains rows that look like a mistake: two
// events at one minute, two consecutive highs, and a high below the next low.
func TestDisorderedExtremes(t *testing.T) {
	for args, want := range map[string]bool{
		`{"station":"TEC4769","begin_date":"2027-01-26","range":24,"time_zone":"gmt"}`: true,
		`{"station":"8726693","begin_date":"2027-10-06","range":48}`:                   true,
		`{"station":"8726159","begin_date":"2027-03-31","range":24}`:                   true,
		`{"station":"8557863","begin_date":"2027-03-31","range":48}`:                   false,
		`{"station":"8443970","begin_date":"2027-03-31","range":48}`:                   false,
	} {
		out := get(t, newSet(t), "noaa_get_tide_predictions", args)
		if got := strings.Contains(fmt.Sprint(out["notes"]), "do not alternate"); got != want {
			t.Errorf("%s: noted %v, want %v; notes %v", args, got, want, out["notes"])
		}
	}
}
