package tide

import (
	"math"
	"time"
)

// Span is a half-open interval of time, [From, To), in UTC. Its ends are not rounded.
type Span struct{ From, To time.Time }

// Below returns the spans of [from, to) in which the height is at or below level (meters
// above the datum), in order of time, disjoint and never empty. The heights are the ones
// that Heights returns, including the close pairs that Extremes omits. At an end the
// height is the level, within 0.1 mm at a reference station and 1 mm at a subordinate
// one, unless the end is from, to or a jump at New Year. The search ends 400 years after
// from.
func (t Tides) Below(from, to time.Time, level float64) []Span {
	return spansOf(from, to, true, func(start, end float64, visit visitor) {
		t.follow(start, end, band{math.Inf(-1), level}, visit)
	})
}

// Above returns the spans in which the height is at or above level. They have the
// properties that Below describes; together, the two partition [from, to).
func (t Tides) Above(from, to time.Time, level float64) []Span {
	return spansOf(from, to, false, func(start, end float64, visit visitor) {
		t.follow(start, end, band{math.Inf(-1), level}, visit)
	})
}

// AtMost returns the spans of [from, to) in which the speed, of flood or ebb, is at most
// speed (knots), in order of time, disjoint and never empty. The velocities are the ones
// that Velocities returns. The time around a slack is one span. The search ends 400
// years after from.
func (c Currents) AtMost(from, to time.Time, speed float64) []Span {
	return spansOf(from, to, true, func(start, end float64, visit visitor) {
		c.follow(start, end, upTo(speed), visit)
	})
}

// AtLeast returns the spans in which the speed is at least speed. They have the
// properties that AtMost describes; together, the two partition [from, to). A span has
// one direction if speed is positive.
func (c Currents) AtLeast(from, to time.Time, speed float64) []Span {
	return spansOf(from, to, false, func(start, end float64, visit visitor) {
		c.follow(start, end, upTo(speed), visit)
	})
}

// Ebbs returns the spans of [from, to) in which the velocity is 0 or of the ebb. They have the
// properties that AtMost describes, with an edge at each slack.
func (c Currents) Ebbs(from, to time.Time) []Span {
	return spansOf(from, to, true, func(start, end float64, visit visitor) {
		c.follow(start, end, band{math.Inf(-1), 0}, visit)
	})
}

// Floods returns the spans in which the velocity is of the flood. Together with Ebbs, they
// partition [from, to).
func (c Currents) Floods(from, to time.Time) []Span {
	return spansOf(from, to, false, func(start, end float64, visit visitor) {
		c.follow(start, end, band{math.Inf(-1), 0}, visit)
	})
}

// upTo returns the velocities of at most a speed.
func upTo(speed float64) band { return band{-max(speed, 0), max(speed, 0)} }

// spansOf returns the spans of [from, to) in which a value is inside its band, or outside.
// follow visits the state at start and every change before end.
func spansOf(
	from, to time.Time, inside bool, follow func(start, end float64, visit visitor),
) []Span {
	first, last := unix(from), unix(to)
	last = min(last, first+longest)
	c := changes{start: first}
	const part = 366 * 86400 // bounds the samples and events needed at once
	for start := first; start < last; start += part {
		follow(start, min(start+part, last), c.visit)
	}
	spans := []Span{}
	begin, state := from.UTC(), c.initial
	for _, at := range c.list {
		if state == inside {
			spans = append(spans, Span{begin, instantAt(at)})
		}
		begin, state = instantAt(at), !state
	}
	if end := instantAt(last); state == inside && first < last {
		if last == unix(to) {
			end = to.UTC()
		}
		spans = append(spans, Span{begin, end})
	}
	return spans
}

// instantAt returns a Unix time that is not rounded to the minute.
func instantAt(at float64) time.Time {
	second := math.Floor(at)
	return time.Unix(int64(second), int64((at-second)*1e9)).UTC()
}

// brief is the time in seconds below which a pair of changes is ignored. A turn that only
// touches the level makes such pairs, by the last bits of its height.
const brief = 1

// changes collects the changes of a state.
type changes struct {
	start   float64
	initial bool      // the state at start
	list    []float64 // Unix times at which the state changes to the other one
}

// visit implements visitor.
func (c *changes) visit(at float64, inside bool) {
	n := len(c.list)
	switch current := c.initial != (n%2 == 1); {
	case at == c.start:
		c.initial = inside
	case inside == current:
	case n > 0 && at-c.list[n-1] < brief:
		c.list = c.list[:n-1]
	default:
		c.list = append(c.list, at)
	}
}

// follow visits the states of the height.
func (t Tides) follow(start, end float64, b band, visit visitor) {
	if t.Offsets != nil {
		t.followEvents(start, end, b, visit)
		return
	}
	newReader(t.Curve, start, end).follow(start, end, b.minus(t.Level), visit)
}

// followEvents implements follow for a subordinate station, whose heights are interpolated
// between its events.
func (t Tides) followEvents(start, end float64, b band, visit visitor) {
	list := t.around(start, end)
	if len(list) == 0 {
		visit(start, b.holds(t.undisturbed()))
		return
	}
	first, last := list[0], list[0]
	for _, u := range list {
		first.origin, last.origin = min(first.origin, u.origin), max(last.origin, u.origin)
	}
	r := newReader(t.Curve, first.origin, last.origin)
	visit = visit.within(start, end)
	visit(start, b.holds(first.height)) // until the first event, if that is after start
	for i := 1; i < len(list); i++ {
		if list[i].at > start && list[i-1].at < end {
			t.followPair(r, list[i-1], list[i], b, visit)
		}
	}
}

// followPair visits the states between two events. The states come from the reference's
// curve, in the band that corresponds to b there, or from a half cosine.
func (t Tides) followPair(r *reader, from, to turn, b band, visit visitor) {
	switch {
	case b.holds(from.height) == b.holds(to.height): // and so at all heights between them
		visit(from.at, b.holds(from.height))
	case shaped(from, to):
		scale := (to.base - from.base) / (to.height - from.height)
		b = b.mapped(func(height float64) float64 { return from.base + (height-from.height)*scale })
		stretch := (to.at - from.at) / (to.origin - from.origin)
		r.follow(from.origin, to.origin, b, func(at float64, inside bool) {
			visit(from.at+(at-from.origin)*stretch, inside)
		})
	default:
		b.ease(from.at, to.at, from.height, to.height, visit)
	}
}

// follow visits the states of the velocity. The band includes 0.
func (c Currents) follow(start, end float64, b band, visit visitor) {
	if c.Offsets != nil {
		c.followEvents(start, end, b, visit)
		return
	}
	newReader(c.Curve, start, end).follow(start, end, b.minus(c.Mean), visit)
}

// followEvents implements follow for a subordinate station, whose velocities are
// interpolated between its events.
func (c Currents) followEvents(start, end float64, b band, visit visitor) {
	of := band{-quotient(-b.low, c.Offsets.EbbRatio), quotient(b.high, c.Offsets.FloodRatio)}
	of = of.minus(c.Mean)
	list := c.around(start, end)
	first, last := start, end
	for _, d := range list {
		first, last = min(first, d.origin), max(last, d.origin)
	}
	r := newReader(c.Curve, first, last)
	visit = visit.within(start, end)
	if len(list) == 0 {
		r.follow(start, end, of, visit)
		return
	}
	r.follow(start, list[0].at, of, visit) // the ends of the supported range
	for i := 1; i < len(list); i++ {
		from, to := list[i-1], list[i]
		switch stretch := (to.at - from.at) / (to.origin - from.origin); {
		case to.at <= start || from.at >= end:
		case stretch > 0:
			r.follow(from.origin, to.origin, of, func(at float64, inside bool) {
				visit(from.at+(at-from.origin)*stretch, inside)
			})
		case to.at > from.at:
			b.ease(from.at, to.at, from.velocity, to.velocity, visit)
		}
	}
	r.follow(list[len(list)-1].at, end, of, visit)
}

// quotient returns the reference's speed at which a subordinate station has some speed. A
// ratio of 0 makes every speed 0.
func quotient(speed, ratio float64) float64 {
	if ratio == 0 {
		return math.Inf(1)
	}
	return speed / ratio
}
