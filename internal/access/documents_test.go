package access_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"leadline/internal/access/limit"
	"leadline/internal/coast"
)

// TestCountDocument checks the rate limit of documents for an address and for a group of
// shared addresses, and that documents do not count as API requests.
func TestCountDocument(t *testing.T) {
	d := newGroupEndpoint(t,
		readGroups(t, `[{"name": "hosts", "networks": ["198.51.100.0/24"], "perMinute": 400}]`))
	documents := d.Wrap(limit.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.CountDocument(r.Context()); err != nil {
			coast.WriteError(w, err)
		}
	}))
	send := func(address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		documents.ServeHTTP(w, request(address))
		return w
	}
	for _, test := range []struct {
		first, second  string // addresses that share a limit
		documents, api int    // their rate limits
	}{
		{"192.0.2.1:1", "192.0.2.1:2", 300, 30},
		{"[2001:db8::1]:1", "[2001:db8::2]:1", 300, 30},
		{"198.51.100.1:1", "198.51.100.2:1", 400, 400},
	} {
		for i := range test.documents {
			if w := send(test.first); w.Code != 200 || figure(t, w, "X-RateLimit-Remaining") != test.api {
				t.Fatalf("%s, document %d: %d %v", test.first, i+1, w.Code, w.Header())
			}
		}
		w := send(test.second)
		limit, remaining, retry := figure(t, w, "X-RateLimit-Limit"),
			figure(t, w, "X-RateLimit-Remaining"), figure(t, w, "Retry-After")
		if w.Code != 429 || limit != test.documents || remaining != 0 || retry < 1 || retry > 61 {
			t.Errorf("%s: %d, %d of %d, Retry-After %d, want 429",
				test.second, w.Code, remaining, limit, retry)
		}
		if w := d.send(request(test.second)); w.Code != 200 ||
			figure(t, w, "X-RateLimit-Remaining") != test.api-1 {
			t.Errorf("%s at the API: %d %v, want %d left", test.second, w.Code, w.Header(), test.api-1)
		}
	}
}

// TestCountCalendar checks that calendars have a rate limit of their own, which neither documents
// nor the API share.
func TestCountCalendar(t *testing.T) {
	d := newGroupEndpoint(t, readGroups(t, `[]`))
	counted := func(count func(context.Context) error) http.Handler {
		return d.Wrap(limit.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := count(r.Context()); err != nil {
				coast.WriteError(w, err)
			}
		}))
	}
	calendars, documents := counted(d.CountCalendar), counted(d.CountDocument)
	send := func(h http.Handler) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("192.0.2.1:1"))
		return w
	}
	for i := range 300 {
		if w := send(calendars); w.Code != 200 {
			t.Fatalf("calendar %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	if w := send(calendars); w.Code != 429 || figure(t, w, "X-RateLimit-Limit") != 300 {
		t.Errorf("calendar 301: %d %v, want 429", w.Code, w.Header())
	}
	if w := send(documents); w.Code != 200 || figure(t, w, "X-RateLimit-Remaining") != 30 {
		t.Errorf("a document: %d %v, want 200 and the whole limit of the API", w.Code, w.Header())
	}
}
