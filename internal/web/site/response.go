package site

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/page"
	"leadline/internal/web/view"
)

//go:embed pages/*.html
var files embed.FS

var errorPage = view.New[Fault](files, page.Options{}, "error", "suggest")

// Response responds to a request: with a rendered page or file, a refusal or a redirection.
type Response interface {
	Serve(w http.ResponseWriter, r *http.Request)
}

// Private is the age of a response that nobody may keep.
const Private time.Duration = 0

// KeptIf returns the age of a response that may be kept if it is complete.
func KeptIf(complete bool, age time.Duration) time.Duration {
	if complete {
		return age
	}
	return Private
}

// cacheControl returns the header of a response that anybody may keep for a time.
func cacheControl(age time.Duration) string {
	if age == Private {
		return "private, no-store"
	}
	return fmt.Sprintf("public, max-age=%d", int(age.Seconds()))
}

// Rendered is a response that is ready to be sent.
type Rendered struct {
	body    *edge.Encoded
	headers func(http.Header)
	age     time.Duration // for which anybody may keep it
}

func (p Rendered) Serve(w http.ResponseWriter, r *http.Request) {
	p.headers(w.Header())
	w.Header().Set("Cache-Control", cacheControl(p.age))
	p.body.Serve(w, r)
}

// Render returns a page as a response.
func Render[T any](p *page.SitePage[T], data T, age time.Duration) Rendered {
	return Rendered{edge.NewEncoded(p.HTML(data)), p.SetHeaders, age}
}

// File returns a body of another type than HTML as a response.
func File(contentType string, body []byte, age time.Duration, more ...func(http.Header)) Rendered {
	return Rendered{edge.NewEncoded(body), func(h http.Header) {
		h.Set("Content-Type", contentType)
		for _, set := range more {
			set(h)
		}
	}, age}
}

// Size returns the bytes that keeping the response takes.
func (p Rendered) Size() int { return p.body.Size() }

// mostMemory limits the bytes of the pages that are kept.
const mostMemory = 64 << 20

// memory keeps the public responses of a minute: the bytes of two requests within a minute are
// equal, so each is made once. It is safe for concurrent use.
type memory struct {
	now func() time.Time

	mu     sync.Mutex
	minute time.Time
	size   int
	pages  map[string]Rendered
}

func newMemory(now func() time.Time) *memory { return &memory{now: now} }

// get returns the kept response of a key, if there is one.
func (m *memory) get(key string) (Rendered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	p, ok := m.pages[key]
	return p, ok
}

// put keeps a public page or file in memory for a minute: until the minute ends, as long as there
// is room.
func (m *memory) put(key string, minute time.Time, made Response) {
	p, ok := made.(Rendered)
	if !ok || p.age == Private {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	size := p.Size() + len(key)
	if !minute.Equal(m.minute) || m.size+size > mostMemory {
		return
	}
	if _, kept := m.pages[key]; !kept {
		m.pages[key] = p
		m.size += size
	}
}

// turn drops the responses of an earlier minute.
func (m *memory) turn() {
	if minute := m.now().Truncate(time.Minute); !minute.Equal(m.minute) {
		m.minute, m.size, m.pages = minute, 0, map[string]Rendered{}
	}
}

// Once serves the response of a key from memory, or makes it for this minute.
func (s *Shared) Once(
	w http.ResponseWriter, r *http.Request, key string,
	make func(ctx context.Context, now time.Time) Response,
) {
	if !s.ServeKept(w, r, key) {
		s.MakeOnce(r.Context(), key, make).Serve(w, r)
	}
}

// ServeKept serves the response of a key from memory. It reports whether it did.
func (s *Shared) ServeKept(w http.ResponseWriter, r *http.Request, key string) bool {
	kept, ok := s.memory.get(key)
	if ok {
		kept.Serve(w, r)
	}
	return ok
}

// Limited serves the response of a key as once does, if it is in memory or if the address of the
// caller may open another one in this minute. Otherwise it serves over, a refusal.
func (s *Shared) Limited(
	w http.ResponseWriter, r *http.Request, key string, a *Allowance, over func() Response,
	make func(ctx context.Context, now time.Time) Response,
) {
	switch {
	case s.ServeKept(w, r, key):
	case !a.Allows(r.Context(), key):
		over().Serve(w, r)
	default:
		s.MakeOnce(r.Context(), key, make).Serve(w, r)
	}
}

// MakeOnce makes the response of a key and keeps it if it is public. Requests that come while it
// is made get the same one, so it is made to its end unless all clients leave.
func (s *Shared) MakeOnce(
	ctx context.Context, key string, make func(ctx context.Context, now time.Time) Response,
) Response {
	return s.Flights.Do(ctx, key, func(ctx context.Context) Response {
		now := s.Minute()
		p := make(ctx, now)
		if ctx.Err() == nil {
			s.memory.put(key, now, p)
		}
		return p
	})
}

// Minute returns the present time of a page: charts and texts of a page have the same one.
func (s *Shared) Minute() time.Time { return s.Now().Truncate(time.Minute) }

// Refusal responds with an error: a page for browsers, JSON for programs. It is not kept.
type Refusal struct {
	code       coast.Code
	retryAfter int // seconds, 0 for none
	view       Fault
}

func (f Refusal) Serve(w http.ResponseWriter, r *http.Request) {
	e := coast.Errorf(f.code, "%s. %s", f.view.Title, f.view.Paragraphs[0])
	e.RetryAfterSeconds = f.retryAfter
	w.Header().Add("Vary", "Accept")
	if !AcceptsHTML(r) {
		coast.WriteError(w, e)
		return
	}
	body := errorPage.HTML(f.view)
	errorPage.SetHeaders(w.Header())
	e.SetHeaders(w.Header())
	w.WriteHeader(e.Status())
	w.Write(body)
}

// Refuse returns a refusal.
func (s *Shared) Refuse(code coast.Code, view Fault) Refusal {
	view.Frame = s.Frame("", "")
	view.OwnSearch = true
	return Refusal{code: code, view: view}
}

// TooMany refuses an address that has opened too many things in a minute.
func (s *Shared) TooMany(title, text string) Response {
	f := s.Refuse(coast.RateLimited, Fault{Title: title, Paragraphs: []string{text}})
	f.retryAfter = 60
	return f
}

// Redirection sends a browser to another path of the site for good, with the query.
type Redirection struct{ Path string }

func (d Redirection) Serve(w http.ResponseWriter, r *http.Request) { Redirect(w, r, d.Path) }

// Fault is the content of an error page.
type Fault struct {
	page.Frame
	Title      string
	Paragraphs []string
	Found      []view.Row // stations that the person may have meant
	Query      string
}

// NotFound responds that the page does not exist.
func (s *Shared) NotFound(w http.ResponseWriter, r *http.Request) {
	s.Refuse(coast.NotFound, Fault{
		Title: "There is no such page",
		Paragraphs: []string{"Nothing is served at this address. If you typed it, check the spelling; " +
			"if a link brought you here, the link is out of date.", "You may be looking for a station:"},
	}).Serve(w, r)
}

// Redirect sends a browser to another path of the site for good, with its query.
func Redirect(w http.ResponseWriter, r *http.Request, path string) {
	to := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
}

// failure responds with an error as JSON.
type failure struct{ err error }

func (f failure) Serve(w http.ResponseWriter, _ *http.Request) { coast.WriteError(w, f.err) }

// Failed returns the response for an error, and logs it if it is unexpected.
func (s *Shared) Failed(err error) failure {
	if unexpected(err) {
		s.Log.Error("file of a station", "error", err)
	}
	return failure{err}
}

// AcceptsHTML reports whether a client asks for pages, as browsers do.
func AcceptsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
