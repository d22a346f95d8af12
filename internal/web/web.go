// Package web serves the pages for people. What comes in are requests of browsers; what goes out is
// HTML that is complete in one response and works without scripts. The pages are a front end as mcp
// and rest are: they call the operations of tools.Set and compute nothing but layout.
//
//	web.go       Server: routes, methods, unknown paths
//	home.go      /
//	connect.go   how each AI client connects
//	texts.go     /privacy, /terms, /support, from Markdown
//	docs.go      /docs: the documentation, which package manual makes
//	crawlers.go  robots.txt, sitemap.xml, llms.txt, the icon
//
// Other pages are packages: station, trip, plan, calendar, search and health. They have site, the
// responses, and view, what pages are written with, below them.
package web

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"

	"leadline/internal/coast"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/internal/web/calendar"
	"leadline/internal/web/health"
	"leadline/internal/web/manual"
	"leadline/internal/web/plan"
	"leadline/internal/web/search"
	"leadline/internal/web/site"
	"leadline/internal/web/station"
	"leadline/internal/web/trip"
)

// Settings are the operations and settings that all pages share.
type Settings = site.Settings

// Config has the parts and settings of a Server.
type Config struct {
	Settings
	SignUp    bool // strangers can create an account
	PerMinute int  // requests that a caller without an account may make in a minute

	// Count counts a calendar that is computed in the address's rate limit of REST.
	Count func(context.Context) error

	// Past reads what the store knows about the status of the service.
	Past func(context.Context) (status.Past, error)

	// Verified reads the newest comparison with NOAA's predictions.
	Verified func(context.Context) (verify.Snapshot, error)

	Contact   string                   // of the operator, a mail address or a URL; "" if there is none
	Texts     Texts                    // of the operator; those of the program where they are missing
	Documents func() ([][]byte, error) // OpenAPI documents, for the documentation
}

// Server serves the pages. It is safe for concurrent use.
type Server struct {
	*site.Shared
	c         Config
	exact     map[string]http.HandlerFunc
	stations  *station.Pages
	calendars *calendar.Pages
	manual    func() *manual.Manual // the documentation
}

// New returns a server of pages.
func New(c Config) *Server {
	shared := site.New(c.Settings)
	s := &Server{
		Shared: shared, c: c, stations: station.New(shared),
		calendars: calendar.New(shared, c.Count),
	}
	s.manual = sync.OnceValue(s.newManual)
	s.exact = map[string]http.HandlerFunc{
		"/":            s.home,
		"/docs/search": s.searchDocs,
		"/robots.txt":  s.robots,
		"/sitemap.xml": s.sitemap,
		"/llms.txt":    s.llms,
		"/favicon.svg": s.icon,
		"/favicon.ico": s.icon,
		trip.Path:      trip.New(shared).ServeHTTP,
	}
	for _, paths := range []map[string]http.HandlerFunc{
		s.texts(), search.Paths(shared), plan.Paths(shared), health.Paths(shared, c.Past, c.Verified),
	} {
		maps.Copy(s.exact, paths)
	}
	return s
}

// Serves reports whether a path belongs to the pages.
func (s *Server) Serves(path string) bool {
	_, ok := s.exact[path]
	if plain := strings.TrimSuffix(path, "/"); !ok && plain != "/" {
		_, ok = s.exact[plain]
	}
	return ok || isDocs(path) || strings.HasPrefix(path, "/stations/")
}

// ServeHTTP responds with a page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.Refuse(coast.MethodNotAllowed, site.Fault{
			Title: "This page can only be read",
			Paragraphs: []string{"Its address accepts GET and HEAD. Programs send data to the addresses " +
				"under /api."},
		}).Serve(w, r)
		return
	}
	path := r.URL.Path
	if plain := strings.TrimRight(path, "/"); plain != path && plain != "" {
		site.Redirect(w, r, plain)
		return
	}
	if handler, ok := s.exact[path]; ok {
		handler(w, r)
		return
	}
	if isDocs(path) {
		s.docs(w, r, path)
		return
	}
	if IsCalendar(path) {
		s.calendars.ServeHTTP(w, r)
		return
	}
	s.stations.ServeHTTP(w, r)
}

// WantsPage reports whether a request is a browser's for a page, so that a refusal should be
// one too.
func WantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && site.AcceptsHTML(r)
}

// IsCalendar reports whether a path belongs to the calendars of planning, which have a rate limit
// of their own.
func IsCalendar(path string) bool { return strings.HasPrefix(path, calendar.Path) }
