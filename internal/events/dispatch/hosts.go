package dispatch

import (
	"time"

	"golang.org/x/time/rate"

	"leadline/store"
)

const (
	// The endpoints of one host may belong to many accounts. Quick ones have slots of their own, so
	// have those that fail and those that hang, so that none delay the others. An endpoint without
	// a slot waits here: waiting for a connection would count as time of its attempt.
	hostQuick   = 16
	hostFailing = 4
	hostHanging = 4

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
	slots [3]slots      // by class
	limit *rate.Limiter // of attempts at endpoints that are not trusted
	turn  int           // the class that is first for the limit
}

// The classes of endpoints, by their last attempt.
const (
	classQuick   = iota
	classFailing // failed
	classHanging // took longer than fastFor
)

// slots are those of one class of endpoints at a host.
type slots struct {
	most, used int
	waiting    queue[*claim] // for a slot
	limited    queue[*claim] // for the limit: those that are not trusted
}

func newHost() *host {
	h := &host{limit: rate.NewLimiter(rate.Every(hostEvery), hostBurst)}
	for class, most := range []int{hostQuick, hostFailing, hostHanging} {
		h.slots[class].most = most
	}
	return h
}

// free returns the number of free slots. More may be used than there are: attempts that begin to
// hang take the slots of their new class.
func (s *slots) free() int { return max(s.most-s.used, 0) }

// of returns the slots for the class of an endpoint.
func (h *host) of(c *claim) *slots {
	switch {
	case c.slow, c.hanging > 0:
		return &h.slots[classHanging]
	case c.Health.Failing():
		return &h.slots[classFailing]
	}
	return &h.slots[classQuick]
}

// trusted reports whether an endpoint has shown that it wants events.
func (c *claim) trusted() bool { return c.State == store.EndpointEnabled && !c.Health.Failing() }

// take takes a slot for an attempt at an endpoint. Without a free one it returns nil, and the
// endpoint waits for admit.
func (h hosts) take(c *claim, now time.Time) (*host, *slots) {
	this := h[c.host]
	if this == nil {
		this = newHost()
		h[c.host] = this
	}
	s := this.of(c)
	switch {
	case s.free() > 0 && (c.trusted() || this.limit.AllowN(now, 1)):
		s.used++
		return this, s
	case c.trusted():
		s.waiting.push(c)
	default:
		s.limited.push(c)
	}
	return nil, nil
}

// admit returns endpoints that may try again to take a slot. The classes take turns in using the
// limit.
func (h *host) admit(now time.Time) (list []*claim) {
	tokens := int(h.limit.TokensAt(now))
	for i := range h.slots {
		s := &h.slots[(h.turn+i)%len(h.slots)]
		list = s.waiting.take(list, s.free())
		trusted := len(list)
		list = s.limited.take(list, min(s.free(), tokens))
		tokens -= len(list) - trusted
	}
	h.turn = (h.turn + 1) % len(h.slots)
	return list
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
	for i := range h.slots {
		if s := &h.slots[i]; s.used+s.waiting.len()+s.limited.len() > 0 {
			return false
		}
	}
	return h.limit.TokensAt(now) >= hostBurst
}
