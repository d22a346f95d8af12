package noaa

import (
	"context"
	"strconv"
	"strings"
	"time"

	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// The derived-product service has statistics of long records: the rise of the sea (Trends), its
// highest levels (Extremes, TopTen, Peaks), and past and expected floods (FloodYears, ...,
// FloodProjections). For a station without them it returns an empty list, or an error. Both are
// product_unavailable and do not prove that the station does not exist.

// Trend is the rise of the sea relative to the land, and its seasonal cycle. Rates are in
// millimeters a year, levels in millimeters.
type Trend struct {
	Station, Name       string
	Affiliation         string // US or Global
	Latitude, Longitude *float64
	Type                string   // SINGLE: one trend over the whole record
	Trend, Error        *float64 // mm a year; half the width of the 95 % interval
	Start, End          string   // mid-month days of the first and last month, yyyy-mm-dd
	Y2000Offset         *float64 // as published, without a unit; 0 in all known responses

	Autoregressive, AutoregressiveError *float64 // coefficient of the lag-1 noise

	SeasonalAverage *float64 // mm, as published, undocumented; negative at some stations
	Annotation      string   // if the record is combined with another station's; usually empty
	SeasonalCycle   []Seasonal
}

// Seasonal is the difference of a month's mean level from the year's.
type Seasonal struct {
	Month        int      // 1 to 12
	Level, Error *float64 // mm
}

// trendUnits maps units of speed to millimeters a year, levelUnits units of length to millimeters.
var (
	trendUnits = map[string]float64{
		"mm/yr": 1, "mm/year": 1, "millimeters/year": 1,
		"inches/decade": 2.54, "in/decade": 2.54, "feet/century": 3.048, "ft/century": 3.048,
	}
	levelUnits = map[string]float64{
		"mm": 1, "millimeters": 1, "cm": 10, "meters": 1000, "m": 1000,
		"inches": 25.4, "in": 25.4, "feet": 304.8, "ft": 304.8,
	}
)

// Trends returns the trend at a station, or with "" the trends at all stations.
func (c *Client) Trends(ctx context.Context, station string) (upstream.Value[[]Trend], error) {
	q := newProductQuery(derived.SeaLevelTrends, station)
	return getDocument(ctx, c, q,
		func(body []byte) ([]Trend, error) { return readTrends(body, station) })
}

func readTrends(body []byte, station string) ([]Trend, error) {
	return productRows(openDocument(body), derived.SeaLevelTrends, station, (*record).trend)
}

func (r *record) trend() Trend {
	rate := r.factor(trendUnits, 1, "trendUnits")
	level := r.factor(levelUnits, 1000, "seasonalUnits")
	t := Trend{
		Station: r.requiredText("stationId"), Name: r.text("stationName"), Affiliation: r.text("affil"),
		Latitude: r.number("latitude", "lat"), Longitude: r.number("longitude", "lon", "lng"),
		Type: r.text("trendType"), Trend: scaled(r.number("trend"), rate),
		Error: scaled(r.number("trendError"), rate),
		Start: r.isoDay("startDate"), End: r.isoDay("endDate"), Y2000Offset: r.number("y2000_offset"),
		Autoregressive: r.number("autoregressive"), AutoregressiveError: r.number("autoregressiveError"),
		SeasonalAverage: scaled(r.number("seasonalAverage"), level), Annotation: r.text("annotation"),
	}
	r.each("seasonalCycleMonth", func(row *record) {
		s := Seasonal{Month: row.requiredInt("month"), Level: scaled(row.number("seasonalVar"), level),
			Error: scaled(row.number("seasonalErr"), level)}
		if s.Month < 1 || s.Month > 12 {
			row.unknown("month %d", s.Month)
		}
		t.SeasonalCycle = append(t.SeasonalCycle, s)
	})
	return t
}

// Extremes holds the highest and lowest waters at a station, and the heights that shares of
// years exceed if the service gives them. The events are of the size that occurs in one of ten
// years.
type Extremes struct {
	Station, Name, State string
	Epoch                string // "1983-2001"
	Latitude, Longitude  *float64
	Highs, Lows          []ExtremeEvent
	// Meters above Datum that 1, 10, 50 and 99 years in a hundred exceed; nil if the service does
	// not give them, as in recent responses.
	P1, P10, P50, P99 *float64
	Datum             string // by the names of the values, not as requested: MHHW; may be empty
	// URLs of further documents of the service, as published.
	AnnualsURL, MonthliesURL, ExceedanceURL, MonthlyExceedanceURL string
}

// ExtremeEvent is one event of the size that occurs in one of ten years.
type ExtremeEvent struct {
	Date   string // yyyy-mm-dd
	Type   string // distribution of the extreme: GEV_HI or GEV_LO
	Status string // YES or NO, as published
}

// Extremes returns the extremes at a station. datum is the datum of the heights, MHHW if empty.
func (c *Client) Extremes(
	ctx context.Context, station, datum string,
) (upstream.Value[Extremes], error) {
	q := newProductQuery(derived.ExtremeWaterLevels, station, "datum", datum)
	return getDocument(ctx, c, q,
		func(body []byte) (Extremes, error) { return readExtremes(body, station) })
}

func readExtremes(body []byte, station string) (Extremes, error) {
	list, err := productRows(openDocument(body), derived.ExtremeWaterLevels, station,
		(*record).extremes)
	if err != nil {
		return Extremes{}, err
	}
	return list[0], nil
}

// Exceedance returns only the heights that 1, 10, 50 and 99 % of years exceed, from the document
// in which the service lists them.
func (c *Client) Exceedance(
	ctx context.Context, station, datum string,
) (upstream.Value[Extremes], error) {
	q := newProductQuery(derived.ExceedanceLevels, station, "datum", datum)
	return getDocument(ctx, c, q,
		func(body []byte) (Extremes, error) { return readExceedance(body, station) })
}

// readExceedance accepts any object with such heights: no response of this format is known.
func readExceedance(body []byte, station string) (Extremes, error) {
	r := openDocument(body)
	var found Extremes
	for _, list := range []string{derived.ExceedanceLevels.List, "ExceedanceLevels"} {
		r.each(list, func(row *record) {
			if found.Datum == "" && row.forStation(station) {
				found.exceedance(row)
			}
		})
	}
	if r.err == nil && found.Datum == "" {
		return found, errNoData
	}
	return found, r.err
}

func (r *record) extremes() Extremes {
	e := Extremes{
		Station: r.requiredText("stationId"), Name: r.text("stationName"), State: r.text("state"),
		Epoch:    r.text("epoch"),
		Latitude: r.number("latitude"), Longitude: r.number("longitude"),
		AnnualsURL: r.text("annuals"), MonthliesURL: r.text("monthlies"),
		ExceedanceURL:        r.text("exceedanceLevels"),
		MonthlyExceedanceURL: r.text("exceedanceLevelsByMonth"),
	}
	e.exceedance(r)
	if events := r.object("tenYearEvents"); events != nil {
		e.Highs, e.Lows = events.events("highs"), events.events("lows")
	}
	return e
}

func (e *Extremes) exceedance(r *record) {
	e.P1, e.P10 = r.exceeded(&e.Datum, 1), r.exceeded(&e.Datum, 10)
	e.P50, e.P99 = r.exceeded(&e.Datum, 50), r.exceeded(&e.Datum, 99)
}

// exceeded returns the height that percent of years exceed: f10_gtmhhw is the height for 10 %,
// above MHHW.
func (r *record) exceeded(datum *string, percent int) *float64 {
	prefix := "f" + strconv.Itoa(percent) + "_gt"
	for _, f := range r.fields {
		name := strings.ToLower(string(f.key))
		level, ok := strings.CutPrefix(name, prefix)
		if !ok || level == "" {
			continue
		}
		if x := r.number(name); x != nil {
			*datum = strings.ToUpper(level)
			return x
		}
	}
	return nil
}

func (r *record) events(name string) []ExtremeEvent {
	var list []ExtremeEvent
	r.each(name, func(row *record) {
		list = append(list, ExtremeEvent{
			Date: row.requiredDay("date").Format(time.DateOnly), Type: row.text("type"),
			Status: row.text("status"),
		})
	})
	return list
}

// TopLevel is one of the highest waters on record at a station.
type TopLevel struct {
	Rank            int        // 1 is the highest
	Date            string     // yyyy-mm-dd, in UTC
	Time            *time.Time // UTC; nil if only the day is known
	Height          *float64   // m above Datum
	Datum           string     // as published; may be empty
	Event, Category string     // "Hurricane Sandy", "Tropical"
	Source          string     // "Observed Peak Water Level"
}

// TopTen returns the highest waters at a station, highest first, above datum; empty: MHHW.
func (c *Client) TopTen(
	ctx context.Context, station, datum string,
) (upstream.Value[[]TopLevel], error) {
	q := newProductQuery(derived.TopTenWaterLevels, station, "datum", datum)
	return getDocument(ctx, c, q,
		func(body []byte) ([]TopLevel, error) { return readTopTen(body, station) })
}

func readTopTen(body []byte, station string) ([]TopLevel, error) {
	r := openDocument(body)
	unit := r.factor(lengths, 1, "units")
	place := 0
	list, err := productRows(r, derived.TopTenWaterLevels, station, func(row *record) TopLevel {
		place++
		return row.topLevel(place, unit)
	})
	for _, t := range list {
		if t.Datum != list[0].Datum {
			r.unknown("heights above %s and %s", list[0].Datum, t.Datum)
			return nil, r.err
		}
	}
	return list, err
}

func (r *record) topLevel(place int, unit float64) TopLevel {
	date, timed := r.peak()
	t := TopLevel{
		Rank: place, Date: date.Format(time.DateOnly), Height: scaled(r.number("height"), unit),
		Datum: r.text("datum"),
		Event: r.text("event", "eventName"), Category: r.text("category", "eventCategory"),
		Source: r.text("source", "dataSource"),
	}
	if rank := r.integer("rank"); rank != nil {
		t.Rank = *rank
	}
	if timed {
		t.Time = &date
	}
	if at := r.text("peakTime"); at != "" && !timed {
		d, ok := clock([]byte(at))
		if !ok {
			r.unknown("peakTime is %.20q, not a time of day", at)
		}
		date = date.Add(d)
		t.Time = &date
	}
	return t
}

// peak returns when the water was highest: a day, or with timed a day and time.
func (r *record) peak() (at time.Time, timed bool) {
	if !strings.Contains(r.text("peakDate"), ":") {
		return r.requiredDay("peakDate"), false
	}
	t := r.moment("peakDate")
	if t == nil {
		return time.Time{}, false
	}
	return *t, true
}

// Peak is an event, usually a storm, of which the service lists the peaks at many stations.
type Peak struct {
	ID, Name  string
	Type      string    // Tropical, Extra Tropical, Sub-Tropical (offshore), Other, TBD
	Start     time.Time // first day, in an unknown zone
	GreatLake *bool

	StormTrack, Released *bool // there is a track; it is published ("dissemination")
}

// Peaks lists the events of a year, 0 for all, in the whole country: the service does not list them
// by station.
func (c *Client) Peaks(ctx context.Context, year int) (upstream.Value[[]Peak], error) {
	return getDocument(ctx, c,
		newProductQuery(derived.PeakWaterLevels, "", "year", yearParameter(year)), readPeaks)
}

func readPeaks(body []byte) ([]Peak, error) {
	return productRows(openDocument(body), derived.PeakWaterLevels, "", func(row *record) Peak {
		start := row.moment("startDate")
		if start == nil {
			row.unknown("no startDate")
			start = new(time.Time)
		}
		return Peak{
			ID: row.requiredText("eventId"), Name: row.text("name"), Type: row.text("eventType"),
			Start:     *start,
			GreatLake: row.flag("greatLake"), StormTrack: row.flag("stormTrack"),
			Released: row.flag("dissemination"),
		}
	})
}
