package planning

import (
	"context"

	"leadline/internal/currents"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tides"
)

// TidePredictions is the operation of package tides, whose windows may have bounds of the weather.
// They are compared with the forecasts that decisions use.
func (d Days) TidePredictions(
	ctx context.Context, in tides.TidePredictionsInput,
) (tides.TidePredictions, error) {
	in.SetForecasts(boundedHours)
	return d.Tides.TidePredictions(ctx, in)
}

// CurrentPredictions is the operation of package currents, with windows as TidePredictions has.
func (d Days) CurrentPredictions(
	ctx context.Context, in currents.CurrentPredictionsInput,
) (currents.CurrentPredictions, error) {
	in.SetForecasts(boundedHours)
	return d.Currents.CurrentPredictions(ctx, in)
}

// boundedHours gathers the forecasts of a station, or of a place if at is not nil, and compares
// their hours with bounds.
func boundedHours(
	ctx context.Context, fs facts.Set, st stations.Station, at *sky.Place, b decide.Bounds,
) decide.BoundedHours {
	d := &Inputs{Set: fs, station: st, at: at, Zone: facts.Zone{Location: fs.Local(st)}}
	d.gather(ctx, func(id string) bool { return id == decide.WindForecast || id == decide.MarineText })
	return decide.EvaluateBounds(b, fs.Minute(), &d.facts)
}
