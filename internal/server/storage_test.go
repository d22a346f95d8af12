package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
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

// farStore is a store whose small writes take a time.
type farStore struct {
	store.Store
	takes time.Duration
}

func (s farStore) Ready(ctx context.Context) error {
	time.Sleep(s.takes)
	return s.Store.Ready(ctx)
}

// TestSlowStore checks that the log names a store whose round trip is above an eighth of the time
// that requests wait for it, with the round trip and a time that is long enough.
func TestSlowStore(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		31 * time.Millisecond:  "",
		32 * time.Millisecond:  "roundTrip=32ms most=31.25ms storeTimeout=250ms suggested=300ms",
		200 * time.Millisecond: "roundTrip=200ms most=31.25ms storeTimeout=250ms suggested=1.6s",
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var log bytes.Buffer
			storage := &Storage{Store: farStore{s, takes}}
			storage.warnSlow(t.Context(), outage.Timeout,
				slog.New(slog.NewTextHandler(&log, nil)))
			got := strings.TrimSpace(log.String())
			if got == "" != (want == "") || !strings.HasSuffix(got, want) {
				t.Errorf("%v: the log has %q, want a line with %q", takes, got, want)
			}
		})
	}
}
