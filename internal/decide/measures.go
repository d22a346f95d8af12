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

// sea measures the seas of grid and text, and the steepness of the seas of the grid.
func (c *check) sea() {
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
func (c *check) longSwell(trains []Swell, source string, at time.Time) {
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

// swellLimit returns the height from which a swell of a period is long_swell, ft.
func swellLimit(period float64) float64 { return round(swellFrom*swellPeriod/period, 1000) }

// runup measures seas that run up the shore. Their period is the longest that the grid gives.
func (c *check) runup(h Hour) {
	period := h.longestPeriod()
	if h.Height != nil && *h.Height >= runupSeas && period != nil && *period >= runupPeriod {
		c.measure(finding{code: waveRunup, severity: Watch, value: *h.Height, threshold: runupSeas,
			at: c.later(h.From), source: SeaState, period: *period})
	}
}

func (c *check) steep(h Hour) {
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

// flow measures the current, alone and against wind and seas.
func (c *check) flow() {
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

// roughOn reports whether seas and a current, in any direction, are both strong enough to
// make breaking seas for the activity.
func (c *check) roughOn(t time.Time, v float64) bool {
	matters := threshold("seas_against_current").For(c.activity)
	return matters && math.Abs(v) >= seasFast && c.seasAt(t) >= seasFrom
}

// breaking measures a current that runs against high seas.
func (c *check) breaking(t time.Time, v float64) {
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
func (c *check) seasAt(t time.Time) (height float64) {
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
func (c *check) wavesFrom(t time.Time) *float64 {
	h, ok := c.hourAt(t)
	if !ok {
		return nil
	}
	return h.WavesFrom
}

// against returns the finding for a current against a wind, and whether the two oppose each other
// and are strong enough to matter.
func (c *check) against(t time.Time, v float64) (finding, bool) {
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

// toward returns the direction toward which a current flows, or nil if NOAA does not publish
// it.
func (c *check) toward(velocity float64) *float64 {
	if velocity < 0 {
		return c.facts.Current.Ebb
	}
	return c.facts.Current.Flood
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

// level measures the lowest water level if its datum is the chart datum.
func (c *check) level() {
	if c.facts.Tide.Datum != ChartDatum {
		return
	}
	if lowest, at, ok := c.extreme(false); ok {
		c.measure(finding{code: "low_water", value: lowest, at: at, source: TidePrediction, height: true})
		c.blowout(lowest, at)
	}
}

// blowout measures a gauge below its prediction. The limits look at residual and prediction
// together, but no number that is reported adds them: the value is the residual, and the threshold
// is the limit minus the predicted level.
func (c *check) blowout(lowest float64, at time.Time) {
	residual := c.facts.Level.Residual
	if c.tooFarForGauge() || residual == nil || *residual >= 0 {
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

// ChartDatum is the datum of charted soundings.
const ChartDatum = "MLLW"

// extreme returns the highest or lowest predicted level of the span, which is a turn or one
// of the ends of the span.
func (c *check) extreme(high bool) (level float64, when time.Time, ok bool) {
	take := func(t time.Time, v float64) {
		if !ok || v > level == high && v != level {
			level, when, ok = v, t, true
		}
	}
	for _, e := range c.facts.Tide.Turns { // first: the step next to a turn can be as high
		if e.High == high && !e.Time.Before(c.from) && !e.Time.After(c.to) {
			take(e.Time, e.Height)
		}
	}
	c.during(c.facts.Tide.Heights, take)
	return level, when, ok
}

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

// rate measures the rate at which the water rises within the span.
func (c *check) rate() {
	perHour, last := float64(time.Hour)/float64(max(1, c.facts.Tide.Heights.Step)), math.NaN()
	c.during(c.facts.Tide.Heights, func(t time.Time, v float64) {
		if rate := round((v-last)*perHour, 100); rate > 0 { // not of the first value
			c.measure(finding{code: "fast_rise", value: rate, at: t, source: TidePrediction})
		}
		last = v
	})
}

// rose returns the predicted rise in feet between two times. It returns infinity if the
// series does not cover the span: an unknown rise must not count as small.
func (c *check) rose(from, to time.Time) float64 {
	s := c.facts.Tide.Heights
	if !c.covers(s) {
		return math.Inf(1)
	}
	low, high := math.Inf(1), math.Inf(-1)
	c.during(s, func(t time.Time, v float64) {
		if !t.Before(from) && !t.After(to) {
			low, high = min(low, v), max(high, v)
		}
	})
	return round(high-low, 1000)
}

// rising measures how long after low water the level still rises within the span. A rise of
// less than leastRise within the span does not count.
func (c *check) rising() {
	turns := c.facts.Tide.Turns
	for i, low := range turns {
		if low.High {
			continue
		}
		until := c.to
		if i+1 < len(turns) && turns[i+1].Time.Before(until) {
			until = turns[i+1].Time
		}
		if until.After(c.from) && until.After(low.Time) && c.rose(c.later(low.Time), until) >= leastRise {
			c.measure(finding{
				code:   "rising_tide",
				value:  math.Round(until.Sub(low.Time).Minutes()),
				at:     until,
				source: TidePrediction,
			})
		}
	}
}

const residualSource = "water-level-residual"

// flooding compares the predicted level, the observed level and the residual with the flood
// level. These are three reasons from three sources; they are never added.
func (c *check) flooding() {
	flood := c.facts.Flood.Level
	if flood == nil || c.activity != CoastalLiving {
		return
	}
	highest, when, ok := c.extreme(true)
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
	if gauge.Residual == nil || !ok {
		return
	}
	c.measure(c.surge(*gauge.Residual, round(*flood-highest, 1000)))
}

// surge returns the finding for a residual, given the feet left between the prediction and the
// flood level. A residual that reaches the flood level is an action; a residual that leaves less
// than a foot is a watch. If the prediction alone comes that close, it already raises the watch.
func (c *check) surge(residual, left float64) finding {
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
func (c *check) floodwards(f finding, flood float64) {
	l := limits{watch: at(round(flood-floodNear, 1000)), action: at(flood)}
	s, b := l.severity(f.value, false)
	f.severity, f.threshold, f.height = s, b.value, true
	c.measure(f)
}

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
