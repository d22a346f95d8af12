package dispatch

import (
	"context"
	"time"

	"leadline/store"
)

// resultsDue returns when finishResults has something to do, zero if it waits for other events.
func (r *run) resultsDue() time.Time {
	switch q := &r.results; {
	case len(q.waiting) == 0 || q.storing > 0:
		return time.Time{}
	case q.writes.Failures() > 0:
		return q.writes.Until()
	case len(q.waiting) >= finishSize:
		return q.since
	default:
		return q.since.Add(finishDelay)
	}
}

// finishResults stores results, many in one call.
func (r *run) finishResults(now time.Time) {
	at := r.resultsDue()
	if at.IsZero() || now.Before(at) {
		return
	}
	q := &r.results
	batch := q.waiting[:min(len(q.waiting), finishSize)]
	q.waiting = q.waiting[len(batch):]
	q.since, q.storing = now, len(batch)
	list := make([]store.Result, len(batch))
	for i, u := range batch {
		list[i] = u.result
	}
	blocked := q.blocked()
	r.inBackground(func(ctx context.Context) error {
		if blocked {
			if err := r.c.Store.Ready(ctx); err != nil {
				return err
			}
		}
		return r.c.Store.Finish(ctx, list)
	}, func(err error) { r.stored(batch, err) })
}

// stored takes the outcome of storing results.
func (r *run) stored(batch []unstored, err error) {
	q := &r.results
	q.storing = 0
	q.writes.Record(r.c.Log, err)
	if err != nil {
		q.waiting = append(batch[:len(batch):len(batch)], q.waiting...)
		return
	}
	r.look = true
	for _, u := range batch {
		u.to.unstored--
		if u.result.EndpointState != "" {
			r.logState(u.to, u.result.EndpointState, u.result.Reason)
		}
		r.settle(u.to)
	}
}

// logState logs the new state of an endpoint.
func (r *run) logState(c *claim, state, reason string) {
	r.c.Log.Info("endpoint "+state, "endpoint", c.ID, "host", c.host, "reason", reason)
}
