package server

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"

	"leadline/internal/coast"
)

// newOperator returns the handler of the operator's address: /metrics, profiles under
// /debug/pprof/, and /backup. It takes no credential, so it belongs on an address that only
// the operator reaches. Requests from web pages are refused: a page may point a name of its
// own at that address, or send the operator's browser there. A profile and a backup take
// longer than an ordinary response: its HTTP server has no WriteTimeout.
func newOperator(metrics http.Handler, backup http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case !isNumericHost(r.Host):
			coast.WriteError(w, coast.Errorf(coast.InvalidRequest,
				"the operator's address takes its number or localhost as Host"))
		case isForeign(r):
			coast.WriteError(w, coast.Errorf(coast.InvalidRequest,
				"the operator's address refuses requests from pages of other origins"))
		case path == "/metrics":
			metrics.ServeHTTP(w, r)
		case path == "/backup":
			backup(w, r)
		case strings.HasPrefix(path, "/debug/pprof/"):
			serveProfile(w, r, strings.TrimPrefix(path, "/debug/pprof/"))
		default:
			coast.WriteError(w, coast.Errorf(coast.NotFound,
				"the operator finds /metrics, /debug/pprof/ and /backup here"))
		}
	})
}

// serveProfile serves the profiles of package pprof, but not the command line, because a flag
// may contain a database password.
func serveProfile(w http.ResponseWriter, r *http.Request, name string) {
	switch name {
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r) // the list and each profile by its name
	}
}

// isNumericHost reports whether a Host is an address or localhost. An attacker's DNS could
// point any other name here.
func isNumericHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	_, err = netip.ParseAddr(name)
	return err == nil || strings.EqualFold(name, "localhost")
}

// isForeign reports whether a browser sent a request on behalf of a page of another origin.
// Programs that are not browsers send neither header.
func isForeign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "none" && site != "same-origin" {
		return true
	}
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	return origin != "" && (err != nil || !strings.EqualFold(u.Host, r.Host))
}
