package tides

import (
	"cmp"
	"context"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
)

// TideChart returns the chart of a predicted tide. The curve is a prediction with a series; the
// high and low waters are a prediction of interval hilo over the same span, or have neither.
// Callers add Observed, Levels and Daylight, and set Clock.Twelve.
func TideChart(curve, events TidePredictions) chart.Tide {
	c := chart.Tide{
		Station: operation.StationTitle(curve.Station), Unit: string(curve.HeightUnit),
		Datum:  string(curve.Datum),
		Source: operation.SourceLine(curve.Sources), Now: cmp.Or(curve.Now, events.Now).Chart(),
	}
	if curve.DatumEpoch != "unknown" {
		c.Epoch = curve.DatumEpoch
	}
	if curve.Series != nil {
		c.Predicted = curve.Series.Chart()
		c.Clock.Zone = curve.Series.Start.Location()
	}
	for _, e := range events.Extremes {
		c.Events = append(c.Events, chart.Event{Time: e.Time, High: e.Type == "high", Height: e.Height})
	}
	return c
}

// Chart returns the heights as a series of a chart.
func (s HeightSeries) Chart() chart.Series {
	return operation.ChartSeries(s.Start, s.StepMinutes, s.Heights)
}

// Chart returns the tide now as a mark of a chart, or nil for nil.
func (n *TideMoment) Chart() *chart.Moment {
	if n == nil {
		return nil
	}
	trends := map[string]chart.Trend{"rising": chart.Rising, "falling": chart.Falling}
	return &chart.Moment{Time: n.Time, Height: n.Height, Trend: trends[string(n.State)]}
}

// Draw draws a predicted tide: the curve in steps of 6 minutes, and its high and low waters.
func (s Operations) Draw(ctx context.Context, p TidePredictions) (operation.Picture, error) {
	if p.Windows != nil || p.Ranks != nil {
		return operation.Picture{}, operation.Undrawn("below, above and top")
	}
	if err := operation.Drawable(p.Span); err != nil {
		return operation.Picture{}, err
	}
	events := p
	in := p.input
	in.Span, in.TideFilters = operation.SpanFrom(p.Span.From, p.Span), TideFilters{}
	var err error
	if p.Interval != "hilo" {
		in.Interval = "hilo"
		events, err = s.TidePredictions(ctx, in)
	}
	in.Interval = "6"
	curve, curveErr := s.TidePredictions(ctx, in)
	if err != nil || curveErr != nil {
		return operation.RefusedPicture(err, curveErr)
	}
	c := TideChart(curve, events)
	c.Now = p.Now.Chart()
	return DrawChart(c, p.Station, "Predicted heights", c.Predicted)
}

// DrawChart draws a tide at a station. The text shows the given series of it.
func DrawChart(
	c chart.Tide, st *coast.Station, what string, s chart.Series,
) (operation.Picture, error) {
	c.Clock.Twelve = true
	c.Daylight = almanac.DaylightOver(st.Latitude, st.Longitude, c.Predicted)
	return operation.PictureOf(c.Draw(chart.Picture), what, s)
}
