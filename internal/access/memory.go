package access

import "sync"

// memory remembers what was found of credentials, by their SHA-256: cheaper
// than asking again, and nowhere but here. It is safe for concurrent use.
type memory[T any] struct {
	most  int // remembered at a time
	mu    sync.RWMutex
	found map[[32]byte]*T
	age   uint64 // of found: what was read before forget is not kept
}

func newMemory[T any](most int) *memory[T] {
	return &memory[T]{most: most, found: map[[32]byte]*T{}}
}

// recall returns what is remembered, nil for nothing, and the age of it all,
// with which whatever is found now can be kept.
func (m *memory[T]) recall(sum [32]byte) (*T, uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.found[sum], m.age
}

// keep remembers what was found when the memory had the age: what was revoked
// meanwhile must not come back.
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

// drop forgets one, which is of no use any more.
func (m *memory[T]) drop(sum [32]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.found, sum)
}

// forget makes all be found anew, also what is being looked for just now.
func (m *memory[T]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.found)
	m.age++
}
