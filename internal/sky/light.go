package sky

import "time"

// Light is a condition of the sky.
type Light string

// The conditions.
const (
	Daylight Light = "daylight" // the sun is up
	Civil    Light = "civil"    // the sun is up, or in civil twilight: above -6 degrees
	Dark     Light = "dark"     // the sun is below -12 degrees
	// The sun is below -6 degrees, the moon is up and at least half of its disc is lit.
	Moonlit Light = "moonlit"
)

// Interval is a half-open interval of time, [From, To), in UTC.
type Interval struct{ From, To time.Time }

// When returns the intervals of [from, to) with some light at p, in order of time,
// disjoint and never empty. They begin and end with the events of Sun and MoonTimes, to
// the millisecond, or with from and to. Dark below -12 degrees and half of the moon's disc
// are bounds of ours: neither has a standard. It panics on an unknown Light; callers must
// reject these first.
func When(p Place, from, to time.Time, light Light) []Interval {
	whole := span(from, to)
	switch light {
	case Daylight:
		return sunAbove(p, whole, sunHorizon)
	case Civil:
		return sunAbove(p, whole, civil)
	case Dark:
		return without(whole, sunAbove(p, whole, nautical))
	case Moonlit:
		night := without(whole, sunAbove(p, whole, civil))
		return common(night, moonAbove(p, halfLit(whole)))
	}
	panic("sky: unknown light " + string(light))
}

// span returns the intervals of a span: one, or none if it is empty.
func span(from, to time.Time) []Interval {
	if !from.Before(to) {
		return []Interval{}
	}
	return []Interval{{from.UTC(), to.UTC()}}
}

// sunAbove returns the parts of some intervals in which the sun is above h.
func sunAbove(p Place, within []Interval, h threshold) []Interval {
	up := []Interval{}
	for _, i := range within {
		w := observe(sun, sunDegree, p, i.From, i.To)
		up = append(up, w.crossing(h).up(i)...)
	}
	return up
}

// moonAbove returns the parts of some intervals in which the moon is up.
func moonAbove(p Place, within []Interval) []Interval {
	up := []Interval{}
	for _, i := range within {
		w := observe(moon, moonDegree, p, i.From, i.To)
		up = append(up, w.crossing(moonHorizon).up(i)...)
	}
	return up
}

// up returns the parts of the observed interval in which the body is above the altitude.
func (c Crossing) up(i Interval) []Interval {
	var list []Interval
	rise, set := c.Rise, c.Set
	if c.State == AlwaysUp || c.startsUp() {
		rise = append([]time.Time{i.From}, rise...)
	}
	for n, from := range rise {
		to := i.To
		if n < len(set) {
			to = set[n]
		}
		list = append(list, span(from, to)...)
	}
	return list
}

// halfLit returns the parts of some intervals in which at least half of the moon's disc is
// lit: around each full moon.
func halfLit(within []Interval) []Interval {
	lit := []Interval{}
	for _, i := range within {
		for n := quarterAt(i.From)&^3 - 4; ; n += 4 {
			from := halfLitNear(quarter(n + 1).Time)
			if !from.Before(i.To) {
				break
			}
			lit = append(lit, common(span(from, halfLitNear(quarter(n+3).Time)), []Interval{i})...)
		}
	}
	return lit
}

// halfLitNear returns the time when half of the disc is lit, near a quarter. The quarter
// is defined by the elongation; half of the disc is lit within an hour of it.
func halfLitNear(quarter time.Time) time.Time {
	const around = instant(6.0 / 24)
	f := curve(func(i instant) float64 {
		sunLongitude, _, sunDistance := sunEcliptic(i)
		longitude, latitude, distance := moonEcliptic(i)
		return illumination(longitude-sunLongitude, latitude, distance, sunDistance) - 0.5
	})
	i := instantOf(quarter)
	return f.root(f.point(i-around), f.point(i+around)).at.time()
}

// common returns the intersection of two lists in order of time.
func common(a, b []Interval) []Interval {
	both := []Interval{}
	for len(a) > 0 && len(b) > 0 {
		from, to := later(a[0].From, b[0].From), earlier(a[0].To, b[0].To)
		both = append(both, span(from, to)...)
		if a[0].To.Before(b[0].To) {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// without returns the parts of the intervals whole that are in none of list, which is in
// order of time.
func without(whole, list []Interval) []Interval {
	rest := []Interval{}
	for _, i := range whole {
		for _, o := range list {
			rest = append(rest, span(i.From, earlier(o.From, i.To))...)
			i.From = later(i.From, o.To)
		}
		rest = append(rest, span(i.From, i.To)...)
	}
	return rest
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
