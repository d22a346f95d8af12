package manual

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"leadline/docs"
	"leadline/internal/coast"
)

// guide names a guide of docs and describes it in a sentence.
type guide struct{ name, about string }

// guides lists the guides of sections in the order of the list of pages.
var guides = []struct {
	section, path, about string
	guides               []guide
}{
	{"Guides", "/docs/guides", "How to call Leadline, and what its results mean.", []guide{
		{"rest", "What all operations of REST share: routes, versions, parameters, lists, errors."},
		{"mcp", "What all tools of MCP share: keys, signing in, tool sets, arguments, results."},
		{"agents", "How a model finds Leadline and asks it with few calls, with sixty questions."},
		{"keys-and-limits", "Tiers, keys with their scopes, rate limits, monthly quotas and headers."},
		{"signing-in", "How an AI client acts for a person who signs in, without a pasted key."},
		{"planning", "When the tide is above or below a level; the lowest and highest tides."},
		{"decisions", "How a decision follows from facts: states, confidence, reasons and thresholds."},
		{"accuracy", "How close predictions are to those of NOAA, and how that was measured."},
		{"home", "Tides in Home Assistant, and on boats with Signal K."},
		{"pages", "What a browser shows: addresses, preferences, pictures, calendars, caches."},
	}},
	{"Running a server", "/docs/guides/running", "How to run a server of your own.", []guide{
		{"install", "From nothing to a running server and a connected AI client."},
		{"upgrading", "How to upgrade, what happens to the data, and how to go back."},
		{"operating", "What a server stores, and how to monitor, back up and stop it."},
		{"configuration", "All commands and settings: flags, environment variables, config file."},
		{"providers", "What a server requests from NOAA and the weather service, and if they fail."},
		{"security", "The attacks and mistakes that tests play, and what protects against them."},
		{"directories", "How a server is listed where people look for tools of AI clients."},
		{"speed", "What was measured, on which machine, and why it is fast."},
	}},
	{"Changing Leadline", "/docs/guides/changing", "For people who change Leadline.", []guide{
		{"architecture", "How Leadline is built: packages, rules, dependencies, and how to add to it."},
	}},
}

// single lists the guides with a section of their own.
var single = []guide{
	{"clients", "The libraries for TypeScript and Python: install, call, handle errors."},
	{"webhooks", "Events that are sent to your URL: register, verify, retry; watched plans."},
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

// guideSections makes the pages of the guides. A guide that no section names is the last of the
// first one.
func (w *writer) guideSections() (sections []Section, err error) {
	named := slices.Clone(single)
	for _, group := range guides {
		named = append(named, group.guides...)
	}
	for i, group := range guides {
		list := group.guides
		if i == 0 {
			list = append(slices.Clone(list), unnamed(named)...)
		}
		s := Section{Name: group.section, Path: group.path}
		for _, g := range list {
			p, err := w.guidePage(g)
			if err != nil {
				return nil, err
			}
			s.Pages = append(s.Pages, p)
		}
		w.page(s.Path, s.Name, group.about).textf("%s\n\n%s", group.about, listOf(s.Pages))
		sections = append(sections, s)
	}
	return sections, nil
}

// unnamed returns the guides that are not among the named ones, each with its first sentence.
func unnamed(named []guide) (list []guide) {
	for _, name := range docs.GuideNames() {
		if slices.ContainsFunc(named, func(g guide) bool { return g.name == name }) {
			continue
		}
		text, _ := docs.Guide(name)
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			if !strings.HasPrefix(paragraph, "#") && !strings.HasPrefix(paragraph, "|") {
				list = append(list, guide{name, firstSentence(paragraph)})
				break
			}
		}
	}
	return list
}

// guidePage makes the page of a guide.
func (w *writer) guidePage(g guide) (*Page, error) {
	text, ok := docs.Guide(g.name)
	if !ok {
		return nil, fmt.Errorf("there is no guide %s", g.name)
	}
	heading, rest, _ := strings.Cut(text, "\n")
	p := w.page(guidePath(g.name), strings.TrimPrefix(heading, "# "), g.about)
	p.text(w.here(g.name, linkFiles(rest)))
	return p, nil
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
var fileLink = coast.Pattern(`\[([^]]*)\]\(([^):#/?][^):#]*)(#[^)]*)?\)`)

// linkFiles returns Markdown whose links between files lead to pages. A link to a file without a
// page becomes its text.
func linkFiles(markdown string) string {
	return outsideCode(markdown, func(text string) string {
		return fileLink().ReplaceAllStringFunc(text, func(link string) string {
			m := fileLink().FindStringSubmatch(link)
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
	for _, g := range single {
		p, err := w.guidePage(g)
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
var topicAddress = coast.Pattern(`leadline://reference/([a-z_]+)`)

// linkTopics makes links of the addresses of topics.
func linkTopics(markdown string) string {
	return outsideCode(markdown, func(text string) string {
		return topicAddress().ReplaceAllStringFunc(text, func(address string) string {
			name := topicAddress().FindStringSubmatch(address)[1]
			return "[" + name + "](" + topicPath(name) + ")"
		})
	})
}
