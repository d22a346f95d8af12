package decide

import (
	"math"
	"time"
)

// flows measures currents, and the wind against them.
type flows struct{ waves }

// flow measures the current, alone and against wind and seas.
func (c flows) flow() {
	if c.facts.Current.Absent != "" || c.facts.Current.Waived != "" {
		return
	}
	c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
		speed := math.Abs(v)
		c.measure(finding{
			code:    "current",
			value:   speed,
			at:      t,
			source:  CurrentPrediction,
			station: c.facts.Current.StationID,
		})
		if f, against := c.against(t, v); against {
			c.measure(f)
		}
		if c.roughOn(t, v) {
			c.breaking(t, v)
		}
	})
}

// against returns the finding for a current against a wind, and whether the two oppose each other
// and are strong enough to matter.
func (c flows) against(t time.Time, v float64) (finding, bool) {
	speed, toward := math.Abs(v), c.toward(v)
	if toward == nil || speed < againstSlow {
		return finding{}, false
	}
	h, ok := c.hourAt(t)
	if !ok || h.Direction == nil {
		return finding{}, false
	}
	wind, text := c.windAt(h, t)
	severity := WindAgainstCurrent(wind, *h.Direction, speed, *toward)
	if severity == "" {
		return finding{}, false
	}
	f := finding{
		code:      "wind_against_current",
		severity:  severity,
		threshold: againstSlow,
		value:     speed,
		at:        t,
		source:    CurrentPrediction,
		station:   c.facts.Current.StationID,
		wind:      wind,
		from:      *h.Direction,
		text:      text,
	}
	switch {
	case wind >= againstAct && speed >= againstFast:
		f.threshold = againstFast
	case speed >= againstRace:
		f.threshold = againstRace
	}
	return f, true
}

// toward returns the direction toward which a current flows, or nil if NOAA does not publish
// it.
func (c *check) toward(velocity float64) *float64 {
	if velocity < 0 {
		return c.facts.Current.Ebb
	}
	return c.facts.Current.Flood
}
