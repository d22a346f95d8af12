// Package verify compares the predictions of this program with NOAA's own lists. What comes in are
// stations, with the constants in force; what goes out is one Result for each, a Report about many,
// and a Job that compares all reference stations once a month. The package changes no constants.
//
//	verify.go  Comparer: one station
//	report.go  Report: many stations; State and Snapshot: what is known of the newest check
//	job.go     Job: a check of all reference stations that survives restarts
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// Days is the length of the compared predictions, which begin on the next UTC day.
const Days = 3

// timeout limits the comparison of one station.
const timeout = 20 * time.Second

// Result has the differences between two lists of events of a station: high and low waters, or
// floods, ebbs and slacks.
type Result struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Kind       stations.Kind `json:"kind"`
	Events     int           `json:"events"`     // in NOAA's list
	Missing    int           `json:"missing"`    // of them without one of ours
	Extra      int           `json:"extra"`      // of ours that NOAA does not list
	Minutes    int           `json:"minutes"`    // largest difference in time
	Difference float64       `json:"difference"` // largest difference in Unit
	Differs    bool          `json:"-"`          // more than rounding explains

	Err error `json:"-"` // why it was not compared; nil if it was

	Since time.Time `json:"since"` // of the first check in a row in which it differs; see Report
}

// Unit returns the unit of the difference: m, or kn for a current.
func (r Result) Unit() string {
	if r.Kind == stations.Current {
		return "kn"
	}
	return "m"
}

// Comparer compares the predictions in force with NOAA's.
type Comparer struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Now      func() time.Time
}

// References returns the stations with constants of their own, in order of id.
func (c Comparer) References() (list []stations.Station) {
	for _, st := range c.Stations.All("") {
		if st.HasConstants() && !st.Subordinate() {
			list = append(list, st)
		}
	}
	return list
}

// The reasons why a station is not compared, apart from refusals of the provider.
var (
	errWeak   = errors.New("NOAA describes the currents as weak and variable")
	errMLLW   = errors.New("no height of MLLW is known")
	errNone   = errors.New("no constants are known")
	errNoRows = errors.New("NOAA lists nothing for these days")
)

// Compare compares a station. The Err of its result is a coast.Error if the provider did not
// respond or refused. A panic is an error: the other stations go on.
func (c Comparer) Compare(ctx context.Context, st stations.Station) (r Result) {
	r = Result{ID: st.ID, Name: st.Name, Kind: st.Kind}
	defer func() {
		if p := recover(); p != nil {
			r.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	from := c.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	span := noaa.Period{From: from, To: from.AddDate(0, 0, Days).Add(-time.Minute)}
	compare := c.tides
	if st.Kind == stations.Current {
		compare = c.currents
	}
	l, err := compare(ctx, st, span)
	if err == nil && len(l.theirs) == 0 {
		err = errNoRows
	}
	if err != nil {
		r.Err = err
		return r
	}
	l.match(&r, span)
	return r
}

// event is a predicted extreme or slack, in meters or knots.
type event struct {
	time  time.Time
	value float64
	slack bool
}

// lists has the events of a station, and what rounding and the last digits of constants explain.
type lists struct {
	ours, theirs []event
	tolerance    float64
	at           func(time.Time) float64 // our speed at a time; nil for a tide
}

// HeightTolerance and SpeedTolerance, in meters and knots, are those of NOAA's published values,
// which docs/accuracy.md has: both sides round heights to 0.001 m, so that two exact ones differ by
// one in the last digit, and speeds are within 0.005 kn.
const (
	HeightTolerance = 0.0015
	SpeedTolerance  = 0.005
)

func (c Comparer) tides(
	ctx context.Context, st stations.Station, span noaa.Period,
) (l lists, err error) {
	tides, ok := c.Stations.Tides(st, "MLLW")
	if !ok {
		return l, errMLLW
	}
	live, err := c.Water.Predictions(ctx, st.ID, "MLLW", "hilo", span)
	if err != nil {
		return l, err
	}
	l.tolerance = HeightTolerance
	for _, p := range live.Rows {
		l.theirs = append(l.theirs, event{time: p.Time, value: p.Height})
	}
	for _, e := range tides.Extremes(span.From, span.To) {
		l.ours = append(l.ours, event{time: e.Time, value: math.Round(e.Height*1000) / 1000})
	}
	return l, nil
}

func (c Comparer) currents(
	ctx context.Context, st stations.Station, span noaa.Period,
) (l lists, err error) {
	currents, ok := c.Stations.Currents(st)
	if !ok {
		return l, errNone
	}
	id, bin := st.Bin()
	var at *int
	if bin > 0 {
		at = &bin
	}
	live, weak, err := c.Water.CurrentPredictions(ctx, id, at, "max_slack", span)
	if weak {
		err = errWeak
	}
	if err != nil {
		return l, err
	}
	l.tolerance = SpeedTolerance
	l.at = func(t time.Time) float64 {
		out := make([]float64, 1)
		currents.Velocities(t, time.Minute, out)
		return out[0]
	}
	const knot = 185200.0 / 3600 // cm/s
	for _, p := range live.Rows {
		if p.Velocity != nil {
			l.theirs = append(l.theirs, event{p.Time, *p.Velocity / knot, p.Type == "slack"})
		}
	}
	for _, e := range currents.Events(span.From, span.To) {
		l.ours = append(l.ours, event{time: e.Time, value: e.Velocity})
	}
	return l, nil
}

// near limits the time between two events that are the same one.
const near = 10 * time.Minute

// match pairs the events in order of time. An event without a partner that is closer than near to
// an end of the span is not counted: the partner may be outside.
func (l lists) match(r *Result, span noaa.Period) {
	ours, theirs := l.ours, l.theirs
	r.Events = len(theirs)
	alone := func(e event) int {
		if e.time.Sub(span.From) < near || span.To.Sub(e.time) < near {
			return 0
		}
		return 1
	}
	for len(ours) > 0 && len(theirs) > 0 {
		shift := ours[0].time.Sub(theirs[0].time)
		switch {
		case shift.Abs() <= near:
			l.pair(r, ours[0], theirs[0])
			ours, theirs = ours[1:], theirs[1:]
		case shift < 0:
			r.Extra += alone(ours[0])
			ours = ours[1:]
		default:
			r.Missing += alone(theirs[0])
			theirs = theirs[1:]
		}
	}
	for _, e := range ours {
		r.Extra += alone(e)
	}
	for _, e := range theirs {
		r.Missing += alone(e)
	}
	r.Differs = r.Differs || r.Missing+r.Extra > 0
}

// pair compares an event with NOAA's. Times are rounded to the minute, so they may differ by one.
// Where a current is close to zero for minutes, the last digits of the constants move its slack:
// a slack is also the same one if our speed at NOAA's minute is within the tolerance.
func (l lists) pair(r *Result, our, their event) {
	shift := our.time.Sub(their.time).Abs()
	difference := math.Abs(our.value - their.value)
	r.Minutes = max(r.Minutes, int(shift.Minutes()))
	r.Difference = max(r.Difference, difference)
	moved := shift > time.Minute
	if moved && their.slack {
		moved = math.Abs(l.at(their.time)-their.value) > l.tolerance
	}
	r.Differs = r.Differs || moved || difference > l.tolerance
}

// unanswered reports whether a station was not compared because the provider did not respond.
func unanswered(err error) bool {
	e, known := coast.AsError(err)
	return known && e.Code == coast.ProviderUnavailable
}
