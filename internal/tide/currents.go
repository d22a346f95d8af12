package tide

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// CurrentOffsets turn the events of a reference bin into those of a subordinate station.
type CurrentOffsets struct {
	SlackBeforeFlood, SlackBeforeEbb, Flood, Ebb int     // minutes added to the reference's unrounded times
	FloodRatio, EbbRatio                         float64 // of speeds
}

// Currents predicts the tidal current along one station's major axis. For a
// subordinate station Curve and Mean are the reference's, and Offsets is set.
type Currents struct {
	Curve   *Curve
	Mean    float64 // mean flow along the axis, knots, flood positive
	Offsets *CurrentOffsets
}

// Phase is what a current does at an event: Flood, Ebb or Slack.
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
	Min      bool    // a local minimum of speed within one phase, which NOAA lists as a second flood or ebb
	Next     Phase   // at a slack: the phase that follows (Flood or Ebb), else empty
}

// Weak is the speed in knots below which NOAA lists no flood or ebb: an
// extremum of +0.0973 is missing from the published tables (Puget Sound, June
// 2026), one of −0.13 stands there.
const Weak = 0.1

// drift is an event of a current before rounding.
type drift struct {
	at       float64 // Unix seconds
	velocity float64 // at that instant
	phase    Phase
	min      bool
	next     Phase
	origin   float64 // the instant of the reference's event
}

// Events returns the events whose published minute lies in [from, to], in
// order of time, within half a minute and 0.005 knots of NOAA's. The slack of
// a station with its own constants has the velocity at its rounded minute, as
// NOAA publishes it. The two-hour rule of tides does not apply to currents.
func (c Currents) Events(from, to time.Time) []CurrentEvent {
	s := spanOf(from, to)
	events := []CurrentEvent{}
	for _, d := range c.drifts(s.first(), s.last()) {
		if minute := toMinute(d.at); s.holds(minute) {
			events = append(events, c.publish(d, minute))
		}
	}
	return events
}

// publish is the event as it is listed.
func (c Currents) publish(d drift, minute int64) CurrentEvent {
	e := CurrentEvent{Time: instant(minute), Phase: d.phase, Velocity: d.velocity, Min: d.min, Next: d.next}
	if d.phase == Slack && c.Offsets == nil {
		e.Velocity = c.at(float64(minute))
	}
	return e
}

// at is the velocity at a Unix time by the function of its year.
func (c Currents) at(unix float64) float64 {
	v, _ := c.Curve.exact(yearOf(unix), unix)
	return c.Mean + v
}

// drifts are the events between two instants.
func (c Currents) drifts(from, to float64) []drift {
	var list []drift
	if o := c.Offsets; o == nil {
		list = c.own(from, to)
	} else {
		offsets := []int{o.SlackBeforeFlood, o.SlackBeforeEbb, o.Flood, o.Ebb}
		list = c.own(from-60*float64(slices.Max(offsets)), to-60*float64(slices.Min(offsets)))
		for i := range list {
			list[i] = o.shift(list[i])
		}
		slices.SortStableFunc(list, func(a, b drift) int { return cmp.Compare(a.at, b.at) })
	}
	return slices.DeleteFunc(list, func(d drift) bool { return d.at < from || d.at > to })
}

// shift is the subordinate station's event. Which events of the reference are
// too weak to be a flood or an ebb has been decided there, and the ratios do
// not change it; no published table has shown whether NOAA asks again.
func (o *CurrentOffsets) shift(d drift) drift {
	var minutes int
	switch {
	case d.phase == Slack && d.next == Flood:
		minutes, d.velocity = o.SlackBeforeFlood, 0
	case d.phase == Slack:
		minutes, d.velocity = o.SlackBeforeEbb, 0
	case d.phase == Flood:
		minutes, d.velocity = o.Flood, d.velocity*o.FloodRatio
	default:
		minutes, d.velocity = o.Ebb, d.velocity*o.EbbRatio
	}
	d.at += 60 * float64(minutes)
	return d
}

// own are the events of the curve between two instants, and some outside.
func (c Currents) own(from, to float64) []drift {
	turns := c.turns(from, to)
	var list []drift
	for i, t := range turns {
		crossedBefore := i > 0 && opposite(turns[i-1], t)
		crossesAfter := i+1 < len(turns) && opposite(t, turns[i+1])
		if d, ok := extremum(t, crossedBefore, crossesAfter); ok {
			list = append(list, d)
		}
		if crossesAfter {
			list = append(list, c.slack(t, turns[i+1]))
		}
	}
	return list
}

func opposite(a, b turn) bool { return (a.height > 0) != (b.height > 0) }

// extremum is the event at an extremum of the velocity. A weak one is none
// where a slack stands beside it, and is itself a slack where the velocity
// comes near zero without changing its sign. That it is left out with a slack
// on one side only, and that a weak maximum between two weak relaxations is a
// slack as well, are unverified readings of NOAA's tables.
func extremum(t turn, crossedBefore, crossesAfter bool) (d drift, ok bool) {
	phase := direction(t.height)
	d = drift{at: t.at, velocity: t.height, phase: phase, min: t.high != (t.height > 0), origin: t.at}
	if math.Abs(t.height) < Weak {
		d.phase, d.next, d.min = Slack, phase, false
		return d, !crossedBefore && !crossesAfter
	}
	return d, true
}

func direction(velocity float64) Phase {
	if velocity > 0 {
		return Flood
	}
	return Ebb
}

// slack is the zero crossing between two extrema of opposite sign.
func (c Currents) slack(a, b turn) drift {
	at := c.zero(a.at, b.at, a.height > 0)
	return drift{at: at, phase: Slack, next: direction(b.height), origin: at}
}

// zero is the instant between a and b where the velocity changes its sign, to
// a millisecond, by Newton's method held between the bounds. At a jump between
// two years it is the jump. positive tells the sign at a.
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

// currentGrid is the step of the grid that is searched for the extrema of
// currents, which follow each other more closely than those of tides and are
// all kept.
const currentGrid = 10 * time.Minute

// turns are the extrema of the velocity from at least one before from to at
// least one after to, where the curve has them within some months.
func (c Currents) turns(from, to float64) (list []turn) {
	for margin := 9 * 3600.0; margin < 200*86400; margin *= 4 {
		step := min(currentGrid, c.Curve.grid)
		list = newSurvey(from-margin, to+margin, step, c.Curve.used).search(c.Curve, list[:0])
		if n := len(list); n == 0 && len(c.Curve.groups) == 0 || n > 0 && list[0].at < from && list[n-1].at > to {
			break
		}
	}
	for i := range list {
		list[i].height += c.Mean
	}
	return list
}
