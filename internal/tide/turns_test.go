package tide

import (
	"math"
	"testing"
	"time"
)

// exactTurns returns the turns of a curve by sampling its derivative every minute and
// bisecting, each year by its own function.
func exactTurns(c *Curve, from, to float64) []turn {
	var list []turn
	y := yearOf(from)
	_, before := c.exact(y, from)
	for t := from; t < to; t += 60 {
		if t+60 > y.end {
			y = yearOf(y.end)
		}
		_, after := c.exact(y, t+60)
		if (before > 0) != (after > 0) {
			a, b := t, t+60
			for range 40 {
				middle := (a + b) / 2
				if _, slope := c.exact(y, middle); (slope > 0) == (before > 0) {
					a = middle
				} else {
					b = middle
				}
			}
			h, _ := c.exact(y, a)
			list = append(list, turn{at: a, height: h, high: before > 0, origin: a, base: h})
		}
		before = after
	}
	return list
}

func TestTurns(t *testing.T) {
	from := float64(time.Date(2026, 11, 20, 7, 13, 0, 0, time.UTC).Unix())
	for name, constants := range map[string][]constant{"boston": boston, "dauphin": dauphin,
		"barbara": barbara, "knik": knik} {
		c := curveOf(constants)
		to := from + 50*86400 // beyond New Year
		got := newSurvey(from, to, c.grid, c.used).search(c, nil)
		want := exactTurns(c, from, to)
		if len(got) != len(want) {
			t.Errorf("%s: %d turns, want %d", name, len(got), len(want))
			continue
		}
		for i := range got {
			seconds, height := got[i].at-want[i].at, got[i].height-want[i].height
			if math.Abs(seconds) > 1 || math.Abs(height) > 2e-6 || got[i].high != want[i].high {
				t.Errorf("%s: turn %+v, want %+v", name, got[i], want[i])
			}
		}
	}
}

// Two constituents of nearly equal strength at the double frequency produce stands:
// places where a high and a low first appear.
func TestTurnsOfStands(t *testing.T) {
	m2, _ := Lookup("M2")
	m4, _ := Lookup("M4")
	m8, _ := Lookup("M8")
	for phase := 0.0; phase < 360; phase += 7 {
		c := NewCurve([]Harmonic{{m2, 1, 0}, {m4, 0.26, phase}, {m8, 0.01, 3 * phase}})
		got := newSurvey(1e9, 1e9+86400, c.grid, c.used).search(c, nil)
		if want := exactTurns(c, 1e9, 1e9+86400); len(got) != len(want) {
			t.Errorf("phase %v: %d turns, want %d", phase, len(got), len(want))
		}
	}
}

// A strip, a year and a request may begin at any instant: the turns are the same.
func TestTurnsAreLocal(t *testing.T) {
	c := curveOf(knik)
	start := newYearsDay(2027) - 40*86400
	all := newSurvey(start, start+80*86400, c.grid, c.used).search(c, nil)
	for i := range 200 {
		from := start + float64(i)*20000
		part := newSurvey(from, from+50000, c.grid, c.used).search(c, nil)
		for _, p := range part {
			found := false
			for _, a := range all {
				found = found || math.Abs(a.at-p.at) < 1e-5 && math.Abs(a.height-p.height) < 1e-9 &&
					a.high == p.high
			}
			if !found {
				t.Errorf("from %v: turn %+v is not among all", from, p)
			}
		}
	}
}

// The jump between two years is a turn if the slope changes its sign there. Some phases
// of K1 have their top between the two: u changes by half a degree, two minutes.
func TestNewYearTurn(t *testing.T) {
	k1, _ := Lookup("K1")
	newYear := newYearsDay(2027)
	old, young := yearOf(newYear-1), yearOf(newYear)
	jumps := 0
	for phase := 0.0; phase < 360; phase += 0.05 {
		c := NewCurve([]Harmonic{{k1, 1, phase}})
		list := newSurvey(newYear-2*86400, newYear+2*86400, c.grid, c.used).search(c, nil)
		for i, u := range list {
			if i > 0 && (u.high == list[i-1].high || u.at <= list[i-1].at) {
				t.Fatalf("phase %v: turns %+v and %+v", phase, list[i-1], u)
			}
			if u.at == newYear {
				jumps++
			}
		}
		_, before := c.exact(old, newYear)
		_, after := c.exact(young, newYear)
		if n := len(list); n < 8 || n > 9 {
			t.Errorf("phase %v: %d turns, slopes %v and %v", phase, n, before, after)
		}
	}
	if jumps == 0 {
		t.Error("no turn at the jump was found")
	}
}

func TestCell(t *testing.T) {
	// A polynomial of degree 11 is its own fit.
	var x [12]float64
	poly := func(y float64) float64 {
		return 3 - y +
			2*y*y - 0.5*math.Pow(y, 5)/100 + math.Pow(y, 10)/1e7
	}
	for i := range x {
		x[i] = poly(float64(i) - 5.5)
	}
	c := fit(&x)
	for y := -0.5; y <= 0.5; y += 0.125 {
		if got, want := c.value(y), poly(y); math.Abs(got-want) > 1e-10 {
			t.Errorf("value(%v) = %v, want %v", y, got, want)
		}
	}
	if got := c.peak(-0.5, 0.5, false); math.Abs(c.slope(got)) > 1e-6 || math.Abs(got-0.25) > 0.01 {
		t.Errorf("turn = %v with slope %v", got, c.slope(got))
	}
}
