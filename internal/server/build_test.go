package server

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/config"
)

// TestBuildFails checks that a failed Build names the setting and releases the store and the
// addresses, so that the next Build succeeds.
func TestBuildFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := config.New()
	c.Listen, c.Data, c.Offline = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), true
	for _, test := range []struct {
		want string
		set  func(*config.Config)
	}{
		{"--listen", func(c *config.Config) { c.Listen = taken.Addr().String() }},
		{"--admin-listen", func(c *config.Config) { c.AdminListen = taken.Addr().String() }},
		{"--plans", func(c *config.Config) { c.Plans = "none.json" }},
		{"--shared-clients", func(c *config.Config) { c.SharedClients = "none.json" }},
		{"--oidc-issuer", func(c *config.Config) { c.OIDCClientID = "leadline" }},
		{"--tls-key", func(c *config.Config) { c.TLSCert = "none.pem" }},
		{"", func(*config.Config) {}},
	} {
		settings := *c
		test.set(&settings)
		s, err := Build(t.Context(), Config{Settings: &settings})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Fatalf("Build() with a wrong %s: %v", test.want, err)
		}
		if err != nil {
			continue
		}
		for range 2 { // the second call returns the result of the first
			if err := s.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		}
	}
}

// TestBaseURL checks the scheme and host of links.
func TestBaseURL(t *testing.T) {
	for _, test := range []struct{ listen, base, cert, want string }{
		{"127.0.0.1:8080", "", "", "http://127.0.0.1:8080"},
		{":8080", "", "", "http://localhost:8080"},
		{"[::1]:8080", "", "a.pem", "https://[::1]:8080"},
		{"127.0.0.1:0", "https://tides.example.org", "", "https://tides.example.org"},
		{"127.0.0.1:0", "", "", ""},
		{"127.0.0.1:many", "", "", ""},
	} {
		got, err := likelyURL(&config.Config{Listen: test.listen, BaseURL: test.base, TLSCert: test.cert})
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("likelyURL(%+v) = %q, %v", test, got, err)
		}
	}
}

// TestFailedWriteIsNoticed checks that a server is not ready after any write to its store
// failed, even if the check of the store succeeds.
func TestFailedWriteIsNoticed(t *testing.T) {
	c := config.New()
	c.Listen, c.Data, c.Offline = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), true
	var log bytes.Buffer
	s, err := Build(t.Context(), Config{Settings: c, Stderr: &log})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	get := func() int {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code
	}
	if got := get(); got != http.StatusOK {
		t.Fatalf("/readyz = %d before the write", got)
	}
	file := filepath.Join(c.Data, StoreFile)
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	if err := s.Storage().Store.SwapMeta(t.Context(), "name", nil, nil); err == nil {
		t.Fatal("SwapMeta without the file = nil")
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	if err := s.Storage().Store.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz = %d after the write", got)
	}
	cause := "write the store " + filepath.Join(c.Data, StoreFile)
	if got := strings.Count(log.String(), cause); got != 1 {
		t.Errorf("the log has the cause %d times, want 1:\n%s", got, &log)
	}
}
