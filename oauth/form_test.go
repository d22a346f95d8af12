package oauth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/edge"
	"leadline/internal/login"
	"leadline/internal/login/logintest"
)

// TestOverloadedForms checks that a form that exceeds the server's memory
// budget is not reported as malformed.
func TestOverloadedForms(t *testing.T) {
	b := newBench(t)
	const form, object = "application/x-www-form-urlencoded", "application/json"
	for _, test := range []struct{ path, kind, body, want string }{
		{tokenPath, form, "grant_type=refresh_token", `"error":"temporarily_unavailable"`},
		{revokePath, form, "token=x", `"error":"temporarily_unavailable"`},
		{registerPath, object, "{}", `"error":"temporarily_unavailable"`},
		{login.Path, form, "email=a@example.org", "The server is busy"},
	} {
		r := httptest.NewRequest(http.MethodPost, b.Site.Base+test.path, strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.kind)
		w := httptest.NewRecorder()
		load := edge.NewLoad(edge.LoadConfig{InFlight: 1}, b.Now)
		load.Limit(logintest.Handler(b.routes, NotPublished)).ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" ||
			!strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %v %s, want 503 and %s", test.path, w.Code, w.Header(), w.Body, test.want)
		}
	}
}
