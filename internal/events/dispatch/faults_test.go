package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/events"
	"leadline/store"
	"leadline/store/bolt"
)

// move renames a file or ends the test.
func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestResultsNotStored checks that receivers do not get duplicates while results cannot be
// stored, and that nothing is lost afterwards.
func TestResultsNotStored(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const endpoints = 2000
		r.endpoints(endpoints, nil)
		event := r.post()
		r.respond(slowly(200, 500*time.Millisecond))
		r.start()
		time.Sleep(time.Second)
		move(t, r.path, r.path+".away") // every write fails, reads do not
		time.Sleep(10 * time.Second)
		stopped := len(r.attempts(""))
		if stopped == 0 || stopped == endpoints {
			t.Fatalf("%d attempts at %d endpoints, want some", stopped, endpoints)
		}
		time.Sleep(time.Hour)
		if got := len(r.attempts("")); got != stopped {
			t.Errorf("%d attempts started while results could not be stored", got-stopped)
		}
		move(t, r.path+".away", r.path)
		time.Sleep(2 * time.Minute)
		if got := len(r.attempts(event)); got != endpoints {
			t.Errorf("%d attempts at %d endpoints, want one each", got, endpoints)
		}
		for n := range endpoints {
			if e := r.stored(store.Endpoint{ID: fmt.Sprintf("we_%014d", n)}); e.Pending != 0 {
				t.Fatalf("%d deliveries of %s are still pending", e.Pending, e.ID)
			}
		}
	})
}

// TestShortFault checks that a fault of a moment stops nothing.
func TestShortFault(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		event := r.post()
		move(t, r.path, r.path+".away")
		r.start()
		time.Sleep(500 * time.Millisecond)
		move(t, r.path+".away", r.path)
		time.Sleep(time.Second)
		if d := r.delivery(e, event); d.State != store.DeliveryDelivered || len(r.attempts("")) != 1 {
			t.Errorf("delivery %s after %d attempts, want delivered after 1", d.State, len(r.attempts("")))
		}
	})
}

// TestFullStore checks that a full store loses no event that it accepted.
func TestFullStore(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		r.close()
		r.open(bolt.Options{MaxBytes: 2 << 20})
		var posted []string
		var err error
		for err == nil && len(posted) < 5000 {
			now := time.Now()
			event := store.Event{
				ID: r.ids.New(now), Type: string(events.WebhookTest), Account: accountID,
				Body: make([]byte, 8<<10), Created: now, Expires: now.Add(day),
			}
			if _, err = r.store.Post(t.Context(), event); err == nil {
				posted = append(posted, event.ID)
			}
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("Post() number %d = %v, want %v", len(posted), err, store.ErrUnavailable)
		}
		r.start()
		time.Sleep(time.Minute)
		r.close()
		r.open(bolt.Options{})
		r.start()
		time.Sleep(time.Minute)
		for _, event := range posted {
			if got := len(r.attempts(event)); got < 1 || got > 2 {
				t.Fatalf("%d attempts of an event, want 1, or 2 if its result could not be stored", got)
			}
		}
		if got := r.stored(e); got.Pending != 0 {
			t.Errorf("%d deliveries are still pending", got.Pending)
		}
	})
}

// down is a store that cannot be read while a fault lasts.
type down struct {
	*bolt.Store
	now   func() time.Time
	mu    sync.Mutex
	fault error
	calls []time.Time
}

func (d *down) set(fault error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.calls = fault, nil
}

func (d *down) ClaimEndpoints(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Endpoint, error) {
	d.mu.Lock()
	d.calls = append(d.calls, d.now())
	fault := d.fault
	d.mu.Unlock()
	if fault != nil {
		return nil, fault
	}
	return d.Store.ClaimEndpoints(ctx, owner, now, until, n)
}

// TestStoreDown checks that calls are spaced 1, 2, 4 ... 30 s while the store is down.
func TestStoreDown(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		s := &down{Store: r.store, now: time.Now}
		r.config.Store = s
		r.endpoint(1, store.EndpointEnabled)
		d, _ := r.start()
		time.Sleep(time.Minute)
		s.set(store.ErrUnavailable)
		event := r.post()
		d.Wake()
		time.Sleep(5 * time.Minute)
		s.mu.Lock()
		calls := s.calls
		s.mu.Unlock()
		for i, seconds := range []int{1, 2, 4, 8, 16, 30, 30, 30} {
			gap := calls[i+1].Sub(calls[i])
			if want := time.Duration(seconds) * time.Second; gap < want || gap > want+time.Second {
				t.Errorf("call %d %v after the one before, want %v", i+2, gap, want)
			}
		}
		s.set(nil)
		time.Sleep(31 * time.Second)
		if got := len(r.attempts(event)); got != 1 {
			t.Errorf("%d attempts afterwards, want 1", got)
		}
	})
}

// TestStoreDownWithClaims checks that calls that the engine answers from memory, renewals and
// releases of claims, do not end the waiting for a store that is down.
func TestStoreDownWithClaims(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		s := &down{Store: r.store, now: time.Now}
		r.config.Store = s
		r.endpoint(1, store.EndpointEnabled)
		r.respond(slowly(200, 10*time.Second))
		r.post()
		r.post() // waits in line for the first one, so that the claim remains
		r.start()
		time.Sleep(5 * time.Second)
		s.set(store.ErrUnavailable)
		time.Sleep(3 * time.Minute)
		s.mu.Lock()
		calls := len(s.calls)
		s.mu.Unlock()
		if calls > 11 { // after 0, 1, 3, 7, 15, 31, 61, 91, 121, 151 and 181 seconds
			t.Errorf("%d calls in three minutes, want 11 at most", calls)
		}
		r.close()
		if got := strings.Count(r.log.String(), "is available again"); got != 0 {
			t.Errorf("the store came back %d times, want 0:\n%s", got, r.log.String())
		}
	})
}

// TestClaimAgain checks that a new claim of an endpoint is not released because an expired one of
// the same endpoint was to be released.
func TestClaimAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		r.post()
		run := newRun(t.Context(), New(r.config))
		defer run.close()
		run.unused[e.ID] = true // the release has failed until the claim expired
		list, err := r.store.ClaimEndpoints(t.Context(), "here", time.Now(), time.Now().Add(claimFor), 1)
		if err != nil || len(list) != 1 {
			t.Fatalf("ClaimEndpoints() = %v, %v, want one", list, err)
		}
		run.admitClaim(list[0])
		run.releaseClaims()
		held, err := r.store.RenewEndpoints(t.Context(), "here", []string{e.ID}, time.Now())
		if err != nil || len(held) != 1 {
			t.Errorf("after releases the claims are %v, %v, want the new one", held, err)
		}
	})
}

// TestLoadInProgress checks that deliveries are not read again while one of them is in progress,
// even if those that were read before have become old in this moment.
func TestLoadInProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		first, second := r.post(), r.post()
		run := newRun(t.Context(), New(r.config))
		defer run.close()
		c := &claim{Endpoint: e, more: true, read: time.Now()}
		if !run.load([]*claim{c}, run.quick) || len(c.jobs) != 2 {
			t.Fatalf("%d deliveries are loaded, want 2", len(c.jobs))
		}
		c.jobs, c.running = c.jobs[1:], 1 // the first one is in progress
		time.Sleep(freshFor)
		if !run.load([]*claim{c}, run.quick) || len(c.jobs) != 1 || c.jobs[0].Event.ID != second {
			t.Errorf("after %s has started there are %d deliveries to start, want %s alone", first,
				len(c.jobs), second)
		}
	})
}

// TestEnd checks that Run ends after its attempts, and stores their results.
func TestEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		r.respond(slowly(200, 6*time.Second))
		first, second := r.post(), r.post()
		_, stop := r.start()
		time.Sleep(2 * time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("Run ended after %v, want after the attempt in progress", took)
		}
		if d := r.delivery(e, first); d.State != store.DeliveryDelivered {
			t.Errorf("delivery %s, want delivered", d.State)
		}
		if got := len(r.attempts(second)); got != 0 {
			t.Errorf("%d attempts began after the end, want none", got)
		}
		r.config.Owner = "another" // its claims are free
		r.start()
		time.Sleep(time.Second)
		if got := len(r.attempts(second)); got != 1 {
			t.Errorf("%d attempts by another process, want 1", got)
		}
	})
}

// TestEndDuringHang checks that Run does not wait for a receiver that hangs, and that its
// delivery is neither lost nor counted as failed.
func TestEndDuringHang(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		r.respond(slowly(0, 15*time.Second))
		event := r.post()
		_, stop := r.start()
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("Run ended after %v, want 10 s", took)
		}
		if d := r.delivery(e, event); d.State != store.DeliveryPending || d.Tries != 0 {
			t.Errorf("delivery %s after %d tries, want pending after 0", d.State, d.Tries)
		}
		r.respond(responding(200))
		r.start()
		time.Sleep(time.Second)
		if d := r.delivery(e, event); d.State != store.DeliveryDelivered {
			t.Errorf("delivery %s after a restart, want delivered", d.State)
		}
	})
}

// TestEndWithoutStore checks that Run ends while results cannot be stored.
func TestEndWithoutStore(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.endpoint(1, store.EndpointEnabled)
		r.post()
		move(t, r.path, r.path+".away")
		_, stop := r.start()
		time.Sleep(time.Minute)
		began := time.Now()
		stop()
		if took := time.Since(began); took > drainFor+leaveFor+time.Second {
			t.Errorf("Run ended after %v, want at most %v", took, drainFor+leaveFor)
		}
		move(t, r.path+".away", r.path)
	})
}

// TestTwoOwners checks that two processes never attempt one delivery twice, even if endpoints wait
// for a slot longer than a claim lasts.
func TestTwoOwners(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const endpoints = 800
		r.endpoints(endpoints, nil)
		first := r.post()
		r.respond(slowly(200, 12*time.Second)) // all of them are slow from now on
		r.start()
		r.config.Owner, r.config.Seed = "there", 2
		r.start()
		time.Sleep(time.Minute)
		second := r.post()
		time.Sleep(6 * time.Minute)
		for _, event := range []string{first, second} {
			if got := len(r.attempts(event)); got != endpoints {
				t.Errorf("%d attempts, want %d", got, endpoints)
			}
		}
	})
}

// TestClockJumps checks that a clock that was ahead delays nothing for long, in either direction.
func TestClockJumps(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		var mu sync.Mutex
		ahead := time.Duration(0)
		jump := func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			ahead = d
		}
		r.config.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(ahead)
		}
		e := r.endpoint(1, store.EndpointEnabled)
		jump(1000 * day)
		r.respond(responding(500))
		event := r.post()
		r.start()
		time.Sleep(time.Minute) // its third attempt is due in five minutes
		jump(0)
		r.respond(responding(200))
		time.Sleep(2 * time.Minute)
		if d := r.delivery(e, event); d.State != store.DeliveryDelivered {
			t.Errorf("delivery %s, due %v, want delivered", d.State, d.Due)
		}
		later := r.post()
		time.Sleep(2 * time.Second)
		if got := len(r.attempts(later)); got != 1 {
			t.Errorf("%d attempts after the clock was set back, want 1", got)
		}
	})
}
