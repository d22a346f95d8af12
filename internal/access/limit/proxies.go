package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// ReadProxies parses the networks of trusted proxies, whose X-Forwarded-For is used.
func ReadProxies(list []string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("invalid proxy %q: must be an address or a network such as 10.0.0.0/8",
					text)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		proxies = append(proxies, p.Masked())
	}
	return proxies, nil
}

// Client returns the address that a request came from. Each proxy appends the address of its
// client to X-Forwarded-For, and anything to the left of what trusted proxies wrote may be
// forged. The list is therefore read from the right, starting with the peer, while the
// addresses are trusted proxies. No other header is used.
func Client(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer := parseAddress(r.RemoteAddr)
	if len(proxies) == 0 || !believed(peer, proxies) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddress(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			return peer // the last valid address
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

// parseAddress parses an address with or without a port and brackets, and returns the zero
// address if text is invalid.
func parseAddress(text string) netip.Addr {
	if p, err := netip.ParseAddrPort(text); err == nil {
		return p.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap().WithZone("")
}
