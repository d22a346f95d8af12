package upstream

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder records the outcomes of lookups and requests.
type recorder struct {
	mu       sync.Mutex
	outcomes []string
	took     []time.Duration
}

func (e *recorder) record(outcome string, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outcomes, e.took = append(e.outcomes, outcome), append(e.took, took)
}

// since returns the outcomes since the last call, and their durations.
func (e *recorder) since() ([]string, []time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	outcomes, took := e.outcomes, e.took
	e.outcomes, e.took = nil, nil
	return outcomes, took
}

// TestObserve checks each outcome of a lookup.
func TestObserve(t *testing.T) {
	var e recorder
	inBubble(t, Config{Observe: e.record}, func(t *testing.T, p *provider, c *Client) {
		slow := func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Millisecond)
			number(w, r)
		}
		expect := func(step string, outcomes []string, took ...time.Duration) {
			t.Helper()
			synctest.Wait()
			gotOutcomes, gotTook := e.since()
			if !slices.Equal(gotOutcomes, outcomes) || !slices.Equal(gotTook, took) {
				t.Errorf("%s: got %v %v, want %v %v", step, gotOutcomes, gotTook, outcomes, took)
			}
		}
		r := p.request("/n", minutes)
		get := func(ctx context.Context, r Request) { getNumber(ctx, c, r) }

		p.set(slow)
		get(t.Context(), r)
		expect("first", []string{"ok", "fetched"}, 100*time.Millisecond, 100*time.Millisecond)
		get(t.Context(), r)
		expect("again", []string{"hit"}, 0)
		Peek(c, r, readNumber)
		expect("Peek", nil)
		time.Sleep(4 * time.Minute)
		get(t.Context(), r)
		time.Sleep(time.Second)
		expect("aged, refreshed in the background", []string{"stale", "ok"}, 0, 100*time.Millisecond)

		p.set(status(http.StatusNotFound))
		get(t.Context(), p.request("/none", minutes))
		expect("no data", []string{"ok", "fetched"}, 0, 0)

		p.set(body("nonsense"))
		get(t.Context(), p.request("/bad", minutes))
		expect("unusable", []string{"error", "failed"}, 0, 0)
		get(t.Context(), p.request("/bad", minutes))
		expect("backing off", []string{"refused"}, 0)
		time.Sleep(10 * time.Minute)
		get(t.Context(), r)
		expect("aged, refresh failed", []string{"error", "stale"}, 0, 0)

		p.set(slow)
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, leave)
		get(gone, p.request("/gone", minutes))
		time.Sleep(time.Second)
		expect("the caller left", []string{"left", "ok"}, 10*time.Millisecond, 100*time.Millisecond)
		late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		get(late, p.request("/late", minutes))
		time.Sleep(time.Second)
		expect("too slow", []string{"failed", "ok"}, 10*time.Millisecond, 100*time.Millisecond)
	})
}

// TestObserveOffline checks that an offline client reports refused lookups.
func TestObserveOffline(t *testing.T) {
	var e recorder
	c := newClient(t, Config{Offline: true, Observe: e.record})
	getNumber(t.Context(), c, Request{URL: "http://nowhere.test/", Class: minutes})
	if got, _ := e.since(); !slices.Equal(got, []string{"refused"}) {
		t.Errorf("outcomes %v, want refused", got)
	}
}

// TestBreakerState checks that Health reports the worst state of the breakers of two hosts.
func TestBreakerState(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, p *provider, c *Client) {
		expect := func(want string) {
			t.Helper()
			if got := c.Health().Breaker; got != want {
				t.Errorf("the breaker is %s, want %s", got, want)
			}
		}
		other := func() {
			getNumber(t.Context(), c, Request{URL: "http://elsewhere.test/1"})
		}
		other()
		expect("closed")
		p.set(body("nonsense"))
		for i := range tripRequests {
			getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), minutes))
		}
		other()
		expect("open")
		time.Sleep(openTime + time.Second)
		expect("half-open")
		p.set(number)
		getNumber(t.Context(), c, p.request("/again", minutes))
		expect("closed")
	})
}
