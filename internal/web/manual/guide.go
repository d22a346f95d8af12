package manual

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"leadline/docs"
)

// guides lists the guides of sections in the order of the list of pages.
var guides = []struct{ section, names string }{
	{"Guides", "rest mcp agents keys-and-limits signing-in planning decisions accuracy pages"},
	{"Running a server", "operating configuration providers security speed"},
	{"Changing Leadline", "architecture"},
}

// elsewhere has the pages of guides that do not have their usual path.
var elsewhere = map[string]string{"webhooks": "/docs/webhooks", "clients": "/docs/clients"}

// guidePath returns the path of the page of a guide.
func guidePath(name string) string {
	if to, ok := elsewhere[name]; ok {
		return to
	}
	return "/docs/guides/" + name
}

// guideSections makes the pages of the guides.
func (w *writer) guideSections() ([]Section, error) {
	var sections []Section
	left := docs.GuideNames()
	for _, group := range guides {
		s := Section{Name: group.section, Path: "/docs/guides"}
		if len(sections) > 0 {
			s.Path += "/" + strings.ToLower(strings.Fields(group.section)[0])
		}
		for name := range strings.FieldsSeq(group.names) {
			p, err := w.guidePage(name)
			if err != nil {
				return nil, err
			}
			s.Pages = append(s.Pages, p)
			left = slices.DeleteFunc(left, func(n string) bool { return n == name })
		}
		list := w.page(s.Path, s.Name, aboutGuides[group.section])
		list.textf("%s\n\n%s", list.About, listOf(s.Pages))
		sections = append(sections, s)
	}
	for _, name := range left {
		if _, ok := elsewhere[name]; !ok {
			return nil, fmt.Errorf("guide %s is in no section", name)
		}
	}
	return sections, nil
}

// aboutGuides describes the sections of guides.
var aboutGuides = map[string]string{
	"Guides":            "How to call Leadline, and what its results mean.",
	"Running a server":  "How to run a server of your own.",
	"Changing Leadline": "How Leadline is built, for people who change it.",
}

// guidePage makes the page of a guide.
func (w *writer) guidePage(name string) (*Page, error) {
	text, ok := docs.Guide(name)
	if !ok {
		return nil, fmt.Errorf("there is no guide %s", name)
	}
	heading, rest, _ := strings.Cut(text, "\n")
	rest = strings.TrimSpace(rest)
	p := w.page(guidePath(name), strings.TrimPrefix(heading, "# "), firstSentence(opening(rest)))
	p.text(w.here(name, linkFiles(rest)))
	return p, nil
}

// opening returns the first paragraph of Markdown.
func opening(markdown string) string {
	for paragraph := range strings.SplitSeq(markdown, "\n\n") {
		if !strings.HasPrefix(paragraph, "#") && !strings.HasPrefix(paragraph, "|") {
			return paragraph
		}
	}
	return ""
}

// callers are the guides whose commands call a server: on the page, this one.
var callers = strings.Fields(
	"rest agents keys-and-limits planning decisions webhooks pages clients")

// here returns a guide whose commands call this server, not one on the reader's machine.
func (w *writer) here(name, markdown string) string {
	if !slices.Contains(callers, name) {
		return markdown
	}
	return strings.ReplaceAll(markdown, "http://127.0.0.1:8080", w.Base)
}

// fileLink matches links between files in Markdown.
var fileLink = regexp.MustCompile(`\[([^]]*)\]\(([^):#/?][^):#]*)(#[^)]*)?\)`)

// linkFiles returns Markdown whose links between files lead to pages. A link to a file without a
// page becomes its text.
func linkFiles(markdown string) string {
	return outsideCode(markdown, func(text string) string {
		return fileLink.ReplaceAllStringFunc(text, func(link string) string {
			m := fileLink.FindStringSubmatch(link)
			name, isGuide := strings.CutSuffix(path.Base(m[2]), ".md")
			if _, ok := docs.Guide(name); ok && isGuide {
				return "[" + m[1] + "](" + guidePath(name) + m[3] + ")"
			}
			return m[1]
		})
	})
}

// referenceSections makes the pages of the reference topics, of errors, and of single guides.
func (w *writer) referenceSections() ([]Section, error) {
	s := Section{Name: "Reference", Path: "/docs/reference"}
	p := w.topicPage(w.Guide.Name, w.Guide.Text, w.Guide.About)
	s.Pages = append(s.Pages, p)
	var more []Section
	for _, t := range w.Topics {
		p := w.topicPage(t.Name, t.Text, t.About)
		if t.Name == "limits" {
			more = append(more, Section{Name: p.Title, Path: p.Path})
			continue
		}
		s.Pages = append(s.Pages, p)
	}
	list := w.page(s.Path, s.Name, "Datums, units, products, and how to read results: the pages that "+
		"MCP clients read as resources.")
	list.textf("%s\n\n%s", list.About, listOf(s.Pages))
	w.errorsPage()
	more = append([]Section{s, {Name: "Errors", Path: "/docs/errors"}}, more...)
	for _, name := range []string{"webhooks", "clients"} {
		p, err := w.guidePage(name)
		if err != nil {
			return nil, err
		}
		more = append(more, Section{Name: p.Title, Path: p.Path})
	}
	return more, nil
}

// topicPath returns the path of the page of a topic.
func topicPath(name string) string {
	if name == "limits" {
		return "/docs/limits"
	}
	return "/docs/reference/" + name
}

// topicPage makes the page of a topic.
func (w *writer) topicPage(name, text, about string) *Page {
	heading, rest, _ := strings.Cut(text, "\n")
	p := w.page(topicPath(name), strings.TrimPrefix(heading, "# "), firstSentence(about))
	p.text(linkTopics(rest))
	return p
}

// topicAddress matches the address of a topic as MCP clients know it.
var topicAddress = regexp.MustCompile(`leadline://reference/([a-z_]+)`)

// linkTopics makes links of the addresses of topics.
func linkTopics(markdown string) string {
	return outsideCode(markdown, func(text string) string {
		return topicAddress.ReplaceAllStringFunc(text, func(address string) string {
			name := topicAddress.FindStringSubmatch(address)[1]
			return "[" + name + "](" + topicPath(name) + ")"
		})
	})
}
