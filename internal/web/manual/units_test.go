package manual

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"leadline/internal/coast"
)

func parsed(t *testing.T, text string) value {
	t.Helper()
	v, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestJSON checks the lines of JSON, its colors, and what is left out of long arrays.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, "{}"},
		{`[]`, "[]"},
		{`{"b":1,"a":[true,null,"x"]}`, "{\n  \"b\": 1,\n  \"a\": [true, null, \"x\"]\n}"},
		{`{"b":1.50,"a":-2e3}`, `{"b": 1.50, "a": -2e3}`},
		{`[1,2,3,4,5,6]`, `[1, 2, 3, 4, 5, 6]`},
		{`[1,2,3,4,5,6,7]`, "[\n  1,\n  2,\n  3,\n  … 4 more\n]"},
		{`{"t":"a<b>\"\n"}`, `{"t": "a<b>\"\n"}`},
		{`[{"a":1}]`, "[\n  {\"a\": 1}\n]"},
		{`{"a":{},"b":[]}`, `{"a": {}, "b": []}`},
	} {
		if got := indented(parsed(t, c.in)); got != c.want {
			t.Errorf("indented(%s) = %s, want %s", c.in, got, c.want)
		}
		html := string(colored(parsed(t, c.in)))
		plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'").
			Replace(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, ""))
		if plain != c.want {
			t.Errorf("colored(%s) shows %s, want %s", c.in, plain, c.want)
		}
	}
	got := string(colored(parsed(t, `{"k":"<i>"}`)))
	want := `{<span class="k">&#34;k&#34;</span>: <span class="s">&#34;&lt;i&gt;&#34;</span>}`
	if got != want {
		t.Errorf("colored = %s, want %s", got, want)
	}
	for _, bad := range []string{"", "{", "[1,]", "{} {}", "nul"} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("parse(%q) returns no error", bad)
		}
	}
}

// TestKinds checks how types of schemas are written.
func TestKinds(t *testing.T) {
	d := &document{root: parsed(t, `{"components":{"schemas":{`+
		`"Tide":{"type":"object","properties":{"height":{"type":"number"}}},`+
		`"Units":{"type":"string","enum":["english","metric"]}}}}`)}
	for _, c := range []struct{ schema, want string }{
		{`{"type":"integer","minimum":1,"maximum":168}`, "integer, 1 to 168"},
		{`{"type":"number","minimum":0}`, "number, at least 0"},
		{`{"type":["number","null"]}`, "number, or null"},
		{`{"type":"string","format":"date-time"}`, "time"},
		{`{"type":"string","format":"date"}`, "date"},
		{`{"type":"string","maxLength":64,"pattern":"^a|b$"}`, "string, at most 64 characters, `^a|b$`"},
		{`{"$ref":"#/components/schemas/Units"}`, "one of `english`, `metric`"},
		{`{"$ref":"#/components/schemas/Tide"}`, "`Tide`"},
		{`{"type":"array","items":{"$ref":"#/components/schemas/Tide"},"maxItems":3}`,
			"list of `Tide`, at most 3 items"},
		{`{"oneOf":[{"type":"string"},{"type":"boolean"}]}`, "string or boolean"},
		{`{"const":"tides"}`, "`tides`"},
		{`{"type":"object","additionalProperties":{"type":"number"}}`, "object of number"},
		{`{}`, "any value"},
	} {
		if got := d.kind(parsed(t, c.schema), d.named); got != c.want {
			t.Errorf("kind(%s) = %s, want %s", c.schema, got, c.want)
		}
	}
	want := "### In: Tide\n\n| field | type | description |\n|---|---|---|\n" +
		"| `height` (optional) | number |  |\n\n"
	if got := d.outline(parsed(t, `{"$ref":"#/components/schemas/Tide"}`), "###", "In: "); got != want {
		t.Errorf("outline = %q, want %q", got, want)
	}
}

// TestLinks checks that links between files lead to pages, and that others become text.
func TestLinks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"[a](mcp.md)", "[a](/docs/guides/mcp)"},
		{"[a](mcp.md#sign-in)", "[a](/docs/guides/mcp#sign-in)"},
		{"[a](../docs/webhooks.md)", "[a](/docs/webhooks)"},
		{"[a](clients.md)", "[a](/docs/clients)"},
		{"the [README](../README.md) says", "the README says"},
		{"[code](../internal/web/web.go)", "code"},
		{"[a](https://example.org/mcp.md)", "[a](https://example.org/mcp.md)"},
		{"[a](/docs/mcp)", "[a](/docs/mcp)"},
		{"[a](#part)", "[a](#part)"},
		{"```\n[a](mcp.md)\n```\n[a](mcp.md)", "```\n[a](mcp.md)\n```\n[a](/docs/guides/mcp)"},
	} {
		if got := linkFiles(c.in); got != c.want {
			t.Errorf("linkFiles(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	const topics = "see leadline://reference/limits."
	if got, want := linkTopics(topics), "see [limits](/docs/limits)."; got != want {
		t.Errorf("linkTopics(%q) = %q, want %q", topics, got, want)
	}
	const local = "[a](/docs/mcp#x), [b](/stations), [c](https://x.org)"
	want := "[a](" + base + "/docs/mcp.md#x), [b](" + base + "/stations), [c](https://x.org)"
	if got := absolute(local, base); got != want {
		t.Errorf("absolute = %q, want %q", got, want)
	}
}

// TestMarkdown checks ids of headings, tables and code, and that HTML is refused.
func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"## Sign in\n\n## Sign in",
			"<h2 id=\"sign-in\">Sign in</h2>\n<h2 id=\"sign-in-1\">Sign in</h2>\n"},
		{"## `--data` & more?", "<h2 id=\"--data--more\"><code>--data</code> &amp; more?</h2>\n"},
		{"```sh\na < b\n```", "<pre><code>a &lt; b</code></pre>\n"},
		{"```json\n{\"a\":1}\n```",
			`<pre><code>{<span class="k">&#34;a&#34;</span>: <span class="n">1</span>}</code></pre>` + "\n"},
		{"```json\n{broken\n```", "<pre><code>{broken</code></pre>\n"},
	} {
		var b strings.Builder
		if err := newRenderer().render(&b, c.in); err != nil || b.String() != c.want {
			t.Errorf("render(%q) = %q, %v, want %q", c.in, b.String(), err, c.want)
		}
	}
	var b strings.Builder
	if err := newRenderer().render(&b, "| a | b |\n|---|--:|\n| 1 | 2 |"); err != nil ||
		!strings.Contains(b.String(), `role="region" aria-label="Table: a, b"><table>`) ||
		strings.Contains(b.String(), "style=") {
		t.Errorf("a table: %s, %v", &b, err)
	}
	for _, bad := range []string{"a <b>x</b>", "<script>x</script>"} {
		if err := newRenderer().render(&b, bad); err == nil {
			t.Errorf("render(%q) returns no error", bad)
		}
	}
}

// TestFenced checks that a block of code can have blocks within.
func TestFenced(t *testing.T) {
	if got, want := fenced("text", "a\n```\nb"), "````text\na\n```\nb\n````"; got != want {
		t.Errorf("fenced = %q, want %q", got, want)
	}
}

// TestShell checks how arguments are quoted.
func TestShell(t *testing.T) {
	for in, want := range map[string]string{
		"https://x.org/a": "https://x.org/a", "a b": "'a b'", "a?b&c": "'a?b&c'",
		"it's": `'it'\''s'`, "$KEY": "'$KEY'",
	} {
		if got := shell(in); got != want {
			t.Errorf("shell(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestSearch checks which pages a search finds, and the line that it quotes.
func TestSearch(t *testing.T) {
	m := newManual(t)
	for _, c := range []struct{ query, first, match string }{
		{"getPredictions", "/docs/rest/getPredictions", ""},
		{"standard webhooks signature", "/docs/webhooks", "Standard"},
		{"RATE_LIMITED", "/docs/errors", ""},
		{"noaa_get_sun", "", ""},
		{"", "", ""},
		{"?!", "", ""},
	} {
		hits := m.Search(c.query)
		if c.first == "" {
			if len(hits) > 0 {
				t.Errorf("%q finds %s, want nothing", c.query, hits[0].Page.Path)
			}
			continue
		}
		if len(hits) == 0 || hits[0].Page.Path != c.first ||
			c.match != "" && hits[0].Match != c.match {
			t.Errorf("%q finds %+v, want %s with %q", c.query, hits, c.first, c.match)
		}
		if len(hits) > mostHits {
			t.Errorf("%q finds %d pages, want at most %d", c.query, len(hits), mostHits)
		}
	}
}

// FuzzSearch checks that what is found is part of the page, for any query.
func FuzzSearch(f *testing.F) {
	m := newManual(f)
	for _, seed := range []string{"tide", "RATE_limited", "İ", "\xff", "a b c d e f g h i j", "…"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, h := range m.Search(query) {
			line := strings.TrimSuffix(strings.TrimPrefix(h.Before+h.Match+h.After, "… "), " …")
			has := func(paragraph string) bool { return strings.Contains(paragraph, line) }
			if !utf8.ValidString(line) || h.Match != "" && !slices.ContainsFunc(h.Page.index.lines, has) {
				t.Errorf("%q quotes %q of %s", query, line, h.Page.Path)
			}
		}
	})
}

// TestErrors checks that the page of errors has each code once.
func TestErrors(t *testing.T) {
	var got []string
	for _, m := range meanings {
		got = append(got, string(m.code))
	}
	want := coast.Code("").Values()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the page has %v, want %v", got, want)
	}
}

// TestFaults checks that a document without an example is refused.
func TestFaults(t *testing.T) {
	const unknown = `{"info":{"title":"x"},"tags":[{"name":"A"}],"paths":{"/api/x":{"get":` +
		`{"operationId":"getNothing","tags":["A"],"responses":{}}}}}`
	for _, c := range []struct{ document, want string }{
		{"{", "read an OpenAPI document"},
		{unknown, "operation getNothing has no recorded example"},
	} {
		_, err := New(Source{Base: base, Documents: [][]byte{[]byte(c.document)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%s) = %v, want %s", c.document, err, c.want)
		}
	}
}
