package dispatch

import (
	"testing"
	"time"

	"leadline/internal/trials"
)

// within reports whether a time is an interval after another, with jitter and rounded up.
func within(start, got time.Time, interval time.Duration) bool {
	after := got.Sub(start)
	return after >= interval*85/100 && after <= interval*115/100+time.Second
}

// TestRetry checks the ten attempts: after 5 s, 5 min, 30 min and 2, 5, 10, 14, 20 and 24 h.
func TestRetry(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 250e6, time.UTC)
	for seed := range uint64(trials.Cases()) {
		s := newSchedule(seed)
		for i, seconds := range []int{5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400} {
			due, more := s.retry(i+1, now)
			interval := time.Duration(seconds) * time.Second
			if !more || !within(now, due, interval) || due.Nanosecond() != 0 {
				t.Fatalf("retry(%d) = %v, %v, want a whole second after %v", i+1, due, more, interval)
			}
			if due.Sub(now) > furthest+time.Second {
				t.Fatalf("retry(%d) = %v: ClampDue would move it", i+1, due)
			}
		}
		if due, more := s.retry(10, now); more {
			t.Fatalf("retry(10) = %v, want no more", due)
		}
	}
}

// TestJitter checks that due times differ in both directions.
func TestJitter(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := newSchedule(1)
	earlier, later := 0, 0
	for range 1000 {
		due := s.after(now, time.Hour)
		if due.Before(now.Add(time.Hour)) {
			earlier++
		}
		if due.After(now.Add(time.Hour)) {
			later++
		}
	}
	if earlier < 400 || later < 400 {
		t.Errorf("%d earlier, %d later, want about 500 each", earlier, later)
	}
}

// TestProbe checks that pauses grow from 5 s to an hour with every jitter.
func TestProbe(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for seed := range uint64(trials.Cases()) {
		s := newSchedule(seed)
		last := time.Duration(0)
		for i, seconds := range []int{5, 30, 120, 600, 1800, 3600, 3600, 3600} {
			at := s.probe(last, now)
			if interval := time.Duration(seconds) * time.Second; !within(now, at, interval) {
				t.Fatalf("seed %d, probe %d after a pause of %v: %v, want %v", seed, i, last,
					at.Sub(now), interval)
			}
			last = at.Sub(now)
		}
	}
}

func TestWholeSecond(t *testing.T) {
	whole := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ in, want time.Time }{
		{whole, whole},
		{whole.Add(1), whole.Add(time.Second)},
		{whole.Add(-1), whole},
		{time.Time{}, time.Time{}},
	} {
		if got := wholeSecond(test.in); !got.Equal(test.want) {
			t.Errorf("wholeSecond(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}
