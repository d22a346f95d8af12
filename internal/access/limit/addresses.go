package limit

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// Limits on the number of windows, so that a flood of addresses does not exhaust memory. A
// window takes about 200 bytes, and the garbage collector lets the heap grow to five times its
// live size.
const (
	shards    = 64
	mostExact = 50_000 / shards // windows of single addresses, per shard
	mostWide  = 10_000 / shards // windows of networks, per shard
	mostLast  = 1_024           // windows that all other addresses share
)

// place is the key of a window of anonymous callers: an address or a network, with a surface.
type place struct {
	network [16]byte // its first address; IPv4 is mapped to IPv6
	surface Surface
}

// addresses holds the windows of callers without a credential. A new address gets its own
// window while there is room. Otherwise it shares the window of its network (IPv4 /24, IPv6
// /48), or one of a fixed number of windows.
type addresses struct {
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	sync.Mutex
	exact, wide map[place]*window
	last        [mostLast / shards]window
	swept       int64
}

func newAddresses() *addresses {
	a := &addresses{seed: maphash.MakeSeed()}
	for i := range a.shards {
		a.shards[i].exact, a.shards[i].wide = map[place]*window{}, map[place]*window{}
	}
	return a
}

// use calls f with the window of an address and the time of a monotonic clock. f may change
// the window only if create is true. If create is false, an address without a window gets an
// empty one.
func (a *addresses) use(
	address netip.Addr, on Surface, clock func() time.Duration, create bool,
	f func(*window, time.Duration),
) {
	exact := placeOf(address, address.BitLen(), on)
	// An address and its network are in the same shard.
	wide := placeOf(address, wideBits(address), on)
	h := maphash.Comparable(a.seed, wide)
	s := &a.shards[h%shards]
	s.Lock()
	defer s.Unlock()
	now := clock()
	f(s.find(exact, wide, h/shards, int64(now/time.Second), create), now)
}

func (s *shard) find(exact, wide place, h uint64, now int64, create bool) *window {
	if w, ok := s.exact[exact]; ok {
		return w
	}
	if !create {
		w, ok := s.wide[wide]
		switch {
		case len(s.exact) < mostExact:
			return &window{last: now}
		case ok:
			return w
		case len(s.wide) < mostWide:
			return &window{last: now}
		}
		return &s.last[h%uint64(len(s.last))]
	}
	if len(s.exact) >= mostExact {
		s.sweep(now)
	}
	if len(s.exact) < mostExact {
		return add(s.exact, exact, now)
	}
	if w, ok := s.wide[wide]; ok {
		return w
	}
	if len(s.wide) < mostWide {
		return add(s.wide, wide, now)
	}
	return &s.last[h%uint64(len(s.last))]
}

func add(m map[place]*window, at place, now int64) *window {
	w := &window{last: now}
	m[at] = w
	return w
}

// sweep drops idle windows. A full shard is swept at most once a second.
func (s *shard) sweep(now int64) {
	if now == s.swept {
		return
	}
	s.swept = now
	for _, m := range []map[place]*window{s.exact, s.wide} {
		for at, w := range m {
			if w.idle(now) {
				delete(m, at)
			}
		}
	}
}

func placeOf(a netip.Addr, bits int, on Surface) place {
	// Without an address, as on a socket, the prefix is zero: all such callers share a window.
	p, _ := a.Prefix(bits)
	return place{p.Addr().As16(), on}
}

// wideBits returns the length of the network prefix of an address.
func wideBits(a netip.Addr) int {
	if a.Is4() {
		return 24
	}
	return 48
}

// Network returns the network of an address in the form that is stored with the last use of a
// key.
func Network(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	p, _ := a.Prefix(wideBits(a)) // fewer bits than an address has
	return p.String()
}

// Subject returns the address by which requests are counted: an IPv6 client usually has a whole
// /64.
func Subject(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a
	}
	b := a.As16()
	binary.BigEndian.PutUint64(b[8:], 0)
	return netip.AddrFrom16(b)
}
