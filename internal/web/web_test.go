package web

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/internal/upstream"
	"leadline/internal/web/site"
	"leadline/tools"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// TestServes checks which paths belong to the pages.
func TestServes(t *testing.T) {
	s := New(Config{Settings: site.Settings{Now: func() time.Time { return noon }}})
	for path, want := range map[string]bool{
		"/": true, "/stations": true, "/stations/": true, "/stations/8443970": true,
		"/stations/8443970/tide.png": true, "/robots.txt": true, "/robots.txt/": true,
		"/favicon.ico": true,
		"//":           false, "": false, "/register": false, "/stationsx": false, "/api": false,
		"/Stations": false, "/robots.txt//": false, "/.well-known/x": false, "/mcp": false,
	} {
		if got := s.Serves(path); got != want {
			t.Errorf("Serves(%q) = %v, want %v", path, got, want)
		}
	}
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
				s := serverOf(set, now, slog.DiscardHandler)
				b.StartTimer()
				sent(b.Context(), s.ServeHTTP, path)
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
	armed, begun := false, 0
	set := computing(t, func() time.Time {
		begun++
		if armed { // the first operation begins
			armed = false
			leave()
			time.Sleep(time.Second) // until the flight has ended
		}
		return noon
	})
	s := serverOf(set, func() time.Time { return noon }, slog.NewTextHandler(&log, nil))
	armed = true
	if got := sent(ctx, s.ServeHTTP, path); got != "cut" {
		t.Errorf("a client that has left gets %.200q", got)
	}
	if armed {
		t.Error("no operation has begun")
	}
	begun = 0
	if got := sent(t.Context(), s.ServeHTTP, path); begun == 0 || got == "cut" {
		t.Errorf("after %d operations, the next client gets %.200q", begun, got)
	}
	if log.Len() > 0 {
		t.Errorf("log: %s", &log)
	}
}

// serverOf returns a server of pages that has read the directory.
func serverOf(set *tools.Set, now func() time.Time, log slog.Handler) *Server {
	s := New(Config{
		Settings: site.Settings{
			Set: set, Now: now, Base: "https://tides.example.org", Log: slog.New(log),
		},
		Count: func(context.Context) error { return nil },
	})
	s.Stations()
	s.StationID("")
	return s
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

// sent returns what a handler sends to a client, or "cut" if it aborts the response.
func sent(ctx context.Context, h http.HandlerFunc, path string) (body string) {
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
