package session

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxKeys limits the number of keys in a Throttle or a tally.
const maxKeys = 10_000

// Throttle limits how often something may be tried per key: first a burst, then
// a steady rate. Keys are addresses or names. It is safe for concurrent use.
type Throttle struct {
	every time.Duration
	burst int
	now   func() time.Time

	mu       sync.Mutex
	keys     map[string]*rate.Limiter
	networks map[string]*rate.Limiter // for addresses that do not fit into keys
	rest     *rate.Limiter            // for all other keys
	swept    time.Time
}

// NewThrottle returns a throttle that allows a burst for each key, and then one
// attempt per period.
func NewThrottle(every time.Duration, burst int, now func() time.Time) *Throttle {
	t := &Throttle{
		every: every, burst: burst, now: now,
		keys: map[string]*rate.Limiter{}, networks: map[string]*rate.Limiter{},
	}
	t.rest = t.limiter()
	return t
}

func (t *Throttle) limiter() *rate.Limiter { return rate.NewLimiter(rate.Every(t.every), t.burst) }

// Take counts an attempt for a key. If the limit is reached, it returns false
// and the time until the next attempt is allowed. Refused attempts do not
// count.
func (t *Throttle) Take(key string) (wait time.Duration, ok bool) {
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

// Return removes an attempt from the count.
func (t *Throttle) Return(key string) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(key, now).AllowN(now, -1) // adds a token, up to the burst
}

// of returns the limiter of a key. When there is no room for another key, all
// new addresses of a network share a limiter. This prevents an attacker with
// many addresses from using up the attempts of others.
func (t *Throttle) of(key string, now time.Time) *rate.Limiter {
	if l := t.in(t.keys, key, now); l != nil {
		return l
	}
	if network := Network(key); network != "" {
		if l := t.in(t.networks, network, now); l != nil {
			return l
		}
	}
	return t.rest
}

// in returns the limiter of a key in a map, or nil if there is no room for it.
func (t *Throttle) in(limiters map[string]*rate.Limiter, key string, now time.Time) *rate.Limiter {
	if l := limiters[key]; l != nil {
		return l
	}
	if len(limiters) >= maxKeys {
		t.sweep(now)
	}
	if len(limiters) >= maxKeys {
		return nil
	}
	l := t.limiter()
	limiters[key] = l
	return l
}

// sweep removes keys that have their whole burst left. It runs at most once per
// period, so that it is not repeated for each request of a flood.
func (t *Throttle) sweep(now time.Time) {
	if since := now.Sub(t.swept); since >= 0 && since < t.every {
		return
	}
	t.swept = now
	idle := func(_ string, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(t.burst) }
	maps.DeleteFunc(t.keys, idle)
	maps.DeleteFunc(t.networks, idle)
}

// Network returns the network of an address that usually belongs to one owner:
// its IPv4 /24 or IPv6 /48. It returns "" if the key is not an address.
func Network(key string) string {
	a, err := netip.ParseAddr(key)
	if err != nil {
		return ""
	}
	bits := 24
	if a.Is6() {
		bits = 48
	}
	p, _ := a.Prefix(bits) // never more bits than the address has
	return p.String()
}

// Seconds returns a waiting time in seconds, rounded up.
func Seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }
