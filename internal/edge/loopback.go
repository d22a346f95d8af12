package edge

import (
	"net/netip"
	"strings"
)

// Loopback reports whether a host, without port and brackets, is this computer:
// localhost, 127.0.0.0/8 or ::1. IPv4-mapped IPv6 addresses do not count,
// because programs disagree about them.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() && !a.Is4In6() && a.Zone() == ""
}
