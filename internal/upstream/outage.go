package upstream

import (
	"sync"
	"time"
)

const (
	// stillDown is the time between two log lines about one outage.
	stillDown = time.Hour
	// brief is the length up to which a second outage within stillDown of the
	// last log line is not logged: a provider of which one product fails all
	// day would otherwise have a line for each change (ours).
	brief = time.Minute
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
	silent := o.last.IsZero() || elapsed(o.last, now) >= stillDown
	if !silent && (o.logged || elapsed(o.since, now) < brief) {
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
		return stillDown
	}
	return to.Sub(from)
}

// noteOutcome logs how the provider does after a fetch.
func (c *Client) noteOutcome(q *question, f *failure) {
	log := c.config.Log.With("provider", c.config.Provider, "host", q.address.Host)
	switch {
	case f == nil:
		c.outage.recovered(func(since time.Time, failures int) {
			log.Info("provider is back", "since", since.UTC().Format(time.RFC3339), "failures", failures)
		})
	case f.ours:
	default:
		c.outage.failed(c.config.Now(), func(since time.Time, failures int) {
			message := "provider is down"
			if failures > 1 {
				message = "provider is still down"
			}
			log.Warn(message, "since", since.UTC().Format(time.RFC3339), "failures", failures,
				"path", q.address.Path, "said", f.said, "cause", f.cause)
		})
		log.Debug("provider failed", "path", q.address.Path, "said", f.said, "cause", f.cause)
	}
}

// noteSave logs whether the file of responses could be written.
func (c *Client) noteSave(err error) {
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
