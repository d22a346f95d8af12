package pages

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/rest"
)

// manualSite is a server whose documentation a test opens, each page from another address: the
// limit of pages is not what it tests.
type manualSite struct {
	*testing.T
	*product.Product
	opened int
}

func newManualSite(t *testing.T) *manualSite {
	return &manualSite{T: t, Product: product.Mounted(t)}
}

// open requests a path as a browser does, with pairs of further headers.
func (s *manualSite) open(path string, headers ...string) opened {
	s.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	s.opened++
	r.RemoteAddr = fmt.Sprintf("172.%d.%d.%d:1", numberOf(s.T)&255, s.opened>>8, s.opened&255)
	r.Header.Set("Accept", browser)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return newOpened(path, w.Code, w.Header(), w.Body.String())
}

// pages returns the pages of the documentation by their paths, as the sitemap lists them.
func (s *manualSite) pages() map[string]opened {
	s.Helper()
	all := map[string]opened{}
	for _, m := range regexp.MustCompile(`<loc>[^<]*?(/docs[^<]*)</loc>`).
		FindAllStringSubmatch(s.open("/sitemap.xml").body, -1) {
		all[m[1]] = s.open(m[1])
	}
	if len(all) < 100 {
		s.Fatalf("%d pages of documentation in the sitemap, want at least 100", len(all))
	}
	return all
}

// TestDocsPages checks the form of each page of the documentation, and its size.
func TestDocsPages(t *testing.T) {
	s := newManualSite(t)
	largest, most := "", 0
	for path, o := range s.pages() {
		if o.status != http.StatusOK || o.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", path, o.status, o.header.Get("Content-Type"))
			continue
		}
		o.wantTitles(t, "", "")
		o.wantBalanced(t)
		o.wantPolicy(t)
		o.wantIDs(t)
		o.wantHeaders(t)
		if got := o.header.Get("Cache-Control"); got != "public, max-age=300" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		for _, coding := range []string{"gzip", "zstd"} {
			if n := len(s.open(path, "Accept-Encoding", coding).body); n > most {
				largest, most = path, n
			}
		}
		const twin = `<link rel="alternate" type="text/markdown" href="%s.md">`
		if want := fmt.Sprintf(twin, path); !strings.Contains(o.body, want) {
			t.Errorf("%s lacks %s", path, want)
		}
		if words := o.words(); !strings.Contains(words, coast.Disclaimer) {
			t.Errorf("%s lacks the disclaimer", path)
		}
		for _, bad := range []string{"ZgotmplZ", "&lt;nil&gt;", "%!", "[object", "(MISSING)"} {
			if strings.Contains(o.body, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
	}
	t.Logf("%s is the largest: %d bytes compressed", largest, most)
	if most > 30_000 {
		t.Errorf("%s has %d bytes compressed, want at most 30,000", largest, most)
	}
}

// TestDocsLinks checks that each link, form and fragment of the documentation has a target.
func TestDocsLinks(t *testing.T) {
	s := newManualSite(t)
	pages := s.pages()
	ids := func(o opened) map[string]bool {
		all := map[string]bool{}
		o.attributes(func(_ *html.Node, name, value string) {
			if name == "id" {
				all[value] = true
			}
		})
		return all
	}
	targets := map[string]map[string]bool{} // ids of pages
	for path, o := range pages {
		targets[path] = ids(o)
	}
	links := 0
	for path, o := range pages {
		o.attributes(func(n *html.Node, name, value string) {
			if name != "href" && name != "src" && name != "action" {
				return
			}
			u, err := url.Parse(value)
			if err != nil {
				t.Errorf("%s: <%s %s=%q>: %v", path, n.Data, name, value, err)
				return
			}
			isSite := u.Host == "" && u.Scheme == "" || u.Host == "tides.example.org"
			switch {
			case name == "action" && strings.HasPrefix(u.Path, "/api/"):
				return // TestDocsForms
			case u.Scheme == "data" || u.Scheme == "vscode" || u.Scheme == "cursor":
				return
			case !isSite && u.Scheme == "https":
				return
			case !isSite:
				t.Errorf("%s: a link to %s", path, value)
				return
			}
			links++
			to := u.Path
			if to == "" {
				to = path
			}
			if targets[to] == nil {
				found := s.open(u.RequestURI())
				if found.status >= 400 {
					t.Errorf("%s links to %s: %d", path, value, found.status)
				}
				targets[to] = ids(found)
			}
			if u.Fragment != "" && !targets[to][u.Fragment] {
				t.Errorf("%s links to %s, which has no such part", path, value)
			}
		})
	}
	if links < 3000 {
		t.Errorf("%d links, want many", links)
	}
}

// TestDocsOperations checks that each operation of each document has a page with a form, code,
// a response, and all parameters.
func TestDocsOperations(t *testing.T) {
	s := newManualSite(t)
	for _, name := range rest.DocumentNames() {
		text, err := rest.OpenAPI(name)
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Paths map[string]map[string]struct {
				OperationID string
				Client      string `json:"x-client"`
				Parameters  []struct {
					Ref  string `json:"$ref"`
					Name string
				}
				RequestBody struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
			Components struct {
				Schemas map[string]struct{ Properties map[string]any }
			}
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		for path, item := range document.Paths {
			for verb, o := range item {
				page := s.open("/docs/rest/" + o.OperationID)
				twin := s.open("/docs/rest/" + o.OperationID + ".md").body
				if page.status != 200 || !strings.Contains(page.body, `data-path="`+path+`"`) ||
					!strings.Contains(twin, "`"+strings.ToUpper(verb)+" "+path+"`") {
					t.Errorf("%s %s: %d, or without its form", verb, path, page.status)
				}
				var names []string
				for _, p := range o.Parameters {
					names = append(
						names,
						strings.TrimPrefix(p.Ref+p.Name, "#/components/parameters/"),
					)
				}
				for _, media := range o.RequestBody.Content {
					body := strings.TrimPrefix(media.Schema.Ref, "#/components/schemas/")
					names = slices.AppendSeq(
						names,
						maps.Keys(document.Components.Schemas[body].Properties),
					)
				}
				for _, name := range names {
					if !strings.Contains(page.body, "<dt><code>"+name+"</code>") ||
						!strings.Contains(twin, "| `"+name+"` |") {
						t.Errorf("the page of %s lacks %s", o.OperationID, name)
					}
				}
				blocks := []string{"```sh\ncurl ", "```json\n{", "```ts\n", "```python\nimport "}
				if o.Client != "" {
					blocks[3] = "```python\n"
					blocks = append(blocks, "```ts\nimport ", "await client."+o.Client+"(")
				}
				for _, want := range blocks {
					if !strings.Contains(twin, want) {
						t.Errorf("the page of %s lacks %q", o.OperationID, want)
					}
				}
			}
		}
	}
}

// TestDocsForms sends the forms as a browser without scripts does.
func TestDocsForms(t *testing.T) {
	s := newManualSite(t)
	sent := 0
	for path, o := range s.pages() {
		for form := range o.document().Descendants() {
			if form.Data != "form" || attribute(form, "class") != "try card" {
				continue
			}
			if attribute(form, "method") == "post" {
				if !hasAttribute(form, "hidden") || !strings.Contains(o.body, "<noscript>") {
					t.Errorf("%s: a form that needs a script is shown without it", path)
				}
				continue
			}
			query := url.Values{}
			for n := range form.Descendants() {
				name := attribute(n, "name")
				if name == "" || within(n, "fieldset") {
					continue
				}
				value := attribute(n, "value")
				for option := range n.Descendants() {
					if hasAttribute(option, "selected") {
						value = textOf(option)
					}
				}
				query.Set(name, value)
			}
			sent++
			target := attribute(form, "action") + "?" + query.Encode()
			got := s.open(target)
			offline := strings.Contains(got.body, `"provider_unavailable"`)
			if got.status != http.StatusOK && !offline {
				t.Errorf("%s: %s: %d %.200s", path, target, got.status, got.body)
			}
		}
		o.attributes(func(n *html.Node, name, value string) {
			if name == "type" && value == "password" && hasAttribute(n, "name") {
				t.Errorf("%s: a key would be part of the address", path)
			}
		})
	}
	if sent < 10 {
		t.Errorf("%d forms were sent, want at least 10", sent)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// within reports whether an element is part of another one with a name.
func within(n *html.Node, name string) bool {
	for a := range n.Ancestors() {
		if a.Data == name {
			return true
		}
	}
	return false
}

// TestDocsTools checks that each tool of each set has a page with all arguments, a call and both
// forms of its result.
func TestDocsTools(t *testing.T) {
	s := newManualSite(t)
	for _, set := range s.Tools().Toolsets() {
		for _, tool := range set.Tools {
			s.tool(tool)
		}
	}
}

func (s *manualSite) tool(tool operation.Tool) {
	s.Helper()
	page := s.open("/docs/mcp/" + tool.Name)
	twin := s.open("/docs/mcp/" + tool.Name + ".md").body
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(tool.Input, &schema); err != nil {
		s.Fatal(err)
	}
	for name := range schema.Properties {
		if !strings.Contains(page.body, "<dt><code>"+name+"</code>") {
			s.Errorf("the page of %s lacks %s", tool.Name, name)
		}
	}
	for _, want := range []string{
		`"name": "` + tool.Name + `"`, "### Text\n\n```text\n", "### Structured content\n\n```json\n{",
	} {
		twin := strings.ReplaceAll(twin, "````", "```") // around a text that has blocks of code
		if page.status != 200 || !strings.Contains(twin, want) {
			s.Errorf("the page of %s: %d, lacks %q", tool.Name, page.status, want)
		}
	}
}

// TestDocsGuides checks that each guide of docs, each topic and each error code has a page.
func TestDocsGuides(t *testing.T) {
	s := newManualSite(t)
	pages := s.pages()
	var titles []string
	for _, o := range pages {
		for n := range o.document().Descendants() {
			if n.Data == "h1" {
				titles = append(titles, textOf(n))
			}
		}
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d guides, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(string(text), "\n")
		if title := strings.TrimPrefix(heading, "# "); !slices.Contains(titles, title) {
			t.Errorf("%s has no page with the heading %q", file, title)
		}
	}
	for _, topic := range s.Tools().Topics.Topics() {
		if !slices.Contains(titles, topic.Title) {
			t.Errorf("topic %s has no page with the heading %q", topic.Name, topic.Title)
		}
	}
	for _, code := range coast.Code("").Values() {
		if !strings.Contains(pages["/docs/errors"].body, `<h2 id="`+code+`">`) {
			t.Errorf("/docs/errors lacks %s", code)
		}
	}
}

// TestDocsTwins checks that llms.txt lists each page as Markdown, with links to other twins.
func TestDocsTwins(t *testing.T) {
	s := newManualSite(t)
	list := s.open("/llms.txt").body
	for path := range s.pages() {
		if !strings.Contains(list, "](http://tides.example.org"+path+".md): ") {
			t.Errorf("llms.txt lacks %s", path)
		}
		twin := s.open(path + ".md")
		if twin.status != 200 || !twin.cachedByAll() || !strings.HasPrefix(twin.body, "# ") ||
			twin.header.Get("Content-Type") != "text/markdown; charset=utf-8" {
			t.Errorf("%s.md: %d %v", path, twin.status, twin.header)
		}
		for _, m := range regexp.MustCompile(`\]\((http://tides\.example\.org/docs[^)#]*)`).
			FindAllStringSubmatch(twin.body, -1) {
			if !strings.HasSuffix(m[1], ".md") {
				t.Errorf("%s.md links to %s", path, m[1])
			}
		}
	}
	if got := s.open("/docs/rest/getNothing.md").status; got != http.StatusNotFound {
		t.Errorf("an unknown twin: %d", got)
	}
}

// TestDocsSearch checks what a search finds, and what it says if it finds nothing.
func TestDocsSearch(t *testing.T) {
	s := newManualSite(t)
	for _, c := range []struct{ query, first string }{
		{"getPredictions", "/docs/rest/getPredictions"},
		{"noaa_get_water_levels", "/docs/mcp/noaa_get_water_levels"},
		{"rate_limited", "/docs/errors"},
		{"webhook signature", "/docs/webhooks"},
		{"backup restore", "/docs/guides/operating"},
		{"datum", "/docs/reference/datums"},
		{"ERROR code", "/docs/errors"},
		{"webhook localhost", "/docs/webhooks"},
		{"forgotten password", "/docs/guides/signing-in"},
		{"plan upgrade", "/docs/guides/keys-and-limits"},
	} {
		o := s.open("/docs/search?q=" + url.QueryEscape(c.query))
		found := regexp.MustCompile(`<li><a href="(/docs[^"]*)">[^<]*</a>\n<p`).
			FindStringSubmatch(o.body)
		if o.status != 200 || found == nil || found[1] != c.first {
			t.Errorf("%q finds %q first, want %s", c.query, found, c.first)
		}
		o.wantTitles(t, c.query, "Pages with")
		o.wantBalanced(t)
		o.wantPolicy(t)
	}
	for query, want := range map[string]string{
		"qqqqqq":                        "No page has all these words.",
		"":                              "Use fewer words",
		"<script>alert(1)</script> zzz": "No page has all these words.",
		strings.Repeat("tide ", 500):    "tide",
		"\xff\xfe":                      "Use fewer words",
	} {
		o := s.open("/docs/search?q=" + url.QueryEscape(query))
		if o.status != 200 || !strings.Contains(o.words(), want) ||
			strings.Contains(o.body, "<script>al") {
			t.Errorf("%.20q: %d without %q", query, o.status, want)
		}
	}
	o := s.open("/docs/search")
	o.wantTitles(t, "Search the documentation", "Search the documentation")
}

// TestDocsAddresses checks addresses that are written otherwise, and unknown ones.
func TestDocsAddresses(t *testing.T) {
	s := newManualSite(t)
	for path, want := range map[string]struct {
		status int
		to     string
	}{
		"/docs/":                  {308, "/docs"},
		"/docs/rest/":             {308, "/docs/rest"},
		"/docs.md":                {200, ""},
		"/docs/rest.md":           {200, ""},
		"/docs/nothing":           {404, ""},
		"/docs/rest/getNothing":   {404, ""},
		"/docs/guides/../../etc":  {404, ""},
		"/docsx":                  {404, ""},
		"/docs/search.md":         {404, ""},
		"/docs/rest/getStatus.md": {200, ""},
	} {
		if o := s.open(path); o.status != want.status || o.header.Get("Location") != want.to {
			t.Errorf("%s: %d %s, want %d %s", path, o.status, o.header.Get("Location"), want.status,
				want.to)
		}
	}
}

// BenchmarkDocs serves pages of the documentation from memory, and made again for a minute. The
// target of the second is 2 ms.
func BenchmarkDocs(b *testing.B) {
	now := product.Noon()
	built := product.Setup{Now: func() time.Time { return now }, Offline: true}.Start(b)
	n := 0
	get := func(path string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		n++
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
		r.Header.Set("Accept-Encoding", "gzip, zstd")
		w := httptest.NewRecorder()
		built.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatalf("%s: %d", path, w.Code)
		}
	}
	for _, path := range []string{
		"/docs", "/docs/rest/getPredictions", "/docs/rest/bestWindow", "/docs/search?q=slack+water",
	} {
		b.Run(path+"/memory", func(b *testing.B) {
			get(path)
			for b.Loop() {
				get(path)
			}
		})
		b.Run(path+"/made", func(b *testing.B) {
			get(path)
			for b.Loop() {
				now = now.Add(time.Minute)
				get(path)
			}
		})
	}
}
