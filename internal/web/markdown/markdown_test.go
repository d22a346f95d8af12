package markdown

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestRender(t *testing.T) {
	for _, c := range []struct{ source, title, html string }{
		{"# Privacy\n\nWhat is *kept*.", "Privacy", "<p>What is <em>kept</em>.</p>\n"},
		{"Privacy\n===\n\nWhat.", "Privacy", "<p>What.</p>\n"},
		{"# A `b` & \\*c\\*\n", "A b & *c*", ""},
		{"# One\n\n# Two\n\n#### Three", "One", "<h2>Two</h2>\n<h3>Three</h3>\n"},
		{"### First\n\n# Title\n\n## Next", "Title", "<h2>First</h2>\n<h2>Next</h2>\n"},
		{"no heading", "", "<p>no heading</p>\n"},
		{"", "", ""},
		{"[a](https://a.example/?x=1&y=2)", "",
			"<p><a href=\"https://a.example/?x=1&amp;y=2\">a</a></p>\n"},
		{"[a](/terms#b) [c](#d)", "", "<p><a href=\"/terms#b\">a</a> <a href=\"#d\">c</a></p>\n"},
		{"<ann@example.org>", "", "<p><a href=\"mailto:ann@example.org\">ann@example.org</a></p>\n"},
		{"![a *chart*](https://a.example/x.png)", "", "<p>a <em>chart</em></p>\n"},
		{"| a | b |\n|---|--:|\n| 1 | 2 |", "", "<table>\n<thead>\n<tr>\n<th scope=\"col\">a</th>\n" +
			"<th scope=\"col\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n" +
			"</tbody>\n</table>\n"},
		{"a <b>c</b> &lt;", "", "<p>a &lt;b&gt;c&lt;/b&gt; &lt;</p>\n"},
		{"<script>\nalert(1)\n</script>", "",
			"<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n"},
		{"<!-- a -->", "", "<p>&lt;!-- a --&gt;</p>\n"},
	} {
		if got := Render([]byte(c.source)); got.Title != c.title || string(got.HTML) != c.html {
			t.Errorf("Render(%q) = %q, %q, want %q, %q", c.source, got.Title, got.HTML, c.title, c.html)
		}
	}
}

// TestLinks checks that links to other places than those of the web are removed and keep their
// words.
func TestLinks(t *testing.T) {
	for _, bad := range []string{
		"[a](javascript:alert%281%29)", "[a](JavaScript:alert)", "[a](javascript&colon;alert)",
		"[a](&#106;avascript:alert)", "[a](<java\tscript:alert>)", "[a](\\javascript:alert)",
		"[a](data:text/html,x)", "[a](vbscript:x)", "[a](file:///etc/passwd)", "[a](//evil.example)",
		"[a](/\\evil.example)", "[a](&#47;/evil.example)", "[a](\\//evil.example)", "[a](terms)",
		"[a][b]\n\n[b]: javascript:alert",
	} {
		if got := string(Render([]byte(bad)).HTML); got != "<p>a</p>\n" {
			t.Errorf("Render(%q) = %q, want its words", bad, got)
		}
	}
	const auto = "<javascript:alert>"
	if got := string(Render([]byte(auto)).HTML); got != "<p>javascript:alert</p>\n" {
		t.Errorf("Render(%q) = %q, want its words", auto, got)
	}
}

// FuzzRender checks that no text becomes an element or an attribute of other names than expected,
// or a link elsewhere.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n- b\n- [c](javascript:d)\n\n| e | f |\n|:-:|---|\n| <g h=i> | `j` |",
		"![x](y \"z\") [a](http://b \"onclick='c'\")\n\n```js\nd\n```\n> e\n\n1. f\n***\n<a@b.c>",
		"[a]: javascript:b\n[a] <https://c> &#x3c;script&#62; \\<b\\>", "\x00\xff</main><script>",
	} {
		f.Add([]byte(seed))
	}
	elements := strings.Fields("p em strong a code pre ul ol li blockquote hr br h2 h3 h4 h5 h6 " +
		"table thead tbody tr th td")
	attributes := strings.Fields("href title scope start class")
	f.Fuzz(func(t *testing.T, source []byte) {
		tokens := html.NewTokenizer(strings.NewReader(string(Render(source).HTML)))
		for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
			token := tokens.Token()
			if kind == html.CommentToken || kind == html.DoctypeToken ||
				kind != html.TextToken && !slices.Contains(elements, token.Data) {
				t.Fatalf("%q became %v", source, token)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Key) || a.Key == "href" && !isAllowed([]byte(a.Val)) {
					t.Fatalf("%q became %v", source, token)
				}
			}
		}
	})
}
