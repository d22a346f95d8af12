package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/metrics"
	"leadline/internal/page"
	"leadline/internal/status"
	"leadline/internal/web"
	"leadline/internal/web/account"
	"leadline/mcp"
	"leadline/oauth"
	"leadline/rest"
)

// The paths of the MCP endpoint: for everybody, and for people who sign in.
const (
	mcpPath = "/mcp"
	proPath = oauth.Path
)

// routes holds the endpoints of the public address.
type routes struct {
	base    string
	version string
	// challenge is the text by which a directory verifies the host, "" for none.
	challenge string

	mcp     *mcp.Server
	signIn  signIn
	pages   map[string]http.Handler // of signIn, by path; nil if sign-in is not available
	api     *rest.API
	web     *web.Server
	account *account.Server
	gate    *access.Gate
	load    *edge.Load
	ready   *status.Readiness
	parts   components
	log     *slog.Logger
	meters  *metrics.Metrics // nil without an operator address
}

// handler returns the handler of all routes.
func (s *routes) handler() http.Handler {
	exact := map[string]http.Handler{}
	var patterns []route
	for _, r := range s.table() {
		r.handler = s.within(r.policy, r.surface, r.handler)
		if r.matches == nil {
			exact[r.path] = r.handler
			continue
		}
		patterns = append(patterns, r)
	}
	nowhere := s.within(address, limit.REST, http.HandlerFunc(s.nowhere))
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		handler, ok := exact[path]
		if !ok {
			handler = nowhere
			i := slices.IndexFunc(patterns, func(p route) bool { return p.matches(path) })
			if i >= 0 {
				handler = patterns[i].handler
			}
		}
		if edge.EncodedSlash(r.URL) {
			handler = nowhere
		}
		handler.ServeHTTP(w, r)
	})
	return edge.Linger(edge.Secure(isSecure(s.base), mux))
}

// public lets pages of all origins read a document.
func public(document http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !edge.Public(w, r, http.MethodGet, http.MethodHead) {
			document.ServeHTTP(w, r)
		}
	})
}

// isSignIn reports whether a path belongs to sign-in or the authorization server. Clients
// request metadata at guessed paths, and send any credential that they have. The response
// describes what exists, and never says that the credential is invalid.
func isSignIn(path string) bool {
	return isAccount(path) || path == proPath+"/.well-known/openid-configuration" ||
		strings.HasPrefix(path, "/oauth/") ||
		strings.HasPrefix(path, "/.well-known/")
}

// serveSignIn serves sign-in and the authorization server. API credentials are ignored there,
// and no quota is spent.
func (s *routes) serveSignIn(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if s.pages == nil {
		s.noSignIn(w, r)
		return
	}
	handler, ok := s.pages[path]
	switch {
	case ok:
		handler.ServeHTTP(w, r)
	case isAccount(path):
		s.account.ServeHTTP(w, r)
	case strings.HasPrefix(path, "/oauth/"):
		page.NotFound(w)
	default:
		oauth.NotPublished(w, r)
	}
}

// isAccount reports whether a path belongs to the pages of an account.
func isAccount(path string) bool {
	return path == page.AccountPath || strings.HasPrefix(path, page.AccountPath+"/")
}

// noSignIn responds at the paths of sign-in on a server where nobody can sign in.
func (s *routes) noSignIn(w http.ResponseWriter, r *http.Request) {
	if isAccount(r.URL.Path) && web.WantsPage(r) {
		page.Error(w, http.StatusNotFound, "Nobody can sign in to this server",
			"Its address is "+s.base+", and a password would cross the network unencrypted. The operator "+
				"gives the server an https address, with --base-url, --tls-cert or --acme-domain. Data need "+
				"no account.")
		return
	}
	coast.WriteError(w, notServed(r))
}

// nowhere responds at all other paths. It counts a request in the address's rate limit and
// ignores credentials. A client whose key was refused at /mcp tries /register, /authorize and
// /token next, with the key. The response must say that sign-in is not available, and a 401
// would suggest the opposite.
func (s *routes) nowhere(w http.ResponseWriter, r *http.Request) {
	err := s.gate.Count(r.Context())
	if err == nil {
		if web.WantsPage(r) {
			s.web.NotFound(w, r)
			return
		}
		err = notServed(r)
		w.Header().Add("Vary", "Accept")
	}
	coast.WriteError(w, err)
}

func notServed(r *http.Request) error {
	return coast.Errorf(coast.NotFound, "nothing is served at %s. AI clients connect to /mcp, or to "+
		"/pro/mcp by signing in; programs ask under /api/v1, for example "+
		"/api/v1/stations/8443970/predictions; /openapi.json describes it.",
		coast.Clip(r.URL.EscapedPath()))
}

// page adds the middleware for pages. Pages are not compressed, because their compressed length
// would reveal the secrets in them (BREACH).
func (s *routes) page(next http.Handler) http.Handler {
	return s.wrapped(limit.REST, s.load.Limit(s.countDocument(next)))
}

// site adds the middleware for the pages that everybody sees. They compress themselves, once
// for all clients, and have no headers of limits, because shared caches may keep them.
func (s *routes) site(next http.Handler) http.Handler {
	return s.gate.WrapPages(edge.AccessLog(s.accessLog(limit.REST),
		s.load.Limit(s.countDocument(next))))
}

// calendars adds the middleware for calendars that programs subscribe to. Shared caches may keep
// them, as pages.
func (s *routes) calendars(next http.Handler) http.Handler {
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.gate.CountCalendar(r.Context()); err != nil {
			e, _ := coast.AsError(err)
			edge.Refuse(w, e)
			return
		}
		next.ServeHTTP(w, r)
	})
	return s.gate.WrapPages(edge.AccessLog(s.accessLog(limit.REST), s.load.Limit(counted)))
}

// document adds the middleware for documents.
func (s *routes) document(next http.Handler) http.Handler {
	return s.limited(limit.REST, s.countDocument(next))
}

// limited adds the middleware for all responses, compression and the load limits.
func (s *routes) limited(surface limit.Surface, next http.Handler) http.Handler {
	return s.wrapped(surface, s.load.Limit(edge.Compress(next)))
}

// counted adds the middleware of limited, and counts the responses for the status. Only
// operations are counted: not documents, pages or the status itself.
func (s *routes) counted(
	surface limit.Surface, traffic *status.Traffic, next http.Handler,
) http.Handler {
	config := s.accessLog(surface)
	meter := config.Observe
	config.Observe = func(r *http.Request, status int, took time.Duration) {
		traffic.Observe(r, status, took)
		if meter != nil {
			meter(r, status, took)
		}
	}
	return s.gate.Wrap(surface, edge.AccessLog(config, s.load.Limit(edge.Compress(next))))
}

// wrapped adds the middleware for all responses.
func (s *routes) wrapped(surface limit.Surface, next http.Handler) http.Handler {
	return s.gate.Wrap(surface, edge.AccessLog(s.accessLog(surface), next))
}

func (s *routes) accessLog(surface limit.Surface) edge.Config {
	return edge.Config{
		Log: s.log, ID: access.RequestID, Who: callerAttrs, Observe: s.observe(surface),
	}
}

// countDocument limits how often an address requests documents and pages, which do not count in
// the API's rate limit.
func (s *routes) countDocument(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.gate.CountDocument(r.Context())
		switch e, _ := coast.AsError(err); {
		case err == nil:
			next.ServeHTTP(w, r)
		case strings.Contains(r.Header.Get("Accept"), "text/html"):
			e.SetHeaders(w.Header())
			page.Error(w, e.Status(), "Too many pages", fmt.Sprintf("This address has opened more pages "+
				"in a minute than one address may. Try again in %d seconds.", e.RetryAfterSeconds))
		default:
			edge.Refuse(w, e)
		}
	})
}

// callerAttrs returns the attributes of a caller for the access log: the tier, and the public
// id of the key or the id of the grant. If there is neither, it returns the client's address.
func callerAttrs(ctx context.Context) []slog.Attr {
	caller, _ := access.CallerFrom(ctx)
	by := slog.String("address", caller.Address.String())
	switch {
	case caller.Key != "":
		by = slog.String("key", caller.Key)
	case caller.Grant != "":
		by = slog.String("grant", caller.Grant)
	}
	return []slog.Attr{slog.String("tier", string(caller.Tier)), by}
}

// observe returns a function that counts the responses of a surface, or nil without metrics.
func (s *routes) observe(surface limit.Surface) func(*http.Request, int, time.Duration) {
	if s.meters == nil {
		return nil
	}
	return func(r *http.Request, status int, took time.Duration) {
		caller, _ := access.CallerFrom(r.Context())
		route := r.URL.Path
		if surface == limit.REST {
			route = s.api.Route(r.URL.Path)
		}
		s.meters.Request(route, surface.Name(), string(caller.Tier), status, took)
		if caller.Group != "" {
			s.meters.Shared(caller.Group, surface.Name(), status)
		}
	}
}
