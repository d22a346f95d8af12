package web

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"leadline/internal/edge"
	"leadline/internal/page"
)

// caching says for how long and by whom a response may be kept.
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

// put keeps a public response until the minute ends, as long as there is room.
func (m *memory) put(key string, minute time.Time, p rendered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	size := p.body.Size() + len(key)
	if !p.caching.public || !minute.Equal(m.minute) || m.size+size > mostMemory {
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
	w http.ResponseWriter, r *http.Request, key string, make func(now time.Time) rendered,
) {
	p, ok := s.memory.get(key)
	if !ok {
		now := s.minute()
		p = make(now)
		s.memory.put(key, now, p)
	}
	p.serve(w, r)
}

// minute returns the present time of a page: charts and texts of a page have the same one.
func (s *Server) minute() time.Time { return s.c.Now().Truncate(time.Minute) }

// refuse responds with a page about an error. It is not kept, because another client at the
// same address gets JSON.
func (s *Server) refuse(w http.ResponseWriter, status int, view errorView) {
	view.Frame = s.frame("", view.Description)
	view.Canonical = ""
	body := errorPage.HTML(view)
	errorPage.SetHeaders(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Add("Vary", "Accept")
	w.WriteHeader(status)
	w.Write(body)
}

// errorView is the content of an error page.
type errorView struct {
	page.Frame
	Title      string
	Paragraphs []string
	Found      []row // stations that the person may have meant
	Query      string
}

// NotFound responds with a page that says that the page does not exist.
func (s *Server) NotFound(w http.ResponseWriter) {
	s.refuse(w, http.StatusNotFound, errorView{
		Title: "There is no such page",
		Paragraphs: []string{"Nothing is served at this address. If you typed it, check the spelling; " +
			"if a link brought you here, the link is out of date. You may be looking for a station:"},
	})
}
