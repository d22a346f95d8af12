package bolt

import (
	"sync"
	"time"
)

// claims holds the claims of owners in memory: one process has the file open, and after it has
// ended nothing is claimed.
type claims struct {
	mu   sync.Mutex
	held map[string]claim // by id of what is claimed; guarded by mu
}

type claim struct {
	owner string
	until time.Time
}

func newClaims() *claims { return &claims{held: map[string]claim{}} }

// free reports whether an id is not claimed at now.
func (c *claims) free(id string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !now.Before(c.held[id].until)
}

// take claims an id that is free, and reports whether it was.
func (c *claims) take(id, owner string, now, until time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Before(c.held[id].until) {
		return false
	}
	c.held[id] = claim{owner, until}
	return true
}

// renew extends the claims of an owner, expired or not, and returns the ids that it holds.
func (c *claims) renew(owner string, ids []string, until time.Time) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := []string{}
	for _, id := range ids {
		if now, ok := c.held[id]; ok && now.owner == owner {
			c.held[id] = claim{owner, until}
			held = append(held, id)
		}
	}
	return held
}

// release ends claims of an owner.
func (c *claims) release(owner string, ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if c.held[id].owner == owner {
			delete(c.held, id)
		}
	}
}

// drop ends the claim of an id.
func (c *claims) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, id)
}
