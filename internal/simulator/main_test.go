package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/trials"
)

// TestRun starts the program, sends a request to each service, and ends the program while one
// request hangs.
func TestRun(t *testing.T) {
	portFile := filepath.Join(t.TempDir(), "port")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stderr bytes.Buffer
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{
			"--listen", "127.0.0.1:0", "--port-file", portFile, "--now", "2026-11-20T17:00:00Z",
		}, &stderr)
	}()
	base := "http://127.0.0.1:" + port(t, portFile)
	for path, want := range map[string]string{
		"/api/prod/datagetter?product=water_level&station=8443970&date=latest&datum=MLLW&format=json": `"2026-11-20 16:54"`,
		"/mdapi/prod/webapi/stations/8443970.json":                                                    `"Boston"`,
		"/dpapi/prod/webapi/htf/htf_annual.json?station=8443970":                                      `"AnnualFloodCount"`,
		"/alerts/active?zone=ANZ230":                                                                  `"FeatureCollection"`,
	} {
		if got := body(t, base+path); !strings.Contains(got, want) {
			t.Errorf("GET %s = %.200s, want a body with %s", path, got, want)
		}
	}
	fault := strings.NewReader(`{"path": "/alerts", "kind": "hang"}`)
	r, err := http.Post(base+"/-/fail", "application/json", fault)
	if err != nil || r.StatusCode != http.StatusNoContent {
		t.Fatalf("POST /-/fail: %v, %v", r, err)
	}
	hung := make(chan error, 1)
	go func() {
		_, err := http.Get(base + "/alerts/active")
		hung <- err
	}()
	stop()
	if err := <-done; err != nil {
		t.Errorf("run() = %v", err)
	}
	if err := <-hung; err == nil {
		t.Errorf("a request that hung got a response")
	}
	got, want := stderr.String(), "leadline --coops-url "+base+" --nws-url "+base
	if !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("stderr = %q, want one line with %q", got, want)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"--now", "yesterday"}, {"serve"}, {"-no-such"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("run(%q) succeeded, want an error", args)
		}
	}
}

func port(t *testing.T, file string) string {
	t.Helper()
	var text []byte
	trials.WaitFor(t, "a file with the port", func() (written bool) {
		text, _ = os.ReadFile(file)
		return bytes.HasSuffix(text, []byte("\n"))
	})
	return strings.TrimSpace(string(text))
}

func body(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
