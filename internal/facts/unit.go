package facts

import (
	"math"
	"strings"

	"leadline/internal/coast"
)

// Unit converts a quantity: base units times factor plus offset, rounded to Steps per
// unit, as NOAA rounds.
type Unit struct {
	Name                  string
	factor, Steps, offset float64
}

// Of converts a value.
func (u Unit) Of(v float64) float64 {
	return math.Round((v*u.factor+u.offset)*u.Steps)/u.Steps + 0 // + 0: no negative zero
}

// Base converts a value of the unit to base units. It does not round.
func (u Unit) Base(v float64) float64 { return (v - u.offset) / u.factor }

// Known converts a value that can be missing.
func (u Unit) Known(v *float64) *float64 {
	if v == nil {
		return nil
	}
	converted := u.Of(*v)
	return &converted
}

// Convert converts values in place.
func (u Unit) Convert(values []float64) {
	for i, v := range values {
		values[i] = u.Of(v)
	}
}

// Bounds limits a quantity, in base units; zero bounds do not limit it. The bounds are ours, and
// wide: a value beyond them means a broken sensor or response, not a record.
type Bounds struct{ least, most float64 }

// Possible returns a value within the bounds, else nil.
func (b Bounds) Possible(v *float64) *float64 {
	if v == nil || b != (Bounds{}) && (*v < b.least || *v > b.most) {
		return nil
	}
	return v
}

// The bounds of a level above any datum (the Great Lakes are 183 m above theirs), a
// current in cm/s, and a direction.
var (
	levelBounds     = Bounds{-100, 300}
	CurrentBounds   = Bounds{0, 1000}
	DirectionBounds = Bounds{0, 360}
)

// oneOf returns the unit of a kind of quantity in a system: of two units, the nautical system has
// knots and nautical miles from the english one and all others from the metric one.
func oneOf(units coast.Units, english, metric Unit) Unit {
	if english.Name == "kn" || english.Name == "nmi" {
		if units.Knots() {
			return english
		}
	} else if !units.Meters() {
		return english
	}
	return metric
}

// HeightsIn returns the unit of heights, computed in meters and rounded to 0.001 of either
// unit. A foot is 0.3048 m (international foot, as NOAA converts).
func HeightsIn(units coast.Units) Unit {
	return oneOf(units, Unit{"ft", 1 / 0.3048, 1000, 0}, Unit{"m", 1, 1000, 0})
}

// SpeedsIn returns the unit of current speeds, computed in knots and rounded as NOAA
// rounds them: 0.01 kn, or 0.1 cm/s. A knot is 1852 m an hour.
func SpeedsIn(units coast.Units) Unit {
	return oneOf(units, Unit{"kn", 1, 100, 0}, Unit{"cm/s", 185200.0 / 3600, 10, 0})
}

// WindsIn returns the unit of forecast winds, computed in knots, to a tenth.
func WindsIn(units coast.Units) Unit {
	return oneOf(units, Unit{"kn", 1, 10, 0}, Unit{"m/s", 1852.0 / 3600, 10, 0})
}

// DepthsIn returns the unit of depths of bins, to a tenth.
func DepthsIn(units coast.Units) Unit {
	u := HeightsIn(units)
	u.Steps = 10
	return u
}

// ObservedSpeedsIn returns the unit of observed speeds, which come in cm/s.
func ObservedSpeedsIn(units coast.Units) Unit {
	return oneOf(units, Unit{"kn", 3600 / 185200.0, 100, 0}, Unit{"cm/s", 1, 10, 0})
}

// measured holds the units and the bounds of the quantities that NOAA measures. Data comes in the
// first unit and is rounded as NOAA rounds.
var measured = map[string]struct {
	metric, english Unit
	bounds          Bounds
}{
	"wind_speed": {Unit{"m/s", 1, 10, 0}, Unit{"kn", 3.6 / 1.852, 100, 0}, Bounds{0, 150}},
	"wind_gust":  {Unit{"m/s", 1, 10, 0}, Unit{"kn", 3.6 / 1.852, 100, 0}, Bounds{0, 200}},
	"wind_direction": {Unit{"degrees true, from", 1, 10, 0}, Unit{"degrees true, from", 1, 10, 0},
		DirectionBounds},
	"air_temperature":   {Unit{"C", 1, 10, 0}, Unit{"F", 1.8, 10, 32}, Bounds{-90, 70}},
	"water_temperature": {Unit{"C", 1, 10, 0}, Unit{"F", 1.8, 10, 32}, Bounds{-10, 60}},
	"air_pressure":      {Unit{"mb", 1, 10, 0}, Unit{"mb", 1, 10, 0}, Bounds{800, 1100}},
	"air_gap":           {Unit{"m", 1, 1000, 0}, Unit{"ft", 1 / 0.3048, 1000, 0}, Bounds{-10, 200}},
	"conductivity":      {Unit{"mS/cm", 1, 100, 0}, Unit{"mS/cm", 1, 100, 0}, Bounds{0, 200}},
	"visibility":        {Unit{"km", 1, 100, 0}, Unit{"nmi", 1 / 1.852, 100, 0}, Bounds{0, 500}},
	"humidity":          {Unit{"percent", 1, 10, 0}, Unit{"percent", 1, 10, 0}, Bounds{0, 110}},
	"salinity":          {Unit{"PSU", 1, 100, 0}, Unit{"PSU", 1, 100, 0}, Bounds{0, 350}},
	"specific_gravity":  {Unit{"1", 1, 1000, 0}, Unit{"1", 1, 1000, 0}, Bounds{0.9, 1.4}},
}

// MeasuredIn returns the unit of a measured quantity.
func MeasuredIn(quantity string, units coast.Units) Unit {
	return oneOf(units, measured[quantity].english, measured[quantity].metric)
}

// Spaced returns a wire name, such as air_temperature, as words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// dashed returns a wire name as part of a source id.
func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// Known returns v, or nil for the NaN of a missing value.
func Known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Tenths rounds to a tenth.
func Tenths(v float64) float64 { return math.Round(v*10) / 10 }

// Degrees rounds a coordinate to 5 decimals, about a meter.
func Degrees(v float64) float64 { return math.Round(v*1e5) / 1e5 }
