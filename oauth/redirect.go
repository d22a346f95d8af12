package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"leadline/internal/edge"
)

const (
	mostAddress = 2 << 10 // bytes of a redirect URI, or of the address of a description
	mostScheme  = 100     // bytes of an app's scheme
)

// appSchemes are of apps whose scheme could be anybody's. Others use a domain that is theirs,
// backwards, as RFC 8252 asks, section 7.1.
var appSchemes = []string{"cursor", "vscode", "vscode-insiders", "windsurf"}

// redirectFault says why no answer can be sent to a redirect URI: "" where one
// can. What has no fault has one reading, that of browsers as well as ours.
func redirectFault(uri string) string {
	u, fault := readAddress(uri)
	switch {
	case fault != "":
		return fault
	case u.Scheme == "https" || u.Scheme == "http" && edge.Loopback(u.Hostname()):
		return hostFault(u)
	case u.Scheme == "http":
		return "http leads to localhost, 127.0.0.1 or [::1] alone: anywhere else it takes https"
	case appScheme(u.Scheme):
		return ""
	}
	return "the scheme is not https, nor that of an app: a domain backwards, such as com.example.app, or one of " + strings.Join(appSchemes, ", ")
}

// readAddress takes an absolute address apart that browsers take apart in the
// same way: nothing in it is repaired, left out or read as something else.
func readAddress(text string) (u *url.URL, fault string) {
	if len(text) > mostAddress {
		return nil, "it is longer than 2048 bytes"
	}
	if strings.ContainsFunc(text, strange) {
		return nil, "it has characters that must be written as %XX, or xn-- in a host"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !strings.HasPrefix(text, u.Scheme+":/"):
		return nil, "it is no absolute address with a scheme in small letters"
	case strings.Contains(text, "#"):
		return nil, "it has a fragment"
	case u.User != nil:
		return nil, "it has a user name"
	}
	return u, ""
}

// strange reports whether a character has no place in an address: RFC 3986,
// section 2. Browsers drop some of them, and read the backslash as a slash.
func strange(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }

// hostFault says what is wrong with the host and the port of an address.
func hostFault(u *url.URL) string {
	host, port := u.Hostname(), u.Port()
	_, err := netip.ParseAddr(host)
	switch {
	case err != nil && !domainName(host), strings.Contains(host, "%"):
		return "its host is no name, or none that everybody reads alike"
	case strings.HasSuffix(u.Host, ":"), len(port) > 5, len(port) == 5 && port > "65535":
		return "its port is none"
	}
	return ""
}

// domainName reports whether a host is a name: letters, digits and hyphens between
// dots. One that ends in a number browsers take for an IPv4 address, such as
// 127.1 and 0x7f000001.
func domainName(host string) bool {
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "-") != label || strings.ContainsFunc(label, notInLabel) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(host) <= 253 && (last[0] < '0' || last[0] > '9')
}

func notInLabel(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// appScheme reports whether a scheme may be an app's.
func appScheme(scheme string) bool {
	labels := strings.Split(scheme, ".")
	return len(scheme) <= mostScheme && (slices.Contains(appSchemes, scheme) || len(labels) > 1 && !slices.Contains(labels, ""))
}

// matches reports whether a redirect URI that a client asks for is one that it
// has registered: character by character, but for the port on loopback, where
// a program takes what is free (RFC 8252, section 7.3). It is ignored also
// where a port is registered: clients register one and take another.
func matches(registered, asked string) bool {
	if redirectFault(asked) != "" || redirectFault(registered) != "" {
		return false
	}
	return registered == asked || portless(registered) == portless(asked)
}

// portless is a redirect URI without its port on loopback, and any other as it
// is. The redirect URI has no fault.
func portless(uri string) string {
	rest, plain := strings.CutPrefix(uri, "http://")
	if !plain {
		return uri
	}
	u, _ := url.Parse(uri) // was parsed before
	return "http://" + strings.TrimSuffix(u.Host, ":"+u.Port()) + rest[len(u.Host):]
}

// redirectTarget says where an answer to a redirect URI goes, for a person: to
// a host, or to a program on the person's computer. Which one that is nobody
// knows: any can listen there, or have taken the scheme for its own. The
// redirect URI has no fault.
func redirectTarget(uri string) (text string, local bool) {
	u, _ := url.Parse(uri)
	switch u.Scheme {
	case "https":
		return strings.TrimSuffix(strings.ToLower(u.Host), ":443"), false
	case "http":
		return "this computer", true
	}
	return "an app that opens " + u.Scheme + ": links", true // not the scheme alone: it can look like a host
}

// formTarget is the source for the form-action of a Content-Security-Policy
// that lets a form end at a redirect URI, which has no fault. Browsers hold all
// redirects to it that follow, and a client on the web may send people on to
// another of its hosts: there it is all of https. A source cannot name addresses
// other than 127.0.0.1 (CSP 3, section 6.7.2.8).
func formTarget(uri string) string {
	u, _ := url.Parse(uri)
	_, err := netip.ParseAddr(u.Hostname())
	if isName := err != nil; u.Scheme == "http" && (isName || u.Hostname() == "127.0.0.1") {
		return "http://" + strings.ToLower(u.Host)
	}
	return u.Scheme + ":"
}
