package decide

import (
	"slices"
	"time"

	"leadline/internal/coast"
)

// WeatherNotOffered is the reason code of a fact that is missing because the weather
// service does not cover the station.
const WeatherNotOffered = "weather_not_offered"

// The facts, by the ids of their sources.
const (
	TidePrediction    = "tide-prediction"
	Daylight          = "daylight"
	MarineAlerts      = "marine-alerts"
	WindForecast      = "wind-forecast"
	MarineText        = "marine-text"
	SeaState          = "seas"
	CurrentPrediction = "current-prediction"
	FloodThresholds   = "flood-thresholds"
	ObservedLevel     = "observed-water-level"
	WaterTemperature  = "water-temperature"
	SurfForecast      = "surf-forecast"
	MoonPhase         = "moon"
)

// Fact describes the availability of one input, without its numbers. A fact is available,
// could not be fetched (Absent), or does not apply at the station (Waived). Absent and
// Waived are texts for a reader and empty if they do not apply.
type Fact struct {
	Source coast.Source
	Absent string // why it could not be fetched
	Code   string // of the reason that reports it as missing; input_missing if empty
	Waived string // why it does not apply here; a waived fact lowers nothing

	// None explains why no provider has a value although the fact matters here: there is
	// no thermometer, or the forecast does not reach the time. The fact is missing, but no
	// provider failed: the state is watch at least, not unknown.
	None string
}

// Series holds values at equal time steps. The caller must align the steps with the
// requested time, so that spans begin and end on a step.
type Series struct {
	Start  time.Time
	Step   time.Duration
	Values []float64
}

// Facts holds all inputs of a decision. The caller gathers them from clocks and providers.
// Numbers are already rounded as a reader sees them, so that the compared number is the
// reported one. A nil number was not given; it never counts as calm, clear or zero.
type Facts struct {
	Station coast.Station
	Zone    *time.Location // of reported times
	Floor   Floor

	Tide    Tide
	Sun     Sun
	Moon    Moon
	Alerts  Alerts
	Grid    Grid
	Text    Text
	Current Current
	Flood   Flood
	Level   Level
	Water   Water
	Surf    Surf
	Gauge   *Gauge // the nearest one, if the station itself does not have one

	Notes []string // what a reader must know about the facts
}

// Tide is the predicted tide (fact tide-prediction).
type Tide struct {
	Fact
	Datum      coast.Datum // MLLW, or another datum if the station does not have it
	DatumEpoch string      // of the datum, such as 1983-2001; unknown if NOAA does not name one
	Heights    Series      // ft above the datum
	Turns      []Turn      // in order of time; they can reach beyond the series
}

// Turn is a high or low water.
type Turn struct {
	Time   time.Time
	High   bool
	Height float64 // ft above the datum
}

// Sun holds the altitude of the sun, sunrise and sunset, and daylight (fact daylight).
type Sun struct {
	Fact
	Altitudes Series       // degrees, of the center, without refraction
	Rise, Set []time.Time  // upper limb on the horizon
	Light     []coast.Span // civil daylight, in order of time; only the evaluation of hours uses it
}

// Moon is information only (fact moon).
type Moon struct {
	Fact
	Phase        string  // new_moon, waxing_crescent, ...
	Illumination float64 // fraction of the disc, 0 to 1
}

// Alerts holds the alerts that are in force or announced (fact marine-alerts).
type Alerts struct {
	Fact
	List []Alert
}

// Alert is a weather alert. An alert without an end holds until further notice.
type Alert struct {
	Event    string
	Severity string // CAP severity: Extreme, Severe, Moderate, Minor, Unknown
	From, To *time.Time
}

// Grid is the weather service's hourly forecast (facts wind-forecast and seas).
type Grid struct {
	Fact
	Waves bool   // the grid has waves here: land, bay and harbor cells do not
	Hours []Hour // in order of time, without duplicates
	// Unread has the units that are not known of the values that no hour has: of "wind", "gust",
	// "visibility" and "seas".
	Unread map[string]string
}

// Hour holds the values of the grid for an interval, mostly an hour.
type Hour struct {
	From, To   time.Time // To is exclusive
	Wind       *float64  // kn
	Gust       *float64  // kn
	Direction  *float64  // degrees true, from
	Visibility *float64  // nmi; most offices forecast none
	Thunder    *float64  // percent, see Coverage; 0 if the grid gives other weather or none
	Fog        *float64  // percent, likewise
	Wet        *float64  // percent, of precipitation (see Wet), likewise; only bounds use it
	Other      Weather   // further weather
	Height     *float64  // ft, of the waves
	Period     *float64  // s
	WavesFrom  *float64  // degrees true, of the highest part of the sea
	Swells     []Swell   // primary and secondary; empty if the grid gives no swell
}

// Weather maps codes of the table (see WeatherCode) to coverages in percent.
type Weather map[string]float64

// Swell is one train of swell.
type Swell struct {
	Height *float64 // ft
	Period *float64 // s
}

// swells returns the trains whose height is known. If the grid gives no swell, the waves as
// a whole count as swell.
func (h Hour) swells() []Swell {
	if !h.hasSwell() && h.Height != nil {
		return []Swell{{h.Height, h.Period}}
	}
	var known []Swell
	for _, s := range h.Swells {
		if s.Height != nil {
			known = append(known, s)
		}
	}
	return known
}

// hasSwell reports whether the grid gives the height of a swell.
func (h Hour) hasSwell() bool {
	return slices.ContainsFunc(h.Swells, func(s Swell) bool { return s.Height != nil })
}

// longestPeriod returns the longest period of the waves and the swells in seconds, nil if the grid
// gives none.
func (h Hour) longestPeriod() *float64 {
	longest := h.Period
	for _, s := range h.Swells {
		if s.Period != nil && (longest == nil || *s.Period > *longest) {
			longest = s.Period
		}
	}
	return longest
}

// Text is the coastal waters forecast (fact marine-text), which gives the
// largest value of half a day.
type Text struct {
	Fact
	Periods []Period // in order of time
}

// Period is one period of the coastal waters forecast.
type Period struct {
	From, To         time.Time
	Wind, Gust, Seas *float64 // kn, kn, ft
	Swells           []Swell  // the trains whose height and period the text gives
	Thunder, Fog     *float64 // percent, see Coverage; nil if the text does not mention it
	Visibility       *float64 // nmi
	Other            Weather  // further weather
	Unread           []string // sentences of which a part is not read
	Unmeasured       bool     // one of them is about wind, seas or visibility
}

// Current is the predicted tidal current of a station nearby (fact
// current-prediction).
type Current struct {
	Fact
	StationID  string
	Kilometers float64
	Far        bool           // another channel: it raises reasons and is no highlight
	Velocities Series         // kn along the axis, flood positive
	Flood, Ebb *float64       // degrees true, toward
	Events     []CurrentEvent // in order of time
}

// CurrentEvent is a flood, an ebb or a slack.
type CurrentEvent struct {
	Time  time.Time
	Phase string // flood, ebb, slack
	Speed float64
}

// Flood is the level at which flooding begins (fact flood-thresholds).
type Flood struct {
	Fact
	Name    string   // NWS minor or NOS minor, and whether it is derived
	Level   *float64 // ft above Tide.Datum
	Derived bool     // from the tidal range, not published by an agency
}

// Level is the reading of the station's own gauge (fact observed-water-level).
type Level struct {
	Fact
	Time     time.Time
	Height   *float64 // ft above Tide.Datum
	Residual *float64 // ft, observed minus predicted at Time
}

// Water is the observed water temperature (fact water-temperature), from the nearest
// thermometer within reach.
type Water struct {
	Fact
	StationID   string // of the thermometer; empty for the station itself
	Time        time.Time
	Temperature *float64 // degrees Fahrenheit
}

// Surf is the surf zone forecast of the station's land zone (fact
// surf-forecast).
type Surf struct {
	Fact
	Risks []RipRisk // of all periods from the first to the last that states a risk
}

// RipRisk is the forecast risk of rip currents for a period.
type RipRisk struct {
	From, To time.Time // To is exclusive
	Level    RipLevel
}

// RipLevel is a category of risk (NWSI 10-320, 2.6.1). The zero value means not stated,
// which is not low.
type RipLevel int

// The categories.
const (
	RipUnstated RipLevel = iota
	RipLow
	RipModerate
	RipHigh
)

// Gauge is the nearest gauge to a station that does not have its own. It is information
// only; its height never counts as the station's.
type Gauge struct {
	Source     coast.Source
	StationID  string
	Name       string
	Kilometers float64
	Time       time.Time
	Residual   float64 // ft, observed minus predicted there
}

// need grades how much an activity depends on a fact.
type need int

const (
	unused  need = iota
	informs      // information only
	watches      // P: can raise watch at most; without it the state is watch at least
	acts         // R: can raise action; without it the state is unknown (see Fact.None)
)

// input is one row of the table of facts.
type input struct {
	id      string
	name    string // in texts
	about   string
	needs   map[Activity]need
	applies string // when the fact does not apply
}

// inputs lists the facts in the order in which they are reported.
var inputs = []input{
	{TidePrediction, "tide prediction", "predicted levels, high and low water",
		every(acts), "always applies; without a predicted tide there is no decision"},
	{Daylight, "daylight", "altitude of the sun", every(acts), "always applies"},
	{MarineAlerts, "marine alerts", "alerts for the point's land and water",
		every(acts), "always applies; missing where the weather service has no data"},
	{WindForecast, "wind forecast", "hourly grid: wind, gust, weather, visibility",
		with(every(watches), acts, outdoors()...), "always applies"},
	{MarineText, "marine text",
		"coastal waters text: largest wind, gust and seas of a period, swell, weather, visibility",
		with(every(watches), acts, outdoors()...),
		"no marine zone within 10 km; a time beyond the end of a text of more than 72 h is missing, " +
			"and the state at least watch"},
	{SeaState, "seas",
		"waves of the grid, otherwise of the text; for coastal-living of the grid alone",
		with(only(acts, outdoors()...), watches, CoastalLiving),
		"both responded and neither has waves; for coastal-living no waves in the grid at the place"},
	{CurrentPrediction, "current prediction",
		"nearest tidal current station within 5 km, shallowest bin; to 15 km with a warning, and not " +
			"as a highlight",
		only(acts, Fishing, Boating, SurfPaddle),
		"no station within 15 km, or it is weak and variable"},
	{FloodThresholds, "flooding level", "level at which minor flooding begins: NWS, otherwise NOS",
		only(acts, CoastalLiving),
		"no such level: alerts decide, and confidence is at most moderate"},
	{ObservedLevel, "observed water level",
		"the station's own gauge; its values count up to 6 h ahead",
		only(acts, Fishing, Boating, CoastalLiving),
		"no gauge; for fishing and boating a gauge that is stale or has no value makes the state at " +
			"least watch"},
	{WaterTemperature, "water temperature",
		"the station's own sensor, otherwise the nearest within 25 km",
		with(only(acts, SurfPaddle), watches, Fishing, Boating),
		"no sensor within 25 km; for surf-paddle " + coldRule +
			" it is missing instead, and the state at least watch, as for a stale value"},
	{SurfForecast, "surf zone forecast", "risk of rip currents in the station's land zone",
		only(acts, SurfPaddle, Beachcombing),
		"the office issues none for the zone; a time beyond its end is missing, and the state at " +
			"least watch"},
	{MoonPhase, "moon", "phase of the moon", every(informs), "information only"},
}

// Uses reports whether an activity uses a fact at all.
func Uses(a Activity, id string) bool { return inputOf(id).needs[a] > unused }

// inputOf returns the row of the table of facts with the id, or the zero value if there is
// no such row.
func inputOf(id string) input {
	for _, in := range inputs {
		if in.id == id {
			return in
		}
	}
	return input{}
}

func every(n need) map[Activity]need { return only(n, Activities()...) }

func only(n need, of ...Activity) map[Activity]need {
	return with(map[Activity]need{}, n, of...)
}

func with(needs map[Activity]need, n need, of ...Activity) map[Activity]need {
	for _, a := range of {
		needs[a] = n
	}
	return needs
}

// outdoors returns the activities for which forecasts of wind and sea can raise an action.
func outdoors() []Activity {
	return []Activity{Fishing, Boating, SurfPaddle, Beachcombing, Photography}
}

// fact returns the fact with the id, as it was gathered. The seas depend on the span: see
// check.seas.
func (f *Facts) fact(id string) Fact {
	switch id {
	case TidePrediction:
		return f.Tide.Fact
	case Daylight:
		return f.Sun.Fact
	case MarineAlerts:
		return f.Alerts.Fact
	case WindForecast:
		return f.Grid.Fact
	case MarineText:
		return f.Text.Fact
	case CurrentPrediction:
		return f.Current.Fact
	case FloodThresholds:
		return f.Flood.Fact
	case ObservedLevel:
		return f.Level.Fact
	case WaterTemperature:
		return f.Water.Fact
	case SurfForecast:
		return f.Surf.Fact
	}
	return f.Moon.Fact
}

// coldRule describes where and when the water can be so cold that its temperature matters
// to a paddler (ours).
const coldRule = "at latitudes above 35 and, north of 25, from November to April"
