package tools

import (
	"math"
	"strings"
)

// unit is what a quantity is written in: base units times factor plus offset,
// rounded to steps per unit, as NOAA rounds.
type unit struct {
	name                  string
	factor, steps, offset float64
}

// bounds are what a quantity can be, in base units; zero bounds are none.
// They are ours, and wide: beyond them lies a broken sensor or a broken
// answer, not a record.
type bounds struct{ least, most float64 }

// possible is a value that can be, else nil.
func (b bounds) possible(v *float64) *float64 {
	if v == nil || b != (bounds{}) && (*v < b.least || *v > b.most) {
		return nil
	}
	return v
}

// What can be: a level above any datum (the Great Lakes stand 183 m above
// theirs), a current in cm/s, a direction.
var (
	levelBounds     = bounds{-100, 300}
	currentBounds   = bounds{0, 1000}
	directionBounds = bounds{0, 360}
)

// heightsIn is the unit of heights, computed in metres and rounded to 0.001
// of either unit. A foot is 0.3048 m (international foot, as NOAA converts).
func heightsIn(units string) unit {
	if units == "metric" {
		return unit{"m", 1, 1000, 0}
	}
	return unit{"ft", 1 / 0.3048, 1000, 0}
}

// speedsIn is the unit of current speeds, computed in knots and rounded as
// NOAA rounds them: 0.01 kn, or 0.1 cm/s. A knot is 1852 m an hour.
func speedsIn(units string) unit {
	if units == "metric" {
		return unit{"cm/s", 185200.0 / 3600, 10, 0}
	}
	return unit{"kn", 1, 100, 0}
}

func (u unit) of(v float64) float64 {
	return math.Round((v*u.factor+u.offset)*u.steps)/u.steps + 0 // + 0: no minus zero
}

// known converts a value that can be missing.
func (u unit) known(v *float64) *float64 {
	if v == nil {
		return nil
	}
	converted := u.of(*v)
	return &converted
}

func (u unit) convert(values []float64) {
	for i, v := range values {
		values[i] = u.of(v)
	}
}

// measured are the units of what NOAA measures, and what it can be: the data
// comes in the first, and is rounded as NOAA rounds.
var measured = map[string]struct {
	metric, english unit
	bounds          bounds
}{
	"wind_speed":        {unit{"m/s", 1, 10, 0}, unit{"kn", 3.6 / 1.852, 100, 0}, bounds{0, 150}},
	"wind_gust":         {unit{"m/s", 1, 10, 0}, unit{"kn", 3.6 / 1.852, 100, 0}, bounds{0, 200}},
	"wind_direction":    {unit{"degrees true, from", 1, 10, 0}, unit{"degrees true, from", 1, 10, 0}, directionBounds},
	"air_temperature":   {unit{"C", 1, 10, 0}, unit{"F", 1.8, 10, 32}, bounds{-90, 70}},
	"water_temperature": {unit{"C", 1, 10, 0}, unit{"F", 1.8, 10, 32}, bounds{-10, 60}},
	"air_pressure":      {unit{"mb", 1, 10, 0}, unit{"mb", 1, 10, 0}, bounds{800, 1100}},
	"air_gap":           {unit{"m", 1, 1000, 0}, unit{"ft", 1 / 0.3048, 1000, 0}, bounds{-10, 200}},
	"conductivity":      {unit{"mS/cm", 1, 100, 0}, unit{"mS/cm", 1, 100, 0}, bounds{0, 200}},
	"visibility":        {unit{"km", 1, 100, 0}, unit{"nmi", 1 / 1.852, 100, 0}, bounds{0, 500}},
	"humidity":          {unit{"percent", 1, 10, 0}, unit{"percent", 1, 10, 0}, bounds{0, 110}},
	"salinity":          {unit{"PSU", 1, 100, 0}, unit{"PSU", 1, 100, 0}, bounds{0, 350}},
	"specific_gravity":  {unit{"1", 1, 1000, 0}, unit{"1", 1, 1000, 0}, bounds{0.9, 1.4}},
}

// measuredIn is the unit of a measured quantity.
func measuredIn(quantity, units string) unit {
	if units == "metric" {
		return measured[quantity].metric
	}
	return measured[quantity].english
}

// spaced and dashed write a wire name, such as air_temperature, as words and
// as a source's name.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }
func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }
