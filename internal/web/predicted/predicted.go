// Package predicted requests and draws what is predicted at a station. What comes in are a station
// and the preferences of a page; what goes out are inputs of operations and charts. It does
// not observe, and writes no page.
package predicted

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
	"leadline/internal/web/view"
	"leadline/tools"
)

// Station requests and draws what is predicted at a station, with the preferences of a page.
type Station struct {
	Info  directory.StationInfo
	Prefs *view.Prefs
	Light func() chart.Daylight // of the span of the charts; computed once
}

// New returns the predictions of a station.
func New(info directory.StationInfo, p *view.Prefs) *Station {
	return &Station{info, p, sync.OnceValue(func() chart.Daylight {
		from, to := p.Span()
		return almanac.Daylight(info.Station.Latitude, info.Station.Longitude, from, to)
	})}
}

// Find returns the predictions of the station with an id, and sets the zone and the datum
// of the preferences.
func Find(ctx context.Context, set *tools.Set, id string, p *view.Prefs) (*Station, error) {
	info, err := Describe(ctx, set, id, *p)
	if err != nil {
		return nil, err
	}
	p.SetZone(view.ZoneOfStation(info.Station))
	b := New(info, p)
	b.FixDatum()
	return b, nil
}

// Describe returns the description of a station. For an id that is not in the directory it asks
// NOAA, until ctx ends.
func Describe(
	ctx context.Context, set *tools.Set, id string, p view.Prefs,
) (directory.StationInfo, error) {
	return operation.Run(ctx, set.Directory.StationInfo, directory.StationInfoInput{
		StationOrPlace: place.StationOrPlace{Station: id},
		InUnits:        operation.InUnits{Units: coast.Units(p.Units)},
	})
}

// TideInput requests the predictions of the page's station.
func (b *Station) TideInput(interval string, from, to time.Time) tides.TidePredictionsInput {
	return tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: b.Info.Station.ID},
		Interval:       operation.Interval(interval),
		Span:           view.During(from, to),
		OnDatum:        operation.OnDatum{Datum: coast.Datum(b.Prefs.Datum)},
		InUnits:        operation.InUnits{Units: coast.Units(b.Prefs.Units)},
		InZone:         operation.InZone{TimeZone: b.Prefs.TimeZone()},
	}
}

// LevelsInput requests the observed levels of a span, above the datum of the page.
func (b *Station) LevelsInput(span operation.Span) levels.WaterLevelsInput {
	return levels.WaterLevelsInput{
		StationOrPlace: place.StationOrPlace{Station: b.Info.Station.ID}, Interval: "6", Span: span,
		OnDatum: operation.OnDatum{Datum: coast.Datum(b.Prefs.Datum)},
		InUnits: operation.InUnits{Units: coast.Units(b.Prefs.Units)},
		InZone:  operation.InZone{TimeZone: b.Prefs.TimeZone()},
	}
}

// FixDatum replaces a datum that the station does not have by its usual one, with a notice.
func (b *Station) FixDatum() {
	for _, d := range b.Info.DatumNames {
		if b.Prefs.Datum == string(d) {
			return
		}
	}
	if b.Prefs.Datum != "" {
		b.Prefs.Notice("datum", b.Prefs.Datum, "a datum of this station")
	}
	b.Prefs.Datum = ""
	if names := b.Info.DatumNames; len(names) > 0 && !slices.Contains(names, "MLLW") {
		b.Prefs.Datum = string(names[0])
	}
}

// CurrentInput requests the predictions of a current station.
func (b *Station) CurrentInput(
	id, interval string, from, to time.Time,
) currents.CurrentPredictionsInput {
	return currents.CurrentPredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: id}, Interval: interval, VelType: "default",
		Span: view.During(from, to), InUnits: operation.InUnits{Units: coast.Units(b.Prefs.Units)},
		InZone: operation.InZone{TimeZone: b.Prefs.TimeZone()},
	}
}

// TideChart returns the chart of the predicted tide.
func (b *Station) TideChart(ctx context.Context, set *tools.Set) (chart.Tide, error) {
	from, to := b.Prefs.Span()
	curve, err := operation.Run(ctx, set.Tides.TidePredictions, b.TideInput("6", from, to))
	if err != nil {
		return chart.Tide{}, err
	}
	events, err := operation.Run(ctx, set.Tides.TidePredictions, b.TideInput("hilo", from, to))
	if err != nil {
		return chart.Tide{}, err
	}
	c := tides.TideChart(curve, events)
	c.Clock = b.Prefs.ChartClock()
	c.Daylight = b.Light()
	return c, nil
}

// DrawCurrent draws the chart of a predicted current.
func (b *Station) DrawCurrent(c chart.Current) *view.Figure {
	from, to := b.Prefs.Span()
	c.Turns = turnsBetween(c.Turns, from, to)
	c.Weak = spansBetween(c.Weak, from, to)
	c.Clock = b.Prefs.ChartClock()
	c.Daylight = b.Light()
	if b.Prefs.ChartsNow() {
		c.Now = b.Prefs.Now
	}
	narrow, middle := c, from.Add(to.Sub(from)/2)
	narrow.Series = c.Series.Between(from, middle)
	narrow.Turns = turnsBetween(c.Turns, from, middle)
	narrow.Weak = spansBetween(c.Weak, from, middle)
	return view.Draw("current", c.Draw(chart.CurrentWide), narrow.Draw(chart.Narrow))
}

// TurnsSpan returns the span of the slacks and maxima to request: those of the table, if there
// is one, and those of the chart with the slacks around it, whose weak currents reach into it.
func (b *Station) TurnsSpan(table bool) (first, last time.Time) {
	const reach = 7 * time.Hour // from slack to slack, rounded up
	first, last = b.Prefs.Span()
	first, last = first.Add(-reach), last.Add(reach)
	midnight := b.Prefs.Midnight()
	if days := midnight.AddDate(0, 0, b.Prefs.TableDays()); table {
		first = slices.MinFunc([]time.Time{first, midnight}, time.Time.Compare)
		last = slices.MaxFunc([]time.Time{last, days}, time.Time.Compare)
	}
	return first, last
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
		if s.To.After(to) {
			s.To = to
		}
		if s.From.Before(s.To) {
			list = append(list, s)
		}
	}
	return list
}

// EventsBetween returns the events within a series.
func EventsBetween(events []chart.Event, s chart.Series) []chart.Event {
	var list []chart.Event
	end := s.Start.Add(time.Duration(len(s.Values)-1) * s.Step)
	for _, e := range events {
		if !e.Time.Before(s.Start) && !e.Time.After(end) {
			list = append(list, e)
		}
	}
	return list
}
