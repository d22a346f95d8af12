package tools

import (
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// windowsOf requests windows as the REST route does, with its defaults.
func windowsOf(t *testing.T, s *Set, change func(*tides.TideWindowsInput)) tides.TideWindows {
	t.Helper()
	in := tides.TideWindowsInput{
		StationOrPlace: place.StationOrPlace{Station: "9414131"}, ClearanceDatum: "MHW", MinMinutes: 15,
		Limit:   400,
		InUnits: operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "lst_ldt"},
	}
	change(&in)
	out, err := operation.Run(caller(t), s.Tides.TideWindows, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// level returns a height argument.
func level(v float64) *float64 { return &v }

// TestTideWindows checks daylight windows below 0 ft at Pillar Point from 22 November to 22
// December 2026. The values were measured with a prototype that scanned an independent
// interpolation of the same predictions: 13 windows and 1670 minutes; on 24 November from
// 14:23 to 16:53, lowest -1.64 ft at 16:31, falling by 1.45 ft/h at the beginning and rising
// by 0.26 ft/h at the end, at sunset (rates at the unrounded ends); the lowest on the 25th from
// 15:07, -1.69 ft.
func TestTideWindows(t *testing.T) {
	out := windowsOf(t, newSet(t), func(in *tides.TideWindowsInput) {
		in.Below, in.Light = level(0), "daylight"
		in.Begin, in.End = "2026-11-22T00:00", "2026-12-22T00:00"
	})
	if out.Total != 13 || len(out.Windows) != 13 || out.MinutesInAll != 1670 {
		t.Fatalf("%d windows, %d listed, %d minutes, want 13 and 1670", out.Total, len(out.Windows),
			out.MinutesInAll)
	}
	w := out.Windows[2]
	at := w.From.Format("2006-01-02T15:04Z07:00") + " " + w.To.Format("15:04") + " " +
		w.Extreme.Time.Format("15:04")
	if at != "2026-11-24T14:23-08:00 16:53 16:31" || w.Minutes != 150 ||
		!near(w.Extreme.Height, -1.64, 0.005) || !near(w.RateAtFrom, -1.45, 0.015) ||
		!near(w.RateAtTo, 0.26, 0.015) || w.BeginsBecause != "level" || w.EndsBecause != "sunset" ||
		w.Open != nil {
		t.Errorf("the third window is %s %+v", at, w)
	}
	lowest := out.Windows[3]
	if lowest.From.Format("2 15:04") != "25 15:07" || !near(lowest.Extreme.Height, -1.69, 0.01) ||
		!strings.Contains(out.Summary, "13 windows; the lowest on Wed 25 Nov, 15:07 to 16:53 PST") {
		t.Errorf("%s: %+v", out.Summary, lowest)
	}
}

// TestTideWindowsYear checks the count that the prototype found for a year at Pillar Point,
// from 22 November 2026 on: 121 daylight windows below 0 ft of at least 30 minutes.
func TestTideWindowsYear(t *testing.T) {
	out := windowsOf(t, newSet(t), func(in *tides.TideWindowsInput) {
		in.Below, in.Light, in.MinMinutes = level(0), "daylight", 30
		in.Begin, in.End = "2026-11-22T00:00", "2027-11-22T00:00"
	})
	if out.Total < 119 || out.Total > 123 {
		t.Errorf("%d windows in a year, want about 121", out.Total)
	}
}

// TestTideWindowsOfTool checks that the tool returns the windows of the operation, in a text
// of at most 500 tokens.
func TestTideWindowsOfTool(t *testing.T) {
	s := newSet(t)
	r, err := call(t, s, "noaa_get_tide_predictions", `{"station":"9414131","below":0,`+
		`"light":"daylight","begin_date":"2026-11-22T00:00","end_date":"2026-12-22T00:00"}`)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := r.Forms(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"below 0 ft on MLLW, daylight: 13 windows; the lowest on Wed 25 Nov, 15:07 to 16:53 PST",
		"Tue 2026-11-24 14:23 to 16:53, 150 min, -1.64 at 16:31 (to sunset)\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if tokens := len(text) / 4; tokens > 500 {
		t.Errorf("the text has %d tokens, want at most 500", tokens)
	}
}

// TestTideWindowsPages checks that the pages of a year's windows together contain every
// window.
func TestTideWindowsPages(t *testing.T) {
	s := newSet(t)
	const year = `"begin_date":"2027-01-01","end_date":"2027-12-31"`
	list := func(out map[string]any) []any { return out["windows"].([]any) }
	whole := list(get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","above":10,`+year+`}`))
	got := allRows(t, s, "noaa_get_tide_predictions", map[string]any{
		"station": "8443970", "above": 10, "begin_date": "2027-01-01", "end_date": "2027-12-31",
	}, list)
	if len(whole) < 150 || len(got) != len(whole) {
		t.Fatalf("%d windows in pages, %d in the whole result", len(got), len(whole))
	}
	for i := range whole {
		a, b := got[i].(map[string]any), whole[i].(map[string]any)
		if a["from"] != b["from"] || a["to"] != b["to"] {
			t.Errorf("window %d is %v in pages, %v in the whole result", i, a, b)
		}
	}
	first := windowsOf(t, s, func(in *tides.TideWindowsInput) {
		in.Station, in.Above, in.Begin, in.End = "8443970", level(10), "2027-01-01", "2027-12-31"
		in.Limit, in.Offset = 20, 20
	})
	if first.Total != len(whole) || len(first.Windows) != 20 || *first.NextOffset != 40 ||
		first.Windows[0].From.Format(time.RFC3339) != whole[20].(map[string]any)["from"] {
		t.Errorf("page 2 has %d of %d windows: %+v", len(first.Windows), first.Total, first.Windows)
	}
}

// TestTideWindowFaults checks that contradictory requests are refused, and that the errors
// show how to fix them.
func TestTideWindowFaults(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ args, code, want string }{
		{`"below":0,"above":5`, "invalid_request", "below and above exclude each other"},
		{`"below":0,"interval":"h"`, "invalid_request", "a series of interval h"},
		{`"light":"dark","interval":"60"`, "invalid_request", "Leave out interval"},
		{`"below":0,"top":3,"type":"low"`, "invalid_request", "Give one or the other"},
		{`"top":3`, "invalid_request", `"type": "high", "top": 3`},
		{`"top":0`, "invalid_request", "top"},
		{`"below":51`, "invalid_request", "below"},
		{`"below":0,"light":"dim"`, "invalid_request", "daylight"},
		{
			`"below":0,"begin_date":"2027-01-01","end_date":"2028-01-02"`, "range_too_long",
			`367 days long; windows, top and light take`,
		},
	} {
		_, err := call(t, s, "noaa_get_tide_predictions", `{"station":"8443970",`+test.args+`}`)
		if e, _ := coast.AsError(err); e == nil || string(e.Code) != test.code ||
			!strings.Contains(e.Message, test.want) {
			t.Errorf("%s: %v, want %s with %q", test.args, err, test.code, test.want)
		}
	}
}

// TestTideWindowUnreached checks the notes on levels outside the range of the tide, and on
// levels that seem to be in the other unit.
func TestTideWindowUnreached(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		args string
		want []string
		rows int
	}{
		{`"above":20`, []string{"the tide is never above 20 ft: it runs from -1.4"}, 0},
		{`"above":10,"light":"dark","date":"2026-11-26"`,
			[]string{"The tide satisfies the level in 1 window, but not in the requested light"}, 0},
		{`"below":-3`, []string{"never below -3 ft"}, 0},
		{`"above":-5`, []string{"always above -5 ft"}, 1},
		{
			`"above":9,"units":"metric"`,
			[]string{"never above 9 m", `If 9 is in ft, send "units": "english".`}, 0,
		},
	} {
		out := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970",`+test.args+`}`)
		notes := ""
		for _, note := range out["notes"].([]any) {
			notes += note.(string) + "\n"
		}
		for _, want := range test.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: notes %q, want %q", test.args, notes, want)
			}
		}
		if rows := out["windows"].([]any); len(rows) != test.rows {
			t.Errorf("%s: %d windows, want %d", test.args, len(rows), test.rows)
		}
	}
}
