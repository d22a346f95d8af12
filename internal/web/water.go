package web

import (
	"cmp"
	"html/template"
	"math"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/tides"
)

// tideView is the predicted tide of a station.
type tideView struct {
	Now      *tideNow
	Unit     string
	Datum    string
	Epoch    string
	Datums   []string
	Kinds    string // prediction, or prediction and observation
	Chart    *figure
	Observed bool  // the chart has an observed line
	Levels   asked // of the observed levels
	Days     []tideDay
	Changes  []string // days with a change of the clock
	Bad      string   // why there is no chart
}

// tideNow is the predicted height at the present time.
type tideNow struct {
	Height, Trend         string
	Next, NextAt, NextDay string
	NextHeight, NextIn    string
}

// tideDay is a row of the table.
type tideDay struct {
	Name   string
	Events []tideCell
	Sun    string
}

type tideCell struct {
	High   bool
	At     template.HTML
	Height string
}

// tideParts are the results that the tide is drawn from.
type tideParts struct {
	days          outcome[tides.TidePredictions] // of the table
	curve, events outcome[tides.TidePredictions] // of the chart
	now           outcome[tides.TidePredictions] // if the chart does not contain the present

	levels, latest outcome[levels.WaterLevels]
	floods         outcome[directory.StationFloodLevels]
}

// askTide requests the predicted tide: for the month to print the table, otherwise the chart
// too, with what is drawn over it.
func (b *stationBuilder) askTide(g *gathering) {
	if b.info.PredictionKind == "none" {
		b.v.NoTide = "NOAA predicts no tide here."
		if note := weakNote(b.info); note != "" {
			b.v.NoTide = note
		}
		if b.info.GreatLakes() {
			b.v.NoTide = "NOAA predicts no tide on the Great Lakes: wind and rain move the water there."
		}
		return
	}
	b.fixDatum()
	parts := &tideParts{}
	midnight := b.p.midnight()
	compute(g, &parts.days, b.site.Set.Tides.TidePredictions,
		b.tideInput("hilo", midnight, midnight.AddDate(0, 0, b.p.tableDays()).Add(-time.Minute)))
	if b.p.Days == month {
		b.add(func() { b.tideOf(parts.days) })
		return
	}
	b.askTideChart(g, parts)
	b.add(func() { b.layTide(parts) })
}

// askTideChart requests what the chart of the tide shows, and the present height.
func (b *stationBuilder) askTideChart(g *gathering, parts *tideParts) {
	from, to := b.p.spanOf()
	set := b.site.Set
	g.prepare(func() { b.light() })
	compute(g, &parts.curve, set.Tides.TidePredictions, b.tideInput("6", from, to))
	compute(g, &parts.events, set.Tides.TidePredictions, b.tideInput("hilo", from, to))
	if !b.p.chartsNow() {
		compute(g, &parts.now, set.Tides.TidePredictions,
			b.tideInput("hilo", b.p.now, b.p.now.Add(time.Hour)))
	}
	if b.live {
		if from.Before(b.p.now) {
			ask(g, &parts.levels, set.Levels.WaterLevels, b.levelsInput(during(from, minTime(to, b.p.now))))
		}
		if b.p.Datum != "" && (to.Before(b.p.now) || !from.Before(b.p.now)) {
			// The newest readings are above the usual datum.
			ask(g, &parts.latest, set.Levels.WaterLevels, b.levelsInput(operation.Span{Date: "latest"}))
		}
		ask(g, &parts.floods, set.Directory.StationFloodLevels, directory.StationFloodLevelsInput{
			StationOrPlace: b.at(), OnDatum: operation.OnDatum{Datum: coast.Datum(b.p.Datum)},
			InUnits: operation.InUnits{Units: coast.Units(b.p.Units)},
		})
	}
}

// tideOf adds the tide to the page, with the table of its days and the reason if one of the
// results is missing.
func (b *stationBuilder) tideOf(days outcome[tides.TidePredictions], more ...asked) *tideView {
	r := days.Result
	v := &tideView{
		Unit: string(r.HeightUnit), Datum: string(r.Datum), Epoch: r.DatumEpoch,
		Datums: coast.Strings(b.info.DatumNames...), Kinds: "prediction",
	}
	b.v.Tide = v
	for _, a := range append(more, days.asked) {
		if b.record(a); v.Bad == "" && !a.Here() {
			v.Bad = "The tide could not be computed: " + a.Why
		}
	}
	if v.Bad == "" {
		b.layDays(v, r)
	}
	return v
}

// layTide lays out the chart, the present height and the table of days.
func (b *stationBuilder) layTide(parts *tideParts) {
	b.addProvenance(parts.curve.Result.Provenance)
	v := b.tideOf(parts.days, parts.curve.asked, parts.events.asked)
	if v.Bad != "" {
		return
	}
	v.Now = b.tideNow(v.Unit, cmp.Or(parts.curve.Result.Now, parts.now.Result.Now))
	b.drawTide(v, parts)
}

// drawTide draws the chart of the predicted tide, with the observed level and the flood levels
// over it.
func (b *stationBuilder) drawTide(v *tideView, parts *tideParts) {
	c := tides.TideChart(parts.curve.Result, parts.events.Result)
	from, to := b.p.spanOf()
	c.Clock = b.p.chartClock()
	c.Daylight = b.light()
	if b.live {
		v.Levels = b.record(parts.levels.asked)
		b.observe(&c, v, parts.levels, to)
		if l := parts.latest.Result; parts.latest.Here() {
			b.addProvenance(l.Provenance)
			b.v.Gauge.Level = b.levelNow(l.Newest, l.Residual, string(l.HeightUnit), string(l.Datum))
		}
		if b.record(parts.floods.asked); parts.floods.Here() {
			b.addProvenance(parts.floods.Result.Provenance)
			c.Levels = parts.floods.Result.Chart()
		}
	}
	half := c.Predicted.Between(from, from.Add(to.Sub(from)/2))
	narrow := c
	narrow.Predicted = half
	narrow.Events = eventsBetween(c.Events, half)
	narrow.Observed = c.Observed.Between(from, from.Add(to.Sub(from)/2))
	v.Chart = draw("tide", c.Draw(chart.TideWide), narrow.Draw(chart.Narrow))
	if v.Observed {
		b.layDifference(c)
	}
	b.layFloods(parts.floods, parts.days.Result)
}

// observe adds observed levels to the chart of the tide. Levels that cannot be compared with the
// prediction, because their datums belong to different epochs, must not share its axis.
func (b *stationBuilder) observe(
	c *chart.Tide, v *tideView, a outcome[levels.WaterLevels], to time.Time,
) {
	if !a.Here() {
		return
	}
	levels := a.Result
	b.addProvenance(levels.Provenance)
	if !to.Before(b.p.now) { // otherwise the newest of them is not the present level
		b.v.Gauge.Level = b.levelNow(levels.Newest, levels.Residual, string(levels.HeightUnit),
			string(levels.Datum))
	}
	if levels.Newest != nil && levels.Predicted != nil {
		c.Observed = levels.Observed.Chart()
		v.Kinds, v.Observed = "prediction and observation", true
	}
}

// tideNow returns the present height and the next event in words.
func (b *stationBuilder) tideNow(unit string, n *tides.TideMoment) *tideNow {
	if n == nil {
		return nil
	}
	v := &tideNow{Height: chart.Number(n.Height, chart.Decimals(unit))}
	switch n.State {
	case "high_stand":
		v.Trend = "at high water"
	case "low_stand":
		v.Trend = "at low water"
	default:
		v.Trend = string(n.State)
		rate := chart.Number(math.Abs(n.Rate), chart.Decimals(unit))
		if strings.Trim(rate, "0.") != "" {
			v.Trend += " " + rate + nbsp + unit + " an hour"
		}
	}
	if next := n.Next; next != nil {
		v.Next = string(next.Type)
		v.NextAt = b.p.clock(next.Time)
		if !sameDay(next.Time.In(b.p.zone), b.p.now.In(b.p.zone)) {
			v.NextDay = b.p.day(next.Time) + ", "
		}
		v.NextHeight = chart.Quantity(next.Height, unit)
		v.NextIn = in(next.Time.Sub(b.p.now))
	}
	return v
}

// layDays fills the table of high and low waters, a row a day.
func (b *stationBuilder) layDays(v *tideView, days tides.TidePredictions) {
	day := b.p.midnight()
	rest := days.Extremes
	for range b.p.tableDays() {
		next := nextDay(day)
		row := tideDay{Name: b.p.day(day)}
		for len(rest) > 0 && rest[0].Time.Before(next) {
			e := rest[0]
			rest = rest[1:]
			row.Events = append(row.Events, tideCell{
				High: e.Type == "high", At: instant(e.Time, b.p.clock(e.Time)),
				Height: chart.Number(e.Height, chart.Decimals(v.Unit)),
			})
		}
		if change := clockChange(day, next); change != "" {
			v.Changes = append(v.Changes, row.Name+": "+change)
		}
		v.Days = append(v.Days, row)
		day = next
	}
}
