package server

import (
	"net/http"
	"strings"

	"leadline/internal/access/limit"
	"leadline/internal/web"
)

// route is a row of the table of routes.
type route struct {
	path    string                 // a path, or what the matched paths are
	matches func(path string) bool // nil for the path as it is written
	surface limit.Surface
	policy  policy
	by      string // the package that serves it
	handler http.Handler
}

// policy names what a request counts as, and with it the middleware of a route.
type policy string

const (
	unlimited  policy = "none"
	operations policy = "operations: rate limit and monthly quota of the caller"
	documents  policy = "documents of the address"
	people     policy = "documents of the address; not compressed, for their secrets"
	shared     policy = "documents of the address; shared caches may keep them"
	calendars  policy = "calendars of the address; shared caches may keep them"
	address    policy = "rate limit of the address"
)

// table returns the routes of the public address: exact paths, then patterns in the order in which
// they are tried. All other paths, and those with an encoded slash, count in the rate limit of the
// address and are not found.
func (s *routes) table() []route {
	const api, ai = limit.REST, limit.MCP
	rows := []route{
		{"/livez", nil, api, unlimited, "status", s.ready},
		{"/readyz", nil, api, unlimited, "status", s.ready},
		{mcpPath, nil, ai, operations, "mcp", s.mcp},
		{proPath, nil, ai, operations, "mcp", s.mcp.SignedIn(s.signIn.metadata)},
		{"/openapi.json", nil, api, documents, "rest", public(s.api.Document(s.base))},
		{"/api/planning/openapi.json", nil, api, documents, "rest",
			public(s.api.PlanningDocument(s.base))},
		{"/api/developer/openapi.json", nil, api, documents, "rest", s.api.DeveloperDocument(s.base)},
		{"/api/developer/status", nil, api, documents, "rest", s.api},
		{cardPath, nil, api, documents, "server",
			public(description(cardType, newCard(s.base, s.version)))},
		{catalogPath, nil, api, documents, "server",
			public(description(catalogType, newCatalog(s.base)))},
		{wellKnownCardPath, nil, api, documents, "server",
			http.RedirectHandler(cardPath, http.StatusMovedPermanently)},
	}
	if s.challenge != "" {
		rows = append(rows, route{challengePath, nil, api, documents, "server", text(s.challenge)})
	}
	return append(rows,
		route{"/api/*", isAPI, api, operations, "rest", s.api},
		route{"/account/*, /oauth/*, /.well-known/*", isSignIn, api, people, "login, oauth, web/account",
			http.HandlerFunc(s.serveSignIn)},
		route{"/calendars/*", web.IsCalendar, api, calendars, "web", s.web},
		route{"pages", s.web.Serves, api, shared, "web", s.web},
	)
}

func isAPI(path string) bool { return strings.HasPrefix(path, "/api/") }

// within adds the middleware of a policy to a handler.
func (s *routes) within(p policy, surface limit.Surface, next http.Handler) http.Handler {
	switch p {
	case unlimited:
		return s.wrapped(surface, next)
	case operations:
		if surface == limit.MCP {
			return s.counted(surface, s.parts.mcp, next)
		}
		return s.api.Versioned(s.counted(surface, s.parts.api, next))
	case documents:
		return s.document(next)
	case people:
		return s.page(next)
	case shared:
		return s.site(next)
	case calendars:
		return s.calendars(next)
	}
	return s.limited(surface, next) // its handler counts
}
