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
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/page"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/internal/web/manual"
	"leadline/tools"
)

// Config has the parts and settings of a Server.
type Config struct {
	Set       *tools.Set
	Base      string // scheme and host that clients see
	Site      page.Site
	Offline   bool // providers are not asked
	SignUp    bool // strangers can create an account
	PerMinute int  // requests that a caller without an account may make in a minute
	Now       func() time.Time
	Log       *slog.Logger  // of unexpected errors
	Patience  time.Duration // how long a page waits for all providers together; 0: 800 ms

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
	c        Config
	memory   *memory
	flights  *flights
	asking   *allowance
	pictures *allowance
	planned  *allowance

	calendars *calendarMemory
	exact     map[string]http.HandlerFunc
	all       func() []directory.FoundStation // the directory, in order of id
	ids       func() map[string]string        // of the directory, by their upper case
	manual    func() *manual.Manual           // the documentation
}

// New returns a server of pages.
func New(c Config) *Server {
	c.Patience = cmp.Or(c.Patience, patience)
	s := &Server{
		c: c, memory: newMemory(c.Now), flights: newFlights(), calendars: newCalendarMemory(c.Now),
		asking:   newAllowance(askedStations, c.Now),
		pictures: newAllowance(drawnPictures, c.Now),
		planned:  newAllowance(mostPlans, c.Now),
	}
	s.all = sync.OnceValue(s.directory)
	s.ids = sync.OnceValue(func() map[string]string {
		ids := map[string]string{}
		for _, st := range s.all() {
			ids[strings.ToUpper(st.ID)] = st.ID
		}
		return ids
	})
	s.manual = sync.OnceValue(s.newManual)
	s.exact = map[string]http.HandlerFunc{
		"/":                 s.home,
		"/stations":         s.find,
		"/stations/near":    s.near,
		"/stations/suggest": s.suggest,
		"/status":           s.status,
		"/verification":     s.verification,
		"/verification.svg": s.badge,
		"/docs/search":      s.searchDocs,
		"/robots.txt":       s.robots,
		"/sitemap.xml":      s.sitemap,
		"/llms.txt":         s.llms,
		"/favicon.svg":      s.icon,
		"/favicon.ico":      s.icon,
	}
	maps.Copy(s.exact, s.texts())
	maps.Copy(s.exact, s.planPaths())
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
		s.planningCalendar(w, r)
		return
	}
	id, file, _ := strings.Cut(strings.TrimPrefix(path, "/stations/"), "/")
	s.stationRoutes(w, r, id, file)
}

// stationRoutes serves the page of a station and its files.
func (s *Server) stationRoutes(w http.ResponseWriter, r *http.Request, id, file string) {
	if year, ok := strings.CutPrefix(file, "year/"); ok {
		s.year(w, r, id, year)
		return
	}
	switch file {
	case "":
		s.station(w, r, id)
	case "tide.svg":
		s.tideSVG(w, r, id)
	case "tide.png":
		s.tidePNG(w, r, id)
	case "tide.ics":
		s.tideCalendar(w, r, id)
	default:
		s.NotFound(w, r)
	}
}

// redirect sends a browser to another path of the site for good, with its query.
func redirect(w http.ResponseWriter, r *http.Request, path string) {
	to := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
}

// WantsPage reports whether a request is a browser's for a page, so that a refusal should be
// one too.
func WantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && acceptsHTML(r)
}

func acceptsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
