package manual

import (
	"fmt"
	"html/template"
	"strings"
)

// Page is a page of the documentation.
type Page struct {
	Path    string // /docs/rest/getPredictions
	Title   string
	About   string // one sentence, for lists, search engines and models
	Short   string // name in the list of pages; empty for Title
	Section string // name of its section; empty if the page is the section's first

	HTML     template.HTML // the content, with its h1
	Twin     string        // the same as Markdown
	Forms    bool          // the page has a form that a script sends
	Previous *Page
	Next     *Page

	parts []part
	index index
}

// part is Markdown, or HTML with its Markdown form.
type part struct {
	markdown string
	html     template.HTML // empty: that of the Markdown
}

// Name returns the name of the page in the list of pages.
func (p *Page) Name() string {
	if p.Short != "" {
		return p.Short
	}
	return p.Title
}

// text appends Markdown.
func (p *Page) text(markdown string) { p.parts = append(p.parts, part{markdown: markdown}) }

// textf appends formatted Markdown.
func (p *Page) textf(format string, args ...any) { p.text(fmt.Sprintf(format, args...)) }

// raw appends HTML, and Markdown that is the same for readers of the twin.
func (p *Page) raw(html template.HTML, markdown string) {
	p.parts = append(p.parts, part{markdown, html})
}

// finish makes the HTML and the twin of the parts.
func (p *Page) finish(base string) error {
	r := newRenderer()
	var html, twin strings.Builder
	for _, part := range p.parts {
		if text := strings.TrimSpace(part.markdown); text != "" {
			twin.WriteString(text + "\n\n")
		}
		if part.html != "" {
			html.WriteString(string(part.html))
			continue
		}
		if err := r.render(&html, part.markdown); err != nil {
			return fmt.Errorf("page %s: %w", p.Path, err)
		}
	}
	p.HTML = template.HTML(html.String())
	p.Twin = absolute(strings.TrimSpace(twin.String()), base) + "\n"
	p.index = newIndex(p.Title, p.Path, p.Twin)
	p.parts = nil
	return nil
}

// execute returns the HTML of a template of this package.
func execute(t *template.Template, name string, data any) template.HTML {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Errorf("manual: template %s: %w", name, err)) // templates are part of the binary
	}
	return template.HTML(b.String())
}
