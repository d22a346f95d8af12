package access_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/access/outage"
	"leadline/store"
)

// far is a store each of whose calls takes a time, as those of a database in another region.
type far struct {
	store.Store
	takes   atomic.Int64 // nanoseconds
	calls   atomic.Int64
	lookups atomic.Int64 // calls of KeyByHash
}

// call waits until the response of a call may be there.
func (s *far) call(ctx context.Context) error {
	s.calls.Add(1)
	select {
	case <-time.After(time.Duration(s.takes.Load())):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *far) KeyByHash(
	ctx context.Context, hash [32]byte,
) (k store.Key, a store.Account, err error) {
	s.lookups.Add(1)
	if err := s.call(ctx); err != nil {
		return k, a, err
	}
	return s.Store.KeyByHash(ctx, hash)
}

func (s *far) Usage(ctx context.Context, account string, month store.Month) (uint64, error) {
	if err := s.call(ctx); err != nil {
		return 0, err
	}
	return s.Store.Usage(ctx, account, month)
}

func (s *far) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64, notices ...store.Notice,
) (uint64, uint64, error) {
	if err := s.call(ctx); err != nil {
		return 0, 0, err
	}
	return s.Store.Reserve(ctx, account, month, n, limit, notices...)
}

func (s *far) Return(ctx context.Context, account string, month store.Month, n uint64) error {
	if err := s.call(ctx); err != nil {
		return err
	}
	return s.Store.Return(ctx, account, month, n)
}

func (s *far) Shares(
	ctx context.Context, id string, list []store.ShareRequest,
) ([]store.Share, error) {
	if err := s.call(ctx); err != nil {
		return nil, err
	}
	return s.Store.Shares(ctx, id, list)
}

// farAway is the round trip of a far store.
const farAway = 200 * time.Millisecond

// inFarBubble calls f in a bubble with an endpoint on a far store and the usual StoreTimeout.
// With shared, rate limits are those of several instances.
func inFarBubble(t *testing.T, shared bool, f func(t *testing.T, d endpoint, s *far)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		real := accesstest.New(t, access.BuiltIn(), time.Now)
		s := &far{Store: real.Store}
		g := accesstest.OnConfig(real.Store, access.BuiltIn(), time.Now, func(c *access.Config) {
			c.Store, c.StoreTimeout = s, outage.Timeout
			c.Keys = credential.NewKeys(s, credential.Pepper{1}, time.Now)
			if shared {
				c.Fleet = member{s, "a"}
			}
		})
		if _, err := real.Store.Enroll(t.Context(), store.Instance{ID: "a"}); err != nil {
			t.Fatal(err)
		}
		f(t, endpoint{g, limit.REST, data, http.StatusOK}, s)
	})
}

// burst sends n requests with each key at once, and counts their statuses.
func (d endpoint) burst(n int, keys ...string) map[int]int {
	var mu sync.Mutex
	statuses := map[int]int{}
	var callers sync.WaitGroup
	for range n {
		for _, key := range keys {
			callers.Go(func() {
				status := d.withKey(key).Code
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
	}
	callers.Wait()
	return statuses
}

// TestStoreIsFar checks that bursts of accounts whose keys are known are served if the store is
// 200 ms away, no more than is reserved, and that unspent units are returned.
func TestStoreIsFar(t *testing.T) {
	for _, c := range []struct {
		name        string
		plan        access.Tier
		shared      bool
		callers     int
		each, calls int // requests of a caller at once, and how often
	}{
		{"one", access.Pro, false, 1, 250, 4},
		{"one, all at once", access.Pro, false, 1, 1000, 1},
		{"many", access.Free, false, 20, 50, 1},
		{"one of several instances", access.Pro, true, 1, 250, 4},
		{"one of several instances, all at once", access.Pro, true, 1, 1000, 1},
		{"many, one of several instances", access.Free, true, 20, 50, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFarBubble(t, c.shared, func(t *testing.T, d endpoint, s *far) {
				accounts, keys := d.Callers(t, c.callers, c.plan)
				d.burst(1, keys...) // makes the keys known
				s.takes.Store(int64(farAway))
				began := time.Now()
				for range c.calls {
					if got := d.burst(c.each, keys...); got[200] != c.each*c.callers {
						t.Errorf("statuses %v, want %d times 200", got, c.each*c.callers)
					}
				}
				t.Logf("%v of the bubble's time", time.Since(began))
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				for _, a := range accounts {
					used, err := d.Store.Usage(t.Context(), a, store.MonthOf(time.Now()))
					if want := uint64(1 + c.each*c.calls); err != nil || used != want {
						t.Errorf("%s: %d units are used, %v, want %d", a, used, err, want)
					}
				}
			})
		})
	}
}

// TestFetchedAhead checks that no request waits for the store if an account sends as many as its
// rate limit allows, evenly: leases and shares are fetched before they are used up.
func TestFetchedAhead(t *testing.T) {
	for _, shared := range []bool{false, true} {
		inFarBubble(t, shared, func(t *testing.T, d endpoint, s *far) {
			_, keys := d.Callers(t, 1, access.Pro)
			d.burst(100, keys...) // the first leases are small
			d.burst(1, keys...)   // a burst may leave few units, and begins a refill then
			synctest.Wait()
			s.takes.Store(int64(farAway))
			for n := range 1000 {
				time.Sleep(25 * time.Millisecond)
				began := time.Now()
				status := d.withKey(keys[0]).Code
				if took := time.Since(began); status != 200 || took > 0 {
					t.Errorf("shared %v: request %d: %d after %v, want 200 at once", shared, n, status, took)
					break
				}
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestUnknownKeyIsReadOnce checks that requests with a key that is not known share one read.
func TestUnknownKeyIsReadOnce(t *testing.T) {
	inFarBubble(t, false, func(t *testing.T, d endpoint, s *far) {
		_, keys := d.Callers(t, 1, access.Pro)
		s.takes.Store(int64(farAway))
		if got := d.burst(100, keys...); got[200] != 100 {
			t.Errorf("statuses %v, want 100 times 200", got)
		}
		if got := s.lookups.Load(); got != 1 {
			t.Errorf("the key was read %d times, want once", got)
		}
		_, keys = d.Callers(t, 1, access.Pro)
		s.takes.Store(int64(2 * outage.Timeout))
		if got := d.burst(100, keys...); got[503] != 100 {
			t.Errorf("a store too slow for them: statuses %v, want 100 times 503", got)
		}
		time.Sleep(time.Second)
		if got := d.burst(100, keys...); got[200] != 100 {
			t.Errorf("once the key is read: statuses %v, want 100 times 200", got)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestExhaustedWithoutStore checks that an account whose month is used up is refused with 429
// without a call of the store for each request, also if the store is gone.
func TestExhaustedWithoutStore(t *testing.T) {
	for _, shared := range []bool{false, true} {
		inFarBubble(t, shared, func(t *testing.T, d endpoint, s *far) {
			accounts, keys := d.Callers(t, 1, access.Free)
			month := store.MonthOf(time.Now())
			if _, _, err := d.Store.Reserve(t.Context(), accounts[0], month, 9_999, 10_000); err != nil {
				t.Fatal(err)
			}
			s.takes.Store(int64(farAway))
			if got := d.burst(100, keys...); got[200] != 1 || got[429] != 99 {
				t.Errorf("shared %v: statuses %v, want one 200 and 99 times 429", shared, got)
			}
			time.Sleep(time.Second) // what runs in the background ends
			before := s.calls.Load()
			s.takes.Store(int64(time.Hour))
			for range 10 {
				if got := d.burst(100, keys...); got[429] != 100 {
					t.Errorf("shared %v: without the store %v, want 100 times 429", shared, got)
				}
				time.Sleep(20 * time.Second)
			}
			// Shares are asked for in the background, at most once a second.
			if n := s.calls.Load() - before; !shared && n > 0 || n > 200 {
				t.Errorf("shared %v: 1,000 refused requests made %d calls", shared, n)
			}
			s.takes.Store(0)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestStoreIsGone checks how long requests wait for a store that does not respond any more: the
// first ones longer than those after them, until it responds again.
func TestStoreIsGone(t *testing.T) {
	for _, shared := range []bool{false, true} {
		inFarBubble(t, shared, func(t *testing.T, d endpoint, s *far) {
			_, keys := d.Callers(t, 1, access.Pro)
			timed := func() (time.Duration, int) {
				began := time.Now()
				status := d.withKey(keys[0]).Code
				return time.Since(began), status
			}
			d.burst(1, keys...)
			s.takes.Store(int64(time.Hour))
			d.burst(1000, keys...)
			if took, status := timed(); status != 503 || took != outage.Timeout {
				t.Errorf("shared %v: %d after %v, want 503 after %v", shared, status, took,
					outage.Timeout)
			}
			s.takes.Store(0)
			time.Sleep(20 * time.Second) // the calls that hang end
			d.burst(1, keys...)
			s.takes.Store(int64(farAway))
			if got := d.burst(200, keys...); got[200] != 200 {
				t.Errorf("shared %v: afterwards %v, want 200 times 200", shared, got)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestLeasesAreReturnedFar checks that a gate that is closed returns the units of many accounts at
// the same time.
func TestLeasesAreReturnedFar(t *testing.T) {
	inFarBubble(t, false, func(t *testing.T, d endpoint, s *far) {
		accounts, keys := d.Callers(t, 200, access.Free)
		d.burst(1, keys...)
		s.takes.Store(int64(farAway))
		began := time.Now()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 20*farAway {
			t.Errorf("200 accounts took %v, want at most 20 round trips of %v", took, farAway)
		}
		for _, a := range accounts {
			used, err := d.Store.Usage(t.Context(), a, store.MonthOf(time.Now()))
			if err != nil || used != 1 {
				t.Errorf("%s: %d units are used, %v, want 1", a, used, err)
			}
		}
	})
}
