package directory

import (
	"leadline/internal/coast"
)

// Predicts names what NOAA predicts at a station.
type Predicts string

// Values returns all values.
func (Predicts) Values() []string { return []string{"tides", "currents", "nothing"} }

// Observed names what a station measures.
type Observed string

// The measurements.
const (
	ObservedLevels   Observed = "water levels"
	ObservedWeather  Observed = "weather"
	ObservedCurrents Observed = "currents"
)

// Values returns all values.
func (Observed) Values() []string {
	return coast.Strings(ObservedLevels, ObservedWeather, ObservedCurrents)
}

// PredictionKind names how a station is predicted: from constants of its own (harmonic), from a
// reference station (subordinate), or not at all.
type PredictionKind string

// Values returns all values.
func (PredictionKind) Values() []string { return []string{"harmonic", "subordinate", "none"} }

// StationType names a product or sensor that stations are selected by.
type StationType string

// Values returns all values.
func (StationType) Values() []string {
	return []string{
		"waterlevels", "tidepredictions", "currents", "currentpredictions", "met", "watertemp",
		"harcon", "datums", "airgap", "visibility", "cond", "physocean", "historicwl",
		"1minute",
	}
}

// TideRegime names the kind of a tide by its form number (Courtier, 1938).
type TideRegime string

// The kinds, by increasing form number.
const (
	Semidiurnal       TideRegime = "semidiurnal"
	MainlySemidiurnal TideRegime = "mixed, mainly semidiurnal"
	MainlyDiurnal     TideRegime = "mixed, mainly diurnal"
	Diurnal           TideRegime = "diurnal"
)

// Values returns all values.
func (TideRegime) Values() []string {
	return coast.Strings(Semidiurnal, MainlySemidiurnal, MainlyDiurnal, Diurnal)
}

// FloodAuthority names who publishes a flood level.
type FloodAuthority string

// Values returns all values.
func (FloodAuthority) Values() []string { return []string{"NOS", "NWS"} }

// FloodSeverity names a severity of flooding.
type FloodSeverity string

// Values returns all values.
func (FloodSeverity) Values() []string { return []string{"action", "minor", "moderate", "major"} }

// FloodBasis names where the height of a flood level is from.
type FloodBasis string

// Values returns all values.
func (FloodBasis) Values() []string { return []string{"published", "derived"} }

// DirectionSource names where the directions of a current are from: NOAA's mean directions, or
// the axis of the harmonic analysis.
type DirectionSource string

// Values returns all values.
func (DirectionSource) Values() []string { return []string{"noaa_mean", "axis"} }

// PlaceKind names a kind of place.
type PlaceKind string

// Values returns all values.
func (PlaceKind) Values() []string { return []string{"place", "water", "zip", "station"} }
