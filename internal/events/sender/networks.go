package sender

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// destinations decides which URLs can be registered and which addresses can be dialed.
type destinations struct {
	private []netip.Prefix // networks of the operator, which may be reached too
	own     []own          // hosts of this server
	listens []netip.AddrPort
	proxied bool     // a proxy resolves names and decides on their addresses
	ports   []uint16 // outside of private
}

// defaultPorts returns the ports that receivers outside of private networks can use.
func defaultPorts() []uint16 { return []uint16{443, 8443} }

// special lists the IPv4 networks that are not on the internet, apart from those that package
// netip knows, and networks that relay to IPv4 addresses (IANA IPv4 Special-Purpose Address
// Registry).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by the customers of a carrier
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved

	netip.MustParsePrefix("2001::/23"),     // protocol assignments, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"), // documentation
	netip.MustParsePrefix("2002::/16"),     // 6to4
	netip.MustParsePrefix("3fff::/20"),     // documentation
}

// assigned is the only part of IPv6 from which addresses on the internet are assigned (RFC 4291,
// section 2.4). Outside of it are unique local and link-local addresses, and IPv4 addresses in
// other forms: compatible, translated, and of NAT64.
var assigned = netip.MustParsePrefix("2000::/3")

// public reports whether an address is on the internet.
func public(a netip.Addr) bool {
	a = plainAddress(a)
	return a.IsGlobalUnicast() && !a.IsPrivate() && !contain(special, a) &&
		(a.Is4() || assigned.Contains(a))
}

// plainAddress returns an address without a zone, and an IPv4 address inside an IPv6 address as
// IPv4.
func plainAddress(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func contain(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// isPrivate reports whether an address is in a network of the operator.
func (d *destinations) isPrivate(a netip.Addr) bool { return contain(d.private, plainAddress(a)) }

// allows reports whether an address may be dialed, with TLS or without.
func (d *destinations) allows(to netip.AddrPort, encrypted bool) bool {
	return !d.isListener(to) && (d.isPrivate(to.Addr()) ||
		encrypted && public(to.Addr()) && slices.Contains(d.ports, to.Port()))
}

// isListener reports whether this server listens on an address. A connection to an unspecified
// address reaches the machine itself.
func (d *destinations) isListener(to netip.AddrPort) bool {
	a := plainAddress(to.Addr())
	return slices.ContainsFunc(d.listens, func(l netip.AddrPort) bool {
		on := plainAddress(l.Addr())
		return l.Port() == to.Port() &&
			(a == on || a.IsUnspecified() || on.IsUnspecified() && ofMachine(a))
	})
}

// ofMachine reports whether an address is one of this machine.
func ofMachine(a netip.Addr) bool {
	if a.IsLoopback() {
		return true
	}
	list, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(list, func(i net.Addr) bool {
		p, err := netip.ParsePrefix(i.String())
		return err == nil && plainAddress(p.Addr()) == a
	})
}

// blockedError is the refusal to dial an address.
type blockedError struct{ address string }

func (e *blockedError) Error() string {
	return fmt.Sprintf("address %s is not allowed for webhooks", e.address)
}

// guard returns a function for net.Dialer.ControlContext, which refuses an endpoint in a private
// network when it is dialed. It gets the address after DNS, right before the connection is made, so
// that a name cannot point to another address by then.
func (d *destinations) guard(
	encrypted bool,
) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !d.allows(to, encrypted) {
			return &blockedError{address}
		}
		return nil
	}
}
