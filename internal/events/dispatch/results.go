package dispatch

import (
	"context"
	"time"

	"leadline/store"
)

const (
	finishSize  = 512                  // results per call
	finishDelay = 2 * time.Millisecond // for which a result waits for others

	// mostUnstored limits results that are not stored: new attempts wait for them.
	mostUnstored = 4096

	// mostFailures is the number of failed calls in a row after which no attempts start until a
	// result is stored, so that receivers do not get endless duplicates.
	mostFailures = 3
)

// results waits for the store. No result is discarded while the process runs.
type results struct {
	waiting []unstored
	since   time.Time // when the first of them was added
	storing int       // number of results in the call that is in progress
	writes  backoff
}

// unstored is a result that is not stored yet.
type unstored struct {
	to     *claim
	result store.Result
}

func (q *results) len() int { return len(q.waiting) + q.storing }

func (q *results) add(c *claim, r store.Result) {
	if len(q.waiting) == 0 {
		q.since = time.Now()
	}
	q.waiting = append(q.waiting, unstored{c, r})
}

// blocked reports whether no attempts may start because results cannot be stored.
func (q *results) blocked() bool { return q.writes.failures >= mostFailures }

// resultsDue returns when finishResults has something to do, zero if it waits for other events.
func (r *run) resultsDue() time.Time {
	switch q := &r.results; {
	case len(q.waiting) == 0 || q.storing > 0:
		return time.Time{}
	case q.writes.failures > 0:
		return q.writes.until
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
	q.writes.record(r.c.Log, err)
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
