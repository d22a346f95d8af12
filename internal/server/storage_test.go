package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"leadline/store"
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
