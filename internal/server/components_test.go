package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/config"
	"leadline/internal/events"
)

// TestComponentIsAnnounced checks that an API whose responses fail is announced, with what was
// measured, and that the providers of a server without a network are not.
func TestComponentIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.New()
		c.Listen, c.Data, c.Offline = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), true
		s, err := Build(t.Context(), Config{Settings: c})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		defer background(t.Context(), s.watchComponents)()
		time.Sleep(time.Second) // never at the time of an evaluation
		for range 12 * 4 {      // four minutes
			for range 2 {
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet,
					"/api/v1/stations/8443970/water-levels", nil))
				if w.Code != http.StatusServiceUnavailable {
					t.Fatalf("without a network: %d %s", w.Code, w.Body)
				}
			}
			time.Sleep(5 * time.Second)
		}
		list, err := s.Storage().Store.EventsOf(t.Context(), "", "", "", 10)
		if err != nil || len(list) != 1 {
			t.Fatalf("got %d events, %v, want 1", len(list), err)
		}
		var got struct{ Data events.ComponentData }
		if err := json.Unmarshal(list[0].Body, &got); err != nil {
			t.Fatal(err)
		}
		want := events.ComponentData{
			Common: got.Data.Common, Component: "api", From: "operational", To: "down",
			Since: list[0].Created.Add(-2 * time.Minute), DurationSeconds: 120,
			Status: "degraded", Message: "24 of 24 requests failed in the last minute.",
			StatusURL: s.URL() + statusPath,
		}
		if got.Data != want || list[0].Type != string(events.APIDegraded) {
			t.Errorf("got %s %+v, want %+v", list[0].Type, got.Data, want)
		}
	})
}
