package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"leadline/internal/edge"
)

const (
	maxAddress = 2 << 10 // bytes in a redirect URI or in the URL of a metadata document
	maxScheme  = 100     // bytes in an app's URI scheme
)

// appSchemes lists the accepted schemes that any app could use. Other apps must
// use a reversed domain name of their own (RFC 8252, section 7.1).
var appSchemes = []string{"cursor", "vscode", "vscode-insiders", "windsurf"}

// redirectFault returns why no response can be sent to a redirect URI, or "" if
// one can. Browsers parse a URI that passes this check exactly as this server
// does.
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

// readAddress parses an absolute URL. It accepts only URLs that browsers parse
// in the same way, without repairing, dropping or reinterpreting any part.
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

// strange reports whether a character is not allowed in a URL (RFC 3986,
// section 2). Browsers drop some of these characters and treat a backslash as a
// slash.
func strange(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }

// hostFault checks the host and port of a URL. It returns the fault, or "" if
// there is none.
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

// domainName reports whether a host is a domain name: labels of letters, digits
// and hyphens, separated by dots. Browsers parse a name that ends in a number,
// such as 127.1 or 0x7f000001, as an IPv4 address.
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

// appScheme reports whether apps may use a scheme.
func appScheme(scheme string) bool {
	labels := strings.Split(scheme, ".")
	domain := len(labels) > 1 && !slices.Contains(labels, "")
	return len(scheme) <= maxScheme && (slices.Contains(appSchemes, scheme) || domain)
}

// matches reports whether a requested redirect URI equals the registered one,
// character by character. On loopback, where programs use any free port, the
// port is ignored (RFC 8252, section 7.3). This holds even if a port is
// registered, because clients register one port and use another.
func matches(registered, asked string) bool {
	if redirectFault(asked) != "" || redirectFault(registered) != "" {
		return false
	}
	return registered == asked || portless(registered) == portless(asked)
}

// portless returns a redirect URI without its port if it is on loopback, and
// any other URI unchanged. The redirect URI must be valid.
func portless(uri string) string {
	rest, plain := strings.CutPrefix(uri, "http://")
	if !plain {
		return uri
	}
	u, _ := url.Parse(uri) // parsed successfully before
	return "http://" + strings.TrimSuffix(u.Host, ":"+u.Port()) + rest[len(u.Host):]
}

// redirectTarget describes for a person where a response to a redirect URI
// goes: to a host or to a program on the person's computer. It cannot name the
// program, because any program can listen there or register the scheme. The
// redirect URI must be valid.
func redirectTarget(uri string) (text string, local bool) {
	u, _ := url.Parse(uri)
	switch u.Scheme {
	case "https":
		return strings.TrimSuffix(strings.ToLower(u.Host), ":443"), false
	case "http":
		return "this computer", true
	}
	// The scheme alone could be mistaken for a host.
	return "an app that opens " + u.Scheme + ": links", true
}

// formTarget returns the form-action source of a Content-Security-Policy that
// allows a form to end at a redirect URI, which must be valid. Browsers apply
// the policy to all subsequent redirects, and a web client may redirect to
// another of its hosts, so for web clients the source is all of https. A source
// cannot name IP addresses other than 127.0.0.1 (CSP 3, section 6.7.2.8).
func formTarget(uri string) string {
	u, _ := url.Parse(uri)
	_, err := netip.ParseAddr(u.Hostname())
	if isName := err != nil; u.Scheme == "http" && (isName || u.Hostname() == "127.0.0.1") {
		return "http://" + strings.ToLower(u.Host)
	}
	return u.Scheme + ":"
}
