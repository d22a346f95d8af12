package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/config"
	"leadline/internal/server"
)

// everyHeader has the headers of every response.
var everyHeader = map[string]*regexp.Regexp{
	"X-Request-Id": regexp.MustCompile(
		`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"X-RateLimit-Limit":       regexp.MustCompile(`^[0-9]+$`),
	"X-RateLimit-Remaining":   regexp.MustCompile(`^[0-9]+$`),
	"X-RateLimit-Reset":       regexp.MustCompile(`^[0-9]{10}$`),
	"X-Quota-Month-Limit":     regexp.MustCompile(`^[0-9]+$`),
	"X-Quota-Month-Remaining": regexp.MustCompile(`^[0-9]+$`),
	"X-Quota-Month-Reset":     regexp.MustCompile(`^[0-9]{10}$`),
	"X-Quota-Warning":         regexp.MustCompile(`^(none|approaching|critical|exhausted)$`),
}

// wantHeaders checks the headers that every response has.
func wantHeaders(t *testing.T, name string, h http.Header) {
	t.Helper()
	for header, form := range everyHeader {
		if values := h.Values(header); len(values) != 1 || !form.MatchString(values[0]) {
			t.Errorf("%s: %s: %q", name, header, values)
		}
	}
	now := time.Now().Unix()
	reset, _ := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	// The next request is allowed after at most 61 s; both times are whole seconds,
	// and the response may be read late.
	if noon := noon().Unix(); (reset <= noon || reset > noon+62) &&
		(reset <= now-60 || reset > now+62) {
		t.Errorf("%s: X-RateLimit-Reset %d", name, reset)
	}
}

// TestLimitHeaders checks that responses of all routes, with any status, have the
// eight headers.
func TestLimitHeaders(t *testing.T) {
	server := mount(t)
	k := server.Storage()
	pro, free, narrow := newKey(t, k, access.Pro), newKey(t, k, access.Free),
		newKey(t, k, access.Pro, access.UsageRead)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`
	health := soon("fishing")
	queries := []query{
		{"GET", "/api/v1/stations?q=boston", "", "", 200},
		{"GET", "/api/v1/stations?q=boston", free, "", 200},
		{"HEAD", "/api/v1/stations/8443970", pro, "", 200},
		{"GET", "/api/v1/stations/8443970/predictions", pro, "", 200},
		{"GET", "/api/v1/stations/0000000", "", "", 404},
		{"GET", "/api/v1/stations?limit=x", free, "", 400},
		{"GET", "/api/v1/stations/8443970/water-levels", pro, "", 503},
		{"GET", "/api/v1/stations/8443970", narrow, "", 403},
		{"GET", "/api/v1/stations/8443970", "nonsense", "", 401},
		{"POST", "/api/v1/decisions/trip-health", "", health, 200},
		{"POST", "/api/v1/decisions/best-window", "", health, 401},
		{"POST", "/api/v1/decisions/best-window", free, health, 403},
		{"POST", "/api/v1/decisions/best-window", narrow, health, 403},
		{"POST", "/api/v1/decisions/best-window", pro, windows("fishing", 2), 200},
		{"POST", "/api/v1/decisions/trip-health", "", strings.Repeat(" ", 65<<10), 413},
		{"DELETE", "/api/v1/stations", "", "", 405}, {"GET", "/api/v1/nowhere", free, "", 404},
		{"GET", "/api/v1/nowhere", "nonsense", "", 401},
		{"GET", "/api/developer/status", "", "", 200},
		{"GET", "/api/developer/status?x=1", "nonsense", "", 200},
		{"GET", "/api/developer/usage", "", "", 401}, {"GET", "/api/developer/usage", pro, "", 200},
		{"GET", "/api/developer/keys", free, "", 200},
		{"POST", "/api/developer/keys", pro, `{"scopes":["raw:read"]}`, 403},
		{"POST", "/api/developer/keys/reroll", "", `{}`, 401},
		{"GET", "/openapi.json", "", "", 200}, {"GET", "/api/developer/openapi.json", "", "", 200},
		{"GET", "/register", "", "", 404}, {"GET", "/nowhere", pro, "", 404},
		{"POST", "/mcp", "", call, 200}, {"POST", "/mcp", pro, call, 200},
		{"POST", "/mcp", "nonsense", call, 401}, {"POST", "/mcp", narrow, call, 403},
		{"GET", "/mcp", "", "", 405},
		{"POST", "/mcp", free, `{`, 400}, {"POST", "/mcp", free, strings.Repeat(" ", 2<<20), 413},
		{"OPTIONS", "/mcp", "", "", 204}, {"DELETE", "/mcp", pro, "", 405},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202},
		{"POST", "/pro/mcp", "", call, 401}, {"POST", "/pro/mcp", pro, call, 200},
		{"POST", "/pro/mcp", "nonsense", call, 401}, {"GET", "/pro/mcp", "", "", 401},
		{"GET", "/pro/mcp", free, "", 405}, {"OPTIONS", "/pro/mcp", "", "", 204},
		{"GET", "/.well-known/openid-configuration", pro, "", 404},
	}
	for _, q := range queries {
		answer, body := q.answerOf(t, server.url)
		name := fmt.Sprintf("%s %s %.14s", q.method, q.path, q.key)
		if answer.StatusCode != q.status {
			t.Errorf("%s: %d %.300s, want %d", name, answer.StatusCode, body, q.status)
		}
		wantHeaders(t, name, answer.Header)
		limit := map[string]string{
			"": "65535", pro: "3000", free: "300", narrow: "3000", "nonsense": "65535",
		}[q.key]
		if q.path == "/nowhere" || strings.HasSuffix(q.path, "/status") ||
			strings.HasPrefix(q.path, "/.well-known/") {
			limit = "65535"
		}
		if got := answer.Header.Get("X-RateLimit-Limit"); got != limit {
			t.Errorf("%s: X-RateLimit-Limit %s, want %s", name, got, limit)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.url+"/mcp",
		strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example.org"
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	wantHeaders(t, "a strange host", answer.Header)
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("a strange host: %d", answer.StatusCode)
	}
}

// TestOptionsStar checks that OPTIONS *, which has no path, gets a response with
// all headers.
func TestOptionsStar(t *testing.T) {
	r := serveOn(t, t.TempDir())
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	wantHeaders(t, "OPTIONS *", answer.Header)
}

// strict mounts the product with the built-in plans and a set of settings.
func strict(t *testing.T, plans string) (base string, k *server.Storage) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(plans), 0o600); err != nil {
		t.Fatal(err)
	}
	p := setup{now: noon, offline: true, base: "http://tides.example.org",
		with: func(c *config.Config) {
			c.AllowHosts, c.Plans = []string{"127.0.0.1"}, file
		}}.start(t)
	return p.url, p.Storage()
}

// TestLimitsAreKept checks on both endpoints, which have separate rate limits, that
// a refused request says when to retry, in the header and in the body.
func TestLimitsAreKept(t *testing.T) {
	base, k := strict(t, `{"free": {"perMonth": 50}}`)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`
	rest, mcp := query{"GET", "/api/v1/stations/8443970", "", "", 200},
		query{"POST", "/mcp", "", ping, 200}
	for _, q := range []query{rest, mcp} {
		for i := range 30 {
			if answer, body := q.answerOf(t, base); answer.StatusCode != 200 {
				t.Fatalf("%s, request %d: %d %s", q.path, i+1, answer.StatusCode, body)
			}
		}
		answer, body := q.answerOf(t, base)
		wantHeaders(t, q.path, answer.Header)
		after, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		reset, _ := strconv.ParseInt(answer.Header.Get("X-RateLimit-Reset"), 10, 64)
		if answer.StatusCode != 429 || after < 1 || after > 61 || reset != noon().Unix()+int64(after) ||
			!strings.Contains(body, `"rate_limited"`) ||
			!strings.Contains(body, `"retryAfterSeconds":`+strconv.Itoa(after)) {
			t.Errorf("%s, the 31st: %d %v %s", q.path, answer.StatusCode, answer.Header, body)
		}
		if q.path == "/mcp" && !strings.Contains(body,
			`"jsonrpc":"2.0","id":null,"error":{"code":-32000,`) {
			t.Errorf("the 31st to /mcp is no JSON-RPC error: %s", body)
		}
	}
	key := newKey(t, k, access.Free)
	for _, q := range []query{
		{"GET", "/api/v1/stations/8443970", key, "", 200}, {"POST", "/mcp", key, call, 200},
	} {
		for i := range 25 {
			if answer, body := q.answerOf(t, base); answer.StatusCode != 200 {
				t.Fatalf("%s, request %d with a key: %d %s", q.path, i+1, answer.StatusCode, body)
			}
		}
	}
	for _, q := range []query{
		{"GET", "/api/v1/stations/8443970", key, "", 429}, {"POST", "/mcp", key, call, 429},
		{"POST", "/mcp", key, ping, 200}, {"GET", "/api/developer/usage", key, "", 200},
	} {
		answer, body := q.answerOf(t, base)
		wantHeaders(t, q.path, answer.Header)
		if answer.StatusCode != q.status || answer.Header.Get("X-Quota-Warning") != "exhausted" ||
			q.status == 429 && (!strings.Contains(body, `"quota_exceeded"`) ||
				answer.Header.Get("Retry-After") == "") {
			t.Errorf("%s with a month used up: %d %v %s", q.path, answer.StatusCode, answer.Header, body)
		}
		if q.status == 429 && q.path == "/mcp" && !strings.Contains(body, `"id":7`) {
			t.Errorf("the refused call has not its id: %s", body)
		}
	}
}

// requestsWith returns requests with a secret in the right and in wrong places, to
// an MCP endpoint and to other routes.
func requestsWith(secret, endpoint string) []query {
	quoted := strconv.Quote(secret)
	return []query{
		{"GET", "/api/v1/stations/8443970", secret, "", 0},
		{"POST", endpoint, secret, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 0},
		{"GET", "/api/v1/stations/" + secret, "", "", 0}, {"GET", "/" + secret, "", "", 0},
		{"GET", "/api/" + secret + "?" + secret, "", "", 0},
		{"GET", "/.well-known/" + secret, secret, "", 0},
		{"GET", "/oauth/" + secret + "?code=" + secret, secret, "", 0},
		{"GET", "/api/v1/stations?api_key=" + secret, "", "", 0},
		{"GET", "/api/v1/stations?" + secret + "=1", "", "", 0},
		{"GET", "/api/v1/stations?state=" + secret, "", "", 0},
		{"GET", "/api/v1/stations/8443970/predictions?datum=" + secret, "", "", 0},
		{"GET", "/api/v1/astronomy?lat=" + secret, "", "", 0}, {secret, "/api/v1/stations", "", "", 0},
		{
			"POST", "/api/v1/decisions/trip-health", "",
			`{"stationId":` + quoted + `,"` + secret + `":1}`, 0,
		},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":` + quoted + `}`, 0},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + quoted + `}}`, 0},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_station_info","arguments":{"station":` + quoted + `}}}`, 0},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_station_info","arguments":{"station":"8443970","` + secret + `":1}}}`, 0},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + quoted + `}}`, 0},
		{"POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":` + quoted + `}}`, 0},
		{"GET", "/api/developer/keys", secret, "", 0},
		{"POST", "/api/developer/keys/revoke", secret, `{"id":` + quoted + `}`, 0},
	}
}

// wantAbsent reports texts that contain a part of a secret.
func wantAbsent(t *testing.T, secret string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		for i := range len(secret) - 12 {
			if at := strings.Index(text, secret[i:i+12]); at >= 0 {
				t.Errorf("%s contains a secret: …%.300s", name, text[max(0, at-200):])
				break
			}
		}
	}
}

// TestCase44NoSecretIsPrinted checks that no log line, error or metric has a
// secret, wherever the caller sends it.
func TestCase44NoSecretIsPrinted(t *testing.T) {
	log := &journal{}
	var tokens *accesstest.Tokens
	server := setup{
		now: noon, offline: true, log: log,
		alone: true, // the metrics are those of one instance
		token: func(ctx context.Context, text string) (access.Token, error) {
			return tokens.Verify(ctx, text)
		},
		with: func(c *config.Config) {
			c.LogLevel, c.LogFormat, c.AdminListen = slog.LevelDebug, "json", "127.0.0.1:0"
		},
	}.start(t)
	k := server.Storage()
	tokens = accesstest.NewTokens(k.Store, noon)
	key := newKey(t, k, access.Free)
	token := tokens.Token(t, accountOf(t, k, key))
	grant := tokens.GrantOf(token)
	const refresh = "ldr_0123456789-abcdefghijklmnopqrstuvwxyz_ABCDEF"
	malformed := key[:len(key)-1] + "~"
	var bodies bytes.Buffer
	for _, secret := range []string{
		key, malformed, token, token[:len(token)-3], refresh, "ldt_" + refresh[4:],
	} {
		for _, endpoint := range []string{"/mcp", "/pro/mcp"} {
			for _, q := range requestsWith(secret, endpoint) {
				answer, body := q.answerOf(t, server.url)
				answer.Header.Write(&bodies)
				bodies.WriteString(body)
			}
		}
	}
	metrics := httptest.NewRecorder()
	server.Operator().ServeHTTP(metrics, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	server.stop()
	texts := map[string]string{
		"the log": log.String(), "the answers": bodies.String(), "the metrics": metrics.Body.String(),
	}
	for _, secret := range []string{key[len(access.Prefix)+7 : len(key)-7], token, refresh} {
		wantAbsent(t, secret, texts)
	}
	for _, want := range []string{"/api/v1/stations/8443970", `"grant":"` + grant + `"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no access line with %s: %.300s", want, log.String())
		}
	}
	if !strings.Contains(metrics.Body.String(), `route="/pro/mcp"`) {
		t.Errorf("the metrics lack the endpoint: %s", metrics.Body)
	}
}
