package access

import "sync"

// cache holds verified credentials by their SHA-256. It is safe for concurrent use.
type cache[T any] struct {
	most  int // maximum number of entries
	mu    sync.RWMutex
	found map[[32]byte]*T
	age   uint64 // number of calls of invalidate; entries read before a call are not added after it
}

func newCache[T any](most int) *cache[T] {
	return &cache[T]{most: most, found: map[[32]byte]*T{}}
}

// get returns an entry or nil. It also returns the age of the cache, which put needs to add an
// entry that is read from the store now.
func (c *cache[T]) get(sum [32]byte) (*T, uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.found[sum], c.age
}

// put adds an entry that was read from the store when the cache had the given age. If the cache
// was cleared in the meantime, the credential may have been revoked, so the entry is not added.
func (c *cache[T]) put(sum [32]byte, v *T, age uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.age != age {
		return
	}
	if len(c.found) >= c.most {
		for one := range c.found {
			delete(c.found, one)
			break
		}
	}
	c.found[sum] = v
}

// remove removes an expired entry.
func (c *cache[T]) remove(sum [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.found, sum)
}

// invalidate clears the cache. Entries that are being read at that time are not added either.
func (c *cache[T]) invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.found)
	c.age++
}
