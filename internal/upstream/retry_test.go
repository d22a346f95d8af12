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

// gaps are the times between the questions that p was asked.
func (p *provider) gaps() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []time.Duration
	for i := 1; i < len(p.times); i++ {
		list = append(list, p.times[i].Sub(p.times[i-1]))
	}
	return list
}

// failing fails n times and then answers.
func failing(n int, fail http.HandlerFunc) http.HandlerFunc {
	var asked atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= int64(n) {
			fail(w, r)
			return
		}
		number(w, r)
	}
}

// TestRetries holds which failures are worth another attempt, and how many.
func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name  string
		fail  http.HandlerFunc
		times int
		asked int64
		ok    bool
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
			v, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
			if p.asked.Load() != test.asked || test.ok != (err == nil) || test.ok && v.Data != 42 {
				t.Errorf("%s: %+v, %v, asked %d times, want %d", test.name, v, err, p.asked.Load(), test.asked)
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
			v, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
			if gaps := p.gaps(); err != nil || v.Data != 42 || len(gaps) != 1 || gaps[0] < 4*time.Second {
				t.Errorf("%d: %+v, %v, gaps %v, want one of 4 s", code, v, err, gaps)
			}
		})
	}
}

// TestRetryAfterLong holds that a long wait is passed on and kept to: by the
// whole host when it is asked too often, else by the address.
func TestRetryAfterLong(t *testing.T) {
	for _, test := range []struct {
		code  int
		value string
		other int64 // how often another address is asked meanwhile
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
				_, err := Get(t.Context(), c, r, readNumber)
				e := unavailable(t, err, fmt.Sprint(test.code))
				if got, most := e.RetryAfterSeconds, 60; got > most || got < most-6 {
					t.Errorf("%+v: RetryAfterSeconds = %d", test, got)
				}
				time.Sleep(time.Second)
			}
			if p.asked.Load() != 1 {
				t.Errorf("%+v: asked %d times before its time, want once", test, p.asked.Load())
			}
			p.set(number)
			Get(t.Context(), c, p.request("/other", minutes), readNumber)
			if got := p.asked.Load() - 1; got != test.other {
				t.Errorf("%+v: another address was asked %d times, want %d", test, got, test.other)
			}
			time.Sleep(time.Minute)
			if _, err := Get(t.Context(), c, r, readNumber); err != nil {
				t.Errorf("%+v: after its time: %v", test, err)
			}
		})
	}
}

// TestWaitsWithTheHost holds that a host that asks for a moment gets it from
// all.
func TestWaitsWithTheHost(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(failing(1, with("Retry-After", "4", status(429))))
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 5 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / 2)
				if _, err := Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		for i, at := range p.times {
			if i > 0 && at.Sub(began) < 4*time.Second {
				t.Errorf("question %d came at %v, want none before 4s", i, at.Sub(began))
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
	h := http.Header{"Retry-After": {"Fri, 20 Nov 2026 13:00:30 GMT"}, "Date": {"Fri, 20 Nov 2026 13:00:00 GMT"}}
	if got := retryAfter(h, at); got != 30*time.Second {
		t.Errorf("retryAfter by another clock = %v, want 30s", got)
	}
}

// TestBudget holds retries to a tenth of the questions and a few.
func TestBudget(t *testing.T) {
	inBubble(t, Config{Rate: 1000, Burst: 1000}, func(t *testing.T, p *provider, c *Client) {
		const questions = 60
		p.set(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "0") || strings.HasSuffix(r.URL.Path, "5") {
				w.WriteHeader(500)
				return
			}
			number(w, r)
		})
		var callers sync.WaitGroup
		for i := range questions {
			callers.Go(func() { Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber) })
		}
		callers.Wait()
		retries := p.asked.Load() - questions
		if retries < 1 || retries > questions/10+5 {
			t.Errorf("%d retries of %d questions, want some, at most %d", retries, questions, questions/10+5)
		}
	})
}

// TestBreaker holds when it opens, that it lets one through after its time,
// and that it speaks for one host only.
func TestBreaker(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(status(500))
		ask := func(i int) error {
			_, err := Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber)
			return err
		}
		i := 0
		for ; p.asked.Load() < tripRequests; i++ {
			unavailable(t, ask(i), "answered 500")
		}
		for range 20 {
			e := unavailable(t, ask(i), "because it failed too often")
			if e.RetryAfterSeconds > 30 || !strings.Contains(e.Message, "is left alone until") {
				t.Errorf("%q after %d s", e.Message, e.RetryAfterSeconds)
			}
			time.Sleep(time.Second)
		}
		if p.asked.Load() != tripRequests {
			t.Errorf("asked %d times, want %d", p.asked.Load(), tripRequests)
		}
		if h := c.Health(); h.Status != Degraded || !strings.Contains(h.Message, "left alone") {
			t.Errorf("Health() = %+v, want degraded", h)
		}
		other := Request{URL: "http://elsewhere.test/1", Class: minutes}
		if _, err := Get(t.Context(), c, other, readNumber); !strings.Contains(err.Error(), "500") {
			t.Errorf("another host: %v, want it asked", err)
		}
		time.Sleep(openTime)
		before := p.asked.Load()
		unavailable(t, ask(i), "answered 500") // the one that is let through
		unavailable(t, ask(i+1), "is left alone")
		if got := p.asked.Load() - before; got != 1 {
			t.Errorf("half open it asked %d times, want once", got)
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

// TestHalfOpen holds that one request finds out whether the provider is back.
func TestHalfOpen(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(body("nonsense"))
		for i := range tripRequests {
			Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber)
		}
		p.set(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			number(w, r)
		})
		time.Sleep(openTime + time.Second)
		before := p.asked.Load()
		var callers sync.WaitGroup
		var answered, refused atomic.Int64
		for i := range 10 {
			callers.Go(func() {
				if _, err := Get(t.Context(), c, p.request(fmt.Sprint("/again", i), minutes), readNumber); err != nil {
					unavailable(t, err, "is being tried again")
					refused.Add(1)
					return
				}
				answered.Add(1)
			})
		}
		synctest.Wait()
		if h := c.Health(); h.Status != Degraded || !strings.Contains(h.Message, "tried again") {
			t.Errorf("Health() = %+v, want degraded", h)
		}
		callers.Wait()
		if p.asked.Load()-before != 1 || answered.Load() != 1 || refused.Load() != 9 {
			t.Errorf("asked %d, answered %d, refused %d, want 1, 1, 9", p.asked.Load()-before, answered.Load(), refused.Load())
		}
		if h := c.Health(); h.Status != Operational || h.Message != "answers" || h.Latency != time.Second {
			t.Errorf("Health() = %+v, want operational", h)
		}
	})
}

// TestRefusalsAreAnswers holds that what a provider knows nothing of is no
// failure of it.
func TestRefusalsAreAnswers(t *testing.T) {
	p, _ := loopback(t)
	p.set(status(404))
	c := newClient(t, Config{Rate: 1000})
	for i := range 3 * tripRequests {
		Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber)
	}
	p.set(number)
	if _, err := Get(t.Context(), c, p.request("/n", minutes), readNumber); err != nil {
		t.Error(err)
	}
}

func TestHealthBefore(t *testing.T) {
	if h := newClient(t, Config{}).Health(); h != (Health{Status: Operational, Message: "not asked yet", Breaker: "closed"}) {
		t.Errorf("Health() = %+v", h)
	}
}

// TestPace holds the rate and its burst.
func TestPace(t *testing.T) {
	inBubble(t, Config{Rate: 5, Burst: 3, Deadline: time.Minute}, func(t *testing.T, p *provider, c *Client) {
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 13 {
			callers.Go(func() {
				if _, err := Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		for i, at := range p.times {
			if soonest := time.Duration(max(0, i-2)) * 200 * time.Millisecond; at.Sub(began) < soonest {
				t.Errorf("question %d came at %v, want not before %v", i, at.Sub(began), soonest)
			}
		}
	})
}

// TestCrowd holds how many are asked at a time, and what those are told for
// whom there is no time left: it is not the provider that failed.
func TestCrowd(t *testing.T) {
	inBubble(t, Config{Concurrency: 3, Deadline: 10 * time.Second, Rate: 100, Burst: 100}, func(t *testing.T, p *provider, c *Client) {
		var now, most atomic.Int64
		p.set(func(w http.ResponseWriter, r *http.Request) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n) // a race loses a little, never shows more than there were
			}
			defer now.Add(-1)
			select {
			case <-time.After(4 * time.Second):
				number(w, r)
			case <-r.Context().Done():
			}
		})
		var callers sync.WaitGroup
		var answered atomic.Int64
		for i := range 12 {
			callers.Go(func() {
				if _, err := Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber); err == nil {
					answered.Add(1)
				}
			})
		}
		callers.Wait()
		if most.Load() != 3 || answered.Load() != 6 {
			t.Errorf("%d at a time, %d answered, want 3 and 6", most.Load(), answered.Load())
		}
	})
}

// TestManyFlights holds that the fetches under way are bounded.
func TestManyFlights(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(hang)
		var callers sync.WaitGroup
		var refused atomic.Int64
		for i := range maxFlights + 100 {
			callers.Go(func() {
				_, err := Get(t.Context(), c, p.request(fmt.Sprint("/", i), minutes), readNumber)
				if err != nil && strings.Contains(err.Error(), "questions waiting") {
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

// TestManyTroubles holds that the memory of failures is bounded.
func TestManyTroubles(t *testing.T) {
	c := newClient(t, Config{})
	now := time.Now()
	for i := range 3 * maxBackoffs {
		c.noteFailure(key{url: fmt.Sprint(i)}, timedOut(nil), now.Add(time.Duration(i)*time.Millisecond))
	}
	if len(c.backoffs) > maxBackoffs {
		t.Errorf("%d troubles, want at most %d", len(c.backoffs), maxBackoffs)
	}
}
