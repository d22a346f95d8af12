package server

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/config"
	"leadline/store"
)

// TestOpenLink checks that a browser gets the absolute path of a page that only its owner can read,
// instead of the page of a server that was killed, and that the page is removed at the end or if
// the browser does not open.
func TestOpenLink(t *testing.T) {
	t.Chdir(t.TempDir())
	settings := config.New()
	settings.Listen, settings.Data, settings.Offline = "127.0.0.1:0", "data", true
	var log bytes.Buffer
	var opened string
	var failure error
	s, err := Build(t.Context(), Config{
		Settings: settings, Stderr: &log,
		Browse: func(file string) error {
			opened = file
			return failure
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	file := filepath.Join("data", "first-run.html")
	if err := os.WriteFile(file, []byte("an old link"), 0o644); err != nil {
		t.Fatal(err)
	}
	const link = "http://127.0.0.1:8080/oauth/join?ticket=ldt_x&y"
	stop := s.openLink(t.Context(), link)
	text, err := os.ReadFile(file)
	info, failed := os.Stat(file)
	if err != nil || failed != nil || info.Mode().Perm() != 0o600 || !filepath.IsAbs(opened) ||
		!strings.Contains(string(text), `url=http://127.0.0.1:8080/oauth/join?ticket=ldt_x&amp;y"`) {
		t.Errorf("the browser got %s with %s, %v, %v", opened, text, err, failed)
	}
	stop()
	gone := func(when string) {
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s, the page is still there: %v", when, err)
		}
	}
	gone("after the end")
	failure = errors.New("no display")
	s.openLink(t.Context(), link)()
	gone("after a failure")
	if !strings.Contains(log.String(), "no display") || strings.Contains(log.String(), "ldt_x") {
		t.Errorf("the log is %q, want the failure and not the link", &log)
	}
	if err := os.WriteFile(file, []byte("an old link"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.openLink(t.Context(), "")()
	gone("without a link")
}

// TestOwnerEndsFirstRun checks that the page is removed once an account exists.
func TestOwnerEndsFirstRun(t *testing.T) {
	settings := config.New()
	settings.Listen, settings.Data, settings.Offline = "127.0.0.1:0", t.TempDir(), true
	s, err := Build(t.Context(), Config{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.storage.Store.AddAccount(t.Context(), store.Account{
		ID: "a", Email: "ann@example.org", Plan: "free", Created: s.c.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	s.awaitOwner(t.Context()) // returns at once
}
