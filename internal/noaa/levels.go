package noaa

import (
	"cmp"
	"context"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Step is the interval of water levels.
type Step string

// The steps of water levels. Hourly heights are verified and therefore published weeks later.
// Levels of 1 and 6 minutes are published within minutes.
const (
	OneMinute Step = "1"
	SixMinute Step = "6"
	Hourly    Step = "hourly"
)

// Level is an observed height of the water.
type Level struct {
	Time   time.Time // UTC
	Height *float64  // m above the datum
	Sigma  *float64  // m: standard deviation of the samples; nil for one-minute levels
	// Flags is O,F,R,L while preliminary, I,F,R,T or I,L when verified, each 0 or a count; empty
	// for one-minute levels.
	Flags   string
	Quality string // p preliminary, v verified; empty for products without it
}

var levelFormat = format[Level]{list: "data", at: func(l Level) time.Time { return l.Time },
	fill: fromRows(func(r *record) Level {
		return Level{
			Time:    r.instant("t"),
			Height:  r.value("v"),
			Sigma:   r.number("s"),
			Flags:   r.sharedText("f"),
			Quality: r.oneOf("q", "v", "p", ""),
		}
	})}

// Levels returns the observed water levels at a station on a datum. Errors:
// StationNotFound, DatumUnavailable, ProductUnavailable, RangeTooLong (over 40
// days of one-minute, 310 of six-minute levels, 3,650 of hourly heights),
// InvalidRequest, ProviderUnavailable.
func (c *Client) Levels(
	ctx context.Context, station, datum string, step Step, p Period,
) (Records[Level], error) {
	product, limit, class := "water_level", 31, live
	switch step {
	case SixMinute:
	case OneMinute:
		product, limit = "one_minute_water_level", 4
	case Hourly:
		product, limit, class = "hourly_height", 365, settled
	default:
		return Records[Level]{}, coast.Errorf(coast.InvalidRequest,
			"Water levels lie 1 or 6 minutes apart, or are hourly, not %q.", step)
	}
	return onDatum(ctx, c, newDataQuery(product, station, limit, class), datum, levelFormat, p)
}

// onDatum requests heights above a datum.
func onDatum[R any](
	ctx context.Context, c *Client, q dataQuery, datum string, f format[R], p Period,
) (Records[R], error) {
	out, _, err := getPeriod(ctx, c, q.with("datum", datum), f, p)
	return out, err
}

// verified requests values of verified heights above a datum. They do not change; only new ones are
// added at the end.
func verified[R any](
	ctx context.Context, c *Client, q dataQuery, datum string, f format[R], p Period,
) (Records[R], error) {
	q.class = settled
	return onDatum(ctx, c, q, datum, f, p)
}

// HighLow is an observed high or low water.
type HighLow struct {
	Time   time.Time // UTC
	Type   string    // HH higher high, H high, L low, LL lower low
	Height *float64  // m above the datum
	Flags  string    // I,L: inferred, limit exceeded
}

var highLowFormat = format[HighLow]{list: "data", at: func(h HighLow) time.Time { return h.Time },
	fill: fromRows(func(r *record) HighLow {
		return HighLow{
			Time:   r.instant("t"),
			Type:   r.oneOf("ty", "HH", "H", "L", "LL"),
			Height: r.value("v"),
			Flags:  r.sharedText("f"),
		}
	})}

// HighLows returns the verified high and low waters at a station on a datum. Errors as Levels;
// RangeTooLong over 3,650 days.
func (c *Client) HighLows(
	ctx context.Context, station, datum string, p Period,
) (Records[HighLow], error) {
	return verified(ctx, c, newDataQuery("high_low", station, 365, upstream.Class{}), datum,
		highLowFormat, p)
}

// DailyMean is the mean of a day's hourly heights.
type DailyMean struct {
	Day    time.Time // 00:00 UTC of a date in the station's local standard time
	Height *float64  // m above the datum
	Flags  string    // I,L
}

var dailyMeanFormat = format[DailyMean]{list: "data",
	at: func(d DailyMean) time.Time { return d.Day }, fill: fromRows(func(r *record) DailyMean {
		return DailyMean{Day: r.date("t"), Height: r.value("v"), Flags: r.sharedText("f")}
	})}

// DailyMeans returns the verified daily means of a station on the Great Lakes; elsewhere the
// error is ProductUnavailable. Days, also those of the period, are in local standard time, the
// only time zone that the provider supports. Errors as Levels; RangeTooLong over 36,500 days.
func (c *Client) DailyMeans(
	ctx context.Context, station, datum string, p Period,
) (Records[DailyMean], error) {
	q := newDataQuery("daily_mean", station, 3650, upstream.Class{}).with("time_zone", "lst")
	q.unit = days
	return verified(ctx, c, q, datum, dailyMeanFormat, p)
}

// DailyExtreme is the highest or lowest level of a day in UTC.
type DailyExtreme struct {
	Time     time.Time // UTC; the beginning of the day if there is neither height nor time
	Kind     string    // max_6min, min_6min, max_hourly, min_hourly: extreme and heights
	Height   *float64  // m above the datum
	Complete *float64  // percent of the day's heights that exist
	Flags    string    // as of the heights
}

// kinds lists the members with daily extremes, and the endings of the keys of their rows.
var kinds = []struct{ list, kind, ending string }{
	{"dailyMax6Min", "max_6min", "6Min"},
	{"dailyMin6Min", "min_6min", "6Min"},
	{"dailyMaxHourly", "max_hourly", "Hourly"},
	{"dailyMinHourly", "min_hourly", "Hourly"},
}

var dailyExtremeFormat = format[DailyExtreme]{
	list:        "data",
	at:          func(d DailyExtreme) time.Time { return d.Time },
	compareSame: func(a, b DailyExtreme) int { return cmp.Compare(a.Kind, b.Kind) },
	fill: func(doc *record, list string) (p page[DailyExtreme]) {
		days, known := 0, false
		doc.list(list, func(day *record) {
			days++
			for _, k := range kinds {
				if day.has(k.list) {
					known = true
					day.list(k.list, func(row *record) {
						p.rows = append(p.rows, dailyExtreme(row, k.kind, k.ending))
					})
				}
			}
		})
		if days > 0 && !known {
			doc.unknown("no list of daily extremes")
		}
		return p
	},
}

func dailyExtreme(r *record, kind, ending string) DailyExtreme {
	d := DailyExtreme{
		Time:     r.date("date" + ending),
		Kind:     kind,
		Height:   r.value("value" + ending),
		Complete: r.number("pcComplete" + ending),
		Flags:    r.sharedText("flag" + ending),
	}
	if at := "time" + ending; d.Height != nil || r.text(at) != "" {
		d.Time = d.Time.Add(r.clock(at))
	}
	return d
}

// DailyExtremes returns the highest and lowest levels of each day in UTC, of six-minute and of
// hourly heights. Errors as Levels; RangeTooLong over 36,500 days.
func (c *Client) DailyExtremes(
	ctx context.Context, station, datum string, p Period,
) (Records[DailyExtreme], error) {
	return verified(ctx, c, newDataQuery("daily_max_min", station, 3650, upstream.Class{}), datum,
		dailyExtremeFormat, p)
}

// MonthlyMean holds the statistics of a month's verified heights: levels above the datum and ranges
// in meters, intervals in hours. Missing values are nil.
type MonthlyMean struct {
	Year, Month int

	Highest, MHHW, MHW, MSL, MTL, MLW, MLLW, DTL, Lowest *float64 // m above the datum

	GT, MN, DHQ, DLQ *float64 // m: great diurnal and mean range, high and low water inequality
	HWI, LWI         *float64 // h: Greenwich high and low water interval
	Inferred         string   // as published: 1 if heights were inferred
}

// month returns the time of a month's row: its beginning in UTC.
func (m MonthlyMean) month() time.Time {
	return time.Date(m.Year, time.Month(m.Month), 1, 0, 0, 0, 0, time.UTC)
}

var monthlyMeanFormat = format[MonthlyMean]{list: "data", at: MonthlyMean.month,
	fill: fromRows(func(r *record) MonthlyMean {
		m := MonthlyMean{
			Year: r.requiredInt("year"), Month: r.requiredInt("month"),
			Highest: r.number("highest"), Lowest: r.number("lowest"),
			MHHW: r.number("MHHW"), MHW: r.number("MHW"), MLW: r.number("MLW"), MLLW: r.number("MLLW"),
			MSL: r.value("MSL"), MTL: r.number("MTL"), DTL: r.number("DTL"),
			GT: r.number("GT"), MN: r.number("MN"), DHQ: r.number("DHQ"), DLQ: r.number("DLQ"),
			HWI: r.number("HWI"), LWI: r.number("LWI"),
			Inferred: r.text("inferred"),
		}
		if m.Month < 1 || m.Month > 12 || m.Year < 1 || m.Year > 9999 {
			r.unknown("month %d of year %d", m.Month, m.Year)
		}
		return m
	})}

// MonthlyMeans returns the verified monthly means of a station on a datum, of each month that
// overlaps the period. Errors as Levels.
func (c *Client) MonthlyMeans(
	ctx context.Context, station, datum string, p Period,
) (Records[MonthlyMean], error) {
	q := newDataQuery("monthly_mean", station, 73000, upstream.Class{}) // 200 years
	q.unit = months
	return verified(ctx, c, q, datum, monthlyMeanFormat, p)
}
