package directory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/overlay"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// StationDatumsInput requests the datums of a station.
type StationDatumsInput struct {
	place.StationOrPlace
	Epoch string `json:"epoch" default:"current" enum:"current superseded" doc:"Tidal datum epoch; superseded ones are requested from NOAA."`
	operation.InUnits
}

// DatumLevel is one datum of a station.
type DatumLevel struct {
	Name        string   `json:"name" doc:"Name of the datum. NOAA may add datums."`
	Description string   `json:"description" doc:"What the datum is."`
	AboveSTND   float64  `json:"aboveSTND" doc:"Height of the level above station datum."`
	AboveMLLW   *float64 `json:"aboveMLLW" doc:"What to add to a height above this datum for the height above MLLW; null if the station has no MLLW."`
}

// DatumRange is a difference or an interval that belongs to a station's datums.
type DatumRange struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Value       float64 `json:"value"`
	Unit        string  `json:"unit"`
}

// StationDatums holds the datums of a station.
type StationDatums struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Datums     []DatumLevel `json:"datums"` // highest first
	Ranges     []DatumRange `json:"ranges"`
	Conversion string       `json:"conversion"` // the formula from one datum to another
	Record     *OnRecord    `json:"record"`     // null if unavailable
	place.ForPlace
}

// OnRecord holds the highest and the lowest observed level of a gauge.
type OnRecord struct {
	Highest *RecordLevel `json:"highest"`
	Lowest  *RecordLevel `json:"lowest"`
}

// RecordLevel is a level and the time of its observation.
type RecordLevel struct {
	AboveSTND float64 `json:"aboveSTND"`
	Date      string  `json:"date"` // UTC, with the hour if NOAA publishes it
}

// datumNames describes datums as NOAA's glossary defines them.
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

// StationDatums returns the datums of a station: the embedded ones, or those of the
// metadata service if the directory does not have them. The service also provides the
// extremes on record. Subordinate stations do not have datums: ProductUnavailable.
func (s Operations) StationDatums(
	ctx context.Context, in StationDatumsInput,
) (StationDatums, error) {
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	return stationDatums(ctx, s.facts.Set(), in)
}

func stationDatums(
	ctx context.Context, fs facts.Set, in StationDatumsInput,
) (StationDatums, error) {
	st, err := fs.LevelStation(ctx, in.Station)
	if err != nil {
		return StationDatums{}, err
	}
	if in.Epoch == "superseded" {
		return supersededDatums(ctx, fs, st, in)
	}
	datums, err := fs.Datums(ctx, st)
	if err != nil {
		return StationDatums{}, err
	}
	st = datums.Station
	h := facts.HeightsIn(in.Units)
	out := StationDatums{
		Frame:      fs.ConstantsFrame(st, in.Units, stations.PartLevels, facts.DatumsOrigin),
		HeightUnit: h.Name, Datums: levels(st, h), Ranges: ranges(st, h),
		Conversion: "height above B = height above A + aboveSTND of A - aboveSTND of B",
	}
	if datums.Err != nil {
		out.Missing = append(out.Missing, coast.Unobtained("extremes on record", datums.Err))
		return out, nil
	}
	out.Record = onRecord(datums.Document, h)
	out.Sources = append(out.Sources, fs.Document(
		facts.COOPS(
			"station-record", "Extremes on record, from NOAA's metadata service", coast.Observation,
			facts.DatumsOrigin.Page+st.ID,
		),
		datums.Received,
	))
	return out, nil
}

// supersededDatums returns the datums of the previous epoch.
func supersededDatums(
	ctx context.Context, fs facts.Set, st stations.Station, in StationDatumsInput,
) (StationDatums, error) {
	live, err := fs.Water.SupersededDatums(ctx, st.ID)
	if err != nil {
		return StationDatums{}, err
	}
	h := facts.HeightsIn(in.Units)
	o := facts.COOPS(
		"superseded-datums", "Superseded datums, from NOAA's metadata service", coast.Calculation,
		facts.DatumsOrigin.Page+st.ID+"&epoch=1",
	)
	out := StationDatums{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: st.Zone,
			Provenance: fs.Provenance(st, fs.Document(o, live.ReceivedAt)),
		},
		HeightUnit: h.Name, Datums: []DatumLevel{}, Ranges: []DatumRange{},
		Conversion: "height above B = height above A + aboveSTND of A - aboveSTND of B",
	}
	u := overlay.Datums(live.Data, live.ReceivedAt)
	out.DatumEpoch = facts.EpochName(stations.Years{First: u.FirstEpoch, Last: u.LastEpoch})
	out.Sources[0].DatumEpoch = out.DatumEpoch
	slices.SortStableFunc(u.Datums, func(a, b stations.Datum) int {
		return cmp.Compare(b.Value, a.Value)
	})
	out.Datums, out.Ranges = levelRows(u.Datums, h), rangeRows(u.Differences, h)
	out.Notes = append(
		out.Notes,
		"Superseded: these datums are of an earlier epoch, above the station datum of their time. They "+
			"are for comparing old heights, not for planning.",
	)
	return out, nil
}

func onRecord(d noaa.Datums, h facts.Unit) *OnRecord {
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
		return &RecordLevel{h.Of(e.Height), date}
	}
	return &OnRecord{level(d.Max), level(d.Min)}
}

func levels(st stations.Station, h facts.Unit) []DatumLevel { return levelRows(st.Datums(), h) }

func levelRows(datums []stations.Datum, h facts.Unit) []DatumLevel {
	i := slices.IndexFunc(datums, func(d stations.Datum) bool { return d.Name == "MLLW" })
	mllw, has := 0.0, i >= 0
	if has {
		mllw = datums[i].Value
	}
	rows := []DatumLevel{}
	for _, d := range datums {
		row := DatumLevel{Name: d.Name, Description: datumNames[d.Name], AboveSTND: h.Of(d.Value)}
		if has {
			above := h.Of(d.Value - mllw)
			row.AboveMLLW = &above
		}
		rows = append(rows, row)
	}
	return rows
}

func ranges(st stations.Station, h facts.Unit) []DatumRange {
	return rangeRows(st.Differences(), h)
}

func rangeRows(differences []stations.Difference, h facts.Unit) []DatumRange {
	rows := []DatumRange{}
	for _, d := range differences {
		row := DatumRange{d.Name, datumNames[d.Name], d.Value, d.Unit}
		if d.Unit == "m" {
			row.Value, row.Unit = h.Of(d.Value), h.Name
		}
		rows = append(rows, row)
	}
	return rows
}

// Describe writes the relation that callers request most, then the datums, ranges and
// records.
func (d StationDatums) Describe(t *render.Answer) {
	t.Line("%s: %s.", operation.StationName(d.Station)+d.Away(), d.sentence())
	describeDatums(t, d.Datums, d.HeightUnit)
	if len(d.Ranges) > 0 {
		t.Gap()
	}
	for _, r := range d.Ranges {
		t.Line("%s %s %s: %s", render.Escape(r.Name), render.Short(r.Value, 3), render.Escape(r.Unit),
			r.Description)
	}
	if d.Record != nil {
		describeRecord(t, "Highest", d.Record.Highest, d.HeightUnit)
		describeRecord(t, "Lowest", d.Record.Lowest, d.HeightUnit)
	}
}

// sentence returns the mean range, or the number of datums.
func (d StationDatums) sentence() string {
	text := operation.Plural(len(d.Datums), "datum") + epochOf(d.Frame)
	for _, r := range d.Ranges {
		if r.Name == "MN" {
			text += fmt.Sprintf("; mean range of the tide %s %s", render.Short(r.Value, 2), r.Unit)
		}
	}
	return text
}

// describeDatums writes a row for each datum: its height above STND and above MLLW.
func describeDatums(t *render.Answer, list []DatumLevel, unit string) {
	t.Gap()
	second := ""
	if slices.ContainsFunc(list, func(d DatumLevel) bool { return d.AboveMLLW != nil }) {
		second = " (above MLLW)"
	}
	t.Line("Datums in %s above STND%s. A height above A is, above B: height + STND value "+
		"of A - STND value of B.", unit, second)
	for _, d := range list {
		t.Line("%s %s%s: %s", render.Escape(d.Name), render.Short(d.AboveSTND, 3),
			parenthesis(d.AboveMLLW), d.Description)
	}
}

// parenthesis returns a number in parentheses, or nothing if it is unknown.
func parenthesis(v *float64) string {
	if v == nil {
		return ""
	}
	return " (" + render.Short(*v, 3) + ")"
}

func describeRecord(t *render.Answer, what string, r *RecordLevel, unit string) {
	if r == nil {
		return
	}
	day := ""
	if r.Date != "" {
		day = " on " + operation.LocalTimes(render.Escape(r.Date))
	}
	t.Line("%s observed level %s %s above STND%s", what, render.Short(r.AboveSTND, 3), unit, day)
}
