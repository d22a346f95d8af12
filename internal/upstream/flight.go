package upstream

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"
)

const (
	// maxFlights bounds the fetches under way: callers may leave theirs behind.
	maxFlights = 512
	// maxTroubles bounds the memory of failures.
	maxTroubles = 4096
	// After a failure an address is left alone for firstPause, twice as long
	// after each further one, up to lastPause.
	firstPause = 2 * time.Second
	lastPause  = 30 * time.Second
	// longestPause is how long a provider may ask to be left alone: a header
	// gone wrong must not silence it for days.
	longestPause = time.Hour
)

// question is a request on its way.
type question struct {
	key
	address *url.URL
	class   Class
	caller  string  // whose turn the fetch takes; those who join it add theirs
	old     *answer // what is kept already, or nil
	read    func(Response) (*outcome, error)
}

func newQuestion(r Request, caller string, old *answer, read func(Response) (*outcome, error)) (*question, error) {
	address, err := url.Parse(r.URL)
	if err != nil {
		return nil, fmt.Errorf("reading an address: %w", err)
	}
	return &question{r.key(), address, r.Class, caller, old, read}, nil
}

// flight is one fetch, for all who ask meanwhile.
type flight struct {
	ticket  atomic.Pointer[ticket] // place in the host's line
	done    chan struct{}          // closed when the rest is set
	answer  *answer
	failure *failure
}

// landed is the flight that ended before it was asked for.
func landed(a *answer) *flight {
	f := &flight{done: make(chan struct{}), answer: a}
	close(f.done)
	return f
}

// trouble is what failed at one address, and since when it is left alone.
type trouble struct {
	times   int
	until   time.Time
	failure *failure
}

// recent reports whether the provider, asked again, would probably fail again.
func (t *trouble) recent(now time.Time) bool { return now.Before(t.until.Add(lastPause)) }

// await waits for the answer to a question, as long as ctx does. The error is
// a *failure, or says that ctx was cancelled.
func (c *Client) await(ctx context.Context, q *question) (*answer, error) {
	if ctx.Err() != nil {
		return nil, c.ended(ctx)
	}
	f, refused := c.join(q)
	if refused != nil {
		return nil, refused
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		return nil, c.ended(ctx)
	}
	if f.failure != nil {
		return nil, f.failure
	}
	return f.answer, nil
}

func (c *Client) ended(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return tooLate(ctx.Err())
	}
	return fmt.Errorf("asking %s: %w", c.config.Provider, ctx.Err())
}

// join finds the flight of a question or starts one, unless the provider
// should not be asked now.
func (c *Client) join(q *question) (*flight, *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(q.address)
	if f := c.flights[q.key]; f != nil {
		h.line.share(f.ticket.Load(), q.caller)
		return f, nil
	}
	// One may have landed since the caller looked.
	if a, ok := c.kept.GetIfPresent(q.key); ok && a != q.old {
		return landed(a), nil
	}
	if refused := c.refusal(q, h, time.Now()); refused != nil {
		return nil, refused
	}
	f := &flight{done: make(chan struct{})}
	f.ticket.Store(h.line.join(q.caller))
	c.flights[q.key] = f
	c.running.Go(func() { c.fly(q, h, f) })
	return f, nil
}

// refusal is why the provider should not be asked now, or nil.
func (c *Client) refusal(q *question, h *host, now time.Time) *failure {
	switch t := c.troubles[q.key]; {
	case c.config.Offline:
		return &failure{said: "is not asked, because this server was started with --offline", ours: true}
	case c.closed:
		return closing(nil)
	case len(c.flights) >= maxFlights:
		return crowded(nil)
	case t != nil && now.Before(t.until):
		return t.failure.later(t.until.Sub(now))
	}
	if f := h.rests(now); f != nil {
		return f
	}
	if h.line.full(q.caller) {
		return ownCrowd()
	}
	return nil
}

func (c *Client) fly(q *question, h *host, f *flight) {
	ctx, cancel := context.WithTimeout(c.life, c.config.Deadline)
	defer cancel()
	f.answer, f.failure = c.fetch(ctx, q, h, f)
	c.land(q, f)
	c.noteOutcome(q, f.failure)
	close(f.done)
}

// land keeps what a flight brought: the answer, or how long to leave the
// address alone.
func (c *Client) land(q *question, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, q.key)
	switch {
	case f.failure == nil:
		delete(c.troubles, q.key)
		c.kept.Set(q.key, f.answer)
		c.changes.Add(1)
	case !f.failure.ours:
		c.note(q.key, f.failure, time.Now())
	}
}

func (c *Client) note(k key, f *failure, now time.Time) {
	t := c.troubles[k]
	if t == nil {
		c.makeRoom(now)
		t = &trouble{}
		c.troubles[k] = t
	}
	pause := min(firstPause<<min(t.times, 10), lastPause)
	t.times++
	t.failure = f
	t.until = now.Add(max(pause, min(f.after, longestPause)))
}

// makeRoom drops the troubles that are over where there are many, and then any
// quarter of them: without its trouble an address is asked once too often.
func (c *Client) makeRoom(now time.Time) {
	if len(c.troubles) < maxTroubles {
		return
	}
	for k, t := range c.troubles {
		if !t.recent(now) {
			delete(c.troubles, k)
		}
	}
	for k := range c.troubles {
		if len(c.troubles) < maxTroubles*3/4 {
			return
		}
		delete(c.troubles, k)
	}
}

// troubled reports whether an address failed a moment ago, so that waiting for
// it would probably be in vain.
func (c *Client) troubled(k key, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.troubles[k]
	return t != nil && t.recent(now)
}
