package upstream

import (
	"time"

	"github.com/sony/gobreaker/v2"
)

// The states of a provider. There is no worse one: without it Leadline still
// predicts, and says what is missing.
const (
	Operational = "operational"
	Degraded    = "degraded"
)

// Health is how a provider does, for a status page.
type Health struct {
	Status    string        // Operational or Degraded
	CheckedAt time.Time     // of the last attempt (UTC); zero where it was never asked
	Latency   time.Duration // of the last attempt
	Message   string        // for a person
	Breaker   string        // closed, half-open or open: the worst of its hosts'
}

// attempt is how the last one went.
type attempt struct {
	at      time.Time
	took    time.Duration
	failure *failure
}

func (c *Client) record(at time.Time, took time.Duration, f *failure) {
	outcome := toldOK
	if f != nil {
		outcome = toldError
	}
	c.config.Observe(outcome, took)
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.last.at) {
		c.last = attempt{at, took, f}
	}
}

// Health says how the provider does by what it was last asked. It asks
// nothing: a status page costs the provider nothing. It is degraded when its
// breaker is not closed, when the last attempt failed, and offline.
func (c *Client) Health() Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := Health{Status: Degraded, Latency: c.last.took, Breaker: c.breaker().String()}
	if !c.last.at.IsZero() {
		h.CheckedAt = c.last.at.UTC().Round(0)
	}
	for _, host := range c.hosts {
		if f := host.rests(time.Now()); f != nil {
			h.Message = c.config.Provider + " " + f.said
			return h
		}
		if host.breaker.State() != gobreaker.StateClosed {
			h.Message = c.config.Provider + " is tried again after it failed"
			return h
		}
	}
	switch {
	case c.config.Offline:
		h.Message = "not asked: started with --offline"
	case c.last.failure != nil:
		h.Message = c.config.Provider + " " + c.last.failure.said
	case c.last.at.IsZero():
		h.Status, h.Message = Operational, "not asked yet"
	default:
		h.Status, h.Message = Operational, "answers"
	}
	return h
}

// breaker is the worst state of the hosts' breakers. c.mu is held.
func (c *Client) breaker() gobreaker.State {
	worst := gobreaker.StateClosed // which are in order: closed, half open, open
	for _, host := range c.hosts {
		worst = max(worst, host.breaker.State())
	}
	return worst
}
