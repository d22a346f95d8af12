package limit

import (
	"time"
)

// buckets is the number of seconds in a window: the current one and the sixty before it, so
// that no 60 seconds contain more requests than the limit. With sixty buckets, twice the limit
// could pass within slightly more than 59 seconds.
const buckets = 61

// window counts the requests of the last minute, second by second, on a monotonic clock. With a
// clock that goes back, the window would not advance.
type window struct {
	counts [buckets]uint16
	sum    int32
	last   int64 // the newest second
}

// turn advances the window to the second now.
func (w *window) turn(now int64) {
	if now-w.last >= buckets {
		*w = window{last: now}
		return
	}
	for w.last < now {
		w.last++
		oldest := &w.counts[w.last%buckets]
		w.sum -= int32(*oldest)
		*oldest = 0
	}
}

// take counts a request and returns true if fewer than limit requests are counted. A refused
// request is not counted, so that a client that retries constantly can recover.
func (w *window) take(now int64, limit int) bool {
	w.turn(now)
	if int(w.sum) >= limit {
		return false
	}
	w.counts[w.last%buckets]++
	w.sum++
	return true
}

// left returns the number of remaining requests, and the second at which the oldest counted
// request leaves the window.
func (w *window) left(now int64, limit int) (remaining int, reset int64) {
	w.turn(now)
	remaining = max(0, limit-int(w.sum))
	if w.sum > 0 {
		for s := max(0, w.last-buckets+1); s < w.last; s++ {
			if w.counts[s%buckets] > 0 {
				return remaining, s + buckets
			}
		}
	}
	return remaining, w.last + buckets
}

// idle reports whether no requests are counted in the window.
func (w *window) idle(now int64) bool { return w.sum == 0 || now-w.last >= buckets }

// second returns the second of a time of the monotonic clock.
func second(now time.Duration) int64 { return int64(now / time.Second) }

// until returns the time from elapsed to a second of the same clock.
func until(second int64, elapsed time.Duration) time.Duration {
	return time.Duration(second)*time.Second - elapsed
}

// MostPerMinute is the largest rate limit that the counters of a window support.
const MostPerMinute = 1<<16 - 1
