package session

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	limit := NewThrottle(time.Minute, 3, func() time.Time { return now })
	take := func(key string, want time.Duration) {
		t.Helper()
		if wait, ok := limit.Take(key); wait.Round(time.Millisecond) != want || ok != (want == 0) {
			t.Errorf("take(%q) = %v, %v, want %v", key, wait, ok, want)
		}
	}
	for range 3 {
		take("a", 0)
	}
	take("a", time.Minute)
	take("a", time.Minute) // refused attempts do not count
	take("b", 0)
	now = now.Add(20 * time.Second)
	take("a", 40*time.Second)
	now = now.Add(-time.Hour) // a clock that is set back does not allow more attempts
	take("a", time.Minute)
	now = now.Add(time.Hour + 40*time.Second)
	take("a", 0)
	take("a", time.Minute)
}

// TestThrottleIsBounded floods a throttle. Its size must stay limited, new keys
// must share the remaining limiters, keys from before the flood must not be
// affected, and the throttle must recover.
func TestThrottleIsBounded(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	limit := NewThrottle(time.Minute, 2, func() time.Time { return now })
	limit.Take("before")
	through := 0
	for i := range 3 * maxKeys {
		if _, ok := limit.Take(strconv.Itoa(i)); ok {
			through++
		}
	}
	if want := maxKeys - 1 + 2; len(limit.keys) != maxKeys || through != want {
		t.Errorf("%d keys are kept and %d got through, want %d and %d",
			len(limit.keys), through, maxKeys, want)
	}
	if _, ok := limit.Take("before"); !ok {
		t.Error("a key from before the flood is refused")
	}
	now = now.Add(time.Hour)
	limit.Take("after")
	if got := len(limit.keys); got != 1 {
		t.Errorf("%d keys are kept an hour later, want 1", got)
	}
}

// TestThrottleByNetwork checks that a flood from one network does not affect
// other networks.
func TestThrottleByNetwork(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	limit := NewThrottle(time.Minute, 2, func() time.Time { return now })
	for i := range 2 * maxKeys {
		limit.Take(fmt.Sprintf("2001:db8:1:%x::", i))
	}
	for _, other := range []string{"192.0.2.7", "2001:db8:2::"} {
		for try := range 3 {
			if _, ok := limit.Take(other); ok != (try < 2) {
				t.Errorf("%s, try %d: let through %v", other, try, ok)
			}
		}
	}
	if _, ok := limit.Take("192.0.2.200"); ok {
		t.Error("an address has more than is left of its network's share")
	}
}
