package tide

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// series fills out with the curve at a Unix time and at even steps (seconds, positive) after it.
func (c *Curve) series(start, step float64, out []float64) {
	for i := 0; i < len(out); {
		at := start + float64(i)*step
		if at < earliest || at >= latest || step > 6*3600 {
			out[i], _ = c.exact(yearOf(clamp(at, earliest, latest-1)), clamp(at, earliest, latest-1))
			i++
			continue
		}
		y := yearOf(at)
		n := int(min(math.Ceil((y.end-at)/step), float64(len(out)-i)))
		c.within(y, at, step, out[i:i+max(n, 1)])
		i += max(n, 1)
	}
}

// within implements series within one year. It samples every kth instant and
// interpolates between the samples. The samples are at whole steps from the beginning of
// the year, so that an instant has the same value in every series that contains it.
// Instants off the grid are summed one by one.
func (c *Curve) within(y *year, start, step float64, out []float64) {
	k := int(clamp(c.grid.Seconds()/step, 1, finest))
	steps := (start - y.start) / step
	if k == 1 || steps != math.Trunc(steps) {
		c.direct(y, start, step, out)
		return
	}
	coarse := strideOf(float64(k) * step)
	weights := lagrange(k)
	const cells = stretch - taps
	var p phasors
	var grid [stretch]float64
	skip := int(math.Mod(steps, float64(k))) // values of the first cell that lie before start
	start -= float64(skip) * step
	for len(out) > 0 {
		n := min((skip+len(out)+k-1)/k, cells)
		p.set(y, start-(taps/2-1)*coarse.seconds, c.used)
		c.sample(&p, coarse, grid[:n+taps])
		m := min(len(out), n*k-skip)
		interpolate(out[:m], grid[:n+taps], weights, skip)
		out, skip = out[m:], 0
		start += float64(n) * coarse.seconds
	}
}

// direct does the same as within, but without interpolation.
func (c *Curve) direct(y *year, start, step float64, out []float64) {
	s := strideFor(step, c.used)
	var p phasors
	for i := 0; i < len(out); i += stretch {
		p.set(y, start+float64(i)*step, c.used)
		c.sample(&p, s, out[i:min(i+stretch, len(out))])
	}
}

// finest is the largest number of values in one cell of the grid.
const finest = 60

// lagranges caches the computed weights, by k.
var lagranges [finest + 1]atomic.Pointer[[][taps]float64]

// lagrange returns the weights of the taps at p/k of the way between the middle two, for
// p from 0 to k−1.
func lagrange(k int) [][taps]float64 {
	if w := lagranges[k].Load(); w != nil {
		return *w
	}
	weights := make([][taps]float64, k)
	for p := range weights {
		x := float64(p)/float64(k) + taps/2 - 1
		for i := range taps {
			w := 1.0
			for j := range taps {
				if j != i {
					w *= (x - float64(j)) / float64(i-j)
				}
			}
			weights[p][i] = w
		}
	}
	lagranges[k].Store(&weights)
	return weights
}

// interpolate fills out, len(weights) values for each cell of the grid. It skips the
// first values of the first cell.
func interpolate(out, grid []float64, weights [][taps]float64, skip int) {
	for ws := weights[skip:]; len(out) > 0; ws = weights {
		v := (*[taps]float64)(grid)
		v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8],
			v[9]
		cell := out[:min(len(ws), len(out))]
		for p := 0; p < len(cell) && p < len(ws); p++ {
			w := &ws[p]
			cell[p] = ((w[0]*v0 + w[1]*v1) + (w[2]*v2 + w[3]*v3)) +
				((w[4]*v4 + w[5]*v5) + (w[6]*v6 + w[7]*v7)) + (w[8]*v8 + w[9]*v9)
		}
		out, grid = out[len(cell):], grid[1:]
	}
}

// forward converts a request for a series to a positive step, so that fill computes the
// samples in order of time.
func forward(
	from time.Time, step time.Duration, out []float64, fill func(start, step float64, out []float64),
) {
	switch {
	case len(out) == 0:
	case step == 0:
		fill(unix(from), 1, out[:1])
		for i := range out {
			out[i] = out[0]
		}
	case step < 0:
		first := unix(from) + step.Seconds()*float64(len(out)-1)
		fill(first, -step.Seconds(), out)
		slices.Reverse(out)
	default:
		fill(unix(from), step.Seconds(), out)
	}
}

// inChunks calls fill for parts of a series that last at most a year, or one
// sample, so that the events needed at once are bounded.
func inChunks(start, step float64, out []float64, fill func(start, step float64, out []float64)) {
	most := int(clamp(366*86400/step, 1, 1<<30))
	for i := 0; i < len(out); i += most {
		fill(start+float64(i)*step, step, out[i:min(i+most, len(out))])
	}
}

// samplesUntil returns the number of samples from at on that lie before end, from 1 to
// most.
func samplesUntil(end, at, step float64, most int) int {
	return int(clamp(math.Ceil((end-at)/step), 1, float64(most)))
}
