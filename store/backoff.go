package store

import (
	"log/slog"
	"time"
)

// Backoff spaces calls of a store that is down: after 1, 2, 4 ... 30 seconds. It is not safe for
// concurrent use.
type Backoff struct {
	Calls string // what the calls do, for the log

	failures int
	until    time.Time
}

// Failures returns the number of failed calls in a row.
func (b *Backoff) Failures() int { return b.failures }

// Until returns when the next call may be made after a failure.
func (b *Backoff) Until() time.Time { return b.until }

// Over reports whether calls may be made.
func (b *Backoff) Over() bool { return b.failures == 0 || !time.Now().Before(b.until) }

// Record takes the error of a call, and logs the beginning and the end of an outage.
func (b *Backoff) Record(log *slog.Logger, err error) {
	switch {
	case err == nil && b.failures == 0:
	case err == nil:
		log.Info("the store is available again", "to", b.Calls)
		b.failures = 0
	default:
		if b.failures == 0 {
			log.Error("the store is not available: retrying", "to", b.Calls, "error", err)
		}
		b.failures++
		b.until = time.Now().Add(min(time.Second<<min(b.failures-1, 5), 30*time.Second))
	}
}
