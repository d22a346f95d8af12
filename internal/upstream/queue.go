package upstream

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxWaiting limits the fetches of one caller that wait for a host.
	maxWaiting = 4
	// maxRefreshing limits the refreshes of stale entries that wait for a host. No caller waits
	// for them, and a later request starts them again (ours).
	maxRefreshing = 64
	// firstTurns is the number of turns of callers that are first for each turn of another one,
	// while both wait (ours).
	firstTurns = 4
	// refreshes is the caller of refreshes of stale entries. Like "", the caller of other
	// background work, it takes turns with the callers: it neither delays them nor waits for all
	// of them.
	refreshes = "\x00refresh"
)

// queue orders the fetches to a host. A fetch needs one of the host's slots and a token of its
// rate limiter. Waiting fetches are served round robin by caller, those of accounts first; the
// fetches of one caller are served in order. They take at most two thirds of the slots, so that
// slow responses to one caller leave slots for others (ours).
type queue struct {
	limiter      *rate.Limiter
	size         int // slots
	maxPerCaller int // slots for one caller
	first        func(caller string) bool

	mu      sync.Mutex
	used    int
	streak  int       // slots of those first since the last one of another caller
	until   time.Time // end of a short pause that the host requested
	callers map[string]*caller
	turns   []*caller // those with waiting fetches, the next first
	timer   *time.Timer
}

// caller is one account, address or kind of background work in a queue.
type caller struct {
	name    string
	waiting []*ticket
	running int
}

// ticket is the place of one fetch in a queue. A fetch that several callers wait for is in the
// list of each.
type ticket struct {
	granted chan struct{} // closed when the fetch has a slot
	by      *caller       // whose turn it took; nil until then
	in      []*caller
	retry   bool // the host has been asked before
}

// unasked reports whether the host has not been asked: the fetch waits for its first slot.
func (t *ticket) unasked() bool {
	select {
	case <-t.granted:
		return false
	default:
		return !t.retry
	}
}

func newQueue(size int, limiter *rate.Limiter, first func(caller string) bool) *queue {
	return &queue{
		limiter: limiter, size: size, maxPerCaller: max(1, size-size/3), first: first,
		callers: map[string]*caller{},
	}
}

// full reports whether no other fetch of a caller may wait.
func (q *queue) full(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.room(name)
}

func (q *queue) room(name string) bool {
	c := q.callers[name]
	switch {
	case c == nil || name == "":
		return true
	case name == refreshes:
		return len(c.waiting) < maxRefreshing
	}
	return len(c.waiting) < maxWaiting
}

// join appends a fetch to the fetches of a caller.
func (q *queue) join(name string) *ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &ticket{granted: make(chan struct{})}
	q.add(t, name)
	q.serve()
	return t
}

// share lets a waiting fetch also take the turn of a second caller, if that caller may have another
// waiting fetch.
func (q *queue) share(t *ticket, name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := slices.ContainsFunc(t.in, func(c *caller) bool { return c.name == name })
	if t.by != nil || known || !q.room(name) {
		return
	}
	q.add(t, name)
	q.serve()
}

func (q *queue) add(t *ticket, name string) {
	c := q.callers[name]
	if c == nil {
		c = &caller{name: name}
		q.callers[name] = c
	}
	c.waiting = append(c.waiting, t)
	t.in = append(t.in, c)
	if len(c.waiting) == 1 {
		q.turns = append(q.turns, c)
	}
}

// wait waits until a fetch has a slot, and reports whether it got one before ctx ended.
func (q *queue) wait(ctx context.Context, t *ticket) bool {
	select {
	case <-t.granted:
		return true
	case <-ctx.Done():
	}
	q.mu.Lock()
	granted := t.by != nil
	if !granted {
		q.remove(t)
	}
	q.mu.Unlock()
	if granted {
		q.leave(t)
	}
	return false
}

// leave frees the slot of a fetch.
func (q *queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used--
	t.by.running--
	q.drop(t.by)
	q.serve()
}

// pause delays all fetches until a time.
func (q *queue) pause(until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if until.After(q.until) {
		q.until = until
	}
}

// serve grants free slots in turn, as fast as the rate limiter allows. l.mu is held.
func (q *queue) serve() {
	for q.used < q.size {
		c := q.next()
		if c == nil {
			return
		}
		if wait := q.delay(time.Now()); wait > 0 {
			q.serveAfter(wait)
			return
		}
		q.grant(c)
	}
}

// grant gives a slot to the first fetch of a caller and moves the caller to the end of the turns.
func (q *queue) grant(c *caller) {
	t := c.waiting[0]
	t.by = c
	if q.streak++; !q.first(c.name) {
		q.streak = 0
	}
	c.running++
	q.used++
	q.remove(t)
	if len(c.waiting) > 0 {
		q.turns = append(slices.DeleteFunc(q.turns, func(o *caller) bool { return o == c }), c)
	}
	close(t.granted)
}

// next returns the caller whose turn it is, nil if no caller may have a slot.
func (q *queue) next() *caller {
	var first, other *caller
	for _, c := range q.turns {
		switch {
		case c.name != "" && c.running >= q.maxPerCaller:
		case first == nil && q.first(c.name):
			first = c
		case other == nil && !q.first(c.name):
			other = c
		}
	}
	if first == nil || other != nil && q.streak >= firstTurns {
		return other
	}
	return first
}

// delay takes a token of the rate limiter, or returns the time until there is one.
func (q *queue) delay(now time.Time) time.Duration {
	if wait := q.until.Sub(now); wait > 0 {
		return wait
	}
	if q.limiter.AllowN(now, 1) {
		return 0
	}
	missing := 1 - q.limiter.TokensAt(now)
	wait := time.Duration(missing / float64(q.limiter.Limit()) * float64(time.Second))
	return max(time.Millisecond, wait)
}

// serveAfter serves when the pause is over. l.mu is held.
func (q *queue) serveAfter(wait time.Duration) {
	if q.timer != nil {
		q.timer.Stop()
	}
	q.timer = time.AfterFunc(wait, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.serve()
	})
}

// remove removes a fetch from the lists of all its callers. l.mu is held.
func (q *queue) remove(t *ticket) {
	for _, c := range t.in {
		c.waiting = slices.DeleteFunc(c.waiting, func(o *ticket) bool { return o == t })
		if len(c.waiting) == 0 {
			q.turns = slices.DeleteFunc(q.turns, func(o *caller) bool { return o == c })
			q.drop(c)
		}
	}
}

// drop removes a caller without fetches. l.mu is held.
func (q *queue) drop(c *caller) {
	if c.running == 0 && len(c.waiting) == 0 {
		delete(q.callers, c.name)
	}
}
