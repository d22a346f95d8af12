package web

import (
	"context"
	"fmt"
	"net/http"
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

// caching defines for how long and by whom a response may be kept.
type caching struct {
	public bool
	age    time.Duration
}

func (c caching) header() string {
	if !c.public {
		return "private, no-store"
	}
	return fmt.Sprintf("public, max-age=%d", int(c.age.Seconds()))
}

// rendered is a response that is ready to be sent.
type rendered struct {
	body    *edge.Encoded
	headers func(http.Header)
	caching caching
}

func (p rendered) serve(w http.ResponseWriter, r *http.Request) {
	p.headers(w.Header())
	w.Header().Set("Cache-Control", p.caching.header())
	p.body.Serve(w, r)
}

// render returns a page as a response.
func render[T any](p *page.SitePage[T], data T, c caching) rendered {
	return rendered{edge.NewEncoded(p.HTML(data)), p.SetHeaders, c}
}

// file returns a body of another type than HTML as a response.
func file(contentType string, body []byte, c caching, more ...func(http.Header)) rendered {
	return rendered{edge.NewEncoded(body), func(h http.Header) {
		h.Set("Content-Type", contentType)
		for _, set := range more {
			set(h)
		}
	}, c}
}

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
	if !ok || !p.caching.public {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	size := p.body.Size() + len(key)
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
func (s *Server) once(
	w http.ResponseWriter, r *http.Request, key string,
	make func(ctx context.Context, now time.Time) response,
) {
	if p, ok := s.memory.get(key); ok {
		p.serve(w, r)
		return
	}
	s.makeOnce(r.Context(), key, make).serve(w, r)
}

// makeOnce makes the response of a key and keeps it if it is public. Requests that come while it
// is made get the same one, so it is made to its end unless all clients leave.
func (s *Server) makeOnce(
	ctx context.Context, key string, make func(ctx context.Context, now time.Time) response,
) response {
	return s.flights.do(ctx, key, func(ctx context.Context) response {
		now := s.minute()
		p := make(ctx, now)
		if ctx.Err() == nil {
			s.memory.put(key, now, p)
		}
		return p
	})
}

// minute returns the present time of a page: charts and texts of a page have the same one.
func (s *Server) minute() time.Time { return s.c.Now().Truncate(time.Minute) }

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
func (s *Server) refuse(code coast.Code, view errorView) refusal {
	view.Frame = s.frame("", "")
	view.OwnSearch = true
	return refusal{code: code, view: view}
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
func (s *Server) NotFound(w http.ResponseWriter, r *http.Request) {
	s.refuse(coast.NotFound, errorView{
		Title: "There is no such page",
		Paragraphs: []string{"Nothing is served at this address. If you typed it, check the spelling; " +
			"if a link brought you here, the link is out of date.", "You may be looking for a station:"},
	}).serve(w, r)
}
