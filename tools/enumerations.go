package tools

import (
	"strings"

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

// StationMatch names what a search has matched.
type StationMatch string

// Values returns all values.
func (StationMatch) Values() []string { return []string{"id", "exact", "alias", "place", "fuzzy"} }

// WaterSide names one of the two waters of a place: the open coast, or what lies behind it.
type WaterSide string

// Values returns all values.
func (WaterSide) Values() []string { return []string{"ocean", "inside"} }

// Faces names the water that a place faces.
type Faces string

// Values returns all values.
func (Faces) Values() []string {
	return append([]string{"both"}, coast.Water("").Values()...)
}

// Interval names a form of tide predictions: high and low waters, or heights at a step of an hour
// (h) or of minutes.
type Interval string

// Values returns all values.
func (Interval) Values() []string {
	return []string{
		"hilo", "h", "1", "5", "6", "10", "15", "30", "60",
	}
}

// TimeZone names the zone that times are written in: one of Known, or an IANA name.
type TimeZone string

// SchemaName returns the name of the known values in OpenAPI documents.
func (TimeZone) SchemaName() string { return "TimeZoneMode" }

// Known returns the values that are not IANA names: the clock of the station, its standard time,
// and UTC.
func (TimeZone) Known() []string { return []string{"lst_ldt", "lst", "gmt"} }

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

// TideType names the kind of a tide event.
type TideType string

// Values returns all values.
func (TideType) Values() []string { return []string{"high", "low"} }

// TideState names what the tide does at an instant.
type TideState string

// Values returns all values.
func (TideState) Values() []string {
	return []string{
		"rising", "falling", "high_stand", "low_stand",
	}
}

// LunarPhase names a phase of the moon.
type LunarPhase string

// SchemaName returns the name in OpenAPI documents.
func (LunarPhase) SchemaName() string { return "MoonPhase" }

// Values returns all values.
func (LunarPhase) Values() []string {
	return []string{
		"new_moon", "waxing_crescent", "first_quarter", "waxing_gibbous", "full_moon",
		"waning_gibbous", "last_quarter", "waning_crescent",
	}
}

// LunarEvent names a principal phase of the moon, or an extreme of its distance.
type LunarEvent string

// SchemaName returns the name in OpenAPI documents.
func (LunarEvent) SchemaName() string { return "MoonEventType" }

// Values returns all values.
func (LunarEvent) Values() []string {
	return []string{
		"new_moon", "first_quarter", "full_moon", "last_quarter", "perigee", "apogee",
	}
}

// SunState names whether the sun crosses the horizon on a day.
type SunState string

// Values returns all values.
func (SunState) Values() []string { return []string{"rises_and_sets", "polar_day", "polar_night"} }

// MoonState names whether the moon crosses the horizon on a day.
type MoonState string

// Values returns all values.
func (MoonState) Values() []string { return []string{"rises_and_sets", "always_up", "always_down"} }

// TwilightState names whether the sun crosses an altitude of twilight on a day.
type TwilightState string

// Values returns all values.
func (TwilightState) Values() []string { return []string{"crosses", "always_up", "always_down"} }

// Quality names how far NOAA has checked observed levels.
type Quality string

// Values returns all values.
func (Quality) Values() []string { return []string{"preliminary", "verified"} }

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

// Light names a kind of light that results are limited to.
type Light string

// Values returns all values.
func (Light) Values() []string { return []string{"any", "daylight", "civil", "dark", "moonlit"} }

// TideSide names a side of a level.
type TideSide string

// Values returns all values.
func (TideSide) Values() []string { return []string{"below", "above"} }

// WindowCause names the reason for which a window begins or ends.
type WindowCause string

// Values returns all values.
func (WindowCause) Values() []string {
	return []string{
		"level", "slack", "sunrise", "sunset", "dawn", "dusk", "moonlight", "hours", "weekday", "span",
	}
}

// WindowEnd names an end of a window.
type WindowEnd string

// Values returns all values.
func (WindowEnd) Values() []string { return []string{"from", "to"} }

// TideRanking names what tides are ranked by.
type TideRanking string

// Values returns all values.
func (TideRanking) Values() []string { return []string{"lowest", "highest", "king", "springs"} }

// SpringKind names a kind of range of the tide.
type SpringKind string

// Values returns all values.
func (SpringKind) Values() []string { return []string{"spring", "neap", "tropic", "equatorial"} }

// SpringPhase names when the range of the tide is greatest or smallest: at a phase of the moon, or
// at its declination where that determines the tide.
type SpringPhase string

// Values returns all values.
func (SpringPhase) Values() []string {
	return []string{
		"new_moon", "first_quarter", "full_moon", "last_quarter", "greatest_declination",
		"over_the_equator",
	}
}

// Apsis names an extreme of the moon's distance.
type Apsis string

// Values returns all values.
func (Apsis) Values() []string { return []string{"perigee", "apogee"} }

// CurrentPhase names the direction of a current that windows are limited to.
type CurrentPhase string

// Values returns all values.
func (CurrentPhase) Values() []string { return []string{"any", "flood", "ebb"} }

// SpeedSide names a side of a speed.
type SpeedSide string

// Values returns all values.
func (SpeedSide) Values() []string { return []string{"at_most", "at_least"} }

// words returns the side for a sentence.
func (s SpeedSide) words() string { return strings.ReplaceAll(string(s), "_", " ") }

// WindowKind names a kind of window of a current.
type WindowKind string

// Values returns all values.
func (WindowKind) Values() []string { return []string{"slack", "run"} }

// SlackTurn names the runs before and after a slack.
type SlackTurn string

// Values returns all values.
func (SlackTurn) Values() []string {
	return []string{"flood to ebb", "ebb to flood", "flood to flood", "ebb to ebb"}
}

// Opposition names how far the wind is against the current, by the rule of decisions.
type Opposition string

// Values returns all values.
func (Opposition) Values() []string { return []string{"none", "watch", "action"} }

// WindOrigin names the forecast of a wind: the grid, or the coastal waters text.
type WindOrigin string

// Values returns all values.
func (WindOrigin) Values() []string { return []string{"grid", "text"} }

// CurrentSpeedUnit is a unit of the speeds of currents.
type CurrentSpeedUnit string

// Values returns all values.
func (CurrentSpeedUnit) Values() []string { return []string{"kn", "cm/s"} }

// TransitDirection names a way through a pass: with the flood behind the vessel, or with the ebb.
type TransitDirection string

// Values returns all values.
func (TransitDirection) Values() []string { return []string{"with_flood", "with_ebb"} }

// MarineMiles is the unit of distances at sea.
type MarineMiles string

// Values returns all values.
func (MarineMiles) Values() []string { return []string{"nmi"} }

// DayPart names a part of the result about a day.
type DayPart string

// all returns all parts in the order of the result.
func (DayPart) all() []DayPart {
	return []DayPart{
		"tides", "light", "currents", "wind", "alerts", "water_level", "temperature", "decision",
	}
}

// Values returns all values.
func (p DayPart) Values() []string { return coast.Strings(p.all()...) }

// CurrentType names the kind of an event of a current.
type CurrentType string

// Values returns all values.
func (CurrentType) Values() []string { return []string{"flood", "ebb", "slack"} }

// PlaceKind names a kind of place.
type PlaceKind string

// Values returns all values.
func (PlaceKind) Values() []string { return []string{"place", "water", "zip", "station"} }

// GracePeriod names a time for which a replaced secret remains valid.
type GracePeriod string

// Values returns all values.
func (GracePeriod) Values() []string { return []string{"0s", "1h", "24h", "168h"} }

// typed returns strings as values of an enumeration.
func typed[T ~string](list []string) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}
