package upstream

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	maxRetries = 2
	// A pause before a retry is drawn between shortestWait and longestWait, so
	// that those who failed together do not come back together.
	shortestWait = 200 * time.Millisecond
	longestWait  = 2 * time.Second
	// patience is how long a provider may ask to wait within a fetch. The
	// weather service says that its limit typically clears in five seconds.
	patience = 5 * time.Second
	// A host that blocks us is asked again after shortestBlock to longestBlock.
	shortestBlock = 5 * time.Second
	longestBlock  = 10 * time.Second
)

// budget allows retries: one for ten fetches, and a few for those who come
// when there was little to do. When a provider goes down under load, retries
// would otherwise triple what it is asked.
type budget struct {
	floor *rate.Limiter

	mu     sync.Mutex
	earned float64
}

const (
	share     = 0.1 // retries a fetch
	maxEarned = 10
)

func newBudget() *budget { return &budget{floor: rate.NewLimiter(rate.Every(10*time.Second), 4)} }

func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.earned = min(b.earned+share, maxEarned)
}

func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.earned >= 1 {
		b.earned--
		return true
	}
	return b.floor.Allow()
}

// pause waits before the next attempt, and reports whether to make it.
func (c *Client) pause(ctx context.Context, n int, f *failure) bool {
	wait := max(jitter(n), f.after)
	if f.after > f.patience() || !fits(ctx, wait) || !c.budget.spend() {
		return false
	}
	return sleep(ctx, wait)
}

// patience is how long a fetch may wait after a failure before it asks again.
func (f *failure) patience() time.Duration {
	if f.blocked {
		return longestBlock
	}
	return patience
}

func jitter(n int) time.Duration {
	most := min(longestWait, time.Second<<n)
	return shortestWait + rand.N(most-shortestWait)
}

// fits reports whether a fetch has time left after a wait.
func fits(ctx context.Context, wait time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > wait
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// retryAfter is how long the provider asks to be left alone, 0 where it does
// not say. A date is counted from the provider's own clock where it has one.
func retryAfter(h http.Header, at time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, t.Sub(date(h, at)))
	}
	return 0
}
