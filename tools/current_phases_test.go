package tools

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// predictedCurrents returns the stations whose windows can be computed.
func predictedCurrents(t *testing.T, s *Set) []stations.Station {
	t.Helper()
	var list []stations.Station
	for _, st := range s.Stations.All(stations.Current) {
		if c, ok := s.Stations.Currents(st); ok && !facts.Unrated(c) && !strings.Contains(st.ID, "_") {
			list = append(list, st)
		}
	}
	return list
}

// minutesIn returns the minutes of windows.
func minutesIn(windows []currents.CurrentWindow) map[int64]bool {
	minutes := map[int64]bool{}
	for _, w := range windows {
		for at := w.From; !at.After(w.To); at = at.Add(time.Minute) {
			minutes[at.Unix()/60] = true
		}
	}
	return minutes
}

// TestCurrentWindowPhases checks that windows of flood and of ebb are disjoint, that together
// they are the windows of any phase, and that each minute keeps the limit and the phase.
func TestCurrentWindowPhases(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	all := predictedCurrents(t, s)
	random := rand.New(rand.NewPCG(51, 1))
	for range trials.Cases() / 10 {
		st := all[random.IntN(len(all))]
		limit := 0.3 + float64(random.IntN(200))/100
		in := currents.CurrentWindowsInput{
			AtCurrentStation: meter(st.ID),
			Limit:            400, InUnits: operation.InUnits{Units: "english"},
			Span: operation.Span{Begin: "2026-12-29", End: "2027-01-02"},
		}
		most := random.IntN(2) == 0
		if in.AtMost = &limit; !most {
			in.AtMost, in.AtLeast = nil, &limit
		}
		found := map[currents.CurrentPhase][]currents.CurrentWindow{}
		for _, phase := range []currents.CurrentPhase{"any", "flood", "ebb"} {
			in.Phase = phase
			out, err := s.Currents.CurrentWindows(ctx, in)
			if err != nil {
				t.Fatalf("%s: %v", st.ID, err)
			}
			found[phase] = out.Windows
		}
		if len(found["any"]) == 0 {
			continue
		}
		flood, ebb, either := minutesIn(found["flood"]), minutesIn(found["ebb"]), minutesIn(found["any"])
		predictor, _ := s.Stations.Currents(st)
		start, velocities := found["any"][0].From.Add(-24*time.Hour), make([]float64, 7*1440)
		predictor.Velocities(start, time.Minute, velocities)
		const tolerance = 1e-3
		for i, v := range velocities {
			minute := start.Unix()/60 + int64(i)
			within := math.Abs(v) <= limit+tolerance
			if !most {
				within = math.Abs(v) >= limit-tolerance
			}
			switch {
			case newYear.Unix()/60 == minute || jumps(newYear, minute, velocities, i):
				// the curves of both years may end windows there
			case flood[minute] && (ebb[minute] || !either[minute] || !within || v < -tolerance):
				t.Errorf("%s, %v %v: a window of the flood has %v at %v", st.ID, most, limit, v, minute)
			case ebb[minute] && (!either[minute] || !within || v > tolerance):
				t.Errorf("%s, %v %v: a window of the ebb has %v at %v", st.ID, most, limit, v, minute)
			case either[minute] && !flood[minute] && !ebb[minute] && math.Abs(v) > 0.1:
				// Near slack, the part of a phase can be shorter than a minute.
				t.Errorf("%s, %v %v: minute %v is in a window of no phase", st.ID, most, limit, minute)
			}
		}
	}
}

// jumps reports whether a velocity is the first of the new year at a subordinate station, whose
// curve follows that of its reference station by some minutes or hours. Currents of one year change
// by less than 0.03 kn a minute.
func jumps(newYear time.Time, minute int64, velocities []float64, i int) bool {
	const latest = 12 * 60 // minutes
	after := minute - newYear.Unix()/60
	return i > 0 && -latest < after && after < latest &&
		math.Abs(velocities[i]-velocities[i-1]) > 0.03
}

// newYear begins the year of other node factors.
var newYear = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// TestCurrentWindowsAgree checks that the operation has the windows of the prediction tool.
func TestCurrentWindowsAgree(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	for _, station := range []string{"PUG1701", "ACT0091"} {
		two := 2.0
		out, err := s.Currents.CurrentWindows(ctx, currents.CurrentWindowsInput{
			AtCurrentStation: meter(station),
			AtLeast:          &two, Phase: "any", InLight: intervals.InLight{Light: "daylight"},
			MinMinutes: 10, Limit: 400,
			Span: operation.Span{Range: 700}, InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Currents.CurrentPredictions(ctx, currents.CurrentPredictionsInput{
			StationOrPlace: place.StationOrPlace{Station: station}, Interval: "max_slack",
			CurrentFilters: currents.CurrentFilters{AtLeast: &two,
				InLight: intervals.InLight{Light: "daylight"}},
			Span: operation.Span{Range: 700}, InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Windows) == 0 || !reflect.DeepEqual(out.Windows, want.Windows) {
			t.Errorf("%s: %d windows differ from %d of the prediction tool", station, len(out.Windows),
				len(want.Windows))
		}
	}
}

// TestCurrentWindowFilters checks weekdays, hours, shorter windows, pages, and limits that the
// current never or always keeps.
func TestCurrentWindowFilters(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	usual := currents.CurrentWindowsInput{
		AtCurrentStation: meter("PUG1701"),
		Phase:            "any", MinMinutes: 10, Limit: 400, InUnits: operation.InUnits{Units: "english"},
	}
	whole, err := s.Currents.CurrentWindows(ctx, usual)
	if err != nil {
		t.Fatal(err)
	}
	if c := whole.Condition; c.Side != "at_most" || c.Speed != 0.5 || whole.Total < 100 {
		t.Errorf("without a limit: %+v and %d windows", c, whole.Total)
	}
	in := usual
	in.OnDays = intervals.OnDays{Weekdays: "sat,sun", InHours: intervals.InHours{Clock: "08:00-18:00"}}
	cut, err := s.Currents.CurrentWindows(ctx, in)
	if err != nil || cut.Total == 0 {
		t.Fatalf("on weekends: %d windows, %v", cut.Total, err)
	}
	for _, w := range cut.Windows {
		day := w.From.Weekday()
		if day != time.Saturday && day != time.Sunday || w.From.Hour() < 8 || w.To.Hour() > 18 {
			t.Errorf("window %v to %v is not on a weekend by day", w.From, w.To)
		}
	}
	if extra := minutesIn(cut.Windows); len(extra) == 0 ||
		!contains(minutesIn(whole.Windows), extra) {
		t.Error("filters have added minutes")
	}
	in = usual
	in.Limit, in.Offset = 3, 2
	page, err := s.Currents.CurrentWindows(ctx, in)
	if err != nil || !reflect.DeepEqual(page.Windows, whole.Windows[2:5]) || *page.NextOffset != 5 {
		t.Errorf("the page has %d windows, next %v, %v", len(page.Windows), page.NextOffset, err)
	}
	for _, test := range []struct {
		limit float64
		least bool
		want  string
		total int
	}{
		{100, false, "is always at most 100 kn: the fastest minute has", 1},
		{0, true, "is always at least 0 kn", 1},
		{100, true, "is never at least 100 kn", 0},
	} {
		in := usual
		if in.AtMost = &test.limit; test.least {
			in.AtMost, in.AtLeast = nil, &test.limit
		}
		out, err := s.Currents.CurrentWindows(ctx, in)
		if err != nil || out.Total != test.total {
			t.Errorf("%v: %d windows, %v; want %d", test.limit, out.Total, err, test.total)
		}
		if notes := strings.Join(out.Notes, " "); !strings.Contains(notes, test.want) {
			t.Errorf("%v: notes %q lack %q", test.limit, out.Notes, test.want)
		}
	}
}

// contains reports whether all minutes of part are in whole.
func contains(whole, part map[int64]bool) bool {
	for minute := range part {
		if !whole[minute] {
			return false
		}
	}
	return true
}

// TestCurrentWindowWind checks that wind which is not known is missing, not calm.
func TestCurrentWindowWind(t *testing.T) {
	out, err := newSet(t).Currents.CurrentWindows(caller(t), currents.CurrentWindowsInput{
		AtCurrentStation: meter("PUG1701"),
		Phase:            "any", MinMinutes: 10, Limit: 5, Wind: true,
		InUnits: operation.InUnits{Units: "english"},
	})
	if err != nil {
		t.Fatal(err)
	}
	missing := func(m coast.Missing) bool { return m.Input == "windAgainst" }
	if !slices.ContainsFunc(out.Missing, missing) {
		t.Errorf("missing = %v, want windAgainst", out.Missing)
	}
	for _, w := range out.Windows {
		if w.WindAgainst != nil {
			t.Errorf("window %v has the wind %+v without a provider", w.From, w.WindAgainst)
		}
	}
}

// TestCurrentWindowRefusals checks requests that have no windows.
func TestCurrentWindowRefusals(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	one := 1.0
	for _, test := range []struct {
		name string
		in   currents.CurrentWindowsInput
		code coast.Code
		text string
	}{
		{"two limits", currents.CurrentWindowsInput{AtMost: &one, AtLeast: &one,
			AtCurrentStation: meter("PUG1701")},
			coast.InvalidRequest, "exclude each other"},
		{"no station", currents.CurrentWindowsInput{}, coast.InvalidRequest, "station is required"},
		{"tide station", currents.CurrentWindowsInput{
			AtCurrentStation: meter("8443970")},
			coast.ProductUnavailable, "is a tide station"},
		{"two years", currents.CurrentWindowsInput{Span: operation.Span{Begin: "2027-01-01",
			End: "2028-12-31"},
			AtCurrentStation: meter("PUG1701")},
			coast.RangeTooLong, "at most 366 days"},
	} {
		_, err := operation.Run(ctx, s.Currents.CurrentWindows, test.in)
		if code(err) != test.code || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v, want %s with %q", test.name, err, test.code, test.text)
		}
	}
}

// meter returns the argument that names a current station.
func meter(id string) currents.AtCurrentStation {
	return currents.AtCurrentStation{StationOrPlace: place.StationOrPlace{Station: id}}
}
