package sender

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
)

// maxURL limits the URL of an endpoint, in characters.
const maxURL = 2048

// exampleURL is the valid example in errors.
const exampleURL = `Example: "url": "https://hooks.example.com/leadline".`

// check returns what is wrong with the URL of an endpoint. Names are not resolved: guard decides
// on their addresses.
func (d *destinations) check(text string) []coast.Issue {
	var issues []coast.Issue
	add := func(rule, code string) { issues = append(issues, urlIssue(code, rule)) }
	if text == "" {
		add("is required", "required")
		return issues
	}
	if len(text) > maxURL {
		add(fmt.Sprintf("must have at most %d characters, not %d", maxURL, len(text)), "maxLength")
	}
	u, err := url.Parse(text)
	if err != nil || !isASCII(text) || u.Host == "" {
		add("must be an absolute URL in ASCII, without spaces; other scripts in a host name are "+
			"written in Punycode", "format")
		return issues
	}
	if u.User != nil {
		add("must not have a user name or a password; use the signature to authenticate requests",
			"userInfo")
	}
	if strings.Contains(text, "#") {
		add("must not have a fragment, which servers do not receive", "fragment")
	}
	return append(issues, d.checkHost(u)...)
}

// checkHost returns what is wrong with the scheme, the host and the port of a URL.
func (d *destinations) checkHost(u *url.URL) []coast.Issue {
	var issues []coast.Issue
	add := func(rule, code string) { issues = append(issues, urlIssue(code, rule)) }
	free := d.mayBePrivate(u)
	if u.Scheme != "https" && !(free && u.Scheme == "http") {
		add("must begin with https://", "scheme")
	}
	switch _, err := netip.ParseAddr(u.Hostname()); {
	case err == nil && !free:
		add("must name a host, not an IP address", "address")
	case err != nil && !validName(u.Hostname()):
		add("must have a valid host name", "host")
	case err != nil && !free && !strings.Contains(strings.TrimSuffix(u.Hostname(), "."), "."):
		add("must have a full host name with its domain", "host")
	case err != nil && !free && isLocal(u.Hostname()):
		add("must have a host name of the internet, not one that is kept for local use", "host")
	case d.isSelf(u, free):
		add("must not point to this server", "self")
	}
	if !free && !slices.Contains(d.ports, portOf(u)) {
		add(fmt.Sprintf("must use port %s", listPorts(d.ports)), "port")
	} else if portOf(u) == 0 {
		add("must have a port from 1 to 65535, or none", "port")
	}
	return issues
}

func urlIssue(code, rule string) coast.Issue {
	return coast.Issue{Path: "/url", Code: code, Message: "url " + rule + ". " + exampleURL}
}

// own is a host of this server.
type own struct {
	name string // as hostOf writes it
	port uint16 // 0: every port
}

// ownHost parses a name with or without a port.
func ownHost(text string) own {
	u := &url.URL{Host: text}
	if u.Port() == "" {
		return own{hostOf(u), 0}
	}
	return own{hostOf(u), portOf(u)}
}

// matches reports whether a URL points to the host. Where any port is allowed, other servers may
// run on the same machine, so the port counts.
func (o own) matches(u *url.URL, anyPort bool) bool {
	return o.name == hostOf(u) && (!anyPort || o.port == 0 || o.port == portOf(u))
}

// isSelf reports whether a URL points to this server, as far as its text shows: guard decides on
// the addresses of other names.
func (d *destinations) isSelf(u *url.URL, anyPort bool) bool {
	if slices.ContainsFunc(d.own, func(o own) bool { return o.matches(u, anyPort) }) {
		return true
	}
	addresses := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		addresses = []netip.Addr{a}
	} else if name := "." + hostOf(u); !strings.HasSuffix(name, ".localhost") {
		return false
	}
	return slices.ContainsFunc(addresses, func(a netip.Addr) bool {
		return d.isListener(netip.AddrPortFrom(a, portOf(u)))
	})
}

// mayBePrivate reports whether the host is, or can turn out to be, in a private network. There,
// http and any port are allowed. Through a proxy no private network is reached: the proxy resolves
// names, and it gets CONNECT requests only.
func (d *destinations) mayBePrivate(u *url.URL) bool {
	if d.proxied {
		return false
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return d.isPrivate(a)
	}
	return len(d.private) > 0
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// validName reports whether text is a host name: at most 253 characters, labels of 1 to 63
// letters, digits, hyphens and underscores (which some private networks use). A name whose last
// label is a number is an IPv4 address in another form, such as 127.1 or 0x7f000001.
func validName(text string) bool {
	text = strings.TrimSuffix(text, ".")
	labels := strings.Split(text, ".")
	last := strings.ToLower(labels[len(labels)-1])
	isNumber := strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
	return !isNumber && len(text) <= 253 && !slices.ContainsFunc(labels, badLabel)
}

// local lists the domains that never lead to another machine on the internet: those of the IANA
// registry of special-use domain names, and internal, which ICANN reserves for private networks.
var local = []string{"localhost", "local", "internal", "home.arpa", "invalid", "onion", "test"}

// isLocal reports whether a name is in a domain for local use.
func isLocal(name string) bool {
	name = "." + strings.ToLower(strings.TrimSuffix(name, "."))
	return slices.ContainsFunc(local, func(domain string) bool {
		return strings.HasSuffix(name, "."+domain)
	})
}

func badLabel(label string) bool {
	return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
		strings.ContainsFunc(label, func(r rune) bool {
			return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' ||
				r == '-' || r == '_')
		})
}

// portOf returns the port of a URL, or 0 if it is not valid.
func portOf(u *url.URL) uint16 {
	text := u.Port()
	if text == "" && u.Scheme == "http" {
		return 80
	}
	if text == "" {
		return 443
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '0' {
		return 0
	}
	return uint16(port)
}

func listPorts(ports []uint16) string {
	var list []string
	for _, p := range ports {
		list = append(list, strconv.Itoa(int(p)))
	}
	return strings.Join(list, " or ")
}

// Host returns the host of the URL of an endpoint, without the port, or "" if the URL is not
// valid. All spellings of a host give one text, so that it can be a key for limits.
func Host(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return hostOf(u)
}

func hostOf(u *url.URL) string {
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return a.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}
