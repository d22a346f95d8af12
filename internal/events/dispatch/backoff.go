package dispatch

import (
	"log/slog"
	"time"
)

// backoff spaces calls of a store that is down: after 1, 2, 4 ... 30 seconds.
type backoff struct {
	what     string // what the calls do, for the log
	failures int    // in a row
	until    time.Time
}

// over reports whether calls may be made.
func (b *backoff) over() bool { return b.failures == 0 || !time.Now().Before(b.until) }

// record takes the error of a call, and logs the beginning and the end of an outage.
func (b *backoff) record(log *slog.Logger, err error) {
	switch {
	case err == nil && b.failures == 0:
	case err == nil:
		log.Info("the store is available again", "to", b.what)
		b.failures = 0
	default:
		if b.failures == 0 {
			log.Error("the store is not available: retrying", "to", b.what, "error", err)
		}
		b.failures++
		b.until = time.Now().Add(min(time.Second<<min(b.failures-1, 5), 30*time.Second))
	}
}
