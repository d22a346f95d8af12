package weather

import (
	"context"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/operation"
)

// Chart returns the chart of the forecast wind. Callers add Daylight and set Clock.Twelve.
func (f WindForecast) Chart() chart.Breeze {
	h := f.Hours
	series := func(values []*float64) chart.Series {
		return operation.ChartSeries(h.Start, h.StepMinutes, operation.WithGaps(values))
	}
	place := operation.Position(f.Place.Latitude, f.Place.Longitude)
	switch {
	case f.Station != nil:
		place = operation.StationTitle(f.Station)
	case f.Resolved != nil:
		place = f.Resolved.Name
	case f.Place.Name != "":
		place = "near " + f.Place.Name
	}
	return chart.Breeze{
		Place: place, Unit: string(f.InUnit.Speed), Clock: chart.Clock{Zone: h.Start.Location()},
		Speeds: series(h.Speeds), Gusts: series(h.Gusts), From: series(h.Directions), Now: f.now,
		Source: operation.SourceLine(f.Sources),
	}
}

// DrawWind draws a wind forecast.
func (s Operations) DrawWind(_ context.Context, f WindForecast) (operation.Picture, error) {
	c := f.Chart()
	c.Clock.Twelve = true
	c.Daylight = almanac.DaylightOver(f.Place.Latitude, f.Place.Longitude, c.Speeds)
	return operation.PictureOf(c.Draw(chart.Picture), "Forecast wind speed", c.Speeds)
}
