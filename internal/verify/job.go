package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"leadline/internal/stations"
	"leadline/store"
)

// Every is the time between the beginnings of two checks.
const Every = 30 * 24 * time.Hour

// The bounds of a check are ours: some 2,000 stations take three hours, and NOAA is asked once in
// five seconds at most.
const (
	pause     = 5 * time.Second    // between two stations
	saveEvery = 20                 // stations; a process that is killed compares them again
	mostTime  = 7 * 24 * time.Hour // of a check, from its beginning; then another one begins
	look      = time.Hour          // between two looks at the time of the next check

	// After a station to which NOAA did not respond: the first pause, doubled with each further one
	// in a row, and the last.
	firstOutage = time.Minute
	lastOutage  = 30 * time.Minute

	storeTimeout = 10 * time.Second
	storeRetry   = time.Minute
)

// JobConfig configures a Job.
type JobConfig struct {
	Store    store.Meta
	Stations func() []stations.Station // that are compared, in order of id
	Compare  func(context.Context, stations.Station) Result
	Now      func() time.Time
	Log      *slog.Logger
}

// Job compares all stations once in Every, one at a time. Its progress is a fact of the store: a
// process that is killed, or another instance, goes on with it. Only one of several instances
// should run it; if two do, the one that saves second starts over from what the first has saved.
//
// A station to which NOAA does not respond is compared again at the end, so that neither it nor an
// outage stops the check; after the second failure it counts as not compared.
type Job struct {
	c        JobConfig
	state    State
	stored   []byte // the bytes of the state in the store; nil if there are none
	loaded   bool   // state is that of the store, or newer
	unsaved  int    // results since it was saved
	due      bool   // it must be saved before the next result
	failures int    // of the provider, in a row
}

// NewJob returns a Job. Run or Step run it.
func NewJob(c JobConfig) *Job { return &Job{c: c} }

// Run runs checks until ctx ends. It saves the progress before it returns, if the store allows it.
func (j *Job) Run(ctx context.Context) {
	j.loaded = false // another instance may have run it
	for ctx.Err() == nil {
		select {
		case <-time.After(j.Step(ctx)):
		case <-ctx.Done():
		}
	}
	if j.loaded && (j.unsaved > 0 || j.due) {
		j.save(context.WithoutCancel(ctx))
	}
}

// Step does what is due, at most the comparison of one station, and returns the time until the next
// step.
func (j *Job) Step(ctx context.Context) time.Duration {
	if !j.loaded && !j.load(ctx) || j.due && !j.save(ctx) {
		return storeRetry
	}
	now := store.Second(j.c.Now())
	current := j.state.Current
	if current != nil && isOver(current.Report.Began, mostTime, now) {
		j.c.Log.Warn("comparing predictions with NOAA's took too long",
			"began", current.Report.Began, "compared", current.Report.Compared)
		j.state.Abandoned, j.state.Current, current = current.Report.Began, nil, nil
	}
	if current == nil {
		if n := j.state.Newest; n != nil && j.state.Abandoned.Before(n.Began) &&
			!isOver(n.Began, Every, now) {
			return min(look, n.Began.Add(Every).Sub(now))
		}
		j.state.Current = &Progress{Report: Report{Began: now}}
		j.due = true
		return 0
	}
	st, ok := current.next(j.c.Stations())
	if !ok {
		j.finish(now)
		return 0
	}
	return j.add(ctx, st, j.c.Compare(ctx, st))
}

// isOver reports whether a time has passed since began. It has also if the clock was set back.
func isOver(began time.Time, d time.Duration, now time.Time) bool {
	since := now.Sub(began)
	return since >= d || since < -time.Hour
}

// next returns the station that is compared next, and notes the number of stations. It is found by
// its id, so stations that join or leave the directory meanwhile change nothing else.
func (p *Progress) next(list []stations.Station) (stations.Station, bool) {
	p.Report.Stations = len(list)
	if !p.Again {
		after := strings.ToUpper(p.After)
		for _, st := range list {
			if strings.ToUpper(st.ID) > after {
				return st, true
			}
		}
		p.Again = true
	}
	for ; len(p.Later) > 0; p.Later = p.Later[1:] {
		for _, st := range list {
			if st.ID == p.Later[0] {
				return st, true
			}
		}
	}
	return stations.Station{}, false
}

// add adds a result to the progress and returns the time until the next step.
func (j *Job) add(ctx context.Context, st stations.Station, r Result) time.Duration {
	if ctx.Err() != nil {
		return 0 // it was interrupted, and is compared again
	}
	if r.Err != nil {
		j.c.Log.Debug("a station was not compared with NOAA's predictions", "station", st.ID,
			"error", r.Err)
	}
	p := j.state.Current
	silent := r.Err != nil && unanswered(r.Err)
	if p.Again {
		p.Later = p.Later[1:]
	} else {
		p.After = st.ID
	}
	if silent && !p.Again {
		p.Later = append(p.Later, st.ID)
	} else {
		p.Report.Add(r, j.state.Newest)
	}
	j.unsaved++
	j.due = j.unsaved >= saveEvery
	if !silent {
		j.failures = 0
		return pause
	}
	j.failures++
	return min(firstOutage<<min(j.failures-1, 10), lastOutage)
}

// finish makes the check that runs the newest one.
func (j *Job) finish(now time.Time) {
	r := j.state.Current.Report
	r.Ended = now
	j.state.Newest, j.state.Current = &r, nil
	j.due = true
	j.c.Log.Info("compared predictions with NOAA's", "stations", r.Stations, "compared", r.Compared,
		"differing", r.Differing, "largest", r.Largest())
}

// load reads the state. A state that cannot be decoded, such as one of a newer version, begins as
// an empty one: the next check replaces it.
func (j *Job) load(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	state, raw, err := read(ctx, j.c.Store)
	if err != nil {
		j.log(ctx, err)
		if raw == nil {
			return false
		}
	}
	j.state, j.stored, j.loaded, j.unsaved, j.due = state, raw, true, 0, false
	return true
}

// save stores the state. If another instance has stored one since, this one continues from it.
func (j *Job) save(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	text, err := json.Marshal(j.state)
	if err != nil {
		panic("verify: the state is not JSON: " + err.Error()) // its types always are
	}
	if !bytes.Equal(text, j.stored) {
		err = j.c.Store.SwapMeta(ctx, fact, j.stored, text)
	}
	switch {
	case errors.Is(err, store.ErrConflict):
		j.loaded = false
		return false
	case err != nil:
		j.log(ctx, err)
		return false
	}
	j.stored, j.unsaved, j.due = text, 0, false
	return true
}

func (j *Job) log(ctx context.Context, err error) {
	if ctx.Err() != context.Canceled {
		j.c.Log.Warn("store the comparison with NOAA's predictions", "error", err)
	}
}
