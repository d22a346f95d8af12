package noaa

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// gauge serves a level every six minutes of the requested days, up to the time of its clock, and
// 503 while down, with a pause that no client makes.
type gauge struct {
	now  time.Time
	down bool
}

func (g *gauge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, err := time.Parse("20060102", q.Get("begin_date"))
	to, err2 := time.Parse("20060102", q.Get("end_date"))
	if g.down || err != nil || err2 != nil {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var rows []string
	for t := from; t.Before(to.AddDate(0, 0, 1)) && !t.After(g.now); t = t.Add(6 * time.Minute) {
		rows = append(rows, `{"t":"`+t.Format("2006-01-02 15:04")+
			`","v":"1.5","s":"0.01","f":"0,0,0,0","q":"p"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"metadata":{"id":"8443970"},"data":[%s]}`, strings.Join(rows, ","))
}

// after requests the last hours at one time and restarts with the cache of that run. Then it
// requests the same number of hours at a later time while the provider is down.
func after(t *testing.T, length time.Duration, first, second time.Time) (Records[Level], error) {
	t.Helper()
	g := &gauge{now: first}
	server := httptest.NewServer(g)
	defer server.Close()
	now := first
	clock := func() time.Time { return now }
	file := filepath.Join(t.TempDir(), "cache")
	last := func() (Records[Level], error) {
		up, err := upstream.New(upstream.Config{
			Provider: coast.COOPS, File: file, UserAgent: "test", Now: clock, Deadline: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer up.Close()
		c := New(server.URL, up, clock)
		out, err := c.Levels(context.Background(), "8443970", "MLLW", SixMinute,
			Period{now.Add(-length), now})
		if err := up.Save(); err != nil {
			t.Fatal(err)
		}
		return out, err
	}
	if _, err := last(); err != nil {
		t.Fatal(err)
	}
	now, g.down = second, true
	return last()
}

// TestOutageOverMidnight requests the last hours before and after the days that they overlap
// change: at 00:00 UTC, and when their beginning passes it.
func TestOutageOverMidnight(t *testing.T) {
	for _, test := range []struct {
		hours           int
		before, again   string
		first, last     string // rows of the second response
		unexpiredLevels bool
	}{
		{3, "2026-11-21 23:50", "2026-11-22 00:10", "2026-11-21 21:12", "2026-11-21 23:48", true},
		{3, "2026-11-21 23:50", "2026-11-22 00:49", "2026-11-21 21:54", "2026-11-21 23:48", true},
		{3, "2026-11-22 02:50", "2026-11-22 03:10", "2026-11-22 00:12", "2026-11-22 02:48", true},
		{24, "2026-12-31 23:50", "2027-01-01 00:10", "2026-12-31 00:12", "2026-12-31 23:48", true},
		{168, "2026-11-30 23:50", "2026-12-01 00:10", "2026-11-24 00:12", "2026-11-30 23:48", true},
		{3, "2026-11-22 12:00", "2026-11-22 12:20", "2026-11-22 09:24", "2026-11-22 12:00", true},
		{3, "2026-11-21 23:50", "2026-11-22 00:51", "", "", false}, // within the expiry of one hour
		{3, "2026-11-21 23:50", "2026-11-23 00:10", "", "", false},
	} {
		name := fmt.Sprintf("%d hours at %s and %s", test.hours, test.before, test.again)
		got, err := after(t, time.Duration(test.hours)*time.Hour, at(t, test.before), at(t, test.again))
		if !test.unexpiredLevels {
			if e, ok := coast.AsError(err); !ok || e.Code != coast.ProviderUnavailable {
				t.Errorf("%s: %d rows, %v, want %s", name, len(got.Rows), err, coast.ProviderUnavailable)
			}
			continue
		}
		if err != nil || !got.Stale || !got.ReceivedAt.Equal(at(t, test.before)) {
			t.Errorf("%s: stale %v, received %v, %v, want stale levels", name, got.Stale, got.ReceivedAt,
				err)
			continue
		}
		first, last := got.Rows[0].Time, got.Rows[len(got.Rows)-1].Time
		if !first.Equal(at(t, test.first)) || !last.Equal(at(t, test.last)) {
			t.Errorf("%s: rows of %v to %v, want %s to %s", name, first, last, test.first, test.last)
		}
	}
}

// TestOutageWholeDays checks that a response for fewer whole days is not used for more: it was
// received when there were more.
func TestOutageWholeDays(t *testing.T) {
	g := &gauge{now: at(t, "2026-11-22 12:00")}
	server := httptest.NewServer(g)
	defer server.Close()
	clock := func() time.Time { return g.now }
	up, err := upstream.New(
		upstream.Config{Provider: coast.COOPS, UserAgent: "test", Now: clock, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	c := New(server.URL, up, clock)
	get := func(from, to string) error {
		_, err := c.Levels(t.Context(), "8443970", "MLLW", SixMinute, period(t, from, to))
		return err
	}
	if err := get("2026-11-20 00:00", "2026-11-21 23:59"); err != nil {
		t.Fatal(err)
	}
	g.down = true
	if e, ok := coast.AsError(get("2026-11-20 00:00", "2026-11-22 12:00")); !ok ||
		e.Code != coast.ProviderUnavailable {
		t.Errorf("20 to 22 November from a response for 20 and 21: %v, want %s", e,
			coast.ProviderUnavailable)
	}
	if err := get("2026-11-21 00:00", "2026-11-21 23:59"); err != nil {
		t.Errorf("21 November from a response for 20 and 21: %v", err)
	}
}
