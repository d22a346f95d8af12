package events

import (
	"testing"
	"time"
)

// TestHosts checks that no minute has more than 60 attempts at a host, that those who wait take
// turns, and that hosts are forgotten.
func TestHosts(t *testing.T) {
	h := hosts{}
	now := noon
	var times []time.Time
	var order []*claim
	for range 100 {
		c := &claim{host: "a.example"}
		if h.take(c, now) {
			times = append(times, now)
		} else {
			order = append(order, c)
		}
	}
	if !h.take(&claim{host: "b.example"}, now) {
		t.Error("another host is limited too")
	}
	waited := len(order)
	for range 300 {
		now = now.Add(time.Second)
		for _, c := range h.admit(now) {
			if c != order[0] {
				t.Fatal("a later endpoint was admitted before an earlier one")
			}
			order = order[1:]
			times = append(times, now)
		}
	}
	if len(order) != 0 || waited == 0 || len(times) != 100 {
		t.Errorf("%d of %d still wait, %d attempts", len(order), waited, len(times))
	}
	for i := range times {
		if i+60 < len(times) && times[i+60].Sub(times[i]) < time.Minute {
			t.Errorf("61 attempts from %v to %v", times[i], times[i+60])
		}
	}
	if len(h) != 0 {
		t.Errorf("%d hosts are remembered, want 0", len(h))
	}
}
