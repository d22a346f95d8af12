// Package resources holds the reference that models and people read with the
// tools: fifteen topics and a guide, written as Markdown in the folder topics
// and embedded.
//
// New takes Facts, tables that other packages render so that the prose cannot
// become outdated. It returns a Library of finished pages. The MCP endpoint
// serves them as leadline://reference/NAME and leadline://guide/getting-started,
// and the tool noaa_get_reference_guide returns them as text. The package does
// not depend on either, makes no requests and computes nothing.
//
// A page is a template over Facts. It begins with its title as a heading and a
// blank line. The next line is the sentence that lists show. A new page needs a
// file in topics and its name in order.
package resources

import (
	"embed"
	"slices"
	"strings"
	"text/template"
)

// Topic is one page of reference.
type Topic struct {
	Name  string // as in leadline://reference/{name}
	Title string // the page's heading
	About string // one sentence: what the page describes
	Text  string // the whole page, Markdown, title included
}

// Facts holds tables that other packages render as Markdown, without a heading. Each is part
// of its topic; a sentence replaces an empty table.
type Facts struct {
	Decisions string // thresholds of the decisions (topic decisions)
	Limits    string // the tiers with their allowances (topic limits, which explains the headers)
	DataBuilt string // date of the embedded station data (topic sources)
}

// Library holds the rendered guide and topics. It is immutable and safe for
// concurrent use.
type Library struct {
	guide  Topic
	topics []Topic
}

// guideName names the page of leadline://guide/getting-started.
const guideName = "getting-started"

// order lists the topics in the order of pages: first the available data, then how to request
// it, then how to read results.
var order = []string{
	"products", "datums", "units", "time_zones", "intervals",
	"station_types", "data_limits", "quality_flags", "date_formats", "marine_forecast",
	"currents", "decisions", "interpretation", "limits", "sources",
}

//go:embed topics/*.md
var files embed.FS

// New renders the pages with the facts.
func New(f Facts) *Library {
	// The pages are part of the binary and a test renders each of them, so a
	// page that cannot be parsed fails the tests.
	pages := template.Must(template.ParseFS(files, "topics/*.md"))
	l := &Library{guide: page(pages, guideName, f)}
	for _, name := range order {
		l.topics = append(l.topics, page(pages, name, f))
	}
	return l
}

// Guide returns the getting-started page (leadline://guide/getting-started).
func (l *Library) Guide() Topic { return l.guide }

// Topics returns the fifteen topics in their order. The caller owns the
// slice.
func (l *Library) Topics() []Topic { return slices.Clone(l.topics) }

// Topic returns the topic with the name. The guide is not among the topics.
func (l *Library) Topic(name string) (Topic, bool) {
	i := slices.IndexFunc(l.topics, func(t Topic) bool { return t.Name == name })
	if i < 0 {
		return Topic{}, false
	}
	return l.topics[i], true
}

// page renders one file and takes the title and the sentence from its first lines.
func page(pages *template.Template, name string, f Facts) Topic {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name+".md", f); err != nil {
		panic("resources: page " + name + ": " + err.Error()) // embedded and tested, as in New
	}
	text := strings.TrimSpace(b.String()) + "\n"
	title, rest, _ := strings.Cut(text, "\n")
	about, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	return Topic{Name: name, Title: strings.TrimPrefix(title, "# "), About: about, Text: text}
}
