package edge

import (
	"container/list"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"leadline/internal/coast"
)

// DefaultInFlight is the default limit on the requests that a server handles at
// a time. An ordinary request takes less than a millisecond; a request that
// calls a provider is limited by the concurrency of the providers. The figure
// is ours.
const DefaultInFlight = 256

// BodyBudget limits the bytes of request bodies in memory at a time. It is
// twice the size of DefaultInFlight bodies of 64 KiB. The figure is ours.
const BodyBudget = 32 << 20

// bodyGrace is the time in which a body should arrive; after it the request can
// lose its place to another one. An honest body of a few hundred bytes takes
// less, even over a bad connection. The figure is ours.
const bodyGrace = time.Second

// overloadedRetry is the Retry-After of a refused request, in seconds. Within
// bodyGrace, places become free again.
const overloadedRetry = 1

// Load limits the load of all requests together: how many are handled at a
// time, and how many bytes of bodies they hold. Requests do not queue: a request
// beyond a limit is refused with coast.Overloaded.
//
// A request whose body has been arriving for longer than bodyGrace loses its
// place when another request needs it, the oldest one first. So clients that
// send slowly cannot block those that do not.
type Load struct {
	bytes *semaphore.Weighted
	now   func() time.Time

	mu      sync.Mutex
	free    int
	reading list.List // of *body, in the order in which they began to arrive
}

// NewLoad returns a Load for inFlight requests that hold bodyBytes bytes of
// bodies. now is the clock that measures bodyGrace.
func NewLoad(inFlight int, bodyBytes int64, now func() time.Time) *Load {
	return &Load{bytes: semaphore.NewWeighted(bodyBytes), now: now, free: inFlight}
}

// Limit returns a handler that refuses requests beyond the limits and passes
// the others to next. Reading the body of a request returns a coast.Error with
// the code Overloaded if the budget for bodies is spent, or if the request has
// lost its place: next returns that error to the client.
func (l *Load) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.enter() {
			Refuse(w, overloaded("The server is handling as many requests as it can."))
			return
		}
		if !hasBody(r) {
			defer l.leave()
			next.ServeHTTP(w, r)
			return
		}
		b := &body{ReadCloser: r.Body, load: l, w: w}
		defer b.finish()
		r = r.WithContext(r.Context()) // a copy: the server drains the original's body
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

// hasBody reports whether a request has a body to read.
func hasBody(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
}

// overloaded returns the refusal of a request beyond a limit.
func overloaded(why string) *coast.Error {
	e := coast.Errorf(coast.Overloaded, "%s Send the request again in a second.", why)
	e.RetryAfterSeconds = overloadedRetry
	return e
}

// enter takes a place: a free one, or that of the slowest body.
func (l *Load) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 {
		l.free--
		return true
	}
	slowest, ok := l.slowest()
	if ok {
		slowest.evict()
	}
	return ok
}

// leave releases a place.
func (l *Load) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
}

// slowest returns the body that has been arriving for the longest time, if that
// is longer than bodyGrace. The caller must hold l.mu.
func (l *Load) slowest() (*body, bool) {
	first := l.reading.Front()
	if first == nil {
		return nil, false
	}
	b := first.Value.(*body)
	return b, l.now().Sub(b.since) > bodyGrace
}

// body is the body of a request that has a place. The budget is charged for the
// bytes that have arrived, not for the announced length.
type body struct {
	io.ReadCloser
	load *Load
	w    http.ResponseWriter
	held int64 // bytes charged to the budget

	// The following fields are guarded by load.mu.
	since   time.Time     // time of the first Read, zero before it
	place   *list.Element // element of load.reading, nil if not in it
	evicted bool          // the place was given to another request
}

// Read reads from the body and charges the budget.
func (b *body) Read(p []byte) (int, error) {
	if !b.arriving() {
		return 0, b.refusal()
	}
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.load.bytes.TryAcquire(int64(n)) {
		return 0, overloaded("The bodies of other requests fill the memory that there is for bodies.")
	}
	b.held += int64(n)
	if err == nil {
		return n, nil
	}
	if b.arrived() {
		return n, err
	}
	return 0, b.refusal()
}

// refusal returns the error of reading an evicted body.
func (b *body) refusal() error {
	return overloaded("The body came so slowly that another request has taken its place.")
}

// arriving adds the body to the list of those that are arriving. It returns
// false if the request has lost its place.
func (b *body) arriving() bool {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	if b.since.IsZero() {
		b.since = b.load.now()
		b.place = b.load.reading.PushBack(b)
	}
	return !b.evicted
}

// arrived removes the body from the list of those that are arriving. It returns
// false if the request has lost its place.
func (b *body) arrived() bool {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	b.unlist()
	return !b.evicted
}

func (b *body) unlist() {
	if b.place != nil {
		b.load.reading.Remove(b.place)
		b.place = nil
	}
}

// evict gives the place of the request to another one and interrupts reading
// its body. The caller must hold load.mu, so that the request cannot end
// meanwhile: a ResponseWriter must not be used after the request has ended.
func (b *body) evict() {
	b.unlist()
	b.evicted = true
	http.NewResponseController(b.w).SetReadDeadline(longAgo)
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// finish releases everything that the request holds.
func (b *body) finish() {
	b.load.bytes.Release(b.held)
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	b.unlist()
	if !b.evicted {
		b.load.free++
	}
}
