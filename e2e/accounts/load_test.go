package accounts

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/rest"
	"leadline/tools"
)

// TestProbesHaveNoLimit checks that /livez and /readyz respond at the limit of
// requests in flight, and that everything else is refused with all headers, until a
// request ends.
func TestProbesHaveNoLimit(t *testing.T) {
	server := product.Setup{Now: product.Noon, Offline: true, Base: "http://tides.example.org",
		With: func(c *config.Config) {
			c.AllowHosts, c.MaxInFlight = []string{"127.0.0.1"}, 1
		}}.Start(t)
	holder, err := net.Dial("tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	fmt.Fprintf(
		holder,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		len(whoami),
	)
	read := bufio.NewReader(holder)
	// the body is being read
	if line, err := read.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v, want 100", line, err)
	}
	read.ReadString('\n')
	call := product.Query{Method: "POST", Path: "/mcp", Body: whoami, Status: 503}
	others := []product.Query{
		{Path: "/api/v1/stations/8443970", Status: 503}, {Path: "/openapi.json", Status: 503},
		{Path: "/api/developer/status", Status: 503},
		{Path: "/oauth/login", Status: 503},
		{
			Path:   "/.well-known/oauth-authorization-server",
			Status: 503,
		}, {Path: "/nowhere", Status: 503},
		{
			Method: "POST",
			Path:   "/api/v1/decisions/trip-health",
			Body:   product.Windows("fishing", 2),
			Status: 503,
		}, call,
		{Method: "OPTIONS", Path: "/mcp", Status: 503},
	}
	for _, q := range append(others, product.Query{Path: "/livez", Status: 200},
		product.Query{Path: "/readyz", Status: 200}) {
		response, body := q.AnswerOf(t, server.URL)
		wantHeaders(t, q.Path, response.Header)
		if response.StatusCode != q.Status {
			t.Errorf("%s: %d %s, want %d", q.Path, response.StatusCode, body, q.Status)
		}
		if h := response.Header; q.Status == 503 &&
			(!strings.Contains(body, `"code":"overloaded"`) ||
				h.Get("Retry-After") != "1" || h.Get("Content-Type") != "application/json") {
			t.Errorf("%s: %v %s, want overloaded as JSON, with Retry-After", q.Path, h, body)
		}
		version := response.Header.Get("Leadline-Version")
		if (version == rest.Contract) != strings.HasPrefix(q.Path, "/api/v1/") {
			t.Errorf("%s: Leadline-Version: %q", q.Path, version)
		}
	}
	io.WriteString(holder, whoami)
	if response, err := http.ReadResponse(read, nil); err != nil || response.StatusCode != 200 {
		t.Errorf("the request under way: %v, %v, want 200", response, err)
	}
	if response, body := call.AnswerOf(t, server.URL); response.StatusCode != 200 {
		t.Errorf("after it: %d %s, want 200", response.StatusCode, body)
	}
	wantTraffic(t, server.Server, "2 of 2 requests failed in the last minute, too few to judge",
		"2 of 4 requests failed in the last minute, too few to judge")
}

// wantTraffic checks what the status says about the requests to the API and to /mcp.
func wantTraffic(t *testing.T, s *server.Server, want ...string) {
	t.Helper()
	status, err := s.Tools().Server.Status(t.Context(), tools.StatusInput{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range status.Components[:2] {
		got = append(got, c.Message)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the status of the API and of /mcp says %q, want %q", got, want)
	}
}

// TestDocumentsHaveALimit checks that documents and pages have a limit of 300 requests
// per minute and address, separate from the API's, and that probes have no limit.
func TestDocumentsHaveALimit(t *testing.T) {
	base, _ := strict(t, `{}`)
	documents := []product.Query{
		{Path: "/openapi.json", Status: 200}, {Path: "/api/developer/openapi.json", Status: 200},
		{Path: "/api/developer/status", Status: 200},
		{Path: "/.well-known/oauth-authorization-server", Status: 404},
		{Path: "/oauth/login", Status: 404},
	}
	for i := range 300 {
		q := documents[i%len(documents)]
		if response, body := q.AnswerOf(t, base); response.StatusCode != q.Status {
			t.Fatalf("request %d, %s: %d %s", i+1, q.Path, response.StatusCode, body)
		}
	}
	for _, q := range documents {
		response, body := q.AnswerOf(t, base)
		wantHeaders(t, q.Path, response.Header)
		h := response.Header
		if response.StatusCode != 429 || !strings.Contains(body, `"code":"rate_limited"`) ||
			h.Get("Retry-After") == "" || h.Get("X-RateLimit-Limit") != "300" ||
			h.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("%s, request 301: %d %v %s", q.Path, response.StatusCode, h, body)
		}
	}
	for range 301 {
		response, body := product.Query{Path: "/livez", Status: 200}.AnswerOf(t, base)
		if response.StatusCode != 200 {
			t.Fatalf("/livez: %d %s", response.StatusCode, body)
		}
	}
	data := product.Query{Path: "/api/v1/stations/8443970", Status: 200}
	if response, body := data.AnswerOf(t, base); response.StatusCode != 200 ||
		response.Header.Get("X-RateLimit-Remaining") != "29" {
		t.Errorf("the API: %d %v %s, want 29 left", response.StatusCode, response.Header, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/oauth/login", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml")
	if got := product.Fetch(t, r); !strings.HasPrefix(got, "429\n") ||
		!strings.Contains(
			got,
			"Retry-After: ",
		) || !strings.Contains(got, "<h1>Too many pages</h1>") {
		t.Errorf("a browser gets %s", got)
	}
}

// everywhere lists requests for all kinds of responses.
func everywhere() []product.Query {
	return []product.Query{
		{Path: "/livez", Status: 200}, {Method: "POST", Path: "/readyz", Body: "{}", Status: 405},
		{Path: "/openapi.json", Status: 200}, {Path: "/api/v1/stations/8443970", Status: 200},
		{
			Path:   "/api/v1/stations/8443970",
			Key:    "nonsense",
			Status: 401,
		}, {Path: "/api/v1/none", Status: 404},
		{Method: "OPTIONS", Path: "/api/v1/stations", Status: 204},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   whoami,
			Status: 200,
		}, {Method: "POST", Path: "/mcp", Body: "{", Status: 400},
		{
			Method: "OPTIONS",
			Path:   "/mcp",
			Status: 204,
		}, {Method: "POST", Path: "/pro/mcp", Body: whoami, Status: 401},
		{
			Method: "POST",
			Path:   "/mcp",
			Body:   strings.Repeat(" ", 70_000),
			Status: 413,
		}, {Path: "/oauth/login", Status: 404},
		{Path: "/", Status: 200}, {Path: "/register", Status: 404},
		{Path: "/stations/8443970", Status: 200}, {Path: "/stations/8443970/tide.svg", Status: 200},
	}
}

// TestNosniff checks that every response forbids browsers to guess its type, and that
// only https responses have Strict-Transport-Security.
func TestNosniff(t *testing.T) {
	server := product.Mount(t)
	for _, q := range everywhere() {
		response, body := q.AnswerOf(t, server.URL)
		h := response.Header
		if response.StatusCode != q.Status || len(h.Values("X-Content-Type-Options")) != 1 ||
			h.Get(
				"X-Content-Type-Options",
			) != "nosniff" || h.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s %s: %d %v %s", q.Method, q.Path, response.StatusCode, h, body)
		}
	}
}

// TestHSTS checks that every response of a server with https has
// Strict-Transport-Security.
func TestHSTS(t *testing.T) {
	r := product.ServeOn(t, t.TempDir(), "--base-url", "https://tides.example.org")
	for _, q := range everywhere() {
		if q.Path == "/mcp" || q.Path == "/pro/mcp" || q.Path == "/oauth/login" {
			q.Status = 0 // another host, and a server where people can sign in
		}
		response, body := q.AnswerOf(t, r.Base)
		if q.Status != 0 && response.StatusCode != q.Status ||
			response.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf(
				"%s %s: %d %v %s",
				q.Method,
				q.Path,
				response.StatusCode,
				response.Header,
				body,
			)
		}
	}
}

// TestEncodedSlash checks that %2F is not a separator of a path.
func TestEncodedSlash(t *testing.T) {
	server := product.Mount(t)
	for _, path := range []string{
		"/api/v1%2Fstations", "/api/v1%2fstations/8443970", "/api/v1/stations/8443970%2Fpredictions",
		"/pro%2Fmcp", "/api%2Fdeveloper/status", "/oauth%2Flogin",
		"/api/developer%2fopenapi.json", "/api/v1/stations/8443970%2F", "/%2Flivez",
	} {
		response, body := product.Query{Path: path, Status: 404}.AnswerOf(t, server.URL)
		wantHeaders(t, path, response.Header)
		if response.StatusCode != 404 ||
			response.Header.Get("Content-Type") != "application/json" ||
			!strings.Contains(body, `"code":"not_found"`) {
			t.Errorf(
				"%s: %d %v %s, want 404 as JSON",
				path,
				response.StatusCode,
				response.Header,
				body,
			)
		}
	}
}

// TestLimitsOfSettings checks which values the settings of limits accept, and that
// a start with invalid hosts or plans is refused.
func TestLimitsOfSettings(t *testing.T) {
	plans := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(plans, []byte(`{"free": {"perMinute": 1}, "free": {"perMinute": 2}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ flag, value, want string }{
		{"--max-in-flight", "0", `invalid --max-in-flight "0": must be a whole number from 1`},
		{"--max-in-flight", "many", `invalid --max-in-flight "many"`},
		{"--max-connections-per-address", "-1", `invalid --max-connections-per-address "-1"`},
		{"--max-connections-per-address", "1.5", `invalid --max-connections-per-address "1.5"`},
		{"--allow-hosts", "tides.example.org,https://tides.example.org", `invalid --allow-hosts "https://tides.example.org"`},
		{"--plans", plans, `duplicate name "free"`},
	} {
		_, _, err := product.RunCommand(
			t,
			nil,
			"serve",
			"--data",
			t.TempDir(),
			"--listen",
			"127.0.0.1:0",
			"--offline",
			test.flag,
			test.value,
		)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %s", test.flag, test.value, err, test.want)
		}
	}
	file := filepath.Join(t.TempDir(), "leadline.json")
	if err := os.WriteFile(file, []byte(`{"max-in-flight": 1000000, "offline": true}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, err := product.RunCommand(t, nil, "--config", file, "config"); err != nil ||
		!strings.Contains(out, "1000000") {
		t.Errorf("a number in a config file: %v\n%s", err, out)
	}
}

// TestConnectionsPerAddress checks that the server closes the connections of an
// address beyond its limit, and serves others meanwhile.
func TestConnectionsPerAddress(t *testing.T) {
	r := product.ServeOn(t, t.TempDir(), "--max-connections-per-address", "3")
	to := strings.TrimPrefix(r.Base, "http://")
	dial := func(from string) (net.Conn, *bufio.Reader) {
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial("tcp", to)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(time.Minute))
		return conn, bufio.NewReader(conn)
	}
	_, first := dial("127.0.0.2")
	for range 3 {
		dial("127.0.0.2")
	}
	if text, err := first.ReadString('\n'); err == nil || text != "" {
		t.Errorf("the first of four idle connections: got %q, %v, want it closed", text, err)
	}
	other, read := dial("127.0.0.3")
	io.WriteString(other, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if response, err := http.ReadResponse(read, nil); err != nil || response.StatusCode != 200 {
		t.Errorf("another address: %v, %v, want 200", response, err)
	}
}
