package noaa

import (
	"context"
	"fmt"
	"strings"
	"time"

	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// FloodCount counts the days of a period whose highest water reached a flood level of the Ocean
// Service. Counts are nil if there are no measurements; the current period is counted up to now.
type FloodCount struct {
	Period                 string // "1920", "2026-03", "2026 DJF"
	Year                   int
	Month                  int    // 1 to 12, 0 unless the period is one
	Season                 string // DJF, MAM, JJA, SON; empty unless the period is one
	Major, Moderate, Minor *int
	Missing                *int     // days without measurements
	Complete               *float64 // percent of measurements that exist
}

// FloodCounts returns the counts of a product: derived.FloodYears, FloodMonths or FloodSeasons.
// They cover a number of years that begin with from, or all years of the service if from is 0.
func (c *Client) FloodCounts(
	ctx context.Context, p derived.Product, station string, from, years int,
) (upstream.Value[[]FloodCount], error) {
	count := ""
	if from > 0 { // without a year a range has no effect
		count = yearParameter(years)
	}
	q := newProductQuery(p, station, "year", yearParameter(from), "range", count)
	return getDocument(ctx, c, q,
		func(body []byte) ([]FloodCount, error) { return readFloodCounts(body, station) })
}

// floodLists lists the names of the lists of counted periods.
var floodLists = []string{
	derived.FloodYears.List, derived.FloodMonths.List, derived.FloodSeasons.List,
	"SeasonFloodCount",
}

func readFloodCounts(body []byte, station string) ([]FloodCount, error) {
	r := openDocument(body)
	r.need(floodLists...)
	var list []FloodCount
	for _, name := range floodLists {
		r.each(name, func(row *record) {
			if row.forStation(station) {
				list = append(list, row.floodDays())
			}
		})
	}
	return nonEmpty(list, r.err)
}

func (r *record) floodDays() FloodCount {
	r.need(derived.FloodYears.Need)
	d := FloodCount{
		Year: r.requiredInt("year"), Season: strings.ToUpper(r.text("season_months", "season", "months")),
		Major: r.count("majCount"), Moderate: r.count("modCount"), Minor: r.count("minCount"),
		Missing:  r.count("nanCount"),
		Complete: r.number("percent_completeness"),
	}
	d.Period = fmt.Sprintf("%04d", d.Year)
	switch month := r.integer("month"); {
	case month != nil && (*month < 1 || *month > 12):
		r.unknown("month %d", *month)
	case month != nil:
		d.Month = *month
		d.Period += fmt.Sprintf("-%02d", d.Month)
	case d.Season != "":
		d.Period += " " + d.Season
	}
	return d
}

// count returns a number of days, nil if there is none.
func (r *record) count(name string) *int {
	n := r.integer(name)
	if n != nil && *n < 0 {
		r.unknown("%s is %d", name, *n)
	}
	return n
}

// FloodDay reports which flood levels the highest water of one day reached.
type FloodDay struct {
	Day                    time.Time // 00:00 UTC of the date; the zone of the day is unknown
	Major, Moderate, Minor *bool     // nil on a day without measurements
	Missing                *bool     // there are none, or too few
	Highest                *float64  // m above STND
	// Hour of the day with the highest water: 15 is 15:00 to 15:59 GMT, by the evidence of three
	// days at Charleston (8665530), September 2020; the service documents neither. nil if the
	// value is not an hour.
	HighestHour *int
}

// FloodDaily returns every day between two days, both included.
func (c *Client) FloodDaily(
	ctx context.Context, station string, from, to time.Time,
) (upstream.Value[[]FloodDay], error) {
	const layout = "20060102"
	q := newProductQuery(derived.FloodDays, station,
		"start_date", from.Format(layout), "end_date", to.Format(layout))
	return getDocument(ctx, c, q, readFloodDaily)
}

func readFloodDaily(body []byte) ([]FloodDay, error) {
	r := openDocument(body)
	unit := r.factor(lengths, 1, "units")
	return productRows(r, derived.FloodDays, "", func(row *record) FloodDay {
		d := FloodDay{
			Day: row.requiredDay("day", "date"), Missing: row.flag("nanFlag"),
			Major: row.flag("majFlag"), Moderate: row.flag("modFlag"), Minor: row.flag("minFlag"),
			Highest: scaled(row.number("maxWL"), unit), HighestHour: row.hour("maxTime"),
		}
		if d.Missing != nil && *d.Missing { // then the flags are 0 without a meaning
			d.Major, d.Moderate, d.Minor = nil, nil, nil
		}
		return d
	})
}

// hour returns an hour of the day, 0 to 23, nil for a text: other descriptions of the service have
// times of day, whose format and zone are unknown.
func (r *record) hour(name string) *int {
	raw := r.raw(name)
	if raw == nil || raw[0] == '"' {
		return nil
	}
	n := r.integer(name)
	if n != nil && (*n < 0 || *n > 23) {
		r.unknown("%s is %d", name, *n)
	}
	return n
}

// FloodOutlook is the expected number of days of minor flooding in a meteorological year, May to
// April.
type FloodOutlook struct {
	Year      int      // in which it begins, as published
	Low, High *float64 // days: the likely range
	Made      string   // day of the outlook, yyyy-mm-dd
	Method    string   // as published: "Quadratic", or that with ENSO, or an average
}

// FloodOutlook returns the outlook for a meteorological year; 0: the latest.
func (c *Client) FloodOutlook(
	ctx context.Context, station string, year int,
) (upstream.Value[FloodOutlook], error) {
	q := newProductQuery(derived.FloodOutlook, station, "met_year", yearParameter(year))
	return getDocument(ctx, c, q,
		func(body []byte) (FloodOutlook, error) { return readFloodOutlook(body, station, year) })
}

// readFloodOutlook returns the row of a station and a year.
func readFloodOutlook(body []byte, station string, year int) (FloodOutlook, error) {
	list, err := productRows(openDocument(body), derived.FloodOutlook, station,
		func(row *record) FloodOutlook {
			return FloodOutlook{
				Year: row.requiredInt("metYear", "year"), Low: row.number("lowConf"),
				High: row.number("highConf"),
				Made: row.isoDay("projectDate"), Method: row.text("projectMethod"),
			}
		})
	var found FloodOutlook
	for _, o := range list {
		if o.Year == year || year <= 0 && o.Year > found.Year {
			found = o
		}
	}
	if err == nil && found == (FloodOutlook{}) {
		err = errNoData
	}
	return found, err
}

// FloodProjection is the expected number of days of flooding a year in a decade, by scenario of sea
// level rise.
type FloodProjection struct {
	Decade   int    // 2050
	Severity string // minor, moderate or major; may be empty
	Source   string // publication

	Low, IntermediateLow, Intermediate, IntermediateHigh, High *float64 // days a year
}

// FloodProjections returns the projections for a station by severity and decade, as published.
func (c *Client) FloodProjections(
	ctx context.Context, station string,
) (upstream.Value[[]FloodProjection], error) {
	q := newProductQuery(derived.FloodProjections, station)
	return getDocument(ctx, c, q,
		func(body []byte) ([]FloodProjection, error) { return readFloodProjections(body, station) })
}

// readFloodProjections reads both formats: rows of decades, and since 2026 rows with a list of
// decades for each severity.
func readFloodProjections(body []byte, station string) ([]FloodProjection, error) {
	r := openDocument(body)
	r.need(derived.FloodProjections.List)
	var list []FloodProjection
	r.each(derived.FloodProjections.List, func(row *record) {
		row.need(strings.Fields(derived.FloodProjections.Need)...)
		if !r.forStation(station) || !row.forStation(station) {
			return
		}
		if row.has("decade") {
			list = append(list, row.projection(row.text("severity", "flood_threshold")))
			return
		}
		for _, severity := range []string{"minor", "moderate", "major"} {
			row.each(severity, func(decade *record) { list = append(list, decade.projection(severity)) })
		}
	})
	return nonEmpty(list, r.err)
}

func (r *record) projection(severity string) FloodProjection {
	r.need("intermediate", "low", "high")
	return FloodProjection{
		Decade: r.requiredInt("decade"), Severity: strings.ToLower(severity), Source: r.text("source"),
		Low: r.number("low"), IntermediateLow: r.number("intLow", "intermediateLow"),
		Intermediate:     r.number("intermediate"),
		IntermediateHigh: r.number("intHigh", "intermediateHigh"), High: r.number("high"),
	}
}
