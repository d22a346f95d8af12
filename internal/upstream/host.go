package upstream

import (
	"context"
	"errors"
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
	slots   chan struct{}
	pace    *rate.Limiter
	breaker *gobreaker.CircuitBreaker[*answer]
	again   atomic.Pointer[time.Time] // when the breaker, once open, lets one through
	held    atomic.Pointer[time.Time] // until when it asked to be left alone
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
	h := &host{slots: make(chan struct{}, c.config.Concurrency), pace: rate.NewLimiter(rate.Limit(c.config.Rate), c.config.Burst)}
	h.breaker = gobreaker.NewCircuitBreaker[*answer](gobreaker.Settings{
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
			return ok && f.ours
		},
		OnStateChange: func(name string, from, to gobreaker.State) {
			again := time.Now().Add(openTime)
			h.again.Store(&again)
			c.config.Log.Warn("breaker changed", "provider", c.config.Provider, "host", name, "from", from.String(), "to", to.String())
		},
	})
	return h
}

// rests is why the host is left alone now, or nil.
func (h *host) rests(now time.Time) *failure {
	if t := h.held.Load(); t != nil && t.Sub(now) > patience {
		return &failure{said: "asked to be left alone until " + clock(*t) + " (429)", ours: true, after: t.Sub(now)}
	}
	if h.breaker.State() != gobreaker.StateOpen {
		return nil
	}
	t := *h.again.Load() // set before the breaker is seen open
	return &failure{said: "is left alone until " + clock(t) + " because it failed too often", ours: true, after: max(t.Sub(now), time.Second)}
}

// heed remembers that the host is asked too often. A failure of another kind
// speaks for one address only: a single product may be out for hours.
func (h *host) heed(f *failure, now time.Time) {
	if f.crowd && f.after > 0 {
		t := now.Add(min(f.after, longestPause))
		h.held.Store(&t)
	}
}

// enter waits for the host's turn: for a short pause that it asked for, one of
// its slots, and its pace. The caller leaves.
func (h *host) enter(ctx context.Context) (leave func(), f *failure) {
	if f := h.rests(time.Now()); f != nil {
		return nil, f
	}
	if t := h.held.Load(); t != nil && time.Now().Before(*t) && !sleep(ctx, time.Until(*t)) {
		return nil, crowded(context.Cause(ctx))
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, crowded(context.Cause(ctx))
	}
	leave = func() { <-h.slots }
	if err := h.pace.Wait(ctx); err != nil {
		leave()
		return nil, crowded(err)
	}
	return leave, nil
}
