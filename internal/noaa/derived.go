package noaa

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// The derived-product service has what was made of long records: how fast the
// sea rises (Trends), how high it came (Extremes, TopTen, Peaks) and how often
// it flooded and will (FloodYears, ..., FloodProjections). For a station it
// has nothing about it answers with an empty list, or with an error; both are
// product_unavailable and prove nothing about the station.

// aboutProduct is the inquiry for a derived product of a station, "" for all.
// parameters are names and values; empty values are left out.
func aboutProduct(p derived.Product, station string, parameters ...string) inquiry {
	query, _ := url.ParseQuery(p.Query) // the table has no malformed one
	parameters = append(parameters, "station", station)
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return inquiry{path: derivedRoot + p.Path, query: query, class: lasting, what: p.What, station: station}
}

// since is a year as a parameter, empty if it is 0: then the service returns
// all years.
func since(year int) string {
	if year <= 0 {
		return ""
	}
	return strconv.Itoa(year)
}

// productRows reads the rows of a product that are about a station.
func productRows[T any](r *record, p derived.Product, station string, read func(row *record) T) ([]T, error) {
	r.need(p.List)
	var list []T
	r.each(p.List, func(row *record) {
		row.need(strings.Fields(p.Need)...)
		if row.of(station) {
			list = append(list, read(row))
		}
	})
	return some(list, r.err)
}

// Trend is how fast the sea rises relative to the land, and how it swings
// over a year. Rates are in millimetres a year, levels in millimetres.
type Trend struct {
	Station, Name                       string
	Affiliation                         string // US or Global
	Latitude, Longitude                 *float64
	Type                                string   // SINGLE: one trend over the whole record
	Trend, Error                        *float64 // mm a year; half the width of the 95 % interval
	Start, End                          string   // days in the middle of the first and the last month, yyyy-mm-dd
	Y2000Offset                         *float64 // as published, 0 wherever it was seen; the service names no unit
	Autoregressive, AutoregressiveError *float64 // coefficient of the lag-1 noise
	SeasonalAverage                     *float64 // mm, as published, undocumented; negative at some stations
	Annotation                          string   // of a record combined with another station's; empty as a rule
	SeasonalCycle                       []Seasonal
}

// Seasonal is how far a month's mean level stands from the year's.
type Seasonal struct {
	Month        int      // 1 to 12
	Level, Error *float64 // mm
}

// trendUnits are units of speed in millimetres a year, levelUnits units of
// length in millimetres.
var (
	trendUnits = map[string]float64{
		"mm/yr": 1, "mm/year": 1, "millimeters/year": 1,
		"inches/decade": 2.54, "in/decade": 2.54, "feet/century": 3.048, "ft/century": 3.048,
	}
	levelUnits = map[string]float64{
		"mm": 1, "millimeters": 1, "meters": 1000, "m": 1000,
		"inches": 25.4, "in": 25.4, "feet": 304.8, "ft": 304.8,
	}
)

// Trends returns the trend at a station, or with "" those at all stations.
func (c *Client) Trends(ctx context.Context, station string) (upstream.Value[[]Trend], error) {
	q := aboutProduct(derived.SeaLevelTrends, station)
	return consult(ctx, c, q, func(body []byte) ([]Trend, error) { return readTrends(body, station) })
}

func readTrends(body []byte, station string) ([]Trend, error) {
	return productRows(openRecord(body), derived.SeaLevelTrends, station, (*record).trend)
}

func (r *record) trend() Trend {
	rate := r.factor(trendUnits, 1, "trendUnits")
	level := r.factor(levelUnits, 1000, "seasonalUnits")
	t := Trend{
		Station: r.certainText("stationId"), Name: r.text("stationName"), Affiliation: r.text("affil"),
		Latitude: r.number("latitude", "lat"), Longitude: r.number("longitude", "lon", "lng"),
		Type: r.text("trendType"), Trend: scaled(r.number("trend"), rate), Error: scaled(r.number("trendError"), rate),
		Start: r.isoDay("startDate"), End: r.isoDay("endDate"), Y2000Offset: r.number("y2000_offset"),
		Autoregressive: r.number("autoregressive"), AutoregressiveError: r.number("autoregressiveError"),
		SeasonalAverage: scaled(r.number("seasonalAverage"), level), Annotation: r.text("annotation"),
	}
	r.each("seasonalCycleMonth", func(row *record) {
		s := Seasonal{Month: row.certainWhole("month"), Level: scaled(row.number("seasonalVar"), level), Error: scaled(row.number("seasonalErr"), level)}
		if s.Month < 1 || s.Month > 12 {
			row.unknown("month %d", s.Month)
		}
		t.SeasonalCycle = append(t.SeasonalCycle, s)
	})
	return t
}

// Extremes are the highest and lowest waters at a station, of the size that
// one year in ten sees, and where the service tells them the heights of such.
type Extremes struct {
	Station, Name, State string
	Epoch                string // "1983-2001"
	Latitude, Longitude  *float64
	Highs, Lows          []ExtremeEvent
	// Metres above Datum that 1, 10, 50 and 99 years in a hundred exceed; nil
	// where the service does not tell them, which of late it does not.
	P1, P10, P50, P99 *float64
	Datum             string // MHHW, by the names of the values and whatever was asked for; empty without values
	// Addresses of more of the service's documents, as it gives them.
	AnnualsURL, MonthliesURL, ExceedanceURL, MonthlyExceedanceURL string
}

// ExtremeEvent is one of the events of ten years.
type ExtremeEvent struct {
	Date   string // yyyy-mm-dd
	Type   string // GEV_HI or GEV_LO: of which distribution it is an extreme
	Status string // YES or NO, as published
}

// Extremes returns the extremes at a station. The datum is that of the
// heights, MHHW if it is empty.
func (c *Client) Extremes(ctx context.Context, station, datum string) (upstream.Value[Extremes], error) {
	q := aboutProduct(derived.ExtremeWaterLevels, station, "datum", datum)
	return consult(ctx, c, q, func(body []byte) (Extremes, error) { return readExtremes(body, station) })
}

func readExtremes(body []byte, station string) (Extremes, error) {
	list, err := productRows(openRecord(body), derived.ExtremeWaterLevels, station, (*record).extremes)
	if err != nil {
		return Extremes{}, err
	}
	return list[0], nil
}

// Exceedance returns the heights alone that some share of years exceeds, from
// the document in which the service lists them.
func (c *Client) Exceedance(ctx context.Context, station, datum string) (upstream.Value[Extremes], error) {
	q := aboutProduct(derived.ExceedanceLevels, station, "datum", datum)
	return consult(ctx, c, q, func(body []byte) (Extremes, error) { return readExceedance(body, station) })
}

// readExceedance accepts any object that has such heights: the form around
// them has not been seen.
func readExceedance(body []byte, station string) (Extremes, error) {
	r := openRecord(body)
	var found Extremes
	for _, list := range []string{derived.ExceedanceLevels.List, "ExceedanceLevels"} {
		r.each(list, func(row *record) {
			if found.Datum == "" && row.of(station) {
				found.exceedance(row)
			}
		})
	}
	if r.err == nil && found.Datum == "" {
		return found, errNothing
	}
	return found, r.err
}

func (r *record) extremes() Extremes {
	e := Extremes{
		Station: r.certainText("stationId"), Name: r.text("stationName"), State: r.text("state"), Epoch: r.text("epoch"),
		Latitude: r.number("latitude"), Longitude: r.number("longitude"),
		AnnualsURL: r.text("annuals"), MonthliesURL: r.text("monthlies"),
		ExceedanceURL: r.text("exceedanceLevels"), MonthlyExceedanceURL: r.text("exceedanceLevelsByMonth"),
	}
	e.exceedance(r)
	if events := r.object("tenYearEvents"); events != nil {
		e.Highs, e.Lows = events.events("highs"), events.events("lows")
	}
	return e
}

func (e *Extremes) exceedance(r *record) {
	e.P1, e.P10, e.P50, e.P99 = r.exceeded(&e.Datum, 1), r.exceeded(&e.Datum, 10), r.exceeded(&e.Datum, 50), r.exceeded(&e.Datum, 99)
}

// exceeded is the height that so many years in a hundred exceed: f10_gtmhhw is
// that of ten, above MHHW.
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
			Date: row.certainDay("date").Format(time.DateOnly), Type: row.text("type"), Status: row.text("status"),
		})
	})
	return list
}
