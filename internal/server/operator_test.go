package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/internal/metrics"
)

// startAdmin serves the operator's endpoints on a port.
func startAdmin(t *testing.T) *httptest.Server {
	t.Helper()
	m := metrics.New(nil, nil)
	m.Build("0.1.0", "2026-09-24")
	backup := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the whole store") }
	server := httptest.NewServer(newOperator(m.Handler(), backup))
	t.Cleanup(server.Close)
	return server
}

// TestAdmin checks the endpoints of the operator's address.
func TestAdmin(t *testing.T) {
	server := startAdmin(t)
	for path, want := range map[string]string{
		"/metrics":                       "leadline_build_info{",
		"/backup":                        "the whole store",
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/goroutine?debug=1": "goroutine profile: total",
		"/debug/pprof/heap?debug=1":      "heap profile: ",
		"/debug/pprof/symbol":            "num_symbols: 1",
		"/debug/pprof/cmdline":           "Unknown profile",
	} {
		res, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v, %.200s, want %s", path, err, got, want)
		}
	}
	for _, path := range []string{"/", "/debug/pprof", "/metrics/", "/api/v1/stations"} {
		status, body := askAdmin(server, path, nil)
		if status != http.StatusNotFound || body.Error.Code != "not_found" {
			t.Errorf("%s: %d %+v, want not_found", path, status, body)
		}
	}
}

// failure is the body of an error.
type failure struct {
	Error struct{ Code, Message string }
}

// askAdmin sends a request with headers, which may include Host.
func askAdmin(
	server *httptest.Server, path string, header map[string]string,
) (status int, body failure) {
	r := httptest.NewRequest("GET", path, nil)
	r.Host = server.Listener.Addr().String()
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if host, ok := header["Host"]; ok {
		r.Host = host
	}
	w := httptest.NewRecorder()
	server.Config.Handler.ServeHTTP(w, r)
	json.Unmarshal(w.Body.Bytes(), &body) // empty if it is not JSON
	return w.Code, body
}

// TestAdminRefusesPages checks that requests by other host names and from pages of
// other origins are refused.
func TestAdminRefusesPages(t *testing.T) {
	server := startAdmin(t)
	own := server.Listener.Addr().String()
	for _, test := range []struct {
		name, value string
		want        int
	}{
		{"Host", "localhost", 200},
		{"Host", "LocalHost:9090", 200},
		{"Host", "127.0.0.1", 200},
		{"Host", "[::1]:9090", 200},
		{"Host", "::1", 200},
		{"Host", "10.0.0.7:9090", 200},
		{"Host", "evil.example.org", 400},
		{"Host", "evil.example.org:9090", 400},
		{"Host", "localhost.example.org", 400},
		{"Host", "127.0.0.1.example.org", 400},
		{"Host", "localhost.", 400},
		{"Host", "", 400},
		{"Origin", "http://" + own, 200},
		{"Origin", "https://evil.example.org", 400},
		{"Origin", "http://127.0.0.1:1", 400}, // another server of this machine
		{"Origin", "null", 400},
		{"Origin", "http://" + own + "%zz", 400},
		{"Sec-Fetch-Site", "none", 200}, // typed into the browser
		{"Sec-Fetch-Site", "same-origin", 200},
		{"Sec-Fetch-Site", "same-site", 400},
		{"Sec-Fetch-Site", "cross-site", 400},
	} {
		for _, path := range []string{"/metrics", "/backup", "/debug/pprof/"} {
			status, body := askAdmin(server, path, map[string]string{test.name: test.value})
			if status != test.want || (status == 400) != (body.Error.Code == "invalid_request") {
				t.Errorf("%s of %s %q: %d %+v, want %d", path, test.name, test.value, status, body, test.want)
			}
		}
	}
}
