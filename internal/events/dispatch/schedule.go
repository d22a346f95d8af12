package dispatch

import (
	"math/rand/v2"
	"time"
)

// intervals are the times from a failed attempt of a delivery to the next one. After the last of
// them the delivery fails: ten attempts in 3.2 days.
var intervals = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// probes are the times from a failed attempt to the next one of any delivery, for endpoints whose
// deliveries all fail. The last one repeats.
var probes = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour,
}

const (
	jitter = 0.15 // part of an interval by which it is longer or shorter

	// furthest limits how far ahead anything is due. What is due later was written by a clock
	// that was ahead.
	furthest = 25 * time.Hour
)

// schedule computes due times. It is not safe for concurrent use.
type schedule struct{ random *rand.Rand }

// newSchedule returns a schedule whose jitter follows from a seed.
func newSchedule(seed uint64) schedule { return schedule{rand.New(rand.NewPCG(seed, 0))} }

// after returns the time an interval after now, with jitter. It is a whole second, since the
// store keeps no more, and never early.
func (s schedule) after(now time.Time, interval time.Duration) time.Time {
	factor := 1 + jitter*(2*s.random.Float64()-1)
	return wholeSecond(now.Add(min(time.Duration(factor*float64(interval)), furthest)))
}

// wholeSecond rounds a time up to a whole second.
func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

// retry returns when a delivery is due whose attempts have failed that often. more is false if
// all its attempts have.
func (s schedule) retry(failed int, now time.Time) (due time.Time, more bool) {
	if failed > len(intervals) {
		return time.Time{}, false
	}
	return s.after(now, intervals[max(failed, 1)-1]), true
}

// probe returns when an endpoint is probed next whose last pause lasted so long; 0 if there was
// none.
func (s schedule) probe(last time.Duration, now time.Time) time.Time {
	next := 0
	for next < len(probes)-1 && float64(last) >= float64(probes[next])*(1-jitter) {
		next++
	}
	return s.after(now, probes[next])
}
