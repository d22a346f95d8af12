package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/store"
	"leadline/store/bolt"
)

// TestNoBackup checks that the operator's address names an alternative if the engine cannot
// make backups.
func TestNoBackup(t *testing.T) {
	w := httptest.NewRecorder()
	handler := backupHandler(struct{ store.Store }{}, slog.New(slog.DiscardHandler))
	handler(w, httptest.NewRequest(http.MethodGet, "/backup", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), errNoBackup.Error()) {
		t.Errorf("/backup: %d %s", w.Code, w.Body)
	}
}

// TestUnknownPlans checks that the log names each plan that accounts have and the server does not,
// once, with the number of accounts.
func TestUnknownPlans(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, plan := range []string{"gold", "free", "gold", "iron", "pro"} {
		a := store.Account{ID: fmt.Sprint(i), Email: fmt.Sprint(i, "@example.org"), Plan: plan}
		if err := s.AddAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	storage := &Storage{Store: s, Plans: access.BuiltIn()}
	settings := &config.Config{Data: filepath.Join(t.TempDir(), "none")}
	err = storage.warn(t.Context(), settings, slog.New(slog.NewTextHandler(&log, nil)))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if err != nil || len(lines) != 2 || !strings.HasSuffix(lines[0], "plan=gold accounts=2") ||
		!strings.HasSuffix(lines[1], "plan=iron accounts=1") {
		t.Errorf("warn() = %v, the log has:\n%s", err, log.String())
	}
}
