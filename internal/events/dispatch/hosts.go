package dispatch

import (
	"time"

	"golang.org/x/time/rate"

	"leadline/store"
)

const (
	// The endpoints of one host may belong to many accounts. Quick ones have slots of their own,
	// so that others of the same host do not delay them. An endpoint without a slot waits here:
	// waiting for a connection would count as time of its attempt.
	hostQuick = 16
	hostLate  = 4

	// Each host may get 60 attempts in any minute from endpoints that have not shown that they
	// want them: those that are pending and those whose last attempt failed. A host that accepts
	// events may get as many as there are.
	hostBurst = 30
	hostEvery = 2 * time.Second // a burst and what a minute adds are 60
)

// hosts limits attempts by host. It is not safe for concurrent use.
type hosts map[string]*host

// host is a host with its attempts in progress, and with the endpoints that wait for it.
type host struct {
	quick, late int           // attempts in progress, by lane
	limit       *rate.Limiter // of attempts at endpoints that are not trusted

	forQuick, forLate queue[*claim] // that wait for a slot
	forLimit          queue[*claim] // those that are not trusted
}

// trusted reports whether an endpoint has shown that it wants events.
func (c *claim) trusted() bool { return c.State == store.EndpointEnabled && !c.Health.Failing() }

// take takes a slot for an attempt at an endpoint. Without a free one it returns nil, and the
// endpoint waits for admit.
func (h hosts) take(c *claim, late bool, now time.Time) *host {
	this := h[c.host]
	if this == nil {
		this = &host{limit: rate.NewLimiter(rate.Every(hostEvery), hostBurst)}
		h[c.host] = this
	}
	slots, most, waiting := &this.quick, hostQuick, &this.forQuick
	if late {
		slots, most, waiting = &this.late, hostLate, &this.forLate
	}
	if *slots < most && (c.trusted() || this.limit.AllowN(now, 1)) {
		*slots++
		return this
	}
	if !c.trusted() {
		waiting = &this.forLimit
	}
	waiting.push(c)
	return nil
}

// admit returns endpoints that may try again to take a slot.
func (h *host) admit(now time.Time) []*claim {
	quick, late := max(hostQuick-h.quick, 0), max(hostLate-h.late, 0)
	list := h.forQuick.take(nil, quick)
	list = h.forLate.take(list, late)
	return h.forLimit.take(list, min(quick+late, int(h.limit.TokensAt(now))))
}

// admit returns endpoints of all hosts, and removes hosts without attempts in the last minute.
func (h hosts) admit(now time.Time) []*claim {
	var admitted []*claim
	for name, this := range h {
		admitted = append(admitted, this.admit(now)...)
		if this.idle(now) {
			delete(h, name)
		}
	}
	return admitted
}

// idle reports whether a host has nothing that must be remembered.
func (h *host) idle(now time.Time) bool {
	waiting := h.forQuick.len() + h.forLate.len() + h.forLimit.len()
	return h.quick+h.late+waiting == 0 && h.limit.TokensAt(now) >= hostBurst
}
