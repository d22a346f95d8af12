package main

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"

	"leadline/internal/coast"
)

// newAdmin serves the operator: /metrics, profiles under /debug/pprof/ and
// /backup. It asks for no credential, so it belongs on an address that only
// the operator reaches, and there web pages are refused: a page may point a
// name of its own at that address, or send the operator's browser there.
// A profile and a backup take longer than an ordinary answer: the server that
// it is served by has no WriteTimeout.
func newAdmin(metrics http.Handler, backup http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case !namedByAddress(r.Host):
			coast.WriteError(w, coast.Errorf(coast.InvalidRequest, "the operator's address is asked by its number, or as localhost"))
		case foreign(r):
			coast.WriteError(w, coast.Errorf(coast.InvalidRequest, "the operator's address is not asked from the pages of others"))
		case path == "/metrics":
			metrics.ServeHTTP(w, r)
		case path == "/backup":
			backup(w, r)
		case strings.HasPrefix(path, "/debug/pprof/"):
			profile(w, r, strings.TrimPrefix(path, "/debug/pprof/"))
		default:
			coast.WriteError(w, coast.Errorf(coast.NotFound, "the operator finds /metrics, /debug/pprof/ and /backup here"))
		}
	})
}

// profile serves what package pprof has, but for the command line: a flag may
// hold the password of a database.
func profile(w http.ResponseWriter, r *http.Request, name string) {
	switch name {
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r) // the list, and every profile by its name
	}
}

// namedByAddress reports whether a Host is no name that somebody else's DNS
// could lead here.
func namedByAddress(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	_, err = netip.ParseAddr(name)
	return err == nil || strings.EqualFold(name, "localhost")
}

// foreign reports whether a browser sends a request for a page of another
// origin. What is no browser sends neither header.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "none" && site != "same-origin" {
		return true
	}
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	return origin != "" && (err != nil || !strings.EqualFold(u.Host, r.Host))
}
