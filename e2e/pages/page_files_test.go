package pages

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/config"
	"leadline/internal/operation"
)

// property is a line of a calendar: RFC 5545, section 3.1.
type property struct{ name, value string }

// readCalendar reads a calendar by the rules of RFC 5545: lines end in CRLF and have at most 75
// octets, components are nested, properties that must occur once do. It returns the events.
func readCalendar(t *testing.T, text string) []map[string]string {
	t.Helper()
	if bare := strings.ReplaceAll(text, "\r\n", ""); !strings.HasSuffix(text, "\r\n") ||
		strings.ContainsAny(bare, "\r\n") {
		t.Fatal("lines do not end in CRLF")
	}
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 {
			t.Fatalf("a line of %d octets: %s", len(line), line)
		}
	}
	name := regexp.MustCompile(`^[A-Z0-9-]+(;[A-Z-]+=[^:;"]+)*$`)
	var stack []string
	var events []map[string]string
	seen := map[string]string{}
	unfolded := strings.NewReplacer("\r\n ", "", "\r\n\t", "").Replace(text)
	for line := range strings.SplitSeq(strings.TrimSuffix(unfolded, "\r\n"), "\r\n") {
		left, value, ok := strings.Cut(line, ":")
		if !ok || !name.MatchString(left) {
			t.Fatalf("not a property: %q", line)
		}
		p := property{strings.SplitN(left, ";", 2)[0], value}
		switch p.name {
		case "BEGIN":
			stack = append(stack, p.value)
			seen = map[string]string{}
		case "END":
			if len(stack) == 0 || stack[len(stack)-1] != p.value {
				t.Fatalf("END:%s within %v", p.value, stack)
			}
			if stack = stack[:len(stack)-1]; p.value == "VEVENT" {
				events = append(events, seen)
			}
		default:
			if _, twice := seen[p.name]; twice {
				t.Fatalf("%s occurs twice in %v", p.name, stack)
			}
			seen[p.name] = p.value
		}
		if slices.Contains([]string{"VERSION", "PRODID"}, p.name) && len(stack) != 1 {
			t.Fatalf("%s in %v", p.name, stack)
		}
	}
	if len(stack) > 0 {
		t.Fatalf("without an end: %v", stack)
	}
	return events
}

// unescaped returns a text of a calendar: RFC 5545, section 3.3.11.
func unescaped(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\,`, ",", `\;`, ";", `\n`, "\n", `\N`, "\n").
		Replace(value)
}

// TestCalendarOfTides compares the calendar of a station with the predictions over REST.
func TestCalendarOfTides(t *testing.T) {
	p := product.Mounted(t)
	o := open(t, p.URL, "/stations/8443970/tide.ics")
	if got := o.header.Get("Content-Type"); got != "text/calendar; charset=utf-8" {
		t.Errorf("type %s", got)
	}
	if got := o.header.Get("Cache-Control"); got != "public, max-age=43200" {
		t.Errorf("Cache-Control %s, want 12 hours", got)
	}
	events := readCalendar(t, o.body)
	var rest struct {
		Extremes []struct {
			Time   time.Time
			Height float64
			Type   string
		}
	}
	product.Decode(
		t,
		product.OverREST(
			t,
			p.URL+"/api/v1/stations/8443970/predictions?begin_date=2026-11-20T00:00"+
				"&hours=168&interval=hilo",
		),
		&rest,
	)
	if len(events) < 340 || len(events) > 352 || len(rest.Extremes) < 25 {
		t.Fatalf("%d events and %d extremes, want those of 90 and 7 days", len(events),
			len(rest.Extremes))
	}
	ids := map[string]bool{}
	for i, e := range events {
		if ids[e["UID"]] || e["UID"] == "" || e["TRANSP"] != "TRANSPARENT" {
			t.Errorf("event %v: UID must be unique", e)
		}
		ids[e["UID"]] = true
		if _, err := time.Parse("20060102T150405Z", e["DTSTAMP"]); err != nil {
			t.Error(err)
		}
		text := unescaped(e["DESCRIPTION"])
		if !strings.Contains(text, "MLLW (epoch 1983-2001)") ||
			!strings.HasSuffix(text, "Planning aid only. Not for navigation.") {
			t.Errorf("description %q", text)
		}
		if i >= len(rest.Extremes) {
			continue
		}
		want := rest.Extremes[i]
		at, err := time.Parse("20060102T150405Z", e["DTSTART"])
		if err != nil || !at.Equal(want.Time) {
			t.Errorf("event %d at %s, want %v", i, e["DTSTART"], want.Time)
		}
		kind := map[string]string{"high": "High", "low": "Low"}[want.Type]
		height := strings.Replace(fmt.Sprintf("%.1f", want.Height), "-", "\u2212", 1)
		summary := kind + " water " + height + "\u00a0ft, Boston, MA"
		if got := unescaped(e["SUMMARY"]); got != summary && want.Height > 0.05 {
			t.Errorf("summary %q, want %q", got, summary)
		}
	}
}

// TestCalendarUIDs checks that an event keeps its UID from day to day, in other units, and in
// another zone: clients would list it twice otherwise.
func TestCalendarUIDs(t *testing.T) {
	clock := product.Noon()
	p := product.Setup{Now: func() time.Time { return clock }, Offline: true}.Start(t)
	uids := func(query string) map[string]string {
		m := map[string]string{}
		for _, e := range readCalendar(t, open(t, p.URL, "/stations/8443970/tide.ics"+query).body) {
			m[e["DTSTART"]] = e["UID"]
		}
		return m
	}
	first := uids("")
	same := func(what string, other map[string]string) {
		t.Helper()
		shared := 0
		for at, uid := range other {
			if was, ok := first[at]; ok {
				if shared++; was != uid {
					t.Errorf("%s: the event at %s has UID %s, was %s", what, at, uid, was)
				}
			}
		}
		if shared < 300 {
			t.Errorf("%s: %d shared events", what, shared)
		}
	}
	same("metric", uids("?units=metric&clock=24"))
	same("nautical", uids("?units=nautical"))
	same("UTC", uids("?zone=gmt"))
	clock = clock.Add(31*time.Hour + 17*time.Minute)
	same("the next day", uids(""))
}

// TestPictures checks the pictures of the tide and their headers.
func TestPictures(t *testing.T) {
	p := product.Mounted(t)
	const path = "/stations/8443970/tide"
	sizes := map[string][2]int{}
	bodies := map[string]string{}
	for _, query := range []string{"", "?scale=2", "?theme=dark", "?scale=3", "?units=metric",
		"?units=nautical"} {
		o := open(t, p.URL, path+".png"+query)
		picture, err := png.Decode(strings.NewReader(o.body))
		if err != nil || o.header.Get("Content-Type") != "image/png" {
			t.Fatalf("%s: %v %v", query, err, o.header)
		}
		sizes[query] = [2]int{picture.Bounds().Dx(), picture.Bounds().Dy()}
		bodies[query] = o.body
	}
	if sizes[""] != [2]int{800, 400} || sizes["?scale=2"] != [2]int{1600, 800} ||
		sizes["?scale=3"] != sizes[""] || bodies["?scale=3"] != bodies[""] {
		t.Errorf("sizes %v, want 800 x 400, or twice that with scale=2", sizes)
	}
	if bodies["?theme=dark"] == bodies[""] || bodies["?units=metric"] == bodies[""] {
		t.Error("the theme or the units do not change the picture")
	}
	if bodies["?units=nautical"] != bodies["?units=metric"] {
		t.Error("heights in nautical are not drawn in meters")
	}
	svg := open(t, p.URL, path+".svg")
	if err := xml.Unmarshal([]byte(svg.body), new(struct{})); err != nil {
		t.Errorf("tide.svg: %v", err)
	}
	for _, o := range []opened{svg, open(t, p.URL, path+".png")} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin",
			"Cache-Control": "public, max-age=60",
		} {
			if got := o.header.Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", o.path, name, got, want)
			}
		}
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(svg.body)
	if style == nil {
		t.Fatal("tide.svg has no style")
	}
	want := "default-src 'none'; style-src " + hashOf(style[1]) + "; sandbox"
	if got := svg.header.Get("Content-Security-Policy"); got != want {
		t.Errorf("policy of tide.svg: %s, want %s", got, want)
	}
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/stations/ACT1206/tide.png", 404}, {"/stations/9063020/tide.svg", 404},
		{"/stations/1234567/tide.ics", 404}, {"/stations/boston/tide.png", 404},
	} {
		o := open(t, p.URL, c.path)
		if o.status != c.status || !json.Valid([]byte(o.body)) ||
			o.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", c.path, o.status, o.body)
		}
	}
}

// TestPicturesHaveALimit checks that one address gets 30 different pictures a minute, and those
// in memory beyond that.
func TestPicturesHaveALimit(t *testing.T) {
	p := product.Mount(t)
	path := func(day int) string {
		return fmt.Sprintf("/stations/8443970/tide.svg?date=2026-10-%02d", day)
	}
	for day := 1; day <= 30; day++ {
		if o := open(t, p.URL, path(day)); o.status != 200 {
			t.Fatalf("picture %d: %d", day, o.status)
		}
	}
	if o := open(t, p.URL, path(31)); o.status != 429 || o.header.Get("Retry-After") != "60" {
		t.Errorf("picture 31: %d, Retry-After %q, want 429", o.status, o.header.Get("Retry-After"))
	}
	if o := open(t, p.URL, path(1)); o.status != 200 {
		t.Errorf("a picture from memory: %d", o.status)
	}
}

// TestCrawlers checks robots.txt, the list of pages and what models read.
func TestCrawlers(t *testing.T) {
	p := product.Mounted(t)
	robots := open(t, p.URL, "/robots.txt").body
	for _, want := range []string{
		"User-agent: *\n", "Disallow: /*?\n", "Disallow: /account\n", "Disallow: /oauth\n",
		"Disallow: /api\n", "Disallow: /mcp\n", "Allow: /mcp/server-card\n",
		"Allow: /api/planning/openapi.json\n", "Allow: /api/developer/openapi.json\n",
		"Sitemap: http://tides.example.org/sitemap.xml\n",
	} {
		if !strings.Contains(robots, want) {
			t.Errorf("robots.txt lacks %q: %s", want, robots)
		}
	}
	var list struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	decoder := xml.NewDecoder(strings.NewReader(open(t, p.URL, "/sitemap.xml").body))
	if err := decoder.Decode(&list); err != nil {
		t.Fatal(err)
	}
	if n := len(list.URLs); n < 5000 || n > 50_000 {
		t.Errorf("sitemap.xml lists %d pages", n)
	}
	seen := map[string]bool{}
	for i, u := range list.URLs {
		path, ok := strings.CutPrefix(u.Loc, "http://tides.example.org")
		if !ok || seen[path] || strings.Contains(path, "?") {
			t.Errorf("sitemap.xml lists %s", u.Loc)
		}
		if seen[path] = true; i < 5 || i%331 == 0 {
			if o := open(t, p.URL, path); o.status != 200 {
				t.Errorf("%s in sitemap.xml: %d", path, o.status)
			}
		}
	}
}

// TestTextForModels checks that what llms.txt names exists.
func TestTextForModels(t *testing.T) {
	p := product.Mounted(t)
	text := open(t, p.URL, "/llms.txt").body
	if !strings.HasPrefix(text, "# ") || !strings.Contains(text, "Not for\n> navigation.") {
		t.Errorf("llms.txt begins %.300s", text)
	}
	catalog := p.Tools().Catalog()
	all := slices.Clone(catalog)
	for _, set := range p.Tools().Toolsets() {
		all = append(all, set.Tools...)
	}
	for _, name := range regexp.MustCompile(`\b(noaa|nws|astro|leadline)_\w+`).FindAllString(text, -1) {
		if !slices.ContainsFunc(all, func(o operation.Tool) bool { return o.Name == name }) {
			t.Errorf("llms.txt names %s, which is not a tool", name)
		}
	}
	if want := fmt.Sprintf("%d tools", len(catalog)); !strings.Contains(text, want) {
		t.Errorf("llms.txt lacks %q", want)
	}
	links := regexp.MustCompile(`http://tides\.example\.org([^\s,)]*)`).
		FindAllStringSubmatch(text, -1)
	for _, link := range links {
		o := open(t, p.URL, link[1])
		mcp := strings.HasPrefix(link[1], "/mcp") // is for POST
		if o.status != 200 && !(mcp && o.status == 405) {
			t.Errorf("llms.txt links to %s: %d", link[1], o.status)
		}
	}
	if len(links) < 6 {
		t.Errorf("llms.txt has %d links", len(links))
	}
}

// TestPositionsAreNotLogged checks that a position is rounded, and is in no line of the log.
func TestPositionsAreNotLogged(t *testing.T) {
	log := &product.Journal{}
	p := product.Setup{Now: product.Noon, Offline: true, Log: log, With: func(c *config.Config) {
		c.LogLevel = -8 // everything
	}}.Start(t)
	o := open(t, p.URL, "/stations/near?lat=42.357913&lon=-71.051379")
	o.says(t, []string{"Stations near 42.360° N, 71.050° W", "8443970 · bay tide"}, nil)
	open(t, p.URL, "/stations/near?lat=x42.357913&lon=-71.051379")
	if strings.Contains(o.body, "42.357913") {
		t.Error("the page has the position unrounded")
	}
	p.Stop()
	if text := log.String(); !strings.Contains(text, "/stations/near") ||
		strings.Contains(text, "42.3") || strings.Contains(text, "71.05") {
		t.Errorf("the log has a position, or no line of the request:\n%s", text)
	}
	if got := o.header.Get("Referrer-Policy"); got != "no-referrer" &&
		!strings.HasPrefix(got, "strict-origin") {
		t.Errorf("Referrer-Policy %s lets other sites learn the position", got)
	}
}

// TestSuggestions checks the list for the script.
func TestSuggestions(t *testing.T) {
	p := product.Mounted(t)
	for query, want := range map[string]string{
		"b": "[]", "": "[]", "zzzzzz": "[]",
	} {
		if o := open(t, p.URL, "/stations/suggest?q="+query); o.body != want {
			t.Errorf("suggestions for %q: %s, want %s", query, o.body, want)
		}
	}
	o := open(t, p.URL, "/stations/suggest?q=bost")
	var list []map[string]string
	product.Decode(t, o.body, &list)
	if len(list) == 0 || len(list) > 8 || list[0]["id"] != "8443970" ||
		list[0]["name"] != "Boston" {
		t.Errorf("suggestions: %s", o.body)
	}
	for query, want := range map[string]map[string]string{
		"chica":        {"name": "Chicago", "kind": "town", "page": "/stations?q=Chicago%2C+IL"},
		"long+bea":     {"name": "Long Beach", "page": "/stations?q=Long+Beach%2C+CA"},
		"sf":           {"name": "San Francisco", "page": "/stations?q=San+Francisco%2C+CA"},
		"77550":        {"name": "77550", "kind": "ZIP code", "page": "/stations?q=77550"},
		"94019":        {"name": "Half Moon Bay", "page": "/stations?q=Half+Moon+Bay%2C+CA"},
		"half+moon":    {"name": "Half Moon Bay", "page": "/stations?q=Half+Moon+Bay%2C+CA"},
		"pawleys+isl":  {"name": "Pawleys Island Pier (Ocean)", "kind": "tide", "id": "8662006"},
		"nantucket+so": {"name": "Nantucket Sound", "kind": "water"},
	} {
		list = nil
		product.Decode(t, open(t, p.URL, "/stations/suggest?q="+query).body, &list)
		for key, value := range want {
			if len(list) == 0 || len(list) > 8 || list[0][key] != value {
				t.Errorf("suggestions for %q: %v, want %v first", query, list, want)
				break
			}
		}
	}
	page := open(t, p.URL, "/stations?q=Laguna+Beach").body
	if !strings.Contains(page, `"/stations?q=Laguna%20Beach%2c%20FL">Laguna Beach, FL</a>`) {
		t.Error("the other Laguna Beach is not a link")
	}
	if o.header.Get("Content-Type") != "application/json" {
		t.Errorf("type %s", o.header.Get("Content-Type"))
	}
}
