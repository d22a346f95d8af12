package tide

import (
	"math"
	"sync/atomic"
	"time"
)

// Harmonic is one constituent of a station.
type Harmonic struct {
	Constituent int     // index in Constituents
	Amplitude   float64 // meters for tides, knots for currents
	Phase       float64 // Greenwich phase lag G, degrees, any number of turns
}

// Curve is the harmonic sum of one station, compiled for evaluation. It is
// immutable and may be shared by goroutines. Subordinate stations should share
// the Curve of their reference.
type Curve struct {
	groups []group
	used   int           // the constituents below this index may occur
	grid   time.Duration // step at which samples represent the whole curve
	coarse time.Duration // step at which cells represent it as far as spans need
}

// lanes is the number of constituents that are summed in parallel.
const lanes = 4

// group holds up to four constituents with H·cos G and H·sin G. Unused lanes hold zeros.
type group struct {
	index    [lanes]int
	cos, sin [lanes]float64
}

// NewCurve compiles a station's constants. It ignores constituents that do not exist and
// amplitudes or phases that are not finite. Without constants the curve is flat.
func NewCurve(harmonics []Harmonic) *Curve {
	c := new(Curve)
	lane := lanes
	for _, h := range harmonics {
		if !h.usable() {
			continue
		}
		if lane == lanes {
			c.groups, lane = append(c.groups, group{}), 0
		}
		g := &c.groups[len(c.groups)-1]
		sin, cos := math.Sincos(math.Mod(h.Phase, 360) * degree)
		g.index[lane], g.cos[lane], g.sin[lane] = h.Constituent, h.Amplitude*cos, h.Amplitude*sin
		c.used = max(c.used, h.Constituent+1)
		lane++
	}
	c.grid = gridFor(harmonics, taps, lagrangeError, tolerance)
	c.coarse = gridFor(harmonics, len(cell{}), cellError, coarseTolerance)
	return c
}

func (h Harmonic) usable() bool {
	return h.Constituent >= 0 && h.Constituent < count && h.Amplitude != 0 &&
		!math.IsNaN(h.Amplitude*h.Phase) && !math.IsInf(h.Amplitude*h.Phase, 0)
}

// At returns the sum at t: meters above mean sea level, or knots (flood positive) without
// the mean flow.
func (c *Curve) At(t time.Time) float64 {
	at := unix(t)
	value, _ := c.exact(yearOf(at), at)
	return value
}

// Rate returns the rate of change at t, per hour.
func (c *Curve) Rate(t time.Time) float64 {
	at := unix(t)
	_, slope := c.exact(yearOf(at), at)
	return slope * 3600
}

// exact returns the sum and its derivative per second at a Unix time, by the function of
// the year y, which may differ from the time's own year.
func (c *Curve) exact(y *year, at float64) (value, slope float64) {
	speeds := speeds()
	for i := range c.groups {
		g := &c.groups[i]
		for j, n := range g.index {
			sin, cos := math.Sincos(y.argument[n] + speeds[n]*(at-y.start))
			value += y.factor[n] * (g.cos[j]*cos + g.sin[j]*sin)
			slope += y.factor[n] * speeds[n] * (g.sin[j]*cos - g.cos[j]*sin)
		}
	}
	return value, slope
}

// taps is the number of grid samples that determine an interpolated value.
const taps = 10

// lagrangeError bounds the error of interpolation between the middle two of
// the taps for a cosine of amplitude 1, divided by the tenth power of the
// angle between samples: Π(0.5+k)²/10! for k from 0 to 4, raised by 5 % for
// node factors above 1.
const lagrangeError = 1.05 * (0.5 * 1.5 * 2.5 * 3.5 * 4.5) * (0.5 * 1.5 * 2.5 * 3.5 * 4.5) / 3628800

// cellError is the lagrangeError of a cell: its product for k from 0 to 5, divided by 12!.
const cellError = lagrangeError * (5.5 * 5.5) / (11 * 12)

// stretch is the number of grid samples that are computed at once.
const stretch = 1024

// tolerance bounds the error of interpolation in a series, coarseTolerance that of the
// level at the edge of a span: meters or knots.
const (
	tolerance       = 2e-6
	coarseTolerance = 1e-5
)

// gridFor returns the coarsest step of those below at which samples represent the curve of
// some harmonics. The fastest constituent turns by 60° at most, and the error of a
// polynomial through count samples is below the tolerance in the worst case. Most stations
// get 30 minutes, Anchorage with its twelfth-diurnal constituents fewer. weight is the
// error for a cosine of amplitude 1, divided by its angle to the power of count.
func gridFor(harmonics []Harmonic, count int, weight, tolerance float64) time.Duration {
	for _, minutes := range []time.Duration{30, 20, 15, 10} {
		if step := minutes * time.Minute; weight*spread(step, harmonics, count) <= tolerance {
			return step
		}
	}
	return 5 * time.Minute
}

// spread returns the sum of the amplitudes, each times a power of the angle that the
// constituent turns in a step. It is infinite if one of these angles exceeds 60°.
func spread(step time.Duration, harmonics []Harmonic, power int) float64 {
	speeds := speeds()
	sum := 0.0
	for _, h := range harmonics {
		if !h.usable() {
			continue
		}
		angle := speeds[h.Constituent] * step.Seconds()
		if angle > 60*degree {
			return math.Inf(1)
		}
		sum += math.Abs(h.Amplitude) * math.Pow(angle, float64(power))
	}
	return sum
}

// phasors holds f·cos(V+u) and f·sin(V+u) of the constituents at one instant.
type phasors struct{ cos, sin [count]float64 }

// set computes the phasors of the first n constituents at a Unix time.
func (p *phasors) set(y *year, at float64, n int) {
	speeds := speeds()
	for i := range n {
		sin, cos := math.Sincos(y.argument[i] + speeds[i]*(at-y.start))
		p.cos[i], p.sin[i] = cos*y.factor[i], sin*y.factor[i]
	}
}

// stride holds the changes of the phases over a step of some seconds.
type stride struct {
	seconds  float64
	cos, sin [count]float64
}

// strides caches recent strides: each step has one slot.
var strides [64]atomic.Pointer[stride]

// strideFor returns a stride of the first n constituents at least. Only strides of whole seconds
// recur.
func strideFor(seconds float64, n int) *stride {
	if seconds == math.Trunc(seconds) {
		return strideOf(seconds)
	}
	s := newStride(seconds, n)
	return &s
}

// strideOf returns the stride of some seconds.
func strideOf(seconds float64) *stride {
	place := &strides[uint(seconds/60)%uint(len(strides))]
	if s := place.Load(); s != nil && s.seconds == seconds {
		return s
	}
	s := newStride(seconds, count)
	place.Store(&s)
	return &s
}

// newStride returns a stride of the first n constituents.
func newStride(seconds float64, n int) stride {
	speeds := speeds()
	s := stride{seconds: seconds}
	for i := range n {
		s.sin[i], s.cos[i] = math.Sincos(speeds[i] * seconds)
	}
	return s
}

// sample fills out with the curve at the instant of p and at even steps after it. The
// recurrence loses about 1e-16·n² of the amplitude after n steps, so out should not be
// longer than a few thousand values.
func (c *Curve) sample(p *phasors, s *stride, out []float64) {
	clear(out)
	for i := range c.groups {
		g := &c.groups[i]
		var w wave
		for j, n := range g.index {
			x := g.cos[j]*p.cos[n] + g.sin[j]*p.sin[n]
			y := g.cos[j]*p.sin[n] - g.sin[j]*p.cos[n]
			w.now[j] = x
			w.last[j] = x*s.cos[n] + y*s.sin[n]
			w.twice[j] = 2 * s.cos[n]
		}
		w.add(out)
	}
}

// wave is the state of a group of constituents along the grid.
type wave struct{ now, last, twice [lanes]float64 }

// add adds the group to out by x₊ = 2cos(aΔ)·x − x₋. Each iteration takes two steps, so
// that now and last swap without a copy.
func (w *wave) add(out []float64) {
	a0, a1, a2, a3 := w.now[0], w.now[1], w.now[2], w.now[3]
	b0, b1, b2, b3 := w.last[0], w.last[1], w.last[2], w.last[3]
	k0, k1, k2, k3 := w.twice[0], w.twice[1], w.twice[2], w.twice[3]
	for len(out) >= 2 {
		out[0] += (a0 + a1) + (a2 + a3)
		b0, b1, b2, b3 = k0*a0-b0, k1*a1-b1, k2*a2-b2, k3*a3-b3
		out[1] += (b0 + b1) + (b2 + b3)
		a0, a1, a2, a3 = k0*b0-a0, k1*b1-a1, k2*b2-a2, k3*b3-a3
		out = out[2:]
	}
	if len(out) == 1 {
		out[0] += (a0 + a1) + (a2 + a3)
	}
}
