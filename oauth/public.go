package oauth

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// errNotPublic is wrapped by the error of a connection that is refused because
// of its address.
var errNotPublic = errors.New("not a public address")

// publicDialer returns a dialer for port 443 of public addresses. It checks the
// address of the connection after name resolution, so DNS rebinding cannot
// bypass the check.
func publicDialer() *net.Dialer {
	return &net.Dialer{
		Timeout: 3 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || to.Port() != 443 || !publicAddress(to.Addr()) {
				return fmt.Errorf("connecting to %s: %w", address, errNotPublic)
			}
			return nil
		},
	}
}

// publicTransport returns a transport that does not use a proxy, because a
// proxy would resolve names itself. Its connections are not kept alive.
func publicTransport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    3 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
}

// Networks that are not on the public internet: the entries of IANA's
// special-purpose address registries for IPv4 (RFC 6890) and IPv6, multicast
// networks and reserved networks. They include IPv6 networks that map to IPv4
// addresses, which would bypass the rest of the table.
var (
	notPublic4 = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
		"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
	global6    = netip.MustParsePrefix("2000::/3") // all allocated IPv6 addresses
	notPublic6 = prefixes(
		"2001::/23",     // protocol assignments: Teredo, benchmarking, ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20")     // documentation
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// publicAddress reports whether an address is on the public internet.
func publicAddress(a netip.Addr) bool {
	within := func(p netip.Prefix) bool { return p.Contains(a) }
	if a.Is4() {
		return !slices.ContainsFunc(notPublic4, within)
	}
	return a.Zone() == "" && global6.Contains(a) && !slices.ContainsFunc(notPublic6, within)
}
