package decide

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// This file measures each quantity of the table in the span.

// measureGiven measures a number if it was given.
func (c *check) measureGiven(code, source string, at time.Time, v *float64) {
	if v != nil {
		c.measure(finding{code: code, value: *v, at: c.later(at), source: source})
	}
}

// air measures wind and gusts of both grid and text, because land cells of the grid
// under-read the wind over the water.
func (c *check) air() {
	for _, h := range c.hours() {
		c.measureGiven("wind", WindForecast, h.From, h.Wind)
		c.measureGiven("gust", WindForecast, h.From, h.Gust)
	}
	for _, p := range c.periods() {
		c.measureGiven("wind", MarineText, p.From, p.Wind)
		c.measureGiven("gust", MarineText, p.From, p.Gust)
	}
}

// swellLimit returns the height from which a swell of a period is long_swell, ft.
func swellLimit(period float64) float64 { return round(swellFrom*swellPeriod/period, 1000) }

// WindAgainstCurrent returns how severe a wind is (knots, from degrees true) against a
// current (knots, toward degrees true): Watch, Action, or "" if it is weaker, or does not
// oppose it within 60 degrees.
func WindAgainstCurrent(wind, from, speed, toward float64) Severity {
	switch {
	case wind < againstWatch || speed < againstSlow || math.Abs(wrap180(toward-from)) > opposed:
		return ""
	case wind >= againstAct && speed >= againstFast, speed >= againstRace:
		return Action
	}
	return Watch
}

// hourAt returns the hour of the grid that contains a time.
func (c *check) hourAt(t time.Time) (Hour, bool) {
	hours := c.facts.Grid.Hours
	i, _ := slices.BinarySearchFunc(hours, t, func(h Hour, t time.Time) int {
		if h.To.After(t) {
			return 1
		}
		return -1
	})
	if i == len(hours) || hours[i].From.After(t) {
		return Hour{}, false
	}
	return hours[i], true
}

// windAt returns the stronger wind of grid and text at a time, in knots, and whether it is
// from the text. It returns 0 if neither gives a wind.
func (c *check) windAt(h Hour, t time.Time) (wind float64, text bool) {
	if h.Wind != nil {
		wind = *h.Wind
	}
	for _, p := range c.facts.Text.Periods {
		if p.Wind != nil && *p.Wind > wind && !t.Before(p.From) && t.Before(p.To) {
			wind, text = *p.Wind, true
		}
	}
	return wind, text
}

// wrap180 returns the equivalent angle in [-180, 180) degrees.
func wrap180(degrees float64) float64 {
	return math.Mod(math.Mod(degrees+180, 360)+360, 360) - 180
}

// weather measures thunderstorms, fog, visibility and further weather of both grid and text: land
// cells of the grid have no sea fog.
func (c *check) weather() {
	var unread []string
	severity := Info
	for _, h := range c.hours() {
		c.measureGiven("thunderstorms", WindForecast, h.From, h.Thunder)
		c.measureGiven("fog", WindForecast, h.From, h.Fog)
		c.measureGiven("visibility", WindForecast, h.From, h.Visibility)
		c.otherWeather(h.Other, WindForecast, h.From)
	}
	for _, p := range c.periods() {
		c.measureGiven("thunderstorms", MarineText, p.From, p.Thunder)
		c.measureGiven("fog", MarineText, p.From, p.Fog)
		c.measureGiven("visibility", MarineText, p.From, p.Visibility)
		c.otherWeather(p.Other, MarineText, p.From)
		if p.Unmeasured { // the numbers that are read may not be the worst
			severity = Watch
		}
		for _, sentence := range p.Unread {
			if !slices.Contains(unread, sentence) {
				unread = append(unread, sentence)
			}
		}
	}
	if len(unread) > 0 {
		c.measure(finding{code: unreadText, severity: severity, at: c.from, source: MarineText,
			quote: strings.Join(unread, ". ")})
	}
}

// otherWeather measures weather that has no field of its own.
func (c *check) otherWeather(w Weather, source string, at time.Time) {
	for i := range thresholds {
		if percent, given := w[thresholds[i].Code]; given {
			c.measureGiven(thresholds[i].Code, source, at, &percent)
		}
	}
}

// light measures the altitude of the sun.
func (c *check) light() {
	c.during(c.facts.Sun.Altitudes, func(t time.Time, v float64) {
		c.measure(finding{code: "darkness", value: v, at: t, source: Daylight})
	})
}

// ChartDatum is the datum of charted soundings.
const ChartDatum = "MLLW"

// temperature measures the water temperature.
func (c *check) temperature() {
	if w := c.facts.Water; w.Temperature != nil {
		c.measure(finding{code: "cold_water", value: *w.Temperature, at: w.Time,
			source: WaterTemperature, station: w.StationID})
	}
}

// rips measures the risk of rip currents.
func (c *check) rips() {
	for _, r := range c.risks() {
		severity := map[RipLevel]Severity{RipModerate: Watch, RipHigh: Action}[r.Level]
		c.measure(finding{code: ripCurrent, severity: severity, at: c.later(r.From),
			source: SurfForecast, risk: r.Level})
	}
}

// risks returns the risks of rip currents whose periods overlap the span.
func (c *check) risks() []RipRisk {
	var list []RipRisk
	for _, r := range c.facts.Surf.Risks {
		if r.From.Before(c.to) && r.To.After(c.from) {
			list = append(list, r)
		}
	}
	return list
}

const residualSource = "water-level-residual"

// alerts adds the alerts that overlap the span, one for each event, from the beginning of
// the first to the end of the last. An alert does not count at its end, like an hour of the
// grid.
func (c *check) alerts() {
	first := len(c.findings)
	for _, a := range c.facts.Alerts.List {
		if a.To != nil && !a.To.After(c.from) || a.From != nil && !a.From.Before(c.to) {
			continue
		}
		event := cmp.Or(a.Event, "Alert without a name")
		f := finding{
			code:     alertCode(event),
			severity: alertSeverity(event, a.Severity, c.activity),
			source:   MarineAlerts,
			station:  c.facts.Station.ID,
			at:       c.from,
			event:    event,
			until:    a.To,
		}
		if f.severity != eventSeverity(event, c.activity) {
			f.grave = graveSeverity(a.Severity)
		}
		if a.From != nil {
			f.at = c.later(*a.From)
		}
		i := slices.IndexFunc(c.findings[first:], func(have finding) bool { return have.code == f.code })
		if i < 0 {
			c.findings = append(c.findings, f)
			continue
		}
		have := &c.findings[first+i]
		if f.severity.rank() > have.severity.rank() { // of another CAP severity
			have.severity, have.grave = f.severity, f.grave
		}
		if f.at.Before(have.at) {
			have.at = f.at
		}
		if have.until != nil && (f.until == nil || f.until.After(*have.until)) {
			have.until = f.until
		}
	}
}
