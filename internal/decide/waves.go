package decide

import (
	"math"
	"time"
)

// waves measures seas, swell and what they do to a current.
type waves struct{ *check }

// sea measures the seas of grid and text, and the steepness of the seas of the grid.
func (c waves) sea() {
	for _, p := range c.periods() {
		c.measureGiven("seas", MarineText, p.From, p.Seas)
		c.longSwell(p.Swells, MarineText, p.From)
	}
	if !c.facts.Grid.Waves {
		return
	}
	for _, h := range c.hours() {
		c.measureGiven("seas", SeaState, h.From, h.Height)
		c.longSwell(h.swells(), SeaState, h.From)
		c.runup(h)
		if h.Height != nil && h.Period != nil {
			c.steep(h)
		}
	}
}

// longSwell measures swell that is high and long enough for sneaker waves. The longer its period,
// the less height it needs.
func (c waves) longSwell(trains []Swell, source string, at time.Time) {
	for _, s := range trains {
		if s.Height == nil || s.Period == nil || *s.Period < swellPeriod {
			continue
		}
		if limit := swellLimit(*s.Period); *s.Height >= limit {
			c.measure(finding{code: "long_swell", severity: Action, value: *s.Height,
				threshold: limit, at: c.later(at), source: source, period: *s.Period})
		}
	}
}

// runup measures seas that run up the shore. Their period is the longest that the grid gives.
func (c waves) runup(h Hour) {
	period := h.longestPeriod()
	if h.Height != nil && *h.Height >= runupSeas && period != nil && *period >= runupPeriod {
		c.measure(finding{code: waveRunup, severity: Watch, value: *h.Height, threshold: runupSeas,
			at: c.later(h.From), source: SeaState, period: *period})
	}
}

func (c waves) steep(h Hour) {
	limit := round(max(steepFrom, steepness**h.Period**h.Period), 1000)
	if *h.Height >= limit {
		c.measure(finding{
			code:      "steep_seas",
			severity:  Action,
			value:     *h.Height,
			threshold: limit,
			at:        c.later(h.From),
			source:    SeaState,
			period:    *h.Period,
		})
	}
}

// roughOn reports whether seas and a current, in any direction, are both strong enough to
// make breaking seas for the activity.
func (c waves) roughOn(t time.Time, v float64) bool {
	matters := threshold("seas_against_current").For(c.activity)
	return matters && math.Abs(v) >= seasFast && c.seasAt(t) >= seasFrom
}

// breaking measures a current that runs against high seas.
func (c waves) breaking(t time.Time, v float64) {
	toward, from := c.toward(v), c.wavesFrom(t)
	if toward == nil || from == nil || math.Abs(wrap180(*toward-*from)) > opposed {
		return
	}
	c.measure(finding{code: "seas_against_current", severity: Action, threshold: seasFast,
		value: math.Abs(v), at: t, source: CurrentPrediction, station: c.facts.Current.StationID,
		seas: c.seasAt(t), from: *from})
}

// seasAt returns the higher seas of grid and text at a time, in feet, or 0 if neither gives
// seas.
func (c waves) seasAt(t time.Time) (height float64) {
	if h, ok := c.hourAt(t); ok && c.facts.Grid.Waves && h.Height != nil {
		height = *h.Height
	}
	for _, p := range c.facts.Text.Periods {
		if p.Seas != nil && !t.Before(p.From) && t.Before(p.To) {
			height = max(height, *p.Seas)
		}
	}
	return height
}

// wavesFrom returns the direction from which the waves come at a time according to the grid, or
// nil if the grid does not give it.
func (c waves) wavesFrom(t time.Time) *float64 {
	h, ok := c.hourAt(t)
	if !ok {
		return nil
	}
	return h.WavesFrom
}
