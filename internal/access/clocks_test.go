package access_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/trials"
	"leadline/store"
)

// clocks has a wall clock that can be set and a monotonic clock that cannot.
type clocks struct {
	wall    *clock
	elapsed time.Duration
}

func (c *clocks) add(d time.Duration) {
	c.wall.add(d)
	c.elapsed += d
}

// newClocks returns a gate with its own clocks on the store of another gate.
func newClocks(g *accesstest.Gate) (endpoint, *clocks) {
	c := &clocks{wall: newClock(noon.Add(400 * time.Millisecond)), elapsed: 1234 * time.Millisecond}
	monotonic := func() time.Duration { return c.elapsed }
	gate := accesstest.OnClocks(g.Store, access.BuiltIn(), c.wall.now, monotonic)
	return endpoint{gate, limit.REST, data, 200}, c
}

// TestWallClockSteps checks that setting the wall clock back or forward does not change the
// rate limit: the same number of requests in 60 seconds, and a wait of at most 61 seconds.
func TestWallClockSteps(t *testing.T) {
	g := accesstest.New(t, access.BuiltIn(), accesstest.Now)
	for _, step := range []time.Duration{-time.Hour, -time.Second, time.Minute, 24 * time.Hour} {
		d, c := newClocks(g)
		for range 30 {
			if w := d.send(request("192.0.2.1:1")); w.Code != 200 {
				t.Fatalf("%v: status %d before the limit", step, w.Code)
			}
		}
		c.add(10 * time.Second)
		c.wall.add(step)
		w := d.send(request("192.0.2.1:1"))
		// The requests were counted in second 1 and leave the window at second 62, which is
		// 50.766 s after 11.234 s.
		if w.Code != 429 || code(w) != coast.RateLimited || figure(t, w, "Retry-After") != 51 {
			t.Errorf("%v: %d, Retry-After %s, want 429, 51", step, w.Code, w.Header().Get("Retry-After"))
		}
		want := int(c.wall.now().Add(50766*time.Millisecond).Unix()) + 1
		if got := figure(t, w, "X-RateLimit-Reset"); got != want {
			t.Errorf("%v: X-RateLimit-Reset = %d, want %d", step, got, want)
		}
		c.add(50766 * time.Millisecond)
		if w := d.send(request("192.0.2.1:1")); w.Code != 200 {
			t.Errorf("%v: %d after the wait", step, w.Code)
		}
	}
}

// TestAnyWallClock checks the same for random steps of the wall clock: exactly 30 requests are
// served in any 60 seconds, and no wait exceeds 61 seconds.
func TestAnyWallClock(t *testing.T) {
	t.Parallel()
	const limit = 30
	g := accesstest.New(t, access.BuiltIn(), accesstest.Now)
	for seed := range uint64(trials.Cases()) {
		r := rand.New(rand.NewPCG(seed, 8))
		d, c := newClocks(g)
		var served []time.Duration
		for range 150 {
			c.add(time.Duration(r.Int64N(int64(2 * time.Second))))
			if r.IntN(5) == 0 {
				c.wall.add(time.Duration(r.Int64N(int64(96*time.Hour))) - 48*time.Hour)
			}
			w := d.send(request("192.0.2.1:1"))
			wall := int(c.wall.now().Unix())
			reset := figure(t, w, "X-RateLimit-Reset")
			if reset < wall || reset > wall+62 {
				t.Fatalf("seed %d: X-RateLimit-Reset is %d s from now", seed, reset-wall)
			}
			switch w.Code {
			case 200:
				served = append(served, c.elapsed)
			case 429:
				if wait := figure(t, w, "Retry-After"); wait < 1 || wait > 61 {
					t.Fatalf("seed %d: Retry-After %d", seed, wait)
				}
			default:
				t.Fatalf("seed %d: %d", seed, w.Code)
			}
		}
		for i := limit; i < len(served); i++ {
			if span := served[i] - served[i-limit]; span < time.Minute {
				t.Fatalf("seed %d: %d requests within %v", seed, limit+1, span)
			}
		}
		if len(served) < 2*limit {
			t.Errorf("seed %d: %d served in about two and a half minutes", seed, len(served))
		}
	}
}

// TestMonthAfterStepBack checks that a wall clock that steps across the end of a month and back
// does not serve any quota twice, even with restarts in between.
func TestMonthAfterStepBack(t *testing.T) {
	t.Parallel()
	const limit = 40
	plans := `{"free": {"perMonth": 40, "perMinute": 65535}}`
	december := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for seed := range uint64(trials.Cases() / 20) {
		r := rand.New(rand.NewPCG(seed, 12))
		c := newClock(december.Add(-time.Second))
		d := newEndpoint(t, c, plans)
		account := d.Account(t, access.Free)
		key := d.Key(t, account)
		served := 0
		for range 400 {
			if d.withKey(key).Code == 200 {
				served++
			}
			if r.IntN(10) == 0 {
				c.set(december.Add(time.Duration(r.IntN(3)-1) * time.Second))
			}
			if r.IntN(40) == 0 {
				d.Close()
				d.Gate.Gate = accesstest.On(d.Store, readPlans(t, plans), c.now).Gate
				d.Keys.Invalidate([]store.Change{{}})
			}
		}
		d.Close()
		months, err := d.Store.Months(t.Context(), account)
		total := uint64(0)
		for _, m := range months {
			if total += m.Units; m.Units > limit {
				t.Errorf("seed %d: %d units in %d, want at most %d", seed, m.Units, m.Month, limit)
			}
		}
		if err != nil || uint64(served) != total || served < limit {
			t.Errorf("seed %d: %d served, %d counted, %v", seed, served, total, err)
		}
	}
}
