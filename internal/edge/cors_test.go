package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// public is an operation as a door would serve it.
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

// TestPreflight holds what a browser is told that asks beforehand: it may not
// send a credential of any kind.
func TestPreflight(t *testing.T) {
	w := askPublic("OPTIONS", http.Header{"Origin": {"https://example.org"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"}})
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":      "*",
		"Access-Control-Allow-Credentials": "",
		"Access-Control-Allow-Methods":     "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers":     "Content-Type, If-None-Match, X-Request-Id, Mcp-Protocol-Version",
		"Access-Control-Max-Age":           "7200",
		"Allow":                            "GET, HEAD, OPTIONS",
		"Content-Type":                     "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if w.Code != http.StatusNoContent || w.Body.Len() != 0 {
		t.Errorf("answered %d %s, want 204", w.Code, w.Body)
	}
}

// TestPublic: a page of any origin can read an answer and its headers, also
// that of an error, and whether or not it says where it comes from.
func TestPublic(t *testing.T) {
	for _, header := range []http.Header{nil, {"Origin": {"null"}}, {"Origin": {"https://example.org"}}} {
		w := askPublic("GET", header)
		h := w.Header()
		if w.Code != 429 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != "" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("answered %d %v", w.Code, h)
		}
		for _, name := range []string{"X-Request-Id", "X-RateLimit-Remaining", "X-Quota-Month-Reset", "X-Quota-Warning", "Retry-After", "ETag", "WWW-Authenticate"} {
			if !strings.Contains(", "+h.Get("Access-Control-Expose-Headers")+",", ", "+name+",") {
				t.Errorf("%s is not exposed: %s", name, h.Get("Access-Control-Expose-Headers"))
			}
		}
	}
}
