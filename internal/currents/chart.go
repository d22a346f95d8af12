package currents

import (
	"cmp"
	"context"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
)

// Chart returns the velocities as a series of a chart.
func (s VelocitySeries) Chart() chart.Series {
	return operation.ChartSeries(s.Start, s.StepMinutes, s.Velocities)
}

// CurrentChart returns the chart of a predicted current. The curve is a prediction with a
// series; the events are a prediction of interval max_slack over the same span. Callers add
// Daylight and set Clock.Twelve.
func CurrentChart(curve, events CurrentPredictions) chart.Current {
	c := chart.Current{
		Station: operation.StationTitle(curve.Station), Unit: curve.SpeedUnit,
		Source: operation.SourceLine(curve.Sources),
	}
	if curve.Series != nil {
		c.Series = curve.Series.Chart()
		c.Clock.Zone = curve.Series.Start.Location()
	}
	if now := cmp.Or(curve.Now, events.Now); now != nil {
		c.Now = now.Time
	}
	for _, e := range events.Events {
		switch {
		case e.Type == "slack":
			c.Turns = append(c.Turns, chart.Turn{Time: e.Time, Kind: chart.Slack})
			if e.SlackWindow != nil {
				c.Weak = joined(c.Weak, e.SlackWindow.within(curve.Span))
			}
		case e.Speed != nil && e.Peak != "min":
			c.Turns = append(c.Turns, chart.Turn{
				Time: e.Time, Kind: chart.TurnKind(e.Type), Speed: *e.Speed,
			})
		}
	}
	return c
}

// within returns the window, with the ends of a span in place of unknown ends.
func (w SlackWindow) within(span coast.Span) chart.Span {
	return chart.Span{From: *cmp.Or(w.From, &span.From), To: *cmp.Or(w.To, &span.To)}
}

// joined appends a span to a list, or extends the last one if the two meet: a current that stays
// weak has the same window at each slack.
func joined(list []chart.Span, s chart.Span) []chart.Span {
	if n := len(list) - 1; n >= 0 && !s.From.After(list[n].To) {
		if s.From.Before(list[n].From) {
			list[n].From = s.From
		}
		if s.To.After(list[n].To) {
			list[n].To = s.To
		}
		return list
	}
	return append(list, s)
}

// Draw draws a predicted current: the velocity in steps of 6 minutes, and its events.
func (s Operations) Draw(ctx context.Context, p CurrentPredictions) (operation.Picture, error) {
	if p.Windows != nil {
		return operation.Picture{}, operation.Undrawn("at_most and at_least")
	}
	if err := operation.Drawable(p.Span); err != nil {
		return operation.Picture{}, err
	}
	events := p
	in := p.input
	in.Span, in.CurrentFilters = operation.SpanFrom(p.Span.From, p.Span), CurrentFilters{}
	var err error
	if p.Interval != "max_slack" {
		in.Interval = "max_slack"
		events, err = s.CurrentPredictions(ctx, in)
	}
	in.Interval = "6"
	curve, curveErr := s.CurrentPredictions(ctx, in)
	if err != nil || curveErr != nil {
		return operation.RefusedPicture(err, curveErr)
	}
	c := CurrentChart(curve, events)
	c.Clock.Twelve = true
	c.Daylight = almanac.DaylightOver(p.Station.Latitude, p.Station.Longitude, c.Series)
	return operation.PictureOf(c.Draw(chart.Picture), "Predicted velocities, flood positive", c.Series)
}
