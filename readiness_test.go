package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/stations"
	"leadline/store/bolt"
	"leadline/tools"
)

// readinessOn is the readiness of a store, with a clock that stands still.
func readinessOn(t *testing.T, write func(context.Context) error) (r *readiness, clock *atomic.Int64, log *bytes.Buffer) {
	t.Helper()
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	clock, log = &atomic.Int64{}, &bytes.Buffer{}
	now := func() time.Time { return noon().Add(time.Duration(clock.Load())) }
	return &readiness{write: write, directory: directory, now: now, log: slog.New(slog.NewTextHandler(log, nil))}, clock, log
}

func (r *readiness) answer(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// TestReadiness: a store that is gone makes a server not ready, with the
// reason, once it is asked anew; the process lives on.
func TestReadiness(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), storeFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, clock, log := readinessOn(t, s.Ready)
	if w := r.answer("GET", "/readyz"); w.Code != http.StatusOK || w.Body.String() != "{\"status\":\"ok\"}\n" {
		t.Errorf("ready, /readyz = %d %s", w.Code, w.Body)
	}
	if got := r.probe(t.Context()); got.Name != tools.StoreComponent || got.Status != tools.Operational || !got.CheckedAt.Equal(noon()) || got.LatencyMs == nil {
		t.Errorf("the component is %+v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Store(int64(readyEvery - 1))
	if w := r.answer("GET", "/readyz"); w.Code != http.StatusOK {
		t.Errorf("before it is asked anew, /readyz = %d %s", w.Code, w.Body)
	}
	clock.Store(int64(readyEvery))
	w := r.answer("GET", "/readyz")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `{"error":{"code":"store_unavailable","message":"The store cannot be written.`) || w.Header().Get("Retry-After") != "2" {
		t.Errorf("without a store /readyz = %d %s, Retry-After %q", w.Code, w.Body, w.Header().Get("Retry-After"))
	}
	if got := r.probe(t.Context()); got.Status != tools.Down || !got.CheckedAt.Equal(noon().Add(readyEvery)) {
		t.Errorf("the component is %+v", got)
	}
	if w := r.answer("HEAD", "/livez"); w.Code != http.StatusOK {
		t.Errorf("without a store /livez = %d", w.Code)
	}
	if got := strings.Count(log.String(), "the store cannot be written"); got != 1 {
		t.Errorf("the log tells of it %d times:\n%s", got, log)
	}
}

// TestNothingReserved: where the store still writes small things and reserves
// no units, it is not ready, until it does again or nobody has asked for a while.
func TestNothingReserved(t *testing.T) {
	r, clock, _ := readinessOn(t, func(context.Context) error { return nil })
	status := func() int { return r.answer("GET", "/readyz").Code }
	if got := status(); got != 200 {
		t.Fatalf("at first %d", got)
	}
	later := func(d time.Duration) { clock.Add(int64(d)) }
	later(readyEvery)
	r.note(errors.New("no space left on device"))
	if got := status(); got != 503 || r.probe(t.Context()).Status != tools.Down {
		t.Errorf("after units were not reserved: %d", got)
	}
	later(readyEvery)
	r.note(nil)
	if got := status(); got != 200 {
		t.Errorf("after units were reserved again: %d", got)
	}
	r.note(errors.New("no space left on device"))
	later(readyEvery)
	if got := status(); got != 503 {
		t.Errorf("after they were not, once more: %d", got)
	}
	later(failedFor)
	if got := status(); got != 200 {
		t.Errorf("long after: %d", got)
	}
}

// TestNotReady: a server that ends, or has no stations, is not ready.
func TestNotReady(t *testing.T) {
	r, _, _ := readinessOn(t, func(context.Context) error { return nil })
	r.drain()
	if w := r.answer("GET", "/readyz"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "The server is ending.") {
		t.Errorf("ending, /readyz = %d %s", w.Code, w.Body)
	}
	if w := r.answer("GET", "/livez"); w.Code != http.StatusOK {
		t.Errorf("ending, /livez = %d", w.Code)
	}
	r, _, _ = readinessOn(t, func(context.Context) error { return nil })
	r.directory = nil
	if w := r.answer("GET", "/readyz"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "station directory is not loaded") {
		t.Errorf("without stations /readyz = %d %s", w.Code, w.Body)
	}
	if w := r.answer("POST", "/livez"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /livez = %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// TestReadyIsAskedOnce: however many ask, the store is asked once, and one
// that hangs holds nobody for long.
func TestReadyIsAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	r, clock, _ := readinessOn(t, func(ctx context.Context) error {
		asked.Add(1)
		<-ctx.Done() // a disk that hangs
		return ctx.Err()
	})
	for turn := range 2 {
		clock.Store(int64(turn) * int64(readyEvery))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w := r.answer("GET", "/readyz"); w.Code != http.StatusServiceUnavailable {
					t.Errorf("/readyz = %d", w.Code)
				}
			})
		}
		all.Wait()
	}
	if got := asked.Load(); got != 2 {
		t.Errorf("the store was asked %d times, want 2", got)
	}
}

// TestHealthRoutes: both are served, spend nothing, and the store is a
// component of the status.
func TestHealthRoutes(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	for _, path := range []string{"/livez", "/readyz"} {
		for range 40 { // more than an address has in a minute
			if got := overREST(t, r.base+path); got != `{"status":"ok"}` {
				t.Fatalf("%s answers %s", path, got)
			}
		}
	}
	var got tools.Status
	decode(t, overREST(t, r.base+"/api/developer/status"), &got)
	if !slices.ContainsFunc(got.Components, func(c tools.Component) bool { return c.Name == tools.StoreComponent && c.Status == tools.Operational }) {
		t.Errorf("the status has the components %+v", got.Components)
	}
}
