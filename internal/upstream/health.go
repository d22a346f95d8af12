package upstream

import (
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// The states of a provider. There is no worse state: without the provider, Leadline still makes
// predictions and reports the missing parts.
const (
	Operational = "operational"
	Degraded    = "degraded"
)

// Health describes the state of a provider, for a status page.
type Health struct {
	Status    string        // Operational or Degraded
	CheckedAt time.Time     // of the last attempt (UTC); zero before the first
	Latency   time.Duration // of the last attempt
	Message   string        // for people
	Breaker   string        // closed, half-open or open: the worst of all hosts
}

// attempt is the result of the last request.
type attempt struct {
	at      time.Time
	took    time.Duration
	failure *failure
}

func (c *Client) record(at time.Time, took time.Duration, f *failure) {
	outcome := requestOK
	if f != nil {
		outcome = requestError
	}
	c.config.Observe(outcome, took)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !at.Before(c.last.at) {
		c.last = attempt{at, took, f}
	}
}

// Health returns the state of the provider by the last request to it, and sends none itself. The
// state is degraded if a breaker is not closed, if the last attempt failed, and offline.
func (c *Client) Health() Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := Health{Status: Degraded, Latency: c.last.took, Breaker: c.breaker().String()}
	if !c.last.at.IsZero() {
		h.CheckedAt = c.last.at.UTC().Round(0)
	}
	for _, host := range c.hosts {
		if f := host.refusal(time.Now()); f != nil {
			h.Message = c.config.Provider + " " + f.reason
			return h
		}
		if host.breaker.State() != gobreaker.StateClosed {
			h.Message = c.config.Provider + " is retried after it failed" +
				host.last.Load().because()
			return h
		}
	}
	switch {
	case c.config.Offline:
		h.Message = "no requests: started with --offline"
	case c.last.failure != nil:
		h.Message = c.config.Provider + " " + c.last.failure.reason
	case c.last.at.IsZero():
		h.Status, h.Message = Operational, "no request yet"
	default:
		h.Status, h.Message = Operational, "answers"
	}
	return h
}

// breaker returns the worst state of the breakers of all hosts. c.mu is held.
func (c *Client) breaker() gobreaker.State {
	worst := gobreaker.StateClosed // the states are in order: closed, half-open, open
	for _, host := range c.hosts {
		worst = max(worst, host.breaker.State())
	}
	return worst
}

const (
	// logInterval is the time between two log lines about one outage (ours).
	logInterval = time.Hour
	// minLogged is the length from which a second outage within logInterval of the last log line
	// is logged. A provider whose one product fails all day would otherwise have a line for each
	// change (ours).
	minLogged = time.Minute
)

// outage decides what is logged about something that fails and recovers: one line when it goes
// down, one an hour while it is down, and one when it is back. It is safe for concurrent use.
type outage struct {
	mu       sync.Mutex
	since    time.Time // of the first failure; zero while up
	logged   bool      // the outage has a line
	last     time.Time // of the last line about an outage
	failures int       // since then
}

// failed counts a failure. If a line is due, it calls write with the time of the first failure
// since the last success, and the number of failures.
func (o *outage) failed(now time.Time, write func(since time.Time, failures int)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since, o.failures, o.logged = now, 0, false
	}
	o.failures++
	silent := o.last.IsZero() || elapsed(o.last, now) >= logInterval
	if !silent && (o.logged || elapsed(o.since, now) < minLogged) {
		return
	}
	o.logged, o.last = true, now
	write(o.since, o.failures)
}

// recovered ends an outage. It calls write if the outage has a line.
func (o *outage) recovered(write func(since time.Time, failures int)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.logged && !o.since.IsZero() {
		write(o.since, o.failures)
	}
	o.since, o.logged = time.Time{}, false
}

// elapsed returns the time between two readings of the wall clock. If the clock was set back it
// returns logInterval: an additional line is better than none.
func elapsed(from, to time.Time) time.Duration {
	if to.Before(from) {
		return logInterval
	}
	return to.Sub(from)
}

// logOutcome logs the beginning, duration and end of an outage of the provider after a fetch.
func (c *Client) logOutcome(q *query, f *failure) {
	log := c.config.Log.With("provider", c.config.Provider, "host", q.address.Host)
	switch {
	case f == nil:
		c.outage.recovered(func(since time.Time, failures int) {
			log.Info("provider is back", "since", since.UTC().Format(time.RFC3339), "failures", failures)
		})
	case f.local:
	default:
		c.outage.failed(c.config.Now(), func(since time.Time, failures int) {
			message := "provider is down"
			if failures > 1 {
				message = "provider is still down"
			}
			log.Warn(message, "since", since.UTC().Format(time.RFC3339), "failures", failures,
				"path", q.address.Path, "reason", f.reason, "cause", f.cause)
		})
		log.Debug("provider failed", "path", q.address.Path, "reason", f.reason, "cause", f.cause)
	}
}

// logSave logs whether the cache file could be written.
func (c *Client) logSave(err error) {
	log := c.config.Log.With("file", c.config.File)
	if err == nil {
		c.unsaved.recovered(func(since time.Time, failures int) {
			log.Info("cache is saved again", "since", since.UTC().Format(time.RFC3339), "failures", failures)
		})
		return
	}
	c.unsaved.failed(c.config.Now(), func(since time.Time, failures int) {
		log.Warn("cache is not saved", "since", since.UTC().Format(time.RFC3339), "failures", failures,
			"error", err)
	})
}
