package sky

import (
	"math"
	"time"
)

// State says how a body stays on one side of an altitude through a whole span.
type State string

// The states; empty where the body crosses.
const (
	AlwaysUp   State = "always_up"
	AlwaysDown State = "always_down"
)

// Crossing is when a body passes an altitude within a span, each list in order
// of time, UTC, never nil. Usually one time each; none or two are possible.
// State is set only where both lists are empty.
type Crossing struct {
	Rise, Set []time.Time
	State     State
}

// above is how long the body stands above the altitude in [from, to). Rises
// and sets alternate, so the first event tells how the span began.
func (c Crossing) above(from, to time.Time) time.Duration {
	if len(c.Rise)+len(c.Set) == 0 {
		if c.State == AlwaysDown {
			return 0
		}
		return max(to.Sub(from), 0)
	}
	sum := time.Duration(0)
	for _, t := range c.Set {
		sum += t.Sub(from)
	}
	for _, t := range c.Rise {
		sum -= t.Sub(from)
	}
	if len(c.Rise) > len(c.Set) || len(c.Rise) == len(c.Set) && c.Set[0].Before(c.Rise[0]) {
		sum += to.Sub(from) // up at the end
	}
	return sum
}

// threshold is an altitude that counts, in degrees, and the radius in km of
// the disc whose upper limb has to pass it: zero for the centre.
type threshold struct{ altitude, radius float64 }

// clearance is how far above the threshold a body stands, in degrees.
func (h threshold) clearance(altitude, distance float64) float64 {
	return altitude - h.altitude + degrees(math.Asin(h.radius/distance))
}

// point is a value of a curve.
type point struct {
	at instant
	y  float64
}

func (p point) below() bool { return p.y < 0 }

// crossing is a zero of a curve.
type crossing struct {
	at instant
	up bool
}

// curve is smooth and, between two hours, turns at most once.
type curve func(instant) float64

// crossings are the zeros of f in (a, b]: none, one, or two around a turn.
func (f curve) crossings(a, b point) []crossing {
	if a.below() != b.below() {
		return []crossing{f.root(a, b)}
	}
	if top, ok := f.summit(a, b); ok {
		return []crossing{f.root(a, top), f.root(top, b)}
	}
	return nil
}

// root closes in on the zero between a and b, which lie on different sides, to
// a millisecond or 1e-7 degrees: regula falsi in the Illinois manner. Dowell
// and Jarratt, A modified regula falsi method, BIT 11, 1971.
func (f curve) root(a, b point) crossing {
	const millisecond, flat = 1e-3 / 86400, 1e-7
	up := a.below()
	for b.at-a.at > millisecond {
		m := point{at: (a.at*instant(b.y) - b.at*instant(a.y)) / instant(b.y-a.y)}
		m.at = min(max(m.at, a.at), b.at)
		m.y = f(m.at)
		if math.Abs(m.y) < flat {
			return crossing{m.at, up}
		}
		a, b = narrow(a, m, b)
	}
	return crossing{b.at, up}
}

// narrow keeps the half with the zero and halves the value of an end that
// stays, so that the next step does not stall on it.
func narrow(a, m, b point) (point, point) {
	if m.below() == b.below() {
		a.y /= 2
		return a, m
	}
	b.y /= 2
	return m, b
}

// summit looks for a turn between a and b that reaches the other side.
func (f curve) summit(a, b point) (point, bool) {
	// The sky turns by 15 degrees an hour, so an altitude bends by at most
	// 15^2 * pi/180 = 4 degrees per hour squared near the horizon, and rises
	// above the nearer end of an hour by an eighth of that.
	const reach, step = 1.0, instant(1e-4) / 24
	side := 1.0
	if !a.below() {
		side = -1
	}
	if min(math.Abs(a.y), math.Abs(b.y)) > reach ||
		side*(f(a.at+step)-a.y) <= 0 || side*(b.y-f(b.at-step)) >= 0 {
		return point{}, false
	}
	return f.climb(side, a, b)
}

// climb narrows the bracket around the maximum of side*f by the golden section
// until it finds the other side, or knows the turn to 0.2 s and has not.
func (f curve) climb(side float64, a, b point) (point, bool) {
	const golden, narrow = 0.6180339887498949, 0.2 / 86400
	lo, hi := a.at, b.at
	c, d := f.point(hi-golden*(hi-lo)), f.point(lo+golden*(hi-lo))
	for hi-lo > narrow {
		if side*c.y > 0 || side*d.y > 0 {
			break
		}
		if side*c.y > side*d.y {
			hi, d = d.at, c
			c = f.point(hi - golden*(hi-lo))
		} else {
			lo, c = c.at, d
			d = f.point(lo + golden*(hi-lo))
		}
	}
	if c.below() != a.below() {
		return c, true
	}
	return d, d.below() != a.below()
}

func (f curve) point(at instant) point { return point{at, f(at)} }
