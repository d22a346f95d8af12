// Package web serves the pages for people: home, search, stations with their tide, and what
// crawlers read. What comes in are requests of browsers; what goes out is HTML that is
// complete in one response and works without scripts. The pages are a front end as mcp and
// rest are: they call the operations of tools.Set and compute nothing but layout.
//
//	web.go       Server: routes, methods, unknown paths
//	response.go  pages as responses: public ones from memory, private ones
//	view.go      what all pages share: preferences, frame, links
//	words.go     times, numbers and ages in words
//	allowance.go what an address may open in a minute beyond pages from memory
//	connect.go   how each AI client connects
//	home.go      /
//	find.go      /stations: search, browse by state; near.go the stations near a position
//	station.go   /stations/{id}: gathers the parts; parts.go, water.go, weather.go, sky.go
//	lookup.go    stations by id, and what is shown for an unknown one
//	current.go   /stations/{id} of a current station
//	month.go     the month to print; year.go a year, a month on each sheet
//	pictures.go  tide.svg, tide.png and tide.ics
//	calendars.go /calendars/...: calendars of planning to subscribe to; calendar_tides.go,
//	             calendar_currents.go, calendar_transits.go
//	planning.go  /planning: forms about times; plan_answer.go lists, charts and links;
//	             plan_route.go routes
//	locator.go   the map of a station
//	status.go    /status; bars.go its days as bars
//	verification.go  /verification: the newest comparison with NOAA's predictions, and its badge
//	texts.go     /privacy, /terms, /support, from Markdown
//	docs.go      /docs: the documentation, which package manual makes
//	crawlers.go  robots.txt, sitemap.xml, llms.txt, the icon
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
	"leadline/internal/web/manual"
)

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
	*Shared
	c         Config
	exact     map[string]http.HandlerFunc
	stations  *stationPages
	calendars *calendarPages
	manual    func() *manual.Manual // the documentation
}

// New returns a server of pages.
func New(c Config) *Server {
	shared := newShared(c.Settings)
	s := &Server{
		Shared: shared, c: c, stations: newStationPages(shared),
		calendars: newCalendarPages(shared, c.Count),
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
	}
	for _, paths := range []map[string]http.HandlerFunc{
		s.texts(), searchPaths(shared), planPaths(shared), healthPaths(shared, c.Past, c.Verified),
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
		s.refuse(coast.MethodNotAllowed, errorView{
			Title: "This page can only be read",
			Paragraphs: []string{"Its address accepts GET and HEAD. Programs send data to the addresses " +
				"under /api."},
		}).serve(w, r)
		return
	}
	path := r.URL.Path
	if plain := strings.TrimRight(path, "/"); plain != path && plain != "" {
		redirect(w, r, plain)
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
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && acceptsHTML(r)
}
