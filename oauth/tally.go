package oauth

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// tally lets a key through so many times in any span, exactly. It keeps a time for each, and is for
// keys whose number has a bound of its own. It is safe for concurrent use.
type tally struct {
	span time.Duration
	most int
	now  func() time.Time

	mu    sync.Mutex
	times map[string][]time.Time
}

func newTally(span time.Duration, most int, now func() time.Time) *tally {
	return &tally{span: span, most: most, now: now, times: map[string][]time.Time{}}
}

// take counts a key, or returns false and how long to wait: what is refused is not counted.
func (t *tally) take(key string) (wait time.Duration, ok bool) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.times) >= mostThrottled {
		maps.DeleteFunc(t.times, func(_ string, list []time.Time) bool { return len(t.recent(list, now)) == 0 })
	}
	list := t.recent(t.times[key], now)
	if len(list) >= t.most {
		t.times[key] = list
		return t.span - now.Sub(list[0]), false
	}
	t.times[key] = append(list, now)
	return 0, true
}

// recent returns what still counts of a list.
func (t *tally) recent(list []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(list, func(at time.Time) bool { return now.Sub(at) >= t.span })
}

// giveBack undoes a take.
func (t *tally) giveBack(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.times[key]
	if len(list) > 0 {
		list = list[:len(list)-1]
	}
	if t.times[key] = list; len(list) == 0 {
		delete(t.times, key)
	}
}
