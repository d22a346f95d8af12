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
	line    *line
	breaker *gobreaker.CircuitBreaker[*answer]
	again   atomic.Pointer[time.Time] // when the breaker, once open, lets one through
	held    atomic.Pointer[hold]      // it asked to be left alone
}

// hold is the time until which a host is not asked, and why.
type hold struct {
	until time.Time
	said  string // by the host, for a caller; %s is the time
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
	h := &host{line: newLine(c.config.Concurrency, pace)}
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
			c.config.Log.Debug("breaker changed", "provider", c.config.Provider, "host", name, "from", from.String(), "to", to.String())
		},
	})
	return h
}

// rests is why the host is left alone now, or nil.
func (h *host) rests(now time.Time) *failure {
	if held := h.held.Load(); held != nil && held.until.Sub(now) > patience {
		said := fmt.Sprintf(held.said, clock(held.until))
		return &failure{said: said, ours: true, after: held.until.Sub(now)}
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
	if !f.crowd || f.after == 0 {
		return
	}
	held := hold{now.Add(min(f.after, longestPause)), "asked to be left alone until %s (429)"}
	if f.blocked {
		held.said = "blocks this server and is asked again at %s"
	}
	h.held.Store(&held)
	if f.after <= patience {
		h.line.pause(held.until)
	}
}

// enter waits for a fetch's turn. The caller leaves.
func (h *host) enter(ctx context.Context, t *ticket) (leave func(), f *failure) {
	if !h.line.wait(ctx, t) {
		return nil, crowded(context.Cause(ctx))
	}
	leave = func() { h.line.leave(t) }
	if f := h.rests(time.Now()); f != nil {
		leave()
		return nil, f
	}
	return leave, nil
}
