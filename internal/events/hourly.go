package events

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// hourly limits how often accounts do something in an hour. It is safe for concurrent use.
type hourly struct {
	most     int
	mu       sync.Mutex
	accounts map[string]*rate.Limiter
}

func newHourly(most int) *hourly {
	return &hourly{most: most, accounts: map[string]*rate.Limiter{}}
}

// mostHourly is the number of accounts from which on those that have all their allowance are
// removed.
const mostHourly = 1000

// allow reports whether an account may do it once more at a time.
func (h *hourly) allow(account string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.accounts[account]
	if !ok {
		if len(h.accounts) >= mostHourly {
			maps.DeleteFunc(h.accounts, func(_ string, l *rate.Limiter) bool {
				return l.TokensAt(now) >= float64(h.most)
			})
		}
		l = rate.NewLimiter(rate.Every(time.Hour/time.Duration(h.most)), h.most)
		h.accounts[account] = l
	}
	return l.AllowN(now, 1)
}
