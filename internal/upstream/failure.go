package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"leadline/internal/coast"
)

// usualRetry is when to ask again where nobody says: as long as an address
// that keeps failing, or a breaker, is left alone.
const defaultRetryAfter = 30 * time.Second

// failure is why a provider gave no answer that can be used.
type failure struct {
	reason      string        // what happened, after the provider's name, for a caller
	cause       error         // for the log; nil where said has it all
	retryable   bool          // another attempt may help
	local       bool          // the provider is not to blame, or was not asked
	rateLimited bool          // the host, not only the address, is asked too often
	after       time.Duration // how long to leave it alone; 0 where nobody says

	blocked bool // a page of the host's front in place of a response
}

func (f *failure) Error() string { return f.reason }
func (f *failure) Unwrap() error { return f.cause }

// later is the failure as it is told when only part of the pause is left.
func (f *failure) remaining(left time.Duration) *failure {
	l := *f
	l.local = true
	if f.after > 0 {
		l.after = left
	}
	return &l
}

func timedOut(cause error) *failure {
	return &failure{reason: "did not answer in time", cause: cause}
}

// strange is the failure of a provider whose answer has a form that is not
// known. Where the reader said so itself, in words for a caller, its error goes
// out as it is.
func unknownFormat(cause error) *failure {
	return &failure{reason: "answered in a form that is not known", cause: cause}
}

func tooManyFetches(cause error) *failure {
	return &failure{reason: "has more questions waiting than it may be asked", cause: cause, local: true, after: time.Second}
}

// ownCrowd is the failure of a caller of whom enough fetches wait already.
func callerLimit() *failure {
	reason := fmt.Sprintf("is not asked more for you now: %d requests of yours wait for it", maxWaiting)
	return &failure{reason: reason, local: true, after: time.Second}
}

// blocked is the failure of a host whose front turns us away. The operators of
// the weather service say that such a block lasts for the few seconds in which
// the limit is exceeded, and that its page looks like no other response
// (github.com/weather-gov/api, issue 85); its documentation names five
// seconds. The pause is drawn, so that not all come back at once.
func blocked(status int, after time.Duration) *failure {
	return &failure{
		reason:    fmt.Sprintf("blocks this server for the moment (status %d)", status),
		after:     max(after, minBlock+rand.N(maxBlock-minBlock)),
		retryable: true, rateLimited: true, blocked: true,
	}
}

func shuttingDown(cause error) *failure {
	return &failure{reason: "is not asked any more, because this server is shutting down", cause: cause, local: true}
}

// probed is what waits while one request finds out whether the host is back.
func probing(cause error) *failure {
	return &failure{reason: "is being tried again after it failed", cause: cause, local: true, after: 2 * time.Second}
}

// unreached says in plain words why a request or its body broke off.
func (c *Client) networkFailure(ctx context.Context, err error) *failure {
	switch {
	case c.ctx.Err() != nil:
		return shuttingDown(err)
	case ctx.Err() != nil:
		return timedOut(err)
	case errors.Is(err, errElsewhere):
		return &failure{reason: "sent the question to another address", cause: err}
	case errors.Is(err, errCircles):
		return &failure{reason: "sent the question in circles", cause: err}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &failure{reason: "could not prove who it is", cause: err}
	}
	return &failure{reason: networkReason(err), cause: err, retryable: true}
}

func networkReason(err error) string {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "did not answer in time"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "could not be found by its name"
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "broke the connection off"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return "could not be reached"
	}
	return "sent what could not be read"
}

// outward is an error as callers get it.
func (c *Client) callerError(err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	after := f.after
	if after == 0 {
		after = defaultRetryAfter
	}
	e := coast.Errorf(coast.ProviderUnavailable, "%s %s. No data is invented.", c.config.Provider, f.reason)
	if own, ok := errors.AsType[*coast.Error](f.cause); ok {
		e.Message, e.Issues = own.Message, own.Issues
		after = max(after, time.Duration(own.RetryAfterSeconds)*time.Second)
	}
	e.RetryAfterSeconds = int(math.Ceil(min(after, maxPause).Seconds()))
	return e
}

// clock is a time of day as messages have it.
func timeOfDay(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

var (
	errElsewhere = errors.New("redirect to another host")
	errCircles   = errors.New("too many redirects")
)

// sameHost follows a redirect only where it stays with the provider, at most
// three times.
func sameHost(r *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case r.URL.Scheme != from.Scheme || r.URL.Host != from.Host:
		return errElsewhere
	case len(via) > 3:
		return errCircles
	}
	return nil
}

const (
	maxRetries = 2
	// A pause before a retry is drawn between shortestWait and longestWait, so
	// that those who failed together do not come back together.
	minWait = 200 * time.Millisecond
	maxWait = 2 * time.Second
	// patience is how long a provider may ask to wait within a fetch. The
	// weather service says that its limit typically clears in five seconds.
	maxRetryAfter = 5 * time.Second
	// A host that blocks us is asked again after shortestBlock to longestBlock.
	minBlock = 5 * time.Second
	maxBlock = 10 * time.Second
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
	earnedPerFetch = 0.1 // retries a fetch
	maxEarned      = 10
)

func newBudget() *budget { return &budget{floor: rate.NewLimiter(rate.Every(10*time.Second), 4)} }

func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.earned = min(b.earned+earnedPerFetch, maxEarned)
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
	if f.after > f.maxRetryAfter() || !fits(ctx, wait) || !c.budget.spend() {
		return false
	}
	return sleep(ctx, wait)
}

// patience is how long a fetch may wait after a failure before it asks again.
func (f *failure) maxRetryAfter() time.Duration {
	if f.blocked {
		return maxBlock
	}
	return maxRetryAfter
}

func jitter(n int) time.Duration {
	most := min(maxWait, time.Second<<n)
	return minWait + rand.N(most-minWait)
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
