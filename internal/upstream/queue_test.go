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

// as returns a context of requests of one caller.
func as(t *testing.T, name string) context.Context {
	return context.WithValue(t.Context(), nameKey{}, name)
}

func named(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}

// order records which paths a provider is asked, in order, and responds after
// a pause.
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

// asked returns the paths so far.
func (o *order) asked() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.paths)
}

// TestCallersTakeTurns holds the order of five waiting fetches: one of each
// caller in turn, not in the order in which they came.
func TestCallersTakeTurns(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		var o order
		p.set(o.after(time.Second / 2))
		var all sync.WaitGroup
		for _, r := range []string{"a/0", "a/1", "a/2", "a/3", "b/1", "a/4", "b/2", "c/1", "/1", "/2"} {
			caller, _, _ := strings.Cut(r, "/")
			all.Go(func() {
				if _, err := Get(as(t, caller), c, p.request("/"+r, minutes), readNumber); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		const want = "/a/0 /a/1 /b/1 /c/1 //1 /a/2 /b/2 //2 /a/3 /a/4"
		if got := strings.Join(o.asked(), " "); got != want {
			t.Errorf("asked in the order %s, want %s", got, want)
		}
	})
}

// TestFloodOfOne holds that of one caller's sixty requests eight are asked at
// once, four wait and the others fail at once, with a time after which to come
// back, while another caller is asked next.
func TestFloodOfOne(t *testing.T) {
	inBubble(t, Config{Rate: 1000, Burst: 1000, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		var o order
		p.set(o.after(4 * time.Second))
		began := time.Now()
		var all sync.WaitGroup
		var refused, answered atomic.Int64
		for i := range 60 {
			all.Go(func() {
				_, err := Get(as(t, "flood"), c, p.request(fmt.Sprint("/flood/", i), minutes), readNumber)
				if err == nil {
					answered.Add(1)
					return
				}
				e := unavailable(t, err, "is not asked more for you now: 4 requests of yours wait for it")
				if e.RetryAfterSeconds != 1 || time.Since(began) != 0 {
					t.Errorf("refused after %v, retry after %d s", time.Since(began), e.RetryAfterSeconds)
				}
				refused.Add(1)
			})
		}
		synctest.Wait()
		if len(o.asked()) != 8 || refused.Load() != 48 {
			t.Errorf("asked %d and refused %d, want 8 and 48", len(o.asked()), refused.Load())
		}
		if _, err := Get(as(t, "other"), c, p.request("/other", minutes), readNumber); err != nil {
			t.Error(err)
		}
		if at := slices.Index(o.asked(), "/other"); at != 8 || time.Since(began) != 4*time.Second {
			t.Errorf("the other caller was asked for in place %d and waited %v, want 8 and 4s", at, time.Since(began))
		}
		all.Wait()
		if answered.Load() != 12 {
			t.Errorf("%d answered, want 12", answered.Load())
		}
		if h := c.Health(); h.Status != Operational {
			t.Errorf("Health() = %+v, want operational: the provider did not fail", h)
		}
	})
}

// flood asks cold questions as one caller, many at a time, until done.
func flood(t *testing.T, c *Client, p *provider, caller string, done <-chan struct{}) *sync.WaitGroup {
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
				if _, err := Get(as(t, caller), c, p.request(path, minutes), readNumber); err != nil {
					time.Sleep(50 * time.Millisecond)
				}
			}
		})
	}
	return &all
}

// TestFloodDelaysNobody compares, in the bubble's time, what a cold question
// takes without and with floods of others. The rate is that to the weather
// service, the lower of the two. The bar is 2 s for one flood.
func TestFloodDelaysNobody(t *testing.T) {
	for _, test := range []struct {
		response time.Duration
		floods   []string
		most     time.Duration // that it may take longer
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
					if _, err := Get(as(t, caller), c, p.request(fmt.Sprint("/quiet/", i), minutes), readNumber); err != nil {
						t.Errorf("%q: %v", caller, err)
					}
					worst = max(worst, time.Since(began)-test.response)
					time.Sleep(time.Second)
				}
				close(done)
				for _, f := range floods {
					f.Wait()
				}
				t.Logf("responses of %v, floods of %d, %q: %v longer", test.response, len(test.floods), caller, worst)
				if worst > test.most {
					t.Errorf("with floods of %v a response of %v took %v longer for %q, want at most %v",
						test.floods, test.response, worst, caller, test.most)
				}
			})
		}
	}
}

// TestSharedFetch holds that a fetch that two callers wait for comes at the
// first turn of either, and once.
func TestSharedFetch(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		var o order
		p.set(o.after(time.Second))
		var all sync.WaitGroup
		for _, r := range []string{"a /0", "a /1", "a /2", "a /3", "a /4", "b /4", "b /5"} {
			caller, path, _ := strings.Cut(r, " ")
			all.Go(func() {
				if _, err := Get(as(t, caller), c, p.request(path, minutes), readNumber); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if got := strings.Join(o.asked(), " "); got != "/0 /1 /4 /2 /5 /3" {
			t.Errorf("asked in the order %s, want /0 /1 /4 /2 /5 /3", got)
		}
		if len(c.hosts["http://provider.test"].queue.callers) != 0 {
			t.Error("the line still has callers")
		}
	})
}

// TestSharedByAFull holds that a caller of whom enough fetches wait may still
// wait for those of others: that costs the provider nothing.
func TestSharedByAFull(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		p.set(new(order).after(time.Second))
		var all sync.WaitGroup
		for _, r := range []string{"a /0", "a /1", "a /2", "a /3", "a /4", "b /5", "a /5"} {
			caller, path, _ := strings.Cut(r, " ")
			all.Go(func() {
				if _, err := Get(as(t, caller), c, p.request(path, minutes), readNumber); err != nil {
					t.Errorf("%s: %v", r, err)
				}
			})
			synctest.Wait()
		}
		_, err := Get(as(t, "a"), c, p.request("/6", minutes), readNumber)
		unavailable(t, err, "4 requests of yours")
		all.Wait()
	})
}

// TestRefreshesAreNobodys holds that refreshes of stale responses are not
// counted against the caller who got these, and are bounded.
func TestRefreshesAreNobodys(t *testing.T) {
	inBubble(t, Config{Concurrency: 3, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		class := Class{Fresh: time.Hour, Expiry: 5 * time.Hour}
		for i := range 100 {
			if _, err := Get(as(t, "a"), c, p.request(fmt.Sprint("/", i), class), readNumber); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(61 * time.Minute)
		p.set(new(order).after(time.Second))
		for i := range 100 {
			v, err := Get(as(t, "a"), c, p.request(fmt.Sprint("/", i), class), readNumber)
			if err != nil || !v.Stale {
				t.Errorf("request %d: %+v, %v, want a stale response", i, v, err)
			}
		}
		synctest.Wait()
		if got := len(c.hosts["http://provider.test"].queue.callers[refreshes].waiting); got != maxRefreshing {
			t.Errorf("%d refreshes wait, want %d", got, maxRefreshing)
		}
		began := time.Now()
		if _, err := Get(as(t, "a"), c, p.request("/cold", class), readNumber); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("a cold question took %v, %v, want it within 2 s", time.Since(began), err)
		}
	})
}

// TestLineForgets holds that fetches that end while they wait leave nothing.
func TestLineForgets(t *testing.T) {
	inBubble(t, Config{Concurrency: 1, Deadline: 2 * time.Second, Caller: named}, func(t *testing.T, p *provider, c *Client) {
		p.set(hang)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				Get(as(t, fmt.Sprint("caller", i%5)), c, p.request(fmt.Sprint("/", i), minutes), readNumber)
			})
		}
		all.Wait()
		queue := c.hosts["http://provider.test"].queue
		if len(queue.callers) != 0 || len(queue.turns) != 0 || queue.used != 0 {
			t.Errorf("left over: %d callers, %d turns, %d slots", len(queue.callers), len(queue.turns), queue.used)
		}
	})
}
