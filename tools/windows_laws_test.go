package tools

import (
	"math"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// TestTideWindowFilters checks each minute of days with a clock change in either direction,
// at New Year and at a subordinate station. A minute must be in a window if and only if its
// level, weekday and time of day match the request. Within a minute of an end, and within a
// millimeter of the level, both outcomes are accepted.
func TestTideWindowFilters(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ station, begin, end, weekdays, clock string }{
		{"8443970", "2026-03-06", "2026-03-10", "", "06:00-20:30"},
		{"8443970", "2026-10-30", "2026-11-03", "", "22:00-02:30"},
		{"8443970", "2026-10-30", "2026-11-03", "sun,mon", "01:30-05:00"},
		{"9414131", "2026-12-29", "2027-01-03", "fri,sat", ""},
		{"8557863", "2026-11-20", "2026-11-27", "mon,wed,sun", "05:00-18:00"},
	} {
		out := windowsOf(t, s, func(in *tides.TideWindowsInput) {
			in.Station, in.Above, in.Begin, in.End = test.station, level(3), test.begin, test.end
			in.Weekdays, in.Clock, in.MinMinutes = test.weekdays, test.clock, 0
		})
		if len(out.Windows) == 0 || out.MinutesInAll == 0 {
			t.Errorf("%+v has no windows", test)
		}
		st, err := s.facts.TideStation(test.station)
		if err != nil {
			t.Fatal(err)
		}
		tides, err := s.facts.Tides(st, "MLLW")
		if err != nil {
			t.Fatal(err)
		}
		heights := make([]float64, 1+int(out.Span.To.Sub(out.Span.From)/time.Minute))
		tides.Heights(out.Span.From, time.Minute, heights)
		for i, meters := range heights {
			at := operation.At(out.Span.From, i, 1)
			if math.Abs(meters-3*0.3048) < 0.001 || nearEnd(out.Windows, at) {
				continue
			}
			want := meters >= 3*0.3048 && onDay(at, test.weekdays) && inHours(at, test.clock)
			if got := inWindow(out.Windows, at); got != want {
				t.Fatalf("%+v: at %v, %.3f m, in a window %v, want %v", test, at, meters, got, want)
			}
		}
	}
}

// inWindow reports whether a minute is in a window.
func inWindow(list []tides.TideWindow, at time.Time) bool {
	for _, w := range list {
		if !at.Before(w.From) && !at.After(w.To) {
			return true
		}
	}
	return false
}

// nearEnd reports whether a minute is within a minute of the end of a window.
func nearEnd(list []tides.TideWindow, at time.Time) bool {
	for _, w := range list {
		if at.Sub(w.From).Abs() <= time.Minute || at.Sub(w.To).Abs() <= time.Minute {
			return true
		}
	}
	return false
}

// onDay reports whether the day of a time is in a list of weekdays.
func onDay(at time.Time, weekdays string) bool {
	return strings.Contains(weekdays, strings.ToLower(at.Format("Mon"))) || weekdays == ""
}

// inHours reports whether the time of day is within hours, which can span midnight.
func inHours(at time.Time, hours string) bool {
	from, to, given := strings.Cut(hours, "-")
	reading := at.Format("15:04")
	switch {
	case !given:
		return true
	case from < to:
		return reading >= from && reading < to
	}
	return reading >= from || reading < to
}

// TestTideWindowLight checks that light only cuts windows: every minute in a window of some
// kind of light is also in a window for any light.
func TestTideWindowLight(t *testing.T) {
	s := newSet(t)
	windows := func(light string) tides.TideWindows {
		return windowsOf(t, s, func(in *tides.TideWindowsInput) {
			in.Below, in.Light, in.MinMinutes = level(1), intervals.Light(light), 0
		})
	}
	any, civil := windows("any"), windows("civil")
	for _, light := range []string{"daylight", "civil", "dark", "moonlit"} {
		cut := windows(light)
		if cut.Total == 0 || cut.MinutesInAll >= any.MinutesInAll {
			t.Errorf("%s: %d windows of %d minutes", light, cut.Total, cut.MinutesInAll)
		}
		for _, w := range cut.Windows {
			if !inWindow(any.Windows, w.From) || !inWindow(any.Windows, w.To) ||
				light == "daylight" && !inWindow(civil.Windows, w.From) ||
				light == "dark" && inWindow(civil.Windows, w.From.Add(w.To.Sub(w.From)/2)) {
				t.Errorf("%s: %+v is not within any light", light, w)
			}
		}
	}
}

// TestTideWindowVessels checks the levels that follow from drafts and bridges. A bridge at a
// subordinate station is refused, because the station has no MHW. The errors name what to
// request.
func TestTideWindowVessels(t *testing.T) {
	s := newSet(t)
	draft := windowsOf(t, s, func(in *tides.TideWindowsInput) {
		in.Station, in.Draft, in.ChartedDepth, in.Margin = "8443970", level(6), level(4), 1.5
	})
	same := windowsOf(t, s, func(in *tides.TideWindowsInput) {
		in.Station, in.Above = "8443970", level(3.5)
	})
	if c := draft.Condition; c.Side != "above" || c.Level != 3.5 || c.Datum != "MLLW" ||
		draft.MinutesInAll != same.MinutesInAll || !strings.Contains(c.Sum, "6 + margin 1.5 - charted") {
		t.Errorf("%+v, %d minutes, want %d", c, draft.MinutesInAll, same.MinutesInAll)
	}
	bridge := func(station string) tides.TideWindowsInput {
		return tides.TideWindowsInput{
			StationOrPlace: place.StationOrPlace{Station: station}, AirDraft: level(55),
			BridgeClearance: level(50), ClearanceDatum: "MHW", Limit: 20,
			InUnits: operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "lst_ldt"},
		}
	}
	out, err := operation.Run(caller(t), s.Tides.TideWindows, bridge("8443970"))
	if c := out.Condition; err != nil || c.Side != "below" || c.Level != -5 || c.Datum != "MHW" ||
		out.Total == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = operation.Run(caller(t), s.Tides.TideWindows, bridge("8557863"))
	e, _ := coast.AsError(err)
	st, _ := s.facts.TideStation("8557863")
	if e == nil || e.Code != coast.DatumUnavailable || facts.PredictionKind(st) != "subordinate" ||
		!strings.Contains(e.Message, "Its reference station is "+st.Reference) ||
		!strings.Contains(e.Message, "The nearest reference station with MHW is ") {
		t.Errorf("a bridge at a subordinate station: %v", err)
	}
	for _, change := range []func(*tides.TideWindowsInput){
		func(in *tides.TideWindowsInput) { in.Draft = level(6) },
		func(in *tides.TideWindowsInput) { in.Above = level(6) },
		func(in *tides.TideWindowsInput) { in.AirDraft = nil },
		func(in *tides.TideWindowsInput) { in.Datum = "MSL" },
	} {
		in := bridge("8443970")
		change(&in)
		if _, err := operation.Run(caller(t), s.Tides.TideWindows,
			in); code(err) != coast.InvalidRequest {
			t.Errorf("%+v: %v, want %s", in, err, coast.InvalidRequest)
		}
	}
}
