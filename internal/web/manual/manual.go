// Package manual makes the documentation of the server: a page for each operation, tool, guide
// and topic. What comes in are the OpenAPI documents, the catalogue of tools, the reference
// topics, the guides and recorded examples; what goes out are pages as HTML and as Markdown, and
// a search over them. It makes no requests, has no clock, and does not serve anything.
//
//	manual.go    Manual: its pages and sections
//	page.go      a page: parts that are Markdown, or HTML with a Markdown form
//	markdown.go  Markdown to HTML: headings with ids, links, tables, code
//	value.go     JSON that keeps its order; json.go writes it in color
//	document.go  OpenAPI documents; outline.go their schemas as tables
//	operation.go the page of an operation; try.go its form; request.go its request as code
//	tool.go      the page of a tool
//	guide.go     guides and topics; links between files become links between pages
//	contents.go  pages that list others, and the pages of errors and connections
//	search.go    search
package manual

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"leadline/docs"
	"leadline/resources"
	"leadline/tools"
)

// Source has the parts of which the documentation is made.
type Source struct {
	Base        string   // scheme and host that clients see
	Documents   [][]byte // OpenAPI documents, in the order of the list of operations
	Toolsets    []tools.Toolset
	Guide       resources.Topic
	Topics      []resources.Topic
	Connections []Connection
	SignIn      bool // people can sign in
}

// Connection describes how a client connects to the server.
type Connection struct {
	Name, About string
	Button      string       // text of a link that opens the client; empty: Code is to be copied
	Link        template.URL // the client's own address
	Code        string       // a command or an address
}

// Manual is the finished documentation. It is safe for concurrent use.
type Manual struct {
	pages    map[string]*Page
	order    []*Page
	sections []Section
}

// Section is a group of pages in the list of pages.
type Section struct {
	Name, Path string
	Pages      []*Page // besides that of Path
}

// New returns the documentation. It fails if a document is not valid, or lacks an example.
func New(s Source) (*Manual, error) {
	w := &writer{Source: s}
	for _, text := range s.Documents {
		d, err := readDocument(text)
		if err != nil {
			return nil, err
		}
		w.documents = append(w.documents, d)
	}
	m := &Manual{pages: map[string]*Page{}}
	for _, make := range []func() ([]Section, error){
		w.mcpSections, w.restSections, w.guideSections, w.referenceSections,
	} {
		sections, err := make()
		if err != nil {
			return nil, err
		}
		m.sections = append(m.sections, sections...)
	}
	slices.SortStableFunc(m.sections, func(a, b Section) int {
		return slices.Index(order, a.Path) - slices.Index(order, b.Path)
	})
	m.sections = append([]Section{w.startSection()}, m.sections...)
	for _, list := range w.lists {
		list(m.sections)
	}
	return m, m.finish(w)
}

// order lists the sections: for those who call the server, for those who run one, and for those
// who change it.
var order = []string{
	"/docs/connect", "/docs/mcp", "/docs/rest", "/docs/clients", "/docs/webhooks", "/docs/guides",
	"/docs/reference", "/docs/errors", "/docs/limits", "/docs/guides/running", "/docs/guides/changing",
}

// finish renders the pages and puts them in their order.
func (m *Manual) finish(w *writer) error {
	for _, s := range m.sections {
		for _, p := range append([]*Page{w.made[s.Path]}, s.Pages...) {
			if m.pages[p.Path] != nil {
				return fmt.Errorf("two pages at %s", p.Path)
			}
			if p.Path != s.Path {
				p.Section = s.Name
			}
			if err := p.finish(w.Base); err != nil {
				return err
			}
			m.pages[p.Path] = p
			m.order = append(m.order, p)
		}
	}
	if len(m.pages) != len(w.made) {
		return fmt.Errorf("%d pages in the list, %d were made: %v", len(m.pages), len(w.made),
			slices.Sorted(maps.Keys(w.made)))
	}
	for i, p := range m.order {
		if i > 0 {
			p.Previous = m.order[i-1]
			m.order[i-1].Next = p
		}
	}
	return nil
}

// Page returns the page with a path, such as /docs/rest/getPredictions.
func (m *Manual) Page(path string) (*Page, bool) {
	p, ok := m.pages[path]
	return p, ok
}

// Pages returns all pages in the order of the list. The caller must not change it.
func (m *Manual) Pages() []*Page { return m.order }

// Sections returns the sections in the order of the list. The caller must not change it.
func (m *Manual) Sections() []Section { return m.sections }

// writer makes the pages.
type writer struct {
	Source
	documents []*document
	made      map[string]*Page
	lists     []func([]Section) // complete pages that list all sections
}

// page starts a page.
func (w *writer) page(path, title, about string) *Page {
	if w.made == nil {
		w.made = map[string]*Page{}
	}
	p := &Page{Path: path, Title: title, About: about}
	w.made[path] = p
	p.text("# " + title + "\n")
	return p
}

// exampleOf returns the recorded example of an operation.
func exampleOf(operation string) (docs.Example, error) {
	e, ok := docs.ExampleOf(operation)
	if !ok {
		return e, fmt.Errorf("operation %s has no recorded example", operation)
	}
	return e, nil
}

// firstSentence returns the first sentence of a text, without its marks.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if sentence, _, ok := strings.Cut(text, ". "); ok {
		return sentence + "."
	}
	return text
}
