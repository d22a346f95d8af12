package edge

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestNewID(t *testing.T) {
	early, late := NewID(time.UnixMilli(1_700_000_000_000)), NewID(time.UnixMilli(1_700_000_000_001))
	for _, id := range []string{early, late} {
		if !uuid7.MatchString(id) {
			t.Errorf("%q is no UUID of version 7", id)
		}
	}
	if early >= late || !strings.HasPrefix(early, "018bcfe5-6800-7") {
		t.Errorf("%s before %s: want them in order of time, the first from 018bcfe5-6800", early, late)
	}
}

func TestWear(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := Wear(logger, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		w.Write([]byte("short and stout"))
	}))
	r := httptest.NewRequest("GET", "/tea?key=secret", nil)
	r.Header.Set("X-Request-Id", "mine-1")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var line struct {
		ID, Path string
		Status   int
		Bytes    int
		Client   string `json:"client_request_id"`
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if id := w.Header().Get("X-Request-Id"); !uuid7.MatchString(id) || line.ID != id {
		t.Errorf("X-Request-Id %q, logged %q", id, line.ID)
	}
	if line.Status != http.StatusTeapot || line.Bytes != 15 || line.Path != "/tea" || line.Client != "mine-1" {
		t.Errorf("logged %+v", line)
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the query stands in the log: %s", log.String())
	}
}

// TestForgedID: a client's id cannot break a log line.
func TestForgedID(t *testing.T) {
	var log bytes.Buffer
	h := Wear(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), http.NotFoundHandler())
	r := httptest.NewRequest("GET", "/", nil)
	r.Header["X-Request-Id"] = []string{"a b=c"}
	h.ServeHTTP(httptest.NewRecorder(), r)
	if strings.Contains(log.String(), "b=c") {
		t.Errorf("logged %s", log.String())
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := Wear(slog.New(slog.NewTextHandler(&log, nil)), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the secret of the house") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") || !strings.Contains(w.Body.String(), `"internal"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "the secret of the house") {
		t.Errorf("the log lacks the panic: %s", log.String())
	}
}
