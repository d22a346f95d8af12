package tools

import "math"

// unit is what a quantity is written in: base units times factor, rounded to
// steps per unit, as NOAA rounds.
type unit struct {
	name          string
	factor, steps float64
}

// heightsIn is the unit of heights, computed in metres and rounded to 0.001
// of either unit. A foot is 0.3048 m (international foot, as NOAA converts).
func heightsIn(units string) unit {
	if units == "metric" {
		return unit{"m", 1, 1000}
	}
	return unit{"ft", 1 / 0.3048, 1000}
}

// speedsIn is the unit of current speeds, computed in knots and rounded as
// NOAA rounds them: 0.01 kn, or 0.1 cm/s. A knot is 1852 m an hour.
func speedsIn(units string) unit {
	if units == "metric" {
		return unit{"cm/s", 185200.0 / 3600, 10}
	}
	return unit{"kn", 1, 100}
}

func (u unit) of(v float64) float64 {
	return math.Round(v*u.factor*u.steps)/u.steps + 0 // + 0: no minus zero
}

func (u unit) convert(values []float64) {
	for i, v := range values {
		values[i] = u.of(v)
	}
}
