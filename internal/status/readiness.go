package status

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// The store is checked by a write at most once per checkEvery, for any number
// of requests. The write must finish within storeTimeout. That is longer than a request
// waits: a disk or a machine that is busy for seconds does not make the service down.
const checkEvery = 2 * time.Second

// ReadinessConfig configures a Readiness.
type ReadinessConfig struct {
	Write    func(context.Context) error // writes test data to the store
	Writes   *Writes                     // writes to the store by all parts
	Stations int                         // number of stations in the directory

	// Shared reports that other instances use the store, too. If they were not ready because of it,
	// a load balancer would remove all of them, and callers who do not need it would get nothing.
	Shared bool
	Live   func() int // number of live instances; it may be nil if the store is not shared
	Now    func() time.Time
}

// Readiness serves /livez, whether the process runs, and /readyz, whether requests
// should be sent to it. Both ignore the providers, since computed results do not
// need them. It is safe for concurrent use.
type Readiness struct {
	c        ReadinessConfig
	draining atomic.Bool

	mu   sync.Mutex
	last health
}

// health is the result of one use of the store.
type health struct {
	at   time.Time
	took time.Duration
	err  error
}

// NewReadiness returns a Readiness that has not checked the store yet.
func NewReadiness(c ReadinessConfig) *Readiness { return &Readiness{c: c} }

// Drain makes the server not ready from now on.
func (r *Readiness) Drain() { r.draining.Store(true) }

// ServeHTTP serves /livez and /readyz.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var err error
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		err = coast.Errorf(coast.MethodNotAllowed, "%s takes GET and HEAD.", req.URL.Path)
	} else if req.URL.Path == "/readyz" {
		err = r.Obstacle()
	}
	if err != nil {
		coast.WriteError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, `{"status":"ok"}`+"\n")
}

// Obstacle returns why requests should not be sent here, or nil.
func (r *Readiness) Obstacle() error {
	why := ""
	switch {
	case r.draining.Load():
		why = "The server is shutting down."
	case r.c.Stations == 0:
		why = "The station directory is not loaded."
	case !r.c.Shared && r.check().err != nil:
		why = "The store cannot be written."
	default:
		return nil
	}
	// Of the codes with status 503 this one fits best.
	e := coast.Errorf(coast.StoreUnavailable, "%s Send requests to another instance, or later.", why)
	e.RetryAfterSeconds = int(checkEvery / time.Second)
	return e
}

// check returns the health of the store, from the writes so far and from a
// check that is at most checkEvery old. Callers that arrive during a check wait
// for its result.
func (r *Readiness) check() health {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.c.Now()
	if r.last.at.IsZero() || now.Sub(r.last.at) >= checkEvery {
		r.last = r.measure(now)
		r.c.Writes.checked(r.last.err)
	}
	h := r.last
	if h.err == nil {
		h.err = r.c.Writes.failure()
	}
	return h
}

// measure writes to the store. It does not use a request's context: others wait for
// the result too.
func (r *Readiness) measure(now time.Time) health {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	began := time.Now()
	err := r.c.Write(ctx)
	return health{at: now, took: time.Since(began), err: err}
}

// Component returns the store as a component of the status.
func (r *Readiness) Component() Component { return r.describe(r.check()) }

// describe returns the store in a state as a component.
func (r *Readiness) describe(h health) Component {
	c := h.component()
	if r.c.Shared && h.err == nil {
		c.Message += fmt.Sprintf("; live instances: %d", r.c.Live())
	}
	return c
}

// Known returns the store as a component of the status without checking it now: it is down if the
// last check or a write shortly before has failed.
func (r *Readiness) Known() Component {
	r.mu.Lock()
	h := r.last
	r.mu.Unlock()
	now := r.c.Now()
	if now.Sub(h.at) >= failureCounts {
		h = health{} // nobody has asked since
	}
	h.at = now
	if h.err == nil {
		h.err = r.c.Writes.failure()
	}
	return r.describe(h)
}

func (h health) component() Component {
	at, took := store.Second(h.at), int(h.took/time.Millisecond)
	c := Component{
		Name: StoreName, Status: Operational, CheckedAt: &at, LatencyMs: &took, Message: "can be written",
	}
	if h.err != nil {
		c.Status, c.Message = Down, "cannot be written"
	}
	return c
}
