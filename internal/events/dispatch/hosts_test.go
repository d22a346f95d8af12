package dispatch

import (
	"fmt"
	"testing"
	"time"

	"leadline/store"
)

// TestHosts checks that no minute has more than 60 attempts at endpoints of a host that fail, that
// those who wait take turns, and that hosts are removed.
func TestHosts(t *testing.T) {
	h := hosts{}
	now := noon
	var times []time.Time
	waiting := 0
	attempt := func(c *claim) {
		if _, slots := h.take(c, now); slots != nil {
			times = append(times, now)
			slots.used--
		} else {
			waiting++
		}
	}
	for n := range 100 {
		c := &claim{host: "a.example"}
		c.ID, c.State = fmt.Sprint(n), store.EndpointPending
		attempt(c)
	}
	_, slots := h.take(&claim{host: "b.example"}, now)
	if slots == nil {
		t.Fatal("another host is limited too")
	}
	slots.used--
	if waiting == 0 {
		t.Error("no endpoint waits")
	}
	for range 300 {
		now = now.Add(time.Second)
		for _, c := range h.admit(now) {
			if want := fmt.Sprint(len(times)); c.ID != want {
				t.Fatalf("endpoint %s was admitted, want %s", c.ID, want)
			}
			waiting--
			attempt(c)
		}
	}
	if waiting != 0 || len(times) != 100 {
		t.Errorf("%d still wait, %d attempts, want 0 and 100", waiting, len(times))
	}
	for i := range times {
		if i+60 < len(times) && times[i+60].Sub(times[i]) < time.Minute {
			t.Errorf("61 attempts from %v to %v", times[i], times[i+60])
		}
	}
	if len(h) != 0 {
		t.Errorf("%d hosts remain, want 0", len(h))
	}
}
