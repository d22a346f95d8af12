package access

import "sync"

// memory caches verified credentials by their SHA-256. It is safe for concurrent use.
type memory[T any] struct {
	most  int // number of entries
	mu    sync.RWMutex
	found map[[32]byte]*T
	age   uint64 // number of calls of forget; entries read before one are not added after it
}

func newMemory[T any](most int) *memory[T] {
	return &memory[T]{most: most, found: map[[32]byte]*T{}}
}

// recall returns an entry or nil, and the age of the cache, which keep needs to add an entry
// that is read now.
func (m *memory[T]) recall(sum [32]byte) (*T, uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.found[sum], m.age
}

// keep adds an entry that was read when the cache had an age. If the cache was cleared
// meanwhile, the entry may be revoked, so it is not added.
func (m *memory[T]) keep(sum [32]byte, v *T, age uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.age != age {
		return
	}
	if len(m.found) >= m.most {
		for one := range m.found {
			delete(m.found, one)
			break
		}
	}
	m.found[sum] = v
}

// drop removes an expired entry.
func (m *memory[T]) drop(sum [32]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.found, sum)
}

// forget clears the cache. Entries that are being read at the time are not added either.
func (m *memory[T]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.found)
	m.age++
}
