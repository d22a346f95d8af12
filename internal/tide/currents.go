package tide

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// CurrentOffsets convert the events of a reference bin to those of a subordinate station.
type CurrentOffsets struct {
	// Minutes are added to the reference's unrounded times.
	SlackBeforeFlood, SlackBeforeEbb, Flood, Ebb int

	FloodRatio, EbbRatio float64 // of speeds
}

// Currents predicts the tidal current along one station's major axis. For a subordinate
// station, Curve and Mean are the reference's, and Offsets is set.
type Currents struct {
	Curve   *Curve
	Mean    float64 // mean flow along the axis, knots, flood positive
	Offsets *CurrentOffsets
}

// Phase is the kind of a current event: Flood, Ebb or Slack.
type Phase string

// The phases.
const (
	Flood Phase = "flood"
	Ebb   Phase = "ebb"
	Slack Phase = "slack"
)

// CurrentEvent is a maximum, a relaxation (Min) or a slack.
type CurrentEvent struct {
	Time     time.Time // UTC, rounded to the minute as published
	Phase    Phase
	Velocity float64 // knots, flood positive, not rounded; at the slack of a subordinate station 0
	Min      bool    // local minimum of speed within a phase; NOAA lists a second flood or ebb
	Next     Phase   // at a slack: the phase that follows (Flood or Ebb), else empty
}

// Weak is the speed in knots below which NOAA lists no flood or ebb: 0.1 and half of the thousandth
// that constants have. Published are -0.1036 (PUG1725, 2027-03-01 14:20 GMT) as an ebb, and as
// slacks -0.1000 (2027-03-28 12:43) and -0.0997 (2027-06-05 11:11); +0.0973 is missing (PUG1616,
// 2026-06-01). At a subordinate station the speed after its own ratio decides: PCT2301 lists the
// reference's -0.1064 of 2027-06-22, times 0.79, as a slack at 11:45 (NOAA CO-OPS, maximum and
// slack currents).
const Weak = 0.1005

// drift is an event of a current before rounding.
type drift struct {
	at       float64 // Unix seconds
	velocity float64 // at that instant
	phase    Phase
	min      bool
	next     Phase
	origin   float64 // the instant of the reference's event
}

// Events returns the events whose published minute lies in [from, to], in order of time,
// within half a minute and 0.005 knots of NOAA's. A slack at which the velocity only
// grazes zero can differ by minutes. The slack of a station with its own constants has
// the velocity at its rounded minute, as NOAA publishes it. An extremum below Weak is
// omitted next to a zero crossing, and is a slack without one. Ripples that NOAA's series does not
// show are omitted, and of two events of one phase within the hour only the first is listed.
func (c Currents) Events(from, to time.Time) []CurrentEvent {
	s := requestOf(from, to)
	events := []CurrentEvent{}
	for _, d := range c.drifts(s.first(), s.last()) {
		if minute := toMinute(d.at); s.holds(minute) {
			events = append(events, c.publish(d, minute))
		}
	}
	return events
}

// publish returns the event with its rounded minute.
func (c Currents) publish(d drift, minute int64) CurrentEvent {
	e := CurrentEvent{Time: instant(minute), Phase: d.phase, Velocity: d.velocity, Min: d.min,
		Next: d.next}
	if d.phase == Slack && c.Offsets == nil {
		e.Velocity = c.at(float64(minute))
	}
	return e
}

// at returns the velocity at a Unix time by the function of its year.
func (c Currents) at(unix float64) float64 {
	v, _ := c.Curve.exact(yearOf(unix), unix)
	return c.Mean + v
}

// drifts returns the events between two instants.
func (c Currents) drifts(from, to float64) []drift {
	list := c.listed(from-c.lag(slices.Max), to-c.lag(slices.Min))
	slices.SortStableFunc(list, func(a, b drift) int { return cmp.Compare(a.at, b.at) })
	return slices.DeleteFunc(list, func(d drift) bool { return d.at < from || d.at > to })
}

// lag returns the longest or shortest delay of events after the reference's, as most
// selects, in seconds.
func (c Currents) lag(most func([]int) int) float64 {
	o := c.Offsets
	if o == nil {
		return 0
	}
	return 60 * float64(most([]int{o.SlackBeforeFlood, o.SlackBeforeEbb, o.Flood, o.Ebb}))
}

// listed returns the station's events that derive from those of the curve between two
// instants, and some outside that range, in the order of the curve.
func (c Currents) listed(from, to float64) []drift {
	var turns []turn
	var list []drift
	for margin := 9 * 3600.0; margin < 200*86400; margin *= 4 {
		turns = c.withoutRipples(c.turns(from-margin, to+margin, turns[:0]))
		list = c.events(turns, list[:0])
		if len(c.Curve.groups) == 0 || covered(turns, list, from, to) {
			break
		}
	}
	return single(list)
}

// events appends the events at and between the turns to list.
func (c Currents) events(turns []turn, list []drift) []drift {
	for i, t := range turns {
		crossedBefore := i > 0 && opposite(turns[i-1], t)
		crossesAfter := i+1 < len(turns) && opposite(t, turns[i+1])
		if d, ok := c.extremum(t, crossedBefore || crossesAfter); ok {
			list = append(list, d)
		}
		if crossesAfter {
			list = append(list, c.slack(t, turns[i+1]))
		}
	}
	return list
}

func opposite(a, b turn) bool { return (a.height > 0) != (b.height > 0) }

// extremum returns the event at an extremum of the reference's velocity, shifted and
// scaled by the station's offsets for its phase. A weak one is omitted next to a zero
// crossing. It is a slack if the velocity comes near zero without changing its sign. Two
// interpretations of NOAA's tables are unverified: that a weak extremum is omitted with a
// crossing on one side only, and that a weak maximum between two weak relaxations is a
// slack as well. A ratio of 0, which two stations have, means that NOAA publishes no
// strength: by our interpretation the reference's speed decides there.
func (c Currents) extremum(t turn, crossing bool) (d drift, ok bool) {
	phase := direction(t.height)
	d = drift{at: t.at, velocity: c.scale(t.height), phase: phase, origin: t.at}
	d.min = t.high != (t.height > 0)
	if o := c.Offsets; o != nil && phase == Flood {
		d.at += 60 * float64(o.Flood)
	} else if o != nil {
		d.at += 60 * float64(o.Ebb)
	}
	if speed := math.Abs(d.velocity); speed >= Weak || speed == 0 && math.Abs(t.height) >= Weak {
		return d, true
	}
	d.phase, d.next, d.min = Slack, phase, false
	if c.Offsets != nil {
		d.velocity = 0
	}
	return d, !crossing
}

func direction(velocity float64) Phase {
	if velocity > 0 {
		return Flood
	}
	return Ebb
}

// slack returns the event at the zero crossing between two extrema of opposite sign.
func (c Currents) slack(a, b turn) drift {
	at := c.zero(a.at, b.at, a.height > 0)
	d := drift{at: at, phase: Slack, next: direction(b.height), origin: at}
	if o := c.Offsets; o != nil && d.next == Flood {
		d.at += 60 * float64(o.SlackBeforeFlood)
	} else if o != nil {
		d.at += 60 * float64(o.SlackBeforeEbb)
	}
	return d
}

// zero returns the instant between a and b where the velocity changes its sign, to a
// millisecond, by Newton's method limited to the bounds. At a jump between two years it
// is the jump. positive is the sign at a.
func (c Currents) zero(a, b float64, positive bool) float64 {
	at := (a + b) / 2
	for range 60 {
		v, slope := c.Curve.exact(yearOf(at), at)
		v += c.Mean
		if (v > 0) == positive {
			a = at
		} else {
			b = at
		}
		switch to := at - v/slope; {
		case math.Abs(to-at) < 0.001 || b-a < 0.001:
			return at
		case to > a && to < b:
			at = to
		default:
			at = (a + b) / 2
		}
	}
	return at
}

// currentGrid is the step of the grid on which the extrema of currents are searched. They
// follow each other more closely than those of tides, and none is omitted.
const currentGrid = 10 * time.Minute

// turns appends the extrema of the velocity between two instants to list.
func (c Currents) turns(from, to float64, list []turn) []turn {
	step := min(currentGrid, c.Curve.grid)
	list = newSurvey(from, to, step, c.Curve.used).search(c.Curve, list)
	for i := range list {
		list[i].height += c.Mean
	}
	return list
}

// Velocities fills out with signed velocities (knots, flood positive) at from, from+step,
// ... At a station with its own constants they are within 2e-6 knots of the sum.
// Subordinate stations, for which NOAA publishes no series, are interpolated between
// their own events. They pass through each of them, except that a listed slack without a
// zero crossing has its weak velocity.
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
		if k == 0 || k == len(list) { // no tides, or an end of the supported range
			out[i] = c.scale(c.at(clamp(at, earliest, latest-1)))
			i++
			continue
		}
		n := samplesUntil(list[k].at, at, step, len(out)-i)
		c.between(list[k-1], list[k], at, step, out[i:i+n])
		i += n
	}
}

// around returns the events from one before start at the latest to one after end.
func (c Currents) around(start, end float64) []drift {
	var list []drift
	for margin := 86400.0; margin < 1000*86400; margin *= 4 {
		list = c.drifts(start-margin, end+margin)
		if n := len(list); len(c.Curve.groups) == 0 ||
			n > 0 && list[0].at <= start && list[n-1].at > end {
			break
		}
	}
	return list
}

// between fills out between two events. It takes the reference's velocities between the
// two source events, stretched in time and scaled by the ratio of the phase. If the
// offsets have reversed the order of the two events, a half cosine joins their
// velocities.
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

// scale converts a velocity of the reference to one of the station.
func (c Currents) scale(velocity float64) float64 {
	switch {
	case c.Offsets == nil:
		return velocity
	case velocity > 0:
		return velocity * c.Offsets.FloodRatio
	}
	return velocity * c.Offsets.EbbRatio
}
