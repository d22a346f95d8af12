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

// condition is a condition whose spans are searched and then verified by the series.
type condition struct {
	station  int
	own      bool // predicted from its own constants
	from, to time.Time
	level    float64
	tides    tide.Tides    // of a tide station
	currents tide.Currents // of a current station
	spans    func(from, to time.Time) []tide.Span
	opposite func(from, to time.Time) []tide.Span
	// excess returns by how much the values at even steps violate the condition, in meters
	// or knots: negative values satisfy it.
	excess func(from time.Time, step time.Duration, out []float64)
}

// tolerance is the allowed error of a value at an edge.
func (c condition) tolerance() float64 {
	if c.own {
		return 1e-4
	}
	return 1e-3
}

// randomTimes returns a span of up to 20 days within some years. One in four contains a
// New Year.
func randomTimes(random *rand.Rand) (from, to time.Time) {
	from = time.Unix(random.Int64N(20*365*86400)+1577836800, random.Int64N(1e9)).UTC()
	if random.IntN(4) == 0 {
		from = time.Date(2020+random.IntN(20), 12, 31, 24, 0, 0, 0, time.UTC).Add(
			-time.Duration(random.Int64N(6 * 86400e9)))
	}
	return from, from.Add(time.Duration(random.Int64N(20 * 86400e9)))
}

// tideConditions yields the test cases: random stations, spans, sides and levels that the
// tide usually reaches in that span.
func tideConditions(t *testing.T, seed uint64, check func(t *testing.T, c condition)) {
	all := allTides(t)
	random := rand.New(rand.NewPCG(seed, 1))
	order := random.Perm(len(all))
	for n := range trials.Cases() {
		i := order[n%len(all)]
		from, to := randomTimes(random)
		p := all[i]
		c := condition{station: i, own: p.Offsets == nil, from: from, to: to, tides: p}
		c.level = someHeight(random, p, from, to)
		below, above := p.Below, p.Above
		sign := 1.0
		if random.IntN(2) == 0 {
			below, above, sign = above, below, -1
		}
		c.spans = func(from, to time.Time) []tide.Span { return below(from, to, c.level) }
		c.opposite = func(from, to time.Time) []tide.Span { return above(from, to, c.level) }
		c.excess = func(from time.Time, step time.Duration, out []float64) {
			p.Heights(from, step, out)
			for i := range out {
				out[i] = sign * (out[i] - c.level)
			}
		}
		check(t, c)
	}
}

func someHeight(random *rand.Rand, p tide.Tides, from, to time.Time) float64 {
	var at [1]float64
	p.Heights(from.Add(time.Duration(random.Float64()*float64(to.Sub(from)))), time.Second, at[:])
	switch random.IntN(8) {
	case 0:
		at[0] += 3 * (random.Float64() - 0.5)
	case 1: // exactly an event's
		if events := p.Extremes(from, to); len(events) > 0 {
			at[0] = events[random.IntN(len(events))].Height
		}
	}
	return at[0]
}

// currentConditions yields the same for speeds.
func currentConditions(t *testing.T, seed uint64, check func(t *testing.T, c condition)) {
	all := allCurrents(t)
	random := rand.New(rand.NewPCG(seed, 2))
	order := random.Perm(len(all))
	for n := range trials.Cases() {
		i := order[n%len(all)]
		from, to := randomTimes(random)
		p := all[i]
		c := condition{station: i, own: p.Offsets == nil, from: from, to: to, currents: p}
		c.level = math.Abs(random.NormFloat64())
		most, least := p.AtMost, p.AtLeast
		sign := 1.0
		if random.IntN(2) == 0 {
			most, least, sign = least, most, -1
		}
		c.spans = func(from, to time.Time) []tide.Span { return most(from, to, c.level) }
		c.opposite = func(from, to time.Time) []tide.Span { return least(from, to, c.level) }
		c.excess = func(from time.Time, step time.Duration, out []float64) {
			p.Velocities(from, step, out)
			for i := range out {
				out[i] = sign * (math.Abs(out[i]) - c.level)
			}
		}
		if random.IntN(4) == 0 {
			c.ofPhase(random.IntN(2) == 0)
		}
		check(t, c)
	}
}

// ofPhase changes the condition of a current station to a phase.
func (c *condition) ofPhase(flood bool) {
	p := c.currents
	c.level, c.spans, c.opposite = 0, p.Ebbs, p.Floods
	sign := 1.0
	if flood {
		c.spans, c.opposite, sign = p.Floods, p.Ebbs, -1
	}
	c.excess = func(from time.Time, step time.Duration, out []float64) {
		p.Velocities(from, step, out)
		for i := range out {
			out[i] *= sign
		}
	}
}

// TestSpanEdges checks that the value at an edge is the level, or jumps over it, and that
// the spans are in order, not empty, disjoint and inside the requested interval.
func TestSpanEdges(t *testing.T) {
	tideConditions(t, 21, edges)
	currentConditions(t, 22, edges)
}

func edges(t *testing.T, c condition) {
	end := c.from
	for i, s := range c.spans(c.from, c.to) {
		if s.From.Before(end) || i > 0 && !s.From.After(end) || !s.To.After(s.From) || s.To.After(c.to) {
			t.Errorf("station %d, level %v: span %v after %v, in %v to %v", c.station, c.level, s, end,
				c.from, c.to)
		}
		end = s.To
		for _, at := range []time.Time{s.From, s.To} {
			if at.Equal(c.from) || at.Equal(c.to) {
				continue
			}
			const moment = 100 * time.Millisecond
			var around [3]float64
			c.excess(at.Add(-moment), moment, around[:])
			jumps := (around[0] > 0) != (around[2] > 0) && math.Abs(around[2]-around[0]) > 1e-3
			if !jumps && math.Abs(around[1]) > c.tolerance() {
				t.Errorf("station %d, own %v: %v from the level %v at %v", c.station, c.own, around,
					c.level, at)
			}
		}
	}
}

// TestSpansHold checks each minute: inside a span the condition holds, outside it does not.
func TestSpansHold(t *testing.T) {
	each := func(t *testing.T, c condition) { c.holds(t, time.Minute) }
	tideConditions(t, 23, each)
	currentConditions(t, 24, each)
}

// TestShortSpans checks every fifth second at levels near two turns that are less than half
// an hour apart, where both edges of a span, or all of it, are in one cell of the grid.
func TestShortSpans(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 1))
	all := allTides(t)
	pairs := 0
	for i := 0; pairs < trials.Cases()/10; i++ {
		p := all[i%len(all)]
		from := winter.AddDate(0, 0, 40*(i/len(all)))
		turns := p.Curve.Turns(from, from.AddDate(0, 0, 40))
		for k := 1; k < len(turns) && p.Offsets == nil; k++ {
			a, b := turns[k-1], turns[k]
			if b.At-a.At > 1800 {
				continue
			}
			pairs++
			c := condition{station: i % len(all), own: true, tides: p}
			c.from = time.Unix(int64(a.At)-3600, 0).UTC()
			c.to = time.Unix(int64(b.At)+3600, 0).UTC()
			c.level = p.Level + a.Height + (b.Height-a.Height)*(1.2*random.Float64()-0.1)
			c.spans = func(from, to time.Time) []tide.Span { return p.Below(from, to, c.level) }
			c.excess = func(from time.Time, step time.Duration, out []float64) {
				p.Heights(from, step, out)
				for i := range out {
					out[i] -= c.level
				}
			}
			c.holds(t, 5*time.Second)
		}
	}
}

// holds compares the spans with the values at even steps, except for those so close to the
// level that the interpolation of the two can differ.
func (c condition) holds(t *testing.T, step time.Duration) {
	t.Helper()
	close := 1.2e-5 // the tolerances of both
	if !c.own {
		close = 1e-4
	}
	first := c.from.Truncate(step).Add(step)
	excess := make([]float64, max(0, c.to.Sub(first)/step))
	c.excess(first, step, excess)
	spans := c.spans(c.from, c.to)
	for n, e := range excess {
		at := first.Add(time.Duration(n) * step)
		for len(spans) > 0 && !spans[0].To.After(at) {
			spans = spans[1:]
		}
		inside := len(spans) > 0 && !spans[0].From.After(at)
		if inside && e > close || !inside && e < -close {
			t.Fatalf("station %d, own %v, level %v: inside is %v at %v, which violates the condition by %v",
				c.station, c.own, c.level, inside, at, e)
		}
	}
}

// TestSpansNest checks that the spans of a level lie in those of a higher one.
func TestSpansNest(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 1))
	tideConditions(t, 35, func(t *testing.T, c condition) {
		narrow := c.tides.Below(c.from, c.to, c.level)
		nested(t, c, narrow, c.tides.Below(c.from, c.to, c.level+0.2*random.Float64()))
	})
	currentConditions(t, 36, func(t *testing.T, c condition) {
		narrow := c.currents.AtMost(c.from, c.to, c.level)
		nested(t, c, narrow, c.currents.AtMost(c.from, c.to, c.level+0.2*random.Float64()))
	})
}

func nested(t *testing.T, c condition, narrow, wide []tide.Span) {
	t.Helper()
	for _, s := range narrow {
		if !slices.ContainsFunc(wide, func(w tide.Span) bool {
			return !w.From.After(s.From.Add(time.Second)) && !w.To.Before(s.To.Add(-time.Second))
		}) {
			t.Errorf("station %d: %v at %v is in no span of a higher level, %v", c.station, s, c.level, wide)
		}
	}
}

// TestSpansOfEvents checks that each low water below the level is in a span, and each high
// water above it in a span of the opposite condition; and at stations with constants of
// their own that each whole span has a turn.
func TestSpansOfEvents(t *testing.T) {
	tideConditions(t, 37, func(t *testing.T, c condition) {
		below, above := c.tides.Below(c.from, c.to, c.level), c.tides.Above(c.from, c.to, c.level)
		for _, e := range c.tides.Extremes(c.from.Add(time.Minute), c.to.Add(-time.Minute)) {
			within := below
			if e.High {
				within = above
			}
			beyond := math.Abs(e.Height-c.level) > 1e-3 && (e.Height > c.level) == e.High
			if beyond && spansAt(within, e.Time) != 1 {
				t.Errorf("station %d, level %v: %v is not in one of %v", c.station, c.level, e, within)
			}
		}
		if !c.own {
			return
		}
		for _, s := range slices.Concat(below, above) {
			cut := s.From.Equal(c.from) || s.To.Equal(c.to)
			jump := s.From.YearDay() == 1 && s.From.Equal(s.From.Truncate(24*time.Hour)) ||
				s.To.YearDay() == 1 && s.To.Equal(s.To.Truncate(24*time.Hour))
			if !cut && !jump && len(c.tides.Curve.Turns(s.From, s.To)) == 0 {
				t.Errorf("station %d, level %v: no turn in %v", c.station, c.level, s)
			}
		}
	})
}

// TestSpansOfSlacks checks that each slack is in one span of any speed that is not weak, and
// that a span of a greater speed has one direction.
func TestSpansOfSlacks(t *testing.T) {
	currentConditions(t, 38, func(t *testing.T, c condition) {
		speed := max(c.level, tide.Weak)
		within := c.currents.AtMost(c.from, c.to, speed)
		for _, e := range c.currents.Events(c.from.Add(time.Minute), c.to.Add(-time.Minute)) {
			if e.Phase == tide.Slack && spansAt(within, e.Time) != 1 {
				t.Errorf("currents %d, %v kn: %v is not in one of %v", c.station, speed, e, within)
			}
		}
		for _, s := range c.currents.AtLeast(c.from, c.to, speed) {
			velocities := make([]float64, 40)
			c.currents.Velocities(s.From, s.To.Sub(s.From)/40, velocities)
			if slices.Min(velocities) < 0 && slices.Max(velocities) > 0 {
				t.Errorf("currents %d, %v kn: flood and ebb in %v", c.station, speed, s)
			}
		}
	})
}

// spansAt returns the number of spans within half a minute of a published minute.
func spansAt(spans []tide.Span, minute time.Time) (n int) {
	for _, s := range spans {
		if s.From.Before(minute.Add(31*time.Second)) && s.To.After(minute.Add(-31*time.Second)) {
			n++
		}
	}
	return n
}

// TestSpansComplement checks that a condition and its opposite divide the time exactly.
func TestSpansComplement(t *testing.T) {
	tideConditions(t, 25, complement)
	currentConditions(t, 26, complement)
}

func complement(t *testing.T, c condition) {
	all := append(c.spans(c.from, c.to), c.opposite(c.from, c.to)...)
	slices.SortFunc(all, func(a, b tide.Span) int { return a.From.Compare(b.From) })
	at := c.from
	for _, s := range all {
		if s.From.Sub(at).Abs() > time.Second {
			t.Errorf("station %d, level %v: %v follows %v", c.station, c.level, s, at)
		}
		at = s.To
	}
	if len(all) > 0 && !at.Equal(c.to) || len(all) == 0 && c.to.After(c.from) {
		t.Errorf("station %d, level %v: %v ends before %v", c.station, c.level, all, c.to)
	}
}

// TestSpansAreLocal checks that the spans of a part of an interval are the spans of the
// whole, clipped to that part.
func TestSpansAreLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 1))
	local := func(t *testing.T, c condition) {
		whole := c.spans(c.from, c.to)
		a := time.Duration(random.Float64() * float64(c.to.Sub(c.from)))
		b := time.Duration(random.Float64() * float64(c.to.Sub(c.from)))
		from, to := c.from.Add(min(a, b)), c.from.Add(max(a, b))
		if got, want := c.spans(from, to), clip(whole, from, to); !slices.Equal(got, want) {
			t.Errorf("station %d, level %v: %v to %v: %v, want %v", c.station, c.level, from, to, got, want)
		}
	}
	tideConditions(t, 28, local)
	currentConditions(t, 29, local)
}

func clip(spans []tide.Span, from, to time.Time) []tide.Span {
	part := []tide.Span{}
	for _, s := range spans {
		if s.From.Before(from) {
			s.From = from
		}
		if s.To.After(to) {
			s.To = to
		}
		if s.To.After(s.From) {
			part = append(part, s)
		}
	}
	return part
}
