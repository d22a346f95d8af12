package dispatch

import (
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
	writes  store.Backoff
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
func (q *results) blocked() bool { return q.writes.Failures() >= mostFailures }
