package tide

import (
	"math"
	"slices"
	"testing"
	"time"
)

// clockSpans returns spans on one day in hours and minutes.
func clockSpans(spans []Span) (list []string) {
	for _, s := range spans {
		const clock = "2 15:04:05"
		list = append(list, s.From.Round(time.Second).Format(clock)+" to "+
			s.To.Round(time.Second).Format(clock))
	}
	return list
}

// The height of S2 alone is cos(30° an hour), 1 at midnight and noon, 0.5 two hours from
// them.
func TestSpansOfCosine(t *testing.T) {
	s2, _ := Lookup("S2")
	p := Tides{Curve: NewCurve([]Harmonic{{s2, 1, 0}}), Level: 3}
	from, to := date(2026, 12, 31, 1, 0), date(2027, 1, 1, 13, 0)
	for _, c := range []struct {
		name         string
		level        float64
		below, above []string
	}{
		{"over a New Year without a jump", 3.5,
			[]string{"31 02:00:00 to 31 10:00:00", "31 14:00:00 to 31 22:00:00", "1 02:00:00 to 1 10:00:00"},
			[]string{"31 01:00:00 to 31 02:00:00", "31 10:00:00 to 31 14:00:00", "31 22:00:00 to 1 02:00:00",
				"1 10:00:00 to 1 13:00:00"}},
		{"never reached", 4.1, []string{"31 01:00:00 to 1 13:00:00"}, nil},
		{"always exceeded", 1.9, nil, []string{"31 01:00:00 to 1 13:00:00"}},
		{"touched by each high water", 4, []string{"31 01:00:00 to 1 13:00:00"}, nil},
		{"touched by each low water", 2, nil, []string{"31 01:00:00 to 1 13:00:00"}},
		{"not a number", math.NaN(), nil, []string{"31 01:00:00 to 1 13:00:00"}},
	} {
		if got := clockSpans(p.Below(from, to, c.level)); !slices.Equal(got, c.below) {
			t.Errorf("%s: below %v: %v, want %v", c.name, c.level, got, c.below)
		}
		if got := clockSpans(p.Above(from, to, c.level)); !slices.Equal(got, c.above) {
			t.Errorf("%s: above %v: %v, want %v", c.name, c.level, got, c.above)
		}
	}
	for _, empty := range []time.Time{from, from.Add(-time.Hour)} {
		if got := p.Below(from, empty, 9); got == nil || len(got) > 0 {
			t.Errorf("until %v: %v, want an empty list", empty, got)
		}
	}
}

// The velocity is cos(30° an hour): the speed is below 0.5 an hour on both sides of 3 and 9.
func TestSpansOfStream(t *testing.T) {
	from, to := date(2026, 5, 1, 0, 0), date(2026, 5, 1, 12, 0)
	both := stream(1, 0)
	flood := both
	flood.Offsets = &CurrentOffsets{
		FloodRatio: 0.5, EbbRatio: 0, SlackBeforeFlood: 30, SlackBeforeEbb: 30, Flood: 30, Ebb: 30,
	}
	whole := []string{"1 00:00:00 to 1 12:00:00"}
	for _, c := range []struct {
		name        string
		currents    Currents
		speed       float64
		most, least []string
	}{
		{"half", both, 0.5, []string{"1 02:00:00 to 1 04:00:00", "1 08:00:00 to 1 10:00:00"},
			[]string{"1 00:00:00 to 1 02:00:00", "1 04:00:00 to 1 08:00:00", "1 10:00:00 to 1 12:00:00"}},
		{"zero", both, 0, nil, whole},
		{"negative", both, -1, nil, whole},
		{"never exceeded", both, 1.1, whole, nil},
		{"no ebb", flood, 0.25, []string{"1 02:30:00 to 1 10:30:00"},
			[]string{"1 00:00:00 to 1 02:30:00", "1 10:30:00 to 1 12:00:00"}},
	} {
		if got := clockSpans(c.currents.AtMost(from, to, c.speed)); !slices.Equal(got, c.most) {
			t.Errorf("%s: at most %v: %v, want %v", c.name, c.speed, got, c.most)
		}
		if got := clockSpans(c.currents.AtLeast(from, to, c.speed)); !slices.Equal(got, c.least) {
			t.Errorf("%s: at least %v: %v, want %v", c.name, c.speed, got, c.least)
		}
	}
}

// Where the height jumps over the level at New Year, the jump is the edge.
func TestSpansAtNewYear(t *testing.T) {
	p := Tides{Curve: curveOf(barbara)}
	newYear := date(2027, 1, 1, 0, 0)
	before, after := p.Curve.At(newYear.Add(-time.Millisecond)), p.Curve.At(newYear)
	level := (before + after) / 2
	from, to := newYear.AddDate(0, 0, -2), newYear.AddDate(0, 0, 2)
	spans := slices.Concat(p.Below(from, to, level), p.Above(from, to, level))
	if !slices.ContainsFunc(spans, func(s Span) bool { return s.From.Equal(newYear) }) ||
		!slices.ContainsFunc(spans, func(s Span) bool { return s.To.Equal(newYear) }) {
		t.Errorf("heights %v and %v: no edge of %v at New Year", before, after, spans)
	}
}

// Stations without tides are on one side of every level.
func TestSpansWithoutTides(t *testing.T) {
	from, to := date(2026, 5, 1, 0, 0), date(2028, 6, 1, 0, 0)
	whole := []Span{{from, to}}
	flat := NewCurve(nil)
	for _, p := range []Tides{{Curve: flat, Level: 2},
		{Curve: flat, Level: 1, Offsets: &Offsets{High: 2, Low: 2}}} {
		if got := p.Below(from, to, 2.1); !slices.Equal(got, whole) {
			t.Errorf("below 2.1: %v, want %v", got, whole)
		}
		if got := p.Above(from, to, 2.1); len(got) > 0 {
			t.Errorf("above 2.1: %v, want none", got)
		}
	}
	for _, c := range []Currents{{Curve: flat, Mean: 1},
		{Curve: flat, Mean: 2, Offsets: &CurrentOffsets{FloodRatio: 0.5}}} {
		if got := c.AtLeast(from, to, 0.9); !slices.Equal(got, whole) {
			t.Errorf("at least 0.9: %v, want %v", got, whole)
		}
		if got := c.AtMost(from, to, 0.9); len(got) > 0 {
			t.Errorf("at most 0.9: %v, want none", got)
		}
	}
}

// The search returns in bounded time for spans at the ends of the supported range, for
// spans of centuries, and for spans without a beginning.
func TestSpansFarAway(t *testing.T) {
	c := curveOf(boston)
	p := Tides{Curve: c, Level: 1.5}
	p.Offsets = &Offsets{HighMinutes: 741, LowMinutes: -500, High: 1, Low: 1}
	q := Currents{Curve: c, Offsets: &CurrentOffsets{SlackBeforeEbb: 60, FloodRatio: 1, EbbRatio: 1}}
	for _, from := range []time.Time{{}, date(-100000, 1, 1, 0, 0), date(1, 1, 1, 0, 0),
		date(9999, 12, 31, 23, 59), date(1000000, 1, 1, 0, 0)} {
		for _, days := range []int{1, 2} {
			to := from.AddDate(0, 0, days)
			inOrder(t, p.Below(from, to, 1))
			inOrder(t, Tides{Curve: c}.Above(from, to, 0))
			inOrder(t, q.AtMost(from, to, 0.5))
			inOrder(t, Currents{Curve: c}.AtLeast(from, to, 0.5))
		}
	}
	p.Offsets = &Offsets{HighMinutes: 741, LowMinutes: 700, High: 1, Low: 1}
	atEnds(t, p, date(1, 1, 1, 0, 0), date(1, 1, 3, 0, 0))
	p.Offsets = &Offsets{HighMinutes: -741, LowMinutes: -700, High: 1, Low: 1}
	atEnds(t, p, date(9999, 12, 30, 0, 0), date(9999, 12, 31, 23, 59))
	m2, _ := Lookup("M2")
	simple := Tides{Curve: NewCurve([]Harmonic{{m2, 1, 0}})}
	got := simple.Below(date(1000, 1, 1, 0, 0), date(9999, 1, 1, 0, 0), 0)
	inOrder(t, got)
	if len(got) > 400*706+1 || len(got) < 400*705 || got[len(got)-1].To.Year() != 1400 {
		t.Errorf("%d spans until %v in the first 400 years", len(got), got[len(got)-1])
	}
}

// atEnds checks a subordinate station without events before from or after to, where the
// height is that of the nearest event.
func atEnds(t *testing.T, p Tides, from, to time.Time) {
	t.Helper()
	heights := make([]float64, int(to.Sub(from)/time.Minute))
	p.Heights(from, time.Minute, heights)
	for _, level := range []float64{slices.Min(heights) + 0.01, slices.Max(heights) - 0.01} {
		spans := p.Below(from, to, level)
		for n, h := range heights {
			at := from.Add(time.Duration(n) * time.Minute)
			inside := slices.ContainsFunc(spans, func(s Span) bool {
				return !at.Before(s.From) && at.Before(s.To)
			})
			if math.Abs(h-level) > 1e-3 && inside != (h < level) {
				t.Fatalf("%v m at %v, below %v: %v", h, at, level, inside)
			}
		}
	}
}

func inOrder(t *testing.T, spans []Span) {
	t.Helper()
	for i, s := range spans {
		if !s.To.After(s.From) || i > 0 && !s.From.After(spans[i-1].To) {
			t.Fatalf("span %v is empty or follows %v", s, spans[max(i-1, 0)])
		}
	}
}
