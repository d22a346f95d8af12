package accounts

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

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
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

// wantHeaders checks the headers that every response of a product has, whose clock is at noon or
// runs since then.
func wantHeaders(t *testing.T, name string, h http.Header) {
	t.Helper()
	wantHeadersAt(t, name, h, product.Noon(), product.Now())
}

// wantHeadersAt checks the headers of a response between two times.
func wantHeadersAt(t *testing.T, name string, h http.Header, from, to time.Time) {
	t.Helper()
	for header, form := range everyHeader {
		if values := h.Values(header); len(values) != 1 || !form.MatchString(values[0]) {
			t.Errorf("%s: %s: %q", name, header, values)
		}
	}
	reset, _ := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	// The next request is allowed after at most 61 s; both times are whole seconds.
	if reset <= from.Unix() || reset > to.Unix()+62 {
		t.Errorf("%s: X-RateLimit-Reset %d", name, reset)
	}
}

// TestLimitHeaders checks that responses of all routes, with any status, have the
// eight headers.
func TestLimitHeaders(t *testing.T) {
	server := product.Mount(t)
	k := server.Storage()
	pro, free, narrow := product.NewKey(t, k, access.Pro), product.NewKey(t, k, access.Free),
		product.NewKey(t, k, access.Pro, credential.UsageRead)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`
	health := product.Soon("fishing")
	queries := []product.Query{
		{Path: "/api/v1/stations?q=boston", Status: 200},
		{Path: "/api/v1/stations?q=boston", Key: free, Status: 200},
		{Method: "HEAD", Path: "/api/v1/stations/8443970", Key: pro, Status: 200},
		{Path: "/api/v1/stations/8443970/predictions", Key: pro, Status: 200},
		{Path: "/api/v1/stations/0000000", Status: 404},
		{Path: "/api/v1/stations?limit=x", Key: free, Status: 400},
		{Path: "/api/v1/stations/8443970/water-levels", Key: pro, Status: 503},
		{Path: "/api/v1/stations/8443970", Key: narrow, Status: 403},
		{Path: "/api/v1/stations/8443970", Key: "nonsense", Status: 401},
		{Method: "POST", Path: "/api/v1/decisions/trip-health", Body: health, Status: 200},
		{Method: "POST", Path: "/api/v1/decisions/best-window", Body: health, Status: 401},
		{
			Method: "POST",
			Path:   "/api/v1/decisions/best-window",
			Key:    free,
			Body:   health,
			Status: 403,
		},
		{
			Method: "POST",
			Path:   "/api/v1/decisions/best-window",
			Key:    narrow,
			Body:   health,
			Status: 403,
		},
		{
			Method: "POST",
			Path:   "/api/v1/decisions/best-window",
			Key:    pro,
			Body:   product.Windows("fishing", 2),
			Status: 200,
		},
		{
			Method: "POST",
			Path:   "/api/v1/decisions/trip-health",
			Body:   strings.Repeat(" ", 65<<10),
			Status: 413,
		},
		{
			Method: "DELETE",
			Path:   "/api/v1/stations",
			Status: 405,
		}, {Path: "/api/v1/nowhere", Key: free, Status: 404},
		{Path: "/api/v1/nowhere", Key: "nonsense", Status: 401},
		{Path: "/api/developer/status", Status: 200},
		{Path: "/api/developer/status?x=1", Key: "nonsense", Status: 200},
		{
			Path:   "/api/developer/usage",
			Status: 401,
		}, {Path: "/api/developer/usage", Key: pro, Status: 200},
		{Path: "/api/developer/keys", Key: free, Status: 200},
		{
			Method: "POST",
			Path:   "/api/developer/keys",
			Key:    pro,
			Body:   `{"scopes":["raw:read"]}`,
			Status: 403,
		},
		{Method: "POST", Path: "/api/developer/keys/reroll", Body: `{}`, Status: 401},
		{Path: "/openapi.json", Status: 200}, {Path: "/api/developer/openapi.json", Status: 200},
		{Path: "/register", Status: 404}, {Path: "/nowhere", Key: pro, Status: 404},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   call,
			Status: 200,
		}, {Method: "POST", Path: "/mcp", Key: pro, Body: call, Status: 200},
		{
			Method: "POST",
			Path:   "/mcp",
			Key:    "nonsense",
			Body:   call,
			Status: 401,
		}, {Method: "POST", Path: "/mcp", Key: narrow, Body: call, Status: 403},
		{Path: "/mcp", Status: 405},
		{
			Method: "POST",
			Path:   "/mcp",
			Key:    free,
			Body:   `{`,
			Status: 400,
		}, {Method: "POST", Path: "/mcp", Key: free, Body: strings.Repeat(" ", 2<<20), Status: 413},
		{
			Method: "OPTIONS",
			Path:   "/mcp",
			Status: 204,
		}, {Method: "DELETE", Path: "/mcp", Key: pro, Status: 405},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			Status: 202,
		},
		{
			Method: "POST",
			Path:   "/pro/mcp",
			Body:   call,
			Status: 401,
		}, {Method: "POST", Path: "/pro/mcp", Key: pro, Body: call, Status: 200},
		{
			Method: "POST",
			Path:   "/pro/mcp",
			Key:    "nonsense",
			Body:   call,
			Status: 401,
		}, {Path: "/pro/mcp", Status: 401},
		{
			Path:   "/pro/mcp",
			Key:    free,
			Status: 405,
		}, {Method: "OPTIONS", Path: "/pro/mcp", Status: 204},
		{Path: "/.well-known/openid-configuration", Key: pro, Status: 404},
	}
	for _, q := range queries {
		answer, body := q.AnswerOf(t, server.URL)
		name := fmt.Sprintf("%s %s %.14s", q.Method, q.Path, q.Key)
		if answer.StatusCode != q.Status {
			t.Errorf("%s: %d %.300s, want %d", name, answer.StatusCode, body, q.Status)
		}
		wantHeaders(t, name, answer.Header)
		limit := map[string]string{
			"": "65535", pro: "3000", free: "300", narrow: "3000", "nonsense": "65535",
		}[q.Key]
		if q.Path == "/nowhere" || strings.HasSuffix(q.Path, "/status") ||
			strings.HasPrefix(q.Path, "/.well-known/") {
			limit = "65535"
		}
		if got := answer.Header.Get("X-RateLimit-Limit"); got != limit {
			t.Errorf("%s: X-RateLimit-Limit %s, want %s", name, got, limit)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/mcp",
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
	r := product.ServeOn(t, t.TempDir())
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.Base, "http://"))
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
	now, err := http.ParseTime(answer.Header.Get("Date")) // the program has the machine's clock
	if err != nil {
		t.Fatal(err)
	}
	wantHeadersAt(t, "OPTIONS *", answer.Header, now, now)
}

// strict mounts the product with the built-in plans and a set of settings.
func strict(t *testing.T, plans string) (base string, k *server.Storage) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(plans), 0o600); err != nil {
		t.Fatal(err)
	}
	p := product.Setup{Now: product.Noon, Offline: true, Base: "http://tides.example.org",
		With: func(c *config.Config) {
			c.AllowHosts, c.Plans = []string{"127.0.0.1"}, file
		}}.Start(t)
	return p.URL, p.Storage()
}

// TestLimitsAreKept checks on both endpoints, which have separate rate limits, that
// a refused request says when to retry, in the header and in the body.
func TestLimitsAreKept(t *testing.T) {
	base, k := strict(t, `{"free": {"perMonth": 50}}`)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`
	rest, mcp := product.Query{Path: "/api/v1/stations/8443970", Status: 200},
		product.Query{Method: "POST", Path: "/mcp", Body: ping, Status: 200}
	for _, q := range []product.Query{rest, mcp} {
		for i := range 30 {
			if answer, body := q.AnswerOf(t, base); answer.StatusCode != 200 {
				t.Fatalf("%s, request %d: %d %s", q.Path, i+1, answer.StatusCode, body)
			}
		}
		answer, body := q.AnswerOf(t, base)
		wantHeaders(t, q.Path, answer.Header)
		after, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		reset, _ := strconv.ParseInt(answer.Header.Get("X-RateLimit-Reset"), 10, 64)
		if answer.StatusCode != 429 || after < 1 || after > 61 ||
			reset != product.Noon().Unix()+int64(after) ||
			!strings.Contains(body, `"rate_limited"`) ||
			!strings.Contains(body, `"retryAfterSeconds":`+strconv.Itoa(after)) {
			t.Errorf("%s, the 31st: %d %v %s", q.Path, answer.StatusCode, answer.Header, body)
		}
		if q.Path == "/mcp" && !strings.Contains(body,
			`"jsonrpc":"2.0","id":null,"error":{"code":-32000,`) {
			t.Errorf("the 31st to /mcp is no JSON-RPC error: %s", body)
		}
	}
	key := product.NewKey(t, k, access.Free)
	for _, q := range []product.Query{
		{Path: "/api/v1/stations/8443970", Key: key, Status: 200},
		{Method: "POST", Path: "/mcp", Key: key, Body: call, Status: 200},
	} {
		for i := range 25 {
			if answer, body := q.AnswerOf(t, base); answer.StatusCode != 200 {
				t.Fatalf("%s, request %d with a key: %d %s", q.Path, i+1, answer.StatusCode, body)
			}
		}
	}
	for _, q := range []product.Query{
		{Path: "/api/v1/stations/8443970", Key: key, Status: 429},
		{Method: "POST", Path: "/mcp", Key: key, Body: call, Status: 429},
		{Method: "POST", Path: "/mcp", Key: key, Body: ping, Status: 200},
		{Path: "/api/developer/usage", Key: key, Status: 200},
	} {
		answer, body := q.AnswerOf(t, base)
		wantHeaders(t, q.Path, answer.Header)
		if answer.StatusCode != q.Status || answer.Header.Get("X-Quota-Warning") != "exhausted" ||
			q.Status == 429 && (!strings.Contains(body, `"quota_exceeded"`) ||
				answer.Header.Get("Retry-After") == "") {
			t.Errorf(
				"%s with a month used up: %d %v %s",
				q.Path,
				answer.StatusCode,
				answer.Header,
				body,
			)
		}
		if q.Status == 429 && q.Path == "/mcp" && !strings.Contains(body, `"id":7`) {
			t.Errorf("the refused call has not its id: %s", body)
		}
	}
}

// requestsWith returns requests with a secret in the right and in wrong places, to
// an MCP endpoint and to other routes.
func requestsWith(secret, endpoint string) []product.Query {
	quoted := strconv.Quote(secret)
	return []product.Query{
		{Path: "/api/v1/stations/8443970", Key: secret},
		{
			Method: "POST",
			Path:   endpoint,
			Key:    secret,
			Body:   `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		},
		{Path: "/api/v1/stations/" + secret}, {Path: "/" + secret},
		{Path: "/api/" + secret + "?" + secret},
		{Path: "/.well-known/" + secret, Key: secret},
		{Path: "/oauth/" + secret + "?code=" + secret, Key: secret},
		{Path: "/api/v1/stations?api_key=" + secret},
		{Path: "/api/v1/stations?" + secret + "=1"},
		{Path: "/api/v1/stations?state=" + secret},
		{Path: "/api/v1/stations/8443970/predictions?datum=" + secret},
		{Path: "/api/v1/astronomy?lat=" + secret}, {Method: secret, Path: "/api/v1/stations"},
		{
			Method: "POST", Path: "/api/v1/decisions/trip-health",
			Body: `{"stationId":` + quoted + `,"` + secret + `":1}`,
		},
		{Method: "POST", Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":` + quoted + `}`},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + quoted + `}}`,
		},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_station_info","arguments":{"station":` + quoted + `}}}`,
		},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_station_info","arguments":{"station":"8443970","` + secret + `":1}}}`,
		},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + quoted + `}}`,
		},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":` + quoted + `}}`,
		},
		{Path: "/api/developer/keys", Key: secret},
		{
			Method: "POST",
			Path:   "/api/developer/keys/revoke",
			Key:    secret,
			Body:   `{"id":` + quoted + `}`,
		},
	}
}

// TestCase44NoSecretIsPrinted checks that no log line, error or metric has a
// secret, wherever the caller sends it.
func TestCase44NoSecretIsPrinted(t *testing.T) {
	log := &product.Journal{}
	var tokens *accesstest.Tokens
	server := product.Setup{
		Now: product.Noon, Offline: true, Log: log,
		Alone: true, // the metrics are those of one instance
		Token: func(ctx context.Context, text string) (credential.Token, error) {
			return tokens.Verify(ctx, text)
		},
		With: func(c *config.Config) {
			c.LogLevel, c.LogFormat, c.AdminListen = slog.LevelDebug, "json", "127.0.0.1:0"
		},
	}.Start(t)
	k := server.Storage()
	tokens = accesstest.NewTokens(k.Store, product.Noon)
	key := product.NewKey(t, k, access.Free)
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
				answer, body := q.AnswerOf(t, server.URL)
				answer.Header.Write(&bodies)
				bodies.WriteString(body)
			}
		}
	}
	metrics := httptest.NewRecorder()
	server.Operator().
		ServeHTTP(metrics, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	server.Stop()
	texts := map[string]string{
		"the log": log.String(), "the answers": bodies.String(), "the metrics": metrics.Body.String(),
	}
	for _, secret := range []string{key[len(credential.Prefix)+7 : len(key)-7], token, refresh} {
		product.WantAbsent(t, secret, texts)
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
