package upstream

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// gaps returns the times between the requests to p.
func (p *provider) gaps() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []time.Duration
	for i := 1; i < len(p.times); i++ {
		list = append(list, p.times[i].Sub(p.times[i-1]))
	}
	return list
}

// failing returns a handler that fails n times and then succeeds.
func failing(n int, fail http.HandlerFunc) http.HandlerFunc {
	var requests atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= int64(n) {
			fail(w, r)
			return
		}
		number(w, r)
	}
}

// TestRetries checks which failures are retried, and how often.
func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name     string
		fail     http.HandlerFunc
		times    int
		requests int64
		ok       bool
	}{
		{"500 once", status(500), 1, 2, true},
		{"503 twice", status(503), 2, 3, true},
		{"429 twice", status(429), 2, 3, true},
		{"500 three times", status(500), 3, 3, false},
		{"cut short", raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n42", false), 1, 2, true},
		{"404", status(404), 1, 1, false},
		{"400", status(400), 1, 1, false},
		{"garbage", body("nonsense"), 1, 1, false},
		{"page", page(200), 1, 1, false},
		{"redirect elsewhere", redirect("http://localhost.invalid/"), 1, 1, false},
	} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			p.set(failing(test.times, test.fail))
			v, err := getNumber(t.Context(), c, p.request("/n", minutes))
			if p.requests.Load() != test.requests || test.ok != (err == nil) || test.ok && v.Data != 42 {
				t.Errorf("%s: %+v, %v, %d requests, want %d", test.name, v, err, p.requests.Load(),
					test.requests)
			}
			for _, gap := range p.gaps() {
				if gap < minWait || gap > maxWait {
					t.Errorf("%s: %v between attempts", test.name, gap)
				}
			}
		})
	}
}

func TestRetryAfterShort(t *testing.T) {
	for _, code := range []int{429, 503} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			p.set(failing(1, with("Retry-After", "4", status(code))))
			v, err := getNumber(t.Context(), c, p.request("/n", minutes))
			if gaps := p.gaps(); err != nil || v.Data != 42 || len(gaps) != 1 || gaps[0] < 4*time.Second {
				t.Errorf("%d: %+v, %v, gaps %v, want one of 4 s", code, v, err, gaps)
			}
		})
	}
}

// TestRetryAfterEnds checks that a long Retry-After of a host is obeyed until its last moment.
func TestRetryAfterEnds(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(failing(1, with("Retry-After", "60", status(429))))
		_, err := getNumber(t.Context(), c, p.request("/n", minutes))
		unavailable(t, err, "429")
		time.Sleep(57 * time.Second)
		_, err = getNumber(t.Context(), c, p.request("/other", minutes))
		e := unavailable(t, err, "asked for no requests")
		if e.RetryAfterSeconds != 3 || p.requests.Load() != 1 {
			t.Errorf("3 s before the end: retry after %d s, %d requests, want 3 and 1",
				e.RetryAfterSeconds, p.requests.Load())
		}
		time.Sleep(3 * time.Second)
		if v, err := getNumber(t.Context(), c, p.request("/other", minutes)); err != nil || v.Data != 42 {
			t.Errorf("at the end: %+v, %v, want 42", v, err)
		}
	})
}

// TestRetryAfterLong checks that callers get a long Retry-After and that it is obeyed: for the
// whole host after 429, else for the URL.
func TestRetryAfterLong(t *testing.T) {
	for _, test := range []struct {
		code  int
		value string
		other int64 // requests to another URL in that time
	}{
		{429, "60", 0},
		{503, "60", 1},
		{503, "date", 1},
	} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			p.set(func(w http.ResponseWriter, r *http.Request) {
				value := test.value
				if value == "date" {
					value = time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)
				}
				with("Retry-After", value, status(test.code))(w, r)
			})
			r := p.request("/n", minutes)
			for range 5 {
				_, err := getNumber(t.Context(), c, r)
				e := unavailable(t, err, fmt.Sprint(test.code))
				if got, most := e.RetryAfterSeconds, 60; got > most || got < most-6 {
					t.Errorf("%+v: RetryAfterSeconds = %d", test, got)
				}
				time.Sleep(time.Second)
			}
			if p.requests.Load() != 1 {
				t.Errorf("%+v: %d requests before the retry time, want 1", test, p.requests.Load())
			}
			p.set(number)
			getNumber(t.Context(), c, p.request("/other", minutes))
			if got := p.requests.Load() - 1; got != test.other {
				t.Errorf("%+v: another URL got %d requests, want %d", test, got, test.other)
			}
			time.Sleep(time.Minute)
			if _, err := getNumber(t.Context(), c, r); err != nil {
				t.Errorf("%+v: after the retry time: %v", test, err)
			}
		})
	}
}

// TestWaitsWithTheHost checks that a short pause that a host requests applies to all fetches.
func TestWaitsWithTheHost(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(failing(1, with("Retry-After", "4", status(429))))
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 5 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / 2)
				if _, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes)); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		for i, at := range p.times {
			if i > 0 && at.Sub(began) < 4*time.Second {
				t.Errorf("request %d came at %v, want none before 4s", i, at.Sub(began))
			}
		}
	})
}

func TestRetryAfterHeader(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-3": 0, "soon": 0, "99999999999999999999": 0, "1.5": 0,
		"Fri, 20 Nov 2026 12:00:30 GMT": 30 * time.Second,
		"Fri, 20 Nov 2026 11:00:30 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, at); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", text, got, want)
		}
	}
	h := http.Header{"Retry-After": {"Fri, 20 Nov 2026 13:00:30 GMT"},
		"Date": {"Fri, 20 Nov 2026 13:00:00 GMT"}}
	if got := retryAfter(h, at); got != 30*time.Second {
		t.Errorf("retryAfter by another clock = %v, want 30s", got)
	}
}

// TestBudget checks that retries are limited to a tenth of the requests and a few more.
func TestBudget(t *testing.T) {
	inBubble(t, Config{Rate: 1000, Burst: 1000}, func(t *testing.T, p *provider, c *Client) {
		const fetches = 60
		p.set(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "0") || strings.HasSuffix(r.URL.Path, "5") {
				w.WriteHeader(500)
				return
			}
			number(w, r)
		})
		var callers sync.WaitGroup
		for i := range fetches {
			callers.Go(func() { getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes)) })
		}
		callers.Wait()
		retries := p.requests.Load() - fetches
		if retries < 1 || retries > fetches/10+5 {
			t.Errorf("%d retries of %d requests, want some, at most %d", retries, fetches, fetches/10+5)
		}
	})
}

// TestBreaker checks when the breaker opens, that it lets one request through after its open time,
// and that it applies to one host only.
func TestBreaker(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(status(500))
		ask := func(i int) error {
			_, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes))
			return err
		}
		i := 0
		for ; p.requests.Load() < tripRequests; i++ {
			unavailable(t, ask(i), "returned 500")
		}
		for range 20 {
			e := unavailable(t, ask(i), "because it failed too often: it returned 500")
			if e.RetryAfterSeconds > 30 || !strings.Contains(e.Message, "gets no requests until") {
				t.Errorf("%q after %d s", e.Message, e.RetryAfterSeconds)
			}
			time.Sleep(time.Second)
		}
		if p.requests.Load() != tripRequests {
			t.Errorf("%d requests, want %d", p.requests.Load(), tripRequests)
		}
		if h := c.Health(); h.Status != Degraded || !strings.Contains(h.Message, "gets no requests") {
			t.Errorf("Health() = %+v, want degraded", h)
		}
		other := Request{URL: "http://elsewhere.test/1", Class: minutes}
		if _, err := getNumber(t.Context(), c, other); !strings.Contains(err.Error(), "500") {
			t.Errorf("another host: %v, want status 500", err)
		}
		time.Sleep(openTime)
		before := p.requests.Load()
		unavailable(t, ask(i), "returned 500") // the request of the half-open breaker
		unavailable(t, ask(i+1), "gets no requests")
		if got := p.requests.Load() - before; got != 1 {
			t.Errorf("%d requests while half-open, want 1", got)
		}
		p.set(number)
		time.Sleep(openTime + time.Second)
		for range 20 {
			if err := ask(i); err != nil {
				t.Errorf("after recovery: %v", err)
			}
			i++
		}
	})
}

// TestHalfOpen checks that a half-open breaker lets one request through.
func TestHalfOpen(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(body("nonsense"))
		for i := range tripRequests {
			getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes))
		}
		p.set(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			number(w, r)
		})
		time.Sleep(openTime + time.Second)
		before := p.requests.Load()
		var callers sync.WaitGroup
		var served, refused atomic.Int64
		for i := range 10 {
			callers.Go(func() {
				if _, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/again", i),
					minutes)); err != nil {
					unavailable(t, err,
						"is being retried after it failed: it returned an unknown response format")
					refused.Add(1)
					return
				}
				served.Add(1)
			})
		}
		synctest.Wait()
		if h := c.Health(); h.Status != Degraded || !strings.Contains(h.Message, "retried") {
			t.Errorf("Health() = %+v, want degraded", h)
		}
		callers.Wait()
		if p.requests.Load()-before != 1 || served.Load() != 1 || refused.Load() != 9 {
			t.Errorf("%d requests, %d served, %d refused, want 1, 1, 9", p.requests.Load()-before,
				served.Load(), refused.Load())
		}
		if h := c.Health(); h.Status != Operational || h.Message != "answers" ||
			h.Latency != time.Second {
			t.Errorf("Health() = %+v, want operational", h)
		}
	})
}

// TestNotFoundIsNoFailure checks that 404 responses do not open the breaker.
func TestNotFoundIsNoFailure(t *testing.T) {
	p, _ := loopback(t)
	p.set(status(404))
	c := newClient(t, Config{Rate: 1000})
	for i := range 3 * tripRequests {
		getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes))
	}
	p.set(number)
	if _, err := getNumber(t.Context(), c, p.request("/n", minutes)); err != nil {
		t.Error(err)
	}
}

func TestHealthBefore(t *testing.T) {
	want := Health{Status: Operational, Message: "no request yet", Breaker: "closed"}
	if h := newClient(t, Config{}).Health(); h != want {
		t.Errorf("Health() = %+v, want %+v", h, want)
	}
}

// TestPace checks the request rate and its burst.
func TestPace(t *testing.T) {
	inBubble(t, Config{Rate: 5, Burst: 3, Deadline: time.Minute},
		func(t *testing.T, p *provider, c *Client) {
			began := time.Now()
			var callers sync.WaitGroup
			for i := range 13 {
				callers.Go(func() {
					if _, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes)); err != nil {
						t.Error(err)
					}
				})
			}
			callers.Wait()
			for i, at := range p.times {
				if soonest := time.Duration(max(0, i-2)) * 200 * time.Millisecond; at.Sub(began) < soonest {
					t.Errorf("request %d came at %v, want not before %v", i, at.Sub(began), soonest)
				}
			}
		})
}

// TestCrowd checks the number of concurrent requests, and that callers whose deadline passes in the
// queue get an error.
func TestCrowd(t *testing.T) {
	inBubble(t, Config{Concurrency: 3, Deadline: 10 * time.Second, Rate: 100, Burst: 100},
		func(t *testing.T, p *provider, c *Client) {
			var now, most atomic.Int64
			p.set(func(w http.ResponseWriter, r *http.Request) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n) // a race may store too little, never too much
				}
				defer now.Add(-1)
				select {
				case <-time.After(4 * time.Second):
					number(w, r)
				case <-r.Context().Done():
				}
			})
			var callers sync.WaitGroup
			var served atomic.Int64
			for i := range 12 {
				callers.Go(func() {
					if _, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes)); err == nil {
						served.Add(1)
					}
				})
			}
			callers.Wait()
			if most.Load() != 3 || served.Load() != 6 {
				t.Errorf("%d at a time, %d served, want 3 and 6", most.Load(), served.Load())
			}
		})
}

// TestManyFlights checks that the number of fetches in progress is limited.
func TestManyFlights(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(hang)
		var callers sync.WaitGroup
		var refused atomic.Int64
		for i := range maxFlights + 100 {
			callers.Go(func() {
				_, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes))
				if err != nil && strings.Contains(err.Error(), "too many requests waiting") {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		if got := len(c.flights); got > maxFlights {
			t.Errorf("%d flights, want at most %d", got, maxFlights)
		}
		callers.Wait()
		if refused.Load() < 100 {
			t.Errorf("%d refused, want at least 100", refused.Load())
		}
	})
}

// TestManyBackoffs checks that the number of remembered failures is limited.
func TestManyBackoffs(t *testing.T) {
	c := newClient(t, Config{})
	now := noon
	for i := range 3 * maxBackoffs {
		c.noteFailure(key{url: fmt.Sprint(i)}, timedOut(nil), now.Add(time.Duration(i)*time.Millisecond))
	}
	if len(c.backoffs) > maxBackoffs {
		t.Errorf("%d backoffs, want at most %d", len(c.backoffs), maxBackoffs)
	}
}
