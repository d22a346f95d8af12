package upstream

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

type nameKey struct{}

// as returns a context for requests of one caller.
func as(t *testing.T, name string) context.Context {
	return context.WithValue(t.Context(), nameKey{}, name)
}

func named(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}

// order records the paths of requests in order, and responds after a pause.
type order struct {
	mu    sync.Mutex
	paths []string
}

func (o *order) after(pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.paths = append(o.paths, r.URL.Path)
		o.mu.Unlock()
		time.Sleep(pause)
		number(w, r)
	}
}

// requests returns the paths so far.
func (o *order) requests() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.paths)
}

// inTurn sends requests, which are named by caller and number, and returns the order in which the
// provider gets them, one at a time.
func inTurn(t *testing.T, first func(string) bool, requests ...string) string {
	t.Helper()
	var o order
	config := Config{Concurrency: 1, Caller: named, First: first}
	inBubble(t, config, func(t *testing.T, p *provider, c *Client) {
		p.set(o.after(time.Second / 2))
		var all sync.WaitGroup
		for _, r := range requests {
			caller, _, _ := strings.Cut(r, "/")
			all.Go(func() {
				if _, err := getNumber(as(t, caller), c, p.request("/"+r, minutes)); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
	})
	return strings.Join(o.requests(), " ")
}

// TestCallersTakeTurns checks that waiting fetches are served in turn by caller, not in the order
// of arrival.
func TestCallersTakeTurns(t *testing.T) {
	got := inTurn(t, nil, "a/0", "a/1", "a/2", "a/3", "b/1", "a/4", "b/2", "c/1", "/1", "/2")
	const want = "/a/0 /a/1 /b/1 /c/1 //1 /a/2 /b/2 //2 /a/3 /a/4"
	if got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// TestAccountsFirst checks that callers that are first get four turns for one of the others.
func TestAccountsFirst(t *testing.T) {
	first := func(caller string) bool { return caller == "a" || caller == "b" }
	got := inTurn(t, first, "x/0", "x/1", "x/2", "y/1", "a/1", "a/2", "a/3", "b/1", "b/2", "b/3")
	const want = "/x/0 /a/1 /b/1 /a/2 /b/2 /x/1 /a/3 /b/3 /y/1 /x/2"
	if got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// TestFloodOfOne checks that of sixty requests of one caller eight are sent at once, four wait and
// the others fail at once with a retry time. Another caller is served next.
func TestFloodOfOne(t *testing.T) {
	inBubble(t, Config{Rate: 1000, Burst: 1000, Caller: named},
		func(t *testing.T, p *provider, c *Client) {
			var o order
			p.set(o.after(4 * time.Second))
			began := time.Now()
			var all sync.WaitGroup
			var refused, served atomic.Int64
			for i := range 60 {
				all.Go(func() {
					_, err := getNumber(as(t, "flood"), c, p.request(fmt.Sprint("/flood/", i), minutes))
					if err == nil {
						served.Add(1)
						return
					}
					e := unavailable(t, err, "already has 4 of your requests waiting")
					if e.RetryAfterSeconds != 1 || time.Since(began) != 0 {
						t.Errorf("refused after %v, retry after %d s", time.Since(began), e.RetryAfterSeconds)
					}
					refused.Add(1)
				})
			}
			synctest.Wait()
			if len(o.requests()) != 8 || refused.Load() != 48 {
				t.Errorf("%d requests and %d refused, want 8 and 48", len(o.requests()), refused.Load())
			}
			if _, err := getNumber(as(t, "other"), c, p.request("/other", minutes)); err != nil {
				t.Error(err)
			}
			if at := slices.Index(o.requests(), "/other"); at != 8 || time.Since(began) != 4*time.Second {
				t.Errorf("the other caller was served in place %d and waited %v, want 8 and 4s", at,
					time.Since(began))
			}
			all.Wait()
			if served.Load() != 12 {
				t.Errorf("%d served, want 12", served.Load())
			}
			if h := c.Health(); h.Status != Operational {
				t.Errorf("Health() = %+v, want operational: the provider did not fail", h)
			}
		})
}

// flood sends uncached requests as one caller, many at a time, until done.
func flood(
	t *testing.T, c *Client, p *provider, caller string, done <-chan struct{},
) *sync.WaitGroup {
	var all sync.WaitGroup
	var n atomic.Int64
	for range 40 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				path := fmt.Sprint("/", caller, "/", n.Add(1))
				if _, err := getNumber(as(t, caller), c, p.request(path, minutes)); err != nil {
					time.Sleep(200 * time.Millisecond)
				}
			}
		})
	}
	return &all
}

// TestFloodDelaysNobody compares the time of an uncached request with and without floods of other
// callers. The rate is that for the weather service, the lower of the two. The limit is 2 s more.
func TestFloodDelaysNobody(t *testing.T) {
	for _, test := range []struct {
		response time.Duration
		floods   []string
		most     time.Duration // that the flood may add
	}{
		{100 * time.Millisecond, nil, 0},
		{100 * time.Millisecond, []string{"a"}, 2 * time.Second},
		{time.Second, []string{"a"}, 2 * time.Second},
		{5 * time.Second, []string{"a"}, 2 * time.Second},
		{100 * time.Millisecond, []string{"a", "b", "c"}, 2 * time.Second},
	} {
		for _, caller := range []string{"quiet", ""} { // an account, and background work
			inBubble(t, Config{Rate: 5, Caller: named}, func(t *testing.T, p *provider, c *Client) {
				p.set(new(order).after(test.response))
				done := make(chan struct{})
				var floods []*sync.WaitGroup
				for _, name := range test.floods {
					floods = append(floods, flood(t, c, p, name, done))
				}
				time.Sleep(10 * time.Second) // the burst is used up
				var worst time.Duration
				for i := range 10 {
					began := time.Now()
					if _, err := getNumber(as(t, caller), c, p.request(fmt.Sprint("/quiet/", i),
						minutes)); err != nil {
						t.Errorf("%q: %v", caller, err)
					}
					worst = max(worst, time.Since(began)-test.response)
					time.Sleep(time.Second)
				}
				close(done)
				for _, f := range floods {
					f.Wait()
				}
				t.Logf("responses of %v, floods of %d, %q: %v longer", test.response, len(test.floods), caller,
					worst)
				if worst > test.most {
					t.Errorf("with floods of %v a response of %v took %v longer for %q, want at most %v",
						test.floods, test.response, worst, caller, test.most)
				}
			})
		}
	}
}

// TestSharedFetch checks that a fetch that two callers wait for is sent once, at the first turn of
// either.
func TestSharedFetch(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		var o order
		p.set(o.after(time.Second))
		var all sync.WaitGroup
		for _, r := range []string{"a /0", "a /1", "a /2", "a /3", "a /4", "b /4", "b /5"} {
			caller, path, _ := strings.Cut(r, " ")
			all.Go(func() {
				if _, err := getNumber(as(t, caller), c, p.request(path, minutes)); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if got := strings.Join(o.requests(), " "); got != "/0 /1 /4 /2 /5 /3" {
			t.Errorf("order %s, want /0 /1 /4 /2 /5 /3", got)
		}
		if len(c.hosts["http://provider.test"].queue.callers) != 0 {
			t.Error("the queue still has callers")
		}
	})
}

// TestSharedAtLimit checks that a caller at its limit can still wait for the fetches of others,
// which takes no further request.
func TestSharedAtLimit(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		p.set(new(order).after(time.Second))
		var all sync.WaitGroup
		for _, r := range []string{"a /0", "a /1", "a /2", "a /3", "a /4", "b /5", "a /5"} {
			caller, path, _ := strings.Cut(r, " ")
			all.Go(func() {
				if _, err := getNumber(as(t, caller), c, p.request(path, minutes)); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		_, err := getNumber(as(t, "a"), c, p.request("/6", minutes))
		unavailable(t, err, "4 of your requests")
		all.Wait()
	})
}

// TestRefreshesAreNobodys checks that refreshes of stale entries are limited, and do not count for
// the callers that got the entries.
func TestRefreshesAreNobodys(t *testing.T) {
	inBubble(t, Config{Concurrency: 3, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		class := Class{Fresh: time.Hour, Expiry: 5 * time.Hour}
		for i := range 100 {
			if _, err := getNumber(as(t, "a"), c, p.request(fmt.Sprint("/", i), class)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(61 * time.Minute)
		p.set(new(order).after(time.Second))
		for i := range 100 {
			v, err := getNumber(as(t, "a"), c, p.request(fmt.Sprint("/", i), class))
			if err != nil || !v.Stale {
				t.Errorf("request %d: %+v, %v, want a stale response", i, v, err)
			}
		}
		synctest.Wait()
		if got := len(c.hosts["http://provider.test"].queue.callers[refreshes].waiting); got != maxRefreshing {
			t.Errorf("%d refreshes wait, want %d", got, maxRefreshing)
		}
		began := time.Now()
		if _, err := getNumber(as(t, "a"), c, p.request("/cold", class)); err != nil ||
			time.Since(began) > 2*time.Second {
			t.Errorf("an uncached request took %v, %v, want it within 2 s", time.Since(began), err)
		}
	})
}

// TestQueueIsEmptied checks that fetches that time out in the queue leave it empty.
func TestQueueIsEmptied(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Deadline: 2 * time.Second, Caller: named},
		func(t *testing.T, p *provider, c *Client) {
			p.set(hang)
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() {
					getNumber(as(t, fmt.Sprint("caller", i%5)), c, p.request(fmt.Sprint("/", i), minutes))
				})
			}
			all.Wait()
			queue := c.hosts["http://provider.test"].queue
			if len(queue.callers) != 0 || len(queue.turns) != 0 || queue.used != 0 {
				t.Errorf("left over: %d callers, %d turns, %d slots", len(queue.callers), len(queue.turns),
					queue.used)
			}
		})
}

// TestNotAsked checks that the failure of a caller whose deadline ends in the queue does not blame
// the host, which was not asked, and that a host is blamed that was asked and is silent, or has
// failed and waits for a second attempt.
func TestNotAsked(t *testing.T) {
	inBubble(t, Config{Rate: 1, Burst: 1, Caller: named},
		func(t *testing.T, p *provider, c *Client) {
			if _, err := getNumber(as(t, "a"), c, p.request("/0", minutes)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(as(t, "a"), 500*time.Millisecond)
			defer cancel()
			_, err := getNumber(ctx, c, p.request("/1", minutes))
			unavailable(t, err, "was not asked in time, because other requests wait before this one")
			time.Sleep(5 * time.Second) // the first request is answered, and there is a token
			p.set(hang)
			ctx, cancel = context.WithTimeout(as(t, "a"), 500*time.Millisecond)
			defer cancel()
			_, err = getNumber(ctx, c, p.request("/2", minutes))
			unavailable(t, err, "did not answer in time")
			time.Sleep(time.Minute)
			p.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
			ctx, cancel = context.WithTimeout(as(t, "a"), 900*time.Millisecond)
			defer cancel()
			if _, err = getNumber(ctx, c, p.request("/3", minutes)); err == nil ||
				strings.Contains(err.Error(), "was not asked") {
				t.Errorf("after a failed attempt: %v", err)
			}
		})
}
