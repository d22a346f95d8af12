package tide

import (
	"math"
	"slices"
	"testing"
	"time"

	"leadline/internal/trials"
)

func date(y int, m time.Month, d, hour, minute int) time.Time {
	return time.Date(y, m, d, hour, minute, 0, 0, time.UTC)
}

func TestEmptyCurve(t *testing.T) {
	from, to := date(2026, 5, 1, 0, 0), date(2026, 6, 1, 0, 0)
	curves := []*Curve{
		NewCurve(nil),
		NewCurve([]Harmonic{{-1, 1, 0}, {count, 1, 0}, {0, 0, 0}, {0, math.NaN(), 0},
			{0, 1, math.Inf(1)}}),
	}
	for _, c := range curves {
		if c.At(from) != 0 || c.Rate(from) != 0 {
			t.Error("an empty curve is not flat")
		}
		out := make([]float64, 5)
		for _, p := range []Tides{{Curve: c, Level: 2},
			{Curve: c, Level: 1, Offsets: &Offsets{High: 2, Low: 2}}} {
			if got := p.Extremes(from, to); got == nil || len(got) != 0 {
				t.Errorf("extremes %v, want an empty list", got)
			}
			if p.Heights(from, time.Hour, out); !slices.Equal(out, []float64{2, 2, 2, 2, 2}) {
				t.Errorf("heights %v", out)
			}
		}
		for _, p := range []Currents{{Curve: c, Mean: 1},
			{Curve: c, Mean: 2, Offsets: &CurrentOffsets{FloodRatio: 0.5}}} {
			if got := p.Events(from, to); got == nil || len(got) != 0 {
				t.Errorf("events %v, want an empty list", got)
			}
			if p.Velocities(from, time.Hour, out); !slices.Equal(out, []float64{1, 1, 1, 1, 1}) {
				t.Errorf("velocities %v", out)
			}
		}
	}
}

// Every span and every year has a result, in bounded time.
func TestAbsurdSpans(t *testing.T) {
	c := curveOf(boston)
	p := Tides{Curve: c, Level: 1.5, Offsets: &Offsets{HighMinutes: 741, LowMinutes: -500, High: 1,
		Low: 1}}
	q := Currents{Curve: c, Offsets: &CurrentOffsets{SlackBeforeEbb: 60, FloodRatio: 1, EbbRatio: 1}}
	far := []time.Time{{}, date(-100000, 1, 1, 0, 0), date(1, 1, 1, 0, 0), date(1799, 12, 31, 23, 0),
		date(2201, 1, 1, 0, 0), date(9999, 12, 31, 23, 59), date(1000000, 1, 1, 0, 0)}
	out := make([]float64, 40)
	for i, from := range far {
		for _, days := range []int{0, 1, -3} {
			p.Extremes(from, from.AddDate(0, 0, days))
			Tides{Curve: c}.Extremes(from, from.AddDate(0, 0, days))
			q.Events(from, from.AddDate(0, 0, days))
			Currents{Curve: c}.Events(from, from.AddDate(0, 0, days))
		}
		for j, step := range []time.Duration{time.Nanosecond, time.Second, 7 * time.Minute, 9 * time.Hour,
			-time.Hour, 0, 1 << 62} {
			if !trials.Thorough() && (i+j)%3 != 0 {
				continue // each time has two steps or more, and each step two times or more
			}
			p.Heights(from, step, out)
			finite(t, out)
			Tides{Curve: c}.Heights(from, step, out)
			finite(t, out)
			q.Velocities(from, step, out)
			finite(t, out)
		}
	}
	m2, _ := Lookup("M2")
	simple := Tides{Curve: NewCurve([]Harmonic{{m2, 1, 0}})}
	if got := simple.Extremes(far[2], far[5]); len(got) > 400*1412 || len(got) < 400*1410 {
		t.Errorf("%d extremes in the first 400 of all years", len(got))
	}
	p.Heights(date(2026, 1, 1, 0, 0), time.Minute, nil)
}

func finite(t *testing.T, out []float64) {
	t.Helper()
	for _, h := range out {
		if !(math.Abs(h) < 10) {
			t.Fatalf("value %v", h)
		}
	}
}

// A curve whose turns are never two hours apart, or months apart, ends the search. No
// station has such a curve.
func TestEndlessChain(t *testing.T) {
	m8, _ := Lookup("M8")
	p := Tides{Curve: NewCurve([]Harmonic{{m8, 0.01, 0}})}
	p.Extremes(date(2026, 1, 1, 0, 0), date(2036, 1, 1, 0, 0))
	sa, _ := Lookup("SA")
	p = Tides{Curve: NewCurve([]Harmonic{{sa, 1, 0}}), Offsets: &Offsets{High: 1, Low: 1}}
	if got := p.Extremes(date(2026, 1, 1, 0, 0), date(2028, 1, 1, 0, 0)); len(got) != 4 {
		t.Errorf("%d extremes of an annual tide in two years", len(got))
	}
	out := make([]float64, 100)
	p.Heights(date(2026, 1, 1, 0, 0), 24*time.Hour, out)
	finite(t, out)
}

// The span is limited by the published minute, both ends included.
func TestSpanIsInclusive(t *testing.T) {
	p := Tides{Curve: curveOf(boston), Level: 1.586}
	all := p.Extremes(date(2026, 5, 1, 0, 0), date(2026, 5, 3, 0, 0))
	for _, e := range all {
		if got := p.Extremes(e.Time, e.Time); len(got) != 1 || !near(got[0], e) {
			t.Errorf("at %v: %v", e.Time, got)
		}
		if got := p.Extremes(e.Time.Add(time.Second), e.Time.Add(time.Minute)); len(got) != 0 {
			t.Errorf("after %v: %v", e.Time, got)
		}
		if got := p.Extremes(e.Time.Add(-time.Minute), e.Time.Add(-time.Nanosecond)); len(got) != 0 {
			t.Errorf("before %v: %v", e.Time, got)
		}
	}
}

// Every step matches the exact sum, across a New Year and in both directions.
func TestHeightsSteps(t *testing.T) {
	for _, constants := range [][]constant{boston, barbara, knik} {
		p := Tides{Curve: curveOf(constants), Level: 1}
		from := date(2026, 12, 30, 21, 3)
		for _, step := range []time.Duration{time.Second, time.Minute, 5 * time.Minute, 6 * time.Minute,
			7 * time.Minute, 15 * time.Minute, time.Hour, 7 * time.Hour, -6 * time.Minute, 0} {
			out := make([]float64, 3000)
			p.Heights(from, step, out)
			for i := range out {
				want := 1 + p.Curve.At(from.Add(time.Duration(i)*step))
				if math.Abs(out[i]-want) > 2e-6 {
					t.Errorf("step %v, sample %d: %v, want %v", step, i, out[i], want)
					break
				}
			}
		}
	}
}

// The height jumps at midnight of New Year, UTC, and nowhere near it.
func TestNewYearJump(t *testing.T) {
	c := curveOf(barbara)
	newYear := date(2027, 1, 1, 0, 0)
	jump := math.Abs(c.At(newYear) - c.At(newYear.Add(-time.Millisecond)))
	if jump < 1e-4 || jump > 0.05 {
		t.Errorf("jump of %v m", jump)
	}
	later := newYear.Add(time.Hour)
	if step := math.Abs(c.At(later) - c.At(later.Add(-time.Millisecond))); step > 1e-6 {
		t.Errorf("jump of %v m an hour later", step)
	}
	out := make([]float64, 3)
	Tides{Curve: c}.Heights(newYear.Add(-time.Minute), time.Minute, out)
	if math.Abs(out[1]-c.At(newYear)) > 1e-9 {
		t.Errorf("at New Year %v, want that of the new year, %v", out[1], c.At(newYear))
	}
}

func TestRate(t *testing.T) {
	c := curveOf(boston)
	for i := range 50 {
		at := date(2026, 3, 1, i, 7)
		got := c.Rate(at)
		want := (c.At(at.Add(30*time.Second)) - c.At(at.Add(-30*time.Second))) * 60
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("Rate(%v) = %v, want %v", at, got, want)
		}
	}
}

// Offsets shift times by whole minutes before they are rounded, and scale heights above
// the reference's datum.
func TestOffsets(t *testing.T) {
	reference := Tides{Curve: curveOf(boston), Level: 1.586}
	ratio, fixed := reference, reference
	ratio.Offsets = &Offsets{HighMinutes: 30, LowMinutes: -12, High: 1.1, Low: 0.5}
	fixed.Offsets = &Offsets{HighMinutes: 30, LowMinutes: -12, High: 0.25, Low: -0.1, Fixed: true}
	from, to := date(2026, 5, 1, 0, 0), date(2026, 5, 8, 0, 0)
	all := reference.Extremes(from.AddDate(0, 0, -1), to.AddDate(0, 0, 1))
	scaled, added := ratio.Extremes(from, to), fixed.Extremes(from, to)
	for i, e := range all[slices.IndexFunc(all, func(e Extreme) bool {
		return e.High == scaled[0].High && e.Time.After(from.Add(-time.Hour))
	}):] {
		if i == len(scaled) {
			break
		}
		minutes, times, plus := -12, 0.5, -0.1
		if e.High {
			minutes, times, plus = 30, 1.1, 0.25
		}
		at := e.Time.Add(time.Duration(minutes) * time.Minute)
		if want := (Extreme{at, e.Height * times, e.High}); !near(scaled[i], want) {
			t.Errorf("by ratio: %v, want %v", scaled[i], want)
		}
		if want := (Extreme{at, e.Height + plus, e.High}); !near(added[i], want) {
			t.Errorf("by addition: %v, want %v", added[i], want)
		}
	}
}

func near(a, b Extreme) bool {
	return a.Time.Equal(b.Time) && a.High == b.High && math.Abs(a.Height-b.Height) < 1e-9
}

// These offsets move a high after the next low. Events are still in order of time, and
// the series still passes through all of them.
func TestOffsetsOutOfOrder(t *testing.T) {
	p := Tides{Curve: curveOf(boston), Level: 1.586, Offsets: &Offsets{HighMinutes: 500,
		LowMinutes: -200, High: 1, Low: 1}}
	events := p.Extremes(date(2026, 5, 1, 0, 0), date(2026, 5, 8, 0, 0))
	out := make([]float64, 1)
	for i, e := range events {
		if i > 0 && !e.Time.After(events[i-1].Time) {
			t.Errorf("%v after %v", e, events[i-1])
		}
		if p.Heights(e.Time, time.Minute, out); math.Abs(out[0]-e.Height) > 1e-3 {
			t.Errorf("%v at %v", out[0], e)
		}
	}
	if len(events) < 20 {
		t.Errorf("only %d events", len(events))
	}
}
