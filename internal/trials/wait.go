package trials

import (
	"testing"
	"time"
)

// patience limits the waiting for something that usually takes milliseconds. It is far longer than
// a busy machine needs: only a fault lets it end.
const patience = 2 * time.Minute

// WaitFor waits until something is so, and fails the test if it is not after two minutes. It is for
// what no clock of a test controls: connections, processes, goroutines outside of a bubble. It must
// be called from the goroutine of the test.
func WaitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	pause := time.Millisecond
	for end := time.Now().Add(patience); !so(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v there is still not %s", patience, what)
		}
		time.Sleep(pause)
	}
}

// Stopwatch measures how long something takes, for the figures of benchmarks, for ratios within one
// run, and for the log. No test compares its times with a constant.
type Stopwatch struct{ start time.Time }

// Start starts a stopwatch.
func Start() Stopwatch { return Stopwatch{time.Now()} }

// Elapsed returns the time since the start, by the monotonic clock.
func (s Stopwatch) Elapsed() time.Duration { return time.Since(s.start) }
