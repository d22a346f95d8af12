package access

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// ReadProxies reads the networks of proxies whose X-Forwarded-For is believed.
func ReadProxies(list []string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("%q is no network such as 10.0.0.0/8 and no address", text)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		proxies = append(proxies, p.Masked())
	}
	return proxies, nil
}

// client is the address that a request came from. Each proxy appends the
// address that it was asked by to X-Forwarded-For; whatever stands left of
// what a believed one has written, the client may have made up. So the list
// is read from its right end, starting with the peer, for as long as the
// addresses are believed proxies. No other header is read.
func client(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer := parseAddress(r.RemoteAddr)
	if len(proxies) == 0 || !believed(peer, proxies) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddress(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			return peer // the last one that is known
		}
		if peer = hop; !believed(peer, proxies) {
			break
		}
	}
	return peer
}

func believed(a netip.Addr, proxies []netip.Prefix) bool {
	for _, p := range proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// parseAddress reads an address with or without a port and brackets; the
// zero one where text has none.
func parseAddress(text string) netip.Addr {
	if p, err := netip.ParseAddrPort(text); err == nil {
		return p.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap().WithZone("")
}
