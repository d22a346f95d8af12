package edge

import (
	"container/list"
	"io"
	"net/http"
	"strconv"
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

// ResponseBudget limits the bytes of long responses that clients have not yet read, and
// longResponse is the length from which on one counts: the shorter ones of DefaultInFlight requests
// take 16 MiB. The figures are ours.
const (
	ResponseBudget = 32 << 20
	longResponse   = 64 << 10
)

// grace is the time in which a body should arrive, or a response should be read; after it the
// request can lose its place to another one. An honest body of a few hundred bytes takes
// less, even over a bad connection. The figure is ours.
const grace = time.Second

// overloadedRetry is the Retry-After of a refused request, in seconds. Within
// grace, places become free again.
const overloadedRetry = 1

// LoadConfig holds the limits of a Load.
type LoadConfig struct {
	InFlight  int   // requests at a time
	Bodies    int64 // bytes of their bodies
	Responses int64 // bytes of their long responses
}

// Load limits the load of all requests together: how many are handled at a
// time, and how many bytes of bodies and of long responses they hold. Requests do not queue: a
// request beyond a limit is refused with coast.Overloaded.
//
// A request whose body has been arriving, or whose response is being read, for longer than grace
// loses its place when another request needs it, the oldest one first. So clients that
// send or read slowly cannot block those that do not.
type Load struct {
	bodies, responses *semaphore.Weighted
	now               func() time.Time

	mu   sync.Mutex
	free int
	slow list.List // of *place: those that wait for their client, in the order in which they began to
}

// NewLoad returns a Load. now is the clock that measures grace.
func NewLoad(c LoadConfig, now func() time.Time) *Load {
	return &Load{
		bodies: semaphore.NewWeighted(c.Bodies), responses: semaphore.NewWeighted(c.Responses),
		now: now, free: c.InFlight,
	}
}

// Limit returns a handler that refuses requests beyond the limits and passes
// the others to next. Reading the body of a request returns a coast.Error with
// the code Overloaded if the budget for bodies is spent, or if the request has
// lost its place: next returns that error to the client. A long response beyond the budget for
// responses is replaced by such an error if its length is known before it is written.
func (l *Load) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.enter() {
			Refuse(w, overloaded("The server is handling as many requests as it can."))
			return
		}
		p := &place{ResponseWriter: w, load: l}
		defer p.finish()
		if hasBody(r) {
			r = r.WithContext(r.Context()) // a copy: the server drains the original's body
			r.Body = &body{r.Body, p}
		}
		next.ServeHTTP(p, r)
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

// enter takes a place: a free one, or that of the slowest client.
func (l *Load) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 {
		l.free--
		return true
	}
	return l.evict()
}

// evict takes the place of the request that has been waiting for its client for the longest time,
// if that is longer than grace. The caller must hold l.mu.
func (l *Load) evict() bool {
	first := l.slow.Front()
	if first == nil {
		return false
	}
	p := first.Value.(*place)
	if l.now().Sub(p.since) <= grace {
		return false
	}
	p.interrupt()
	return true
}

// place is the place of a request, and its response. The budgets are charged for the bytes of the
// body that have arrived, not for the announced length, and for the length of a long response.
type place struct {
	http.ResponseWriter
	load      *Load
	body      int64 // bytes charged to the budget for bodies
	response  int64 // bytes charged to that for responses
	begun     bool  // the response has begun
	discarded bool  // the response was replaced by a refusal

	// The following fields are guarded by load.mu.
	since   time.Time     // when the request began to wait for its client
	waits   *list.Element // element of load.slow, nil if not in it
	evicted bool          // the place was given to another request
}

// wait adds the request to those that wait for their clients. It returns false if the request has
// lost its place.
func (p *place) wait() bool {
	p.load.mu.Lock()
	defer p.load.mu.Unlock()
	if p.waits == nil && !p.evicted {
		p.since = p.load.now()
		p.waits = p.load.slow.PushBack(p)
	}
	return !p.evicted
}

// proceed removes the request from those that wait for their clients. It returns false if the
// request has lost its place.
func (p *place) proceed() bool {
	p.load.mu.Lock()
	defer p.load.mu.Unlock()
	p.unlist()
	return !p.evicted
}

func (p *place) unlist() {
	if p.waits != nil {
		p.load.slow.Remove(p.waits)
		p.waits = nil
	}
}

// interrupt gives the place of the request to another one and ends what it waits for. The caller
// must hold load.mu, so that the request cannot end meanwhile: a ResponseWriter must not be used
// after the request has ended.
func (p *place) interrupt() {
	p.unlist()
	p.evicted = true
	c := http.NewResponseController(p.ResponseWriter)
	if !p.begun {
		c.SetReadDeadline(longAgo)
		return
	}
	c.SetWriteDeadline(longAgo)
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// finish releases everything that the request holds.
func (p *place) finish() {
	p.load.bodies.Release(p.body)
	p.load.responses.Release(p.response)
	p.load.mu.Lock()
	defer p.load.mu.Unlock()
	p.unlist()
	if !p.evicted {
		p.load.free++
	}
}

// WriteHeader charges the budget for responses. Beyond it, it sends a refusal.
func (p *place) WriteHeader(status int) {
	if status >= http.StatusOK && !p.begun {
		if !p.charge() {
			p.discarded = true
			h := p.Header()
			for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Cache-Control"} {
				h.Del(name)
			}
			p.begin()
			Refuse(p.ResponseWriter, overloaded("Responses that clients read slowly fill the memory that "+
				"there is for responses."))
			return
		}
		p.begin()
	}
	p.ResponseWriter.WriteHeader(status)
}

// charge charges the budget for the length of a long response. If that is spent, the slowest client
// loses its place, so that there is room when the request is sent again.
func (p *place) charge() bool {
	n, err := strconv.ParseInt(p.Header().Get("Content-Length"), 10, 64)
	if err != nil || n < longResponse {
		return true
	}
	if !p.load.responses.TryAcquire(n) {
		p.load.mu.Lock()
		defer p.load.mu.Unlock()
		if p.load.evict() {
			p.load.free++
		}
		return false
	}
	p.response = n
	return true
}

// begin notes that the client is reading the response.
func (p *place) begin() {
	p.load.mu.Lock()
	p.begun = true
	p.unlist()
	p.load.mu.Unlock()
	p.wait()
}

func (p *place) Write(b []byte) (int, error) {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	if p.discarded {
		return len(b), nil
	}
	return p.ResponseWriter.Write(b)
}

// Flush sends what was written.
func (p *place) Flush() {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (p *place) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// body is the body of a request that has a place.
type body struct {
	io.ReadCloser
	of *place
}

// Read reads from the body and charges the budget.
func (b *body) Read(p []byte) (int, error) {
	if !b.of.wait() {
		return 0, b.refusal()
	}
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.of.load.bodies.TryAcquire(int64(n)) {
		return 0, overloaded("The bodies of other requests fill the memory that there is for bodies.")
	}
	b.of.body += int64(n)
	if err == nil {
		return n, nil
	}
	if b.of.proceed() {
		return n, err
	}
	return 0, b.refusal()
}

// refusal returns the error of reading an evicted body.
func (b *body) refusal() error {
	return overloaded("The body came so slowly that another request has taken its place.")
}
