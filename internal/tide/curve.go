package tide

import (
	"math"
	"time"
)

// Harmonic is one constituent of a station.
type Harmonic struct {
	Constituent int     // index in Constituents
	Amplitude   float64 // metres for tides, knots for currents
	Phase       float64 // Greenwich phase lag G, degrees, any number of turns
}

// Curve is the harmonic sum of one station, compiled for evaluation. It is
// immutable and may be shared by goroutines. Subordinate stations should share
// the Curve of their reference.
type Curve struct {
	groups []group
	used   int           // the constituents below this index may occur
	grid   time.Duration // samples at this step carry the whole curve
}

// lanes is the number of constituents that are summed side by side.
const lanes = 4

// group is some constituents with H·cos G and H·sin G. Free lanes hold zeros.
type group struct {
	index    [lanes]int
	cos, sin [lanes]float64
}

// NewCurve compiles a station's constants. Constituents that do not exist and
// amplitudes or phases that are not finite are left out. Without any constants
// the curve is flat.
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
	c.grid = gridFor(harmonics)
	return c
}

func (h Harmonic) usable() bool {
	return h.Constituent >= 0 && h.Constituent < count && h.Amplitude != 0 &&
		!math.IsNaN(h.Amplitude*h.Phase) && !math.IsInf(h.Amplitude*h.Phase, 0)
}

// At is the sum at t: metres above mean sea level, or knots (flood positive)
// without the mean flow.
func (c *Curve) At(t time.Time) float64 {
	at := unix(t)
	value, _ := c.exact(yearOf(at), at)
	return value
}

// Rate is the rate of change at t, per hour.
func (c *Curve) Rate(t time.Time) float64 {
	at := unix(t)
	_, slope := c.exact(yearOf(at), at)
	return slope * 3600
}

// exact is the sum and its derivative per second at a Unix time, by the
// function of the year y, which may be another one than the time's own.
func (c *Curve) exact(y *year, at float64) (value, slope float64) {
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
