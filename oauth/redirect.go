package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"leadline/internal/edge"
)

const (
	maxAddress = 2 << 10 // bytes of a redirect URI, or of the address of a metadata document
	maxScheme  = 100     // bytes of an app's scheme
)

// appSchemes are the accepted schemes that any app could use. Other apps use a
// domain of their own, reversed (RFC 8252, section 7.1).
var appSchemes = []string{"cursor", "vscode", "vscode-insiders", "windsurf"}

// redirectFault returns why no response can be sent to a redirect URI, "" if one
// can. Browsers parse a URI without a fault as this server does.
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
	return "the scheme is not https, nor that of an app: a domain backwards, " +
		"such as com.example.app, or one of " + strings.Join(appSchemes, ", ")
}

// readAddress parses an absolute address that browsers parse in the same way:
// nothing in it is repaired, dropped or read as something else.
func readAddress(text string) (u *url.URL, fault string) {
	if len(text) > maxAddress {
		return nil, "it is longer than 2048 bytes"
	}
	if strings.ContainsFunc(text, strange) {
		return nil, "it has characters that must be written as %XX, or xn-- in a host"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !strings.HasPrefix(text, u.Scheme+":/"):
		return nil, "it is not an absolute address with an allowed scheme: https, " +
			"http on this computer, a domain backwards such as com.example.app, or " +
			strings.Join(appSchemes, ", ")
	case strings.Contains(text, "#"):
		return nil, "it has a fragment"
	case u.User != nil:
		return nil, "it has a user name"
	}
	return u, ""
}

// strange reports whether a character is not allowed in an address: RFC 3986,
// section 2. Browsers drop some of them, and read the backslash as a slash.
func strange(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }

// hostFault returns what is wrong with the host and the port of an address, "" if
// nothing is.
func hostFault(u *url.URL) string {
	host, port := u.Hostname(), u.Port()
	_, err := netip.ParseAddr(host)
	switch {
	case err != nil && !domainName(host), strings.Contains(host, "%"):
		return "its host is not a valid or unambiguous name"
	case strings.HasSuffix(u.Host, ":"), len(port) > 5, len(port) == 5 && port > "65535":
		return "its port is invalid"
	}
	return ""
}

// domainName reports whether a host is a name: letters, digits and hyphens
// between dots. Browsers read a name that ends in a number as an IPv4 address,
// such as 127.1 and 0x7f000001.
func domainName(host string) bool {
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "-") != label ||
			strings.ContainsFunc(label, notInLabel) {
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
	domain := len(labels) > 1 && !slices.Contains(labels, "")
	return len(scheme) <= maxScheme && (slices.Contains(appSchemes, scheme) || domain)
}

// matches reports whether a requested redirect URI is the registered one,
// character by character. On loopback, where programs use any free port, the
// port is ignored (RFC 8252, section 7.3), also if one is registered: clients
// register one and use another.
func matches(registered, asked string) bool {
	if redirectFault(asked) != "" || redirectFault(registered) != "" {
		return false
	}
	return registered == asked || portless(registered) == portless(asked)
}

// portless returns a redirect URI without its port if it is on loopback, any
// other unchanged. The redirect URI must have no fault.
func portless(uri string) string {
	rest, plain := strings.CutPrefix(uri, "http://")
	if !plain {
		return uri
	}
	u, _ := url.Parse(uri) // was parsed before
	return "http://" + strings.TrimSuffix(u.Host, ":"+u.Port()) + rest[len(u.Host):]
}

// redirectTarget describes for a person where a response to a redirect URI goes:
// to a host, or to a program on the person's computer. It is not known which
// one: any program can listen there or register the scheme. The redirect URI
// must have no fault.
func redirectTarget(uri string) (text string, local bool) {
	u, _ := url.Parse(uri)
	switch u.Scheme {
	case "https":
		return strings.TrimSuffix(strings.ToLower(u.Host), ":443"), false
	case "http":
		return "this computer", true
	}
	// The scheme alone could look like a host.
	return "an app that opens " + u.Scheme + ": links", true
}

// formTarget returns the source for form-action of a Content-Security-Policy that
// allows a form to end at a redirect URI, which must have no fault. Browsers
// apply the policy to all redirects that follow, and a client on the web may
// redirect to another of its hosts: for these it is all of https. A source cannot
// name addresses other than 127.0.0.1 (CSP 3, section 6.7.2.8).
func formTarget(uri string) string {
	u, _ := url.Parse(uri)
	_, err := netip.ParseAddr(u.Hostname())
	if isName := err != nil; u.Scheme == "http" && (isName || u.Hostname() == "127.0.0.1") {
		return "http://" + strings.ToLower(u.Host)
	}
	return u.Scheme + ":"
}
