package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"leadline/e2e/product"
)

// poisons are inserted into strings of provider responses in turn: bidirectional
// controls, zero width, tags, ESC and BEL, raw and as JSON escapes.
var poisons = []string{
	"\u202e", "\u200b", "\U000e0041", "\u2066", "\u00ad", "\ufe0f", `\u001b`, `\u0007`, `\u202d`,
	`\u200d`, `\udb40\udc42`, `\ufeff`,
}

// jsonString matches a string of JSON.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// poisoned serves the responses of root, with every JSON body changed.
func poisoned(t *testing.T, root string, change func(body []byte) []byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), r.Method, root+r.RequestURI, nil)
		if err != nil {
			t.Error(err)
			return
		}
		request.Header = r.Header.Clone()
		request.Header.Del("Accept-Encoding") // the transport requests gzip and decompresses it
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return
		}
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		if json.Valid(body) {
			body = change(body)
			w.Header().Del("Content-Length")
		}
		w.WriteHeader(response.StatusCode)
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// restCalls returns the REST requests whose responses have provider text.
func restCalls() []call {
	var list []call
	for _, path := range []string{
		"stations/8443970", "stations/8443970/conditions", "stations/8443970/forecast",
		"stations/8443970/water-levels?hours=3",
		"stations/9414290/forecast", "stations/9063020/conditions", "stations?query=boston",
		"stations/nearest?latitude=42.35&longitude=-71.05",
		"stations/8443970/tides", "stations/0000000",
	} {
		list = append(list, call{"", "/api/v1/" + path})
	}
	return list
}

// parts returns the response to a call: the text that a tool adds, and the
// JSON, without the times of the server's own clock.
func (c call) parts(t *testing.T, base string) (text string, tree any) {
	t.Helper()
	var body []byte
	if c.tool == "" {
		body = c.ask(base).body
	} else {
		got := callTool(t, base, c)
		text, body = got.Content[0].Text, got.StructuredContent
	}
	if err := json.Unmarshal(body, &tree); err != nil {
		t.Errorf("%s %s: %v in %.200s", c.tool, c.args, err, body)
	}
	return text, timeless(tree)
}

// timeless returns a JSON value without the times of the server's own clock.
func timeless(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	case map[string]any:
		if v["sourceAt"] == v["receivedAt"] { // of constants that the provider does not date
			delete(v, "sourceAt")
		}
		for name := range v {
			if name == "receivedAt" || name == "alertsAsOf" {
				delete(v, name)
			} else {
				v[name] = timeless(v[name])
			}
		}
	}
	return v
}

// unseen returns the invisible characters of a text, by the tables of package
// unicode.
func unseen(text string) (found []rune) {
	for _, r := range text {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
			unicode.Is(unicode.Cc, r) && r != '\n' {
			found = append(found, r)
		}
	}
	return found
}

// TestPoisonedStrings calls every tool and REST with providers whose strings, keys
// included, have invisible characters, and with the same providers without them:
// the results are equal.
func TestPoisonedStrings(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	bad := poisoned(t, root, func(body []byte) []byte {
		n := 0
		return jsonString.ReplaceAllFunc(body, func(s []byte) []byte {
			n++
			return slices.Concat([]byte(`"`+poisons[n%len(poisons)]), s[1:])
		})
	})
	good := product.Live(t).URL
	hostile := product.Setup{
		Root: bad, Now: product.Noon, Deadline: longFetch,
	}.Start(t).Join(t).URL
	for _, c := range append(liveCalls(), restCalls()...) {
		if c.tool == "leadline_whoami" {
			continue // counts requests, without a provider
		}
		_, want := c.parts(t, good)
		text, got := c.parts(t, hostile)
		if found := unseen(text + fmt.Sprint(got)); len(found) > 0 {
			t.Errorf("%s %s: %d invisible characters: %U", c.tool, c.args, len(found), found[0])
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\n%.3000v\nwant\n%.3000v", c.tool, c.args, got, want)
		}
	}
}

// TestPoisonedNames requests everything from providers whose names and texts have line
// breaks and Markdown: no string of a result has a line break, and no line of a text
// begins with the text after one.
func TestPoisonedNames(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	const more = `\r\n# Ignore | **this** <b>`
	named := regexp.MustCompile(
		`("(?:name|stationName|stnName|headline|areaDesc|description|instruction|text|instrument_desc|message|title|` +
			`category|city|annotation|projectMethod|stamping|designation)" ?: ?"(?:[^"\\]|\\.)+)"`,
	)
	bad := poisoned(t, root,
		func(body []byte) []byte { return named.ReplaceAll(body, []byte(`${1}`+more+`"`)) })
	base := product.Setup{Root: bad, Now: product.Noon, Deadline: longFetch}.Start(t).Join(t).URL
	reached := 0
	for _, c := range append(liveCalls(), restCalls()...) {
		if c.tool == "noaa_get_reference_guide" {
			continue // our own pages
		}
		r := c.ask(base)
		if r.err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, r.err)
			continue
		}
		if bytes.Contains(r.body, []byte(`\n`)) || bytes.Contains(r.body, []byte(`\r`)) {
			t.Errorf("%s %s: a line break in %.600s", c.tool, c.args, r.body)
		}
		if c.tool == "" {
			continue
		}
		text := callTool(t, base, c).Content[0].Text
		reached += strings.Count(text, "# Ignore")
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "#") || strings.Contains(line, "**this**") ||
				strings.Contains(strings.ReplaceAll(line, `\<b`, ""), "<b>") {
				t.Errorf("%s %s: the line %.300s", c.tool, c.args, line)
			}
		}
	}
	if reached < 50 {
		t.Errorf("%d changed texts have reached results, want at least 50: nothing was tried", reached)
	}
}
