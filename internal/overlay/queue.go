package overlay

import (
	"sync"
	"time"
)

// maxQueued bounds the queue (ours).
const maxQueued = 1000

// queue holds the requested stations that Run has not updated yet. Its zero value is ready to
// use.
type queue struct {
	mu    sync.Mutex
	ids   []string
	added map[string]time.Time // when a station was last added
}

// add appends a station, unless it was added within the last ListInterval.
func (q *queue) add(id string, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.added[id]) < ListInterval || len(q.ids) == maxQueued {
		return
	}
	if q.added == nil {
		q.added = map[string]time.Time{}
	}
	q.added[id] = now
	q.ids = append(q.ids, id)
}

// next removes and returns the oldest station of the queue.
func (q *queue) next() (id string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ids) == 0 {
		return "", false
	}
	id, q.ids = q.ids[0], q.ids[1:]
	return id, true
}
