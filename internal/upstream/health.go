package upstream

import (
	"sync"
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
	outcome := requestOK
	if f != nil {
		outcome = requestError
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
		if f := host.refusal(time.Now()); f != nil {
			h.Message = c.config.Provider + " " + f.reason
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
		h.Message = c.config.Provider + " " + c.last.failure.reason
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

const (
	// stillDown is the time between two log lines about one outage.
	logInterval = time.Hour
	// brief is the length up to which a second outage within stillDown of the
	// last log line is not logged: a provider of which one product fails all
	// day would otherwise have a line for each change (ours).
	minLogged = time.Minute
)

// outage decides what is logged about something that fails and recovers: a
// line when it goes down, one when it is back, and one an hour between. It is
// safe for use by several goroutines.
type outage struct {
	mu       sync.Mutex
	since    time.Time // of the first failure; zero while up
	logged   bool      // the outage has a line
	last     time.Time // of the last line about an outage
	failures int       // since since
}

// failed counts a failure. It calls write with the time since which there
// have been failures alone, and their number, if a line is due.
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

// elapsed is the time from one reading of the wall clock to another. A clock
// that was set back has elapsed: a line too many is better than silence.
func elapsed(from, to time.Time) time.Duration {
	if to.Before(from) {
		return logInterval
	}
	return to.Sub(from)
}

// noteOutcome logs how the provider does after a fetch.
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
				"path", q.address.Path, "said", f.reason, "cause", f.cause)
		})
		log.Debug("provider failed", "path", q.address.Path, "said", f.reason, "cause", f.cause)
	}
}

// noteSave logs whether the file of responses could be written.
func (c *Client) logSave(err error) {
	log := c.config.Log.With("file", c.config.File)
	if err == nil {
		c.unsaved.recovered(func(since time.Time, failures int) {
			log.Info("cache is saved again", "since", since.UTC().Format(time.RFC3339), "failures", failures)
		})
		return
	}
	c.unsaved.failed(c.config.Now(), func(since time.Time, failures int) {
		log.Warn("cache is not saved", "since", since.UTC().Format(time.RFC3339), "failures", failures, "error", err)
	})
}
