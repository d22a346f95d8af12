package events

import (
	"time"

	"golang.org/x/time/rate"
)

// Each host may get 60 attempts in any minute from endpoints that have not shown that they want
// them: those that are pending and those whose last attempt failed. A host that accepts events
// may get as many as there are.
const (
	hostBurst = 30
	hostEvery = 2 * time.Second // a burst and what a minute adds are 60
)

// hosts limits attempts by host. It is not safe for concurrent use.
type hosts map[string]*host

// host is a host with its limit, and with the endpoints that wait for it.
type host struct {
	limit   *rate.Limiter
	waiting queue[*claim]
}

// take reports whether an attempt at a host may start. If not, the endpoint waits for admit.
func (h hosts) take(c *claim, now time.Time) bool {
	this := h[c.host]
	if this == nil {
		this = &host{limit: rate.NewLimiter(rate.Every(hostEvery), hostBurst)}
		h[c.host] = this
	}
	if this.waiting.len() == 0 && this.limit.AllowN(now, 1) {
		return true
	}
	this.waiting.push(c)
	return false
}

// admit returns the endpoints whose wait is over, and removes hosts that nobody has used for a
// minute.
func (h hosts) admit(now time.Time) []*claim {
	var admitted []*claim
	for name, this := range h {
		for this.waiting.len() > 0 && this.limit.AllowN(now, 1) {
			admitted = append(admitted, this.waiting.pop())
		}
		if this.waiting.len() == 0 && this.limit.TokensAt(now) >= hostBurst {
			delete(h, name)
		}
	}
	return admitted
}
