package credential

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"leadline/store"
)

// name is the name of something whose change makes cache entries wrong. Its kind keeps the ids of
// keys, accounts and grants apart.
type name struct {
	kind byte // one of the constants
	id   string
}

// The kinds of names.
const (
	byKeyID     = 'k'
	byAccountID = 'a'
	byGrantID   = 'g'
)

// nameOf returns the name of what has changed. It is the zero name if anything may have changed,
// and false if no entry depends on the change.
func nameOf(c store.Change) (name, bool) {
	switch {
	case c == store.Change{}:
		return name{}, true
	case c.Key != "":
		return name{byKeyID, c.Key}, true
	case c.Account != "":
		return name{byAccountID, c.Account}, true
	case c.Grant != "":
		return name{byGrantID, c.Grant}, true
	}
	return name{}, false
}

// named is implemented by cache entries. They depend on their credential and its account.
type named interface{ names() [2]name }

// mostRecent is the number of invalidated names that a cache remembers. More names are seldom
// invalidated while a credential is read from the store.
const mostRecent = 1024

// cache holds verified credentials by their SHA-256. It is safe for concurrent use.
type cache[T named] struct {
	most   int // maximum number of entries
	mu     sync.RWMutex
	found  map[[32]byte]T
	byName map[name][][32]byte // the entries that depend on a name
	reads  singleflight.Group  // by sum and age

	// Entries that were read before one of their names was invalidated are not added after it.
	age    uint64           // number of names that were invalidated
	oldest uint64           // entries that were read at a lower age are not added
	recent [mostRecent]name // the names by their age, modulo the length
}

func newCache[T named](most int) *cache[T] {
	return &cache[T]{most: most, found: map[[32]byte]T{}, byName: map[name][][32]byte{}}
}

// get returns an entry, and false without one. It also returns the age of the cache, which
// put needs to add an entry that is read from the store now.
func (c *cache[T]) get(sum [32]byte) (entry T, age uint64, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	entry, ok = c.found[sum]
	return entry, c.age, ok
}

// readWithin limits the time of a read. Requests wait only for the timeout of the store, but what
// is read is there for later ones, and the new connection to a database far away remains. It is
// ours, short enough for leases, which may have to wait until reads have ended.
const readWithin = 2 * time.Second

// read returns an entry that f reads from the store, and adds it to the cache. It waits for it as
// long as timeout. Requests for one entry share a read, unless a name was invalidated since it
// began: age is that of get.
func (c *cache[T]) read(
	ctx context.Context, sum [32]byte, age uint64, timeout time.Duration,
	f func(context.Context) (T, error),
) (entry T, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := c.reads.DoChan(fmt.Sprintf("%x %d", sum, age), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), max(timeout, readWithin))
		defer cancel()
		entry, err := f(ctx)
		if err == nil {
			c.put(sum, entry, age)
		}
		return entry, err
	})
	select {
	case r := <-done:
		if r.Err == nil {
			entry = r.Val.(T)
		}
		return entry, r.Err
	case <-ctx.Done():
		return entry, ctx.Err()
	}
}

// put adds an entry that was read from the store when the cache had the given age. If one of its
// names was invalidated in the meantime, the credential may have been revoked, so the entry is not
// added.
func (c *cache[T]) put(sum [32]byte, entry T, age uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.invalidated(entry.names(), age) {
		return
	}
	c.drop(sum)
	if len(c.found) >= c.most {
		for one := range c.found {
			c.drop(one)
			break
		}
	}
	c.found[sum] = entry
	for _, n := range entry.names() {
		c.byName[n] = append(c.byName[n], sum)
	}
}

// invalidated reports whether one of two names was, or may have been, invalidated since an age.
func (c *cache[T]) invalidated(names [2]name, age uint64) bool {
	if age < c.oldest || c.age-age > mostRecent {
		return true
	}
	for ; age < c.age; age++ {
		if n := c.recent[age%mostRecent]; n == names[0] || n == names[1] {
			return true
		}
	}
	return false
}

// remove removes an expired entry.
func (c *cache[T]) remove(sum [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(sum)
}

// drop removes an entry, if it exists. The caller must hold the lock.
func (c *cache[T]) drop(sum [32]byte) {
	entry, ok := c.found[sum]
	if !ok {
		return
	}
	delete(c.found, sum)
	for _, n := range entry.names() {
		list := c.byName[n]
		i := slices.Index(list, sum)
		list[i] = list[len(list)-1]
		if list = list[:len(list)-1]; len(list) > 0 {
			c.byName[n] = list
		} else {
			delete(c.byName, n)
		}
	}
}

// invalidate removes the entries that depend on what has changed. Those that are being read at that
// time are not added either.
func (c *cache[T]) invalidate(list []store.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range list {
		n, ok := nameOf(change)
		switch {
		case !ok:
		case n == name{}:
			clear(c.found)
			clear(c.byName)
			c.age++
			c.oldest = c.age
		default:
			for _, sum := range slices.Clone(c.byName[n]) {
				c.drop(sum)
			}
			c.recent[c.age%mostRecent] = n
			c.age++
		}
	}
}

// ErrUnknown reports a credential that is malformed, revoked, expired or from another server.
var ErrUnknown = errors.New("unknown credential")

// sumOf returns the SHA-256 of a text of any length without a heap allocation.
func sumOf(text string) (sum [32]byte) {
	var piece [512]byte
	h := sha256.New()
	for len(text) > 0 {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
	h.Sum(sum[:0])
	return sum
}
