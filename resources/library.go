// Package resources is the reference that models and people read beside the
// tools: fifteen topics and a guide, written as Markdown in the folder topics
// and embedded.
//
// In go the Facts, tables that live in other packages' code and would grow
// stale if they were copied into prose; out comes a Library of finished
// pages, which the MCP door serves as leadline://reference/NAME and
// leadline://guide/getting-started, and the tool noaa_get_reference_guide as
// text. The package knows neither door, asks nothing and computes nothing.
//
// A page is a template over Facts. It begins with its title as a heading,
// then a blank line, then on one line the sentence that lists show. A new
// page needs its file in topics and its name in order.
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
	About string // one sentence: what the page tells
	Text  string // the whole page, Markdown, title included
}

// Facts are the tables that live in other packages' code, rendered as
// Markdown there, without a heading. Each stands inside its topic; an empty
// one leaves a sentence in its place.
type Facts struct {
	Decisions string // thresholds of the decisions (topic decisions)
	Limits    string // the tiers with their allowances (topic limits, which explains the headers itself)
	DataBuilt string // date of the embedded station data (topic sources)
}

// Library is the guide and the topics, finished. It is immutable and safe
// for concurrent use.
type Library struct {
	guide  Topic
	topics []Topic
}

// guideName is the page of leadline://guide/getting-started.
const guideName = "getting-started"

// order is the order in which topics are listed: from what can be asked,
// through how it is asked, to how an answer is read.
var order = []string{
	"products", "datums", "units", "time_zones", "intervals",
	"station_types", "data_limits", "quality_flags", "date_formats", "marine_forecast",
	"currents", "decisions", "interpretation", "limits", "sources",
}

//go:embed topics/*.md
var files embed.FS

// New renders the pages with the facts.
func New(f Facts) *Library {
	// The pages are part of the binary and a test renders each of them, so
	// one that cannot be parsed never leaves the workshop.
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

// page renders one file and reads title and sentence off its head.
func page(pages *template.Template, name string, f Facts) Topic {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name+".md", f); err != nil {
		panic("resources: page " + name + ": " + err.Error()) // as in New: embedded and tested
	}
	text := strings.TrimSpace(b.String()) + "\n"
	title, rest, _ := strings.Cut(text, "\n")
	about, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	return Topic{Name: name, Title: strings.TrimPrefix(title, "# "), About: about, Text: text}
}
