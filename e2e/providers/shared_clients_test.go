package providers

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/config"
)

// TestSharedClients checks that a server applies a file of groups to an address in
// one, and that its metrics count the requests.
func TestSharedClients(t *testing.T) {
	file := filepath.Join(t.TempDir(), "groups.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`[{"name": "campus", "networks": ["127.0.0.0/8"], "perMinute": 2}]`)
	server := product.Setup{Now: product.Noon, Offline: true, With: func(c *config.Config) {
		c.SharedClients, c.AdminListen = file, "127.0.0.1:0"
	}}.Start(t)
	for i, status := range []int{200, 200, 429} {
		answer, _ := product.Query{
			Method: "GET",
			Path:   "/api/v1/stations/8443970",
		}.AnswerOf(
			t,
			server.URL,
		)
		if limit := answer.Header.Get("X-RateLimit-Limit"); answer.StatusCode != status ||
			limit != "2" {
			t.Errorf("request %d: %d, limit %s, want %d, 2", i, answer.StatusCode, limit, status)
		}
	}
	metrics := httptest.NewRecorder()
	server.Operator().ServeHTTP(metrics,
		httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	for _, want := range []string{
		`leadline_shared_client_requests_total{group="campus",status="200",surface="rest"} 2`,
		`leadline_shared_client_requests_total{group="campus",status="429",surface="rest"} 1`,
	} {
		if !strings.Contains(metrics.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}

	write(`[{"name": "campus", "networks": ["127.0.0.1/8"], "perMinute": 2}]`)
	for _, name := range []string{file, file + ".missing"} {
		_, _, err := product.RunCommand(
			t,
			nil,
			"serve",
			"--listen",
			"127.0.0.1:0",
			"--data",
			t.TempDir(),
			"--shared-clients",
			name,
		)
		if err == nil || !strings.Contains(err.Error(), "--shared-clients") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("serve with %s: %v, want an error that names it", filepath.Base(name), err)
		}
	}
}
