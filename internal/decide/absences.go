package decide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
)

// read fills the findings and the missing facts of the span.
func (c *check) read() *check {
	c.air()
	waves{c}.sea()
	flows{waves{c}}.flow()
	c.weather()
	c.light()
	water{c}.level()
	c.temperature()
	water{c}.rising()
	water{c}.rate()
	c.rips()
	water{c}.flooding()
	slices.SortStableFunc(c.findings,
		func(a, b finding) int { return cmp.Compare(line(a.code), line(b.code)) })
	c.alerts()
	gaps{c}.absences()
	return c
}

// This file finds facts that are missing as a whole and facts that do not cover the span.

// gaps finds them.
type gaps struct{ *check }

// absences finds the facts that apply to the activity and are missing.
func (c gaps) absences() {
	for _, in := range inputs {
		n := in.needs[c.activity]
		if n < watches {
			continue
		}
		if l := c.lack(in, n); l.need > unused {
			c.lacking = append(c.lacking, l)
		}
	}
}

// lack returns how a fact is missing in the first of the hours of the span that need it most; the
// zero value if it is missing in none. A fact may be complete in one hour by the grid and in
// another by the text, and end before a third.
func (c gaps) lack(in input, n need) (worst lack) {
	for from := c.from; from.Before(c.to) && worst.need < n; from = from.Add(time.Hour) {
		hour := gaps{c.hour(from)}
		f := hour.fact(in.id)
		if f.Waived != "" {
			continue
		}
		how, why := hour.absence(in.id, f)
		if why == "" {
			continue
		}
		l := lack{in, cmp.Or(f.Code, "input_missing"), how, why, n}
		if hour.bearable(in.id, f) {
			l.need = watches
		}
		if l.need > worst.need {
			worst = l
		}
	}
	return worst
}

// bearable reports whether a missing fact that can raise action makes the state watch instead of
// unknown. This is so if no provider has a value, or if the value is a stale water temperature or,
// for boats, a stale level: these change slowly (ours), and a stale value still raises its reasons.
func (c gaps) bearable(id string, f Fact) bool {
	stale := f.Absent == "" && f.Source.Freshness == coast.Stale
	switch {
	case id == ObservedLevel && c.activity == CoastalLiving:
		return false
	case id == ObservedLevel || id == WaterTemperature:
		return f.None != "" || stale
	}
	return f.None != ""
}

// absence returns how a fact is missing and why; both are empty if it is not missing.
func (c gaps) absence(id string, f Fact) (how, why string) {
	switch {
	case f.Source.Kind == coast.Forecast && c.from.Sub(c.now) > forecastReach:
		return "missing", "forecasts reach 7 days ahead at most"
	case f.Absent != "":
		return "missing", f.Absent
	case f.None != "":
		return "missing", f.None
	case f.Source.Freshness == coast.Stale:
		return "stale", aged(f.Source)
	case f.Source.Freshness == coast.Unknown:
		return "undated", "its age is not known"
	}
	return "incomplete", c.gap(id)
}

func aged(s coast.Source) string {
	if s.AgeMinutes == nil {
		return "it is too old"
	}
	return fmt.Sprintf("it is %s old", length(time.Duration(*s.AgeMinutes)*time.Minute))
}

// fact returns the fact with the id as it applies to the span.
func (c *check) fact(id string) Fact {
	f := c.facts.fact(id)
	switch id {
	case SeaState:
		return gaps{c}.seas()
	case MarineText:
		return gaps{c}.text()
	case WaterTemperature:
		if f.Waived != "" && c.activity == SurfPaddle && (gaps{c}).coldWater() {
			f.Waived, f.None = "", f.Waived+", and the water can be cold here "+coldRule
		}
	case SurfForecast:
		return gaps{c}.surf()
	}
	return f
}

// coldWater applies coldRule to the station and the time from now to the end of the span: a later
// time must not need a temperature less than an earlier one.
func (c gaps) coldWater() bool {
	latitude := c.facts.Station.Latitude
	winter := func(t time.Time) bool {
		m := t.In(c.facts.Zone).Month()
		return m >= time.November || m <= time.April
	}
	const summer = 184 * 24 * time.Hour // May to October: a longer time has days of winter
	return math.Abs(latitude) > 35 ||
		latitude > 25 && (winter(c.now) || winter(c.from) || winter(c.to) || c.to.Sub(c.now) > summer)
}

// text returns the coastal waters text as it applies to the span. No office forecasts further ahead
// than some days: times beyond the end of a text of the usual length are missing like those beyond
// the surf zone forecast. A text that ends sooner is incomplete, for all later times.
func (c gaps) text() Fact {
	f, periods := c.facts.Text.Fact, c.facts.Text.Periods
	available := f.Waived == "" && f.Absent == "" && f.None == ""
	if !available || spent(f.Source.Freshness) || len(periods) == 0 {
		return f
	}
	ends := periods[0].To
	for _, p := range periods {
		if p.To.After(ends) {
			ends = p.To
		}
	}
	if c.to.After(ends) && ends.Sub(c.now) > farAhead {
		f.None = "the text ends at " + c.clock(ends)
	}
	return f
}

// surf returns the surf zone forecast as it applies to the span. Offices forecast the risk
// for today and one or two more days. Later times have no forecast yet: the fact is missing,
// however far ahead they are.
func (c gaps) surf() Fact {
	f, risks := c.facts.Surf.Fact, c.facts.Surf.Risks
	available := f.Waived == "" && f.Absent == "" && f.None == ""
	if !available || spent(f.Source.Freshness) || len(risks) == 0 {
		return f
	}
	begin, end := risks[0].From, risks[0].To
	for _, r := range risks { // periods with wrong names can overlap
		begin = earlier(begin, r.From)
		if r.To.After(end) {
			end = r.To
		}
	}
	switch {
	case begin.After(c.begins()):
		f.None = "the forecast begins at " + c.clock(begin)
	case end.Before(c.to):
		f.None = "the forecast ends at " + c.clock(end)
	}
	return f
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// surfGap describes a time of the span for which the surf zone forecast states no risk.
func (c gaps) surfGap() string {
	if len(c.facts.Surf.Risks) == 0 {
		return "it states no risk"
	}
	for _, r := range c.risks() {
		if r.Level == RipUnstated {
			return "it states no risk for " + c.clock(c.later(r.From))
		}
	}
	return ""
}

// gap describes what an available fact does not give for the span. A number that is not
// given is missing; it never counts as favorable.
func (c gaps) gap(id string) string {
	switch id {
	case TidePrediction:
		return c.uncovered(c.facts.Tide.Heights)
	case Daylight:
		return c.uncovered(c.facts.Sun.Altitudes)
	case WindForecast:
		return c.gridGap()
	case CurrentPrediction:
		return cmp.Or(c.uncovered(c.facts.Current.Velocities), c.undirected())
	case SeaState:
		return c.unmeasuredSeas()
	case MarineText:
		return c.textGap()
	case FloodThresholds:
		return unsaid(c.facts.Flood.Level)
	case ObservedLevel:
		return cmp.Or(unsaid(c.facts.Level.Height), unsaid(c.facts.Level.Residual))
	case WaterTemperature:
		return unsaid(c.facts.Water.Temperature)
	case SurfForecast:
		return c.surfGap()
	}
	return ""
}

// textGap describes a time of the span that no period of the text covers.
func (c gaps) textGap() string {
	if len(c.facts.Text.Periods) == 0 {
		return "it has no periods"
	}
	reached := c.begins()
	for reached.Before(c.to) {
		further := reached
		for _, p := range c.periods() {
			if !p.From.After(reached) && p.To.After(further) {
				further = p.To
			}
		}
		if further.Equal(reached) {
			return "it says nothing of " + c.clock(reached)
		}
		reached = further
	}
	return ""
}

// begins returns the start of the part of the span that forecasts must cover. Forecasts do
// not cover the past, and the span may have begun in the past.
func (c gaps) begins() time.Time {
	if c.from.Before(c.now) {
		return c.now
	}
	return c.from
}

func unsaid(v *float64) string {
	if v == nil {
		return "it gives no number"
	}
	return ""
}

func (c gaps) uncovered(s Series) string {
	if c.covers(s) {
		return ""
	}
	return "it does not cover the assessed span"
}

// gridGap describes the first value that the grid does not give for the span.
func (c gaps) gridGap() string {
	reached := c.begins()
	for _, h := range c.hours() {
		if h.From.After(reached) {
			break
		}
		for _, part := range []struct {
			name  string
			value *float64
		}{{"wind", h.Wind}, {"gust", h.Gust}, {"weather", h.Thunder}, {"weather", h.Fog}} {
			if part.value == nil {
				if why := c.unreadUnit(part.name); why != "" {
					return why
				}
				return fmt.Sprintf("the grid gives no %s for %s, which does not mean none", part.name,
					c.clock(c.later(h.From)))
			}
		}
		reached = h.To
	}
	if reached.Before(c.to) {
		return "the grid does not reach " + c.clock(c.to)
	}
	return cmp.Or(c.unreadUnit("visibility"), c.blind())
}

// unreadUnit describes the values of a name that the grid gives in a unit that is not known, or
// returns "".
func (c gaps) unreadUnit(name string) string {
	unit := c.facts.Grid.Unread[name]
	if unit == "" {
		return ""
	}
	return fmt.Sprintf("the grid gives the %s in a unit that is not known here, %q", name, unit)
}

// blind describes a time at which the wind has no direction although the current is strong
// enough to matter.
func (c gaps) blind() (why string) {
	if threshold("wind_against_current").For(c.activity) {
		c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
			if why != "" || math.Abs(v) < againstSlow {
				return
			}
			h, ok := c.hourAt(t)
			if wind, _ := c.windAt(h, t); ok && h.Direction == nil && wind >= againstWatch {
				why = fmt.Sprintf("the grid gives no wind direction for %s, "+
					"when the wind may oppose a current", c.clock(t))
			}
		})
	}
	return why
}

// undirected describes a time at which the current has no published direction although
// seas or wind are strong enough to matter.
func (c gaps) undirected() (why string) {
	c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
		if why != "" || c.toward(v) != nil || math.Abs(v) < againstSlow {
			return
		}
		if waves(c).roughOn(t, v) {
			why = fmt.Sprintf("NOAA publishes no direction for the current of %s, "+
				"which seas may oppose", c.clock(t))
			return
		}
		h, ok := c.hourAt(t)
		if wind, _ := c.windAt(h, t); ok && wind >= againstWatch {
			why = fmt.Sprintf("NOAA publishes no direction for the current of %s, "+
				"which the wind may oppose", c.clock(t))
		}
	})
	return why
}

// seas returns the fact about the seas in the span: from the grid if it has waves, else
// from the text. If both are available and neither has seas, none are forecast for this
// water, and the fact does not apply.
func (c gaps) seas() Fact {
	grid, text := c.facts.Grid, c.facts.Text
	f := Fact{Source: grid.Source}
	f.Source.ID, f.Source.Label = SeaState, "Waves of the hourly forecast grid"
	byText := text.Absent == "" && text.Waived == "" && c.seasInText()
	givesSeas := func(p Period) bool { return p.Seas != nil }
	if c.activity == CoastalLiving { // the text is about the open water, not about the place
		f.Absent, f.Code = grid.Absent, grid.Code
		if grid.Absent == "" && !grid.Waves {
			f.Waived = "the grid has no waves at the place"
		}
		return f
	}
	switch {
	case grid.Absent == "" && grid.Waves && (!byText || c.wavesThroughout()):
	case byText:
		f.Source = text.Source
		f.Source.ID, f.Source.Label = SeaState, "Seas of the coastal waters text"
	case grid.Absent != "":
		f.Absent, f.Code = grid.Absent, grid.Code
	case text.Absent != "":
		f.Absent, f.Code = "the grid has no waves here, and of the text: "+text.Absent, text.Code
	case text.Waived == "" && slices.ContainsFunc(text.Periods, givesSeas):
		f.Absent = "the grid has no waves here, " +
			"and the text does not give them throughout the assessed span"
	default:
		f.Waived = "neither the grid nor the text forecasts seas here"
	}
	return f
}

// seasInText reports whether the text gives seas throughout the span.
func (c gaps) seasInText() bool {
	return c.textGap() == "" &&
		!slices.ContainsFunc(c.periods(), func(p Period) bool { return p.Seas == nil })
}

// wavesThroughout reports whether the grid gives heights throughout the span.
func (c gaps) wavesThroughout() bool {
	hours := c.hours()
	return len(hours) > 0 && !hours[len(hours)-1].To.Before(c.to) &&
		!slices.ContainsFunc(hours, func(h Hour) bool { return h.Height == nil })
}

// unmeasuredSeas describes what the grid does not give about the seas although it has
// waves.
func (c gaps) unmeasuredSeas() string {
	why := cmp.Or(c.unreadUnit("seas"), c.undirectedSeas())
	if why != "" || !c.facts.Grid.Waves {
		return why
	}
	if !c.wavesThroughout() && (c.activity == CoastalLiving || !c.seasInText()) {
		return "the grid does not give the wave height throughout the assessed span"
	}
	if threshold("steep_seas").For(c.activity) {
		for _, h := range c.hours() {
			if h.Height != nil && h.Period == nil && *h.Height >= steepFrom {
				return fmt.Sprintf("the grid gives no wave period for %s, "+
					"so how steep they are is not known", c.clock(c.later(h.From)))
			}
		}
	}
	return cmp.Or(c.swellGap(), c.runupGap())
}

// runupGap describes the first hour whose seas are high enough to run up the shore and have no
// period.
func (c gaps) runupGap() string {
	if !threshold(waveRunup).For(c.activity) {
		return ""
	}
	for _, h := range c.hours() {
		if h.Height != nil && *h.Height >= runupSeas && h.longestPeriod() == nil {
			return fmt.Sprintf("the grid gives no wave period for %s, "+
				"so the run-up of its waves is not known", c.clock(c.later(h.From)))
		}
	}
	return ""
}

// swellGap describes the first hour whose swell is high enough for sneaker waves and has no
// period. Where the grid gives no swell, the seas may hide one of a longer period than theirs.
func (c gaps) swellGap() string {
	if !threshold("long_swell").For(c.activity) {
		return ""
	}
	for _, h := range c.hours() {
		for _, s := range h.swells() {
			unsaid := s.Period == nil || !h.hasSwell() && *s.Period < swellPeriod
			if unsaid && *s.Height >= swellLimit(swellLongest) {
				return fmt.Sprintf("the grid gives no swell period for %s, "+
					"so the run-up of its waves is not known", c.clock(c.later(h.From)))
			}
		}
	}
	return ""
}

// undirectedSeas describes a time at which seas of unknown direction may run against a
// current.
func (c gaps) undirectedSeas() (why string) {
	c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
		if why == "" && waves(c).roughOn(t, v) && waves(c).wavesFrom(t) == nil {
			why = fmt.Sprintf("the grid gives no wave direction for %s, "+
				"when a current may oppose the waves", c.clock(t))
		}
	})
	return why
}

// holds reports whether a fact is complete enough to support a highlight or a score.
func (c *check) holds(id string) bool {
	if f := c.fact(id); f.Waived != "" || f.Absent != "" || f.None != "" {
		return false
	}
	for _, l := range c.lacking {
		if l.id == id ||
			id != MarineText && l.id == MarineText && (id == WindForecast || id == SeaState) {
			return false
		}
	}
	return true
}
