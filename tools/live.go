package tools

import (
	"context"
	"time"

	"leadline/internal/coast"
)

// The operations of this file are answered by providers. Their inputs are
// checked as all are; then they answer ProviderUnavailable, since this
// server has no way to ask one.

// unavailable says that a provider would have to be asked, and what can be
// done without it.
func unavailable(provider, what, instead string) error {
	message := "Only " + provider + " knows " + what + ", and this server does not ask providers. No data is invented."
	if instead != "" {
		message += " " + instead
	}
	return coast.Errorf(coast.ProviderUnavailable, "%s", message)
}

// past checks a span of observations, read in the station's zone where the
// directory knows the station.
func (s *Set) past(in Span, timeZone, station string) error {
	place := "Etc/UTC"
	if st, err := s.anyStation(station); err == nil {
		place = st.Zone
	}
	now := s.moment().now
	z, err := s.zones.at(place, timeZone, now)
	if err == nil {
		_, err = in.resolve(now, z, false, 24*time.Hour)
	}
	return err
}

const usePredictions = "Predictions are computed here: noaa_get_tide_predictions, noaa_get_current_predictions."

// ObservedSeries are measured values at equal steps of time.
type ObservedSeries struct {
	Start       time.Time  `json:"start"`
	StepMinutes int        `json:"stepMinutes"`
	Count       int        `json:"count"`
	Values      []*float64 `json:"values"` // null where the provider has none
}

// WaterLevelsInput asks for observed water levels.
type WaterLevelsInput struct {
	AtStation
	Interval string `json:"interval" default:"6" enum:"1 6 hourly" doc:"Minutes between values, or hourly (verified)."`
	Span
	OnDatum
	InUnits
	InZone
}

// WaterLevels are observed levels, with the predicted level beside the
// newest of them, never merged.
type WaterLevels struct {
	coast.Frame
	HeightUnit string          `json:"heightUnit"`
	Observed   *ObservedSeries `json:"observed"`
	Predicted  *float64        `json:"predicted"` // at the newest observation
	Residual   *float64        `json:"residual"`  // observed - predicted, there
}

// WaterLevels tells observed levels at a gauge.
func (s *Set) WaterLevels(_ context.Context, in WaterLevelsInput) (WaterLevels, error) {
	if err := s.past(in.Span, in.TimeZone, in.Station); err != nil {
		return WaterLevels{}, err
	}
	return WaterLevels{}, unavailable(coast.COOPS, "observed water levels", usePredictions)
}

// WaterLevelSummariesInput asks for summaries of observed levels.
type WaterLevelSummariesInput struct {
	AtStation
	Product string `json:"product" enum:"high_low daily_mean daily_max_min monthly_mean" doc:"Which summary."`
	Span
	OnDatum
	InUnits
	InZone
}

// LevelSummary is one row of a summary of observed levels.
type LevelSummary struct {
	Time   time.Time `json:"time"`
	Type   string    `json:"type"`
	Height *float64  `json:"height"`
}

// WaterLevelSummaries are summaries of observed levels.
type WaterLevelSummaries struct {
	coast.Frame
	HeightUnit string         `json:"heightUnit"`
	Product    string         `json:"product"`
	Rows       []LevelSummary `json:"rows"`
}

// WaterLevelSummaries tells summaries of observed levels.
func (s *Set) WaterLevelSummaries(_ context.Context, in WaterLevelSummariesInput) (WaterLevelSummaries, error) {
	if err := s.past(in.Span, in.TimeZone, in.Station); err != nil {
		return WaterLevelSummaries{}, err
	}
	return WaterLevelSummaries{}, unavailable(coast.COOPS, "summaries of observed water levels", usePredictions)
}

// CurrentsInput asks for observed currents.
type CurrentsInput struct {
	AtStation
	Bin    *int `json:"bin,omitempty" doc:"Depth bin; the station's own choice where left out, 0 for all." min:"0" max:"200" example:"1"`
	Expand bool `json:"expand_detailed" default:"false" doc:"Echo and correlation too."`
	Span
	InUnits
	InZone
}

// ObservedCurrent is one measured current.
type ObservedCurrent struct {
	Time      time.Time `json:"time"`
	Bin       int       `json:"bin"`
	Depth     *float64  `json:"depth"`
	Speed     *float64  `json:"speed"`
	Direction *float64  `json:"direction"` // toward, degrees true
}

// Currents are observed currents.
type Currents struct {
	coast.Frame
	SpeedUnit string            `json:"speedUnit"`
	Rows      []ObservedCurrent `json:"rows"`
}

// Currents tells observed currents at a meter.
func (s *Set) Currents(_ context.Context, in CurrentsInput) (Currents, error) {
	if err := s.past(in.Span, in.TimeZone, in.Station); err != nil {
		return Currents{}, err
	}
	return Currents{}, unavailable(coast.COOPS, "observed currents", usePredictions)
}

// MeteorologicalDataInput asks for weather observations.
type MeteorologicalDataInput struct {
	AtStation
	Product  string `json:"product" enum:"air_temperature water_temperature wind air_pressure air_gap conductivity visibility humidity salinity all" doc:"What was measured; all: the newest value of each."`
	Interval string `json:"interval" default:"6" enum:"6 h" doc:"Minutes between values, or hourly (h)."`
	Span
	InUnits
	InZone
}

// Measurement is one measured value of one quantity.
type Measurement struct {
	Time     time.Time `json:"time"`
	Quantity string    `json:"quantity"`
	Value    *float64  `json:"value"`
	Unit     string    `json:"unit"`
}

// MeteorologicalData are weather observations.
type MeteorologicalData struct {
	coast.Frame
	Product string        `json:"product"`
	Rows    []Measurement `json:"rows"`
}

// MeteorologicalData tells weather observations at a station.
func (s *Set) MeteorologicalData(_ context.Context, in MeteorologicalDataInput) (MeteorologicalData, error) {
	if err := s.past(in.Span, in.TimeZone, in.Station); err != nil {
		return MeteorologicalData{}, err
	}
	return MeteorologicalData{}, unavailable(coast.COOPS, "weather observations", "")
}

// WindForecastInput asks for the wind to come at a point.
type WindForecastInput struct {
	AtPlace
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"How far ahead."`
	InUnits
}

// Validate holds the place to one.
func (in *WindForecastInput) Validate() error { return in.check(true) }

// ForecastHour is the forecast of one hour.
type ForecastHour struct {
	Time       time.Time `json:"time"`
	WindSpeed  *float64  `json:"windSpeed"`
	WindGust   *float64  `json:"windGust"`
	WindFrom   *float64  `json:"windFrom"` // degrees true
	Weather    string    `json:"weather"`
	WaveHeight *float64  `json:"waveHeight"` // significant, offshore; null over land and bays
}

// WindForecast is the wind to come at a point.
type WindForecast struct {
	coast.Frame
	SpeedUnit  string         `json:"speedUnit"`
	HeightUnit string         `json:"heightUnit"`
	Surface    string         `json:"surface"` // land, marine
	Hours      []ForecastHour `json:"hours"`
}

// WindForecast tells the wind to come.
func (s *Set) WindForecast(context.Context, WindForecastInput) (WindForecast, error) {
	return WindForecast{}, unavailable(coast.NWS, "the wind forecast", "")
}

// MarineForecastInput asks for the coastal waters forecast of a point.
type MarineForecastInput struct {
	AtPlace
}

// Validate holds the place to one.
func (in *MarineForecastInput) Validate() error { return in.check(true) }

// ForecastPeriod is one period of a forecast text.
type ForecastPeriod struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Alert is one alert in force.
type Alert struct {
	Event    string     `json:"event"`
	Onset    *time.Time `json:"onset"`
	Ends     *time.Time `json:"ends"`
	Headline string     `json:"headline"`
	Zone     string     `json:"zone"`
}

// MarineForecast is the coastal waters forecast of a point's zone.
type MarineForecast struct {
	coast.Frame
	Zone       string           `json:"zone"`
	Synopsis   string           `json:"synopsis"`
	Headlines  []string         `json:"headlines"`
	Periods    []ForecastPeriod `json:"periods"`
	Alerts     []Alert          `json:"alerts"`
	AlertsAsOf *time.Time       `json:"alertsAsOf"`
}

// MarineForecast tells the coastal waters forecast.
func (s *Set) MarineForecast(context.Context, MarineForecastInput) (MarineForecast, error) {
	return MarineForecast{}, unavailable(coast.NWS, "the marine forecast and the alerts in force; that none is shown here does not mean that there are none", "")
}

// StationSensorsInput asks for the sensors of a station.
type StationSensorsInput struct {
	AtStation
}

// Sensor is one sensor of a station.
type Sensor struct {
	Name      string   `json:"name"`
	Elevation *float64 `json:"elevation"`
	Datum     string   `json:"datum"`
	Tool      string   `json:"tool"` // what reads it
}

// StationSensors are the sensors of a station.
type StationSensors struct {
	coast.Frame
	HeightUnit string   `json:"heightUnit"`
	Sensors    []Sensor `json:"sensors"`
}

// StationSensors tells the sensors of a station.
func (s *Set) StationSensors(context.Context, StationSensorsInput) (StationSensors, error) {
	return StationSensors{}, unavailable(coast.COOPS, "which sensors a station has", "")
}

// SeaLevelTrendsInput asks for trends: of a station, of a state, or of all.
type SeaLevelTrendsInput struct {
	Station string `json:"station,omitempty" doc:"Station id." pattern:"^[A-Za-z0-9_]{4,16}$" example:"8443970"`
	State   string `json:"state,omitempty" doc:"Two letters." pattern:"^[A-Za-z]{2}$" example:"MA"`
	Limit   int    `json:"limit" default:"25" min:"1" max:"100" doc:"Rows in one answer."`
	Offset  int    `json:"offset" default:"0" min:"0" max:"10000" doc:"Rows to leave out, for the next page."`
}

// SeaLevelTrend is the trend of one station.
type SeaLevelTrend struct {
	Station    string   `json:"station"`
	Name       string   `json:"name"`
	Trend      *float64 `json:"trend"`
	Confidence *float64 `json:"confidence95"`
}

// SeaLevelTrends are trends of relative sea level.
type SeaLevelTrends struct {
	coast.Frame
	TrendUnit string          `json:"trendUnit"`
	Total     int             `json:"total"`
	Trends    []SeaLevelTrend `json:"trends"`
}

// SeaLevelTrends tells trends of relative sea level.
func (s *Set) SeaLevelTrends(context.Context, SeaLevelTrendsInput) (SeaLevelTrends, error) {
	return SeaLevelTrends{}, unavailable(coast.COOPS, "sea level trends", "")
}

// ExtremeWaterLevelsInput asks for extremes at a station.
type ExtremeWaterLevelsInput struct {
	AtStation
	Datum string `json:"datum" default:"MHHW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL IGLD LWD CRD" doc:"Zero of heights."`
	InUnits
	LevelType string `json:"level_type" default:"high" enum:"high low" doc:"Which extremes."`
}

// ExtremeLevel is a level and how often it is passed.
type ExtremeLevel struct {
	Probability string   `json:"probability"` // of passing it in a year
	Height      *float64 `json:"height"`
}

// ExtremeWaterLevels are extremes at a station.
type ExtremeWaterLevels struct {
	coast.Frame
	HeightUnit string         `json:"heightUnit"`
	LevelType  string         `json:"levelType"`
	Levels     []ExtremeLevel `json:"levels"`
}

// ExtremeWaterLevels tells extremes at a station.
func (s *Set) ExtremeWaterLevels(context.Context, ExtremeWaterLevelsInput) (ExtremeWaterLevels, error) {
	return ExtremeWaterLevels{}, unavailable(coast.COOPS, "extreme water levels", "")
}

// HighTideFloodingInput asks for flood days at a station.
type HighTideFloodingInput struct {
	AtStation
	Report string `json:"report" default:"annual" enum:"annual daily monthly seasonal outlook projections" doc:"Which report."`
	Begin  string `json:"begin_date,omitempty" doc:"First day of a daily report." example:"2026-01-01"`
	End    string `json:"end_date,omitempty" doc:"Last day of a daily report." example:"2026-01-31"`
	Year   int    `json:"year,omitempty" doc:"Year of the report." min:"1900" max:"2150" example:"2026"`
}

// FloodCount is how many days of one period flooded.
type FloodCount struct {
	Period   string `json:"period"`
	Minor    *int   `json:"minor"`
	Moderate *int   `json:"moderate"`
	Major    *int   `json:"major"`
}

// HighTideFlooding is a report of flood days.
type HighTideFlooding struct {
	coast.Frame
	Report string       `json:"report"`
	Counts []FloodCount `json:"counts"`
}

// HighTideFlooding tells flood days at a station.
func (s *Set) HighTideFlooding(context.Context, HighTideFloodingInput) (HighTideFlooding, error) {
	return HighTideFlooding{}, unavailable(coast.COOPS, "high-tide flooding reports", "")
}

// TopTenWaterLevelsInput asks for the highest observed levels at a station.
type TopTenWaterLevelsInput struct {
	AtStation
	Datum string `json:"datum" default:"MHHW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL IGLD LWD CRD" doc:"Zero of heights."`
	InUnits
	Analysis string `json:"analysis" default:"topten" enum:"topten peaks" doc:"The ten highest, or the peaks of a year."`
	Year     int    `json:"year,omitempty" doc:"Year of peaks." min:"1800" max:"2150" example:"2026"`
}

// PeakLevel is one of the highest observed levels.
type PeakLevel struct {
	Rank   int       `json:"rank"`
	Time   time.Time `json:"time"`
	Height *float64  `json:"height"`
}

// TopTenWaterLevels are the highest observed levels at a station.
type TopTenWaterLevels struct {
	coast.Frame
	HeightUnit string      `json:"heightUnit"`
	Analysis   string      `json:"analysis"`
	Levels     []PeakLevel `json:"levels"`
}

// TopTenWaterLevels tells the highest observed levels at a station.
func (s *Set) TopTenWaterLevels(context.Context, TopTenWaterLevelsInput) (TopTenWaterLevels, error) {
	return TopTenWaterLevels{}, unavailable(coast.COOPS, "the highest observed levels", "")
}
