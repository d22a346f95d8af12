package resources

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages returns the guide and all topics, rendered with facts.
func pages() []Topic {
	l := New(Facts{Decisions: "| wind | 15 |", Limits: "| anonymous | 30 |", DataBuilt: "2026-09-24"})
	return append(l.Topics(), l.Guide())
}

func TestOrder(t *testing.T) {
	if got := len(New(Facts{}).Topics()); got != 15 {
		t.Errorf("len(Topics()) = %d, want 15", got)
	}
	found, err := fs.Glob(files, "topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(found), len(order)+1; got != want {
		t.Errorf("%d files in topics, want %d: those in order and the guide", got, want)
	}
}

func TestPages(t *testing.T) {
	for _, p := range pages() {
		if p.Title == "" || !strings.HasPrefix(p.Text, "# "+p.Title+"\n\n"+p.About+"\n") {
			t.Errorf("%s: does not begin with its title and description: %.80q", p.Name, p.Text)
		}
		if !strings.HasSuffix(p.About, ".") || strings.Count(p.About, ". ") > 0 || len(p.About) > 160 {
			t.Errorf("%s: description is not one short sentence: %q", p.Name, p.About)
		}
		if got := strings.Count(p.Text, "\n"); got < 30 || got > 90 {
			t.Errorf("%s: %d lines, want 30 to 90", p.Name, got)
		}
		if strings.Contains(p.Text, "{{") || strings.Contains(p.Text, "<no value>") {
			t.Errorf("%s: the text has template syntax", p.Name)
		}
		if strings.Count(p.Text, "```")%2 != 0 {
			t.Errorf("%s: a code block is not closed", p.Name)
		}
	}
}

func TestTopic(t *testing.T) {
	l := New(Facts{})
	for _, want := range l.Topics() {
		if got, ok := l.Topic(want.Name); !ok || got != want {
			t.Errorf("Topic(%q) = %q, %v", want.Name, got.Title, ok)
		}
	}
	for _, name := range []string{"", "Datums", "datums.md", guideName} {
		if _, ok := l.Topic(name); ok {
			t.Errorf("Topic(%q) was found", name)
		}
	}
	if got, want := l.Guide().Name, "getting-started"; got != want {
		t.Errorf("Guide().Name = %q, want %q", got, want)
	}
}

func TestTopicsReturnsACopy(t *testing.T) {
	l := New(Facts{})
	l.Topics()[0].Text = "overwritten"
	if got := l.Topics()[0].Text; got == "overwritten" {
		t.Error("a change by the caller has changed the library")
	}
}

func TestFacts(t *testing.T) {
	facts := map[string]Facts{
		"decisions": {Decisions: "| wind <kn> | 15 & more |"},
		"limits":    {Limits: "| anonymous | 30 |"},
		"sources":   {DataBuilt: "24 September 2026"},
	}
	for name, f := range facts {
		want := f.Decisions + f.Limits + f.DataBuilt // exactly one of these is set
		with, _ := New(f).Topic(name)
		if !strings.Contains(with.Text, want) {
			t.Errorf("%s: %q is missing or changed", name, want)
		}
		without, _ := New(Facts{}).Topic(name)
		if strings.Contains(without.Text, "Thresholds") || strings.Contains(without.Text, "## Tiers") {
			t.Errorf("%s: a heading without its table", name)
		}
		if strings.Contains(without.Text, "\n\n\n") || strings.Contains(with.Text, "\n\n\n") {
			t.Errorf("%s: the page has two empty lines in a row", name)
		}
	}
}

func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`leadline://([a-z]+)/([A-Za-z0-9_-]+)`)
	for _, p := range pages() {
		for _, m := range link.FindAllStringSubmatch(p.Text, -1) {
			kind, name := m[1], m[2]
			switch {
			case kind == "reference" && slices.Contains(order, name):
			case kind == "guide" && name == guideName:
			case kind == "stations":
			default:
				t.Errorf("%s links to %s, which does not exist", p.Name, m[0])
			}
		}
		got := len(link.FindAllString(p.Text, -1))
		if want := strings.Count(p.Text, "leadline://"); got != want {
			t.Errorf("%s: %d of %d links are well-formed", p.Name, got, want)
		}
	}
}

func TestForbiddenWords(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)\b(safe|safely|all[ -]clear|guaranteed?)\b`)
	for _, p := range pages() {
		if got := forbidden.FindString(p.Text); got != "" {
			t.Errorf("%s contains %q", p.Name, got)
		}
	}
}
