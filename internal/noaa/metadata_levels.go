package noaa

import (
	"context"
	"time"

	"leadline/internal/upstream"
)

// FloodLevels holds the heights at which flooding begins, in meters above station datum (STND), as
// set by the Ocean Service and the Weather Service. Many stations do not have all of them.
type FloodLevels struct {
	NOSMinor, NOSModerate, NOSMajor *float64
	NWSMinor, NWSModerate, NWSMajor *float64
	Action                          *float64
}

// FloodLevels returns the flood levels of a station.
func (c *Client) FloodLevels(ctx context.Context, id string) (upstream.Value[FloodLevels], error) {
	q := newDocumentQuery(id, "floodlevels", "flood levels")
	q.class.Expiry = 7 * day // warnings depend on them
	return getDocument(ctx, c, q, readFloodLevels)
}

// readFloodLevels reads heights in the unit of the request: the document does not name one.
func readFloodLevels(body []byte) (FloodLevels, error) {
	r := openDocument(body)
	r.need("nos_minor", "nws_minor", "action")
	unit := r.factor(lengths, 1, "units")
	level := func(name string) *float64 { return scaled(r.number(name), unit) }
	f := FloodLevels{
		NOSMinor: level("nos_minor"), NOSModerate: level("nos_moderate"), NOSMajor: level("nos_major"),
		NWSMinor: level("nws_minor"), NWSModerate: level("nws_moderate"), NWSMajor: level("nws_major"),
		Action: level("action"),
	}
	if r.err == nil && f == (FloodLevels{}) {
		return f, errNoData
	}
	return f, r.err
}

// Datums holds the levels of a station over one epoch.
type Datums struct {
	Accepted, Superseded string // "Apr 17 2003"; Superseded is empty for current datums
	Epoch                string // "1983-2001"
	Levels               []Datum
	LAT, HAT             *Extreme // astronomical tides; nil without predictions
	Min, Max             *Extreme // lowest and highest water on record
	Orthometric          string   // "NAVD88"; the service also writes "Ortho"
	Analysis             []string // periods of the observations: "01/01/1983 - 12/31/2001"
	Control              string   // the control station of a short series
}

// Datum is a level in meters above station datum, a difference of levels in meters (GT, MN, DHQ,
// DLQ), or an interval in hours (HWI, LWI).
type Datum struct {
	Name, Description string
	Value             float64
}

// Extreme is a height in meters above station datum and its time in UTC. If only the day is known,
// Time is its beginning; if not even that, it is zero.
type Extreme struct {
	Height  float64
	Time    time.Time
	DayOnly bool
}

// Datums returns the datums in force at a station.
func (c *Client) Datums(ctx context.Context, id string) (upstream.Value[Datums], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "datums", "datums"), readDatums)
}

// SupersededDatums returns the datums of the previous epoch.
func (c *Client) SupersededDatums(ctx context.Context, id string) (upstream.Value[Datums], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "supersededdatums", "superseded datums"),
		readDatums)
}

func readDatums(body []byte) (Datums, error) {
	r := openDocument(body)
	r.need("datums")
	unit := r.factor(lengths, 1, "units")
	d := Datums{
		Accepted: r.text("accepted"), Superseded: r.text("superseded"), Epoch: r.text("epoch"),
		LAT: r.extreme("LAT", unit), HAT: r.extreme("HAT", unit),
		Min: r.extreme("min", unit), Max: r.extreme("max", unit),
		Orthometric: r.text("OrthometricDatum"), Analysis: r.texts("DatumAnalysisPeriod"),
		Control: r.text("ctrlStation"),
	}
	r.each("datums", func(row *record) {
		level := Datum{Name: row.requiredText("name", "n"), Description: row.text("description")}
		if v := row.number("value", "v"); v != nil {
			level.Value = *v
			if level.Name != "HWI" && level.Name != "LWI" { // hours
				level.Value *= unit
			}
			d.Levels = append(d.Levels, level)
		}
	})
	if r.err == nil && len(d.Levels) == 0 {
		return Datums{}, errNoData
	}
	return d, r.err
}

// extreme reads a height and its date and time: NAME, NAMEdate and NAMEtime.
func (r *record) extreme(name string, unit float64) *Extreme {
	height := r.number(name)
	day := r.day(name + "date")
	at := r.text(name + "time")
	if height == nil {
		return nil
	}
	e := &Extreme{Height: *height * unit}
	if day == nil {
		return e
	}
	e.Time, e.DayOnly = *day, at == ""
	if !e.DayOnly {
		d, ok := clock([]byte(at))
		if !ok {
			r.unknown("%stime is %.20q, not a time of day", name, at)
		}
		e.Time = e.Time.Add(d)
	}
	return e
}

// Harmonics returns the constituents of the tide at a station.
func (c *Client) Harmonics(ctx context.Context, id string) (upstream.Value[[]Harmonic], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "harcon", "harmonic constituents"), readHarmonics)
}

func readHarmonics(body []byte) ([]Harmonic, error) {
	r := openDocument(body)
	unit := r.factor(lengths, 1, "units")
	return readRows(r, "HarmonicConstituents", func(row *record) Harmonic {
		return Harmonic{
			Number: row.requiredInt("number"), Name: row.requiredText("name"),
			Description: row.text("description"),
			Amplitude:   row.required("amplitude") * unit, Phase: row.required("phase_GMT"),
			Speed: row.required("speed"), Comments: row.text("comments"),
		}
	})
}

// TideOffsets holds the offsets that turn the tide of a reference station into the tide of a
// subordinate station. A station with its own constants (Type R) has them too, all zero, and is
// not predicted by them.
type TideOffsets struct {
	Reference               string
	Type                    string  // R or S
	HighMinutes, LowMinutes int     // added to the times of high and low water
	High, Low               float64 // factors, or meters to add if Fixed
	Fixed                   bool
}

// TideOffsets returns the offsets of a tide-prediction station.
func (c *Client) TideOffsets(ctx context.Context, id string) (upstream.Value[TideOffsets], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "tidepredoffsets", "tide prediction offsets"),
		readTideOffsets)
}

func readTideOffsets(body []byte) (TideOffsets, error) {
	r := openDocument(body)
	r.need("refStationId")
	if r.raw("refStationId") == nil && r.raw("type") == nil {
		if r.err == nil {
			r.err = errNoData
		}
		return TideOffsets{}, r.err
	}
	o := TideOffsets{
		Reference: r.text("refStationId"), Type: r.text("type"),
		HighMinutes: r.requiredInt("timeOffsetHighTide"), LowMinutes: r.requiredInt("timeOffsetLowTide"),
		High: r.required("heightOffsetHighTide"), Low: r.required("heightOffsetLowTide"),
	}
	if o.Type == "S" && o.Reference == "" {
		r.unknown("no refStationId")
	}
	switch how := r.text("heightAdjustedType"); how {
	case "F":
		o.Fixed = true
	case "R":
	default:
		r.unknown("heightAdjustedType is %.20q", how)
	}
	return o, r.err
}
