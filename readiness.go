package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/tools"
)

// The store is asked whether it can be written no more than once in readyEvery,
// however many ask for it, and has readyWithin to answer.
const (
	readyEvery  = 2 * time.Second
	readyWithin = 250 * time.Millisecond
)

// readiness tells whether the process lives, at /livez, and whether requests
// should be sent to it, at /readyz. The providers have no part in it: what is
// computed here is answered without them.
type readiness struct {
	write     func(context.Context) error // something into the store
	directory *stations.Directory
	now       func() time.Time
	log       *slog.Logger

	ending atomic.Bool // by drain

	mu      sync.Mutex
	last    health
	refused health // the last time that it did not reserve units, the zero one after it did
}

// failedFor is how long a store counts as failed that has not reserved units,
// where nobody has asked it for more since.
const failedFor = 10 * time.Second

// note is told of each time that units were asked of the store. What Ready
// writes is small: where a disk is full it may fit, and units do not.
func (r *readiness) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = health{}
	if err != nil {
		r.refused = health{at: r.now(), err: err}
	}
}

// health is what the store has answered.
type health struct {
	at   time.Time
	took time.Duration
	err  error
}

// drain makes the server not ready from now on.
func (r *readiness) drain() { r.ending.Store(true) }

// ServeHTTP answers at /livez and /readyz.
func (r *readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var err error
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		err = coast.Errorf(coast.MethodNotAllowed, "%s takes GET and HEAD.", req.URL.Path)
	} else if req.URL.Path == "/readyz" {
		err = r.obstacle()
	}
	if err != nil {
		coast.WriteError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, `{"status":"ok"}`+"\n")
}

// obstacle is why no requests should be sent here, or nil.
func (r *readiness) obstacle() error {
	why := ""
	switch {
	case r.ending.Load():
		why = "The server is ending."
	case r.directory == nil || len(r.directory.All("")) == 0:
		why = "The station directory is not loaded."
	case r.health().err != nil:
		why = "The store cannot be written."
	default:
		return nil
	}
	e := coast.Errorf(coast.StoreUnavailable, "%s Send requests to another instance, or later.", why) // of the closed list the one that has 503 and is nobody else's
	e.RetryAfterSeconds = int(readyEvery / time.Second)
	return e
}

// health is how the store is, or was a moment ago. Who comes while it is asked
// waits for the answer.
func (r *readiness) health() health {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if r.last.at.IsZero() || now.Sub(r.last.at) >= readyEvery {
		was := r.last.err
		r.last = r.ask(now)
		if r.last.err == nil && now.Sub(r.refused.at) < failedFor {
			r.last.err = r.refused.err
		}
		r.tell(was, r.last.err)
	}
	return r.last
}

// ask asks the store. Whoever it is asked for may go meanwhile.
func (r *readiness) ask(now time.Time) health {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	began := time.Now()
	err := r.write(ctx)
	return health{at: now, took: time.Since(began), err: err}
}

// tell notes in the log what has changed; strangers are not told why.
func (r *readiness) tell(was, is error) {
	switch {
	case was == nil && is != nil:
		r.log.Error("the store cannot be written", "error", is)
	case was != nil && is == nil:
		r.log.Info("the store can be written again")
	}
}

// probe is the store as the status tells it.
func (r *readiness) probe(context.Context) tools.Component {
	h := r.health()
	at, took := h.at.UTC().Truncate(time.Second), int(h.took/time.Millisecond)
	c := tools.Component{Name: tools.StoreComponent, Status: tools.Operational, CheckedAt: &at, LatencyMs: &took, Message: "can be written"}
	if h.err != nil {
		c.Status, c.Message = tools.Down, "cannot be written"
	}
	return c
}
