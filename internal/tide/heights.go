package tide

import (
	"math"
	"time"
)

// Heights fills out with the heights (meters above the datum) at from, from+step, ... At
// a reference station they agree with NOAA's to within 2e-6 m plus NOAA's own rounding.
// Subordinate stations, for which NOAA publishes no series, are interpolated between
// their own high and low waters, and pass through each of them.
func (t Tides) Heights(from time.Time, step time.Duration, out []float64) {
	forward(from, step, out, func(start, step float64, out []float64) {
		if t.Offsets != nil {
			inChunks(start, step, out, t.interpolate)
			return
		}
		t.Curve.series(start, step, out)
		for i := range out {
			out[i] += t.Level
		}
	})
}

// interpolate fills out for a subordinate station.
func (t Tides) interpolate(start, step float64, out []float64) {
	list := t.around(start, start+step*float64(len(out)-1))
	if len(list) == 0 {
		for i := range out {
			out[i] = t.undisturbed()
		}
		return
	}
	for i, k := 0, 0; i < len(out); {
		at := start + float64(i)*step
		for k < len(list) && list[k].at <= at {
			k++
		}
		if k == 0 || k == len(list) { // no event before or after: only at the ends of the supported range
			out[i] = list[min(k, len(list)-1)].height
			i++
			continue
		}
		n := samplesUntil(list[k].at, at, step, len(out)-i)
		t.between(list[k-1], list[k], at, step, out[i:i+n])
		i += n
	}
}

// between fills out between two events of a subordinate station: time and height of the
// reference's curve are stretched linearly. The heights never leave the range between the
// two events. The reference's curve may leave it, where a close pair was removed in
// between.
func (t Tides) between(a, b turn, at, step float64, out []float64) {
	stretch := (b.origin - a.origin) / (b.at - a.at)
	rise := b.base - a.base
	shaped := shaped(a, b)
	if shaped {
		t.Curve.series(a.origin+(at-a.at)*stretch, step*stretch, out)
	}
	for i := range out {
		var part float64
		if shaped {
			part = clamp((out[i]-a.base)/rise, 0, 1)
		} else {
			part = (1 - math.Cos(math.Pi*(at+float64(i)*step-a.at)/(b.at-a.at))) / 2
		}
		out[i] = a.height + part*(b.height-a.height)
	}
}
