package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"
)

// The breaker's figures: of at least tripRequests in the last window half have
// failed.
const (
	window       = time.Minute
	bucket       = 10 * time.Second
	tripRequests = 10
	openTime     = 30 * time.Second
)

// host is what all questions to one host share.
type host struct {
	queue   *queue
	breaker *gobreaker.CircuitBreaker[*entry]
	reopens atomic.Pointer[time.Time] // when the breaker, once open, lets one through
	paused  atomic.Pointer[hostPause] // it asked to be left alone
}

// hold is the time until which a host is not asked, and why.
type hostPause struct {
	until  time.Time
	reason string // by the host, for a caller; %s is the time
}

// host finds or makes the host of an address. c.mu is held.
func (c *Client) host(u *url.URL) *host {
	name := u.Scheme + "://" + u.Host
	h := c.hosts[name]
	if h == nil {
		h = c.newHost(name)
		c.hosts[name] = h
	}
	return h
}

func (c *Client) newHost(name string) *host {
	pace := rate.NewLimiter(rate.Limit(c.config.Rate), c.config.Burst)
	h := &host{queue: newQueue(c.config.Concurrency, pace)}
	h.breaker = gobreaker.NewCircuitBreaker[*entry](gobreaker.Settings{
		Name:         name,
		Interval:     window,
		BucketPeriod: bucket,
		Timeout:      openTime,
		ReadyToTrip: func(n gobreaker.Counts) bool {
			asked := n.Requests - n.TotalExclusions
			return asked >= tripRequests && 2*n.TotalFailures >= asked
		},
		IsExcluded: func(err error) bool {
			f, ok := errors.AsType[*failure](err)
			return ok && f.local
		},
		OnStateChange: func(name string, from, to gobreaker.State) {
			reopens := time.Now().Add(openTime)
			h.reopens.Store(&reopens)
			c.config.Log.Debug("breaker changed", "provider", c.config.Provider, "host", name, "from", from.String(), "to", to.String())
		},
	})
	return h
}

// rests is why the host is left alone now, or nil.
func (h *host) refusal(now time.Time) *failure {
	if held := h.paused.Load(); held != nil && held.until.Sub(now) > maxRetryAfter {
		reason := fmt.Sprintf(held.reason, timeOfDay(held.until))
		return &failure{reason: reason, local: true, after: held.until.Sub(now)}
	}
	if h.breaker.State() != gobreaker.StateOpen {
		return nil
	}
	t := *h.reopens.Load() // set before the breaker is seen open
	return &failure{reason: "is left alone until " + timeOfDay(t) + " because it failed too often", local: true, after: max(t.Sub(now), time.Second)}
}

// heed remembers that the host is asked too often. A failure of another kind
// speaks for one address only: a single product may be out for hours.
func (h *host) recordFailure(f *failure, now time.Time) {
	if !f.rateLimited || f.after == 0 {
		return
	}
	held := hostPause{now.Add(min(f.after, maxPause)), "asked to be left alone until %s (429)"}
	if f.blocked {
		held.reason = "blocks this server and is asked again at %s"
	}
	h.paused.Store(&held)
	if f.after <= maxRetryAfter {
		h.queue.pause(held.until)
	}
}

// enter waits for a fetch's turn. The caller leaves.
func (h *host) enter(ctx context.Context, t *ticket) (leave func(), f *failure) {
	if !h.queue.wait(ctx, t) {
		return nil, tooManyFetches(context.Cause(ctx))
	}
	leave = func() { h.queue.leave(t) }
	if f := h.refusal(time.Now()); f != nil {
		leave()
		return nil, f
	}
	return leave, nil
}
