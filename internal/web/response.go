package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/page"
)

// response responds to a request: with a rendered page or file, a refusal or a redirection.
type response interface {
	serve(w http.ResponseWriter, r *http.Request)
}

// private is the age of a response that nobody may keep.
const private time.Duration = 0

// keptIf returns the age of a response that may be kept if it is complete.
func keptIf(complete bool, age time.Duration) time.Duration {
	if complete {
		return age
	}
	return private
}

// cacheControl returns the header of a response that anybody may keep for a time.
func cacheControl(age time.Duration) string {
	if age == private {
		return "private, no-store"
	}
	return fmt.Sprintf("public, max-age=%d", int(age.Seconds()))
}

// rendered is a response that is ready to be sent.
type rendered struct {
	body    *edge.Encoded
	headers func(http.Header)
	age     time.Duration // for which anybody may keep it
}

func (p rendered) serve(w http.ResponseWriter, r *http.Request) {
	p.headers(w.Header())
	w.Header().Set("Cache-Control", cacheControl(p.age))
	p.body.Serve(w, r)
}

// render returns a page as a response.
func render[T any](p *page.SitePage[T], data T, age time.Duration) rendered {
	return rendered{edge.NewEncoded(p.HTML(data)), p.SetHeaders, age}
}

// file returns a body of another type than HTML as a response.
func file(contentType string, body []byte, age time.Duration, more ...func(http.Header)) rendered {
	return rendered{edge.NewEncoded(body), func(h http.Header) {
		h.Set("Content-Type", contentType)
		for _, set := range more {
			set(h)
		}
	}, age}
}

// Size returns the bytes that keeping the response takes.
func (p rendered) Size() int { return p.body.Size() }

// mostMemory limits the bytes of the pages that are kept.
const mostMemory = 64 << 20

// memory keeps the public responses of a minute: the bytes of two requests within a minute are
// equal, so each is made once. It is safe for concurrent use.
type memory struct {
	now func() time.Time

	mu     sync.Mutex
	minute time.Time
	size   int
	pages  map[string]rendered
}

func newMemory(now func() time.Time) *memory { return &memory{now: now} }

// get returns the kept response of a key, if there is one.
func (m *memory) get(key string) (rendered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	p, ok := m.pages[key]
	return p, ok
}

// put keeps a public page or file until the minute ends, as long as there is room.
func (m *memory) put(key string, minute time.Time, made response) {
	p, ok := made.(rendered)
	if !ok || p.age == private {
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
		m.minute, m.size, m.pages = minute, 0, map[string]rendered{}
	}
}

// once serves the response of a key from memory, or makes it for this minute.
func (s *Shared) once(
	w http.ResponseWriter, r *http.Request, key string,
	make func(ctx context.Context, now time.Time) response,
) {
	if !s.serveKept(w, r, key) {
		s.makeOnce(r.Context(), key, make).serve(w, r)
	}
}

// serveKept serves the response of a key from memory. It reports whether it did.
func (s *Shared) serveKept(w http.ResponseWriter, r *http.Request, key string) bool {
	kept, ok := s.memory.get(key)
	if ok {
		kept.serve(w, r)
	}
	return ok
}

// limited serves the response of a key as once does, if it is in memory or if the address of the
// caller may open another one in this minute. Otherwise it serves over, a refusal.
func (s *Shared) limited(
	w http.ResponseWriter, r *http.Request, key string, a *allowance, over func() response,
	make func(ctx context.Context, now time.Time) response,
) {
	switch {
	case s.serveKept(w, r, key):
	case !a.allows(r.Context(), key):
		over().serve(w, r)
	default:
		s.makeOnce(r.Context(), key, make).serve(w, r)
	}
}

// makeOnce makes the response of a key and keeps it if it is public. Requests that come while it
// is made get the same one, so it is made to its end unless all clients leave.
func (s *Shared) makeOnce(
	ctx context.Context, key string, make func(ctx context.Context, now time.Time) response,
) response {
	return s.Flights.do(ctx, key, func(ctx context.Context) response {
		now := s.minute()
		p := make(ctx, now)
		if ctx.Err() == nil {
			s.memory.put(key, now, p)
		}
		return p
	})
}

// minute returns the present time of a page: charts and texts of a page have the same one.
func (s *Shared) minute() time.Time { return s.Now().Truncate(time.Minute) }

// refusal responds with an error: a page for browsers, JSON for programs. It is not kept.
type refusal struct {
	code       coast.Code
	retryAfter int // seconds, 0 for none
	view       errorView
}

func (f refusal) serve(w http.ResponseWriter, r *http.Request) {
	e := coast.Errorf(f.code, "%s. %s", f.view.Title, f.view.Paragraphs[0])
	e.RetryAfterSeconds = f.retryAfter
	w.Header().Add("Vary", "Accept")
	if !acceptsHTML(r) {
		coast.WriteError(w, e)
		return
	}
	body := errorPage.HTML(f.view)
	errorPage.SetHeaders(w.Header())
	e.SetHeaders(w.Header())
	w.WriteHeader(e.Status())
	w.Write(body)
}

// refuse returns a refusal.
func (s *Shared) refuse(code coast.Code, view errorView) refusal {
	view.Frame = s.frame("", "")
	view.OwnSearch = true
	return refusal{code: code, view: view}
}

// tooMany refuses an address that has opened too many things in a minute.
func (s *Shared) tooMany(title, text string) response {
	f := s.refuse(coast.RateLimited, errorView{Title: title, Paragraphs: []string{text}})
	f.retryAfter = 60
	return f
}

// redirection sends a browser to another path of the site for good, with the query.
type redirection struct{ path string }

func (d redirection) serve(w http.ResponseWriter, r *http.Request) { redirect(w, r, d.path) }

// errorView is the content of an error page.
type errorView struct {
	page.Frame
	Title      string
	Paragraphs []string
	Found      []row // stations that the person may have meant
	Query      string
}

// NotFound responds that the page does not exist.
func (s *Shared) NotFound(w http.ResponseWriter, r *http.Request) {
	s.refuse(coast.NotFound, errorView{
		Title: "There is no such page",
		Paragraphs: []string{"Nothing is served at this address. If you typed it, check the spelling; " +
			"if a link brought you here, the link is out of date.", "You may be looking for a station:"},
	}).serve(w, r)
}

// redirect sends a browser to another path of the site for good, with its query.
func redirect(w http.ResponseWriter, r *http.Request, path string) {
	to := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
}

// failure responds with an error as JSON.
type failure struct{ err error }

func (f failure) serve(w http.ResponseWriter, _ *http.Request) { coast.WriteError(w, f.err) }

// failed returns the response for an error, and logs it if it is unexpected.
func (s *Shared) failed(err error) failure {
	if unexpected(err) {
		s.Log.Error("file of a station", "error", err)
	}
	return failure{err}
}

// acceptsHTML reports whether a client asks for pages, as browsers do.
func acceptsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
