package status

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// newReadiness returns the readiness of a store, with a clock that tests set.
func newReadiness(
	t *testing.T, write func(context.Context) error,
) (*Readiness, *atomic.Int64, *bytes.Buffer) {
	t.Helper()
	clock, log := &atomic.Int64{}, &bytes.Buffer{}
	now := func() time.Time { return noon().Add(time.Duration(clock.Load())) }
	c := ReadinessConfig{
		Write:    write,
		Writes:   NewWrites(now, slog.New(slog.NewTextHandler(log, nil))),
		Stations: 1,
		Now:      now,
	}
	return NewReadiness(c), clock, log
}

func (r *Readiness) get(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// TestReadiness checks that a server without its store is not ready after the next
// check of the store, and that /livez still succeeds.
func TestReadiness(t *testing.T) {
	s := openStore(t)
	r, clock, log := newReadiness(t, s.Ready)
	if w := r.get("GET", "/readyz"); w.Code != http.StatusOK ||
		w.Body.String() != "{\"status\":\"ok\"}\n" {
		t.Errorf("ready, /readyz = %d %s", w.Code, w.Body)
	}
	if got := r.Component(); got.Name != StoreName || got.Status != Operational ||
		!got.CheckedAt.Equal(noon()) || got.LatencyMs == nil {
		t.Errorf("the component is %+v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Store(int64(checkEvery - 1))
	if w := r.get("GET", "/readyz"); w.Code != http.StatusOK {
		t.Errorf("before the next check, /readyz = %d %s", w.Code, w.Body)
	}
	clock.Store(int64(checkEvery))
	w := r.get("GET", "/readyz")
	if w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(),
			`{"error":{"code":"store_unavailable","message":"The store cannot be written.`) ||
		w.Header().Get("Retry-After") != "2" {
		t.Errorf("without a store /readyz = %d %s, Retry-After %q",
			w.Code, w.Body, w.Header().Get("Retry-After"))
	}
	if got := r.Component(); got.Status != Down || !got.CheckedAt.Equal(noon().Add(checkEvery)) {
		t.Errorf("the component is %+v", got)
	}
	if w := r.get("HEAD", "/livez"); w.Code != http.StatusOK {
		t.Errorf("without a store /livez = %d", w.Code)
	}
	if got := strings.Count(log.String(), "the store cannot be written"); got != 1 {
		t.Errorf("the log has the error %d times:\n%s", got, log)
	}
}

// TestFailedWrite checks that a server is not ready for failureCounts after a
// failed write, even if a check can write a little. The log must contain each
// outage once.
func TestFailedWrite(t *testing.T) {
	r, clock, log := newReadiness(t, func(context.Context) error { return nil })
	full := errors.New("no space left on device")
	for _, step := range []struct {
		after  time.Duration
		fails  bool
		want   int
		logged int // log lines with the reason
	}{
		{0, false, 200, 0},
		{0, true, 503, 1}, // between two checks too
		{checkEvery, false, 503, 1},
		{failureCounts - checkEvery - 1, true, 503, 1},
		{failureCounts - 1, false, 503, 1},
		{1, false, 200, 1},
		{checkEvery, false, 200, 1}, // the next check logs the end
		{time.Hour, true, 503, 2},
		{time.Hour, true, 503, 3}, // no check in between
	} {
		clock.Add(int64(step.after))
		if step.fails {
			r.c.Writes.Failed(full)
		}
		status := Operational
		if step.want == 503 {
			status = Down
		}
		if w := r.get("GET", "/readyz"); w.Code != step.want || string(r.Component().Status) != status {
			t.Errorf("%+v: /readyz = %d, the store is %s", step, w.Code, r.Component().Status)
		}
		if got := strings.Count(log.String(), full.Error()); got != step.logged {
			t.Errorf("%+v: the log has the reason %d times:\n%s", step, got, log)
		}
	}
	if got := strings.Count(log.String(), "can be written again"); got != 1 {
		t.Errorf("the log has the end of an outage %d times, want 1:\n%s", got, log)
	}
}

// TestNotReady checks a server that is shutting down and one without stations.
func TestNotReady(t *testing.T) {
	r, _, _ := newReadiness(t, func(context.Context) error { return nil })
	r.Drain()
	if w := r.get("GET", "/readyz"); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "The server is shutting down.") {
		t.Errorf("shutting down, /readyz = %d %s", w.Code, w.Body)
	}
	if w := r.get("GET", "/livez"); w.Code != http.StatusOK {
		t.Errorf("shutting down, /livez = %d", w.Code)
	}
	r, _, _ = newReadiness(t, func(context.Context) error { return nil })
	r.c.Stations = 0
	if w := r.get("GET", "/readyz"); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "station directory is not loaded") {
		t.Errorf("without stations /readyz = %d %s", w.Code, w.Body)
	}
	if w := r.get("POST", "/livez"); w.Code != http.StatusMethodNotAllowed ||
		w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /livez = %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// TestReadyIsAskedOnce checks that many requests cause one check of the store,
// and that a store that hangs does not delay them for long.
func TestReadyIsAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	r, clock, _ := newReadiness(t, func(ctx context.Context) error {
		asked.Add(1)
		<-ctx.Done() // a disk that hangs
		return ctx.Err()
	})
	for turn := range 2 {
		clock.Store(int64(turn) * int64(checkEvery))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w := r.get("GET", "/readyz"); w.Code != http.StatusServiceUnavailable {
					t.Errorf("/readyz = %d", w.Code)
				}
			})
		}
		all.Wait()
	}
	if got := asked.Load(); got != 2 {
		t.Errorf("the store was checked %d times, want 2", got)
	}
}

// TestReadinessKnown checks that the known state of the store comes from earlier checks and
// writes, and that it is read without a write.
func TestReadinessKnown(t *testing.T) {
	var fails error
	writes := 0
	r, clock, _ := newReadiness(t, func(context.Context) error {
		writes++
		return fails
	})
	known := func(when, want string) {
		t.Helper()
		got := r.Known()
		if got.Name != StoreName || string(got.Status) != want || got.CheckedAt == nil ||
			!got.CheckedAt.Equal(r.c.Now()) {
			t.Errorf("%s: %+v, want %s", when, got, want)
		}
	}
	known("at first", Operational)
	fails = errors.New("disk full")
	known("before a check", Operational)
	r.get("GET", "/readyz")
	known("after a failed check", Down)
	clock.Store(int64(failureCounts))
	known("later, without another check", Operational)
	r.c.Writes.Failed(fails)
	known("after a failed write", Down)
	if writes != 1 {
		t.Errorf("%d writes, want that of /readyz", writes)
	}
}

// TestSharedReadiness checks that the readiness of an instance does not depend on a store that
// others use, too, and that the status reports its failure and the live instances.
func TestSharedReadiness(t *testing.T) {
	var failure error
	var now time.Time
	r := NewReadiness(ReadinessConfig{
		Write: func(context.Context) error { return failure }, Stations: 1, Shared: true,
		Live: func() int { return 3 }, Now: func() time.Time { return now },
		Writes: NewWrites(func() time.Time { return now }, slog.New(slog.DiscardHandler)),
	})
	now = noon()
	if got := r.Component(); got.Status != Operational ||
		got.Message != "can be written; live instances: 3" {
		t.Errorf("the component is %+v", got)
	}
	failure, now = errors.New("no heartbeat"), now.Add(checkEvery)
	if got := r.Component(); got.Status != Down || got.Message != "cannot be written" {
		t.Errorf("the component is %+v", got)
	}
	if w := r.get("GET", "/readyz"); w.Code != http.StatusOK {
		t.Errorf("/readyz = %d %s", w.Code, w.Body)
	}
	r.Drain()
	if w := r.get("GET", "/readyz"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("while the server ends, /readyz = %d", w.Code)
	}
}
