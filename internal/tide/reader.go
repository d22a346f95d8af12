package tide

import (
	"math"
)

// band is a range of values, both ends included.
type band struct{ low, high float64 }

func (b band) holds(v float64) bool { return v >= b.low && v <= b.high }

func (b band) minus(v float64) band { return band{b.low - v, b.high - v} }

// mapped returns the band of f's values, where f is linear.
func (b band) mapped(f func(float64) float64) band {
	low, high := f(b.low), f(b.high)
	return band{min(low, high), max(low, high)}
}

// parts reports whether an end of the band lies between two values, or closer to one of
// them than some distance.
func (b band) parts(v, w, distance float64) bool {
	return (v < b.low) != (w < b.low) || (v > b.high) != (w > b.high) ||
		min(math.Abs(v-b.low), math.Abs(w-b.low), math.Abs(v-b.high), math.Abs(w-b.high)) < distance
}

// pass calls cross for each end of the band that a value passes on its way from v to w, in
// order, with the state after it.
func (b band) pass(v, w float64, cross func(end float64, inside bool)) {
	low, high := (v < b.low) != (w < b.low), (v > b.high) != (w > b.high)
	rises := v < w
	if rises && low {
		cross(b.low, true)
	}
	if high {
		cross(b.high, !rises)
	}
	if !rises && low {
		cross(b.low, false)
	}
}

// visitor receives whether a value is in its band from a Unix time on. Times do not
// decrease from call to call.
type visitor func(at float64, inside bool)

// within returns a visitor that moves times before start to it and ignores those from end
// on.
func (v visitor) within(start, end float64) visitor {
	return func(at float64, inside bool) {
		if at < end {
			v(max(at, start), inside)
		}
	}
}

// ease visits the states of a half cosine from v at one time to w at another.
func (b band) ease(from, to, v, w float64, visit visitor) {
	visit(from, b.holds(v))
	b.pass(v, w, func(end float64, inside bool) {
		part := (end - v) / (w - v)
		visit(from+math.Acos(1-2*part)/math.Pi*(to-from), inside)
	})
}

// reader evaluates a curve between two instants by the cells of a survey. They are coarser
// than those in which turns are searched: a cell may have several turns.
type reader struct {
	*survey
	curve  *Curve
	strip  int       // the one that was sampled last; −1 for none
	x      []float64 // its samples
	buffer [stretch]float64
}

func newReader(c *Curve, from, to float64) *reader {
	return &reader{survey: newSurvey(from, to, c.coarse, c.used), curve: c, strip: -1}
}

// follow visits the state of the curve at from and its changes until to, exactly as they
// would be visited in a longer interval. The ends of strips are edges if the state changes
// there, which happens at New Year.
func (r *reader) follow(from, to float64, b band, visit visitor) {
	visit = visit.within(from, to)
	for i := r.find(from); i < len(r.strips) && r.strips[i].start < to; i++ {
		s := &r.strips[i]
		if i != r.strip {
			r.strip, r.x = i, s.samples(r.curve, r.stride, &r.buffer)
		}
		first := int(clamp((from-s.start)/r.stride.seconds, 0, float64(s.cells-1)))
		end := int(min(math.Ceil((to-s.start)/r.stride.seconds), float64(s.cells)))
		visit(r.at(s, first, -0.5), b.holds(r.x[first+margin]))
		r.cells(s, first, end, b, visit)
	}
}

// find returns the strip that contains an instant, the first or the last if none does.
func (r *reader) find(at float64) int {
	i := max(r.strip, 0)
	for i > 0 && r.strips[i].start > at {
		i--
	}
	for i+1 < len(r.strips) && r.strips[i+1].start <= at {
		i++
	}
	return i
}

// cells visits the changes in some cells of a strip. A cell may have a change if the band
// ends between its two samples, or so close to one that a turn can reach it. A turn rises
// above both by about an eighth of the second difference. The sum of four second
// differences bounds it, even where the curve is straight at the two samples.
func (r *reader) cells(s *strip, first, end int, b band, visit visitor) {
	x := r.x[first+margin-2:]
	d0, d1, d2 := secondDifference(x), secondDifference(x[1:]), secondDifference(x[2:])
	for i := first; i < end; i++ {
		d3 := secondDifference(x[3:])
		if bends := d0 + d1 + d2 + d3; b.parts(x[2], x[3], bends/8) {
			r.cell(s, i, bends, b, visit)
		}
		d0, d1, d2, x = d1, d2, d3, x[1:]
	}
}

// secondDifference returns the absolute second difference at the second of three
// samples.
func secondDifference(x []float64) float64 { return math.Abs(x[0] - 2*x[1] + x[2]) }

// cell visits the changes in cell i, between its turns, given a bound of its bends.
func (r *reader) cell(s *strip, i int, bends float64, b band, visit visitor) {
	near := (*[2*reach + 2]float64)(r.x[i+margin-reach:])
	c := fit(near)
	place, value := -0.5, near[reach]
	to := func(end, reached float64) {
		b.pass(value, reached, func(level float64, inside bool) {
			visit(r.at(s, i, c.crossing(place, end, level, value < reached)), inside)
		})
		place, value = end, reached
	}
	for _, turn := range c.turns(bends) {
		to(turn, c.value(turn))
	}
	to(0.5, near[reach+1])
}
