package status

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// An endpoint with at least leastRequests in the last minute is degraded if 1 in degradedShare of
// them failed, and down if 1 in downShare did (ours).
const (
	leastRequests = 20
	degradedShare = 20
	downShare     = 2
)

// windowSeconds is the length of the window in which Traffic counts.
const windowSeconds = 60

// Traffic counts the responses of an endpoint during the last minute, and how many of them had a
// status of 500 or above. It is safe for concurrent use.
type Traffic struct {
	name string
	now  func() time.Time

	mu      sync.Mutex
	seconds [windowSeconds]tally // by Unix second modulo windowSeconds
	last    time.Time            // end of the last response; zero if there was no response
	took    time.Duration        // by the last response
}

// tally counts the responses that ended in a second.
type tally struct {
	second           int64 // Unix time
	requests, failed int
}

// NewTraffic returns the Traffic of the component with a name. now is the wall clock.
func NewTraffic(name string, now func() time.Time) *Traffic {
	return &Traffic{name: name, now: now}
}

// Observe counts a response. It ignores a request whose client has gone away: its context has
// ended before its handler. It also ignores a response without a status (0).
func (t *Traffic) Observe(r *http.Request, status int, took time.Duration) {
	if status == 0 || r.Context().Err() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	second := now.Unix()
	at := &t.seconds[second%windowSeconds]
	if at.second != second {
		*at = tally{second: second}
	}
	at.requests++
	if status >= http.StatusInternalServerError {
		at.failed++
	}
	t.last, t.took = now, took
}

// Component returns the endpoint as a component of the status. With fewer than leastRequests it is
// operational; it is unknown too, if there were none or some of them failed.
func (t *Traffic) Component() Component {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := t.lastMinute()
	c := Component{
		Name: coast.ComponentName(t.name), Status: coast.ServiceStatus(sum.state()),
		Message: sum.message(),
	}
	c.unknown = sum.requests == 0 || sum.requests < leastRequests && sum.failed > 0
	if !t.last.IsZero() {
		at, took := store.Second(t.last), int(t.took/time.Millisecond)
		c.CheckedAt, c.LatencyMs = &at, &took
	}
	return c
}

// lastMinute returns the sums of the last minute. It ignores seconds in the future, which are left
// when the clock is set back. The caller must hold t.mu.
func (t *Traffic) lastMinute() tally {
	sum := tally{second: t.now().Unix()}
	for _, s := range t.seconds {
		if s.second > sum.second-windowSeconds && s.second <= sum.second {
			sum.requests += s.requests
			sum.failed += s.failed
		}
	}
	return sum
}

// state returns the state of an endpoint with these responses in a minute.
func (t tally) state() string {
	switch {
	case t.requests < leastRequests:
		return Operational
	case t.failed*downShare >= t.requests:
		return Down
	case t.failed*degradedShare >= t.requests:
		return Degraded
	}
	return Operational
}

// message describes the responses of the last minute.
func (t tally) message() string {
	switch {
	case t.requests == 0:
		return "no requests in the last minute"
	case t.failed == 0 && t.requests == 1:
		return "1 request in the last minute, and it did not fail"
	case t.failed == 0:
		return fmt.Sprintf("none of %d requests failed in the last minute", t.requests)
	case t.requests < leastRequests:
		return fmt.Sprintf("%d of %d requests failed in the last minute, too few to judge",
			t.failed, t.requests)
	}
	return fmt.Sprintf("%d of %d requests failed in the last minute", t.failed, t.requests)
}
