package web

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/internal/upstream"
	"leadline/tools"
)

// bodyFor returns what a handler sends to a client, or "cut" if it aborts the response.
func bodyFor(ctx context.Context, h http.HandlerFunc, path string) (body string) {
	defer func() {
		if p := recover(); p != nil {
			body = "cut"
			if p != http.ErrAbortHandler {
				body = fmt.Sprint("panic ", p)
			}
		}
	}()
	w := httptest.NewRecorder()
	h(w, httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx))
	return w.Body.String()
}

// TestPagesAreMadeOnce checks that concurrent requests for a page share the one that is made, and
// that a client that leaves does not spoil it.
func TestPagesAreMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Now: time.Now})
		made, finish := 0, make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.once(w, r, "key", func(ctx context.Context, _ time.Time) response {
				made++
				<-finish
				return text(fmt.Sprint("made, ", ctx.Err()))
			})
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		bodies := make([]string, 50)
		for i := range bodies {
			ctx := t.Context()
			if i < 2 {
				ctx = leaving
			}
			all.Go(func() { bodies[i] = bodyFor(ctx, page, "/") })
			synctest.Wait() // the first request makes the page
		}
		leave()
		synctest.Wait()
		close(finish)
		all.Wait()
		if made != 1 {
			t.Errorf("the page was made %d times", made)
		}
		for i, got := range bodies[2:] {
			if want := "made, <nil>"; got != want {
				t.Errorf("request %d: %q, want %q", i+2, got, want)
			}
		}
		if bodies[1] != "cut" {
			t.Errorf("a client that has left gets %q", bodies[1])
		}
	})
}

// TestAbandonedPages checks that a page is given up when all clients have left, that nothing of it
// is kept, and that the next client gets a new one meanwhile.
func TestAbandonedPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Now: time.Now})
		made, finish := 0, make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.once(w, r, "key", func(ctx context.Context, _ time.Time) response {
				made++
				if n := made; n == 1 {
					<-ctx.Done()
					<-finish
				}
				return text(fmt.Sprint("made, ", ctx.Err()))
			})
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if got := bodyFor(leaving, page, "/"); got != "cut" {
					t.Errorf("a client that has left gets %q", got)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if got, want := bodyFor(t.Context(), page, "/"), "made, <nil>"; got != want {
			t.Errorf("the next client gets %q, want %q", got, want)
		}
		close(finish)
		all.Wait()
		if _, kept := s.memory.get("key"); !kept || made != 2 {
			t.Errorf("made %d times, kept %v, want 2, true", made, kept)
		}
	})
}

// TestPanicOfAPage checks that a panic ends the flight of its page, for all clients.
func TestPanicOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Now: time.Now})
		fail := make(chan struct{})
		page := func(w http.ResponseWriter, r *http.Request) {
			s.once(w, r, "key", func(context.Context, time.Time) response {
				<-fail
				panic("broken")
			})
		}
		var all sync.WaitGroup
		bodies := make([]string, 2)
		for i := range bodies {
			all.Go(func() { bodies[i] = bodyFor(t.Context(), page, "/") })
			synctest.Wait()
		}
		close(fail)
		all.Wait()
		if bodies[0] != "panic broken" || !bytes.Contains([]byte(bodies[1]), []byte(coast.Internal)) {
			t.Errorf("bodies %q, want the panic and an internal error", bodies)
		}
	})
}

// dearPaths are the pages and files that are dearest to make.
var dearPaths = []string{
	"/calendars/tide-ranks.ics?station=9455920&what=king",
	"/calendars/tide-ranks.ics?station=9455920&what=springs",
	"/calendars/tide-windows.ics?station=9455920&below=5&light=moonlit",
	"/calendars/current-windows.ics?station=ACT0091&light=moonlit",
	"/calendars/transits.ics?station=PUG1701&distance=3&speed=6&direction=with_flood",
	"/stations/9455920/tide.ics", "/stations/9455920/tide.svg", "/stations/9455920/tide.png",
	"/stations/9455920/year/2027", "/planning/king-tides?station=9455920",
}

// BenchmarkDearest measures the pages and files that are dearest to make, by a server that has
// none of them in memory.
func BenchmarkDearest(b *testing.B) {
	now := func() time.Time { return noon }
	set := computing(b, now)
	for _, path := range dearPaths {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := New(Config{Set: set, Now: now, Base: "https://tides.example.org",
					Log:   slog.New(slog.DiscardHandler),
					Count: func(context.Context) error { return nil }})
				s.ids()
				b.StartTimer()
				bodyFor(b.Context(), s.ServeHTTP, path)
			}
		})
	}
}

// TestAbandonedCalendars checks that files whose only client has left are not computed to their
// end, are not kept, and are not logged as failures.
func TestAbandonedCalendars(t *testing.T) {
	for _, path := range dearPaths {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { abandonFile(t, path) })
		})
	}
}

func abandonFile(t *testing.T, path string) {
	ctx, leave := context.WithCancel(t.Context())
	var log bytes.Buffer
	armed := false
	s := New(Config{
		Set: computing(t, func() time.Time {
			if armed { // the first operation begins
				armed = false
				leave()
				time.Sleep(time.Second) // until the flight has ended
			}
			return noon
		}),
		Now: func() time.Time { return noon }, Base: "https://tides.example.org",
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
		Count: func(context.Context) error { return nil },
	})
	s.ids()
	armed = true
	if got := bodyFor(ctx, s.ServeHTTP, path); got != "cut" {
		t.Errorf("a client that has left gets %.200q", got)
	}
	if armed {
		t.Error("no operation has begun")
	}
	if log.Len() > 0 || len(s.calendars.byKey) > 0 || len(s.memory.pages) > 0 {
		t.Errorf("%d calendars and %d pages are kept; log: %s", len(s.calendars.byKey),
			len(s.memory.pages), &log)
	}
}

// computing returns the operations with a clock, without providers.
func computing(t testing.TB, now func() time.Time) *tools.Set {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	client := func(provider string) *upstream.Client {
		c, err := upstream.New(upstream.Config{Provider: provider, Offline: true, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	water := noaa.New("", client(coast.COOPS), now)
	return tools.New(tools.Config{
		Stations: d, NOAA: water, NWS: nws.New("", client(coast.NWS)), Now: now,
		Overlay: overlay.New(overlay.Config{Stations: d, Water: water, Now: now}),
	})
}
