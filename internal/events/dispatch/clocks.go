package dispatch

import (
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	// mostClockError limits the difference between the clock of a receiver and ours. Receivers refuse
	// signatures that are older than five minutes.
	mostClockError = 2 * time.Minute

	// disagreeing is the number of hosts in a row whose clocks differ until ours is in doubt.
	disagreeing = 5
)

// clockCheck compares our clock with the Date headers of responses. Only doubted may be called
// from other goroutines.
type clockCheck struct {
	log     *slog.Logger
	differ  map[string]bool // hosts since the last one that agreed
	inDoubt atomic.Bool
}

func newClockCheck(log *slog.Logger) *clockCheck {
	return &clockCheck{log: log, differ: map[string]bool{}}
}

// doubted reports whether our clock is in doubt.
func (c *clockCheck) doubted() bool { return c.inDoubt.Load() }

// see takes the Date header of a response that arrived at now. The zero time is no header.
func (c *clockCheck) see(host string, date, now time.Time) {
	if date.IsZero() {
		return
	}
	difference := now.Sub(date)
	if difference.Abs() <= mostClockError {
		clear(c.differ)
		c.inDoubt.Store(false)
		return
	}
	if c.inDoubt.Load() {
		return
	}
	c.differ[host] = true
	if len(c.differ) == disagreeing {
		c.inDoubt.Store(true)
		c.log.Warn("the clock of this machine differs from those of receivers, which will refuse "+
			"events: set it", "receivers", disagreeing, "ahead", difference.Round(time.Second))
	}
}
