package decide

import (
	"math"
	"time"
)

// water measures the level of the water, its changes and floods.
type water struct{ *check }

// level measures the lowest water level if its datum is the chart datum.
func (c water) level() {
	if c.facts.Tide.Datum != ChartDatum {
		return
	}
	if lowest, at, ok := c.extreme(false, c.to); ok {
		c.measure(finding{code: "low_water", value: lowest, at: at, source: TidePrediction, height: true})
	}
	if lowest, at, ok := c.extreme(false, c.gauged()); ok {
		c.blowout(lowest, at)
	}
}

// blowout measures a gauge below its prediction. The limits look at residual and prediction
// together, but no number that is reported adds them: the value is the residual, and the threshold
// is the limit minus the predicted level.
func (c water) blowout(lowest float64, at time.Time) {
	residual := c.facts.Level.Residual
	if residual == nil || *residual >= 0 {
		return
	}
	f := finding{code: lowWaterObserved, value: *residual, at: c.facts.Level.Time,
		source: residualSource, low: lowest, lowAt: at}
	for _, limit := range []struct {
		severity Severity
		level    float64
	}{{Watch, blowoutWatch}, {Action, blowoutAct}} {
		if left := round(limit.level-lowest, 1000); *residual <= left {
			f.severity, f.threshold = limit.severity, left
		}
	}
	if f.severity != "" {
		c.measure(f)
	}
}

// gauged returns the end of the part of the span for which an observed level counts.
func (c water) gauged() time.Time {
	return earlier(c.to, c.now.Add(gaugeReach))
}

// extreme returns the highest or lowest predicted level of the part of the span to until, which
// is a turn or a value at one of its ends.
func (c water) extreme(high bool, until time.Time) (level float64, when time.Time, ok bool) {
	take := func(t time.Time, v float64) {
		if !t.After(until) && (!ok || v > level == high && v != level) {
			level, when, ok = v, t, true
		}
	}
	for _, e := range c.facts.Tide.Turns { // first: the step next to a turn can be as high
		if e.High == high && !e.Time.Before(c.from) && !e.Time.After(until) {
			take(e.Time, e.Height)
		}
	}
	c.during(c.facts.Tide.Heights, take)
	return level, when, ok
}

// rate measures the rate at which the water rises within the span.
func (c water) rate() {
	perHour, last := float64(time.Hour)/float64(max(1, c.facts.Tide.Heights.Step)), math.NaN()
	c.during(c.facts.Tide.Heights, func(t time.Time, v float64) {
		if rate := round((v-last)*perHour, 100); rate > 0 { // not of the first value
			c.measure(finding{code: "fast_rise", value: rate, at: t, source: TidePrediction})
		}
		last = v
	})
}

// rose returns the predicted rise in feet between two times, both included. It returns infinity if
// the series does not reach from one to the other: an unknown rise must not count as small.
func (c water) rose(from, to time.Time) float64 {
	s := c.facts.Tide.Heights
	if !s.covers(from, to) {
		return math.Inf(1)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := s.index(from); i <= int(to.Sub(s.Start)/s.Step); i++ {
		low, high = min(low, s.Values[i]), max(high, s.Values[i])
	}
	return round(high-low, 1000)
}

// rising measures how long after low water the level still rises, at the end of the span or at the
// high water before it. A rise of less than leastRise since the low does not count. Both are
// judged at an instant, so that the end of the last hour decides as the end of the whole span does.
func (c water) rising() {
	turns := c.facts.Tide.Turns
	for i, low := range turns {
		if low.High {
			continue
		}
		until := c.to
		if i+1 < len(turns) {
			until = earlier(until, turns[i+1].Time)
		}
		if until.After(c.from) && until.After(low.Time) && c.rose(low.Time, until) >= leastRise {
			c.measure(finding{
				code:   "rising_tide",
				value:  math.Round(until.Sub(low.Time).Minutes()),
				at:     until,
				source: TidePrediction,
			})
		}
	}
}

// flooding compares the predicted level, the observed level and the residual with the flood
// level. These are three reasons from three sources; they are never added.
func (c water) flooding() {
	flood := c.facts.Flood.Level
	if flood == nil || c.activity != CoastalLiving {
		return
	}
	highest, when, ok := c.extreme(true, c.to)
	if ok {
		c.floodwards(
			finding{code: "flooding_predicted", value: highest, at: when, source: TidePrediction},
			*flood,
		)
	}
	gauge := c.facts.Level
	if c.tooFarForGauge() || gauge.Height == nil {
		return
	}
	c.floodwards(
		finding{code: "flooding_observed", value: *gauge.Height, at: gauge.Time, source: ObservedLevel},
		*flood,
	)
	if highest, _, ok = c.extreme(true, c.gauged()); gauge.Residual == nil || !ok {
		return
	}
	c.measure(c.surge(*gauge.Residual, round(*flood-highest, 1000)))
}

// surge returns the finding for a residual, given the feet left between the prediction and the
// flood level. A residual that reaches the flood level is an action; a residual that leaves less
// than a foot is a watch. If the prediction alone comes that close, it already raises the watch.
func (c water) surge(residual, left float64) finding {
	f := finding{code: "flooding_residual", value: residual, left: left,
		at: c.facts.Level.Time, source: residualSource}
	switch near := round(left-floodNear, 1000); {
	case residual >= left:
		f.severity, f.threshold = Action, left
	case near > 0 && residual > near:
		f.severity, f.threshold, f.past = Watch, near, true
	}
	return f
}

// floodwards compares a level with the flood level.
func (c water) floodwards(f finding, flood float64) {
	l := limits{watch: at(round(flood-floodNear, 1000)), action: at(flood)}
	s, b := l.severity(f.value, false)
	f.severity, f.threshold, f.height = s, b.value, true
	c.measure(f)
}
