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

// The breaker opens for openTime when at least half of the requests in the last window failed and
// there were at least tripRequests of them (ours).
const (
	window       = time.Minute
	bucket       = 10 * time.Second
	tripRequests = 10
	openTime     = 30 * time.Second
)

// host is the state that all requests to one host share.
type host struct {
	queue   *queue
	breaker *gobreaker.CircuitBreaker[*entry]
	reopens atomic.Pointer[time.Time] // when an open breaker lets a request through
	paused  atomic.Pointer[hostPause] // requested by the host
	last    atomic.Pointer[failure]   // of a request; set before the breaker counts it
}

// hostPause is the time until which a host gets no requests, and why.
type hostPause struct {
	until  time.Time
	reason string // for callers; %s is the time
	waits  bool   // short enough for fetches to wait in the queue; else they are refused
}

// host returns the host of a URL and creates it if necessary. c.mu is held.
func (c *Client) host(u *url.URL) *host {
	name := u.Scheme + "://" + u.Host
	h := c.hosts[name]
	if h == nil {
		h = c.newHost(name)
		c.hosts[name] = h
	}
	c.pace(h.queue.limiter)
	return h
}

// pace gives a host the part of the rate that belongs to this client now.
func (c *Client) pace(limiter *rate.Limiter) {
	share := max(1, c.config.Share())
	limit := rate.Limit(max(1, c.config.Rate/float64(share)))
	if c.config.Rate < 1 {
		limit = rate.Limit(c.config.Rate)
	}
	if burst := max(1, c.config.Burst/share); limiter.Limit() != limit || limiter.Burst() != burst {
		limiter.SetLimit(limit)
		limiter.SetBurst(burst)
	}
}

func (c *Client) newHost(name string) *host {
	limiter := rate.NewLimiter(rate.Limit(c.config.Rate), c.config.Burst)
	h := &host{queue: newQueue(c.config.Concurrency, limiter, c.config.First)}
	h.breaker = gobreaker.NewCircuitBreaker[*entry](gobreaker.Settings{
		Name:         name,
		Interval:     window,
		BucketPeriod: bucket,
		Timeout:      openTime,
		ReadyToTrip: func(n gobreaker.Counts) bool {
			counted := n.Requests - n.TotalExclusions
			return counted >= tripRequests && 2*n.TotalFailures >= counted
		},
		IsExcluded: func(err error) bool {
			f, ok := errors.AsType[*failure](err)
			return ok && f.local
		},
		OnStateChange: func(name string, from, to gobreaker.State) {
			reopens := time.Now().Add(openTime)
			h.reopens.Store(&reopens)
			c.config.Log.Debug("breaker changed", "provider", c.config.Provider, "host", name,
				"from", from.String(), "to", to.String())
		},
	})
	return h
}

// refusal returns why the host gets no requests now, or nil.
func (h *host) refusal(now time.Time) *failure {
	if pause := h.paused.Load(); pause != nil && !pause.waits && now.Before(pause.until) {
		reason := fmt.Sprintf(pause.reason, timeOfDay(pause.until))
		return &failure{reason: reason, local: true, after: pause.until.Sub(now)}
	}
	if h.breaker.State() != gobreaker.StateOpen {
		return nil
	}
	t := *h.reopens.Load() // set before State returns open
	last := h.last.Load()
	return &failure{
		reason: "gets no requests until " + timeOfDay(t) + " because it failed too often" +
			last.because(),
		network: last.network, local: true, after: max(t.Sub(now), time.Second),
	}
}

// recordFailure stores a failure as the last one, and pauses the host if the failure says that
// it gets too many requests. A failure of another kind concerns one URL only: a single product
// may fail for hours.
func (h *host) recordFailure(f *failure, now time.Time) {
	h.last.Store(f)
	if !f.rateLimited || f.after == 0 {
		return
	}
	pause := hostPause{
		now.Add(min(f.after, maxPause)), "asked for no requests until %s (429)",
		f.after <= maxRetryAfter,
	}
	if f.blocked {
		pause.reason = "blocks this server and is retried at %s"
	}
	h.paused.Store(&pause)
	if pause.waits {
		h.queue.pause(pause.until)
	}
}

// enter waits for the turn of a fetch. The caller must call leave.
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
