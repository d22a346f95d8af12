package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"leadline/internal/noaa"
	"leadline/internal/stations"
	"leadline/internal/verify"
)

// events compares the events of three days of a station with ours, as the monthly check does.
func events(of place, what string) probe {
	ask := func(ctx context.Context, c Config) (found, error) {
		st, ok := c.Stations.Station(of.id)
		if !ok {
			return found{}, errUnpredicted
		}
		comparer := verify.Comparer{Stations: c.Stations, Water: c.Water, Now: c.Now}
		r := comparer.Compare(ctx, st)
		f := found{differs: r.Differs, words: fmt.Sprintf("%d predictions, at most %d min and %.4f %s "+
			"from ours", r.Events, r.Minutes, r.Difference, r.Unit())}
		if r.Missing+r.Extra > 0 {
			f.words += fmt.Sprintf("; we do not have %d of them, and %d others", r.Missing, r.Extra)
		}
		return f, r.Err
	}
	return probe{of.about(what), ask}
}

// weak requests the predictions of a station whose currents NOAA describes as weak and variable.
func weak(of place) probe {
	return probe{of.about(maxSlack), func(ctx context.Context, c Config) (found, error) {
		live, weak, err := c.Water.CurrentPredictions(ctx, of.id, nil, "max_slack", coming(c.Now()))
		if weak {
			return found{words: "weak and variable, as published", hollow: true}, nil
		}
		return found{words: plural(len(live.Rows), "prediction")}, err
	}}
}

// coming returns the three days after a time, in UTC.
func coming(now time.Time) noaa.Period {
	from := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	return noaa.Period{From: from, To: from.Add(72*time.Hour - time.Minute)}
}

// errUnpredicted is the error of a station that the program does not predict.
var errUnpredicted = errors.New("this program has no prediction for it")

// heights compares a series of predicted heights with ours.
func heights(of place) probe {
	return series(of, "tide predictions, 6 min", "m", verify.HeightTolerance,
		func(ctx context.Context, c Config, days noaa.Period) (list []value, err error) {
			live, err := c.Water.Predictions(ctx, of.id, "MLLW", "6", days)
			for _, p := range live.Rows {
				list = append(list, value{p.Time, p.Height})
			}
			return list, err
		},
		func(d *stations.Directory, st stations.Station) (fill filler, ok bool) {
			t, ok := d.Tides(st, "MLLW")
			return t.Heights, ok
		})
}

// velocities compares a series of predicted velocities with ours.
func velocities(of place) probe {
	return series(of, "current predictions, 6 min", "kn", verify.SpeedTolerance,
		func(ctx context.Context, c Config, days noaa.Period) (list []value, err error) {
			live, _, err := c.Water.CurrentPredictions(ctx, of.id, nil, "6", days)
			const knot = 185200.0 / 3600 // cm/s
			for _, p := range live.Rows {
				if p.Velocity != nil {
					list = append(list, value{p.Time, *p.Velocity / knot})
				}
			}
			return list, err
		},
		func(d *stations.Directory, st stations.Station) (fill filler, ok bool) {
			c, ok := d.Currents(st)
			return c.Velocities, ok
		})
}

// value is a predicted height or velocity.
type value struct {
	at time.Time
	of float64
}

// filler writes the values of a prediction from a time on, in steps.
type filler = func(from time.Time, step time.Duration, values []float64)

// series compares the values that ask returns with ours at the same times.
func series(
	of place, what, unit string, tolerance float64,
	ask func(context.Context, Config, noaa.Period) ([]value, error),
	ours func(*stations.Directory, stations.Station) (filler, bool),
) probe {
	return probe{of.about(what), func(ctx context.Context, c Config) (found, error) {
		theirs, err := ask(ctx, c, coming(c.Now()))
		if err != nil {
			return found{}, err
		}
		st, listed := c.Stations.Station(of.id)
		fill, ok := ours(c.Stations, st)
		if !listed || !ok {
			return found{}, errUnpredicted
		}
		most, one := 0.0, make([]float64, 1)
		for _, v := range theirs {
			fill(v.at, time.Minute, one)
			most = max(most, math.Abs(v.of-one[0]))
		}
		return found{differs: most > tolerance, words: fmt.Sprintf(
			"%d predictions, at most %.4f %s from ours", len(theirs), most, unit)}, nil
	}}
}
