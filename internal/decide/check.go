package decide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
)

// check holds the facts of one span against the table.
type check struct {
	facts    *Facts
	activity Activity
	from, to time.Time // the span; both ends are in it
	now      time.Time

	findings []finding // each code once, its worst value, in the order of the table; unraised ones without severity
	lacking  []lack
}

// finding is the worst value of a quantity, and what it raises.
type finding struct {
	code      string
	severity  Severity // empty: nothing
	value     float64
	unit      string  // empty: there are no numbers
	threshold float64 // where there is a severity
	past      bool    // only what lies beyond the threshold reaches it
	down      bool
	at        time.Time // zero: none
	source    string
	station   string
	height    bool // the value stands above the datum

	wind, from float64    // of wind_against_current: kn, degrees
	period     float64    // of steep_seas: s
	event      string     // of an alert
	until      *time.Time // of an alert; nil until further notice
}

// lack is a fact that applies and is missing.
type lack struct {
	id, code, why string
	need          need
}

func newCheck(r Request, f *Facts) *check {
	return &check{facts: f, activity: r.Activity, from: r.At, to: r.At.Add(r.Activity.Span()), now: r.Now}
}

// read finds all that the span holds.
func (c *check) read() *check {
	c.air()
	c.sea()
	c.flow()
	c.weather()
	c.light()
	c.level()
	c.temperature()
	c.rising()
	c.flooding()
	slices.SortStableFunc(c.findings, func(a, b finding) int { return cmp.Compare(line(a.code), line(b.code)) })
	c.alerts()
	c.absences()
	return c
}

// line is a code's place in the table.
func line(code string) int {
	return slices.IndexFunc(thresholds, func(t Threshold) bool { return t.Code == code })
}

// measure holds a value of a quantity against its bounds for the activity,
// and keeps the worst.
func (c *check) measure(f finding) {
	t := threshold(f.code)
	if !t.For(c.activity) {
		return
	}
	if t.cell == "" { // where it has words, the limits depend on a second number
		s, b := t.limits(c.activity, c.facts.Floor).severity(f.value, t.Down)
		f.severity, f.threshold, f.past = s, b.value, b.past
	}
	f.unit, f.down = t.Unit, t.Down
	if f.station == "" {
		f.station = c.facts.Station.ID
	}
	i := slices.IndexFunc(c.findings, func(have finding) bool { return have.code == f.code })
	if i < 0 {
		c.findings = append(c.findings, f)
	} else if f.worse(c.findings[i]) {
		c.findings[i] = f
	}
}

func (f finding) worse(than finding) bool {
	switch {
	case f.severity != than.severity:
		return f.severity.rank() > than.severity.rank()
	case f.value == than.value:
		return f.at.Before(than.at)
	}
	return f.value > than.value != f.down
}

// has reports whether a code was measured.
func (c *check) has(code string) bool { return c.found(code) != nil }

// found is the worst value of a quantity, nil where there is none.
func (c *check) found(code string) *finding {
	i := slices.IndexFunc(c.findings, func(f finding) bool { return f.code == code })
	if i < 0 {
		return nil
	}
	return &c.findings[i]
}

// during yields the part of a series in the span.
func (c *check) during(s Series, yield func(t time.Time, v float64)) {
	if len(s.Values) == 0 || s.Step <= 0 {
		return
	}
	first := max(0, int(math.Ceil(float64(c.from.Sub(s.Start))/float64(s.Step))))
	for i := first; i < len(s.Values); i++ {
		t := s.Start.Add(time.Duration(i) * s.Step)
		if t.After(c.to) {
			return
		}
		yield(t, s.Values[i])
	}
}

// covers reports whether a series says something of the whole span.
func (c *check) covers(s Series) bool {
	return len(s.Values) > 0 && !c.from.Before(s.Start) && !c.to.After(s.Start.Add(time.Duration(len(s.Values)-1)*s.Step))
}

// hours are those of the grid that the span touches.
func (c *check) hours() []Hour {
	hours := c.facts.Grid.Hours
	first := slices.IndexFunc(hours, func(h Hour) bool { return h.To.After(c.from) })
	if first < 0 {
		return nil
	}
	end := first
	for end < len(hours) && hours[end].From.Before(c.to) {
		end++
	}
	return hours[first:end]
}

// periods are those of the text that the span touches.
func (c *check) periods() []Period {
	var list []Period
	for _, p := range c.facts.Text.Periods {
		if p.From.Before(c.to) && p.To.After(c.from) {
			list = append(list, p)
		}
	}
	return list
}

// later is the first instant of a stretch that lies in the span.
func (c *check) later(t time.Time) time.Time {
	if t.Before(c.from) {
		return c.from
	}
	return t
}

// told measures a number that may not have been said.
func (c *check) told(code, source string, at time.Time, v *float64) {
	if v != nil {
		c.measure(finding{code: code, value: *v, at: c.later(at), source: source})
	}
}

// air measures wind and gusts, of grid and text alike: land cells of the grid
// under-read the wind over the water.
func (c *check) air() {
	for _, h := range c.hours() {
		c.told("wind", WindForecast, h.From, h.Wind)
		c.told("gust", WindForecast, h.From, h.Gust)
	}
	for _, p := range c.periods() {
		c.told("wind", MarineText, p.From, p.Wind)
		c.told("gust", MarineText, p.From, p.Gust)
	}
}

// sea measures the seas of grid and text, and how steep those of the grid are.
func (c *check) sea() {
	for _, p := range c.periods() {
		c.told("seas", MarineText, p.From, p.Seas)
	}
	if !c.facts.Grid.Waves {
		return
	}
	for _, h := range c.hours() {
		c.told("seas", SeaState, h.From, h.Height)
		if h.Height != nil && h.Period != nil {
			c.steep(h)
		}
	}
}

func (c *check) steep(h Hour) {
	limit := round(max(steepFrom, steepness**h.Period**h.Period), 1000)
	if *h.Height >= limit {
		c.measure(finding{code: "steep_seas", severity: Action, value: *h.Height, threshold: limit, at: c.later(h.From), source: SeaState, period: *h.Period})
	}
}

// flow measures the current, and where it runs against the wind.
func (c *check) flow() {
	if c.facts.Current.Absent != "" || c.facts.Current.Waived != "" {
		return
	}
	c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
		speed := math.Abs(v)
		c.measure(finding{code: "current", value: speed, at: t, source: CurrentPrediction, station: c.facts.Current.StationID})
		if against, wind, from := c.against(t, v); against {
			c.measure(c.pairing(t, speed, wind, from))
		}
	})
}

// pairing is what a current and a wind against it raise together.
func (c *check) pairing(t time.Time, speed, wind, from float64) finding {
	f := finding{code: "wind_against_current", severity: Watch, threshold: againstSlow, value: speed, at: t, source: CurrentPrediction, station: c.facts.Current.StationID, wind: wind, from: from}
	if wind >= againstAct && speed >= againstFast {
		f.severity, f.threshold = Action, againstFast
	}
	return f
}

// against reports whether the current at a time runs against the wind, both
// strong enough to matter, and that wind.
func (c *check) against(t time.Time, v float64) (yes bool, wind, from float64) {
	speed := math.Abs(v)
	toward := c.toward(v)
	if toward == nil || speed < againstSlow {
		return false, 0, 0
	}
	h, ok := c.hourAt(t)
	if !ok || h.Direction == nil {
		return false, 0, 0
	}
	wind, known := c.windAt(h, t)
	if !known || wind < againstWatch || math.Abs(wrap180(*toward-*h.Direction)) > opposed {
		return false, 0, 0
	}
	return true, wind, *h.Direction
}

// toward is where a current of a velocity goes, nil where NOAA has not said.
func (c *check) toward(velocity float64) *float64 {
	if velocity < 0 {
		return c.facts.Current.Ebb
	}
	return c.facts.Current.Flood
}

// hourAt is the hour of the grid that holds a time.
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

// windAt is the worse of what grid and text say of the wind at a time.
func (c *check) windAt(h Hour, t time.Time) (wind float64, known bool) {
	if h.Wind != nil {
		wind, known = *h.Wind, true
	}
	for _, p := range c.facts.Text.Periods {
		if p.Wind != nil && !t.Before(p.From) && t.Before(p.To) {
			wind, known = max(wind, *p.Wind), true
		}
	}
	return wind, known
}

// wrap180 brings an angle to -180 up to 180 degrees.
func wrap180(degrees float64) float64 {
	return math.Mod(math.Mod(degrees+180, 360)+360, 360) - 180
}

// weather measures thunderstorms, fog and visibility.
func (c *check) weather() {
	for _, h := range c.hours() {
		c.told("thunderstorms", WindForecast, h.From, h.Thunder)
		c.told("fog", WindForecast, h.From, h.Fog)
		c.told("visibility", WindForecast, h.From, h.Visibility)
	}
}

// light measures how low the sun stands.
func (c *check) light() {
	c.during(c.facts.Sun.Altitudes, func(t time.Time, v float64) {
		c.measure(finding{code: "darkness", value: v, at: t, source: Daylight})
	})
}

// level measures how low the water falls, where its datum is that of charts.
func (c *check) level() {
	if c.facts.Tide.Datum != chartDatum {
		return
	}
	if lowest, at, ok := c.extreme(false); ok {
		c.measure(finding{code: "low_water", value: lowest, at: at, source: TidePrediction, height: true})
	}
}

const chartDatum = "MLLW"

// extreme is the highest or lowest predicted level of the span: a turn, or
// one of its ends.
func (c *check) extreme(high bool) (level float64, when time.Time, ok bool) {
	take := func(t time.Time, v float64) {
		if !ok || v > level == high && v != level {
			level, when, ok = v, t, true
		}
	}
	for _, e := range c.facts.Tide.Turns { // first: the step beside a turn can be as high
		if e.High == high && !e.Time.Before(c.from) && !e.Time.After(c.to) {
			take(e.Time, e.Height)
		}
	}
	c.during(c.facts.Tide.Heights, take)
	return level, when, ok
}

// temperature measures the water.
func (c *check) temperature() {
	if w := c.facts.Water; w.Temperature != nil {
		c.measure(finding{code: "cold_water", value: *w.Temperature, at: w.Time, source: WaterTemperature})
	}
}

// rising measures how long after a low the water still rises within the span.
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
		if until.After(c.from) && until.After(low.Time) {
			c.measure(finding{code: "rising_tide", value: math.Round(until.Sub(low.Time).Minutes()), at: until, source: TidePrediction})
		}
	}
}

const residualSource = "water-level-residual"

// flooding measures the predicted level, the gauge's own and the residual
// against the flood level: three reasons of three sources, never a sum.
func (c *check) flooding() {
	flood := c.facts.Flood.Level
	if flood == nil || c.activity != CoastalLiving {
		return
	}
	highest, when, ok := c.extreme(true)
	if ok {
		c.floodwards(finding{code: "flooding_predicted", value: highest, at: when, source: TidePrediction}, *flood)
	}
	gauge := c.facts.Level
	if c.tooFarForGauge() || gauge.Height == nil {
		return
	}
	c.floodwards(finding{code: "flooding_observed", value: *gauge.Height, at: gauge.Time, source: ObservedLevel}, *flood)
	if gauge.Residual == nil || !ok {
		return
	}
	f := finding{code: "flooding_residual", value: *gauge.Residual, at: gauge.Time, source: residualSource}
	if left := round(*flood-highest, 1000); *gauge.Residual >= left {
		f.severity, f.threshold = Action, left
	}
	c.measure(f)
}

// floodwards measures a level against the flood level.
func (c *check) floodwards(f finding, flood float64) {
	l := limits{watch: at(round(flood-floodNear, 1000)), action: at(flood)}
	s, b := l.severity(f.value, false)
	f.severity, f.threshold, f.height = s, b.value, true
	c.measure(f)
}

func (c *check) tooFarForGauge() bool { return c.from.Sub(c.now) > gaugeReach }

// alerts adds those that meet the span, one of each event: from the beginning
// of the first to the end of the last.
func (c *check) alerts() {
	first := len(c.findings)
	for _, a := range c.facts.Alerts.List {
		if a.To != nil && a.To.Before(c.from) || a.From != nil && a.From.After(c.to) {
			continue
		}
		f := finding{code: alertCode(a.Event), severity: alertSeverity(a.Event, c.activity), source: MarineAlerts, station: c.facts.Station.ID, at: c.from, event: a.Event, until: a.To}
		if a.From != nil {
			f.at = c.later(*a.From)
		}
		i := slices.IndexFunc(c.findings[first:], func(have finding) bool { return have.code == f.code })
		if i < 0 {
			c.findings = append(c.findings, f)
			continue
		}
		have := &c.findings[first+i]
		if f.at.Before(have.at) {
			have.at = f.at
		}
		if have.until != nil && (f.until == nil || f.until.After(*have.until)) {
			have.until = f.until
		}
	}
}

// absences finds the facts that apply to the activity and are missing.
func (c *check) absences() {
	for _, in := range inputs {
		n := in.needs[c.activity]
		if n < watches {
			continue
		}
		f := c.fact(in.id)
		if f.Waived != "" {
			continue
		}
		if why := c.absence(in.id, f); why != "" {
			c.lacking = append(c.lacking, lack{in.id, cmp.Or(f.Code, "input_missing"), why, n})
		}
	}
}

// absence is why a fact counts as missing, empty where it does not.
func (c *check) absence(id string, f Fact) string {
	switch {
	case f.Source.Kind == coast.Forecast && c.from.Sub(c.now) > forecastReach:
		return "no forecast reaches more than 7 days ahead"
	case f.Absent != "":
		return f.Absent
	case f.Source.Freshness == coast.Stale:
		return "what there is of it is stale" + aged(f.Source)
	case f.Source.Freshness == coast.Unknown:
		return "its age is not known"
	}
	return c.gap(id)
}

func aged(s coast.Source) string {
	if s.AgeMinutes == nil {
		return ""
	}
	return fmt.Sprintf(", %s old", length(time.Duration(*s.AgeMinutes)*time.Minute))
}

// fact is a fact as it applies to the span.
func (c *check) fact(id string) Fact {
	f := c.facts.fact(id)
	switch id {
	case SeaState:
		return c.seas()
	case MarineText:
		if f.Waived == "" && f.Absent == "" && !spent(f.Source.Freshness) && len(c.facts.Text.Periods) > 0 && c.beyondText() {
			f.Waived = "the text ends before the assessed span does"
		}
	case ObservedLevel:
		if f.Waived == "" && c.tooFarForGauge() {
			f.Waived = "the gauge says nothing of times more than 6 h ahead"
		}
	}
	return f
}

// beyondText reports whether the span reaches beyond the text's periods.
func (c *check) beyondText() bool {
	return !slices.ContainsFunc(c.facts.Text.Periods, func(p Period) bool { return !p.To.Before(c.to) })
}

// gap is what a fact that was had does not say of the span: a number that is
// not said is missing, never good news.
func (c *check) gap(id string) string {
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
		if len(c.facts.Text.Periods) == 0 {
			return "it holds no period"
		}
	case FloodThresholds:
		return unsaid(c.facts.Flood.Level)
	case ObservedLevel:
		return unsaid(c.facts.Level.Height)
	case WaterTemperature:
		return unsaid(c.facts.Water.Temperature)
	}
	return ""
}

func unsaid(v *float64) string {
	if v == nil {
		return "it says no number"
	}
	return ""
}

func (c *check) uncovered(s Series) string {
	if c.covers(s) {
		return ""
	}
	return "it does not cover the assessed span"
}

// gridGap is the first thing that the grid does not say of the span.
func (c *check) gridGap() string {
	reached := c.from
	for _, h := range c.hours() {
		if h.From.After(reached) {
			break
		}
		for _, part := range []struct {
			name  string
			value *float64
		}{{"wind", h.Wind}, {"gust", h.Gust}, {"weather", h.Thunder}, {"weather", h.Fog}} {
			if part.value == nil {
				return fmt.Sprintf("the grid says no %s for %s, which is not none", part.name, c.clock(c.later(h.From)))
			}
		}
		reached = h.To
	}
	if reached.Before(c.to) {
		return "the grid does not reach " + c.clock(c.to)
	}
	return c.blind()
}

// blind: a wind without a direction cannot be held against a current that
// would matter.
func (c *check) blind() (why string) {
	if threshold("wind_against_current").For(c.activity) {
		c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
			if why != "" || math.Abs(v) < againstSlow {
				return
			}
			h, ok := c.hourAt(t)
			if wind, _ := c.windAt(h, t); ok && h.Direction == nil && wind >= againstWatch {
				why = fmt.Sprintf("the grid says no direction of the wind for %s, when a current runs that it may stand against", c.clock(t))
			}
		})
	}
	return why
}

// undirected: nor can a current whose direction NOAA has not published.
func (c *check) undirected() (why string) {
	c.during(c.facts.Current.Velocities, func(t time.Time, v float64) {
		if why != "" || c.toward(v) != nil || math.Abs(v) < againstSlow {
			return
		}
		h, ok := c.hourAt(t)
		if wind, _ := c.windAt(h, t); ok && wind >= againstWatch {
			why = fmt.Sprintf("NOAA publishes no direction of the current of %s, when wind stands that may run against it", c.clock(t))
		}
	})
	return why
}

// seas is the fact of the seas in the span: the grid's where it has waves,
// else the text's. Where both answered and neither has any, the water is one
// that no seas are forecast for, and the fact does not apply.
func (c *check) seas() Fact {
	grid, text := c.facts.Grid, c.facts.Text
	f := Fact{Source: grid.Source}
	f.Source.ID, f.Source.Label = SeaState, "Waves of the hourly forecast grid"
	byText := text.Absent == "" && text.Waived == "" && c.seasInText()
	switch {
	case grid.Absent == "" && grid.Waves && (!byText || c.wavesThroughout()):
	case byText:
		f.Source = text.Source
		f.Source.ID, f.Source.Label = SeaState, "Seas of the coastal waters text"
	case grid.Absent != "":
		f.Absent, f.Code = grid.Absent, grid.Code
	case text.Absent != "":
		f.Absent, f.Code = "the grid has no waves here, and of the text: "+text.Absent, text.Code
	case text.Waived == "" && slices.ContainsFunc(text.Periods, func(p Period) bool { return p.Seas != nil }):
		f.Absent = "the grid has no waves here, and the text does not give them throughout the assessed span"
	default:
		f.Waived = "neither the grid nor the text forecasts seas here"
	}
	return f
}

// seasInText reports whether the text gives seas throughout the span.
func (c *check) seasInText() bool {
	periods := c.periods()
	return len(periods) > 0 && !c.beyondText() && !slices.ContainsFunc(periods, func(p Period) bool { return p.Seas == nil })
}

// wavesThroughout reports whether the grid gives heights throughout the span.
func (c *check) wavesThroughout() bool {
	hours := c.hours()
	return len(hours) > 0 && !hours[len(hours)-1].To.Before(c.to) && !slices.ContainsFunc(hours, func(h Hour) bool { return h.Height == nil })
}

// unmeasuredSeas is what is not said of the seas where the grid has waves.
func (c *check) unmeasuredSeas() string {
	if !c.facts.Grid.Waves {
		return ""
	}
	if !c.wavesThroughout() && !c.seasInText() {
		return "the grid does not say the height of the waves throughout the assessed span"
	}
	if threshold("steep_seas").For(c.activity) {
		for _, h := range c.hours() {
			if h.Height != nil && h.Period == nil && *h.Height >= steepFrom {
				return fmt.Sprintf("the grid says no period of the waves for %s, so how steep they are is not known", c.clock(c.later(h.From)))
			}
		}
	}
	return ""
}

// gauge is the nearest gauge, where it has something to say.
func (c *check) gauge() *Gauge {
	if c.activity != CoastalLiving || c.tooFarForGauge() {
		return nil
	}
	return c.facts.Gauge
}

func round(v, steps float64) float64 { return math.Round(v*steps)/steps + 0 }
