package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var uuid7 = regexp.MustCompile(
	`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
)

func TestNewID(t *testing.T) {
	early, late := NewID(time.UnixMilli(1_700_000_000_000)), NewID(time.UnixMilli(1_700_000_000_001))
	for _, id := range []string{early, late} {
		if !uuid7.MatchString(id) {
			t.Errorf("%q is not a UUID of version 7", id)
		}
	}
	if early >= late || !strings.HasPrefix(early, "018bcfe5-6800-7") {
		t.Errorf("%s before %s: want them in order of time, the first from 018bcfe5-6800", early, late)
	}
}

// named returns the id of every request of the tests.
func named(context.Context) string { return "the request" }

// entry is a line of the log.
type entry struct {
	Msg, ID, Method, Path, Tier string
	Status, Bytes               int
	Took                        *float64 `json:"ms"`
	Cut                         bool
	Client                      string `json:"client_request_id"`
}

// journal is a log in memory.
type journal struct{ bytes.Buffer }

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{ReplaceAttr: Scrub}))
}

// last returns the last line.
func (j *journal) last(t *testing.T) (e entry) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(j.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
		t.Fatalf("%v: %s", err, j)
	}
	return e
}

// quiet is a Config without a log.
var quiet = Config{ID: named, Log: slog.New(slog.DiscardHandler)}

// serving serves h within AccessLog on a port. After Close the log is complete.
func serving(t testing.TB, c Config, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(AccessLog(c, h))
	// net/http logs it when a status is set twice.
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func TestAccessLog(t *testing.T) {
	var log journal
	who := func(context.Context) []slog.Attr { return []slog.Attr{slog.String("tier", "free")} }
	h := AccessLog(
		Config{ID: named, Log: log.logger(), Who: who},
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.Write([]byte("short and stout"))
		}),
	)
	r := httptest.NewRequest("GET", "/tea/"+aKey+"?key=secret", nil)
	r.Header.Set("X-Request-Id", "mine-1")
	r.Header.Set("User-Agent", "browser")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	got := log.last(t)
	if got.ID != "the request" || got.Took == nil {
		t.Errorf("logged %q, took %v", got.ID, got.Took)
	}
	got.ID, got.Took = "", nil
	want := entry{
		Msg: "request", Method: "GET", Path: "/tea/ldl_live_AbCdEfG…", Tier: "free",
		Status: 418, Bytes: 15, Client: "mine-1",
	}
	if got != want {
		t.Errorf("logged %+v, want %+v", got, want)
	}
	for _, never := range []string{"secret", "browser", aKey} {
		if strings.Contains(log.String(), never) {
			t.Errorf("the log contains %s: %s", never, log.String())
		}
	}
}

// TestLongPath checks that a client cannot fill the log with a single request.
func TestLongPath(t *testing.T) {
	var log journal
	h := AccessLog(Config{ID: named, Log: log.logger()}, http.NotFoundHandler())
	h.ServeHTTP(httptest.NewRecorder(),
		httptest.NewRequest("GET", "/"+strings.Repeat("a", 30_000), nil))
	if got := len(log.last(t).Path); got != 256 {
		t.Errorf("%d bytes of the path logged, want 256", got)
	}
}

// TestForgedID checks that a client's id cannot forge attributes of a log line.
func TestForgedID(t *testing.T) {
	var log bytes.Buffer
	c := Config{ID: named, Log: slog.New(slog.NewTextHandler(&log, nil))}
	h := AccessLog(c, http.NotFoundHandler())
	r := httptest.NewRequest("GET", "/", nil)
	r.Header["X-Request-Id"] = []string{"a b=c"}
	h.ServeHTTP(httptest.NewRecorder(), r)
	if strings.Contains(log.String(), "b=c") {
		t.Errorf("logged %s", log.String())
	}
}

// writer abbreviates the tables below.
type writer = http.ResponseWriter

func flush(w writer) { http.NewResponseController(w).Flush() }

// TestStatus checks the log line and the status that Observe gets for all forms
// of responses.
func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		method        string
		status, bytes int
		respond       func(writer)
	}{
		"no status":      {"GET", 200, 0, func(writer) {}},
		"body alone":     {"GET", 200, 4, func(w writer) { io.WriteString(w, "body") }},
		"no content":     {"GET", 204, 0, func(w writer) { w.WriteHeader(204) }},
		"not modified":   {"GET", 304, 0, func(w writer) { w.WriteHeader(304); io.WriteString(w, "-") }},
		"two statuses":   {"GET", 404, 0, func(w writer) { w.WriteHeader(404); w.WriteHeader(200) }},
		"HEAD":           {"HEAD", 200, 0, func(w writer) { io.WriteString(w, "body") }},
		"flushed":        {"GET", 200, 0, func(w writer) { flush(w); w.WriteHeader(500) }},
		"hint, response": {"GET", 201, 0, func(w writer) { w.WriteHeader(103); w.WriteHeader(201) }},
		"hint, nothing":  {"GET", 200, 0, func(w writer) { w.WriteHeader(103) }},
	} {
		var log journal
		var observed []int
		c := Config{
			ID: named, Log: log.logger(),
			Observe: func(_ *http.Request, status int, _ time.Duration) {
				observed = append(observed, status)
			},
		}
		server := serving(t, c, func(w http.ResponseWriter, _ *http.Request) { test.respond(w) })
		r, _ := http.NewRequest(test.method, server.URL, nil)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		res.Body.Close()
		server.Close()
		if got := log.last(t); got.Status != test.status || got.Bytes != test.bytes ||
			res.StatusCode != test.status || !slices.Equal(observed, []int{test.status}) {
			t.Errorf("%s: logged %+v, observed %v, response %d, want %d and %d bytes",
				name, got, observed, res.StatusCode, test.status, test.bytes)
		}
	}
}

// TestEarlyHints checks that informational responses reach the client.
func TestEarlyHints(t *testing.T) {
	server := serving(t, quiet, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, "body")
	})
	hints := 0
	trace := &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { hints += code; return nil },
	}
	ctx := httptrace.WithClientTrace(t.Context(), trace)
	r, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	if got := ask(t, r); hints != 103 || got.status != 200 || got.body != "body" {
		t.Errorf("hints %d, then %+v, want 103, then 200", hints, got)
	}
}

// TestController checks that a handler reaches the connection through AccessLog.
func TestController(t *testing.T) {
	server := serving(t, quiet, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		deadline := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		fmt.Fprint(w, errors.Join(c.EnableFullDuplex(), c.SetWriteDeadline(deadline), c.Flush()))
	})
	r, _ := http.NewRequest("GET", server.URL, nil)
	if got := ask(t, r); got.body != "<nil>" {
		t.Errorf("the controller returned %s", got.body)
	}
}

func TestPanic(t *testing.T) {
	var log journal
	c := Config{ID: named, Log: log.logger()}
	server := serving(t, c, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("ETag", `W/"of the lost response"`)
		panic("the secret text, " + aKey)
	})
	r, _ := http.NewRequest("GET", server.URL, nil)
	got := ask(t, r)
	if got.status != 500 || strings.Contains(got.body, "secret") ||
		!strings.Contains(got.body, `"internal"`) {
		t.Errorf("answered %+v", got)
	}
	if got.header.Get("ETag") != "" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("answered %v", got.header)
	}
	server.Close()
	if line := log.last(t); line.Status != 500 || line.Cut {
		t.Errorf("logged %+v", line)
	}
	if !strings.Contains(log.String(), "the secret text") ||
		strings.Contains(log.String(), aKey) {
		t.Errorf("want the panic in the log, without the key: %s", log.String())
	}
}

// TestPanicUnderWay checks that a response that has begun and cannot be
// finished is aborted, and that no client mistakes it for a complete one.
func TestPanicUnderWay(t *testing.T) {
	abort := http.ErrAbortHandler
	for name, test := range map[string]struct {
		status  int
		panics  bool
		respond func(writer)
	}{
		"much written":   {200, true, func(w writer) { w.Write(make([]byte, 1<<20)); panic("now") }},
		"little written": {200, true, func(w writer) { io.WriteString(w, "a"); panic("now") }},
		"flushed":        {200, true, func(w writer) { flush(w); panic("now") }},
		"aborted":        {0, false, func(writer) { panic(abort) }},
		"aborted late":   {202, false, func(w writer) { w.WriteHeader(202); panic(abort) }},
	} {
		var log journal
		observed := -1
		c := Config{
			ID: named, Log: log.logger(),
			Observe: func(_ *http.Request, status int, _ time.Duration) { observed = status },
		}
		server := serving(t, c, func(w http.ResponseWriter, _ *http.Request) { test.respond(w) })
		res, err := server.Client().Get(server.URL)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		server.Close()
		if err == nil {
			t.Errorf("%s: the client got a whole response", name)
		}
		if got := log.last(t); got.Status != test.status || observed != test.status || !got.Cut {
			t.Errorf("%s: logged %+v, observed %d, want %d, cut", name, got, observed, test.status)
		}
		if got := strings.Contains(log.String(), `"panic"`); got != test.panics {
			t.Errorf("%s: a panic in the log is %v, want %v", name, got, test.panics)
		}
	}
}

// reply is the response that a client got.
type reply struct {
	status int
	header http.Header
	body   string
	length int64
}

func ask(t *testing.T, r *http.Request) reply {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(body), res.ContentLength}
}

// nowhere is a ResponseWriter that discards the response.
type nowhere http.Header

func (n nowhere) Header() http.Header         { return http.Header(n) }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}

// TestAccessLogAllocates checks that a response that is not logged costs one
// allocation: the value that records its status.
func TestAccessLogAllocates(t *testing.T) {
	h := AccessLog(quiet,
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }))
	r, w := httptest.NewRequest("GET", "/", nil), nowhere{}
	least := math.Inf(1) // other goroutines of the process add to single counts
	for range 5 {
		least = min(least, testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }))
	}
	if least > 1 {
		t.Errorf("%v allocations, want 1", least)
	}
}

func BenchmarkAccessLog(b *testing.B) {
	for name, log := range map[string]*slog.Logger{
		"silent": slog.New(slog.DiscardHandler),
		"logged": slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{ReplaceAttr: Scrub})),
	} {
		b.Run(name, func(b *testing.B) {
			h := AccessLog(Config{ID: named, Log: log},
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }))
			r, w := httptest.NewRequest("GET", "/api/v1/stations/8443970/predictions", nil), nowhere{}
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}
