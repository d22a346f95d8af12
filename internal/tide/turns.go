package tide

import (
	"math"
	"sync/atomic"
	"time"
)

// turn is an extremum of a station's curve.
type turn struct {
	at     float64 // Unix seconds, not rounded
	height float64 // meters or knots
	high   bool
	// The turn of the reference curve from which this one derives; the same instant and
	// height if there are no offsets.
	origin, base float64
}

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

// wholeStrip is the number of cells of a whole strip.
const wholeStrip = stretch - 2*margin - 1

// block is the number of samples of a strip that one recurrence computes. A request begins
// with the block of its first sample, so shorter blocks compute fewer unneeded samples.
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
		l[i] = newStride(float64(i*block)*seconds, count)
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
		skipped := first % wholeStrip
		cells := min(end-first, wholeStrip-skipped)
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
// That requires slopes that are small compared with their differences from each other
// and from the slopes beyond. Each sample has one slope for the cells on both sides, so
// that no turn is lost or counted twice between them.
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
	x := c.peak(a, b, high)
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
