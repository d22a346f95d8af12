package tools

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
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
	AboveSTND   float64  `json:"aboveSTND" doc:"Height of the level above station datum."`
	AboveMLLW   *float64 `json:"aboveMLLW" doc:"What a height above this datum needs added to stand above MLLW."`
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
	Datums     []DatumLevel `json:"datums"` // highest first
	Ranges     []DatumRange `json:"ranges"`
	Conversion string       `json:"conversion"` // how to go from one datum to another
	Record     *OnRecord    `json:"record"`     // null where it could not be had
}

// OnRecord are the highest and lowest levels that a gauge has seen.
type OnRecord struct {
	Highest *RecordLevel `json:"highest"`
	Lowest  *RecordLevel `json:"lowest"`
}

// RecordLevel is a level and when it was observed.
type RecordLevel struct {
	AboveSTND float64 `json:"aboveSTND"`
	Date      string  `json:"date"` // UTC, with the hour where NOAA tells it
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
	"CRD":    "Columbia River Datum, the low water slope of the river",
	"IGLD":   "International Great Lakes Datum of 1985, the zero of levels on the Great Lakes",
	"LWD":    "Low water datum, to which charts of the Great Lakes are drawn",
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

// StationDatums tells the levels of a station: embedded ones, or those of the
// metadata service where the directory has none, and from there also the
// extremes on record. Subordinate stations have none of their own:
// ProductUnavailable.
func (s *Set) StationDatums(ctx context.Context, in StationDatumsInput) (StationDatums, error) {
	ctx, cancel := adding(ctx)
	defer cancel()
	return s.moment().stationDatums(ctx, in)
}

func (m moment) stationDatums(ctx context.Context, in StationDatumsInput) (StationDatums, error) {
	st, err := m.levelStation(ctx, in.Station)
	if err != nil {
		return StationDatums{}, err
	}
	if in.Epoch == "superseded" {
		return m.supersededDatums(ctx, st, in)
	}
	live, liveErr := m.Water.Datums(ctx, st.ID)
	if len(st.Datums()) == 0 && liveErr != nil {
		return StationDatums{}, liveErr
	}
	if len(st.Datums()) == 0 {
		if err := m.Stations.Apply(st.ID, overlay.Datums(live.Data, live.ReceivedAt)); err != nil {
			return StationDatums{}, coast.Errorf(coast.ProviderUnavailable, "NOAA's datums of %s cannot be: %v. No data is invented.", st.ID, err)
		}
	}
	st = st.Snapshot()
	h := heightsIn(in.Units)
	out := StationDatums{
		Frame:      m.constantsFrame(st, in.Units, stations.PartLevels, datumsOrigin),
		HeightUnit: h.name, Datums: levels(st, h), Ranges: ranges(st, h),
		Conversion: "height above B = height above A + aboveSTND of A - aboveSTND of B",
	}
	if liveErr != nil {
		e, _ := coast.AsError(liveErr)
		out.Missing = append(out.Missing, coast.Missing{Input: "extremes on record", Reason: e.Message})
		return out, nil
	}
	out.Record = onRecord(live.Data, h)
	out.Sources = append(out.Sources, m.document(origin{"station-record", "Extremes on record, from NOAA's metadata service", coast.COOPS, coast.Observation, datumsOrigin.page + st.ID}, live.ReceivedAt))
	return out, nil
}

// datumsOrigin is where datums come from; the station's id ends the page.
var datumsOrigin = origin{id: "station-datums", label: "Accepted datums", page: "https://tidesandcurrents.noaa.gov/datums.html?id="}

// levelStation finds a station that can have levels of its own.
func (m moment) levelStation(ctx context.Context, id string) (stations.Station, error) {
	st, err := m.listed(ctx, id)
	switch {
	case err != nil:
		return st, err
	case st.Kind == stations.Current:
		return m.tideStation(id)
	case st.Subordinate():
		return st, noDatums(st)
	}
	return st, nil
}

// supersededDatums are those of the epoch before.
func (m moment) supersededDatums(ctx context.Context, st stations.Station, in StationDatumsInput) (StationDatums, error) {
	live, err := m.Water.SupersededDatums(ctx, st.ID)
	if err != nil {
		return StationDatums{}, err
	}
	h := heightsIn(in.Units)
	o := origin{"superseded-datums", "Superseded datums, from NOAA's metadata service", coast.COOPS, coast.Calculation, datumsOrigin.page + st.ID + "&epoch=1"}
	out := StationDatums{
		Frame:      coast.Frame{Station: card(st), Units: in.Units, TimeZone: st.Zone, Provenance: m.of(st, m.document(o, live.ReceivedAt))},
		HeightUnit: h.name, Datums: []DatumLevel{}, Ranges: []DatumRange{},
		Conversion: "height above B = height above A + aboveSTND of A - aboveSTND of B",
	}
	u := overlay.Datums(live.Data, live.ReceivedAt)
	out.DatumEpoch = epochName(stations.Years{First: u.FirstEpoch, Last: u.LastEpoch})
	out.Sources[0].DatumEpoch = out.DatumEpoch
	slices.SortStableFunc(u.Datums, func(a, b stations.Datum) int { return cmp.Compare(b.Value, a.Value) })
	out.Datums, out.Ranges = levelRows(u.Datums, h), rangeRows(u.Differences, h)
	out.Notes = append(out.Notes, "Superseded: these datums are of an earlier epoch and stand above the station datum of their time. They are for comparing old heights, not for planning.")
	return out, nil
}

func onRecord(d noaa.Datums, h unit) *OnRecord {
	level := func(e *noaa.Extreme) *RecordLevel {
		if e == nil {
			return nil
		}
		date := ""
		switch {
		case e.DayOnly:
			date = e.Time.Format(time.DateOnly)
		case !e.Time.IsZero():
			date = e.Time.UTC().Format(time.RFC3339)
		}
		return &RecordLevel{h.of(e.Height), date}
	}
	return &OnRecord{level(d.Max), level(d.Min)}
}

func noDatums(st stations.Station) error {
	if st.Subordinate() {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) is a subordinate station: it has no datums of its own, and its predictions stand above MLLW. Its reference station is %s: {\"station\": %q}.", st.ID, st.Name, st.Reference, st.Reference)
	}
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no datums in the embedded data.", st.ID, st.Name)
}

// constantsFrame is the frame of what NOAA publishes of a station once; part
// is where it stands, and the station's id ends the origin's page.
func (m moment) constantsFrame(st stations.Station, units string, part stations.Part, o origin) coast.Frame {
	f := coast.Frame{
		Station: card(st), Units: units, TimeZone: st.Zone,
		Provenance: m.heights(st, m.constantsOf(st, part, o.id, o.label, o.page+st.ID)),
	}
	if part == stations.PartLevels {
		f.DatumEpoch = m.epochOf(st)
	}
	return f
}

func levels(st stations.Station, h unit) []DatumLevel { return levelRows(st.Datums(), h) }

func levelRows(datums []stations.Datum, h unit) []DatumLevel {
	i := slices.IndexFunc(datums, func(d stations.Datum) bool { return d.Name == "MLLW" })
	mllw, has := 0.0, i >= 0
	if has {
		mllw = datums[i].Value
	}
	rows := []DatumLevel{}
	for _, d := range datums {
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

func ranges(st stations.Station, h unit) []DatumRange { return rangeRows(st.Differences(), h) }

func rangeRows(differences []stations.Difference, h unit) []DatumRange {
	rows := []DatumRange{}
	for _, d := range differences {
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
func (s *Set) HarmonicConstituents(ctx context.Context, in HarmonicConstituentsInput) (HarmonicConstituents, error) {
	m := s.moment()
	st, err := m.harmonicStation(ctx, in)
	if err != nil {
		return HarmonicConstituents{}, err
	}
	u := heightsIn(in.Units)
	out := HarmonicConstituents{
		Frame:         m.constantsFrame(st, in.Units, stations.PartConstants, origin{id: "harmonic-constituents", label: "Harmonic constants", page: "https://tidesandcurrents.noaa.gov/harcon.html?id="}),
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
func (m moment) harmonicStation(ctx context.Context, in HarmonicConstituentsInput) (stations.Station, error) {
	st, err := m.anyStation(in.Station)
	if err == nil && (st.Kind == stations.Current || in.Bin != nil) {
		st, err = m.currentBin(ctx, in.Station, in.Bin)
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
	reference, ok := s.Stations.Reference(st)
	if o == nil || !ok {
		return TidePredictionOffsets{}, coast.Errorf(coast.ProductUnavailable, "%s (%s) is a reference station: it is predicted from its own constants (noaa_get_harmonic_constituents) and has no offsets.", st.ID, st.Name)
	}
	out := TidePredictionOffsets{
		Frame:            s.moment().constantsFrame(st, "", stations.PartOffsets, origin{id: "tide-prediction-offsets", label: "Tide prediction offsets", page: "https://tidesandcurrents.noaa.gov/noaatidepredictions.html?id="}),
		ReferenceStation: rowOf(reference), TimeOffsets: TimeOffsets{o.HighMinutes, o.LowMinutes},
		HeightOffsets: HeightOffsets{Type: "ratio", High: o.High, Low: o.Low},
	}
	out.Frame.Datum, out.Frame.DatumEpoch = "MLLW", s.epochOf(st)
	if o.Fixed {
		out.HeightOffsets.Type, out.HeightOffsets.Unit = "fixed", "m"
	}
	return out, nil
}
