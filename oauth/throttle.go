package oauth

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// mostThrottled is how many keys a throttle tells apart.
const mostThrottled = 10_000

// throttle says how often something may be tried, key by key: a few times at
// once, and then at a steady pace. Keys are addresses or names. It is safe for
// concurrent use.
type throttle struct {
	every time.Duration
	burst int
	now   func() time.Time

	mu    sync.Mutex
	keys  map[string]*rate.Limiter
	wide  map[string]*rate.Limiter // of networks, for addresses for which there is no room
	rest  *rate.Limiter            // of all others
	swept time.Time
}

// newThrottle returns a throttle that lets a key through burst times at once
// and once every so long.
func newThrottle(every time.Duration, burst int, now func() time.Time) *throttle {
	t := &throttle{every: every, burst: burst, now: now, keys: map[string]*rate.Limiter{}, wide: map[string]*rate.Limiter{}}
	t.rest = t.limiter()
	return t
}

func (t *throttle) limiter() *rate.Limiter { return rate.NewLimiter(rate.Every(t.every), t.burst) }

// take counts a try of a key, or returns false and how long to wait for the
// next: a try that is refused is not counted.
func (t *throttle) take(key string) (wait time.Duration, ok bool) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.of(key, now)
	if l.AllowN(now, 1) {
		return 0, true
	}
	missing := 1 - l.TokensAt(now)
	return time.Duration(missing * float64(t.every)), false
}

// giveBack undoes a take.
func (t *throttle) giveBack(key string) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(key, now).AllowN(now, -1) // one more, and never more than the burst
}

// of returns the limiter of a key. Where there is no room for one more, all
// addresses of a network that come now share one, so that who has many does not
// shut out others.
func (t *throttle) of(key string, now time.Time) *rate.Limiter {
	if l := t.in(t.keys, key, now); l != nil {
		return l
	}
	if network := networkOf(key); network != "" {
		if l := t.in(t.wide, network, now); l != nil {
			return l
		}
	}
	return t.rest
}

// in returns the limiter of a key among some, nil where there is no room.
func (t *throttle) in(some map[string]*rate.Limiter, key string, now time.Time) *rate.Limiter {
	if l := some[key]; l != nil {
		return l
	}
	if len(some) >= mostThrottled {
		t.sweep(now)
	}
	if len(some) >= mostThrottled {
		return nil
	}
	l := t.limiter()
	some[key] = l
	return l
}

// networkOf is the network that an address belongs to, as one owner mostly has
// it: IPv4 /24, IPv6 /48; "" of a name.
func networkOf(key string) string {
	a, err := netip.ParseAddr(key)
	if err != nil {
		return ""
	}
	bits := 24
	if a.Is6() {
		bits = 48
	}
	p, _ := a.Prefix(bits) // fewer than an address has
	return p.String()
}

// sweep forgets keys that may do all again that a new one may. A flood of keys
// has it look once in a while, not each time.
func (t *throttle) sweep(now time.Time) {
	if since := now.Sub(t.swept); since >= 0 && since < t.every {
		return
	}
	t.swept = now
	idle := func(_ string, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(t.burst) }
	maps.DeleteFunc(t.keys, idle)
	maps.DeleteFunc(t.wide, idle)
}
