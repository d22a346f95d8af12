package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/access/credential"
)

// TestStoreFailure checks that the operations on an account's keys and usage return
// store_unavailable while the store is down. The key is in memory by then.
func TestStoreFailure(t *testing.T) {
	api := newGated(t)
	key := api.gate.Key(t, api.gate.Account(t, access.Pro))
	send := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/api/developer/"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w
	}
	if w := send("GET", "usage", ""); w.Code != http.StatusOK {
		t.Fatalf("GET usage: %d %s", w.Code, w.Body)
	}
	if err := api.gate.Store.Close(); err != nil {
		t.Fatal(err)
	}
	id, _ := credential.KeyID(key)
	for _, test := range []struct{ method, path, body string }{
		{"GET", "usage", ""},
		{"GET", "keys", ""},
		{"POST", "keys/revoke", `{"id":"` + id + `"}`},
	} {
		w := send(test.method, test.path, test.body)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
			!strings.Contains(w.Body.String(), `"code":"store_unavailable"`) {
			t.Errorf("%s %s: %d %s", test.method, test.path, w.Code, w.Body)
		}
	}
}
