package sky

import "time"

// SunDay holds the sun's events in a span (a civil day of 23 to 25 hours).
type SunDay struct {
	Sun          Crossing // upper limb on the horizon, with 34' of refraction
	Civil        Crossing // center at -6 degrees, without refraction, as in all fields below
	Nautical     Crossing // center at -12 degrees
	Astronomical Crossing // center at -18 degrees
	GoldenUpper  Crossing // center at +6 degrees
	GoldenLower  Crossing // center at -4 degrees: golden hour above, blue hour below down to -6
	// Noon holds the upper transits, UTC. Usually there is one; none or two are possible.
	Noon []time.Time
	// DayLength is the time within the span that Sun is above the horizon.
	DayLength time.Duration
}

// The sun's thresholds. Rise and set: Meeus, 2nd ed., chapter 15, refraction of 34' at
// the horizon, with the semidiameter of the day instead of his constant 16'. Twilights:
// U.S. Naval Observatory, Rise, Set, and Twilight Definitions. Golden and blue hour have
// no standard; tables for photographers use +6 and -4 degrees.
var (
	sunHorizon   = threshold{horizonRefraction, sunRadius}
	civil        = threshold{altitude: -6}
	nautical     = threshold{altitude: -12}
	astronomical = threshold{altitude: -18}
	goldenUpper  = threshold{altitude: 6}
	goldenLower  = threshold{altitude: -4}
)

const horizonRefraction = -34.0 / 60 // true altitude in degrees that refraction raises to zero

// Sun returns the sun's events at p in [from, to). An event belongs to exactly one of two
// spans that share a border. Accurate to 2 s at latitudes up to 60 degrees, except where
// the sun grazes the threshold. An empty span has no events; its states describe its
// beginning.
func Sun(p Place, from, to time.Time) SunDay {
	w := observe(sun, sunDegree, p, from, to)
	d := SunDay{
		Sun:          w.crossing(sunHorizon),
		Civil:        w.crossing(civil),
		Nautical:     w.crossing(nautical),
		Astronomical: w.crossing(astronomical),
		GoldenUpper:  w.crossing(goldenUpper),
		GoldenLower:  w.crossing(goldenLower),
		Noon:         w.transits(0),
	}
	d.DayLength = d.Sun.above(from, to)
	return d
}

// Within returns the events of d in [from, to), which must be a part of the span of d. They are
// those that Sun returns for it.
func (d SunDay) Within(from, to time.Time) SunDay {
	part := SunDay{
		Sun:          d.Sun.within(from, to),
		Civil:        d.Civil.within(from, to),
		Nautical:     d.Nautical.within(from, to),
		Astronomical: d.Astronomical.within(from, to),
		GoldenUpper:  d.GoldenUpper.within(from, to),
		GoldenLower:  d.GoldenLower.within(from, to),
		Noon:         between(d.Noon, from, to),
	}
	part.DayLength = part.Sun.above(from, to)
	return part
}

// SunPosition returns the position of the sun seen from p: altitude and azimuth (away
// from the zenith) within 0.01 degrees.
func SunPosition(p Place, t time.Time) Position {
	i := instantOf(t)
	return siteOf(p).see(sun(i, frameAt(i)), i).position()
}
