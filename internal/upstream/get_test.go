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
)

var minutes = Class{Fresh: 3 * time.Minute, Expiry: time.Hour}

// clockwise answers the number of seconds since the first question.
func secondsSince() http.HandlerFunc {
	began := time.Now()
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, int(time.Since(began).Seconds())) }
}

// TestLadder goes through the ages of an answer while the provider is up.
func TestLadder(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(secondsSince())
		r := p.request("/n", minutes)
		for _, step := range []struct {
			sleep time.Duration
			data  int
			stale bool
			asked int64 // when all is quiet again
		}{
			{0, 0, false, 1},
			{2 * time.Minute, 0, false, 1},
			{2 * time.Minute, 0, true, 2},                  // 4 minutes old: a refresh behind the answer
			{time.Minute, 240, false, 2},                   // and here it is
			{time.Hour, 240 + 60 + 3600, false, 3},         // long silence: waited for
			{6 * time.Minute, 3900 + 6*60, false, 4},       // exactly twice Fresh
			{6*time.Minute - 1, 3900 + 360, true, 5},       // just below
			{3 * time.Minute, 3900 + 2*360 + 180, true, 6}, // exactly Fresh
		} {
			time.Sleep(step.sleep)
			v, err := Get(t.Context(), c, r, readNumber)
			synctest.Wait()
			if step.stale && step.data > 4000 {
				step.data = v.Data // the refresh's own moment; its age is checked below
			}
			if err != nil || v.Data != step.data || v.Stale != step.stale || p.asked.Load() != step.asked {
				t.Errorf("after %v: %d, stale %v, %v, asked %d; want %+v", step.sleep, v.Data, v.Stale, err, p.asked.Load(), step)
			}
			if age := time.Since(v.ReceivedAt); !v.Stale && age >= r.Class.Fresh {
				t.Errorf("after %v: an answer of age %v is not stale", step.sleep, age)
			}
		}
	})
}

// TestStaleUntilKeep goes through the ages while the provider is down.
func TestStaleUntilExpiry(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		first, err := Get(t.Context(), c, r, readNumber)
		if err != nil {
			t.Fatal(err)
		}
		p.set(status(503))
		for time.Since(first.ReceivedAt) < time.Hour-time.Minute {
			time.Sleep(time.Minute)
			v, err := Get(t.Context(), c, r, readNumber)
			age := time.Since(v.ReceivedAt)
			if err != nil || v.Stale != (age >= 3*time.Minute) || !v.ReceivedAt.Equal(first.ReceivedAt) {
				t.Fatalf("at age %v: %+v, %v", age, v, err)
			}
		}
		time.Sleep(2 * time.Minute)
		_, err = Get(t.Context(), c, r, readNumber)
		unavailable(t, err, "answered 503")
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek answers what is past its Keep")
		}
		p.set(number)
		time.Sleep(time.Minute)
		if v, err := Get(t.Context(), c, r, readNumber); err != nil || v.Stale {
			t.Errorf("after recovery: %+v, %v, want a fresh value", v, err)
		}
	})
}

// TestClockSetBack holds that an answer from the future is not trusted.
func TestClockSetBack(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		if _, err := Get(t.Context(), c, r, readNumber); err != nil {
			t.Fatal(err)
		}
		a, _ := c.cache.GetIfPresent(r.key())
		a.receivedAt = time.Now().Add(time.Hour)
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek answers what comes from the future")
		}
		v, err := Get(t.Context(), c, r, readNumber)
		if err != nil || v.ReceivedAt.After(time.Now()) || p.asked.Load() != 2 {
			t.Errorf("%+v, %v, asked %d, want it asked again", v, err, p.asked.Load())
		}
	})
}

// TestNobodyHammers holds that a provider that is down is not asked for each
// caller.
func TestNobodyHammers(t *testing.T) {
	for _, warm := range []bool{false, true} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			r := p.request("/n", minutes)
			if warm {
				if _, err := Get(t.Context(), c, r, readNumber); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute)
			}
			p.set(body("nonsense"))
			before := p.asked.Load()
			for range 1000 {
				v, err := Get(t.Context(), c, r, readNumber)
				if warm != (err == nil) || warm && !v.Stale {
					t.Fatalf("warm %v: %+v, %v", warm, v, err)
				}
				time.Sleep(60 * time.Millisecond)
			}
			// In a minute: at 0, 2, 6, 14, 30 and 60 s.
			if asked := p.asked.Load() - before; asked < 3 || asked > 6 {
				t.Errorf("warm %v: asked %d times in a minute, want 3 to 6", warm, asked)
			}
		})
	}
}

// TestFlapping lets a provider that takes 150 ms fail 2 of 6 seconds under 50
// callers: none sees an error, and no value is called fresher than it is.
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
				t.Errorf("at %v: a value of age %v is called fresh", now.Sub(began), now.Sub(v.ReceivedAt))
			case !v.Stale && now.Sub(made) > fresh+slow+time.Millisecond:
				t.Errorf("at %v: data of age %v are called fresh", now.Sub(began), now.Sub(made))
			}
		}
		check(Get(t.Context(), c, r, readNumber))
		var callers sync.WaitGroup
		for i := range 50 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				for time.Since(began) < 36*time.Second {
					check(Get(t.Context(), c, r, readNumber))
					time.Sleep(50 * time.Millisecond)
				}
			})
		}
		callers.Wait()
		if asked := p.asked.Load(); asked > 100 {
			t.Errorf("asked %d times in 36 s, want at most 100", asked)
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
			if v, err := Get(t.Context(), c, p.request("/n", minutes), read); err != nil || v.Data != 42 || v.Stale {
				t.Errorf("Get = %+v, %v", v, err)
			}
		})
	}
	for p.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	callers.Wait()
	if p.asked.Load() != 1 || reads.Load() != 1 {
		t.Errorf("asked %d times, read %d times, want once", p.asked.Load(), reads.Load())
	}
}

// TestCallerLeaves holds that one caller's end is not the others'.
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
			if v, err := Get(t.Context(), c, r, readNumber); err != nil || v.Data != 42 {
				t.Errorf("who waits: %+v, %v", v, err)
			}
		})
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := Get(ctx, c, r, readNumber)
			unavailable(t, err, "did not answer in time")
			if time.Since(began) != time.Second {
				t.Errorf("deadline after %v, want 1s", time.Since(began))
			}
		})
		callers.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := Get(ctx, c, r, readNumber); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "secret") {
				t.Errorf("who leaves: %v, want context.Canceled", err)
			}
		})
		callers.Wait()
		if p.asked.Load() != 1 {
			t.Errorf("asked %d times, want once", p.asked.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if v, err := Get(ctx, c, r, readNumber); err != nil || v.Data != 42 {
			t.Errorf("a kept answer costs no wait: %+v, %v", v, err)
		}
		if _, err := Get(ctx, c, p.request("/other", minutes), readNumber); !errors.Is(err, context.Canceled) || p.asked.Load() != 1 {
			t.Errorf("cancelled before: %v, asked %d, want nobody asked", err, p.asked.Load())
		}
	})
}

// TestLanded holds that who looked before a flight landed, and asks after it,
// gets its answer.
func TestLanded(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	r := p.request("/n", minutes)
	late, err := newQuery(r, "", nil, untyped(readNumber))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Get(t.Context(), c, r, readNumber); err != nil {
		t.Fatal(err)
	}
	a, err := c.await(t.Context(), late)
	if kept, _ := c.cache.GetIfPresent(r.key()); err != nil || a != kept || p.asked.Load() != 1 {
		t.Errorf("await = %v, %v, asked %d times, want what landed", a, err, p.asked.Load())
	}
}

// TestAddress holds that an address that is none is a fault of ours.
func TestAddress(t *testing.T) {
	c := newClient(t, Config{})
	_, err := Get(t.Context(), c, Request{URL: "http://[::1"}, readNumber)
	if _, known := coast.AsError(err); err == nil || known {
		t.Errorf("error = %v, want one that is not for callers", err)
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

// TestStaleAtDeadline holds that who cannot wait gets what is kept.
func TestStaleAtDeadline(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		r := p.request("/n", minutes)
		if _, err := Get(t.Context(), c, r, readNumber); err != nil {
			t.Fatal(err)
		}
		p.set(hang)
		time.Sleep(30 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if v, err := Get(ctx, c, r, readNumber); err != nil || !v.Stale {
			t.Errorf("Get = %+v, %v, want the kept answer, stale", v, err)
		}
	})
}

func TestNegative(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		p.set(status(404))
		r := p.request("/n", Class{Fresh: time.Hour, Expiry: 2 * time.Hour})
		for range 5 {
			_, err := Get(t.Context(), c, r, readNumber)
			e, ok := errors.AsType[*coast.Error](err)
			if !ok || e.Code != coast.NotFound || e.Message != "no such number" {
				t.Fatalf("error = %v, want the reader's", err)
			}
			e.Message = "spoiled by a caller"
		}
		if _, ok := Peek(c, r, readNumber); ok {
			t.Error("Peek answers that there is nothing")
		}
		if p.asked.Load() != 1 {
			t.Errorf("asked %d times within Negative, want once", p.asked.Load())
		}
		time.Sleep(defaultNegative)
		p.set(status(503))
		_, err := Get(t.Context(), c, r, readNumber)
		unavailable(t, err, "answered 503") // not "there is nothing": that was a while ago
		p.set(number)
		time.Sleep(time.Minute)
		if v, err := Get(t.Context(), c, r, readNumber); err != nil || v.Data != 42 {
			t.Errorf("%+v, %v, want what there is now", v, err)
		}
	})
}

// TestReaderSaysUnavailable holds that a reader may name the provider's
// failure.
func TestReaderSaysUnavailable(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	_, err := Get(t.Context(), c, p.request("/n", minutes), func(Response) (int, error) {
		return 0, fmt.Errorf("reading levels: %w", coast.Errorf(coast.ProviderUnavailable, "NOAA CO-OPS says system error. No data is invented."))
	})
	unavailable(t, err, "says system error")
}

// TestTypes reads one answer to two types, from one request.
func TestTypes(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	r := p.request("/n", minutes)
	text := func(r Response) (string, error) { return string(r.Body), nil }
	for range 2 {
		n, err := Get(t.Context(), c, r, readNumber)
		s, err2 := Get(t.Context(), c, r, text)
		if err != nil || err2 != nil || n.Data != 42 || s.Data != "42" {
			t.Errorf("%+v, %v; %+v, %v", n, err, s, err2)
		}
	}
	if p.asked.Load() != 1 {
		t.Errorf("asked %d times, want once", p.asked.Load())
	}
}

// TestResponse holds what a reader is given.
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
	c := newClient(t, Config{})
	v, err := Get(t.Context(), c, p.request("/n", minutes), func(r Response) (Response, error) { return r, nil })
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	if r := v.Data; r.Status != 400 || r.Type != "application/problem+json" || string(r.Body) != "why" || r.Date != noon || r.LastModified != noon.Add(-6*time.Minute) {
		t.Errorf("response %+v", r)
	}
	if v.Date != noon || v.ReceivedAt.Location() != time.UTC || time.Since(v.ReceivedAt) > time.Hour {
		t.Errorf("date %v, received %v", v.Date, v.ReceivedAt)
	}
}

func TestNotModified(t *testing.T) {
	for _, validator := range [][2]string{{"ETag", `W/"x1"`}, {"Last-Modified", "Thu, 20 Nov 2025 11:54:00 GMT"}} {
		inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
			unchanged := 0
			p.set(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(validator[0], validator[1])
				asked := r.Header.Get(map[string]string{"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}[validator[0]])
				if asked == validator[1] {
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
				if err != nil || v.Data != 42 || v.Stale || time.Since(v.ReceivedAt) != 0 || !v.Date.After(first.Date) {
					t.Errorf("%s: %+v, %v", validator[0], v, err)
				}
			}
			if unchanged != 3 || reads != 1 {
				t.Errorf("%s: found unchanged %d times, read %d times, want 3 and 1", validator[0], unchanged, reads)
			}
		})
	}
}

// TestFollows holds that a redirect that stays is followed.
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
		if _, err := Get(t.Context(), c, p.request(path, minutes), readNumber); ok != (err == nil) {
			t.Errorf("%d redirects: %v", len(path)-1, err)
		}
	}
}

func TestOffline(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{Offline: true})
	r := p.request("/n", minutes)
	_, err := Get(t.Context(), c, r, readNumber)
	unavailable(t, err, "--offline")
	c.cache.Set(r.key(), &entry{response: Response{Status: 200, Body: []byte("7")}, receivedAt: time.Now().Add(-30 * time.Minute).UTC()})
	if v, err := Get(t.Context(), c, r, readNumber); err != nil || v.Data != 7 || !v.Stale {
		t.Errorf("Get = %+v, %v, want the kept answer, stale", v, err)
	}
	if v, ok := Peek(c, r, readNumber); !ok || v.Data != 7 || !v.Stale {
		t.Errorf("Peek = %+v, %v, want the kept answer, stale", v, ok)
	}
	if p.asked.Load() != 0 {
		t.Errorf("asked %d times", p.asked.Load())
	}
	if h := c.Health(); h.Status != Degraded || !h.CheckedAt.IsZero() || !strings.Contains(h.Message, "--offline") {
		t.Errorf("Health() = %+v", h)
	}
}

// TestClosed holds that waiting ends with the client.
func TestClosed(t *testing.T) {
	p, _ := loopback(t)
	p.set(hang)
	c := newClient(t, Config{})
	got := make(chan error)
	go func() {
		_, err := Get(t.Context(), c, p.request("/n", minutes), readNumber)
		got <- err
	}()
	for p.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	unavailable(t, <-got, "shutting down")
	_, err := Get(t.Context(), c, p.request("/m", minutes), readNumber)
	unavailable(t, err, "shutting down")
}
