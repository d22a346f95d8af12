package manual

import (
	"strings"
	"testing"

	"leadline/resources"
	"leadline/rest"
	"leadline/tools"
)

const base = "https://tides.example.org"

// newManual returns the documentation of all documents, tools and topics.
func newManual(t testing.TB) *Manual {
	t.Helper()
	return newManualAt(t, base)
}

// newManualAt returns the documentation of a server with an address.
func newManualAt(t testing.TB, base string) *Manual {
	t.Helper()
	topics := resources.New(resources.Facts{})
	s := Source{
		Base: base, Toolsets: new(tools.Set).Toolsets(), Guide: topics.Guide(), Topics: topics.Topics(),
		SignIn: true, Connections: []Connection{
			{Name: "Claude Code", About: "One line.", Code: "claude mcp add leadline " + base + "/mcp"},
			{Name: "Cursor", About: "Opens Cursor.", Button: "Add to Cursor", Link: "cursor://x?a=b"},
		},
	}
	for _, name := range rest.DocumentNames() {
		text, err := rest.OpenAPI(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Documents = append(s.Documents, text)
	}
	m, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSessionCookie checks that the command for a request with a session has the name of the
// cookie that browsers get from a server at the address.
func TestSessionCookie(t *testing.T) {
	for address, want := range map[string]string{
		base: `-b "__Host-leadline=$SESSION"`, "http://127.0.0.1:8080": `-b "leadline=$SESSION"`,
	} {
		p, _ := newManualAt(t, address).Page("/docs/rest/createKey")
		if got := fenceOf(t, p, "sh"); !strings.Contains(got, want) {
			t.Errorf("%s: the command is\n%s\nwant %s", address, got, want)
		}
	}
}

// TestPages checks that each page has a title, a sentence, a heading and a twin.
func TestPages(t *testing.T) {
	titles := map[string]string{}
	for _, p := range newManual(t).Pages() {
		if p.Title == "" || !strings.HasSuffix(p.About, ".") || len(p.About) > 320 {
			t.Errorf("%s: title %q, sentence %q", p.Path, p.Title, p.About)
		}
		if n := strings.Count(string(p.HTML), "<h1"); n != 1 {
			t.Errorf("%s: %d h1", p.Path, n)
		}
		if !strings.HasPrefix(p.Twin, "# "+p.Title+"\n") {
			t.Errorf("%s: the twin begins %.60q", p.Path, p.Twin)
		}
		if strings.Contains(p.Twin, "](/") || strings.Contains(p.Twin, "](.") {
			t.Errorf("%s: the twin has links without the address of the site", p.Path)
		}
		title := p.Title + " of " + p.Section
		if other := titles[title]; other != "" {
			t.Errorf("%s and %s have the title %s", p.Path, other, title)
		}
		titles[title] = p.Path
	}
	if len(titles) < 100 {
		t.Errorf("%d pages, want at least 100", len(titles))
	}
}

// BenchmarkNew makes the whole documentation.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newManual(b)
	}
}
