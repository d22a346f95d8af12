package tide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"leadline/internal/tide"
	"leadline/internal/trials"
)

// winter is the start of the period of the property tests, which contains a New Year.
var winter = time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC)

// within returns the events of list from one minute to another.
func within[E any](list []E, at func(E) time.Time, from, to time.Time) []E {
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool {
		return at(e).Before(from) || at(e).After(to)
	})
}

// randomSpan returns a span of up to four days within 30 days of winter, in odd seconds.
func randomSpan(random *rand.Rand) (from, to time.Time) {
	from = winter.Add(time.Duration(random.Int64N(25 * 86400e9)))
	return from, from.Add(time.Duration(random.Int64N(4 * 86400e9)))
}

// unsampled reports whether a run of few cases leaves out an element of a long list: it checks one
// in every.
func unsampled(i, every int) bool { return !trials.Thorough() && i%every != 0 }

// At every station, a span has the same events as any longer span that contains it; a run of few
// cases checks every fifth station.
// That includes stations with three turns close together, spans across a New Year, and
// offsets that change the order of events.
func TestExtremesAreLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	timeOf := func(e tide.Extreme) time.Time { return e.Time }
	for i, p := range allTides(t) {
		if unsampled(i, 5) {
			continue
		}
		all := p.Extremes(winter.AddDate(0, 0, -5), winter.AddDate(0, 0, 35))
		for range 4 {
			from, to := randomSpan(random)
			got, want := p.Extremes(from, to), within(all, timeOf, from, to)
			if !slices.EqualFunc(got, want, sameExtreme) {
				t.Errorf("tides %d (%v), %v to %v: %v, want %v", i, p.Offsets, from, to, got, want)
			}
		}
	}
}

func sameExtreme(a, b tide.Extreme) bool {
	return a.Time.Equal(b.Time) && a.High == b.High && math.Abs(a.Height-b.Height) < 1e-9
}

// These are the stations with chains: three or more turns less than two hours apart from
// the next within a year.
func TestChainsAreLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	chains := 0
	for _, p := range allTides(t) {
		if p.Offsets != nil || chains == 200 {
			continue
		}
		list := p.Curve.Turns(winter.AddDate(-1, 0, 0), winter)
		for i := 2; i < len(list) && chains < 200; i++ {
			if list[i].At-list[i-1].At > 7200 || list[i-1].At-list[i-2].At > 7200 {
				continue
			}
			chains++
			middle := time.Unix(int64(list[i-1].At), 0)
			all := p.Extremes(middle.AddDate(0, 0, -9), middle.AddDate(0, 0, 9))
			for range 4 {
				from := middle.Add(time.Duration(random.Int64N(12*3600e9) - 6*3600e9))
				to := from.Add(time.Duration(random.Int64N(24 * 3600e9)))
				want := within(all, func(e tide.Extreme) time.Time { return e.Time }, from, to)
				if got := p.Extremes(from, to); !slices.EqualFunc(got, want, sameExtreme) {
					t.Errorf("%v to %v: %v, want %v", from, to, got, want)
				}
			}
			i += 8
		}
	}
	if chains < 20 {
		t.Errorf("only %d chains were found", chains)
	}
}

func TestEventsAreLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i, p := range allCurrents(t) {
		if i%4 != 0 || unsampled(i, 5) {
			continue
		}
		all := p.Events(winter.AddDate(0, 0, -2), winter.AddDate(0, 0, 32))
		for range 3 {
			from, to := randomSpan(random)
			got, want := p.Events(from, to),
				within(all, func(e tide.CurrentEvent) time.Time { return e.Time }, from, to)
			if !slices.EqualFunc(got, want, sameEvent) {
				t.Errorf("currents %d (%v), %v to %v: %v, want %v", i, p.Offsets, from, to, got, want)
			}
		}
	}
}

// The result for pairs of slacks an hour apart and closer does not depend on where a span
// begins: pairs and chains of three of NOAA's stations.
func TestSlackPairsAreLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, at := range []struct {
		station string
		slack   time.Time
	}{
		{"PUG1725", time.Date(2027, 6, 7, 11, 30, 0, 0, time.UTC)},
		{"SEA1006", time.Date(2027, 1, 17, 4, 7, 0, 0, time.UTC)},
		{"COI0303", time.Date(2027, 5, 28, 8, 27, 0, 0, time.UTC)},
		{"CAB1413", time.Date(2027, 6, 18, 2, 26, 0, 0, time.UTC)},
		{"ACT8411", time.Date(2027, 6, 22, 12, 34, 0, 0, time.UTC)},
	} {
		c := current(t, at.station)
		all := c.Events(at.slack.AddDate(0, 0, -3), at.slack.AddDate(0, 0, 3))
		for range trials.Cases() / 5 {
			from := at.slack.Add(time.Duration(random.Int64N(8*3600e9) - 4*3600e9))
			to := from.Add(time.Duration(random.Int64N(8 * 3600e9)))
			want := within(all, func(e tide.CurrentEvent) time.Time { return e.Time }, from, to)
			if got := c.Events(from, to); !slices.EqualFunc(got, want, sameEvent) {
				t.Fatalf("%s, %v to %v: %v, want %v", at.station, from, to, got, want)
			}
		}
	}
}

func sameEvent(a, b tide.CurrentEvent) bool {
	return a.Time.Equal(b.Time) && a.Phase == b.Phase && a.Next == b.Next && a.Min == b.Min &&
		math.Abs(a.Velocity-b.Velocity) < 1e-9
}

// These rules apply at every station: order, and two hours or 0.1 ft between a high and a
// low water. At stations with their own constants highs and lows alternate, each high
// above the lows on both sides.
func TestExtremesEverywhere(t *testing.T) {
	all := allTides(t)
	pairs := 0
	for i, station := range all {
		list, own := station.Extremes(winter, winter.AddDate(0, 0, 30)), station.Offsets == nil
		if len(list) < 20 {
			t.Errorf("station %d has %d events in 30 days", i, len(list))
		}
		for k := 1; k < len(list); k++ {
			a, b := list[k-1], list[k]
			soon := b.Time.Sub(a.Time) < 2*time.Hour-time.Minute
			if soon && a.High != b.High && math.Abs(a.Height-b.Height) < 0.03048-1e-9 {
				t.Errorf("station %d: %v and %v", i, a, b)
			}
			if soon {
				pairs++
			}
			newYear := a.Time.Year() != b.Time.Year()
			if own && !newYear && (a.High == b.High || a.High != (a.Height > b.Height)) {
				t.Errorf("station %d: %+v, then %+v", i, a, b)
			}
		}
	}
	if pairs < 100 {
		t.Errorf("only %d pairs less than two hours apart are listed", pairs)
	}
}

// A series of a subordinate station passes through each of its events, stays between
// them, and does not depend on where it begins.
func TestSubordinateHeights(t *testing.T) {
	for i, p := range allTides(t) {
		if p.Offsets == nil || i%9 != 0 || unsampled(i, 4) {
			continue
		}
		events := p.Extremes(winter, winter.AddDate(0, 0, 30))
		series := make([]float64, 30*240)
		p.Heights(winter, 6*time.Minute, series)
		for k := 1; k < len(events); k++ {
			a, b := events[k-1], events[k]
			var at [1]float64
			p.Heights(a.Time, time.Minute, at[:])
			if math.Abs(at[0]-a.Height) > 0.002 {
				t.Errorf("station %d: %v at the event %+v", i, at[0], a)
			}
			low, high := min(a.Height, b.Height)-1e-9, max(a.Height, b.Height)+1e-9
			const step = 6 * time.Minute
			n := int(a.Time.Sub(winter)/step) + 1
			for ; winter.Add(time.Duration(n) * step).Before(b.Time.Add(-time.Minute)); n++ {
				if h := series[n]; !(h >= low && h <= high) &&
					winter.Add(time.Duration(n)*step).After(a.Time.Add(time.Minute)) {
					t.Fatalf("station %d: %v between %+v and %+v", i, h, a, b)
				}
			}
		}
		part := make([]float64, 100)
		p.Heights(winter.Add(500*6*time.Minute), 6*time.Minute, part)
		for n := range part {
			if math.Abs(part[n]-series[500+n]) > 1e-5 {
				t.Fatalf("station %d: %v, from an earlier start %v", i, part[n], series[500+n])
			}
		}
	}
}

func TestSubordinateVelocities(t *testing.T) {
	for i, p := range allCurrents(t) {
		if p.Offsets == nil || i%11 != 0 || unsampled(i, 4) {
			continue
		}
		series := make([]float64, 10*240)
		p.Velocities(winter, 6*time.Minute, series)
		for n, v := range series {
			if math.IsNaN(v) || math.Abs(v) > 20 {
				t.Fatalf("currents %d: %v at sample %d", i, v, n)
			}
		}
		for _, e := range p.Events(winter, winter.AddDate(0, 0, 10)) {
			var at [1]float64
			p.Velocities(e.Time, time.Minute, at[:])
			if math.Abs(at[0]-e.Velocity) > 0.1 { // half a minute of the fastest currents
				t.Errorf("currents %d: %v at the event %+v", i, at[0], e)
			}
		}
	}
}

// Events of currents everywhere: slacks and extrema are in order, floods and ebbs below
// 0.1 kn absent. A slack's velocity is near zero, at subordinate stations 0.
func TestEventsEverywhere(t *testing.T) {
	for i, p := range allCurrents(t) {
		if i%3 != 0 || unsampled(i, 4) {
			continue
		}
		events := p.Events(winter, winter.AddDate(0, 0, 10))
		for k, e := range events {
			switch {
			case k > 0 && e.Time.Before(events[k-1].Time):
				t.Errorf("currents %d: %+v after %+v", i, e, events[k-1])
			case (e.Phase == tide.Slack) != (e.Next != ""):
				t.Errorf("currents %d: %+v", i, e)
			case e.Phase == tide.Slack && math.Abs(e.Velocity) > tide.Weak:
				t.Errorf("currents %d: slack with %v kn", i, e.Velocity)
			case e.Phase != tide.Slack && e.Velocity == 0 && unrated(p.Offsets):
			case e.Phase != tide.Slack && math.Abs(e.Velocity) < tide.Weak:
				t.Errorf("currents %d: weak %+v", i, e)
			case e.Phase != tide.Slack && (e.Velocity > 0) != (e.Phase == tide.Flood):
				t.Errorf("currents %d: %+v", i, e)
			case p.Offsets != nil && e.Phase == tide.Slack && e.Velocity != 0:
				t.Errorf("currents %d: %+v", i, e)
			}
		}
	}
}

// unrated reports whether NOAA publishes no strength of floods or ebbs.
func unrated(o *tide.CurrentOffsets) bool {
	return o != nil && (o.FloodRatio == 0 || o.EbbRatio == 0)
}

// The fast series matches the exact sum at every station.
func TestHeightsEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	out := make([]float64, 3*240)
	worst := 0.0
	for i, p := range allTides(t) {
		if p.Offsets != nil {
			continue
		}
		from := winter.AddDate(0, 0, random.IntN(25))
		p.Heights(from, 6*time.Minute, out)
		for range 60 {
			n := random.IntN(len(out))
			want := p.Level + p.Curve.At(from.Add(time.Duration(n)*6*time.Minute))
			worst = max(worst, math.Abs(out[n]-want))
			if math.Abs(out[n]-want) > 2e-6 {
				t.Errorf("station %d, sample %d: %v, want %v", i, n, out[n], want)
			}
		}
	}
	t.Logf("worst %.2g m", worst)
}

// TestNoRipples checks the law of the lists of currents over two months, at one station in 50 or at
// all, in the time of the reference: no two neighbors of one phase lie within the hour, and a
// second greatest speed of a phase follows only a relaxation, or one that is not listed because it
// came within the hour. So no three of one phase follow each other without one of these two
// reasons.
func TestNoRipples(t *testing.T) {
	spring := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	checked, alone := 0, 0
	for i, p := range allCurrents(t) {
		if unsampled(i, 50) {
			continue
		}
		checked++
		events := p.Listed(spring, spring.AddDate(0, 2, 0))
		for k := 1; k < len(events); k++ {
			a, b := events[k-1], events[k]
			if a.Phase != b.Phase {
				continue
			}
			if apart := b.Origin.Sub(a.Origin); apart < time.Hour {
				t.Errorf("currents %d: %+v and %+v, %v apart", i, a, b, apart)
			}
			if a.Phase != tide.Slack && !a.Min && !b.Min {
				alone++
				if !a.Alone {
					t.Errorf("currents %d: %+v and %+v without a relaxation between them", i, a, b)
				}
			}
		}
	}
	if checked < 50 || alone < 5 {
		t.Errorf("%d stations were checked and %d omitted relaxations, want at least 50 and 5",
			checked, alone)
	}
}
