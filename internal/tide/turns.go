package tide

import (
	"math"
	"sync/atomic"
	"time"
)

// turn is an extremum of a station's curve.
type turn struct {
	at     float64 // Unix seconds, not rounded
	height float64 // metres or knots
	high   bool
	// The turn of the reference curve from which this one derives; the same instant and
	// height if there are no offsets.
	origin, base float64
}

// reach is the number of grid samples on either side of a cell that determine its
// polynomial.
const reach = 5

// margin is the number of samples that a strip has on either side of its
// cells: one more, for the slopes beyond a cell.
const margin = reach + 1

// strip is a row of grid cells of a year. The year is divided into strips at fixed places,
// and a survey takes the cells that it needs of one. A sample is always computed from the
// beginning of its strip, so that it has the same value in every request, to the last bit.
type strip struct {
	year    *year
	start   float64 // Unix time of the first cell
	cells   int
	skipped int // cells of the whole strip before the first
	phasors     // of the first sample of the whole strip
}

// most is the number of cells of a whole strip.
const most = stretch - 2*margin - 1

// block is the number of samples of a strip that one recurrence computes. A request begins
// with the block of its first sample, so shorter blocks compute fewer samples in vain.
const block = 32

// leaps caches the strides from the first sample of a strip to each of its blocks, by the
// minutes of the grid's step.
var leaps [31]atomic.Pointer[[stretch / block]stride]

// leapsOf returns the leaps of a grid with steps of some seconds, at most half an hour.
func leapsOf(seconds float64) *[stretch / block]stride {
	place := &leaps[int(seconds/60)]
	if l := place.Load(); l != nil {
		return l
	}
	l := new([stretch / block]stride)
	for i := range l {
		l[i] = newStride(float64(i*block) * seconds)
	}
	place.Store(l)
	return l
}

// samples fills buffer with the curve at the samples of the strip that its cells need, and
// returns them.
func (s *strip) samples(c *Curve, step *stride, buffer *[stretch]float64) []float64 {
	end := s.skipped + s.cells + 2*margin + 1
	first := s.skipped / block
	clear(buffer[first*block : end])
	leaps := leapsOf(step.seconds)
	for i := range c.groups {
		c.groups[i].sample(&s.phasors, leaps, step, first, buffer[:end])
	}
	return buffer[s.skipped:end]
}

// sample adds the group to the samples of a strip, from the block with the number first
// on. Each block restarts the recurrence.
func (g *group) sample(
	p *phasors, leaps *[stretch / block]stride, step *stride, first int, out []float64,
) {
	var x, y [lanes]float64
	for j, n := range g.index {
		x[j] = g.cos[j]*p.cos[n] + g.sin[j]*p.sin[n]
		y[j] = g.cos[j]*p.sin[n] - g.sin[j]*p.cos[n]
	}
	for k := first; k*block < len(out); k++ {
		var w wave
		leap := &leaps[k]
		for j, n := range g.index {
			cos := x[j]*leap.cos[n] - y[j]*leap.sin[n]
			sin := x[j]*leap.sin[n] + y[j]*leap.cos[n]
			w.now[j] = cos
			w.last[j] = cos*step.cos[n] + sin*step.sin[n]
			w.twice[j] = 2 * step.cos[n]
		}
		w.add(out[k*block : min((k+1)*block, len(out))])
	}
}

// survey lists the turns of curves between two instants. Curves with the same
// grid share its strips.
type survey struct {
	from, to float64 // Unix seconds; to is not part of it
	stride   *stride
	strips   []strip
}

// newSurvey prepares to search from one instant to another on a grid of some
// step, which must divide a day, for curves of the first n constituents.
func newSurvey(from, to float64, step time.Duration, n int) *survey {
	from, to = clamp(from, earliest, latest-1), clamp(to, earliest, latest-1)
	v := &survey{from: from, to: to, stride: strideOf(step.Seconds())}
	for from < to {
		y := yearOf(from)
		v.lay(y, from, min(to, y.end), n)
		from = y.end
	}
	return v
}

// lay covers a part of the year with strips.
func (v *survey) lay(y *year, from, to float64, n int) {
	step := v.stride.seconds
	first := int(math.Floor((from - y.start) / step))
	end := int(math.Ceil((to - y.start) / step))
	for first < end {
		skipped := first % most
		cells := min(end-first, most-skipped)
		v.strips = append(v.strips, strip{year: y, start: y.start + float64(first)*step,
			cells: cells, skipped: skipped})
		s := &v.strips[len(v.strips)-1]
		s.set(y, y.start+float64(first-skipped-margin)*step, n)
		first += cells
	}
}

// search appends the turns of the curve to list, in order of time.
func (v *survey) search(c *Curve, list []turn) []turn {
	if len(c.groups) == 0 {
		return list
	}
	var buffer [stretch]float64
	for i := range v.strips {
		s := &v.strips[i]
		list = v.scan(s, s.samples(c, v.stride, &buffer), list)
		if i+1 < len(v.strips) && v.strips[i+1].year != s.year {
			list = c.newYear(s.year, v.strips[i+1].year, list)
		}
	}
	return list
}

// newYear appends the turn at the jump between two years if the slope changes its sign
// there.
func (c *Curve) newYear(old, young *year, list []turn) []turn {
	_, before := c.exact(old, young.start)
	height, after := c.exact(young, young.start)
	if (before > 0) != (after > 0) {
		list = append(list, turn{at: young.start, height: height, high: before > 0, origin: young.start,
			base: height})
	}
	return list
}

// scan appends the turns within a strip. A cell has one if the slopes at its two samples
// differ in sign. If they do not, it may have two, a high and a low within half an hour.
// That requires slopes that are small against their differences to each other and to the
// slopes beyond. Each sample has one slope for the cells on both sides, so that no turn
// is lost or counted twice between them.
func (v *survey) scan(s *strip, x []float64, list []turn) []turn {
	before, left, right := slope(x), slope(x[1:]), slope(x[2:])
	for i := range s.cells {
		after := slope(x[i+3:])
		if (left > 0) != (right > 0) ||
			math.Abs(left) < math.Abs(left-before)+math.Abs(right-left)+math.Abs(after-right) {
			list = v.examine(s, i, x, left > 0, right > 0, list)
		}
		before, left, right = left, right, after
	}
	return list
}

// examine appends the turns in cell i, given whether the curve rises at its two samples.
func (v *survey) examine(s *strip, i int, x []float64, rising, rises bool, list []turn) []turn {
	near := (*[2*reach + 2]float64)(x[i+margin-reach:])
	if !bent(near) {
		if rising == rises {
			return list
		}
		c := fit(near)
		return v.root(s, i, &c, -0.5, 0.5, rising, list)
	}
	// The slope itself may have a turn in the cell: search between its turns.
	c := fit(near)
	from := -0.5
	for _, to := range c.bends() {
		up := rises
		if to < 0.5 {
			up = c.slope(to) > 0
		}
		if up != rising {
			list = v.root(s, i, &c, from, to, rising, list)
		}
		rising, from = up, to
	}
	return list
}

// root appends the turn of cell i that lies between a and b.
func (v *survey) root(s *strip, i int, c *cell, a, b float64, high bool, list []turn) []turn {
	x := c.turn(a, b, high)
	at := v.at(s, i, x)
	if at < max(v.from, s.year.start) || at >= min(v.to, s.year.end) {
		return list
	}
	h := c.value(x)
	return append(list, turn{at: at, height: h, high: high, origin: at, base: h})
}

// at returns the Unix time of a place in cell i of the strip. It does not depend on where
// the strip begins: the start of the cell is a whole number.
func (v *survey) at(s *strip, i int, place float64) float64 {
	return s.start + float64(i)*v.stride.seconds + (0.5+place)*v.stride.seconds
}

// slope returns the derivative, times the step and 1260, at the sample x[reach]: the
// central difference of tenth order.
func slope(x []float64) float64 {
	_ = x[2*reach]
	return 1050*(x[6]-x[4]) - 300*(x[7]-x[3]) + 75*(x[8]-x[2]) - 12.5*(x[9]-x[1]) + (x[10] - x[0])
}

// bent reports whether the slope may turn between the middle two samples:
// whether the second differences about them differ in sign.
func bent(x *[2*reach + 2]float64) bool {
	up, down := 0, 0
	for i := reach - 2; i <= reach+1; i++ {
		if d := x[i] - 2*x[i+1] + x[i+2]; d > 0 {
			up++
		} else {
			down++
		}
	}
	return up > 0 && down > 0
}

// cell is the polynomial of degree 11 through the twelve samples around one
// grid cell, as coefficients of powers of the place: −½ at the sample to its
// left, ½ to its right.
type cell [2*reach + 2]float64

// cellError is the lagrangeError of a cell: its product for k from 0 to 5, divided by 12!.
const cellError = lagrangeError * (5.5 * 5.5) / (11 * 12)

// fit returns the polynomial through the samples. The sum of a pair that is symmetric
// about the middle gives the even coefficients, the difference the odd ones, by the same
// matrix.
func fit(x *[2*reach + 2]float64) (c cell) {
	var even, odd [reach + 1]float64
	for j := range even {
		left, right := x[reach-j], x[reach+1+j]
		even[j] = (right + left) / 2
		odd[j] = (right - left) / float64(2*j+1)
	}
	for k := range symmetric {
		w := &symmetric[k]
		c[2*k] = (w[0]*even[0] + w[1]*even[1] + w[2]*even[2]) + (w[3]*even[3] + w[4]*even[4] +
			w[5]*even[5])
		c[2*k+1] = (w[0]*odd[0] + w[1]*odd[1] + w[2]*odd[2]) + (w[3]*odd[3] + w[4]*odd[4] + w[5]*odd[5])
	}
	return c
}

// symmetric inverts the matrix of the powers of z = y² at y = ½, 3/2, ..., 11/2.
var symmetric = invertPowers()

// invertPowers holds in column j the coefficients of the polynomial in z that
// is 1 at the jth place and 0 at the others.
func invertPowers() (m [reach + 1][reach + 1]float64) {
	place := func(j int) float64 { return (float64(j) + 0.5) * (float64(j) + 0.5) }
	for j := range m {
		poly := [reach + 2]float64{1}
		for i := range m {
			if i == j {
				continue
			}
			scale := 1 / (place(j) - place(i))
			for k := reach + 1; k >= 0; k-- {
				poly[k] *= -place(i) * scale
				if k > 0 {
					poly[k] += poly[k-1] * scale
				}
			}
		}
		for k := range m {
			m[k][j] = poly[k]
		}
	}
	return m
}

// value returns the height at y.
func (c *cell) value(y float64) float64 {
	return c[0] + y*(c[1]+y*(c[2]+y*(c[3]+y*(c[4]+y*(c[5]+
		y*(c[6]+y*(c[7]+y*(c[8]+y*(c[9]+y*(c[10]+y*(c[11])))))))))))
}

// slope returns the first derivative by y.
func (c *cell) slope(y float64) float64 {
	return c[1] + y*(2*c[2]+y*(3*c[3]+y*(4*c[4]+y*(5*c[5]+y*(6*c[6]+
		y*(7*c[7]+y*(8*c[8]+y*(9*c[9]+y*(10*c[10]+y*(11*c[11]))))))))))
}

// curvature returns the second derivative by y.
func (c *cell) curvature(y float64) float64 {
	return 2*c[2] + y*(6*c[3]+y*(12*c[4]+y*(20*c[5]+y*(30*c[6]+y*(42*c[7]+
		y*(56*c[8]+y*(72*c[9]+y*(90*c[10]+y*(110*c[11])))))))))
}

// turn returns the place between a and b where the slope vanishes, by Newton's method
// limited to the bounds. high means that the curve rises at a.
func (c *cell) turn(a, b float64, high bool) float64 {
	y := clamp(-c[1]/(2*c[2]), a, b) // of the parabola
	if math.IsNaN(y) {
		y = (a + b) / 2
	}
	for range 60 {
		s := c.slope(y)
		if (s > 0) == high {
			a = y
		} else {
			b = y
		}
		step := s / c.curvature(y)
		switch to := y - step; {
		case math.Abs(step) < 1e-5: // 18 ms in 30 minutes; the remaining error is about its square
			return clamp(to, a, b)
		case to > a && to < b:
			y = to
		default:
			y = (a + b) / 2
		}
		if b-a < 1e-9 {
			break
		}
	}
	return y
}

// turns returns the places inside the cell where the curve turns. change is a bound of the
// second derivative: where the slopes at the ends exceed it, there are none.
func (c *cell) turns(change float64) (places []float64) {
	from, rising, rises := -0.5, c.slope(-0.5), c.slope(0.5)
	if min(rising, rises) > change || max(rising, rises) < -change {
		return nil
	}
	for _, to := range c.bends() {
		slope := c.slope(to)
		if (slope > 0) != (rising > 0) {
			places = append(places, c.turn(from, to, rising > 0))
		}
		from, rising = to, slope
	}
	return places
}

// crossing returns the place between a and b where the curve passes a level, to a few
// milliseconds, by Newton's method limited to the bounds. It must be monotonic there;
// rises reports the direction.
func (c *cell) crossing(a, b, level float64, rises bool) float64 {
	v, w := c.value(a), c.value(b)
	y := clamp(a+(b-a)*(level-v)/(w-v), a, b)
	if math.IsNaN(y) {
		y = (a + b) / 2
	}
	for range 60 {
		off := c.value(y) - level
		if (off > 0) == rises {
			b = y
		} else {
			a = y
		}
		step := off / c.slope(y)
		switch to := y - step; {
		case math.Abs(step) < 1e-6: // 2 ms in 30 minutes
			return clamp(to, a, b)
		case to > a && to < b:
			y = to
		default:
			y = (a + b) / 2
		}
		if b-a < 1e-9 {
			break
		}
	}
	return y
}

// bends returns the places where the slope has a turn, and the end of the cell.
func (c *cell) bends() []float64 {
	var list []float64
	const parts = 8
	before := c.curvature(-0.5)
	for i := 1; i <= parts; i++ {
		end := float64(i)/parts - 0.5
		after := c.curvature(end)
		if (before > 0) != (after > 0) {
			list = append(list, c.bend(end-1.0/parts, end))
		}
		before = after
	}
	return append(list, 0.5)
}

// bend returns the place between a and b where the curvature changes its sign, by
// bisection.
func (c *cell) bend(a, b float64) float64 {
	convex := c.curvature(a) > 0
	for range 40 {
		middle := (a + b) / 2
		if (c.curvature(middle) > 0) == convex {
			a = middle
		} else {
			b = middle
		}
	}
	return b
}
