package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/places"
	"leadline/internal/planning"
	"leadline/internal/stations"
)

// TestTrip checks that trip cannot tell without providers, what it says then, and its errors.
func TestTrip(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"boston", "Sun 29 Nov, boating at Boston, MA\n  ?        Cannot tell: NWS gets no requests, " +
			"because this command sends none.\n           Confidence low: facts that decide are"},
		{"boston", "\n           7 AM to 4:44 PM EST, tide at Boston, MA (8443970), on the bay, "},
		{"boston", "\n  hours    ????????????????????????????????????????????????\n" +
			"           12 AM 3 AM  6 AM  9 AM  noon  3 PM  6 PM  9 PM\n" +
			"  asked                  ^^^^^^^^^^^^^^^^^^^^\n           ? cannot tell\n"},
		{"boston today --from 9am --until 13:00", "\n  hours                ???????????????????????"},
		{"boston today --from 9am --until 13:00", "\n  asked                      ^^^^^^^^\n"},
		{"boston", "\n  missing  marine-alerts, wind-forecast, marine-text, seas: NWS gets no " +
			"requests, because this command sends none\n"},
		{"boston", "\n  best     none of these hours\n           in 7 days: none\n" +
			"  7 days   5 AM   noon   7 PM\n  Sat 28    ?????????????  Cannot tell"},
		{"boston", "\n  Fri 4    ??????????????  Cannot tell"},
		{"half moon bay today clams", "Sat 28 Nov, beachcombing at Half Moon Bay, CA\n"},
		{"42.36,-71.05 +2 kayak", "Mon 30 Nov, surf-paddle at 42.36, -71.05\n"},
		{"ACT0091 sat photos", "Sat 28 Nov, photography at "},
		{"boston yesterday walk", "Fri 27 Nov, beachcombing at Boston, MA\n" +
			"  ?        That is past: no verdict.\n"},
		{"boston 2027-03-01", "Mon 1 Mar 2027, boating at Boston, MA\n" +
			"  ?        No forecast reaches 1 Mar 2027.\n"},
		{"boston today --until 2026-11-30T20:00", "\n" +
			"                noon  6 PM  Sun   6 AM  noon  6 PM  Mon\n" +
			"           ?????????????\n                noon\n"},
	} {
		out, stderr, code := runAt(t, beforeLow, nil,
			append([]string{"trip", "--offline"}, strings.Fields(test.args)...)...)
		if code != exitUnknown || stderr != "" || !strings.Contains(out, test.want) {
			t.Errorf("trip %s: exit code %d, %q, %s\nwant %q", test.args, code, stderr, out, test.want)
		}
		for _, never := range []string{"\x1b", "server was started", ". nothing", "o nothing"} {
			if strings.Contains(out, never) {
				t.Errorf("trip %s has %q:\n%s", test.args, never, out)
			}
		}
	}
	out, _, code := runAt(t, beforeLow, nil, "trip", "--offline", "boston", "sail", "--json")
	var week planning.TripWeek
	err := json.Unmarshal([]byte(out), &week)
	if err != nil || code != exitUnknown || week.Asked.Activity != decide.Boating ||
		week.Asked.State != decide.Unknown || len(week.Days) != 7 || len(week.Around.Hours) == 0 ||
		len(week.Asked.Reasons) == 0 || strings.Contains(out, "server was started") {
		t.Errorf("trip --json: exit code %d, %v\n%s", code, err, out)
	}
	for _, test := range []struct{ args, want string }{
		{"", "missing STATION or PLACE; usage: leadline trip"},
		{"denver tomorrow boating", "inland"},
		{"boston sat golf", `unknown activity "golf": must be one of fishing, boating`},
		{"boston --from 25:00", "--from must"},
		{"boston --from 10:00 --until 2026-11-01T09:00", `until "2026-11-01T09:00" is not after the begin`},
		{"boston 2026-02-30", "2026-02-30"},
		{"9063020", "Great Lakes"},
	} {
		_, stderr, code := runAt(t, beforeLow, nil,
			append([]string{"trip", "--offline"}, strings.Fields(test.args)...)...)
		if code != exitError || !strings.Contains(stderr, test.want) {
			t.Errorf("trip %s: exit code %d, %q, want %q", test.args, code, stderr, test.want)
		}
	}
}

// TestTripClockChange checks the hours of days of 25 and 23 hours, at 60 columns.
func TestTripClockChange(t *testing.T) {
	for now, want := range map[string]string{
		"2026-10-31T12:00:00Z": "\n  hours    " + strings.Repeat("?", 25) + "\n" +
			"           Sun    6 AM  noon  6 PM\n",
		"2027-03-13T12:00:00Z": "\n  hours    " + strings.Repeat("?", 46) + "\n" +
			"           12 AM     6 AM  9 AM  noon  3 PM  6 PM  9 PM\n",
	} {
		out, _, code := runAt(t, now, map[string]string{"COLUMNS": "60"}, "trip", "boston", "--offline")
		longest := slices.Max(lengths(strings.Split(out, "\n")))
		if code != exitUnknown || longest > 60 || !strings.Contains(out, want) {
			t.Errorf("after %s: exit code %d, %d columns:\n%s\nwant %q", now, code, longest, out, want)
		}
	}
}

// TestReadTrip checks where the place ends, and the day and the activity begin.
func TestReadTrip(t *testing.T) {
	for text, want := range map[string]string{
		"boston":                        "boston||boating",
		"long beach":                    "long beach||boating",
		"long beach beach walk":         "long beach||beachcombing",
		"half moon bay sat tide pools":  "half moon bay|sat|beachcombing",
		"boston tonight fishing":        "boston|tonight|fishing",
		"boston next weekend kayak":     "boston|next weekend|surf-paddle",
		"boston in 3 days":              "boston|in 3 days|boating",
		"boston saturday morning clams": "boston|saturday morning|beachcombing",
		"the cape dec 5 beach walk":     "the cape|dec 5|beachcombing",
		"half moon bay 2026-12-01":      "half moon bay|2026-12-01|boating",
		"02108 +3 SUP":                  "02108|+3|surf-paddle",
		"42.36,-71.05 tomorrow fishing": "42.36,-71.05|tomorrow|fishing",
		"monterey surf fishing":         "monterey||fishing",
		"kayak":                         "kayak||boating",
	} {
		where, in, err := readTrip([]string{text})
		if got := where + "|" + in.Date + "|" + string(in.Activity); err != nil || got != want {
			t.Errorf("readTrip(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestLooks checks the exit code of each state: only nothing found against it, known well enough,
// is 0.
func TestLooks(t *testing.T) {
	for _, test := range []struct {
		state      decide.State
		confidence decide.Confidence
		sign       string
		code       int
	}{
		{decide.Normal, decide.High, ".", 0},
		{decide.Normal, decide.Moderate, ".", 0},
		{decide.Normal, decide.Low, "o", 4},
		{decide.WatchState, decide.Low, "+", 2},
		{decide.ActionNeeded, decide.High, "#", 3},
		{decide.Unknown, decide.Low, "?", 4},
		{"", "", "?", 4},
	} {
		if l := lookOf(test.state, test.confidence); l.sign != test.sign || l.exit != test.code {
			t.Errorf("lookOf(%q, %q) = %+v, want %s and %d", test.state, test.confidence, l, test.sign,
				test.code)
		}
	}
}

// TestVerdictLines lays out a day of all states, of which one is not known well enough, with the
// best run, its reasons and the days.
func TestVerdictLines(t *testing.T) {
	zone := time.FixedZone("EST", -5*3600)
	at := func(day, hour, minute int) time.Time {
		return time.Date(2026, 11, day, hour, minute, 0, 0, zone)
	}
	old := 75
	asked := planning.TripHours{
		Frame: coast.Frame{Station: &coast.Station{ID: "8443970", Name: "Boston", State: "MA"},
			Provenance: coast.Provenance{Sources: []coast.Source{
				{ID: "marine-text", Label: "Coastal text", Kind: coast.Forecast, AgeMinutes: &old}}}},
		Activity: decide.Boating, EvaluatedAt: at(27, 12, 0), From: at(28, 9, 30), To: at(28, 16, 44),
		Sentence: "Changes 4 times: best from 1 to 3 PM, with care.", State: decide.ActionNeeded,
		Confidence: decide.Low,
		Hours: []decide.Run{
			{From: at(28, 9, 30), To: at(28, 10, 30), State: decide.ActionNeeded},
			{From: at(28, 10, 30), To: at(28, 16, 44), State: decide.Normal, Confidence: decide.High},
		},
		Best: &decide.Best{State: decide.WatchState, Minutes: 120, Text: "1 to 3 PM, 2 h only"},
		Reasons: []decide.HoursReason{
			{Reason: decide.Reason{Code: "wind", Severity: decide.Action, SourceID: "marine-text"},
				Text: "Wind 25 kn."},
			{Reason: decide.Reason{Code: "input_missing", Severity: decide.Watch, SourceID: "seas"},
				Text: "No seas."},
			{Reason: decide.Reason{Code: "nearby_gauge", Severity: decide.Info}, Text: "A gauge."},
		},
	}
	around := planning.TripHours{Hours: []decide.Run{
		{From: at(27, 12, 0), To: at(28, 10, 0), State: decide.ActionNeeded},
		{From: at(28, 10, 0), To: at(28, 13, 0), State: decide.Unknown},
		{From: at(28, 13, 0), To: at(28, 15, 0), State: decide.WatchState},
		{From: at(28, 15, 0), To: at(28, 18, 0), State: decide.Normal, Confidence: decide.High},
		{From: at(28, 18, 0), To: at(29, 12, 0), State: decide.Normal, Confidence: decide.Low},
	}}
	day := around
	day.From, day.Best = at(28, 5, 0), asked.Best
	week := planning.TripWeek{Asked: asked, Around: around, Days: []planning.TripHours{day}}
	v := verdict{sheet: sheet{screen: screen{width: 60}}, TripWeek: week}
	out := v.text()
	for _, want := range []string{
		"Sat 28 Nov, boating at Boston, MA\n" +
			"  #        Changes 4 times: best from 1 to 3 PM, with care.\n",
		"\n           9:30 AM to 4:44 PM EST, tide at Boston, MA\n           (8443970)\n",
		"\n  hours    ####################??????++++......oooooooooooo\n",
		"\n  asked                       ^^^^^^^^^^^^^^^\n",
		"\n           # reasons against  ? cannot tell  + take care\n" +
			"           o nothing known against it yet\n           . nothing found against it\n",
		"\n  #        Wind 25 kn.  Coastal text, 75 minutes old\n  ?        No seas.\n" +
			"           A gauge.\n",
		"\n  best     1 to 3 PM, 2 h only, with care\n" +
			"           in 7 days: Sat 28 Nov, 1 to 3 PM, 2 h only, with\n           care\n",
		"\n  Sat 28   #####???++...o  1 to 3 PM, 2 h only, with care\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	v = verdict{sheet: sheet{screen: screen{width: 60, colored: true}}, TripWeek: week}
	colored := v.text()
	if sequence().ReplaceAllString(colored, "") != out ||
		!strings.Contains(colored, "\x1b[31m####################\x1b[0m\x1b[2m??????\x1b[0m") {
		t.Errorf("colors change the text:\n%s\n%q", out, colored)
	}
}

// TestSynonymsEndNoPlace checks that no name of a station or a town ends with a synonym, so that
// "long beach kayak" is read in one way. Three towns end with Walk, and need a day behind them.
func TestSynonymsEndNoPlace(t *testing.T) {
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, st := range directory.All("") {
		names = append(names, st.Name)
	}
	for _, place := range places.Open().All() {
		names = append(names, place.Name)
	}
	if len(names) < 6000 {
		t.Fatalf("only %d names", len(names))
	}
	for _, name := range names {
		parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" ,.()/", r) })
		for n := 1; n < len(parts); n++ {
			word := strings.Join(parts[n:], " ")
			if a, ok := decide.ActivityOf(word); ok && word != "Walk" {
				t.Errorf("%s ends with a word of %s", name, a)
			}
		}
	}
}
