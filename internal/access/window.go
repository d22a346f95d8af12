package access

// buckets are the seconds that a window holds: the running one and the sixty
// before it, so that no 60 seconds, wherever they start, hold more than the
// limit. Sixty would let twice the limit through in 59 seconds and a bit.
const buckets = 61

// window counts the requests of the last minute, second by second. Its seconds are those of a
// monotonic clock; one that went back would stand still here.
type window struct {
	counts [buckets]uint16
	sum    int32
	last   int64 // the newest second
}

// turn moves the window on to the second now.
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

// take counts a request, unless limit requests are counted: one that is
// refused is not, else a client that hammers would never recover.
func (w *window) take(now int64, limit int) bool {
	w.turn(now)
	if int(w.sum) >= limit {
		return false
	}
	w.counts[w.last%buckets]++
	w.sum++
	return true
}

// left returns how many requests are left, and the second at which there is
// one more: the oldest counted one leaves the window then.
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

// idle reports whether nothing is counted any more.
func (w *window) idle(now int64) bool { return w.sum == 0 || now-w.last >= buckets }
