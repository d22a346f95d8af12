package access_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/edge"
	"leadline/store"
)

// during sends a request with a key. It calls the function between after Admit, and the
// function after when Spend has returned.
func (d endpoint) during(
	t *testing.T, key string, between, after func(), status int,
) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.Admit(r, d.need); err != nil {
			t.Error(err)
		}
		between()
		if err := d.Spend(r.Context()); err != nil {
			t.Error(err)
		}
		after()
		w.WriteHeader(status)
	})).ServeHTTP(w, request("192.0.2.1:1", "x-api-key", key))
	return w
}

// TestRequestsAcrossMonths checks that requests that began before midnight are not charged to
// the previous month. December serves its whole quota, and the usage of November does not
// change.
func TestRequestsAcrossMonths(t *testing.T) {
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	c := newClock(end.Add(-time.Nanosecond))
	d := newEndpoint(t, c, `{"free": {"perMonth": 400, "perMinute": 65535}}`)
	account := d.Account(t, access.Free)
	key := d.Key(t, account)
	d.withKey(key)
	december := 0
	for range 10 {
		c.set(end.Add(-time.Nanosecond))
		d.during(t, key, func() {
			c.set(end)
			if d.withKey(key).Code == 200 {
				december++
			}
		}, func() { december++ }, 200)
	}
	for d.withKey(key).Code == 200 {
		december++
	}
	if december != 400 {
		t.Errorf("December served %d of 400", december)
	}
	d.Close()
	months, err := d.Months(t.Context(), account)
	if err != nil || len(months) != 2 || months[0] != (access.Used{Month: 202612, Units: 400}) ||
		months[1] != (access.Used{Month: 202611, Units: 1}) {
		t.Errorf("%v, %v, want 400 in December and 1 in November", months, err)
	}
}

// TestAnsweredNextMonth checks that a response reports the quota of the month in which the
// request was counted.
func TestAnsweredNextMonth(t *testing.T) {
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	c := newClock(end.Add(-time.Nanosecond))
	d := newEndpoint(t, c, `{}`)
	w := d.during(t, d.Key(t, d.Account(t, access.Free)), func() {},
		func() { c.set(end.Add(time.Second)) }, 200)
	if figure(t, w, "X-Quota-Month-Remaining") != 9_999 ||
		figure(t, w, "X-Quota-Month-Reset") != int(end.Unix()) {
		t.Errorf("%v", w.Header())
	}
}

// late is a store that delays Reserve until the test releases it, or for a fixed time.
type late struct {
	store.Store
	pause time.Duration
	gates atomic.Pointer[chan struct{}]
	held  atomic.Int64 // responses that waited for the test
}

func (s *late) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64, notices ...store.Notice,
) (uint64, uint64, error) {
	time.Sleep(s.pause)
	granted, reserved, err := s.Store.Reserve(ctx, account, month, n, limit, notices...)
	if gate := s.gates.Load(); gate != nil {
		s.held.Add(1)
		<-*gate
	}
	return granted, reserved, err
}

// inLateBubble calls f in a bubble with an endpoint on a late store.
func inLateBubble(t *testing.T, f func(t *testing.T, d endpoint, s *late)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		now := newClock(noon).now
		real := accesstest.New(t, accesstest.Roomy(t), now)
		s := &late{Store: real.Store}
		keys := credential.NewKeys(s, credential.Pepper{1}, now)
		gate := access.New(access.Config{
			Store: s, Keys: keys, Plans: accesstest.Roomy(t), Now: now, AppendID: edge.AppendID,
			Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
		})
		defer gate.Close()
		f(t, endpoint{
			&accesstest.Gate{Gate: gate, Store: real.Store, Keys: keys}, limit.REST, data, http.StatusOK,
		}, s)
	})
}

// TestLimitLoweredDuringRefill checks that units reserved under the old limit are not served beyond
// the new one.
func TestLimitLoweredDuringRefill(t *testing.T) {
	inLateBubble(t, func(t *testing.T, d endpoint, s *late) {
		account := d.Account(t, access.Pro)
		key := d.Key(t, account)
		now := store.MonthOf(noon)
		if _, _, err := d.Store.Reserve(t.Context(), account, now, 9_980, 250_000); err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		s.gates.Store(&gate)
		asked := make(chan int)
		go func() { asked <- d.withKey(key).Code }()
		synctest.Wait() // the store has reserved the units and not returned
		if used, err := d.Store.Usage(t.Context(), account, now); err != nil || used < 10_000 {
			t.Fatalf("%d units are reserved, %v, want 10000", used, err)
		}
		if err := d.Store.SetPlan(t.Context(), account, "free"); err != nil {
			t.Fatal(err)
		}
		d.Keys.Invalidate([]store.Change{{}})
		served := 9_980
		last := make(chan int)
		go func() { last <- d.withKey(key).Code }()
		s.gates.Store(nil)
		close(gate)
		for _, code := range []int{<-asked, <-last} {
			if code == 200 {
				served++
			}
		}
		for d.withKey(key).Code == 200 {
			served++
		}
		if served > 10_000 {
			t.Errorf("%d served of 10000", served)
		}
	})
}

// TestRefundsAreOneLease checks that a crash loses at most one lease, after any number of
// simultaneous failed requests.
func TestRefundsAreOneLease(t *testing.T) {
	inLateBubble(t, func(t *testing.T, d endpoint, _ *late) {
		account := d.Account(t, access.Free)
		key := d.Key(t, account)
		var callers, spent sync.WaitGroup
		fail := make(chan struct{})
		spent.Add(290)
		for range 290 {
			callers.Go(func() { d.during(t, key, func() {}, func() { spent.Done(); <-fail }, 503) })
		}
		spent.Wait()
		close(fail)
		callers.Wait()
		d.returned(t, account)
		if w := d.withKey(key); figure(t, w, "X-Quota-Month-Remaining") != 9_999 {
			t.Errorf("%v left, want 9999", w.Header().Get("X-Quota-Month-Remaining"))
		}
	})
}

// TestRefundsDuringRefill checks that the remaining units are exact if units are returned while the
// response of an earlier refill is on its way.
func TestRefundsDuringRefill(t *testing.T) {
	inLateBubble(t, func(t *testing.T, d endpoint, s *late) {
		account := d.Account(t, access.Free)
		key := d.Key(t, account)
		var callers sync.WaitGroup
		fail, gate := make(chan struct{}), make(chan struct{})
		hold := func() {
			spent := make(chan struct{})
			callers.Go(func() { d.during(t, key, func() {}, func() { close(spent); <-fail }, 503) })
			<-spent
		}
		for range 150 {
			hold()
		}
		for s.gates.Store(&gate); s.held.Load() == 0; synctest.Wait() {
			hold() // until it starts a refill
		}
		close(fail)
		callers.Wait()
		synctest.Wait() // a return that does not wait for the refill is done
		s.gates.Store(nil)
		close(gate)
		d.returned(t, account)
		if left := figure(t, d.withKey(key), "X-Quota-Month-Remaining"); left != 9_999 {
			t.Errorf("%d left, want 9999", left)
		}
	})
}

// returned waits until all goroutines of the bubble wait, and checks that at most a lease of a free
// account is reserved in the store then.
func (d endpoint) returned(t *testing.T, account string) {
	t.Helper()
	const lease = 50
	synctest.Wait()
	used, err := d.Store.Usage(t.Context(), account, store.MonthOf(noon))
	if err != nil || used > lease {
		t.Fatalf("nothing is served, and %d units are reserved, %v; want at most a lease of %d",
			used, err, lease)
	}
}

// TestLastUnitsAtOnce checks that simultaneous requests get the last units of a month from a
// slow store.
func TestLastUnitsAtOnce(t *testing.T) {
	inLateBubble(t, func(t *testing.T, d endpoint, s *late) {
		account := d.Account(t, access.Pro)
		key := d.Key(t, account)
		_, _, err := d.Store.Reserve(t.Context(), account, store.MonthOf(noon), 250_000-60,
			250_000)
		if err != nil {
			t.Fatal(err)
		}
		s.pause = 10 * time.Millisecond
		var callers sync.WaitGroup
		var served, refused atomic.Int64
		for range 60 {
			callers.Go(func() {
				for {
					switch w := d.withKey(key); w.Code {
					case 200:
						served.Add(1)
						return
					case 503:
						refused.Add(1)
					default:
						t.Errorf("%d %s", w.Code, w.Body)
						return
					}
				}
			})
		}
		callers.Wait()
		if w := d.withKey(key); served.Load() != 60 || w.Code != 429 {
			t.Errorf("%d served of 60, then %d", served.Load(), w.Code)
		}
		t.Logf("%d had to ask again", refused.Load())
	})
}
