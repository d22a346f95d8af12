package chart

import "math"

// spline is a smooth curve near points at equal steps of x: cubics that meet at knots. All widths
// are in tenths of a unit, in which paths are written, so that knots have no error in x, where a
// curve may be steep.
type spline struct {
	points   []point
	from, to int
	width    int // of each segment but the last; control points are at thirds of it
}

// Numbers of points in a segment: with which the search begins, and below which the corners of a
// line need fewer bytes. Ours.
const (
	mostInSegment  = 24
	leastInSegment = 6
)

// splineOf returns the spline with the widest segments found that is within a tolerance of points
// at equal steps. It reports false if lines are shorter, as for curves with bends or noise.
func splineOf(p []point, tolerance float64) (s spline, ok bool) {
	if len(p) < leastInSegment {
		return s, false
	}
	s = spline{points: p, from: inTenths(p[0].x), to: inTenths(p[len(p)-1].x)}
	thirds := func(points float64) int { return int(points * s.step() * 10 / 3) }
	least := max(thirds(leastInSegment), 1)
	for n := thirds(mostInSegment); n >= least; n -= 1 + n/16 {
		if s.width = 3 * n; s.fits(tolerance) {
			return s, true
		}
	}
	return s, false
}

// step returns the distance of the points, in units.
func (s *spline) step() float64 { return s.points[1].x - s.points[0].x }

// knot is an end of a segment, with the slope of the curve.
type knot struct {
	point
	slope float64
}

// segments returns the number of segments.
func (s *spline) segments() int { return (s.to - s.from + s.width - 1) / s.width }

// knot returns the start of a segment, or the end of the last one.
func (s *spline) knot(n int) knot {
	x := float64(min(s.from+n*s.width, s.to)) / 10
	at := min(max((x-s.points[0].x)/s.step(), 0), float64(len(s.points)-1))
	i := min(int(at), len(s.points)-2)
	from, to, part := s.slope(i), s.slope(i+1), at-float64(i)
	y := hermite(s.points[i].y, s.points[i+1].y, from, to, part)
	return knot{point{x, y}, (from + part*(to-from)) / s.step()}
}

// slope returns the change of y per step at a point: of the line with the least squares through
// five points, of fewer close to the ends.
func (s *spline) slope(i int) float64 {
	y := func(k int) float64 { return s.points[k].y }
	switch last := len(s.points) - 1; i {
	case 0:
		return (-3*y(0) + 4*y(1) - y(2)) / 2
	case last:
		return (3*y(last) - 4*y(last-1) + y(last-2)) / 2
	case 1, last - 1:
		return (y(i+1) - y(i-1)) / 2
	}
	return (2*(y(i+2)-y(i-2)) + y(i+1) - y(i-1)) / 10
}

// fits reports whether all points are within a tolerance of the spline.
func (s *spline) fits(tolerance float64) bool {
	rest := s.points
	a := s.knot(0)
	for n := range s.segments() {
		b := s.knot(n + 1)
		width := b.x - a.x
		for len(rest) > 0 && rest[0].x <= b.x {
			y := hermite(a.y, b.y, width*a.slope, width*b.slope, (rest[0].x-a.x)/width)
			if math.Abs(y-rest[0].y) > tolerance {
				return false
			}
			rest = rest[1:]
		}
		a = b
	}
	return true
}

// hermite returns the value, at a part t of the way from one end to the other, of the cubic with
// these values and slopes at its ends.
func hermite(a, b, slopeA, slopeB, t float64) float64 {
	u := 1 - t
	return u*u*(a*(1+2*t)+slopeA*t) + t*t*(b*(1+2*u)-slopeB*u)
}

// appendTo appends the spline to a path that ends at its first point.
func (s *spline) appendTo(p *pathData) {
	a, before := s.knot(0), 0.0 // before is the width of the segment before
	for n := range s.segments() {
		b := s.knot(n + 1)
		width := b.x - a.x
		control := point{b.x - width/3, b.y - b.slope*width/3}
		if math.Abs(width-before) < 0.01 {
			p.smooth(control, b.point)
		} else {
			p.cubic(point{a.x + width/3, a.y + a.slope*width/3}, control, b.point)
		}
		a, before = b, width
	}
}
