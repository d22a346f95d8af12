package endpoints

import (
	"maps"
	"sync"
	"time"
)

// hourly limits how often accounts do something in any hour. It is safe for concurrent use.
type hourly struct {
	most     int
	mu       sync.Mutex
	accounts map[string][]time.Time // the last times, at most most, in order
}

func newHourly(most int) *hourly {
	return &hourly{most: most, accounts: map[string][]time.Time{}}
}

// mostHourly is the number of accounts from which on those that did nothing for an hour are
// removed.
const mostHourly = 1000

// allow reports whether an account may do it once more at a time, and otherwise how long it must
// wait.
func (h *hourly) allow(account string, now time.Time) (wait time.Duration, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hourAgo := now.Add(-time.Hour)
	if _, known := h.accounts[account]; !known && len(h.accounts) >= mostHourly {
		maps.DeleteFunc(h.accounts, func(_ string, times []time.Time) bool {
			return times[len(times)-1].Before(hourAgo)
		})
	}
	times := h.accounts[account]
	if len(times) == h.most {
		if times[0].After(hourAgo) {
			return times[0].Sub(hourAgo), false
		}
		times = times[1:]
	}
	h.accounts[account] = append(times, now)
	return 0, true
}
