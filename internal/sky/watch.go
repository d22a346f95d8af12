package sky

import (
	"math"
	"time"
)

// watch holds the path of one body seen from one site through a span. It divides time
// into stretches of 24 hours, and each of those into hours. The grid is the same for
// every span, so an event does not depend on the requested span. Of two spans that share
// a border, exactly one contains each event.
type watch struct {
	site      site
	body      body
	from, to  time.Time
	stretches []stretch
}

// stretch is one day of the grid: the body's track and the views at the hours from first
// to last.
type stretch struct {
	track       track
	site        site
	first, last int
	hours       [25]view
}

// view holds the values of a sight at an hour that all thresholds use.
type view struct{ altitude, distance, hourAngle float64 }

func (s sight) view() view {
	distance := s.distance()
	return view{s.altitude(distance), distance, s.hourAngle()}
}

func observe(b body, degree int, p Place, from, to time.Time) watch {
	w := watch{site: siteOf(p), body: b, from: from, to: to}
	// The path covers one more second on both sides, because times are rounded.
	begin, finish := instantOf(from.Add(-time.Second)), instantOf(to.Add(time.Second))
	start := endAt(b, instant(math.Floor(float64(begin))))
	for start.at < finish {
		next := endAt(b, start.at+1)
		first := max(0, int(math.Floor(float64(begin-start.at)*24)))
		last := min(24, int(math.Ceil(float64(finish-start.at)*24)))
		t := follow(b, degree, start, next)
		w.stretches = append(w.stretches, newStretch(t, w.site, first, last))
		start = next
	}
	return w
}

func newStretch(t track, s site, first, last int) stretch {
	st := stretch{track: t, site: s, first: first, last: last}
	for h := first; h <= last; h++ {
		i := st.hour(h)
		st.hours[h] = s.see(t.at(i), i).view()
	}
	return st
}

func (s *stretch) hour(h int) instant { return s.track.start + instant(h)/24 }

func (s *stretch) sight(i instant) sight { return s.site.see(s.track.at(i), i) }

// crossings returns the times in the stretch when the body passes h.
func (s *stretch) crossings(h threshold) []crossing {
	curve := curve(func(i instant) float64 { return h.over(s.sight(i)) })
	sample := func(n int) point {
		v := &s.hours[n]
		return point{s.hour(n), h.clearance(v.altitude, v.distance)}
	}
	var list []crossing
	a := sample(s.first)
	for n := s.first + 1; n <= s.last; n++ {
		b := sample(n)
		list = append(list, curve.crossings(a, b)...)
		a = b
	}
	return list
}

func (h threshold) over(s sight) float64 {
	distance := s.distance()
	return h.clearance(s.altitude(distance), distance)
}

// transits returns the times when the hour angle passes from: 0 at an upper transit, 180 at a lower
// one. The difference from it jumps from 180 to -180 half a turn later, never upwards, so a change
// of sign upwards is a transit.
func (s *stretch) transits(from float64) []crossing {
	past := func(hourAngle float64) float64 {
		if d := hourAngle - from; d >= -180 {
			return d
		}
		return hourAngle - from + 360
	}
	curve := curve(func(i instant) float64 { return past(s.sight(i).hourAngle()) })
	var list []crossing
	for n := s.first; n < s.last; n++ {
		a := point{s.hour(n), past(s.hours[n].hourAngle)}
		b := point{s.hour(n + 1), past(s.hours[n+1].hourAngle)}
		if a.below() && !b.below() {
			list = append(list, curve.root(a, b))
		}
	}
	return list
}

// crossing returns the crossings of h that lie in the span.
func (w *watch) crossing(h threshold) Crossing {
	c := Crossing{Rise: []time.Time{}, Set: []time.Time{}}
	for n := range w.stretches {
		for _, x := range w.stretches[n].crossings(h) {
			switch t := x.at.time(); {
			case !w.holds(t):
			case x.up:
				c.Rise = append(c.Rise, t)
			default:
				c.Set = append(c.Set, t)
			}
		}
	}
	if len(c.Rise)+len(c.Set) == 0 {
		c.State = w.state(h)
	}
	return c
}

// state returns the side of h in the middle of a span without a crossing.
func (w *watch) state(h threshold) State {
	i := instantOf(w.from.Add(w.to.Sub(w.from) / 2))
	if h.over(w.site.see(w.body(i, frameAt(i)), i)) < 0 {
		return AlwaysDown
	}
	return AlwaysUp
}

// transits returns the times in the span when the hour angle passes from.
func (w *watch) transits(from float64) []time.Time {
	list := []time.Time{}
	for n := range w.stretches {
		for _, x := range w.stretches[n].transits(from) {
			if t := x.at.time(); w.holds(t) {
				list = append(list, t)
			}
		}
	}
	return list
}

func (w *watch) holds(t time.Time) bool { return !t.Before(w.from) && t.Before(w.to) }
