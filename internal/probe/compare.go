package probe

import (
	"context"
	"fmt"
	"math"
	"time"

	"leadline/internal/noaa"
)

// Predictions that differ by more are reported. docs/accuracy.md has what was measured: extremes
// off by a minute, slacks by four, heights by 0.0008 m, speeds by 0.005 kn; NOAA rounds as well.
const (
	tideShift, currentShift     = time.Minute, 5 * time.Minute
	tideHeight, currentVelocity = 0.002, 0.01
)

// near is the largest difference in time of two events that are taken as one (ours).
const near = 10 * time.Minute

// point is a predicted event or value, in meters or knots.
type point struct {
	at    time.Time
	value float64
}

// comparison holds the differences between two lists of points.
type comparison struct {
	count, missing, extra int
	shift                 time.Duration // largest difference in time
	value                 float64       // largest difference in height or velocity
}

// match pairs the points of two lists, both in order of time.
func match(ours, theirs []point) comparison {
	c := comparison{count: len(theirs)}
	for len(ours) > 0 && len(theirs) > 0 {
		shift := ours[0].at.Sub(theirs[0].at)
		switch {
		case shift.Abs() <= near:
			c.shift = max(c.shift, shift.Abs())
			c.value = max(c.value, math.Abs(ours[0].value-theirs[0].value))
			ours, theirs = ours[1:], theirs[1:]
		case shift < 0:
			c.extra, ours = c.extra+1, ours[1:]
		default:
			c.missing, theirs = c.missing+1, theirs[1:]
		}
	}
	c.missing, c.extra = c.missing+len(theirs), c.extra+len(ours)
	return c
}

// found returns a comparison as what a probe found.
func (c comparison) found(unit string, shift time.Duration, value float64) found {
	f := found{words: fmt.Sprintf("%d predictions, at most %.0f min and %.4f %s from ours",
		c.count, c.shift.Minutes(), c.value, unit)}
	if c.missing+c.extra > 0 {
		f.words += fmt.Sprintf("; we do not have %d of them, and %d others", c.missing, c.extra)
	}
	f.differs = c.missing+c.extra > 0 || c.shift > shift || c.value > value
	return f
}

// intervals names what is predicted at an interval of the data service.
var intervals = map[string]string{
	"hilo": "high and low", "max_slack": "maximum and slack", "6": "6 min",
}

// tides compares three days of a station's tide with ours.
func tides(of place, interval string) probe {
	ask := func(ctx context.Context, c Config) (found, error) {
		days := coming(c.Now())
		live, err := c.Water.Predictions(ctx, of.id, "MLLW", interval, days)
		if err != nil {
			return found{}, err
		}
		var ours, theirs []point
		for _, p := range live.Rows {
			theirs = append(theirs, point{p.Time, p.Height})
		}
		st, _ := c.Stations.Station(of.id)
		predictor, ok := c.Stations.Tides(st, "MLLW")
		switch {
		case !ok:
			return found{}, fmt.Errorf("no embedded prediction of %s", of.id)
		case interval == "hilo":
			for _, e := range predictor.Extremes(days.From, days.To) {
				ours = append(ours, point{e.Time, e.Height})
			}
		default:
			ours = series(theirs, predictor.Heights)
		}
		return match(ours, theirs).found("m", tideShift, tideHeight), nil
	}
	return probe{of.about("tide predictions, " + intervals[interval]), ask}
}

// currents compares three days of a station's current with ours.
func currents(of place, interval string) probe {
	ask := func(ctx context.Context, c Config) (found, error) {
		days := coming(c.Now())
		live, weak, err := c.Water.CurrentPredictions(ctx, of.id, nil, interval, days)
		if err != nil || weak {
			return found{words: "weak and variable, as published", hollow: true}, err
		}
		const knot = 185200.0 / 3600 // cm/s
		var ours, theirs []point
		for _, p := range live.Rows {
			if p.Velocity != nil {
				theirs = append(theirs, point{p.Time, *p.Velocity / knot})
			}
		}
		st, _ := c.Stations.Station(of.id)
		predictor, ok := c.Stations.Currents(st)
		switch {
		case !ok:
			return found{}, fmt.Errorf("no embedded prediction of %s", of.id)
		case interval == "max_slack":
			for _, e := range predictor.Events(days.From, days.To) {
				ours = append(ours, point{e.Time, e.Velocity})
			}
		default:
			ours = series(theirs, predictor.Velocities)
		}
		return match(ours, theirs).found("kn", currentShift, currentVelocity), nil
	}
	return probe{of.about("current predictions, " + intervals[interval]), ask}
}

// coming returns the three days after a time, in UTC.
func coming(now time.Time) noaa.Period {
	from := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return noaa.Period{From: from, To: from.Add(72*time.Hour - time.Minute)}
}

// series returns our values at the times of a series.
func series(like []point, fill func(time.Time, time.Duration, []float64)) []point {
	if len(like) < 2 {
		return nil
	}
	first, step := like[0].at, like[1].at.Sub(like[0].at)
	values := make([]float64, int(like[len(like)-1].at.Sub(first)/step)+1)
	fill(first, step, values)
	list := make([]point, len(values))
	for i, v := range values {
		list[i] = point{first.Add(time.Duration(i) * step), v}
	}
	return list
}
