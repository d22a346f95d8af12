package session

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// tally allows an exact number of uses of a key in every sliding window. It
// stores the time of each use, so it is only for a limited number of keys. It
// is safe for concurrent use.
type tally struct {
	window time.Duration
	limit  int
	now    func() time.Time

	mu   sync.Mutex
	uses map[string][]time.Time
}

func newTally(window time.Duration, limit int, now func() time.Time) *tally {
	return &tally{window: window, limit: limit, now: now, uses: map[string][]time.Time{}}
}

// take counts a use of a key. If the limit is reached, it returns false and the
// time until the next use is allowed. Refused uses do not count.
func (t *tally) take(key string) (wait time.Duration, ok bool) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.uses) >= maxKeys {
		maps.DeleteFunc(t.uses, func(_ string, uses []time.Time) bool {
			return len(t.recent(uses, now)) == 0
		})
	}
	uses := t.recent(t.uses[key], now)
	if len(uses) >= t.limit {
		t.uses[key] = uses
		return t.window - now.Sub(uses[0]), false
	}
	t.uses[key] = append(uses, now)
	return 0, true
}

// recent returns the uses that are inside the window.
func (t *tally) recent(uses []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(uses, func(at time.Time) bool { return now.Sub(at) >= t.window })
}

// giveBack removes the newest use of a key from the count.
func (t *tally) giveBack(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	uses := t.uses[key]
	if len(uses) > 0 {
		uses = uses[:len(uses)-1]
	}
	if t.uses[key] = uses; len(uses) == 0 {
		delete(t.uses, key)
	}
}
