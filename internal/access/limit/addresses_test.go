package limit

import (
	"encoding/binary"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"leadline/internal/trials"
)

func (a *addresses) take(address string, on Surface, now int64, limit int) (taken bool) {
	a.use(netip.MustParseAddr(address), on, at(now), true,
		func(w *window, _ time.Duration) { taken = w.take(now, limit) })
	return taken
}

// at returns a clock that is fixed at a second.
func at(second int64) func() time.Duration {
	return func() time.Duration { return time.Duration(second) * time.Second }
}

func TestAddressesAreApart(t *testing.T) {
	a := newAddresses()
	const now = 1_800_000_000
	if !a.take("192.0.2.1", REST, now, 1) || a.take("192.0.2.1", REST, now, 1) {
		t.Error("an address with a limit of 1 was not served once")
	}
	if !a.take("192.0.2.1", MCP, now, 1) || !a.take("192.0.2.2", REST, now, 1) {
		t.Error("another surface or another address is limited")
	}
	a.use(netip.MustParseAddr("192.0.2.9"), REST, at(now), false,
		func(w *window, _ time.Duration) { w.take(now, 1) })
	if !a.take("192.0.2.9", REST, now, 1) {
		t.Error("an address was counted with create = false")
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFlood checks that 200,000 IPv4 addresses, then as many IPv6 addresses, on both surfaces take
// less than 40 MB; with LEADLINE_TRIALS=check ten times as many. Callers with a window from before
// the flood must not be affected, the flood as a whole must be limited, and new addresses must get
// windows after it.
func TestFlood(t *testing.T) {
	const now, limit = 1_800_000_000, 30
	flood := uint32(2000 * trials.Cases())
	for name, address := range map[string]func(uint32) netip.Addr{
		"IPv4": func(i uint32) netip.Addr {
			return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0b000000+i*251)))
		},
		"IPv6 of one /32": func(i uint32) netip.Addr {
			return netip.AddrFrom16([16]byte(append(
				binary.BigEndian.AppendUint32([]byte{0x20, 1, 0xd, 0xb8}, i*4099), make([]byte, 8)...)))
		},
	} {
		before := liveHeap()
		a := newAddresses()
		for range limit {
			a.take("203.0.113.7", REST, now, limit)
		}
		served := 0
		for i := range flood {
			for on := range surfaces {
				a.use(address(i), on, at(now), true, func(w *window, _ time.Duration) {
					if w.take(now, limit) {
						served++
					}
				})
			}
		}
		if grown := int64(liveHeap()) - int64(before); grown > 40<<20 {
			t.Errorf("%s: %d bytes more", name, grown)
		} else {
			t.Logf("%s: %d MB more, %d of %d served", name, grown>>20, served, 2*flood)
		}
		if a.take("203.0.113.7", REST, now, limit) {
			t.Errorf("%s: the flood dropped a window", name)
		}
		if room := shards*(mostExact+limit*mostWide) + limit*mostLast; served > room {
			t.Errorf("%s: %d served, want at most %d", name, served, room)
		}
		if !a.take("198.51.100.1", REST, now+buckets, limit) {
			t.Errorf("%s: a new address is refused after the flood", name)
		}
		runtime.KeepAlive(a)
	}
}
