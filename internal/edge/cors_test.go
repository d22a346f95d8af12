package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// public serves an operation as a front end does.
func public(w http.ResponseWriter, r *http.Request) {
	if Public(w, r, "GET", "HEAD") {
		return
	}
	coast.WriteError(w, coast.Errorf(coast.RateLimited, "slow down"))
}

func askPublic(method string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/api/v1/stations", nil)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	public(w, r)
	return w
}

// TestPreflight checks the response to a preflight request. Pages may not send
// any kind of credential.
func TestPreflight(t *testing.T) {
	w := askPublic("OPTIONS", http.Header{
		"Origin":                         {"https://example.org"},
		"Access-Control-Request-Method":  {"GET"},
		"Access-Control-Request-Headers": {"authorization"},
	})
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":      "*",
		"Access-Control-Allow-Credentials": "",
		"Access-Control-Allow-Methods":     "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers": "Content-Type, If-None-Match, X-Request-Id, " +
			"Mcp-Protocol-Version, Leadline-Version",
		"Access-Control-Max-Age": "7200",
		"Allow":                  "GET, HEAD, OPTIONS",
		"Content-Type":           "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if w.Code != http.StatusNoContent || w.Body.Len() != 0 {
		t.Errorf("got %d %s, want 204", w.Code, w.Body)
	}
}

// TestPublic checks that a page of any origin can read a response and its
// headers, with or without an Origin header. This includes errors.
func TestPublic(t *testing.T) {
	exposed := []string{
		"X-Request-Id", "X-RateLimit-Remaining", "X-Quota-Month-Reset", "X-Quota-Warning",
		"Retry-After", "ETag", "WWW-Authenticate", "Leadline-Version", "Deprecation", "Sunset", "Link",
	}
	origins := []http.Header{nil, {"Origin": {"null"}}, {"Origin": {"https://example.org"}}}
	for _, header := range origins {
		w := askPublic("GET", header)
		h := w.Header()
		if w.Code != 429 || h.Get("Access-Control-Allow-Origin") != "*" ||
			h.Get("Access-Control-Allow-Methods") != "" ||
			h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("got %d %v", w.Code, h)
		}
		for _, name := range exposed {
			if !strings.Contains(", "+h.Get("Access-Control-Expose-Headers")+",", ", "+name+",") {
				t.Errorf("%s is not exposed: %s", name, h.Get("Access-Control-Expose-Headers"))
			}
		}
	}
}
