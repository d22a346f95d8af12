package site

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"leadline/internal/access"
)

// addressesKept limits the addresses of a minute.
const addressesKept = 10_000

// Allowance limits how many different things an address may open in a minute. It is safe for
// concurrent use.
type Allowance struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	minute time.Time
	opened map[netip.Addr]map[string]bool
}

// NewAllowance returns an allowance of so many things an address and minute.
func NewAllowance(most int, now func() time.Time) *Allowance {
	return &Allowance{most: most, now: now}
}

// Allows reports whether the address of the caller may open a thing, and counts it.
func (a *Allowance) Allows(ctx context.Context, thing string) bool {
	caller, _ := access.CallerFrom(ctx)
	return a.count(caller.Address, thing)
}

// count counts a thing that an address opens, and reports whether it may. Once too many addresses
// are known in a minute, others are refused.
func (a *Allowance) count(address netip.Addr, thing string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if minute := a.now().Truncate(time.Minute); !minute.Equal(a.minute) {
		a.minute, a.opened = minute, map[netip.Addr]map[string]bool{}
	}
	known, ok := a.opened[address]
	if !ok {
		if len(a.opened) >= addressesKept {
			return false
		}
		known = map[string]bool{}
		a.opened[address] = known
	}
	if !known[thing] && len(known) >= a.most {
		return false
	}
	known[thing] = true
	return true
}
