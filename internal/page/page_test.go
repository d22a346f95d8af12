package page

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

type greeting struct{ Name string }

// greet returns a page made of two files.
func greet(main string) *Page[greeting] {
	return New[greeting](fstest.MapFS{
		"greet.html": {
			Data: []byte(`{{define "title"}}Hello{{end}}{{define "main"}}` + main + `{{end}}`),
		},
		"name.html": {
			Data: []byte(`{{define "name"}}<h1>{{.Name}}</h1>{{end}}`),
		},
	}, "greet.html", "name.html")
}

func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	greet(`{{template "name" .}}`).Write(w, http.StatusAccepted, greeting{"<b>Ann</b>"})
	body := w.Body.String()
	if w.Code != http.StatusAccepted || w.Header().Get("Content-Length") != strconv.Itoa(len(body)) {
		t.Errorf("status %d, length %s of %d", w.Code, w.Header().Get("Content-Length"), len(body))
	}
	for _, want := range []string{
		"<title>Hello – Leadline</title>", "<h1>&lt;b&gt;Ann&lt;/b&gt;</h1>",
		`<body class="form">`, "width=device-width",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	for _, refused := range []string{"<script", "<b>", "http://", "https://", "@import", "url("} {
		if strings.Contains(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""), refused) {
			t.Errorf("the page has %s", refused)
		}
	}
}

func TestShape(t *testing.T) {
	w := httptest.NewRecorder()
	greet(`{{end}}{{define "shape"}}text`).Write(w, http.StatusOK, greeting{})
	if got := w.Body.String(); !strings.Contains(got, `<body class="text">`) {
		t.Errorf("a page of text is %s", got)
	}
}

// TestWriteFault checks that a template that does not fit the data writes
// nothing, instead of half a page with status 200.
func TestWriteFault(t *testing.T) {
	w := httptest.NewRecorder()
	defer func() {
		if recover() == nil || w.Body.Len() > 0 || len(w.Header()) > 0 {
			t.Errorf("wrote %d %v %q", w.Code, w.Header(), w.Body)
		}
	}()
	greet(`<h1>{{.Name}}</h1>{{.Absent}}`).Write(w, http.StatusOK, greeting{"Ann"})
}

// TestCase13StoresNothingTellsNobody checks that no page is stored or sends a
// referrer. This includes error pages.
func TestCase13StoresNothingTellsNobody(t *testing.T) {
	for name, h := range everyHeader() {
		for header, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := h.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

// TestCase17NobodyFramesIt checks that pages cannot be framed, and load only their style.
func TestCase17NobodyFramesIt(t *testing.T) {
	for name, h := range everyHeader() {
		if got := h.Get("X-Frame-Options"); got != "DENY" {
			t.Errorf("%s: X-Frame-Options is %q", name, got)
		}
		if got := h.Get("Cross-Origin-Opener-Policy"); got != "" {
			t.Errorf("%s: Cross-Origin-Opener-Policy is %q, want none: windows report to clients",
				name, got)
		}
		want := "default-src 'none'; style-src " + styleSource() + "; img-src data:; " +
			"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
		if got := h.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: the policy is\n%s, want\n%s", name, got, want)
		}
	}
}

// everyHeader returns the headers of each kind of page.
func everyHeader() map[string]http.Header {
	out := map[string]http.Header{}
	for name, write := range map[string]func(http.ResponseWriter){
		"page":      func(w http.ResponseWriter) { greet("").Write(w, http.StatusOK, greeting{}) },
		"error":     func(w http.ResponseWriter) { Error(w, http.StatusBadRequest, "No") },
		"not found": NotFound,
	} {
		w := httptest.NewRecorder()
		write(w)
		out[name] = w.Header()
	}
	return out
}

// TestStyleIsAllowed checks that the hash in the policy matches the style
// element in the page.
func TestStyleIsAllowed(t *testing.T) {
	w := httptest.NewRecorder()
	NotFound(w)
	_, rest, _ := strings.Cut(w.Body.String(), "<style>")
	written, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(written))
	want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if styleSource() != want || len(written) < 1000 {
		t.Errorf("the policy has %s, the page %s of %d bytes", styleSource(), want, len(written))
	}
	refused := regexp.MustCompile(`\son\w+=|\sstyle=`)
	for _, attribute := range refused.FindAllString(w.Body.String(), -1) {
		t.Errorf("the policy refuses the attribute %s", attribute)
	}
}

// TestCase18FormsMayLeadToTargets checks that the policy contains the targets
// of forms, and that no URL can add directives to it.
func TestCase18FormsMayLeadToTargets(t *testing.T) {
	for address, want := range map[string]string{
		"https://claude.ai/api/mcp/auth_callback":     " https://claude.ai",
		"https://example.org:8443/cb?x=1":             " https://example.org:8443",
		"http://localhost:7777/oauth/callback":        " http://localhost:7777",
		"http://127.0.0.1:53211/cb":                   " http://127.0.0.1:53211",
		"http://[::1]:53211/cb":                       " http:", // a policy cannot name IPv6 addresses
		"cursor://anysphere.cursor-mcp/oauth":         " cursor:",
		"com.example.app:/cb":                         " com.example.app:",
		"https:":                                      " https:",
		"https://a;script-src/":                       " https:",
		"https://a,b/":                                " https:",
		"https://*/":                                  " https:",
		"https://user:secret@example.org/":            " https://example.org",
		"x; script-src 'unsafe-inline':y":             "",
		"https://a b/":                                "",
		"https://example.org/\r\nSet-Cookie: a=b":     "",
		"/oauth/consent":                              "",
		"'unsafe-inline'":                             "",
		"":                                            "",
		"https://example.org/; frame-ancestors *; x=": " https://example.org",
	} {
		w := httptest.NewRecorder()
		greet("").Write(w, http.StatusOK, greeting{}, address)
		_, rest, _ := strings.Cut(w.Header().Get("Content-Security-Policy"), "form-action ")
		if got, _, _ := strings.Cut(rest, ";"); got != "'self'"+want {
			t.Errorf("%q: forms may lead to %q, want %q", address, got, "'self'"+want)
		}
		got := w.Header().Get("Content-Security-Policy")
		if strings.Count(got, ";") != 5 || strings.ContainsAny(got, ",\r\n") {
			t.Errorf("%q: the policy is %s", address, got)
		}
	}
	w := httptest.NewRecorder()
	targets := []string{"https://claude.ai/cb", "https://id.example.org/authorize"}
	greet("").Write(w, http.StatusOK, greeting{}, targets...)
	got := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(got, "form-action 'self' https://claude.ai https://id.example.org;") {
		t.Errorf("two targets: %s", got)
	}
}

func TestError(t *testing.T) {
	w := httptest.NewRecorder()
	Error(w, http.StatusGone, "<i>Over</i>", "It ended.", "Ask <again>.")
	for _, want := range []string{
		"<title>&lt;i&gt;Over&lt;/i&gt; – Leadline</title>", "<h1>&lt;i&gt;Over&lt;/i&gt;</h1>",
		"<p>It ended.</p>\n<p>Ask &lt;again&gt;.</p>",
	} {
		if w.Code != http.StatusGone || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, no %s", w.Code, want)
		}
	}
	w = httptest.NewRecorder()
	if NotFound(w); w.Code != http.StatusNotFound ||
		!strings.Contains(w.Body.String(), "<h1>There is no such page</h1>") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

// TestContrast checks both sets of colors against WCAG 2.2, criteria 1.4.3 and
// 1.4.11, level AA.
func TestContrast(t *testing.T) {
	light, dark, ok := strings.Cut(style, "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("there is one set of colors")
	}
	dark, _, _ = strings.Cut(dark, "\n}\n") // the end of the dark set
	sets := map[string]map[string]float64{"light": luminances(light), "dark": luminances(dark)}
	for name, set := range sets {
		for _, pair := range []struct {
			on   string
			fore string
			want float64
		}{
			{"ground sheet sunk", "ink soft deep over", 4.5},
			{"sheet sunk", "fault", 4.5},
			{"deep over", "on-deep", 4.5},
			{"care-ground", "care", 4.5},
			{"good-ground", "good", 4.5},
			{"fault-ground", "fault", 4.5},
			{"sheet sunk", "edge", 3},
		} {
			for on := range strings.FieldsSeq(pair.on) {
				for fore := range strings.FieldsSeq(pair.fore) {
					if got := contrast(set[fore], set[on]); got < pair.want || set[fore] == set[on] {
						t.Errorf("%s: %s on %s has %.2f, want %v", name, fore, on, got, pair.want)
					}
				}
			}
		}
	}
}

var color = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2});`)

// luminances returns the relative luminances of the custom properties of a style
// (WCAG 2.2, "relative luminance").
func luminances(css string) map[string]float64 {
	out := map[string]float64{}
	for _, m := range color.FindAllStringSubmatch(css, -1) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v, _ := strconv.ParseUint(m[2+i], 16, 8)
			c := float64(v) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			out[m[1]] += weight * c
		}
	}
	return out
}

// contrast returns the ratio of two luminances (WCAG 2.2, "contrast ratio").
func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
