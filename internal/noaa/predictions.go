package noaa

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
)

// PredictedLevel is a height of the tide, predicted by the provider.
type PredictedLevel struct {
	Time   time.Time // UTC
	Height float64   // m above the datum
	Type   string    // H, L, HH or LL; empty in a series
}

var predictionFormat = format[PredictedLevel]{list: "predictions",
	at: func(p PredictedLevel) time.Time { return p.Time },
	fill: fromRows(func(r *record) PredictedLevel {
		return PredictedLevel{
			Time:   r.instant("t"),
			Height: r.required("v"),
			Type:   r.oneOf("type", "", "H", "L", "HH", "LL"),
		}
	})}

// Predictions returns the provider's tide predictions for a station on a datum, for comparison with
// our own. interval is hilo, h, or minutes: 1, 5, 6, 10, 15, 30, 60. Subordinate stations only have
// hilo on MLLW. Errors:
// StationNotFound, DatumUnavailable, ProductUnavailable, InvalidRequest,
// RangeTooLong (over 36,500 days of hilo, 3,650 of a series, 900 by the
// minute), ProviderUnavailable.
func (c *Client) Predictions(
	ctx context.Context, station, datum, interval string, p Period,
) (Records[PredictedLevel], error) {
	if err := oneInterval(interval, "hilo", "h", "1", "5", "6", "10", "15", "30", "60"); err != nil {
		return Records[PredictedLevel]{}, err
	}
	q := newDataQuery("predictions", station, 365, settled).with("interval", interval)
	q.ahead = true
	switch interval {
	case "hilo":
		q.limit = 3650
	case "1":
		q.limit = 90 // ours: a year would be twenty megabytes
	}
	return onDatum(ctx, c, q, datum, predictionFormat, p)
}

func oneInterval(interval string, allowed ...string) error {
	if slices.Contains(allowed, interval) {
		return nil
	}
	return coast.Errorf(coast.InvalidRequest, "There is no interval %q: give one of %s.", interval,
		strings.Join(allowed, ", "))
}

// PredictedCurrent is a current, predicted by the provider.
type PredictedCurrent struct {
	Time           time.Time // UTC
	Type           string    // flood, ebb or slack; empty in a series
	Velocity       *float64  // cm/s, flood positive
	FloodDirection *float64  // degrees true, toward: mean of the flood
	EbbDirection   *float64  // degrees true, toward: mean of the ebb
	Bin            string
	Depth          *float64 // m, nil if unknown
}

var currentPredictionFormat = format[PredictedCurrent]{
	list: "current_predictions",
	at:   func(p PredictedCurrent) time.Time { return p.Time },
	fill: func(doc *record, list string) (p page[PredictedCurrent]) {
		inner := doc.object(list)
		if inner == nil {
			doc.unknown("%s is not an object", list)
			return p
		}
		inner.need("cp")
		if raw := inner.raw("cp"); raw != nil && raw[0] == '"' {
			p.weak = inner.isWeak("cp")
			return p
		}
		inner.list("cp", func(row *record) { p.rows = append(p.rows, predictedCurrent(row)) })
		if units := inner.text("units"); len(p.rows) > 0 && units != "meters, cm/s" {
			inner.unknown("units are %.20q, not metric", units)
		}
		return p
	},
}

// isWeak reports whether the text in place of rows says that currents are weak. No other text is
// known.
func (r *record) isWeak(name string) bool {
	reason := r.text(name)
	weak := strings.Contains(strings.ToLower(reason), "weak and variable")
	if !weak {
		r.unknown("in place of rows %.40q", reason)
	}
	return weak
}

func predictedCurrent(r *record) PredictedCurrent {
	return PredictedCurrent{
		Time:           r.instant("Time"),
		Type:           r.oneOf("Type", "", "slack", "flood", "ebb"),
		Velocity:       r.value("Velocity_Major"),
		FloodDirection: r.number("meanFloodDir"),
		EbbDirection:   r.number("meanEbbDir"),
		Bin:            r.text("Bin"),
		Depth:          r.number("Depth"),
	}
}

// CurrentPredictions returns the provider's current predictions for a bin of a station, for
// comparison with our own; a nil bin is the station's default. interval is max_slack, h, or
// minutes: 1, 6, 10, 30, 60; a subordinate station always returns max_slack. weak reports that
// there are no rows because currents are weak and variable there. Errors: StationNotFound,
// ProductUnavailable, InvalidRequest (no such bin), RangeTooLong (over 3,660 days of max_slack,
// 310 of a series), ProviderUnavailable.
func (c *Client) CurrentPredictions(
	ctx context.Context, station string, bin *int, interval string, p Period,
) (out Records[PredictedCurrent], weak bool, err error) {
	if err := oneInterval(interval, "max_slack", "h", "1", "6", "10", "30", "60"); err != nil {
		return out, false, err
	}
	q := newDataQuery("currents_predictions", station, 31, settled).with("interval", interval)
	q.ahead = true
	if interval == "max_slack" {
		q.limit = 366
	}
	if bin != nil {
		q = q.with("bin", strconv.Itoa(*bin))
	}
	return getPeriod(ctx, c, q, currentPredictionFormat, p)
}
