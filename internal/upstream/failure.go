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

// defaultRetryAfter is the retry time for callers if the provider names none. It equals the longest
// backoff of a URL and the open time of a breaker.
const defaultRetryAfter = 30 * time.Second

// failure is the reason why there is no usable response of a provider.
type failure struct {
	reason      string        // for callers; continues a sentence after the provider's name
	cause       error         // for the log; nil if reason says it all
	retryable   bool          // another attempt may succeed
	local       bool          // not a fault of the provider, which may have got no request
	rateLimited bool          // the host, not only the URL, gets too many requests
	after       time.Duration // time to the next request; 0 if the provider names none

	blocked bool // by the host's firewall
	lasting bool // no later request can succeed
	network bool // the network of this server may be down
}

func (f *failure) Error() string { return f.reason }
func (f *failure) Unwrap() error { return f.cause }

// remaining returns the failure for a caller when only part of the pause is left.
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

// notAsked is the failure of a caller whose deadline ends while the fetch waits for its turn: this
// server limits how fast it asks a host, and the host is not to blame.
func notAsked(cause error) *failure {
	return &failure{reason: "was not asked in time, because other requests wait before this one",
		cause: cause, local: true, after: time.Second}
}

// unknownFormat is the failure of a provider whose response has an unknown format. If cause is a
// coast.Error of the reader, callers get its message.
func unknownFormat(cause error) *failure {
	return &failure{reason: "returned an unknown response format", cause: cause}
}

func tooManyFetches(cause error) *failure {
	reason := "has too many requests waiting"
	return &failure{reason: reason, cause: cause, local: true, after: time.Second}
}

// callerLimit is the failure of a caller who has maxWaiting waiting fetches.
func callerLimit() *failure {
	reason := fmt.Sprintf("already has %d of your requests waiting", maxWaiting)
	return &failure{reason: reason, local: true, after: time.Second}
}

// webPage is the failure of one URL that has a page for people, of a proxy or about an error. It
// says nothing about the other URLs of its host.
func webPage() *failure { return &failure{reason: "returned a web page instead of data"} }

// blocked is the failure of a host whose firewall rejects us, with status 403. Such a block lasts
// for the seconds in which the limit is exceeded, say the operators of the weather service
// (github.com/weather-gov/api, issue 85). Its documentation names five seconds. The pause is
// random, so that not all clients return at once.
func blocked(status int, after time.Duration) *failure {
	return &failure{
		reason:    fmt.Sprintf("temporarily blocks this server (status %d)", status),
		after:     max(after, minBlock+rand.N(maxBlock-minBlock)),
		retryable: true, rateLimited: true, blocked: true,
	}
}

func shuttingDown(cause error) *failure {
	reason := "gets no more requests, because this server is shutting down"
	return &failure{reason: reason, cause: cause, local: true}
}

// probing is the failure of fetches while a half-open breaker tries one request. last is the last
// failure of the host.
func probing(cause error, last *failure) *failure {
	return &failure{
		reason: "is being retried after it failed" + last.because(), network: last.network,
		cause: cause, local: true, after: 2 * time.Second,
	}
}

// because returns the reason of a failure as the end of a sentence about its effect.
func (f *failure) because() string { return ": it " + f.reason }

// networkFailure describes why a request or its body failed.
func (c *Client) networkFailure(ctx context.Context, err error) *failure {
	switch {
	case c.ctx.Err() != nil:
		return shuttingDown(err)
	case ctx.Err() != nil:
		return timedOut(err)
	case errors.Is(err, errElsewhere):
		return &failure{reason: "redirected the request to another host", cause: err}
	case errors.Is(err, errCircles):
		return &failure{reason: "redirected the request in a loop", cause: err}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &failure{reason: "presented an invalid TLS certificate", cause: err}
	}
	return &failure{
		reason: networkReason(err), cause: err, retryable: true, network: ownNetwork(err),
	}
}

// ownNetwork reports whether an error is typical of a server without a network: no name is found,
// or there is no route.
func ownNetwork(err error) bool {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) ||
		errors.Is(err, syscall.ENETDOWN)
}

func networkReason(err error) string {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "did not answer in time"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "could not be found by its host name"
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused the connection"
	case errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed the connection early"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return "could not be reached"
	}
	return "sent an unreadable response"
}

// callerError returns an error as callers get it.
func (c *Client) callerError(err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	after := f.after
	if after == 0 && !f.lasting {
		after = defaultRetryAfter
	}
	e := coast.Errorf(coast.ProviderUnavailable,
		"%s %s. No data is invented.", c.config.Provider, f.reason)
	if f.network {
		e.Message += " The network of this server may be down: check it, or start with --offline."
	}
	if own, ok := errors.AsType[*coast.Error](f.cause); ok {
		e.Message, e.Issues = own.Message, own.Issues
		after = max(after, time.Duration(own.RetryAfterSeconds)*time.Second)
	}
	e.RetryAfterSeconds = int(math.Ceil(min(after, maxPause).Seconds()))
	return e
}

// timeOfDay formats a time of day for messages.
func timeOfDay(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

var (
	errElsewhere = errors.New("redirect to another host")
	errCircles   = errors.New("too many redirects")
)

// sameHost follows at most three redirects, and only to the same scheme and host.
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
	// The pause before a retry is random between minWait and maxWait, so that requests that failed
	// together are not retried together (ours).
	minWait = 200 * time.Millisecond
	maxWait = 2 * time.Second
	// maxRetryAfter is the longest pause that a fetch waits at the request of the provider. The
	// weather service says that its limit typically clears in five seconds.
	maxRetryAfter = 5 * time.Second
	// A host that blocks us is retried after minBlock to maxBlock.
	minBlock = 5 * time.Second
	maxBlock = 10 * time.Second
)

// budget limits retries to one for ten fetches, and a few at low load. Without it, retries would
// triple the requests to a provider that goes down under load.
type budget struct {
	floor *rate.Limiter

	mu     sync.Mutex
	earned float64
}

const (
	earnedPerFetch = 0.1 // retries
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

// maxRetryAfter returns how long a fetch may wait before it retries after a failure.
func (f *failure) maxRetryAfter() time.Duration {
	if f.blocked {
		return maxBlock
	}
	return maxRetryAfter
}

func jitter(n int) time.Duration {
	longest := min(maxWait, time.Second<<n)
	return minWait + rand.N(longest-minWait)
}

// fits reports whether ctx has time left after a wait.
func fits(ctx context.Context, wait time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > wait
}

// sleep waits and reports whether the time passed before ctx ended.
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

// retryAfter returns the pause that the provider requests, 0 if none. A date counts from the Date
// header, from at if there is none.
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
