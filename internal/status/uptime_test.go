package status

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// flaky is a store that does not accept minutes while err is set.
type flaky struct {
	store.Uptime
	mu  sync.Mutex
	err error
}

func (s *flaky) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *flaky) MarkMinute(ctx context.Context, at time.Time, states map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	return s.Uptime.MarkMinute(ctx, at, states)
}

// recorder is an Uptime with a clock and components that a test sets. Its minutes are those of the
// bubble of the test.
type recorder struct {
	*flaky
	clock func() time.Time
	mu    sync.Mutex
	list  []Component
	slept time.Duration // added to the clock
}

func (r *recorder) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock().Add(r.slept)
}

// set sets the components, used now, by name and status in pairs.
func (r *recorder) set(list ...string) {
	at := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
	for i := 0; i < len(list); i += 2 {
		r.list = append(r.list, Component{Name: coast.ComponentName(list[i]),
			Status: coast.ServiceStatus(list[i+1]), CheckedAt: &at})
	}
}

func (r *recorder) sleep(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slept += d
}

func (r *recorder) components() []Component {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// recording runs a test with a recorder that was started 20 seconds into a minute.
func recording(t *testing.T, test func(r *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t)
		time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour + 20*time.Second)))
		r := &recorder{flaky: &flaky{Uptime: s}, clock: time.Now}
		u := NewUptime(UptimeConfig{
			Store: r, Components: r.components, Now: r.now, Log: slog.New(slog.DiscardHandler),
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { u.Run(ctx) })
		test(r)
		stop()
		running.Wait()
	})
}

// recorded checks the minutes of components: ok, degraded, down.
func (r *recorder) recorded(t *testing.T, when string, want map[string][3]int) {
	t.Helper()
	synctest.Wait()
	days, err := r.ComponentDays(context.Background(), 0)
	got := map[string][3]int{}
	for _, d := range days {
		n := got[d.Component]
		got[d.Component] = [3]int{n[0] + d.OK, n[1] + d.Degraded, n[2] + d.Down}
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%s: %v, %v, want %v", when, got, err, want)
	}
}

// TestUptime checks which minutes are recorded: whole minutes in which the process ran, and
// components that were used lately.
func TestUptime(t *testing.T) {
	recording(t, func(r *recorder) {
		r.set("noaa-coops", Operational, "nws", Degraded, "store", Down)
		time.Sleep(time.Minute)
		r.recorded(t, "a part of a minute", map[string][3]int{})
		time.Sleep(2 * time.Minute)
		want := map[string][3]int{"noaa-coops": {2}, "nws": {0, 2}, "store": {0, 0, 2}}
		r.recorded(t, "two minutes", want)

		r.sleep(8 * time.Hour) // of the machine, within a minute
		time.Sleep(time.Minute)
		r.recorded(t, "a minute in which the machine slept", want)

		r.set("noaa-coops", Operational)
		time.Sleep(time.Minute)
		want["noaa-coops"] = [3]int{3}
		r.recorded(t, "a minute after it", want)

		time.Sleep(16 * time.Minute) // nobody uses the components
		want["noaa-coops"] = [3]int{3 + 14}
		r.recorded(t, "16 minutes without use", want)

		r.set("noaa-coops", "unknown", "nws", Operational)
		r.mu.Lock()
		r.list[1].CheckedAt = nil // never used
		r.mu.Unlock()
		time.Sleep(time.Minute)
		r.recorded(t, "without a known state", want)
	})
}

// TestUptimeWithoutStore checks that the minutes of an outage of the store are recorded after it.
func TestUptimeWithoutStore(t *testing.T) {
	recording(t, func(r *recorder) {
		r.set("store", Operational)
		time.Sleep(2 * time.Minute)
		r.fail(errors.New("disk full"))
		r.set("store", Down)
		time.Sleep(5 * time.Minute)
		r.recorded(t, "during the outage", map[string][3]int{"store": {1}})
		r.fail(nil)
		r.set("store", Operational)
		time.Sleep(time.Minute)
		r.recorded(t, "after it", map[string][3]int{"store": {2, 0, 5}})
	})
}
