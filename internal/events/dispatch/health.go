package dispatch

import (
	"slices"
	"time"

	"leadline/internal/events/sender"
	"leadline/store"
)

const (
	// probedFrom is the number of different deliveries that fail in a row until the endpoint is
	// probed as a whole. One delivery may fail because of its content. For the same reason each
	// probe is the delivery that has been due for the longest time, not always the same one.
	probedFrom = 3

	// An endpoint is suspended after this time and so many failed attempts in a row. The first
	// and the last failure are then more than 12 hours apart.
	suspendedAfter    = 5 * 24 * time.Hour
	suspendedFailures = 12
)

// result returns what follows from an attempt of a delivery that ended at now: when the next one
// is due, the health of the endpoint, and whether that changes its state.
func (s schedule) result(
	e store.Endpoint, d store.Delivery, report sender.Report, now time.Time,
) store.Result {
	r := store.Result{
		Endpoint: e.ID, Event: d.Event, URL: e.URL, Attempt: report.Attempt, Tries: d.Tries + 1,
	}
	if report.Outcome == sender.Delivered {
		r.State, r.Health = store.DeliveryDelivered, store.Health{Last: report.Attempt}
		if e.Health.Failing() && report.Attempt.At.Before(ended(e.Health.Last)) {
			r.Health.PauseUntil = e.Health.PauseUntil // asked for after this attempt began
		}
		if e.State == store.EndpointPending {
			r.EndpointState = store.EndpointEnabled
		}
		return r
	}
	r.State = store.DeliveryFailed
	if due, more := s.retry(r.Tries, now); more && report.Outcome != sender.Gone {
		r.State, r.Due = store.DeliveryPending, due
		if asked := wholeSecond(report.Until); d.Direct && asked.After(due) {
			r.Due = asked // the pause of the endpoint does not delay a direct delivery
		}
	}
	r.Health = afterFailure(e.Health, d, report.Attempt)
	r.Health.PauseUntil = s.pause(e.Health, r, report, now)
	r.Reason = suspension(r.Health, report, now)
	if r.Reason != "" {
		r.EndpointState = store.EndpointSuspended
	}
	return r
}

// afterFailure returns the health of an endpoint after a failed attempt of a delivery, without the
// pause that follows. A fault of this server does not count.
func afterFailure(h store.Health, d store.Delivery, a store.Attempt) store.Health {
	if a.Error == sender.InternalError {
		h.Last = a
		return h
	}
	if h.Failures == 0 {
		h.Deliveries, h.FailingSince = 0, store.Second(a.At)
	}
	h.Failures++
	counted := func(a store.Attempt) bool { return !a.At.Before(h.FailingSince) }
	if !slices.ContainsFunc(d.Attempts, counted) {
		h.Deliveries++
	}
	h.Last = a
	return h
}

// pause returns the end of the pause after a failed attempt. before is the health until then.
func (s schedule) pause(
	before store.Health, r store.Result, report sender.Report, now time.Time,
) time.Time {
	until := before.PauseUntil
	probing := r.Health.Deliveries >= probedFrom
	// During a pause only direct deliveries are attempted, and attempts end that began before.
	if probing && !until.After(now) {
		var last time.Duration
		if before.Deliveries >= probedFrom {
			last = until.Sub(ended(before.Last))
		}
		until = s.probe(last, now)
	}
	asked := wholeSecond(report.Until)
	if report.Outcome == sender.Paused && asked.IsZero() && !probing {
		asked = r.Due
	}
	if asked.After(until) {
		return asked
	}
	return until
}

// suspension returns why an endpoint is suspended after a failed attempt, as one that has failed
// for too long is; "" if it is not.
func suspension(h store.Health, report sender.Report, now time.Time) string {
	switch {
	case report.Outcome == sender.Gone:
		return store.ReasonGone
	case h.Failures >= suspendedFailures && now.Sub(h.FailingSince) >= suspendedAfter:
		return store.ReasonFailing
	}
	return ""
}

// ended returns the end of an attempt.
func ended(a store.Attempt) time.Time {
	return a.At.Add(time.Duration(a.Millis) * time.Millisecond)
}
