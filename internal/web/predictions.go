package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/tools"
)

// predictions requests and draws what is predicted at a station, with the preferences of a page.
type predictions struct {
	info  directory.StationInfo
	p     *prefs
	light func() chart.Daylight // of the span of the charts; computed once
}

// newPredictions returns the predictions of a station.
func newPredictions(info directory.StationInfo, p *prefs) *predictions {
	return &predictions{info, p, sync.OnceValue(func() chart.Daylight {
		from, to := p.spanOf()
		return almanac.Daylight(info.Station.Latitude, info.Station.Longitude, from, to)
	})}
}

// predictionsOf returns the predictions of the station with an id, and sets the zone and the datum
// of the preferences.
func predictionsOf(
	ctx context.Context, set *tools.Set, id string, p *prefs,
) (*predictions, error) {
	info, err := operation.Run(ctx, set.Directory.StationInfo, directory.StationInfoInput{
		StationOrPlace: place.StationOrPlace{Station: id},
		InUnits:        operation.InUnits{Units: coast.Units(p.Units)},
	})
	if err != nil {
		return nil, err
	}
	p.in(zoneOfStation(info.Station))
	b := newPredictions(info, p)
	b.fixDatum()
	return b, nil
}

// tideInput requests the predictions of the page's station.
func (b *predictions) tideInput(interval string, from, to time.Time) tides.TidePredictionsInput {
	return tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: b.info.Station.ID},
		Interval:       operation.Interval(interval),
		Span:           during(from, to), OnDatum: operation.OnDatum{Datum: coast.Datum(b.p.Datum)},
		InUnits: operation.InUnits{Units: coast.Units(b.p.Units)},
		InZone:  operation.InZone{TimeZone: b.p.timeZone()},
	}
}

// levelsInput requests the observed levels of a span, above the datum of the page.
func (b *predictions) levelsInput(span operation.Span) levels.WaterLevelsInput {
	return levels.WaterLevelsInput{
		StationOrPlace: place.StationOrPlace{Station: b.info.Station.ID}, Interval: "6", Span: span,
		OnDatum: operation.OnDatum{Datum: coast.Datum(b.p.Datum)},
		InUnits: operation.InUnits{Units: coast.Units(b.p.Units)},
		InZone:  operation.InZone{TimeZone: b.p.timeZone()},
	}
}

// fixDatum replaces a datum that the station does not have by its usual one, with a notice.
func (b *predictions) fixDatum() {
	for _, d := range b.info.DatumNames {
		if b.p.Datum == string(d) {
			return
		}
	}
	if b.p.Datum != "" {
		b.p.notice("datum", b.p.Datum, "a datum of this station")
	}
	b.p.Datum = ""
	if names := b.info.DatumNames; len(names) > 0 && !slices.Contains(names, "MLLW") {
		b.p.Datum = string(names[0])
	}
}

func (b *predictions) currentInput(
	id, interval string, from, to time.Time,
) currents.CurrentPredictionsInput {
	return currents.CurrentPredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: id}, Interval: interval, VelType: "default",
		Span: during(from, to), InUnits: operation.InUnits{Units: coast.Units(b.p.Units)},
		InZone: operation.InZone{TimeZone: b.p.timeZone()},
	}
}

// tideChart returns the chart of the predicted tide.
func (b *predictions) tideChart(ctx context.Context, set *tools.Set) (chart.Tide, error) {
	from, to := b.p.spanOf()
	curve, err := operation.Run(ctx, set.Tides.TidePredictions, b.tideInput("6", from, to))
	if err != nil {
		return chart.Tide{}, err
	}
	events, err := operation.Run(ctx, set.Tides.TidePredictions, b.tideInput("hilo", from, to))
	if err != nil {
		return chart.Tide{}, err
	}
	c := tides.TideChart(curve, events)
	c.Clock = b.p.chartClock()
	c.Daylight = b.light()
	return c, nil
}

// drawCurrent draws the chart of a predicted current.
func (b *predictions) drawCurrent(c chart.Current) *figure {
	from, to := b.p.spanOf()
	c.Turns = turnsBetween(c.Turns, from, to)
	c.Weak = spansBetween(c.Weak, from, to)
	c.Clock = b.p.chartClock()
	c.Daylight = b.light()
	if b.p.chartsNow() {
		c.Now = b.p.now
	}
	narrow, middle := c, from.Add(to.Sub(from)/2)
	narrow.Series = c.Series.Between(from, middle)
	narrow.Turns = turnsBetween(c.Turns, from, middle)
	narrow.Weak = spansBetween(c.Weak, from, middle)
	return draw("current", c.Draw(chart.CurrentWide), narrow.Draw(chart.Narrow))
}

// turnsBetween returns the turns in a span.
func turnsBetween(turns []chart.Turn, from, to time.Time) []chart.Turn {
	var list []chart.Turn
	for _, t := range turns {
		if !t.Time.Before(from) && !t.Time.After(to) {
			list = append(list, t)
		}
	}
	return list
}

// spansBetween returns the parts of spans in a span.
func spansBetween(spans []chart.Span, from, to time.Time) []chart.Span {
	var list []chart.Span
	for _, s := range spans {
		if s.From.Before(from) {
			s.From = from
		}
		if s.To = minTime(s.To, to); s.From.Before(s.To) {
			list = append(list, s)
		}
	}
	return list
}

// eventsBetween returns the events within a series.
func eventsBetween(events []chart.Event, s chart.Series) []chart.Event {
	var list []chart.Event
	end := s.Start.Add(time.Duration(len(s.Values)-1) * s.Step)
	for _, e := range events {
		if !e.Time.Before(s.Start) && !e.Time.After(end) {
			list = append(list, e)
		}
	}
	return list
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
