package status

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// traffic is a Traffic with a clock that tests set.
type traffic struct {
	*Traffic
	at time.Time
	r  *http.Request
}

func newTraffic() *traffic {
	t := &traffic{at: noon(), r: httptest.NewRequest("GET", "/api/v1/stations", nil)}
	t.Traffic = NewTraffic(APIName, func() time.Time { return t.at })
	return t
}

// count counts n responses with a status.
func (t *traffic) count(n, status int) {
	for range n {
		t.Observe(t.r, status, 3*time.Millisecond)
	}
}

// TestTrafficStates checks the limits of the states, and the words that describe them.
func TestTrafficStates(t *testing.T) {
	for _, test := range []struct {
		good, failed int
		want         string
		unknown      bool
		message      string
	}{
		{0, 0, Operational, true, "no requests in the last minute"},
		{1, 0, Operational, false, "1 request in the last minute, and it did not fail"},
		{2, 0, Operational, false, "none of 2 requests failed in the last minute"},
		{0, 1, Operational, true, "1 of 1 requests failed in the last minute, too few to judge"},
		{0, 19, Operational, true, "19 of 19 requests failed in the last minute, too few to judge"},
		{19, 1, Degraded, false, "1 of 20 requests failed in the last minute"},
		{20, 1, Operational, false, "1 of 21 requests failed in the last minute"},
		{36, 4, Degraded, false, "4 of 40 requests failed in the last minute"},
		{380, 20, Degraded, false, "20 of 400 requests failed in the last minute"},
		{381, 20, Operational, false, "20 of 401 requests failed in the last minute"},
		{201, 200, Degraded, false, "200 of 401 requests failed in the last minute"},
		{200, 200, Down, false, "200 of 400 requests failed in the last minute"},
		{0, 20, Down, false, "20 of 20 requests failed in the last minute"},
	} {
		s := newTraffic()
		s.count(test.good, http.StatusOK)
		s.count(test.failed, http.StatusServiceUnavailable)
		got := s.Component()
		if got.Name != APIName || string(got.Status) != test.want || got.unknown != test.unknown ||
			got.Message != test.message {
			t.Errorf("%d and %d failed: got %+v, want %s, unknown %t, %q",
				test.good, test.failed, got, test.want, test.unknown, test.message)
		}
	}
}

// TestTrafficFailures checks which responses count, and which of them as failures.
func TestTrafficFailures(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s := newTraffic()
	for _, status := range []int{200, 204, 304, 400, 401, 404, 429, 499, 500, 502, 503, 504} {
		s.count(1, status)
	}
	s.count(100, 0) // aborted
	s.r = s.r.WithContext(gone)
	s.count(100, http.StatusInternalServerError)
	s.count(100, http.StatusOK)
	const want = "4 of 12 requests failed in the last minute, too few to judge"
	if got := s.Component().Message; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTrafficWindow checks that responses count for a minute, and that the last use is kept.
func TestTrafficWindow(t *testing.T) {
	s := newTraffic()
	if got := s.Component(); got.CheckedAt != nil || got.LatencyMs != nil {
		t.Errorf("before the first use: got %+v, want no time of it", got)
	}
	s.count(30, http.StatusBadGateway)
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, Down},
		{59 * time.Second, Down},
		{time.Minute, Operational},
		{time.Hour, Operational},
		{-time.Second, Operational}, // the clock was set back
		{-time.Hour, Operational},
	} {
		s.at = noon().Add(step.after)
		got := s.Component()
		if string(got.Status) != step.want || !got.CheckedAt.Equal(noon()) || *got.LatencyMs != 3 {
			t.Errorf("after %v: got %+v, want %s, used at noon for 3 ms", step.after, got, step.want)
		}
	}
	s.at = noon().Add(time.Minute) // the same place in the ring
	s.count(2, http.StatusOK)
	const want = "none of 2 requests failed in the last minute"
	if got := s.Component().Message; got != want {
		t.Errorf("a minute later: got %q, want %q", got, want)
	}
}

// TestTrafficConcurrent checks that no response is lost while others are counted and read.
func TestTrafficConcurrent(t *testing.T) {
	const workers, each = 8, 1000
	s := newTraffic()
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				s.count(1, []int{200, 200, 200, 500}[i%4])
				if worker == 0 {
					s.Component()
				}
			}
		})
	}
	all.Wait()
	const want = "2000 of 8000 requests failed in the last minute"
	if got := s.Component().Message; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTrafficAllocations checks that counting a response does not allocate.
func TestTrafficAllocations(t *testing.T) {
	s := newTraffic()
	least := math.Inf(1) // other goroutines of the process add to single counts
	for range 5 {
		least = min(least, testing.AllocsPerRun(100, func() { s.count(1, 200) }))
	}
	if least != 0 {
		t.Errorf("a response allocates %v times, want 0", least)
	}
}

func BenchmarkTraffic(b *testing.B) {
	watch := trials.Start()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := NewTraffic(APIName, func() time.Time { return start.Add(watch.Elapsed()) })
	r := httptest.NewRequest("GET", "/api/v1/stations", nil)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			s.Observe(r, http.StatusOK, time.Millisecond)
		}
	})
}

func TestOverall(t *testing.T) {
	for _, test := range []struct{ api, nws, store, want string }{
		{Operational, Operational, Operational, Operational},
		{Operational, Degraded, Operational, Degraded},
		{Down, Operational, Operational, Degraded},
		{Operational, Degraded, Down, Down},
		{Down, Down, Degraded, Down},
	} {
		got := Overall([]Component{
			{Name: APIName, Status: coast.ServiceStatus(test.api)}, {Name: NWSName,
				Status: coast.ServiceStatus(test.nws)},
			{Name: StoreName, Status: coast.ServiceStatus(test.store)},
		})
		if got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}
