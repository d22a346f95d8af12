package tide

import (
	"math"
	"time"
)

// Velocities fills out with signed velocities (knots, flood positive) at from,
// from+step, ... At a station with its own constants they are within 2e-6
// knots of the sum. Subordinate stations, for which NOAA publishes no series,
// are interpolated between their own events, and pass through each of them,
// except that a listed slack without a zero crossing keeps its weak velocity.
func (c Currents) Velocities(from time.Time, step time.Duration, out []float64) {
	forward(from, step, out, func(start, step float64, out []float64) {
		if c.Offsets != nil {
			inChunks(start, step, out, c.interpolate)
			return
		}
		c.reference(start, step, out)
	})
}

// reference fills out with the velocity of the curve.
func (c Currents) reference(start, step float64, out []float64) {
	c.Curve.series(start, step, out)
	for i := range out {
		out[i] += c.Mean
	}
}

// interpolate fills out for a subordinate station.
func (c Currents) interpolate(start, step float64, out []float64) {
	list := c.around(start, start+step*float64(len(out)-1))
	for i, k := 0, 0; i < len(out); {
		at := start + float64(i)*step
		for k < len(list) && list[k].at <= at {
			k++
		}
		if k == 0 || k == len(list) { // no tides, or the ends of time
			out[i] = c.scale(c.at(clamp(at, earliest, latest-1)))
			i++
			continue
		}
		n := samplesUntil(list[k].at, at, step, len(out)-i)
		c.between(list[k-1], list[k], at, step, out[i:i+n])
		i += n
	}
}

// around are the events from one before start at the latest to one after end.
func (c Currents) around(start, end float64) []drift {
	var list []drift
	for margin := 86400.0; margin < 1000*86400; margin *= 4 {
		list = c.drifts(start-margin, end+margin)
		if n := len(list); len(c.Curve.groups) == 0 || n > 0 && list[0].at <= start && list[n-1].at > end {
			break
		}
	}
	return list
}

// between fills out between two events with the reference's velocities
// between the two events that they stem from, stretched in time and scaled by
// the ratio of the phase. Where the offsets have turned the order of the two
// events, a half cosine joins their velocities.
func (c Currents) between(a, b drift, at, step float64, out []float64) {
	stretch := (b.origin - a.origin) / (b.at - a.at)
	if !(stretch > 0) {
		for i := range out {
			part := (1 - math.Cos(math.Pi*(at+float64(i)*step-a.at)/(b.at-a.at))) / 2
			out[i] = a.velocity + part*(b.velocity-a.velocity)
		}
		return
	}
	c.reference(a.origin+(at-a.at)*stretch, step*stretch, out)
	for i := range out {
		out[i] = c.scale(out[i])
	}
}

// scale turns a velocity of the reference into one of the station.
func (c Currents) scale(velocity float64) float64 {
	switch {
	case c.Offsets == nil:
		return velocity
	case velocity > 0:
		return velocity * c.Offsets.FloodRatio
	}
	return velocity * c.Offsets.EbbRatio
}
