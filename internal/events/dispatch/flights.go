package dispatch

import (
	"context"
	"errors"
	"time"

	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/store"
)

// flight is an attempt in progress.
type flight struct {
	to    *claim
	job   store.Job
	lane  *lane // whose slot it holds; nil if none
	at    *host
	slots *slots // of the host, of which it holds one
	hangs bool   // whether it has given up its fast slot
	began time.Time
	lag   time.Duration // how late it began
}

// landing is an attempt that has ended.
type landing struct {
	flight *flight
	report sender.Report
}

// fill starts attempts while a lane has free slots and endpoints in line.
func (r *run) fill(l *lane) {
	for r.mayStart() && l.free > 0 && l.line.len() > 0 {
		list := r.take(l, min(l.free, mostAttempts-r.inFlight))
		if !r.load(list, l) {
			return
		}
		for _, c := range list {
			r.start(c, l)
		}
	}
}

// mayStart reports whether attempts may start.
func (r *run) mayStart() bool {
	return r.mayRead() && r.inFlight < mostAttempts && r.results.len() < mostUnstored
}

// take removes up to n endpoints that are ready from a line.
func (r *run) take(l *lane, n int) []*claim {
	var list []*claim
	for len(list) < n && l.line.len() > 0 {
		c := l.line.pop()
		c.lined = false
		if r.laneOf(c) == l && c.ready() {
			list = append(list, c)
		} else {
			r.settle(c)
		}
	}
	return list
}

// start starts an attempt at an endpoint, and puts it at the end of the line if it may have
// another one.
func (r *run) start(c *claim, l *lane) {
	if len(c.jobs) == 0 {
		r.settle(c)
		return
	}
	secrets, err := r.secrets(c.Endpoint)
	if err != nil {
		r.suspend(c)
		return
	}
	now := time.Now()
	at, slots := r.hosts.take(c, now)
	if at == nil {
		c.wait()
		return
	}
	job := c.jobs[0]
	c.jobs = c.jobs[1:]
	f := &flight{
		to: c, job: job, lane: l, at: at, slots: slots, began: now, lag: r.lateness(c, job),
	}
	l.free--
	c.running++
	r.inFlight++
	if l == r.quick {
		r.fastest.push(f)
	}
	request := sender.Request{
		Endpoint: c.ID, URL: c.URL, Event: job.Event.ID, Body: job.Event.Body, Secrets: secrets,
		Attempt: job.Delivery.Tries + 1, Replay: job.Delivery.Replay,
	}
	go func() {
		report := r.c.Send(r.attempts, request)
		select {
		case r.landed <- landing{f, report}:
		case <-r.closed:
		}
	}()
	r.settle(c)
}

// secrets returns the secrets that sign for an endpoint, the newest first.
func (r *run) secrets(e store.Endpoint) ([]signature.Secret, error) {
	secret, err := r.c.Open(e.ID, e.Secret)
	if err != nil {
		return nil, err
	}
	if len(e.OldSecret) == 0 || !r.c.Now().Before(e.OldUntil) {
		return []signature.Secret{secret}, nil
	}
	if old, err := r.c.Open(e.ID, e.OldSecret); err == nil {
		return []signature.Secret{secret, old}, nil
	}
	return []signature.Secret{secret}, nil // the present one suffices
}

// suspend suspends an endpoint whose secret cannot be opened. If the owner changes it at the same
// time, it is claimed again.
func (r *run) suspend(c *claim) {
	c.drop()
	c.unstored++ // keeps the claim meanwhile
	e := c.Endpoint
	e.State, e.Reason = store.EndpointSuspended, store.ReasonSecret
	r.inBackground(func(ctx context.Context) error {
		return r.c.Store.PutEndpoint(ctx, e)
	}, func(err error) {
		c.unstored--
		r.settle(c)
		switch {
		case err == nil:
			r.logState(c, e.State, e.Reason)
		case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrNotFound):
			err = nil
		}
		r.upkeep.Record(r.c.Log, err)
	})
}

// releaseSlots takes the slots of attempts that have held them for a second.
func (r *run) releaseSlots(now time.Time) {
	for r.fastest.len() > 0 {
		f := r.fastest.first()
		if f.lane != nil && now.Sub(f.began) < fastFor {
			return
		}
		r.fastest.pop()
		if f.lane != nil {
			f.free()
			f.hangs = true
			f.to.hanging++
			f.slots.used--
			f.slots = &f.at.slots[classHanging]
			f.slots.used++
			r.admit(f.at.admit(now))
		}
	}
}

// free releases the slot of an attempt in its lane.
func (f *flight) free() {
	if f.lane != nil {
		f.lane.free++
		f.lane = nil
	}
}

// leave releases all that an attempt holds.
func (f *flight) leave() {
	f.free()
	if f.hangs {
		f.to.hanging--
	}
	f.slots.used--
}

// admit puts endpoints into line that have waited for their host.
func (r *run) admit(list []*claim) {
	for _, c := range list {
		c.waiting = false
		r.settle(c)
	}
}

// finished takes the report of an attempt.
func (r *run) finished(f *flight, report sender.Report) {
	c := f.to
	r.clocks.see(c.host, report.Date, r.c.Now())
	f.leave()
	defer func() { r.admit(f.at.admit(time.Now())) }()
	c.running--
	r.inFlight--
	if report.Outcome == sender.Interrupted { // it will be repeated
		c.drop()
		r.settle(c)
		return
	}
	now := r.c.Now()
	result := r.schedule.result(c.Endpoint, f.job.Delivery, report, now)
	if c.Health.Failing() && report.Outcome == sender.Delivered {
		c.open = now
	}
	c.Health = result.Health
	c.slow = report.Took > fastFor
	if result.EndpointState != "" || now.Before(c.Health.PauseUntil) || c.lost {
		c.drop()
	}
	c.unstored++
	r.results.add(c, result)
	r.observe(f, report)
	f.job = store.Job{} // f may stay in fastest for a while
	r.settle(c)
}

// observe counts and logs an attempt.
func (r *run) observe(f *flight, report sender.Report) {
	r.c.Observe(report.Outcome, report.Took, f.lag)
	r.c.Log.Debug("attempt", "endpoint", f.to.ID, "host", f.to.host, "event", f.job.Event.ID,
		"outcome", report.Outcome, "status", report.Attempt.Status, "error", report.Attempt.Error,
		"took", report.Took)
}

// lateness returns how long ago a delivery could have been attempted: since it was due, or since
// its endpoint could receive it. The store keeps whole seconds; the id of an event that has not
// been attempted has its milliseconds.
func (r *run) lateness(c *claim, j store.Job) time.Duration {
	since := j.Delivery.Due
	if len(j.Delivery.Attempts) == 0 && !j.Delivery.Replay {
		if made := events.TimeOf(j.Event.ID); store.Second(made).Equal(since) {
			since = made
		}
	}
	if c.open.After(since) {
		since = c.open
	}
	return max(r.c.Now().Sub(since), 0)
}
