package station

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
	"leadline/internal/web/predicted"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// tideView is the predicted tide of a station.
type tideView struct {
	Now      *tideNow
	Unit     string
	Datum    string
	Epoch    string
	Datums   []string
	Kinds    string // prediction, or prediction and observation
	Chart    *view.Figure
	Observed bool              // the chart has an observed line
	Levels   site.Availability // of the observed levels
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
	days          site.Outcome[tides.TidePredictions] // of the table
	curve, events site.Outcome[tides.TidePredictions] // of the chart
	now           site.Outcome[tides.TidePredictions] // if the chart does not contain the present

	levels, latest site.Outcome[levels.WaterLevels]
	floods         site.Outcome[directory.StationFloodLevels]
}

// askTide requests the predicted tide: for the month to print the table, otherwise the chart
// too, with what is drawn over it.
func (b *builder) askTide(g *site.Gathering) {
	if b.Info.PredictionKind == "none" {
		b.v.NoTide = "NOAA predicts no tide here."
		if note := weakNote(b.Info); note != "" {
			b.v.NoTide = note
		}
		if b.Info.GreatLakes() {
			b.v.NoTide = "NOAA predicts no tide on the Great Lakes: wind and rain move the water there."
		}
		return
	}
	b.FixDatum()
	parts := &tideParts{}
	midnight := b.Prefs.Midnight()
	site.Compute(g, &parts.days, b.site.Set.Tides.TidePredictions,
		b.TideInput("hilo", midnight, midnight.AddDate(0, 0, b.Prefs.TableDays()).Add(-time.Minute)))
	if b.Prefs.Days == view.Month {
		b.add(func() { b.tideOf(parts.days) })
		return
	}
	b.askTideChart(g, parts)
	b.add(func() { b.layTide(parts) })
}

// askTideChart requests what the chart of the tide shows, and the present height.
func (b *builder) askTideChart(g *site.Gathering, parts *tideParts) {
	from, to := b.Prefs.Span()
	set := b.site.Set
	g.Prepare(func() { b.Light() })
	site.Compute(g, &parts.curve, set.Tides.TidePredictions, b.TideInput("6", from, to))
	site.Compute(g, &parts.events, set.Tides.TidePredictions, b.TideInput("hilo", from, to))
	if !b.Prefs.ChartsNow() {
		site.Compute(g, &parts.now, set.Tides.TidePredictions,
			b.TideInput("hilo", b.Prefs.Now, b.Prefs.Now.Add(time.Hour)))
	}
	if b.live {
		end := to
		if b.Prefs.Now.Before(end) {
			end = b.Prefs.Now
		}
		if from.Before(end) {
			site.Ask(g, &parts.levels, set.Levels.WaterLevels, b.LevelsInput(view.During(from, end)))
		}
		if b.Prefs.Datum != "" && (to.Before(b.Prefs.Now) || !from.Before(b.Prefs.Now)) {
			// The newest readings are above the usual datum.
			site.Ask(g, &parts.latest, set.Levels.WaterLevels, b.LevelsInput(operation.Span{Date: "latest"}))
		}
		site.Ask(g, &parts.floods, set.Directory.StationFloodLevels, directory.StationFloodLevelsInput{
			StationOrPlace: b.at(), OnDatum: operation.OnDatum{Datum: coast.Datum(b.Prefs.Datum)},
			InUnits: operation.InUnits{Units: coast.Units(b.Prefs.Units)},
		})
	}
}

// tideOf adds the tide to the page, with the table of its days and the reason if one of the
// results is missing.
func (b *builder) tideOf(
	days site.Outcome[tides.TidePredictions], more ...site.Availability,
) *tideView {
	r := days.Result
	v := &tideView{
		Unit: string(r.HeightUnit), Datum: string(r.Datum), Epoch: r.DatumEpoch,
		Datums: coast.Strings(b.Info.DatumNames...), Kinds: "prediction",
	}
	b.v.Tide = v
	for _, a := range append(more, days.Availability) {
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
func (b *builder) layTide(parts *tideParts) {
	b.addProvenance(parts.curve.Result.Provenance)
	v := b.tideOf(parts.days, parts.curve.Availability, parts.events.Availability)
	if v.Bad != "" {
		return
	}
	v.Now = presentTide(b.Prefs, v.Unit, cmp.Or(parts.curve.Result.Now, parts.now.Result.Now))
	b.drawTide(v, parts)
}

// drawTide draws the chart of the predicted tide, with the observed level and the flood levels
// over it.
func (b *builder) drawTide(v *tideView, parts *tideParts) {
	c := tides.TideChart(parts.curve.Result, parts.events.Result)
	from, to := b.Prefs.Span()
	c.Clock = b.Prefs.ChartClock()
	c.Daylight = b.Light()
	if b.live {
		v.Levels = b.record(parts.levels.Availability)
		b.observe(&c, v, parts.levels, to)
		if l := parts.latest.Result; parts.latest.Here() {
			b.addProvenance(l.Provenance)
			b.v.Gauge.Level = presentLevel(b.Prefs, l.Newest, l.Residual, string(l.HeightUnit),
				string(l.Datum))
		}
		if b.record(parts.floods.Availability); parts.floods.Here() {
			b.addProvenance(parts.floods.Result.Provenance)
			c.Levels = parts.floods.Result.Chart()
		}
	}
	half := c.Predicted.Between(from, from.Add(to.Sub(from)/2))
	narrow := c
	narrow.Predicted = half
	narrow.Events = predicted.EventsBetween(c.Events, half)
	narrow.Observed = c.Observed.Between(from, from.Add(to.Sub(from)/2))
	v.Chart = view.Draw("tide", c.Draw(chart.TideWide), narrow.Draw(chart.Narrow))
	if v.Observed {
		b.layDifference(c)
	}
	b.layFloods(parts.floods, parts.days.Result)
}

// observe adds observed levels to the chart of the tide. Levels that cannot be compared with the
// prediction, because their datums belong to different epochs, must not share its axis.
func (b *builder) observe(
	c *chart.Tide, v *tideView, a site.Outcome[levels.WaterLevels], to time.Time,
) {
	if !a.Here() {
		return
	}
	levels := a.Result
	b.addProvenance(levels.Provenance)
	if !to.Before(b.Prefs.Now) { // otherwise the newest of them is not the present level
		b.v.Gauge.Level = presentLevel(b.Prefs, levels.Newest, levels.Residual, string(levels.HeightUnit),
			string(levels.Datum))
	}
	if levels.Newest != nil && levels.Predicted != nil {
		c.Observed = levels.Observed.Chart()
		v.Kinds, v.Observed = "prediction and observation", true
	}
}

// presentTide returns the present height and the next event in words.
func presentTide(p *view.Prefs, unit string, n *tides.TideMoment) *tideNow {
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
			v.Trend += " " + rate + view.Nbsp + unit + " an hour"
		}
	}
	if next := n.Next; next != nil {
		v.Next = string(next.Type)
		v.NextAt = p.Time(next.Time)
		if !view.SameDay(next.Time.In(p.Location), p.Now.In(p.Location)) {
			v.NextDay = p.Day(next.Time) + ", "
		}
		v.NextHeight = chart.Quantity(next.Height, unit)
		v.NextIn = view.In(next.Time.Sub(p.Now))
	}
	return v
}

// layDays fills the table of high and low waters, a row a day.
func (b *builder) layDays(v *tideView, days tides.TidePredictions) {
	day := b.Prefs.Midnight()
	rest := days.Extremes
	for range b.Prefs.TableDays() {
		next := view.NextDay(day)
		row := tideDay{Name: b.Prefs.Day(day)}
		for len(rest) > 0 && rest[0].Time.Before(next) {
			e := rest[0]
			rest = rest[1:]
			row.Events = append(row.Events, tideCell{
				High: e.Type == "high", At: view.Instant(e.Time, b.Prefs.Time(e.Time)),
				Height: chart.Number(e.Height, chart.Decimals(v.Unit)),
			})
		}
		if change := view.ClockChange(day, next); change != "" {
			v.Changes = append(v.Changes, row.Name+": "+change)
		}
		v.Days = append(v.Days, row)
		day = next
	}
}
