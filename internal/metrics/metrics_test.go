package metrics

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"leadline/internal/coast"
)

// newMetrics returns Metrics with two routes and two tools.
func newMetrics() *Metrics {
	return New([]string{"/api/v1/stations", "/api/v1/stations/{id}"},
		[]string{"noaa_get_currents", "leadline_whoami"})
}

// used returns Metrics with events of all kinds counted.
func used() *Metrics {
	m := newMetrics()
	m.Build("0.1.0", "2026-09-24")
	m.Breaker(coast.COOPS, func() string { return "closed" })
	m.Breaker(coast.NWS, func() string { return "open" })
	m.Request("/api/v1/stations", "rest", "anonymous", 200, 3*time.Millisecond)
	m.Request("/api/v1/stations", "rest", "anonymous", 200, 3*time.Millisecond)
	m.Request("/api/v1/stations/{id}", "rest", "pro", 429, time.Microsecond)
	m.Shared("anthropic", "mcp", 429)
	m.Call("noaa_get_currents", "ok", time.Second)
	m.Call("noaa_get_currents", "provider_unavailable", 20*time.Second)
	m.Upstream(coast.COOPS, "ok", 70*time.Millisecond)
	m.Refill(64, nil)
	m.Refill(0, nil)
	m.Refill(0, errors.New("disk full"))
	m.Commit(5, 2*time.Millisecond, nil)
	m.Commit(3, time.Millisecond, errors.New("disk full"))
	return m
}

// read returns the metrics as Prometheus reads them.
func read(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	got := read(t, used())
	for _, want := range []string{
		`leadline_http_requests_total{route="/api/v1/stations",status="200",surface="rest",tier="anonymous"} 2`,
		`leadline_http_requests_total{route="/api/v1/stations/{id}",status="429",surface="rest",tier="pro"} 1`,
		`leadline_http_request_duration_seconds_bucket{route="/api/v1/stations",surface="rest",le="0.0025"} 0`,
		`leadline_http_request_duration_seconds_bucket{route="/api/v1/stations",surface="rest",le="0.005"} 2`,
		`leadline_shared_client_requests_total{group="anthropic",status="429",surface="mcp"} 1`,
		`leadline_tool_calls_total{outcome="ok",tool="noaa_get_currents"} 1`,
		`leadline_tool_calls_total{outcome="provider_unavailable",tool="noaa_get_currents"} 1`,
		`leadline_tool_call_duration_seconds_bucket{tool="noaa_get_currents",le="10"} 1`,
		`leadline_tool_call_duration_seconds_sum{tool="noaa_get_currents"} 21`,
		`leadline_upstream_duration_seconds_count{outcome="ok",provider="NOAA CO-OPS"} 1`,
		`leadline_upstream_breaker_state{provider="NOAA CO-OPS"} 0`,
		`leadline_upstream_breaker_state{provider="NWS"} 2`,
		`leadline_quota_refills_total{outcome="ok"} 2`,
		`leadline_quota_units_total{outcome="ok"} 64`,
		`leadline_quota_units_total{outcome="error"} 0`,
		`leadline_store_commit_duration_seconds_count{outcome="error"} 1`,
		`leadline_store_writes_total{outcome="ok"} 5`,
		`version="0.1.0"} 1`,
		"go_goroutines ",
		"process_start_time_seconds ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the metrics do not have %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestLint checks the metrics with the linter of the library.
func TestLint(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(read(t, used()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// series counts the series of our own metrics.
func series(t *testing.T, m *Metrics) (n int) {
	t.Helper()
	for line := range strings.Lines(read(t, m)) {
		if strings.HasPrefix(line, "leadline_") && !strings.Contains(line, "_bucket{") {
			n++
		}
	}
	return n
}

// TestGarbage concurrently sets labels to values that clients choose. It checks
// that known values are still counted and that the number of series is limited.
func TestGarbage(t *testing.T) {
	m := newMetrics()
	feed := func(round, side int) {
		for i := range 200 {
			junk := fmt.Sprintf("%d/%d/%d\xff", round, side, i)
			m.Request("/"+junk, "rest", "anonymous", i+1000*side, 0)
			m.Request("/api/v1/stations", "rest", "free", 200, 0)
			m.Call(junk, "ok", 0)
			m.Call("leadline_whoami", "ok", 0)
		}
	}
	var sides sync.WaitGroup
	for round := range 2 {
		for side := range 4 {
			sides.Go(func() { feed(round, side) })
		}
	}
	sides.Wait()
	got := read(t, m)
	for _, want := range []string{
		`leadline_http_requests_total{route="/api/v1/stations",status="200",surface="rest",tier="free"} 1600`,
		`leadline_http_requests_total{route="other",status="other",surface="rest",tier="anonymous"} `,
		`leadline_tool_calls_total{outcome="ok",tool="leadline_whoami"} 1600`,
		`leadline_tool_calls_total{outcome="ok",tool="other"} 1600`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the metrics do not have %s", want)
		}
	}
	if n := series(t, m); n > 60 {
		t.Errorf("%d series, want no more than there are routes, tools and statuses of HTTP", n)
	}
}

// TestOwnGarbage checks that a mistake in our own code cannot add an unlimited
// number of series.
func TestOwnGarbage(t *testing.T) {
	m := newMetrics()
	report := func(from, to int) {
		for i := from; i < to; i++ {
			m.Upstream("provider", fmt.Sprint("outcome ", i), 0)
		}
	}
	report(0, 100)
	before := series(t, m)
	report(100, 10_000)
	if after := series(t, m); after != before || after > 200 {
		t.Errorf("%d series, then %d, want as many", before, after)
	}
}

func BenchmarkRequest(b *testing.B) {
	for name, route := range map[string]string{
		"known":   "/api/v1/stations/{id}",
		"unknown": "/api/v1/stations/8443970",
	} {
		b.Run(name, func(b *testing.B) {
			m := newMetrics()
			b.ReportAllocs()
			for b.Loop() {
				m.Request(route, "rest", "anonymous", 200, time.Millisecond)
			}
		})
	}
}

func BenchmarkRequestParallel(b *testing.B) {
	m := newMetrics()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Request("/api/v1/stations", "rest", "anonymous", 200, time.Millisecond)
		}
	})
}

func BenchmarkUpstream(b *testing.B) {
	m := newMetrics()
	b.ReportAllocs()
	for b.Loop() {
		m.Upstream(coast.COOPS, "hit", 0)
	}
}

// TestInstanceGauges checks the gauges of an instance. A store that reports its changes at once has
// none of their age.
func TestInstanceGauges(t *testing.T) {
	seconds := func(n time.Duration) func() time.Duration {
		return func() time.Duration { return n * time.Second }
	}
	m := New(nil, nil)
	m.Leased(func() uint64 { return 42 })
	m.Instances(func() int { return 3 }, seconds(-2), seconds(1))
	got := read(t, m)
	for _, want := range []string{
		"leadline_quota_leased_units 42", "leadline_instances 3",
		"leadline_clock_difference_seconds -2", "leadline_store_changes_behind_seconds 1",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("the metrics are\n%s\nwithout %s", got, want)
		}
	}
	alone := New(nil, nil)
	alone.Instances(func() int { return 1 }, seconds(0), nil)
	if got := read(t, alone); strings.Contains(got, "changes_behind") {
		t.Errorf("the metrics are\n%s", got)
	}
}
