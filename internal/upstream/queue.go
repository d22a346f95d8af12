package upstream

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxWaiting is how many fetches of one caller may wait for a host.
	maxWaiting = 4
	// maxRefreshing is how many refreshes of stale responses may wait for a
	// host: nobody waits for them, and a later request starts them again (ours).
	maxRefreshing = 64
	// refreshes is the caller of refreshes of stale responses. Like "", which
	// is the caller of other background work, it takes turns with the callers,
	// so that neither delays them nor waits for all of them.
	refreshes = "\x00refresh"
)

// line decides whose fetch a host gets next. A fetch needs one of the host's
// slots and a token of its pace; those that wait for them are served round
// robin by caller, each caller's in order. One caller's fetches take at most
// two thirds of the slots, so that slow responses to one leave room for others
// (ours).
type queue struct {
	pace *rate.Limiter
	size int // slots
	most int // slots for one caller

	mu      sync.Mutex
	used    int
	until   time.Time // the host asked for a short pause until then
	callers map[string]*caller
	turns   []*caller // those with waiting fetches, the next first
	timer   *time.Timer
}

// caller is one account, address or kind of background work in a line.
type caller struct {
	name    string
	waiting []*ticket
	running int
}

// ticket is the place of one fetch in a line. A fetch that several callers
// wait for is in the list of each.
type ticket struct {
	granted chan struct{} // closed when the fetch has a slot
	by      *caller       // whose turn it took; nil before
	in      []*caller
}

func newQueue(size int, pace *rate.Limiter) *queue {
	return &queue{pace: pace, size: size, most: max(1, size-size/3), callers: map[string]*caller{}}
}

// full reports whether no other fetch of a caller may wait.
func (l *queue) full(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.room(name)
}

func (l *queue) room(name string) bool {
	c := l.callers[name]
	switch {
	case c == nil || name == "":
		return true
	case name == refreshes:
		return len(c.waiting) < maxRefreshing
	}
	return len(c.waiting) < maxWaiting
}

// join adds a fetch of a caller at the end of that caller's.
func (l *queue) join(name string) *ticket {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &ticket{granted: make(chan struct{})}
	l.add(t, name)
	l.serve()
	return t
}

// share lets a fetch that waits take the turn of a second caller as well, if
// that caller has room for it.
func (l *queue) share(t *ticket, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := slices.ContainsFunc(t.in, func(c *caller) bool { return c.name == name })
	if t.by != nil || known || !l.room(name) {
		return
	}
	l.add(t, name)
	l.serve()
}

func (l *queue) add(t *ticket, name string) {
	c := l.callers[name]
	if c == nil {
		c = &caller{name: name}
		l.callers[name] = c
	}
	c.waiting = append(c.waiting, t)
	t.in = append(t.in, c)
	if len(c.waiting) == 1 {
		l.turns = append(l.turns, c)
	}
}

// wait waits until a fetch has a slot, and reports whether it got one before
// ctx ended.
func (l *queue) wait(ctx context.Context, t *ticket) bool {
	select {
	case <-t.granted:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	granted := t.by != nil
	if !granted {
		l.remove(t)
	}
	l.mu.Unlock()
	if granted {
		l.leave(t)
	}
	return false
}

// leave gives a slot back.
func (l *queue) leave(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used--
	t.by.running--
	l.drop(t.by)
	l.serve()
}

// pause lets no fetch begin before a time.
func (l *queue) pause(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.until) {
		l.until = until
	}
}

// serve gives free slots to those whose turn it is, as fast as the pace
// allows. l.mu is held.
func (l *queue) serve() {
	for l.used < l.size {
		c := l.next()
		if c == nil {
			return
		}
		if wait := l.delay(time.Now()); wait > 0 {
			l.serveAfter(wait)
			return
		}
		l.grant(c)
	}
}

// grant gives a slot to the first fetch of a caller, who then has had a turn.
func (l *queue) grant(c *caller) {
	t := c.waiting[0]
	t.by = c
	c.running++
	l.used++
	l.remove(t)
	if len(c.waiting) > 0 {
		l.turns = append(slices.DeleteFunc(l.turns, func(o *caller) bool { return o == c }), c)
	}
	close(t.granted)
}

// next returns the caller whose turn it is, nil if nobody may have a slot.
func (l *queue) next() *caller {
	for _, c := range l.turns {
		if c.name == "" || c.running < l.most {
			return c
		}
	}
	return nil
}

// early takes a token of the pace, or returns the time until there is one.
func (l *queue) delay(now time.Time) time.Duration {
	if wait := l.until.Sub(now); wait > 0 {
		return wait
	}
	if l.pace.AllowN(now, 1) {
		return 0
	}
	missing := 1 - l.pace.TokensAt(now)
	wait := time.Duration(missing / float64(l.pace.Limit()) * float64(time.Second))
	return max(time.Millisecond, wait)
}

// serveAfter serves when the pause is over. l.mu is held.
func (l *queue) serveAfter(wait time.Duration) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(wait, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.serve()
	})
}

// remove takes a fetch out of the lists of all who wait for it. l.mu is held.
func (l *queue) remove(t *ticket) {
	for _, c := range t.in {
		c.waiting = slices.DeleteFunc(c.waiting, func(o *ticket) bool { return o == t })
		if len(c.waiting) == 0 {
			l.turns = slices.DeleteFunc(l.turns, func(o *caller) bool { return o == c })
			l.drop(c)
		}
	}
}

// forget drops a caller without fetches. l.mu is held.
func (l *queue) drop(c *caller) {
	if c.running == 0 && len(c.waiting) == 0 {
		delete(l.callers, c.name)
	}
}
