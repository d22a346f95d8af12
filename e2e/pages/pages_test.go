package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html"

	"leadline/e2e/product"
)

// browser is the Accept header of a browser that opens a page.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// opened is a page or a file as a browser got it, or the error that a program got.
type opened struct {
	path   string
	status int
	header http.Header
	body   string

	document func() *html.Node // parses the body once
}

// newOpened returns a page or a file that was opened.
func newOpened(path string, status int, header http.Header, body string) opened {
	return opened{path, status, header, body, sync.OnceValue(func() *html.Node {
		root, err := html.Parse(strings.NewReader(body))
		if err != nil {
			panic(err) // reading from memory does not fail
		}
		return root
	})}
}

// open requests a path as a browser does, with pairs of further headers.
func open(t testing.TB, base, path string, headers ...string) opened {
	t.Helper()
	return openBy(t, http.MethodGet, base, path, append([]string{"Accept", browser}, headers...)...)
}

// addressOf returns the address from which a test opens pages of a server that tests share, so that
// each has the limits of pages for itself.
func addressOf(t testing.TB) string {
	sum := numberOf(t)
	return fmt.Sprintf("10.%d.%d.%d", sum>>16&255, sum>>8&255, sum&255)
}

// numberOf returns a number of a test.
func numberOf(t testing.TB) uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(t.Name()))
	return hash.Sum32()
}

func openBy(t testing.TB, method, base, path string, headers ...string) opened {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity") // else the transport asks for gzip
	r.Header.Set("X-Forwarded-For", addressOf(t))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return newOpened(path, answer.StatusCode, answer.Header, string(body))
}

// cachedByAll reports whether shared caches may keep a response.
func (o opened) cachedByAll() bool {
	return strings.HasPrefix(o.header.Get("Cache-Control"), "public, max-age=")
}

// words returns the text of a page as a person reads it, with single spaces, without code and
// quotations.
func (o opened) words() string {
	var b strings.Builder
	for n := range o.document().Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		hidden := func(a *html.Node) bool {
			return a.Type == html.ElementNode && slices.Contains([]string{
				"style", "script", "blockquote", "pre", "desc", "title",
			}, a.Data)
		}
		skip := false
		for a := range n.Ancestors() {
			skip = skip || hidden(a)
		}
		if !skip {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\u00a0", " ")), " ")
}

// attributes calls f for each attribute of each element.
func (o opened) attributes(f func(element *html.Node, name, value string)) {
	for n := range o.document().Descendants() {
		for _, a := range n.Attr {
			f(n, a.Key, a.Val)
		}
	}
}

// pagesOfAll are pages of every kind, and the number of words of their h1.
var pagesOfAll = []struct {
	path   string
	status int
	title  string
	h1     string
}{
	{"/", 200, "Tides, currents and coastal weather", "Tides, currents and coastal weather"},
	{"/?signin=1", 200, "Tides, currents and coastal weather", "Tides, currents and coastal"},
	{"/stations", 200, "Stations", "Stations"},
	{"/stations?q=boston", 200, "boston", "Stations for “boston”"},
	{"/stations?state=ME", 200, "Maine", "Maine"},
	{"/stations?state=MA&type=currentpredictions", 200, "Massachusetts", "Massachusetts"},
	{"/stations?q=qqqqqq", 200, "qqqqqq", "Stations for “qqqqqq”"},
	{"/stations/near", 200, "Stations near me", "Stations near me"},
	{"/stations/near?lat=42.35&lon=-71.05", 200, "Stations near me", "Stations near 42.350° N"},
	{"/stations/near?lat=0&lon=-150", 200, "Stations near me", "Stations near 0.000° N"},
	{"/stations/near?lat=north&lon=1", 200, "Stations near me", "Stations near me"},
	{"/stations/8443970", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/8443970?days=31", 200, "Boston, MA: a month to print", "Boston, MA"},
	{"/stations/8443970/year/2027", 200, "Boston, MA: tides of 2027 to print", "Boston, MA, 2027"},
	{"/planning", 200, "Planning", "When is the water where you need it?"},
	{"/planning?place=8443970", 200, "Planning", "When is the water where you need it?"},
	{"/planning/trip", 200, "Does the day suit?", "Does the day suit?"},
	{"/planning/trip?place=Boston&date=2026-11-21", 200, "Boating at Boston", "Does the day suit?"},
	{"/planning/low-tide", 200, "Low-tide walk", "Low-tide walk"},
	{"/planning/low-tide?place=half+moon+bay", 200, "Low-tide walk: Pillar Point Harbor",
		"Low-tide walk"},
	{"/planning/launch?place=Boston&above=-20", 200, "Launch over a bar or ramp: Boston",
		"Launch over a bar or ramp"},
	{"/planning/draft?place=Boston&draft=6&charted_depth=2&units=metric", 200, "Water for a draft",
		"Water for a draft"},
	{"/planning/bridge?station=8443970&air_draft=50&bridge_clearance=49&clock=24", 200,
		"Under a bridge: Boston", "Under a bridge"},
	{"/planning/slack?place=deception+pass&zone=gmt", 200, "Slack water: Deception Pass",
		"Slack water"},
	{"/planning/run?place=PUG1701&phase=ebb&date=2027-03-10&days=7", 200, "With the current",
		"With the current"},
	{"/planning/route", 200, "Through several passes", "Through several passes"},
	{"/planning/route?station1=deception+pass&distance1=1&zone=gmt", 200,
		"Through several passes: Deception Pass", "Through several passes"},
	{"/planning/extremes?place=Boston&what=highest&light=dark", 200, "Lowest and highest tides",
		"Lowest and highest tides"},
	{"/planning/king-tides?place=Boston", 200, "King tides: Boston", "King tides"},
	{
		"/planning/springs?place=Boston",
		200,
		"Spring and neap tides: Boston",
		"Spring and neap tides",
	},
	{"/stations/8443970?days=1", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/8443970?days=7&units=metric&clock=24&zone=gmt&datum=MSL", 200, "Tide at Boston, MA",
		"Boston, MA"},
	{"/stations/8443970?date=2026-11-01&days=1", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/8443970?date=2026-03-08", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/8443970?date=2099-12-31&days=7", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/8443970?date=1700-01-01", 200, "Tide at Boston, MA", "Boston, MA"},
	{"/stations/9063020", 200, "Buffalo, NY", "Buffalo, NY"},
	{"/stations/9497645", 200, "Tide at Prudhoe Bay, AK", "Prudhoe Bay, AK"},
	{"/stations/9497645?date=2026-12-21", 200, "Tide at Prudhoe Bay, AK", "Prudhoe Bay, AK"},
	{"/stations/TPT2705", 200, "Tide at Ebon (Boston) Atoll", "Ebon (Boston) Atoll"},
	{"/stations/ACT1206", 200, "Currents at South Boston", "South Boston"},
	{"/stations/ACT1206?days=31", 200, "South Boston", "South Boston"},
	{"/stations/ACT0261", 200, "Weak and variable, off Maine", "Weak and variable, off Maine"},
	{"/status", 200, "Status", "Status"},
	{"/verification", 200, "Verification", "Verification"},
	{"/privacy", 200, "Privacy", "Privacy"},
	{"/terms", 200, "Terms of use", "Terms of use"},
	{"/support", 200, "Support", "Support"},
	{"/stations/8447584", 404, "This station is retired", "This station is retired"},
	{"/stations/bosotn", 404, "There is no such station", "There is no such station"},
	{"/stations/half-moon-bay", 404, "There is no such station", "There is no such station"},
	{"/stations/8443970/tide.gif", 404, "There is no such page", "There is no such page"},
	{"/register", 404, "There is no such page", "There is no such page"},
}

// avoided are the words that pages do not use: no page declares anything harmless. One note of
// the operations says what a missing value does not mean.
var avoided = regexp.MustCompile(`(?i)\b(un)?safe(ly)?\b|all clear|guaranteed|real-time|` +
	`navigation-grade|good to go|\bperfect\b|\bideal\b|\bcalm\b|\bflat\b|no danger|ZgotmplZ|` +
	`noaa_|nws_|<nil>|%!|\bNaN\b|−0\.0+\b`)

// TestPages opens a page of every kind, with providers that respond, and checks its form.
func TestPages(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	if o := open(t, p.URL, "/stations?q=salem"); o.cachedByAll() ||
		!strings.Contains(o.words(), "NOAA’s lists have not been read") {
		t.Error("a search without NOAA's lists does not say so, or is public")
	}
	if err := p.Tools().Overlay.UpdateLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range pagesOfAll {
		o := open(t, p.URL, want.path)
		if o.status != want.status || o.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s, want %d and HTML", o.path, o.status, o.header.Get("Content-Type"),
				want.status)
			continue
		}
		o.wantTitles(t, want.title, want.h1)
		o.wantBalanced(t)
		o.wantPolicy(t)
		o.wantIDs(t)
		text := strings.ReplaceAll(o.words(), "that does not mean calm or clear", "")
		if found := avoided.FindString(text); found != "" {
			at := strings.Index(text, found)
			t.Errorf("%s has %q: %q", o.path, found, text[max(0, at-80):min(len(text), at+80)])
		}
		if !strings.Contains(text, "Planning aid only. Not for navigation.") {
			t.Errorf("%s lacks the disclaimer", o.path)
		}
		o.wantHeaders(t)
	}
}

func (o opened) wantTitles(t *testing.T, title, h1 string) {
	t.Helper()
	var titles, headings []string
	level := 0
	for n := range o.document().Descendants() {
		switch {
		case n.Data == "title" && n.Parent.Data == "head":
			titles = append(titles, textOf(n))
		case n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data != "hr":
			next := int(n.Data[1] - '0')
			if next > level+1 {
				t.Errorf("%s: %s follows a heading of level %d", o.path, n.Data, level)
			}
			if level = next; next == 1 {
				headings = append(headings, textOf(n))
			}
			if strings.TrimSpace(textOf(n)) == "" {
				t.Errorf("%s: an empty %s", o.path, n.Data)
			}
		}
	}
	if len(titles) != 1 || !strings.HasPrefix(titles[0], title) ||
		!strings.HasSuffix(titles[0], " – Leadline") {
		t.Errorf("%s: titles %q, want one with %q", o.path, titles, title)
	}
	got := strings.ReplaceAll(strings.Join(headings, "|"), "\u00a0", " ")
	if len(headings) != 1 || !strings.HasPrefix(got, h1) {
		t.Errorf("%s: h1 %q, want one with %q", o.path, headings, h1)
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// void are the elements without an end tag.
var void = strings.Fields("area base br col embed hr img input link meta source track wbr")

// wantBalanced checks that each start tag has its end tag.
func (o opened) wantBalanced(t *testing.T) {
	t.Helper()
	var stack []string
	tokens := html.NewTokenizer(strings.NewReader(o.body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if len(stack) > 0 {
				t.Errorf("%s: without an end tag: %v", o.path, stack)
			}
			return
		case html.StartTagToken:
			if name := tokens.Token().Data; !slices.Contains(void, name) {
				stack = append(stack, name)
			}
		case html.EndTagToken:
			name := tokens.Token().Data
			if len(stack) == 0 || stack[len(stack)-1] != name {
				t.Errorf("%s: </%s> within %v", o.path, name, stack)
				return
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// wantPolicy checks that the policy allows the page's own style and script and nothing else.
func (o opened) wantPolicy(t *testing.T) {
	t.Helper()
	policy := o.header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
		"require-trusted-types-for 'script'", "img-src 'self' data:",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("%s: policy %q lacks %s", o.path, policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("%s: policy %q", o.path, policy)
	}
	for name, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		var hashes []string
		for _, m := range regexp.MustCompile(`(?s)<`+name+`(?: [^>]*)?>(.*?)</`+name+`>`).
			FindAllStringSubmatch(o.body, -1) {
			hashes = append(hashes, hashOf(m[1]))
		}
		want := directive + " " + strings.Join(hashes, " ")
		if len(hashes) == 0 && strings.Contains(policy, directive) ||
			len(hashes) > 0 && !slices.Contains(strings.Split(policy, "; "), want) {
			t.Errorf("%s: policy %q, want %s", o.path, policy, want)
		}
	}
	o.attributes(func(n *html.Node, name, value string) {
		if name == "style" || strings.HasPrefix(name, "on") ||
			strings.HasPrefix(value, "javascript:") {
			t.Errorf("%s: <%s %s=%q>", o.path, n.Data, name, value)
		}
	})
}

// hashOf returns the source expression of a content: CSP 3, section 2.3.1.
func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// wantIDs checks that ids are unique and that labels and links within the page have their goals.
func (o opened) wantIDs(t *testing.T) {
	t.Helper()
	ids := map[string]bool{}
	o.attributes(func(n *html.Node, name, value string) {
		if name == "id" {
			if ids[value] {
				t.Errorf("%s: two elements have the id %s", o.path, value)
			}
			ids[value] = true
		}
	})
	o.attributes(func(n *html.Node, name, value string) {
		goal, within := strings.CutPrefix(value, "#")
		if name == "for" || name == "aria-labelledby" || name == "aria-controls" ||
			name == "aria-describedby" || name == "href" && within {
			for id := range strings.FieldsSeq(goal) {
				if !ids[id] {
					t.Errorf("%s: <%s %s=%q> has no goal", o.path, n.Data, name, value)
				}
			}
		}
	})
}

func (o opened) wantHeaders(t *testing.T) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := o.header.Get(name); got != want {
			t.Errorf("%s: %s: %q, want %q", o.path, name, got, want)
		}
	}
	if o.header.Get("X-Request-Id") == "" || o.header.Get("Set-Cookie") != "" {
		t.Errorf("%s: headers %v, want X-Request-Id and no cookie", o.path, o.header)
	}
	geolocation := "geolocation=()"
	if strings.HasPrefix(o.path, "/stations/near") {
		geolocation = "geolocation=(self)"
	}
	if got := o.header.Get("Permissions-Policy"); !strings.Contains(got, geolocation) {
		t.Errorf("%s: Permissions-Policy: %q, want %s", o.path, got, geolocation)
	}
	got, vary := o.header.Get("Cache-Control"), strings.Join(o.header["Vary"], ",")
	switch {
	case o.status != http.StatusOK:
		if got != "no-store" || !strings.Contains(vary, "Accept") {
			t.Errorf("%s: Cache-Control %q, Vary %q, want no-store and Accept", o.path, got, vary)
		}
	case strings.Contains(o.path, "lat="):
		if got != "private, no-store" {
			t.Errorf("%s: Cache-Control %q, want private: the address has a position", o.path, got)
		}
	default:
		if !o.cachedByAll() || !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("%s: Cache-Control %q, Vary %q, want public", o.path, got, vary)
		}
		for name := range o.header {
			if strings.HasPrefix(name, "X-Ratelimit") || strings.HasPrefix(name, "X-Quota") {
				t.Errorf("%s: has %s, which belongs to one caller", o.path, name)
			}
		}
	}
}

// filesOfAll are files for crawlers and of a station.
var filesOfAll = []string{
	"/", "/stations", "/stations/8443970", "/stations/8443970?days=31", "/robots.txt",
	"/status", "/verification", "/verification.svg",
	"/privacy", "/sitemap.xml", "/llms.txt", "/favicon.svg", "/favicon.ico",
	"/stations/suggest?q=bo",
	"/stations/8443970/tide.svg", "/stations/8443970/tide.png", "/stations/8443970/tide.ics",
	"/docs", "/docs/rest/getPredictions", "/docs/rest/getPredictions.md", "/docs/search?q=tide",
}

// TestPagesOnTheWire checks encodings, revalidation and HEAD.
func TestPagesOnTheWire(t *testing.T) {
	p := product.Mounted(t)
	for _, path := range filesOfAll {
		o := open(t, p.URL, path)
		tag := o.header.Get("Etag")
		if o.status != http.StatusOK || !strings.HasPrefix(tag, `W/"`) || !o.cachedByAll() {
			t.Errorf("%s: %d, ETag %s, %s", path, o.status, tag, o.header.Get("Cache-Control"))
		}
		for coding, decode := range decoders {
			c := open(t, p.URL, path, "Accept-Encoding", coding)
			if c.header.Get("Content-Encoding") != coding && len(o.body) > 2000 {
				t.Errorf("%s: not encoded as %s", path, coding)
				continue
			}
			if c.header.Get("Content-Encoding") == coding && decode(t, c.body) != o.body {
				t.Errorf("%s: %s decodes to another body", path, coding)
			}
			if c.header.Get("Etag") != tag {
				t.Errorf("%s: ETag %s with %s, want %s", path, c.header.Get("Etag"), coding, tag)
			}
		}
		if c := open(t, p.URL, path, "If-None-Match", `"x", `+tag); c.status != http.StatusNotModified ||
			c.body != "" ||
			c.header.Get("Cache-Control") != o.header.Get("Cache-Control") {
			t.Errorf("%s with its ETag: %d, %d bytes, %v", path, c.status, len(c.body), c.header)
		}
		head := openBy(t, http.MethodHead, p.URL, path, "Accept", browser)
		if head.status != http.StatusOK || head.body != "" ||
			head.header.Get("Content-Length") != o.header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d %v", path, head.status, head.header)
		}
		post := openBy(t, http.MethodPost, p.URL, path)
		if post.status != http.StatusMethodNotAllowed || post.header.Get("Allow") != "GET, HEAD" ||
			!strings.Contains(post.body, `"method_not_allowed"`) {
			t.Errorf(
				"POST %s: %d, Allow %q, %s",
				path,
				post.status,
				post.header.Get("Allow"),
				post.body,
			)
		}
	}
}

var decoders = map[string]func(*testing.T, string) string{
	"gzip": func(t *testing.T, body string) string {
		r, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(plain)
	},
	"zstd": func(t *testing.T, body string) string {
		r, err := zstd.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		plain, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(plain)
	},
}

// TestPageAddresses checks which addresses belong to pages, and how others are written.
func TestPageAddresses(t *testing.T) {
	p := product.Mounted(t)
	for _, c := range []struct {
		path   string
		status int
		to     string
	}{
		{"/stations/", 308, "/stations"},
		{"/stations//", 308, "/stations"},
		{"/stations/near/?lat=1&lon=2", 308, "/stations/near?lat=1&lon=2"},
		{"/stations/8443970/", 308, "/stations/8443970"},
		{"/stations/act1206", 308, "/stations/ACT1206"},
		{"/stations/act1206?units=metric", 308, "/stations/ACT1206?units=metric"},
		{"/stations/tpt2705/tide.png?scale=2", 308, "/stations/TPT2705/tide.png?scale=2"},
		{"/stations/tpt2705/tide.ics", 308, "/stations/TPT2705/tide.ics"},
		{"/stations/a%3Fb/", 308, "/stations/a%3Fb"},
		{"/stations?q=8443970", 303, "/stations/8443970"},
		{"/stations?q=act1206", 303, "/stations/ACT1206"},
		{"/stations?q=9063020", 303, "/stations/9063020"},
		{"/robots.txt/", 308, "/robots.txt"},
		{"/status/", 308, "/status"},
	} {
		o := open(t, p.URL, c.path)
		if got := o.header.Get("Location"); o.status != c.status || got != c.to {
			t.Errorf("%s: %d %s, want %d %s", c.path, o.status, got, c.status, c.to)
		}
	}
	for _, path := range []string{
		"/register", "/authorize", "/token", "//", "/stationsx", "/stations.json", "/index.html",
		"/.env", "/sitemap.xml.gz", "/home", "/near",
	} {
		program := openBy(t, http.MethodGet, p.URL, path, "Accept", "application/json")
		for who, o := range map[string]opened{
			"application/json": program, "text/html": open(t, p.URL, path),
		} {
			if o.status != 404 || !strings.HasPrefix(o.header.Get("Content-Type"), who) ||
				!slices.Contains(o.header["Vary"], "Accept") {
				t.Errorf("%s for %s: %d %v", path, who, o.status, o.header)
			}
		}
		if !strings.Contains(program.body, `"not_found"`) {
			t.Errorf("%s for a program: %s", path, program.body)
		}
	}
	missing := openBy(t, "GET", p.URL, "/stations/bosotn", "Accept", "*/*")
	if missing.status != 404 || !strings.Contains(missing.body, `"station_not_found"`) {
		t.Errorf("an unknown station for a program: %d %s", missing.status, missing.body)
	}
}

// TestPageParameters checks that unknown parameters are ignored and bad values named.
func TestPageParameters(t *testing.T) {
	p := product.Mounted(t)
	const station = "/stations/8443970"
	plain := open(t, p.URL, station)
	same := open(t, p.URL, station+"?utm_source=x&fbclid=y&days=2&units=english")
	if same.body != plain.body {
		t.Error("unknown parameters and defaults change the page")
	}
	for _, c := range []struct{ query, notice string }{
		{"?units=feet", "units=feet was ignored: units takes english or nautical or metric."},
		{"?clock=13", "clock=13 was ignored: clock takes 12 or 24."},
		{"?zone=EST", "zone=EST was ignored: zone takes local or gmt."},
		{"?date=yesterday", "date=yesterday was ignored: date takes a day from 1901 to 2099"},
		{"?date=1700-01-01", "date=1700-01-01 was ignored: date takes a day from 1901 to 2099"},
		{"?days=8", "days=8 was ignored: days takes 1 to 7, or 31"},
		{"?datum=CRD", "datum=CRD was ignored: datum takes a datum of this station."},
		{"?datum=%3Cscript%3E", "datum=<script> was ignored"},
		{"?units=%FF%FE" + strings.Repeat("x", 5000), "was ignored: units takes"},
	} {
		o := open(t, p.URL, station+c.query)
		if words := o.words(); o.status != 200 || !strings.Contains(words, c.notice) ||
			!strings.Contains(words, "Next low water") {
			t.Errorf("%s: %d without %q", c.query, o.status, c.notice)
		}
		if len(o.body) > len(plain.body)+1000 {
			t.Errorf("%.20s: %d bytes, want about the %d of the plain page", c.query, len(o.body),
				len(plain.body))
		}
	}
}

// TestPageLinks checks that links are built from the base address, never from Host, and that
// every address of the site that pages have is served.
func TestPageLinks(t *testing.T) {
	p := product.Mounted(t)
	seen, stations := map[string]string{}, 0
	for _, c := range pagesOfAll {
		o := open(t, p.URL, c.path, "Host", "tides.example.org")
		if strings.Contains(o.body, strings.TrimPrefix(p.URL, "http://")) {
			t.Errorf("%s has the address that the request was sent to", c.path)
		}
		o.attributes(func(n *html.Node, name, value string) {
			if name != "href" && name != "src" && name != "action" {
				return
			}
			u, err := url.Parse(value)
			switch {
			case err != nil:
				t.Errorf("%s: <%s %s=%q>: %v", c.path, n.Data, name, value, err)
			case u.Scheme == "data" || u.Scheme == "vscode" || u.Scheme == "cursor":
			case u.Host == "tides.example.org":
				seen[u.RequestURI()] = c.path
			case u.Host == "" && u.Path != "":
				seen[u.RequestURI()] = c.path
			case u.Host != "" && u.Scheme != "https":
				t.Errorf("%s: a link to %s", c.path, value)
			}
		})
	}
	for address, from := range seen {
		if strings.HasPrefix(address, "/stations/") {
			if stations++; stations > 60 {
				continue
			}
		}
		if o := open(t, p.URL, address); o.status >= 400 {
			t.Errorf("%s links to %s: %d", from, address, o.status)
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d links, want many", len(seen))
	}
}

// TestPageCanonical checks the addresses in the head of pages.
func TestPageCanonical(t *testing.T) {
	p := product.Mounted(t)
	for path, want := range map[string]string{
		"/?x=y": "/", "/stations/8443970?days=3": "/stations/8443970",
		"/stations/near?lat=1&lon=1": "/stations/near",
	} {
		o := open(t, p.URL, path, "Host", "127.0.0.1")
		want = `<link rel="canonical" href="http://tides.example.org` + want + `">`
		if !strings.Contains(o.body, want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
	const image = `<meta property="og:image" content="http://tides.example.org/stations/8443970/tide.png">`
	if o := open(t, p.URL, "/stations/8443970"); !strings.Contains(o.body, image) {
		t.Errorf("the page of a station lacks %s", image)
	}
}

// compressed returns the length of a body as the program sends it to a browser.
func (o opened) compressed(t *testing.T, base string) int {
	t.Helper()
	most := 0
	for _, coding := range []string{"gzip", "zstd"} {
		most = max(most, len(open(t, base, o.path, "Accept-Encoding", coding).body))
	}
	return most
}

// TestPageBudgets checks the bytes of pages: fewer than a photograph, so that they open on a
// weak signal.
func TestPageBudgets(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	for _, c := range []struct {
		path      string
		sent, raw int
	}{
		{"/", 14_000, 50_000},
		{"/stations", 14_000, 50_000},
		{"/stations?state=AK", 14_000, 50_000},
		{"/stations/near", 14_000, 50_000},
		{"/stations/8443970", 22_000, 84_000},
		{"/stations/ACT1206", 22_000, 90_000},
		{"/stations/9063020", 22_000, 90_000},
		{"/stations/8443970?days=31", 16_000, 60_000},
		{"/stations/ACT1206?days=31", 16_000, 60_000},
		{"/stations/8443970/year/2027", 24_000, 300_000},
		{"/planning", 14_000, 50_000},
		{"/planning/low-tide", 14_000, 50_000},
		{"/planning/low-tide?place=half+moon+bay", 14_000, 60_000},
		{"/planning/slack?place=deception+pass", 14_000, 60_000},
		{"/planning/passage?place=deception+pass&days=30", 16_000, 80_000},
		{"/planning/route?station1=PUG1701&distance1=1&station2=PUG1717&days=30", 16_000, 80_000},
		{"/planning/king-tides?place=Boston", 14_000, 60_000},
		{"/planning/springs?place=Boston&days=365", 16_000, 80_000},
		{"/stations/8443970/tide.svg", 4_000, 12_000},
		{"/stations/8443970/tide.png", 25_000, 25_000},
		{"/status", 14_000, 50_000},
		{"/verification", 14_000, 50_000},
		{"/privacy", 14_000, 50_000},
		{"/llms.txt", 14_000, 50_000},
	} {
		o := open(t, p.URL, c.path)
		sent := o.compressed(t, p.URL)
		t.Logf("%s: %d bytes sent, %d raw", c.path, sent, len(o.body))
		if o.status != 200 || sent > c.sent || len(o.body) > c.raw {
			t.Errorf(
				"%s: %d, %d bytes sent, %d raw, want at most %d and %d",
				c.path,
				o.status,
				sent,
				len(o.body),
				c.sent,
				c.raw,
			)
		}
	}
	o := open(t, p.URL, "/stations/8443970")
	for _, c := range []struct {
		name      string
		sent, raw int
	}{{"style", 4_500, 16_000}, {"script", 2_500, 7_000}} {
		m := regexp.MustCompile(`(?s)<` + c.name + `[^>]*>(.*?)</` + c.name + `>`).
			FindStringSubmatch(o.body)
		if m == nil {
			t.Errorf("no %s", c.name)
			continue
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, m[1])
		w.Close()
		t.Logf("%s: %d compressed, %d raw", c.name, b.Len(), len(m[1]))
		if b.Len() > c.sent || len(m[1]) > c.raw {
			t.Errorf(
				"%s: %d compressed, %d raw, want at most %d and %d",
				c.name,
				b.Len(),
				len(m[1]),
				c.sent,
				c.raw,
			)
		}
	}
}
