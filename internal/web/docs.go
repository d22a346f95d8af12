package web

import (
	"context"
	_ "embed"
	"net/http"
	"strings"
	"time"

	"leadline/internal/page"
	"leadline/internal/web/manual"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// documented lets shared caches keep a page of the documentation for five minutes.
const documented = 5 * time.Minute

//go:embed docs.css
var docsStyle string

const markdownText = "text/markdown; charset=utf-8"

// docsView shows pages of the documentation, and those with a form.
var (
	docsOptions = view.Styled(docsStyle)
	docsView    = view.New[docsPage](files, docsOptions, "docs manual", "copy")
	formView    = view.New[docsPage](files, docsOptions, "docs manual", "copy", "try")
	foundView   = view.New[foundPage](files, docsOptions, "found manual", "copy")
)

// docsPage is a page of the documentation.
type docsPage struct {
	page.Frame
	contents
	*manual.Page
}

// foundPage is the result of a search in the documentation.
type foundPage struct {
	page.Frame
	contents
	Hits []manual.Hit
}

// contents is the list of pages next to a page.
type contents struct {
	Query    string
	Here     string // path of the page
	Sections []manual.Section
}

// Current reports whether the list shows the pages of a section: it has the page.
func (c contents) Current(s manual.Section) bool {
	if s.Path == c.Here {
		return true
	}
	for _, p := range s.Pages {
		if p.Path == c.Here {
			return true
		}
	}
	return false
}

// newManual makes the documentation. A fault of it is a fault of the program, which tests find.
func (s *Server) newManual() *manual.Manual {
	documents, err := s.c.Documents()
	if err != nil {
		panic(err)
	}
	source := manual.Source{
		Base: s.Base, Documents: documents, Toolsets: s.Set.Toolsets(), Guide: s.Set.Topics.Guide(),
		Topics: s.Set.Topics.Topics(), SignIn: s.Site.Accounts,
	}
	for _, c := range Clients(s.Base, s.Base+"/mcp") {
		source.Connections = append(source.Connections, manual.Connection(c))
	}
	m, err := manual.New(source)
	if err != nil {
		panic(err)
	}
	return m
}

// isDocs reports whether a path belongs to the documentation.
func isDocs(path string) bool {
	return path == "/docs" || path == "/docs.md" || strings.HasPrefix(path, "/docs/")
}

// docs serves a page of the documentation, or its twin in Markdown.
func (s *Server) docs(w http.ResponseWriter, r *http.Request, path string) {
	plain, twin := strings.CutSuffix(path, ".md")
	p, ok := s.manual().Page(plain)
	if !ok {
		s.NotFound(w, r)
		return
	}
	s.Once(w, r, path, func(context.Context, time.Time) site.Response {
		if twin {
			return site.File(markdownText, []byte(p.Twin), documented)
		}
		v := docsPage{
			Frame: s.Frame("Docs", p.About), contents: s.contents(p.Path, ""), Page: p,
		}
		v.Canonical, v.Markdown = s.Base+p.Path, p.Path+".md"
		v.OwnSearch = true
		v.Frame.Skip = "the documentation"
		if p.Forms {
			return site.Render(formView, v, documented)
		}
		return site.Render(docsView, v, documented)
	})
}

// contents returns the list of pages next to the page with a path.
func (s *Server) contents(path, query string) contents {
	return contents{Query: query, Here: path, Sections: s.manual().Sections()}
}

// searchDocs serves a search in the documentation. Its address has what somebody typed, so it
// is not kept in memory.
func (s *Server) searchDocs(w http.ResponseWriter, r *http.Request) {
	const longest = 100
	query := strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get("q")), "")
	if len(query) > longest {
		query = strings.ToValidUTF8(query[:longest], "")
	}
	v := foundPage{
		Frame:    s.Frame("Docs", "Search in the documentation of Leadline."),
		contents: s.contents("/docs/search", query), Hits: s.manual().Search(query),
	}
	v.OwnSearch = true
	v.Frame.Skip = "the documentation"
	site.Render(foundView, v, documented).Serve(w, r)
}
