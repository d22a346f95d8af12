package limit

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Rate is a rate limit of a caller: who is limited, where, and to how many requests.
type Rate struct {
	Counter *Counter   // of an account or a group, or nil: requests are counted by address
	Address netip.Addr // of the client
	On      Surface
	Most    int  // requests in any 60 seconds
	Alone   bool // this instance alone counts, even if the counter is that of an account
}

// Limits counts requests in rate limits. It is safe for concurrent use.
type Limits struct {
	addresses *addresses
	sharer    *sharer // nil if no other instance counts
	elapsed   func() time.Duration

	mu       sync.Mutex
	accounts map[string]*Counter
}

// New returns limits by a monotonic clock. If fleet is not nil, those of accounts apply to
// all instances together, and storeTimeout limits the wait for a store that does not respond. The
// caller must call Close.
func New(fleet Fleet, storeTimeout time.Duration, elapsed func() time.Duration) *Limits {
	l := &Limits{addresses: newAddresses(), elapsed: elapsed, accounts: map[string]*Counter{}}
	if fleet != nil {
		l.sharer = newSharer(fleet, storeTimeout, elapsed)
	}
	return l
}

// OfAccount returns the counter of an account.
func (l *Limits) OfAccount(id string) *Counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.accounts[id]
	if c == nil {
		c = &Counter{id: id}
		l.accounts[id] = c
	}
	return c
}

// Count counts a request in a rate limit, on this instance or on all. The error is errFull, with
// the time until the limit may admit another one, or ErrNoShare.
func (l *Limits) Count(ctx context.Context, r Rate) (wait time.Duration, err error) {
	if l.shared(r) {
		return l.sharer.count(ctx, r.Counter, r.On, r.Most)
	}
	l.window(r, true, func(w *window, elapsed time.Duration) {
		now := second(elapsed)
		if !w.take(now, r.Most) {
			_, reset := w.left(now, r.Most)
			wait, err = until(reset, elapsed), errFull
		}
	})
	return wait, err
}

// Left returns how many requests a rate limit admits now, and the time until it admits one more.
func (l *Limits) Left(r Rate) (n int, wait time.Duration) {
	l.window(r, false, func(w *window, elapsed time.Duration) {
		var reset int64
		if l.shared(r) {
			n, reset = l.sharer.left(r.Counter, r.On, r.Most, elapsed)
		} else {
			n, reset = w.left(second(elapsed), r.Most)
		}
		wait = until(reset, elapsed)
	})
	return n, wait
}

// shared reports whether a rate limit applies to all instances together.
func (l *Limits) shared(r Rate) bool {
	return l.sharer != nil && r.Counter != nil && r.Counter.id != "" && !r.Alone
}

// window calls f with the window of a rate limit and the time of the monotonic clock. The clock
// is read under the window's lock, so that requests are counted in the order of their times.
func (l *Limits) window(r Rate, create bool, f func(*window, time.Duration)) {
	if c := r.Counter; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		f(&c.windows[r.On], l.elapsed())
		return
	}
	l.addresses.use(Subject(r.Address), r.On, l.elapsed, create, f)
}

// Close gives back the shares of this instance.
func (l *Limits) Close() {
	if l.sharer != nil {
		l.sharer.close()
	}
}
