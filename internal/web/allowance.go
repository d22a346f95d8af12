package web

import (
	"net/netip"
	"sync"
	"time"
)

// The limits of what an address may open in a minute beyond pages from memory. A crawler then
// costs predictions, and neither the patience of NOAA nor much CPU. The figures are ours.
const (
	askedStations = 20 // stations whose providers are asked
	drawnPictures = 30
	addressesKept = 10_000
)

// allowance limits how many different things an address may open in a minute. It is safe for
// concurrent use.
type allowance struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	minute time.Time
	opened map[netip.Addr]map[string]bool
}

func newAllowance(most int, now func() time.Time) *allowance {
	return &allowance{most: most, now: now}
}

// allows reports whether an address may open a thing, and counts it. Once too many addresses
// are known in a minute, others are refused.
func (a *allowance) allows(address netip.Addr, thing string) bool {
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
