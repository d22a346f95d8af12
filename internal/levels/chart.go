package levels

import (
	"context"
	"math"
	"strings"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// Chart returns the observed heights as a series of a chart, with NaN where there is no value that
// NOAA does not doubt.
func (s LevelSeries) Chart() chart.Series {
	values := operation.WithGaps(s.Heights)
	for i := range values {
		if i < len(s.flags) && noaa.Doubtful(s.flags[i]) {
			values[i] = math.NaN()
		}
	}
	return operation.ChartSeries(s.Start, s.StepMinutes, values)
}

// Draw draws observed levels over the tide that was predicted for their times, each in a
// line of its own. Levels that are not compared have no picture.
func (s Operations) Draw(ctx context.Context, l WaterLevels) (operation.Picture, error) {
	o := l.Observed
	if o.Count == 0 {
		return operation.NoPicture("there is no observed level in this span"), nil
	}
	span := coast.Span{From: o.Start, To: operation.At(o.Start, o.Count-1, o.StepMinutes)}
	if err := operation.Drawable(span); err != nil {
		return operation.Picture{}, err
	}
	if l.Predicted == nil {
		return operation.NoPicture(l.uncompared()), nil
	}
	in := tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: l.Station.ID}, Interval: "6",
		Span: operation.SpanFrom(span.From, span), OnDatum: operation.OnDatum{Datum: l.Datum},
		InUnits: operation.InUnits{Units: l.Units},
		InZone:  l.input.InZone,
	}
	predicted := tides.New(s.facts)
	curve, err := predicted.TidePredictions(ctx, in)
	in.Interval = "hilo"
	events, eventsErr := predicted.TidePredictions(ctx, in)
	if err != nil || eventsErr != nil {
		return operation.RefusedPicture(err, eventsErr)
	}
	c := tides.TideChart(curve, events)
	c.Observed = o.Chart()
	c.Source = "Blue: predicted. Orange: observed. " + operation.SourceLine(l.Sources)
	return tides.DrawChart(c, l.Station, "Observed levels", c.Observed)
}

// uncompared returns the reason why no predicted level goes with the observed ones. Levels above
// the datums of two epochs do not belong on one axis.
func (l WaterLevels) uncompared() string {
	reason := "no predicted level is known for these times"
	for _, m := range l.Missing {
		if m.Input == "observed height" || strings.HasPrefix(m.Input, "predicted") {
			reason = strings.TrimSuffix(m.Reason, ".")
		}
	}
	return reason
}
