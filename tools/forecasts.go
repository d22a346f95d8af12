package tools

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/facts"
)

// WindForecastInput requests the wind forecast of a point.
type WindForecastInput struct {
	AtNamedPlace
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"Hours ahead of now."`
	InUnits
}

// Validate requires exactly one way to name a place.
func (in *WindForecastInput) Validate() error { return in.AtNamedPlace.check() }

// WindForecast is the wind forecast of a point.
type WindForecast struct {
	coast.Frame
	facts.GridForecast
	// Resolved is set if the caller named a place; place is that of the grid.
	Resolved *NamedPlace `json:"resolvedPlace,omitempty" schema:"-"`
}

// WindForecast returns wind, weather and waves hour by hour from the weather service's
// grid. It returns ProductUnavailable if the service has no grid at the point.
func (s weatherTools) WindForecast(
	ctx context.Context, in WindForecastInput,
) (WindForecast, error) {
	fs := s.facts.Set()
	ctx, cancel := withProviderTimeout(ctx)
	defer cancel()
	at, err := in.AtNamedPlace.resolve(fs)
	if err != nil {
		return WindForecast{}, err
	}
	sp, err := fs.ForecastPlace(ctx, in.AtPlace, InPlaceZone{})
	if err != nil {
		return WindForecast{}, err
	}
	out := WindForecast{Frame: sp.Frame(in.Units), Resolved: at.place.Place}
	at.explain(&out.Provenance)
	out.GridForecast, err = fs.GridForecast(ctx, &out.Provenance, sp, in.Hours, in.Units)
	return out, err
}

// MarineForecastInput requests the coastal waters forecast of a point.
type MarineForecastInput struct {
	AtPlace
}

// Validate requires exactly one way to name a place.
func (in *MarineForecastInput) Validate() error { return in.Check(true) }

// MarineForecast is the forecast for the water at a point.
type MarineForecast struct {
	coast.Frame
	facts.WaterText
}

// MarineForecast returns the newest text for the water at a point, the alerts, and the
// risk of rip currents if a forecast office publishes it. Unavailable parts are listed in
// missing; if no part is available, it returns an error.
func (s weatherTools) MarineForecast(
	ctx context.Context, in MarineForecastInput,
) (MarineForecast, error) {
	fs := s.facts.Set()
	ctx, cancel := withProviderTimeout(ctx)
	defer cancel()
	sp, err := fs.ForecastPlace(ctx, in.AtPlace, InPlaceZone{})
	if err != nil {
		return MarineForecast{}, err
	}
	out := MarineForecast{Frame: sp.Frame("")}
	out.WaterText, err = fs.WaterText(ctx, &out.Provenance, sp)
	return out, err
}

// ForecastInput requests all forecasts of a station.
type ForecastInput struct {
	AtStation
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"Hours ahead of now."`
	InUnits
	InZone
}

// Forecast is the wind forecast of a station, the text for the water there and the
// alerts.
type Forecast struct {
	coast.Frame
	Wind   *facts.GridForecast `json:"wind"`   // null if unavailable
	Marine *facts.WaterText    `json:"marine"` // null if unavailable
}

// Forecast joins WindForecast and MarineForecast. An unavailable part is listed in
// missing; if neither is available, Forecast returns an error.
func (s weatherTools) Forecast(ctx context.Context, in ForecastInput) (Forecast, error) {
	fs := s.facts.Set()
	ctx, cancel := withProviderTimeout(ctx)
	defer cancel()
	sp, err := fs.ForecastPlace(ctx, AtPlace{Station: in.Station}, InPlaceZone{TimeZone: in.TimeZone})
	if err != nil {
		return Forecast{}, err
	}
	var wind facts.GridForecast
	var water facts.WaterText
	var windErr, waterErr error
	ofWind, ofWater := sp.Frame(""), sp.Frame("")
	facts.Concurrently(
		func() {
			wind, windErr = fs.GridForecast(ctx, &ofWind.Provenance, sp, in.Hours, in.Units)
		},
		func() { water, waterErr = fs.WaterText(ctx, &ofWater.Provenance, sp) },
	)
	out := Forecast{Frame: sp.Frame(in.Units), Wind: &wind, Marine: &water}
	if windErr != nil {
		out.Wind = nil
		fs.Missing(&out.Provenance, facts.GridOrigin(sp.Latitude, sp.Longitude), "wind forecast", windErr)
	} else {
		facts.Merge(&out.Provenance, ofWind.Provenance)
	}
	if waterErr != nil {
		out.Marine = nil
	}
	facts.Merge(&out.Provenance, ofWater.Provenance)
	return out, facts.AllFailed([]error{windErr, waterErr})
}
