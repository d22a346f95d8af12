package sky

import (
	"math"
	"time"
)

// MoonState describes the moon as seen from the center of the earth.
type MoonState struct {
	// Phase is new_moon, waxing_crescent, first_quarter, waxing_gibbous, full_moon,
	// waning_gibbous, last_quarter or waning_crescent.
	Phase        string
	Elongation   float64 // degrees of ecliptic longitude from the sun, 0..360
	Age          float64 // days since the last new moon
	Illumination float64 // fraction of the disc, 0..1
	Distance     float64 // km, geocentric
}

// Moon returns the moon's phase and the rest of its state: elongation within 0.01 degrees,
// illumination within 0.001, distance within 20 km, age within a minute.
func Moon(t time.Time) MoonState {
	i := instantOf(t)
	sunLongitude, _, sunDistance := sunEcliptic(i)
	longitude, latitude, distance := moonEcliptic(i)
	elongation := turn(degrees(longitude - sunLongitude))
	return MoonState{
		Phase:        phaseName(elongation),
		Elongation:   elongation,
		Age:          t.Sub(newMoonBefore(t)).Hours() / 24,
		Illumination: illumination(longitude-sunLongitude, latitude, distance, sunDistance),
		Distance:     distance,
	}
}

// illumination computes the illuminated fraction. Meeus, 2nd ed., (48.1) to (48.3).
func illumination(elongation, latitude, moonDistance, sunDistance float64) float64 {
	cos := math.Cos(latitude) * math.Cos(elongation)
	sin := math.Sqrt(max(1-cos*cos, 0))
	i := math.Atan2(sunDistance*sin, moonDistance-sunDistance*cos)
	return (1 + math.Cos(i)) / 2
}

// phaseName returns the name of the moon's phase. A principal phase lasts from half a day before
// to half a day after, 6.1 degrees of mean elongation: one calendar day, as almanacs
// print it. The width is ours; the phases in between have no other bounds.
func phaseName(elongation float64) string {
	const width = 360 / synodicMonth / 2
	nearest := math.Round(elongation / 90)
	if math.Abs(elongation-90*nearest) <= width {
		return quarters[int(nearest)%4].name
	}
	return [4]string{
		"waxing_crescent", "waxing_gibbous", "waning_gibbous", "waning_crescent",
	}[int(elongation/90)]
}

// MoonPosition returns the position of the moon seen from p: altitude and azimuth (away
// from the zenith) within 0.02 degrees.
func MoonPosition(p Place, t time.Time) Position {
	i := instantOf(t)
	return siteOf(p).see(moon(i, frameAt(i)), i).position()
}

// MoonDay holds the moon's events in a span.
type MoonDay struct {
	Moon    Crossing    // upper limb on the horizon, with 34' of refraction
	Transit []time.Time // upper transits, UTC; about once a month, a day does not have one
	Lower   []time.Time // lower transits (moon underfoot), likewise
	// NextRise and NextSet are the first at or after the span's beginning, even if the span
	// does not contain one: about once a month a day has no moonrise. They are zero if
	// there is none within 40 days.
	NextRise, NextSet time.Time
}

// moonHorizon is the threshold of Meeus, 2nd ed., chapter 15; his 0.7275 of the parallax
// is parallax less semidiameter, which a topocentric limb includes.
var moonHorizon = threshold{horizonRefraction, moonRadius}

// MoonTimes returns the moon's events at p in [from, to), within 2 s at latitudes up to
// 60 degrees, except where it grazes the horizon. An event belongs to exactly one of two
// spans that share a border.
func MoonTimes(p Place, from, to time.Time) MoonDay {
	w := observe(moon, moonDegree, p, from, to)
	d := MoonDay{Moon: w.crossing(moonHorizon), Transit: w.transits(0), Lower: w.transits(180)}
	d.NextRise, d.NextSet = nextMoon(p, d.Moon, from, to)
	return d
}

// nextMoon returns the first rise and set of the span, and searches later spans for the
// one that is missing. Near the poles that can take most of a month.
func nextMoon(p Place, seen Crossing, from, to time.Time) (rise, set time.Time) {
	const step, limit = 4 * 24 * time.Hour, 40 * 24 * time.Hour
	rise, set = first(seen.Rise), first(seen.Set)
	for t := to; (rise.IsZero() || set.IsZero()) && t.Before(from.Add(limit)); t = t.Add(step) {
		w := observe(moon, moonDegree, p, t, t.Add(step))
		c := w.crossing(moonHorizon)
		if rise.IsZero() {
			rise = first(c.Rise)
		}
		if set.IsZero() {
			set = first(c.Set)
		}
	}
	return rise, set
}

func first(times []time.Time) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	return times[0]
}
