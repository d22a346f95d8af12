package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

var minutes = Class{Fresh: 3 * time.Minute, Expiry: time.Hour}

// secondsSince responds with the number of seconds since it was called.
func secondsSince(clock func() time.Time) http.HandlerFunc {
	began := clock()
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, int(clock().Sub(began).Seconds()))
	}
}

// TestAges checks lookups of entries of all ages while the provider is up.
func TestAges(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(secondsSince(time.Now))
		r := p.request("/n", minutes)
		for _, step := range []struct {
			sleep    time.Duration
			data     int
			stale    bool
			requests int64 // requests, once the refresh has finished
		}{
			{0, 0, false, 1},
			{2 * time.Minute, 0, false, 1},
			{2 * time.Minute, 0, true, 2},                  // 4 minutes old: a refresh in the background
			{time.Minute, 240, false, 2},                   // the refreshed entry
			{time.Hour, 240 + 60 + 3600, false, 3},         // expired: waits
			{6 * time.Minute, 3900 + 6*60, false, 4},       // exactly twice Fresh
			{6*time.Minute - 1, 3900 + 360, true, 5},       // just below
			{3 * time.Minute, 3900 + 2*360 + 180, true, 6}, // exactly Fresh
		} {
			time.Sleep(step.sleep)
			v, err := getNumber(t.Context(), c, r)
			synctest.Wait()
			if step.stale && step.data > 4000 {
				step.data = v.Data // the time of the refresh; its age is checked below
			}
			if err != nil || v.Data != step.data || v.Stale != step.stale ||
				p.requests.Load() != step.requests {
				t.Errorf("after %v: %d, stale %v, %v, %d requests; want %+v", step.sleep, v.Data, v.Stale, err,
					p.requests.Load(), step)
			}
			if age := time.Since(v.ReceivedAt); !v.Stale && age >= r.Class.Fresh {
				t.Errorf("after %v: an entry of age %v is not stale", step.sleep, age)
			}
		}
	})
}

// TestStaleUntilExpiry checks lookups of entries of all ages while the provider is down.
func TestStaleUntilExpiry(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		first, err := getNumber(t.Context(), c, r)
		if err != nil {
			t.Fatal(err)
		}
		p.set(status(503))
		for time.Since(first.ReceivedAt) < time.Hour-time.Minute {
			time.Sleep(time.Minute)
			v, err := getNumber(t.Context(), c, r)
			age := time.Since(v.ReceivedAt)
			if err != nil || v.Stale != (age >= 3*time.Minute) || !v.ReceivedAt.Equal(first.ReceivedAt) {
				t.Fatalf("at age %v: %+v, %v", age, v, err)
			}
		}
		time.Sleep(2 * time.Minute)
		_, err = getNumber(t.Context(), c, r)
		unavailable(t, err, "returned 503")
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek returns an expired entry")
		}
		p.set(number)
		time.Sleep(time.Minute)
		if v, err := getNumber(t.Context(), c, r); err != nil || v.Stale {
			t.Errorf("after recovery: %+v, %v, want a fresh value", v, err)
		}
	})
}

// TestClockSetBack checks that an entry from the future is not used.
func TestClockSetBack(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		if _, err := getNumber(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		a, _ := c.cache.GetIfPresent(r.key())
		a.receivedAt = time.Now().Add(time.Hour)
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek returns an entry from the future")
		}
		v, err := getNumber(t.Context(), c, r)
		if err != nil || v.ReceivedAt.After(time.Now()) || p.requests.Load() != 2 {
			t.Errorf("%+v, %v, %d requests, want 2", v, err, p.requests.Load())
		}
	})
}

// TestBackoff checks that a provider that is down does not get a request for each lookup.
func TestBackoff(t *testing.T) {
	for _, warm := range []bool{false, true} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			r := p.request("/n", minutes)
			if warm {
				if _, err := getNumber(t.Context(), c, r); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute)
			}
			p.set(body("nonsense"))
			before := p.requests.Load()
			for range 1000 {
				v, err := getNumber(t.Context(), c, r)
				if warm != (err == nil) || warm && !v.Stale {
					t.Fatalf("warm %v: %+v, %v", warm, v, err)
				}
				time.Sleep(60 * time.Millisecond)
			}
			// in a minute: at 0, 2, 6, 14, 30 and 60 s
			if requests := p.requests.Load() - before; requests < 3 || requests > 6 {
				t.Errorf("warm %v: %d requests in a minute, want 3 to 6", warm, requests)
			}
		})
	}
}

// TestFlapping uses a provider that takes 150 ms and fails for 2 of every 6 seconds. It checks
// that none of 50 callers gets an error, or a stale value that is marked fresh.
func TestFlapping(t *testing.T) {
	const fresh, slow = 500 * time.Millisecond, 150 * time.Millisecond
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		began := time.Now()
		up := func(w http.ResponseWriter, _ *http.Request) {
			made := time.Since(began)
			time.Sleep(slow)
			if time.Since(began)%(6*time.Second) > 4*time.Second {
				w.WriteHeader(503)
				return
			}
			fmt.Fprint(w, made.Milliseconds())
		}
		p.set(up)
		r := p.request("/n", Class{Fresh: fresh, Expiry: 5 * time.Minute})
		check := func(v Value[int], err error) {
			now := time.Now()
			made := began.Add(time.Duration(v.Data) * time.Millisecond)
			switch {
			case err != nil:
				t.Errorf("at %v: %v", now.Sub(began), err)
			case v.ReceivedAt.Before(made) || v.ReceivedAt.After(now):
				t.Errorf("at %v: made %v, received %v", now.Sub(began), made, v.ReceivedAt)
			case !v.Stale && now.Sub(v.ReceivedAt) >= fresh:
				t.Errorf("at %v: a value of age %v is marked fresh", now.Sub(began), now.Sub(v.ReceivedAt))
			case !v.Stale && now.Sub(made) > fresh+slow+time.Millisecond:
				t.Errorf("at %v: data of age %v are marked fresh", now.Sub(began), now.Sub(made))
			}
		}
		check(getNumber(t.Context(), c, r))
		var callers sync.WaitGroup
		for i := range 50 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				for time.Since(began) < 36*time.Second {
					check(getNumber(t.Context(), c, r))
					time.Sleep(50 * time.Millisecond)
				}
			})
		}
		callers.Wait()
		if requests := p.requests.Load(); requests > 100 {
			t.Errorf("%d requests in 36 s, want at most 100", requests)
		}
	})
}

func TestSingleFlight(t *testing.T) {
	p, _ := loopback(t)
	release := make(chan struct{})
	p.set(func(w http.ResponseWriter, r *http.Request) {
		<-release
		number(w, r)
	})
	c := newClient(t, Config{})
	var callers sync.WaitGroup
	var reads atomic.Int64
	read := func(r Response) (int, error) {
		reads.Add(1)
		return readNumber(r)
	}
	for range 200 {
		callers.Go(func() {
			if v, err := Get(t.Context(), c, p.request("/n", minutes), read); err != nil || v.Data != 42 ||
				v.Stale {
				t.Errorf("Get = %+v, %v", v, err)
			}
		})
	}
	trials.WaitFor(t, "a request", func() bool { return p.requests.Load() > 0 })
	close(release)
	callers.Wait()
	if p.requests.Load() != 1 || reads.Load() != 1 {
		t.Errorf("%d requests, %d reads, want 1 each", p.requests.Load(), reads.Load())
	}
}

// TestCallerLeaves checks that a caller that leaves does not end the fetch for others.
func TestCallerLeaves(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(4 * time.Second)
			number(w, r)
		})
		r := p.request("/n?key=secret", minutes)
		began := time.Now()
		var callers sync.WaitGroup
		callers.Go(func() {
			if v, err := getNumber(t.Context(), c, r); err != nil || v.Data != 42 {
				t.Errorf("caller that waits: %+v, %v", v, err)
			}
		})
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := getNumber(ctx, c, r)
			unavailable(t, err, "did not answer in time")
			if time.Since(began) != time.Second {
				t.Errorf("deadline after %v, want 1s", time.Since(began))
			}
		})
		callers.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := getNumber(ctx, c, r); !errors.Is(err, context.Canceled) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("caller that leaves: %v, want context.Canceled", err)
			}
		})
		callers.Wait()
		if p.requests.Load() != 1 {
			t.Errorf("%d requests, want 1", p.requests.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if v, err := getNumber(ctx, c, r); err != nil || v.Data != 42 {
			t.Errorf("a fresh entry after cancellation: %+v, %v", v, err)
		}
		_, err := getNumber(ctx, c, p.request("/other", minutes))
		if !errors.Is(err, context.Canceled) || p.requests.Load() != 1 {
			t.Errorf("canceled before: %v, %d requests, want no further one", err, p.requests.Load())
		}
	})
}

// TestFinished checks that a lookup that missed the cache before a flight finished, and joins after
// that, gets the entry of the flight.
func TestFinished(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	r := p.request("/n", minutes)
	late, err := newQuery(r, "", nil, untyped(readNumber))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := getNumber(t.Context(), c, r); err != nil {
		t.Fatal(err)
	}
	a, err := c.await(t.Context(), late)
	cached, _ := c.cache.GetIfPresent(r.key())
	if err != nil || a != cached || p.requests.Load() != 1 {
		t.Errorf("await = %v, %v, %d requests, want the entry", a, err, p.requests.Load())
	}
}

// TestInvalidURL checks that an invalid URL is an internal error.
func TestInvalidURL(t *testing.T) {
	c := newClient(t, Config{})
	_, err := getNumber(t.Context(), c, Request{URL: "http://[::1"})
	if _, known := coast.AsError(err); err == nil || known {
		t.Errorf("error = %v, want an internal one", err)
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for back, want := range map[time.Duration]time.Duration{
		0: 0, time.Hour: time.Hour, -time.Second: 0, -clockSlack: 0, -clockSlack - 1: neverUsable,
	} {
		a := entry{receivedAt: now.Add(-back)}
		if got := a.age(now); got != want {
			t.Errorf("age %v back = %v, want %v", back, got, want)
		}
	}
}

// TestStaleAtDeadline checks that a caller gets a stale entry at its deadline.
func TestStaleAtDeadline(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		if _, err := getNumber(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		p.set(hang)
		time.Sleep(30 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if v, err := getNumber(ctx, c, r); err != nil || !v.Stale {
			t.Errorf("Get = %+v, %v, want the stale entry", v, err)
		}
	})
}

func TestNegative(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(status(404))
		r := p.request("/n", Class{Fresh: time.Hour, Expiry: 2 * time.Hour})
		for range 5 {
			_, err := getNumber(t.Context(), c, r)
			e, ok := errors.AsType[*coast.Error](err)
			if !ok || e.Code != coast.NotFound || e.Message != "no such number" {
				t.Fatalf("error = %v, want the reader's", err)
			}
			e.Message = "changed by a caller"
		}
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek returns an entry without data")
		}
		if p.requests.Load() != 1 {
			t.Errorf("%d requests within Negative, want 1", p.requests.Load())
		}
		time.Sleep(defaultNegative)
		p.set(status(503))
		_, err := getNumber(t.Context(), c, r)
		unavailable(t, err, "returned 503") // not "no such number", which has expired
		p.set(number)
		time.Sleep(time.Minute)
		if v, err := getNumber(t.Context(), c, r); err != nil || v.Data != 42 {
			t.Errorf("%+v, %v, want 42", v, err)
		}
	})
}

// TestReaderSaysUnavailable checks that callers get the message of a reader that reports a failure
// of the provider.
func TestReaderSaysUnavailable(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	_, err := Get(t.Context(), c, p.request("/n", minutes), func(Response) (int, error) {
		return 0, fmt.Errorf("reading levels: %w", coast.Errorf(coast.ProviderUnavailable,
			"NOAA CO-OPS says system error. No data is invented."))
	})
	unavailable(t, err, "says system error")
}

// TestTypes parses one response to two types, from one request.
func TestTypes(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	r := p.request("/n", minutes)
	text := func(r Response) (string, error) { return string(r.Body), nil }
	for range 2 {
		n, err := getNumber(t.Context(), c, r)
		s, err2 := Get(t.Context(), c, r, text)
		if err != nil || err2 != nil || n.Data != 42 || s.Data != "42" {
			t.Errorf("%+v, %v; %+v, %v", n, err, s, err2)
		}
	}
	if p.requests.Load() != 1 {
		t.Errorf("%d requests, want 1", p.requests.Load())
	}
}

// TestResponse checks the Response that a reader gets, and the request.
func TestResponse(t *testing.T) {
	p, _ := loopback(t)
	p.set(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("User-Agent"); got != "test (nobody@example.org)" {
			t.Errorf("User-Agent %q", got)
		}
		if got := r.Header.Get("Accept"); got != "text/plain" {
			t.Errorf("Accept %q", got)
		}
		w.Header().Set("Content-Type", "Application/Problem+JSON; charset=utf-8")
		w.Header().Set("Date", "Thu, 20 Nov 2025 12:00:00 GMT")
		w.Header().Set("Last-Modified", "Thu, 20 Nov 2025 11:54:00 GMT")
		w.WriteHeader(400)
		w.Write([]byte("why"))
	})
	received := time.Date(2025, 11, 20, 7, 0, 1, 0, time.FixedZone("EST", -5*3600))
	c := newClient(t, Config{Now: func() time.Time { return received }})
	v, err := Get(t.Context(), c, p.request("/n", minutes),
		func(r Response) (Response, error) { return r, nil })
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	if r := v.Data; r.Status != 400 || r.Type != "application/problem+json" ||
		string(r.Body) != "why" || r.Date != noon || r.LastModified != noon.Add(-6*time.Minute) {
		t.Errorf("response %+v", r)
	}
	if v.Date != noon || v.ReceivedAt != noon.Add(time.Second) {
		t.Errorf("date %v, received %v", v.Date, v.ReceivedAt)
	}
}

func TestNotModified(t *testing.T) {
	for _, validator := range [][2]string{{"ETag", `W/"x1"`},
		{"Last-Modified", "Thu, 20 Nov 2025 11:54:00 GMT"}} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			unchanged := 0
			p.set(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(validator[0], validator[1])
				condition := map[string]string{
					"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since",
				}[validator[0]]
				got := r.Header.Get(condition)
				if got == validator[1] {
					unchanged++
					w.WriteHeader(304)
					return
				}
				number(w, r)
			})
			reads := 0
			read := func(r Response) (int, error) {
				reads++
				return readNumber(r)
			}
			r := p.request("/n", minutes)
			first, _ := Get(t.Context(), c, r, read)
			for range 3 {
				time.Sleep(10 * time.Minute)
				v, err := Get(t.Context(), c, r, read)
				if err != nil || v.Data != 42 || v.Stale || time.Since(v.ReceivedAt) != 0 ||
					!v.Date.After(first.Date) {
					t.Errorf("%s: %+v, %v", validator[0], v, err)
				}
			}
			if unchanged != 3 || reads != 1 {
				t.Errorf("%s: found unchanged %d times, read %d times, want 3 and 1", validator[0], unchanged,
					reads)
			}
		})
	}
}

// TestFollows checks that up to three redirects within the host are followed.
func TestFollows(t *testing.T) {
	p, _ := loopback(t)
	p.set(func(w http.ResponseWriter, r *http.Request) {
		if left := strings.TrimPrefix(r.URL.Path, "/"); left != "" {
			http.Redirect(w, r, "/"+left[1:], http.StatusMovedPermanently)
			return
		}
		number(w, r)
	})
	c := newClient(t, Config{})
	for path, ok := range map[string]bool{"/a": true, "/aaa": true, "/aaaa": false} {
		if _, err := getNumber(t.Context(), c, p.request(path, minutes)); ok != (err == nil) {
			t.Errorf("%d redirects: %v", len(path)-1, err)
		}
	}
}

func TestOffline(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{Offline: true, Now: fixed})
	r := p.request("/n", minutes)
	_, err := getNumber(t.Context(), c, r)
	unavailable(t, err, "--offline")
	c.cache.Set(r.key(), &entry{response: Response{Status: 200, Body: []byte("7")},
		receivedAt: noon.Add(-30 * time.Minute)})
	if v, err := getNumber(t.Context(), c, r); err != nil || v.Data != 7 || !v.Stale {
		t.Errorf("Get = %+v, %v, want the stale entry", v, err)
	}
	if v, ok := Peek(c, r, readNumber); !ok || v.Data != 7 || !v.Stale {
		t.Errorf("Peek = %+v, %v, want the stale entry", v, ok)
	}
	if p.requests.Load() != 0 {
		t.Errorf("%d requests", p.requests.Load())
	}
	if h := c.Health(); h.Status != Degraded || !h.CheckedAt.IsZero() ||
		!strings.Contains(h.Message, "--offline") {
		t.Errorf("Health() = %+v", h)
	}
}

// TestClosed checks that Close ends the waiting of callers.
func TestClosed(t *testing.T) {
	p, _ := loopback(t)
	p.set(hang)
	c := newClient(t, Config{})
	got := make(chan error)
	go func() {
		_, err := getNumber(t.Context(), c, p.request("/n", minutes))
		got <- err
	}()
	trials.WaitFor(t, "a request", func() bool { return p.requests.Load() > 0 })
	c.Close()
	unavailable(t, <-got, "shutting down")
	_, err := getNumber(t.Context(), c, p.request("/m", minutes))
	unavailable(t, err, "shutting down")
}
