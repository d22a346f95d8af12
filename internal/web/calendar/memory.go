package calendar

import (
	"container/list"
	"sync"
	"time"

	"leadline/internal/web/site"
)

// mostCalendars and mostCalendarBytes limit the calendars that are kept.
const (
	mostCalendars     = 256
	mostCalendarBytes = 32 << 20
)

// memory keeps the calendars that were used last. It is safe for concurrent use.
type memory struct {
	now func() time.Time

	mu    sync.Mutex
	size  int
	byKey map[string]*list.Element
	order *list.List // of keptCalendar, the last used first
}

type entry struct {
	key   string
	body  site.Rendered
	until time.Time
}

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, byKey: map[string]*list.Element{}, order: list.New()}
}

// get returns the calendar of a key, unless its day has ended.
func (m *memory) get(key string) (site.Response, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byKey[key]
	if !ok {
		return nil, false
	}
	kept := e.Value.(entry)
	if !m.now().Before(kept.until) {
		m.drop(e)
		return nil, false
	}
	m.order.MoveToFront(e)
	return kept.body, true
}

// put keeps a calendar until a time, and drops those that were not used for longest if there are
// too many.
func (m *memory) put(key string, body site.Rendered, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.byKey[key]; ok {
		m.drop(e)
	}
	m.byKey[key] = m.order.PushFront(entry{key, body, until})
	m.size += sizeOf(key, body)
	for len(m.byKey) > mostCalendars || m.size > mostCalendarBytes {
		m.drop(m.order.Back())
	}
}

func (m *memory) drop(e *list.Element) {
	kept := m.order.Remove(e).(entry)
	delete(m.byKey, kept.key)
	m.size -= sizeOf(kept.key, kept.body)
}

func sizeOf(key string, body site.Rendered) int { return len(key) + body.Size() }
