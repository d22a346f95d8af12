package edge

import (
	"net/http"
	"net/url"
	"strings"
)

// hsts makes browsers use https for a year (RFC 6797). It does not include
// subdomains, which may be other servers.
var hsts = []string{"max-age=31536000"}

var nosniff = []string{"nosniff"}

// Secure sets the headers that protect browsers on every response of next:
// X-Content-Type-Options, and Strict-Transport-Security where clients reach the
// server by https, directly or, if https is true, by way of a proxy.
func Secure(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = nosniff
		if https || r.TLS != nil {
			h["Strict-Transport-Security"] = hsts
		}
		next.ServeHTTP(w, r)
	})
}

// EncodedSlash reports whether a path contains a slash that is written as %2F.
// Such a slash is part of a segment (RFC 3986, section 2.2), but the decoded
// path shows it as a separator, so nothing is served at such a path.
func EncodedSlash(u *url.URL) bool {
	return strings.Contains(u.RawPath, "%2F") || strings.Contains(u.RawPath, "%2f")
}
