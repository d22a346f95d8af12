package tools

import (
	"context"
	"math"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// StationDatumsInput asks for the levels of a station.
type StationDatumsInput struct {
	AtStation
	Epoch string `json:"epoch" default:"current" enum:"current superseded" doc:"Tidal datum epoch; superseded ones need the provider."`
	InUnits
}

// DatumLevel is one level of a station.
type DatumLevel struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	AboveSTND   float64  `json:"aboveSTND"` // height of the level above station datum
	AboveMLLW   *float64 `json:"aboveMLLW"` // what a height above this datum needs added to stand above MLLW
}

// DatumRange is a difference or an interval that a station's datums come with.
type DatumRange struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Value       float64 `json:"value"`
	Unit        string  `json:"unit"`
}

// StationDatums are the levels of a station.
type StationDatums struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	DatumEpoch string       `json:"datumEpoch,omitempty"`
	Datums     []DatumLevel `json:"datums"` // highest first
	Ranges     []DatumRange `json:"ranges"`
	Conversion string       `json:"conversion"` // how to go from one datum to another
}

// datumNames describe datums as NOAA's glossary does, in substance.
var datumNames = map[string]string{
	"HAT":    "Highest astronomical tide of 19 years",
	"MHHW":   "Mean of the higher high waters",
	"MHW":    "Mean of all high waters",
	"DTL":    "Mean of MHHW and MLLW",
	"MTL":    "Mean of MHW and MLW",
	"MSL":    "Mean of hourly heights",
	"MLW":    "Mean of all low waters",
	"MLLW":   "Mean of the lower low waters; chart datum of the United States",
	"LAT":    "Lowest astronomical tide of 19 years",
	"STND":   "Station datum, zero of the gauge",
	"NAVD88": "North American Vertical Datum of 1988, a geodetic level; the datum argument is NAVD",
	"PRVD02": "Puerto Rico Vertical Datum of 2002",
	"VIVD09": "Virgin Islands Vertical Datum of 2009",
	"GUVD04": "Guam Vertical Datum of 2004",
	"NMVD03": "Northern Marianas Vertical Datum of 2003",
	"GT":     "Great diurnal range, MHHW - MLLW",
	"MN":     "Mean range, MHW - MLW",
	"DHQ":    "Mean diurnal high water inequality, MHHW - MHW",
	"DLQ":    "Mean diurnal low water inequality, MLW - MLLW",
	"HWI":    "Greenwich high water interval",
	"LWI":    "Greenwich low water interval",
}

// StationDatums tells the levels of a station. Subordinate stations have
// none of their own: ProductUnavailable.
func (s *Set) StationDatums(_ context.Context, in StationDatumsInput) (StationDatums, error) {
	return s.moment().stationDatums(in)
}

func (m moment) stationDatums(in StationDatumsInput) (StationDatums, error) {
	st, err := m.tideStation(in.Station)
	if err != nil {
		return StationDatums{}, err
	}
	if in.Epoch == "superseded" {
		return StationDatums{}, unavailable(coast.COOPS, "datums of superseded epochs", `Use "epoch": "current".`)
	}
	if len(st.Datums()) == 0 {
		return StationDatums{}, noDatums(st)
	}
	h := heightsIn(in.Units)
	out := StationDatums{
		Frame:      m.constantsFrame(st, in.Units, "station-datums", "Accepted datums, embedded", "https://tidesandcurrents.noaa.gov/datums.html?id="),
		HeightUnit: h.name, DatumEpoch: epochOf(st), Datums: levels(st, h), Ranges: ranges(st, h),
		Conversion: "height above B = height above A + aboveSTND of A - aboveSTND of B",
	}
	out.Missing = append(out.Missing, coast.Missing{Input: "extremes on record", Reason: "the highest and lowest observed levels are known to the provider only, which this server does not ask"})
	return out, nil
}

func noDatums(st stations.Station) error {
	if st.Subordinate() {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) is a subordinate station: it has no datums of its own, and its predictions stand above MLLW. Its reference station is %s: {\"station\": %q}.", st.ID, st.Name, st.Reference, st.Reference)
	}
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no datums in the embedded data.", st.ID, st.Name)
}

// constantsFrame is the frame of what NOAA publishes of a station once.
func (m moment) constantsFrame(st stations.Station, units, id, label, page string) coast.Frame {
	return coast.Frame{
		Station: card(st), Units: units, TimeZone: st.Zone,
		Provenance: m.of(st, m.embedded(id, label, coast.Calculation, page+st.ID)),
	}
}

func levels(st stations.Station, h unit) []DatumLevel {
	mllw, has := level(st, "MLLW")
	var rows []DatumLevel
	for _, d := range st.Datums() {
		row := DatumLevel{Name: d.Name, Description: datumNames[d.Name], AboveSTND: h.of(d.Value)}
		if has {
			above := h.of(d.Value - mllw)
			row.AboveMLLW = &above
		}
		rows = append(rows, row)
	}
	return rows
}

func level(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Datums() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}

func ranges(st stations.Station, h unit) []DatumRange {
	rows := []DatumRange{}
	for _, d := range st.Differences() {
		row := DatumRange{d.Name, datumNames[d.Name], d.Value, d.Unit}
		if d.Unit == "m" {
			row.Value, row.Unit = h.of(d.Value), h.name
		}
		rows = append(rows, row)
	}
	return rows
}

// HarmonicConstituentsInput asks for the constants of a station.
type HarmonicConstituentsInput struct {
	AtStation
	Bin *int `json:"bin,omitempty" doc:"Depth bin of a current station; its predicted bin where left out." min:"0" max:"200" example:"1"`
	InUnits
}

// ConstituentRow is one constant of a station.
type ConstituentRow struct {
	Number      int     `json:"number"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Amplitude   float64 `json:"amplitude"`
	Phase       float64 `json:"phase"` // Greenwich phase lag, degrees
	Speed       float64 `json:"speed"` // degrees per hour
}

// HarmonicConstituents are the constants of a station, in NOAA's order.
type HarmonicConstituents struct {
	coast.Frame
	AmplitudeUnit string           `json:"amplitudeUnit"`
	PhaseUnit     string           `json:"phaseUnit"`
	SpeedUnit     string           `json:"speedUnit"`
	MeanFlow      *float64         `json:"meanFlow,omitempty"` // of a current, along its axis, flood positive
	Bin           *int             `json:"bin,omitempty"`
	Constituents  []ConstituentRow `json:"constituents"`
}

// HarmonicConstituents tells the constants of a reference station.
func (s *Set) HarmonicConstituents(_ context.Context, in HarmonicConstituentsInput) (HarmonicConstituents, error) {
	st, err := s.harmonicStation(in)
	if err != nil {
		return HarmonicConstituents{}, err
	}
	u := heightsIn(in.Units)
	out := HarmonicConstituents{
		Frame:         s.moment().constantsFrame(st, in.Units, "harmonic-constituents", "Harmonic constants, embedded", "https://tidesandcurrents.noaa.gov/harcon.html?id="),
		AmplitudeUnit: u.name, PhaseUnit: "degrees, Greenwich phase lag", SpeedUnit: "degrees per hour", Constituents: []ConstituentRow{},
	}
	if st.Kind == stations.Current {
		u = speedsIn(in.Units)
		u.steps = 1000 // as published, finer than predictions
		mean := u.of(st.MeanFlow())
		out.AmplitudeUnit, out.MeanFlow, out.Bin = u.name, &mean, binOf(st)
	}
	all := tide.Constituents()
	for _, h := range st.Harmonics() {
		c := all[h.Constituent]
		out.Constituents = append(out.Constituents, ConstituentRow{c.Number, c.Name, c.Description, u.of(h.Amplitude), math.Round(h.Phase*10) / 10, c.Speed})
	}
	return out, nil
}

// harmonicStation finds a station that has constants of its own.
func (s *Set) harmonicStation(in HarmonicConstituentsInput) (stations.Station, error) {
	st, err := s.anyStation(in.Station)
	if err == nil && (st.Kind == stations.Current || in.Bin != nil) {
		st, err = s.currentBin(in.Station, in.Bin)
	}
	if err != nil {
		return st, err
	}
	if st.Subordinate() {
		return st, coast.Errorf(coast.ProductUnavailable, "%s (%s) is a subordinate station: it is predicted from %s and has no constants of its own. Ask for the reference station: {\"station\": %q}.", st.ID, st.Name, st.Reference, st.Reference)
	}
	if !st.HasConstants() {
		return st, coast.Errorf(coast.ProductUnavailable, "%s (%s) has no harmonic constants in NOAA's data.", st.ID, st.Name)
	}
	return st, nil
}

// formNumber is (K1+O1)/(M2+S2) of a tide station's amplitudes.
func formNumber(st stations.Station) (float64, bool) {
	amplitude := map[string]float64{}
	all := tide.Constituents()
	for _, h := range st.Harmonics() {
		amplitude[all[h.Constituent].Name] = h.Amplitude
	}
	semidiurnal := amplitude["M2"] + amplitude["S2"]
	if st.Kind != stations.Tide || semidiurnal == 0 {
		return 0, false
	}
	return math.Round((amplitude["K1"]+amplitude["O1"])/semidiurnal*100) / 100, true
}

// regime names the form of the tide by its form number (Courtier, 1938).
func regime(form float64) string {
	switch {
	case form < 0.25:
		return "semidiurnal"
	case form < 1.5:
		return "mixed, mainly semidiurnal"
	case form < 3:
		return "mixed, mainly diurnal"
	}
	return "diurnal"
}

// TidePredictionOffsetsInput asks how a subordinate station follows its reference.
type TidePredictionOffsetsInput struct {
	AtStation
}

// TidePredictionOffsets is how a subordinate station's tide follows from its
// reference station's.
type TidePredictionOffsets struct {
	coast.Frame
	ReferenceStation StationRow    `json:"referenceStation"`
	TimeOffsets      TimeOffsets   `json:"timeOffsets"`
	HeightOffsets    HeightOffsets `json:"heightOffsets"`
}

// TimeOffsets are added to the times of the reference's events.
type TimeOffsets struct {
	High int `json:"highMinutes"`
	Low  int `json:"lowMinutes"`
}

// HeightOffsets change the heights of the reference's events above MLLW.
type HeightOffsets struct {
	Type string  `json:"type"` // ratio: multiply; fixed: add
	High float64 `json:"high"`
	Low  float64 `json:"low"`
	Unit string  `json:"unit,omitempty"` // m, of fixed offsets
}

// TidePredictionOffsets tells the offsets of a subordinate station; a
// reference station has none: ProductUnavailable.
func (s *Set) TidePredictionOffsets(_ context.Context, in TidePredictionOffsetsInput) (TidePredictionOffsets, error) {
	st, err := s.tideStation(in.Station)
	if err != nil {
		return TidePredictionOffsets{}, err
	}
	o := st.TideOffsets()
	reference, ok := s.Stations.Station(st.Reference)
	if o == nil || !ok {
		return TidePredictionOffsets{}, coast.Errorf(coast.ProductUnavailable, "%s (%s) is a reference station: it is predicted from its own constants (noaa_get_harmonic_constituents) and has no offsets.", st.ID, st.Name)
	}
	out := TidePredictionOffsets{
		Frame:            s.moment().constantsFrame(st, "", "tide-prediction-offsets", "Tide prediction offsets, embedded", "https://tidesandcurrents.noaa.gov/noaatidepredictions.html?id="),
		ReferenceStation: rowOf(reference), TimeOffsets: TimeOffsets{o.HighMinutes, o.LowMinutes},
		HeightOffsets: HeightOffsets{Type: "ratio", High: o.High, Low: o.Low},
	}
	out.Frame.Datum = "MLLW"
	if o.Fixed {
		out.HeightOffsets.Type, out.HeightOffsets.Unit = "fixed", "m"
	}
	return out, nil
}

// CurrentStationBinsInput asks for the depth bins of a current station.
type CurrentStationBinsInput struct {
	AtStation
}

// CurrentBin is one depth bin of a current station.
type CurrentBin struct {
	ID               string     `json:"id"`  // to ask predictions of this bin
	Bin              *int       `json:"bin"` // null where the embedded data does not number it
	Predicted        bool       `json:"predicted"`
	Default          bool       `json:"default"` // what NOAA predicts when no bin is named
	Depth            *float64   `json:"depth"`   // null: not embedded
	Directions       Directions `json:"directions"`
	MeanFlow         *float64   `json:"meanFlowKnots,omitempty"`
	ReferenceStation string     `json:"referenceStation,omitempty"`
	Offsets          *Offsets   `json:"offsets,omitempty"`
}

// Offsets are how a subordinate bin follows its reference, in minutes and ratios.
type Offsets struct {
	SlackBeforeFlood int     `json:"slackBeforeFloodMinutes"`
	Flood            int     `json:"floodMinutes"`
	SlackBeforeEbb   int     `json:"slackBeforeEbbMinutes"`
	Ebb              int     `json:"ebbMinutes"`
	FloodRatio       float64 `json:"floodSpeedRatio"`
	EbbRatio         float64 `json:"ebbSpeedRatio"`
}

// CurrentStationBins are the depth bins of a current station that are embedded.
type CurrentStationBins struct {
	coast.Frame
	Bins []CurrentBin `json:"bins"`
}

// CurrentStationBins tells the embedded bins of a current station: the one
// that NOAA predicts by default, and others that serve as references.
func (s *Set) CurrentStationBins(_ context.Context, in CurrentStationBinsInput) (CurrentStationBins, error) {
	return s.moment().currentStationBins(in)
}

func (m moment) currentStationBins(in CurrentStationBinsInput) (CurrentStationBins, error) {
	st, err := m.anyStation(in.Station)
	if err == nil {
		st, err = m.currentStation(st.ID)
	}
	if err != nil {
		return CurrentStationBins{}, err
	}
	out := CurrentStationBins{
		Frame: m.constantsFrame(st, "", "current-bins", "Current station constants, embedded", "https://tidesandcurrents.noaa.gov/noaacurrents/Predictions?id="),
		Bins:  []CurrentBin{},
	}
	for _, bin := range m.Stations.Bins(st.ID) {
		out.Bins = append(out.Bins, currentBinOf(bin))
	}
	out.Missing = append(out.Missing,
		coast.Missing{Input: "depths", Reason: "the embedded data does not hold depths"},
		coast.Missing{Input: "bin numbers", Reason: "the embedded data numbers only the bins that other stations refer to; the rest is known to NOAA's metadata service, which this server does not ask"})
	return out, nil
}

func currentBinOf(st stations.Station) CurrentBin {
	b := CurrentBin{
		ID: st.ID, Bin: binOf(st), Predicted: true, Default: binOf(st) == nil, Directions: directionsOf(st),
		ReferenceStation: st.Reference,
	}
	if o := st.CurrentOffsets(); o != nil {
		b.Offsets = &Offsets{o.SlackBeforeFlood, o.Flood, o.SlackBeforeEbb, o.Ebb, o.FloodRatio, o.EbbRatio}
		return b
	}
	flow := st.MeanFlow()
	b.MeanFlow = &flow
	return b
}

// StationFloodLevelsInput asks where flooding begins.
type StationFloodLevelsInput struct {
	AtStation
	OnDatum
	InUnits
}

// FloodLevel is the height at which flooding of one severity begins.
type FloodLevel struct {
	Authority string  `json:"authority"` // NOS
	Level     string  `json:"level"`     // minor, moderate, major
	Height    float64 `json:"height"`    // above the datum beside it
	Datum     string  `json:"datum"`
	Basis     string  `json:"basis"` // published, derived
}

// StationFloodLevels are the heights at which flooding begins.
type StationFloodLevels struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Levels     []FloodLevel `json:"levels"`
}

// floodRegressions give the height above MLLW, in metres, at which flooding
// begins: slope x GT + intercept (Sweet and others, 2018, Patterns and
// Projections of High Tide Flooding, NOAA Technical Report NOS CO-OPS 086).
var floodRegressions = []struct {
	level            string
	slope, intercept float64
}{{"minor", 1.04, 0.50}, {"moderate", 1.03, 0.80}, {"major", 1.04, 1.17}}

// StationFloodLevels tells the flood thresholds of a tide station, derived
// from its great diurnal range. It needs the station's own datums.
func (s *Set) StationFloodLevels(_ context.Context, in StationFloodLevelsInput) (StationFloodLevels, error) {
	return s.moment().stationFloodLevels(in)
}

func (m moment) stationFloodLevels(in StationFloodLevelsInput) (StationFloodLevels, error) {
	st, err := m.tideStation(in.Station)
	if err != nil {
		return StationFloodLevels{}, err
	}
	if len(st.Datums()) == 0 {
		return StationFloodLevels{}, noDatums(st)
	}
	mllw, ok := level(st, "MLLW")
	gt, has := rangeOf(st, "GT")
	if !ok || !has {
		return StationFloodLevels{}, coast.Errorf(coast.ProductUnavailable, "%s (%s) has no great diurnal range, from which flood levels are derived.", st.ID, st.Name)
	}
	zero, ok := level(st, datumKey(in.Datum))
	if !ok {
		_, err := m.tides(st, in.Datum)
		return StationFloodLevels{}, err
	}
	h := heightsIn(in.Units)
	out := StationFloodLevels{
		Frame: coast.Frame{
			Station: card(st), Datum: in.Datum, Units: in.Units, TimeZone: st.Zone,
			Provenance: m.of(st, m.embedded("station-datums", "Accepted datums, embedded", coast.Calculation, "https://tidesandcurrents.noaa.gov/datums.html?id="+st.ID),
				m.derived("flood-levels", "Flood levels derived from the great diurnal range (NOS CO-OPS 086)", "https://tidesandcurrents.noaa.gov/publications/techrpt86_PaP_of_HTFlooding.pdf")),
		},
		HeightUnit: h.name,
	}
	for _, r := range floodRegressions {
		out.Levels = append(out.Levels, FloodLevel{"NOS", r.level, h.of(mllw + r.slope*gt + r.intercept - zero), in.Datum, "derived"})
	}
	out.Missing = append(out.Missing, coast.Missing{Input: "published NOS and NWS levels", Reason: "the published flood levels are known to NOAA's metadata service only, which this server does not ask; the weather service's levels cannot be derived"})
	out.Notes = append(out.Notes, "Derived levels are a regression over all gauges: the published level of one place can differ.")
	return out, nil
}

// datumKey is a datum argument as the data names the level.
func datumKey(datum string) string {
	if datum == "NAVD" {
		return "NAVD88"
	}
	return datum
}

func rangeOf(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Differences() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}
