// Package weather has the operations on observed weather and on forecasts of wind, waves and text,
// which are requested from NOAA and the weather service.
package weather

import (
	"leadline/internal/facts"
)

// Operations has the operations on observed and forecast weather.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
