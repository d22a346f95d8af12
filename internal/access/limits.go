package access

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// rate is a rate limit of a caller: who is limited, where, and to how many requests.
type rate struct {
	counter *counter   // of an account or a group, or nil: requests are counted by address
	address netip.Addr // of the client
	on      Surface
	most    int  // requests in any 60 seconds
	alone   bool // this instance alone counts, even if the counter is that of an account
}

// counter counts the requests of an account or of a group of addresses.
type counter struct {
	id string // of the account, or "" for a group: instances share limits of accounts only

	mu      sync.Mutex
	windows [surfaces]window
	shares  *[documents]share // of the limits of the windows, or nil if they are counted here alone
}

// limits counts requests in rate limits. It is safe for concurrent use.
type limits struct {
	addresses *addresses
	sharer    *sharer // nil if no other instance counts
	elapsed   func() time.Duration

	mu       sync.Mutex
	accounts map[string]*counter
}

// newLimits returns limits by a monotonic clock. If fleet is not nil, those of accounts apply to
// all instances together, and storeTimeout limits the wait for a store that does not respond. The
// caller must call close.
func newLimits(fleet Fleet, storeTimeout time.Duration, elapsed func() time.Duration) *limits {
	l := &limits{addresses: newAddresses(), elapsed: elapsed, accounts: map[string]*counter{}}
	if fleet != nil {
		l.sharer = newSharer(fleet, storeTimeout, elapsed)
	}
	return l
}

// ofAccount returns the counter of an account.
func (l *limits) ofAccount(id string) *counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.accounts[id]
	if c == nil {
		c = &counter{id: id}
		l.accounts[id] = c
	}
	return c
}

// The reasons why a request is not admitted.
var (
	errFull    = errors.New("rate limit reached")
	errNoShare = errors.New("no share of the rate limit: the store does not respond")
)

// count counts a request in a rate limit, on this instance or on all. The error is errFull, with
// the time until the limit may admit another one, or errNoShare.
func (l *limits) count(ctx context.Context, r rate) (wait time.Duration, err error) {
	if l.shared(r) {
		return l.sharer.count(ctx, r.counter, r.on, r.most)
	}
	l.window(r, true, func(w *window, elapsed time.Duration) {
		now := second(elapsed)
		if !w.take(now, r.most) {
			_, reset := w.left(now, r.most)
			wait, err = until(reset, elapsed), errFull
		}
	})
	return wait, err
}

// left returns how many requests a rate limit admits now, and the time until it admits one more.
func (l *limits) left(r rate) (n int, wait time.Duration) {
	l.window(r, false, func(w *window, elapsed time.Duration) {
		var reset int64
		if l.shared(r) {
			n, reset = l.sharer.left(r.counter, r.on, r.most, elapsed)
		} else {
			n, reset = w.left(second(elapsed), r.most)
		}
		wait = until(reset, elapsed)
	})
	return n, wait
}

// shared reports whether a rate limit applies to all instances together.
func (l *limits) shared(r rate) bool {
	return l.sharer != nil && r.counter != nil && r.counter.id != "" && !r.alone
}

// window calls f with the window of a rate limit and the time of the monotonic clock. The clock
// is read under the window's lock, so that requests are counted in the order of their times.
func (l *limits) window(r rate, create bool, f func(*window, time.Duration)) {
	if c := r.counter; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		f(&c.windows[r.on], l.elapsed())
		return
	}
	l.addresses.use(subject(r.address), r.on, l.elapsed, create, f)
}

// second returns the second of a time of the monotonic clock.
func second(now time.Duration) int64 { return int64(now / time.Second) }

// until returns the time from elapsed to a second of the same clock.
func until(second int64, elapsed time.Duration) time.Duration {
	return time.Duration(second)*time.Second - elapsed
}

// close gives back the shares of this instance.
func (l *limits) close() {
	if l.sharer != nil {
		l.sharer.close()
	}
}
