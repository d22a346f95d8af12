package sky

import (
	"math"
	"slices"
	"time"
)

// State reports on which side of an altitude a body stays through a whole span.
type State string

// The states. State is empty if the body crosses the altitude.
const (
	AlwaysUp   State = "always_up"
	AlwaysDown State = "always_down"
)

// Crossing lists the times when a body passes an altitude within a span. Each list is in
// order of time, UTC, never nil. Usually each has one time; none or two are possible.
// State is set only if both lists are empty.
type Crossing struct {
	Rise, Set []time.Time
	State     State
}

// above returns how long the body is above the altitude in [from, to). Rises and sets
// alternate, so the first event determines the state at the start.
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

// startsUp reports whether the body is above the altitude until the first event. Rises and sets
// alternate.
func (c Crossing) startsUp() bool {
	return len(c.Set) > 0 && (len(c.Rise) == 0 || c.Set[0].Before(c.Rise[0]))
}

// within returns the crossings in [from, to), a part of the span.
func (c Crossing) within(from, to time.Time) Crossing {
	part := Crossing{Rise: between(c.Rise, from, to), Set: between(c.Set, from, to), State: c.State}
	if part.State != "" || len(part.Rise)+len(part.Set) > 0 {
		return part
	}
	passed := firstFrom(c.Rise, from) + firstFrom(c.Set, from)
	part.State = AlwaysDown
	if c.startsUp() == (passed%2 == 0) {
		part.State = AlwaysUp
	}
	return part
}

// between returns the times in [from, to) of a list in order of time.
func between(list []time.Time, from, to time.Time) []time.Time {
	return list[firstFrom(list, from):firstFrom(list, to)]
}

// firstFrom returns the index of the first time that is not before t, in a list in order of time.
func firstFrom(list []time.Time, t time.Time) int {
	i, _ := slices.BinarySearchFunc(list, t, time.Time.Compare)
	return i
}

// threshold is an altitude in degrees, and the radius in km of the disc whose upper limb
// has to pass it: zero for the center.
type threshold struct{ altitude, radius float64 }

// clearance returns the degrees by which a body is above the threshold.
func (h threshold) clearance(altitude, distance float64) float64 {
	return altitude - h.altitude + degrees(math.Asin(h.radius/distance))
}

// point is a value of a curve at an instant.
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

// curve is smooth and, between two hours, has at most one turning point.
type curve func(instant) float64

// crossings returns the zeros of f in (a, b]: none, one, or two around a turning point.
func (f curve) crossings(a, b point) []crossing {
	if a.below() != b.below() {
		return []crossing{f.root(a, b)}
	}
	if top, ok := f.summit(a, b); ok {
		return []crossing{f.root(a, top), f.root(top, b)}
	}
	return nil
}

// root finds the zero between a and b, which lie on different sides, to a millisecond or
// 1e-7 degrees. It uses regula falsi with the Illinois modification. Dowell and Jarratt,
// A modified regula falsi method, BIT 11, 1971.
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

// narrow returns the half with the zero. It halves the value of an end that stays, so
// that the next step does not stall on it.
func narrow(a, m, b point) (point, point) {
	if m.below() == b.below() {
		a.y /= 2
		return a, m
	}
	b.y /= 2
	return m, b
}

// summit searches for a turning point between a and b that reaches the other side.
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

// climb narrows the bracket around the maximum of side*f by the golden section. It stops
// when it finds the other side, or when the turning point is known to 0.2 s and is not on
// it.
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
