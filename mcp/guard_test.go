package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/edge"
	"leadline/internal/operation"
	"leadline/internal/trials"
	"leadline/prompts"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// endpoints returns both endpoints of a server by path. Without a gate, they admit
// all callers.
func endpoints(s *Server) map[string]http.Handler {
	return map[string]http.Handler{"/mcp": s, "/pro/mcp": s.SignedIn("")}
}

func TestCase52Hosts(t *testing.T) {
	s := newServer(t, io.Discard)
	for host, want := range map[string]int{
		"127.0.0.1:8080":              200,
		"localhost:1":                 200,
		"[::1]:8080":                  200,
		"LOCALHOST":                   200,
		"tides.example":               200,
		"Tides.Example:443":           200,
		"evil.example":                403,
		"127.0.0.1.evil.example":      403,
		"":                            403,
		"localhost.evil.example:8080": 403,
	} {
		for path, endpoint := range endpoints(s) {
			if got := post(t, endpoint, ping, "Host", host).status; got != want {
				t.Errorf("%s, Host %q: %d, want %d", path, host, got, want)
			}
		}
	}
}

func TestLoopbackHostWherePublicBase(t *testing.T) {
	s := newServer(t, io.Discard)
	s.guard.base.Host = "tides.example"
	if got := post(t, s, ping, "Host", "localhost:8080").status; got != 403 {
		t.Errorf("from outside: %d, want 403", got)
	}
	web := httptest.NewServer(s)
	defer web.Close()
	r, err := http.Post(web.URL, "application/json", strings.NewReader(ping))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("over loopback: %d, want 200", r.StatusCode)
	}
}

func TestCase52Origins(t *testing.T) {
	s := newServer(t, io.Discard)
	for origin, want := range map[string]int{
		"http://127.0.0.1:8080":          200,
		"http://localhost:5173":          200,
		"https://claude.ai":              200,
		"https://vscode.dev":             200,
		"https://app.example":            200,
		"https://evil.example":           403,
		"null":                           403,
		"https://claude.ai.evil.example": 403,
		"http://claude.ai":               403,
		"https://app.example:8443":       403,
		"://":                            403,
	} {
		for path, endpoint := range endpoints(s) {
			got := post(t, endpoint, ping, "Origin", origin)
			if got.status != want {
				t.Errorf("%s, Origin %q: %d, want %d", path, origin, got.status, want)
			}
			allowed := got.header.Get("Access-Control-Allow-Origin")
			if want == 200 && allowed != origin || want == 403 && allowed != "" {
				t.Errorf("%s, Origin %q: allowed %q", path, origin, allowed)
			}
			if want == 403 && got.Error == nil {
				t.Errorf("%s, Origin %q: %s, want a JSON-RPC error", path, origin, got.body)
			}
		}
	}
}

// TestCase52Preflight checks preflight requests, which have no credential.
func TestCase52Preflight(t *testing.T) {
	_, anonymous, signedIn := newEndpoints(t, access.BuiltIn())
	for path, endpoint := range map[string]http.Handler{"/mcp": anonymous, "/pro/mcp": signedIn} {
		got := send(t, endpoint, http.MethodOptions, "",
			"Origin", "https://claude.ai", "Access-Control-Request-Method", "POST")
		if got.status != 204 || len(got.body) != 0 {
			t.Errorf("%s: got %d %q, want 204 and nothing", path, got.status, got.body)
		}
		allowed := got.header.Get("Access-Control-Allow-Headers")
		for _, want := range []string{
			"Authorization", "X-Api-Key", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name",
		} {
			if !strings.Contains(allowed, want) {
				t.Errorf("%s: %s is not among the allowed headers", path, want)
			}
		}
		if left := got.header.Get("X-RateLimit-Remaining"); left != "30" {
			t.Errorf("%s: %s requests remain, want 30: preflight is free", path, left)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH"} {
		got := send(t, s, method, "", "Origin", "https://claude.ai", "Accept", "text/event-stream")
		if got.status != 405 || got.header.Get("Allow") != "POST, OPTIONS" ||
			got.header.Get("Access-Control-Allow-Origin") == "" {
			t.Errorf("%s: %d %v, want 405", method, got.status, got.header)
		}
	}
}

func TestHeadersOfEveryResponse(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, body := range []string{
		ping,
		request("tools/list", "{}"),
		request("tools/call", `{"name":"panics"}`),
		"nonsense",
	} {
		got := post(t, s, body, "Origin", "https://claude.ai")
		for name, want := range map[string]string{
			"Vary":                        "Authorization, X-Api-Key, Origin",
			"Cache-Control":               "no-store",
			"X-Accel-Buffering":           "no",
			"Access-Control-Allow-Origin": "https://claude.ai",
			"Content-Type":                "application/json",
		} {
			if got := got.header.Get(name); got != want {
				t.Errorf("%.40s: %s = %q, want %q", body, name, got, want)
			}
		}
	}
}

// sizes is a body that never arrives. It records the size of the buffers that it is
// read into.
type sizes struct{ most int }

func (s *sizes) Read(p []byte) (int, error) {
	s.most = max(s.most, len(p))
	return 0, io.ErrUnexpectedEOF
}

// TestMemoryFollowsBytes checks that no memory is allocated for a body that was only
// announced.
func TestMemoryFollowsBytes(t *testing.T) {
	s := newServer(t, io.Discard)
	for path, endpoint := range endpoints(s) {
		body := &sizes{}
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+path, body)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = maxMessage
		w := httptest.NewRecorder()
		endpoint.ServeHTTP(w, r)
		if w.Code != 400 || body.most == 0 || body.most > 4<<10 {
			t.Errorf("%s: status %d, buffer of %d bytes, want 400 and at most 4 KiB",
				path, w.Code, body.most)
		}
	}
}

// TestLongMessages checks the limit of a message: 64 KiB, whether or not the length is
// announced. If the announced length is too long, the body is refused unread.
func TestLongMessages(t *testing.T) {
	s := newServer(t, io.Discard)
	const limit = 65_536
	for _, test := range []struct {
		length, announced int64
		want              int
	}{
		{limit, limit, 200},
		{limit, -1, 200},
		{limit + 1, limit + 1, 413},
		{limit + 1, -1, 413},
		{0, 1 << 20, 413},
	} {
		text := ""
		if test.length > 0 {
			text = ping + strings.Repeat(" ", int(test.length)-len(ping))
		}
		for path, endpoint := range endpoints(s) {
			r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+path, strings.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			r.ContentLength = test.announced
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("%s, %d bytes, announced %d: %d %s, want %d",
					path, test.length, test.announced, w.Code, w.Body, test.want)
			}
		}
	}
}

// TestContentEncoding checks that compressed bodies are refused, with a message that
// describes what to send.
func TestContentEncoding(t *testing.T) {
	s := newServer(t, io.Discard)
	for coding, want := range map[string]int{
		"gzip": 415, "br": 415, "gzip, identity": 415, "x": 415, "identity": 200, "Identity": 200,
	} {
		for path, endpoint := range endpoints(s) {
			got := post(t, endpoint, ping, "Content-Encoding", coding)
			if got.status != want {
				t.Errorf("%s, %s: %d %s, want %d", path, coding, got.status, got.body, want)
			}
			if want == 415 && (!strings.Contains(string(got.body), "send the body uncompressed") ||
				got.header.Get("Accept-Encoding") != "identity") {
				t.Errorf("%s, %s: %v %s", path, coding, got.header, got.body)
			}
		}
	}
}

// TestOverloadedBody checks the status and the code for a body that the server cannot hold.
// They differ from the status and code for a body that ended early.
func TestOverloadedBody(t *testing.T) {
	s := newServer(t, io.Discard)
	none := edge.NewLoad(edge.LoadConfig{InFlight: 1}, accesstest.Now)
	for path, endpoint := range endpoints(s) {
		got := post(t, none.Limit(endpoint), ping)
		if got.status != 503 || !strings.Contains(string(got.body), `"code":"overloaded"`) ||
			got.header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %v %s, want 503 overloaded", path, got.status, got.header, got.body)
		}
	}
}

// TestAllowHosts checks that hosts to accept are names, not URLs.
func TestAllowHosts(t *testing.T) {
	for host, ok := range map[string]bool{
		"tides.example.org":         true,
		"tides.example.org:8443":    true,
		"192.0.2.1":                 true,
		"[2001:db8::1]:80":          true,
		"[2001:db8::1]":             true,
		"localhost":                 true,
		"https://tides.example.org": false,
		"tides.example.org/":        false,
		"tides.example.org/mcp":     false,
		"https:":                    false,
		"a b":                       false,
		"user@tides.example.org":    false,
		"*.example.org":             false,
		"tides.example.org?x":       false,
		":8080":                     false,
	} {
		err := checkHosts([]string{"fine.example.org", host})
		if (err == nil) != ok {
			t.Errorf("checkHosts(%q) = %v, want nil: %v", host, err, ok)
		}
		if err != nil && (!strings.Contains(err.Error(), "--allow-hosts") ||
			!strings.Contains(err.Error(), host)) {
			t.Errorf("checkHosts(%q) = %v, want the setting and the value", host, err)
		}
	}
}

func TestCase53BadMessages(t *testing.T) {
	s := newServer(t, io.Discard)
	deep := strings.Repeat("[", 30_000)
	tests := []struct {
		name, body string
		code       int
		want, id   string
	}{
		{"nothing", "", -32700, "not valid JSON", "null"},
		{"half", `{"jsonrpc":"2.0","id":1`, -32700, "not valid JSON", "null"},
		{
			"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep,
			-32600, "nests deeper", "null",
		},
		{
			"deep and closed", `{"a":` + deep + strings.Repeat("]", 30_000) + `}`,
			-32600, "nests deeper", "null",
		},
		{"batch", `[` + ping + `]`, -32600, "one message a request", "null"},
		{"string", `"ping"`, -32600, "not a JSON object", "null"},
		{"no version", `{"id":1,"method":"ping"}`, -32600, "2.0", "1"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, -32600, "method", "1"},
		{"method of another type", `{"jsonrpc":"2.0","id":1,"method":5}`, -32600, "method", "1"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "id must be", "null"},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "id must be", "null"},
		{"id list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600, "id must be", "null"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "id must be", "null"},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "id must be", "null"},
		{
			"id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
			-32600, "2^53", "null",
		},
		{
			"id beyond int64", `{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`,
			-32600, "2^53", "null",
		},
		{
			"duplicate method",
			`{"jsonrpc":"2.0","id":1,"method":"ping","method":"notifications/cancelled"}`,
			-32600, "twice", "null",
		},
		{
			"Method",
			`{"jsonrpc":"2.0","Method":"notifications/cancelled","params":{"requestId":1}}`,
			-32600, "misspelled", "null",
		},
		{
			"method with a long s",
			`{"jsonrpc":"2.0","id":1,"method":"ping","param` + "\u017f" + `":{}}`,
			-32600, "misspelled", "null",
		},
		{
			"escaped duplicate", `{"jsonrpc":"2.0","id":1,"method":"ping","\u004dethod":"x"}`,
			-32600, "misspelled", "null",
		},
		{
			"_meta of another type",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}`,
			-32602, "_meta", "1",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := post(t, s, test.body)
			if got.status != 400 || got.Error == nil || got.Error.Code != test.code ||
				!strings.Contains(got.Error.Message, test.want) {
				t.Errorf("got %d %s, want 400, code %d and %q",
					got.status, got.body, test.code, test.want)
			}
			if string(got.ID) != test.id {
				t.Errorf("id = %s, want %s", got.ID, test.id)
			}
		})
	}
}

func TestGoodIDs(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, id := range []string{`0`, `-1`, `9007199254740992`, `"a"`, `""`, `"\u00e9\"\\"`} {
		for _, method := range []string{"ping", "tools/list"} {
			got := post(t, s, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`"}`)
			var sent, back any
			if json.Unmarshal([]byte(id), &sent) != nil ||
				json.Unmarshal(got.ID, &back) != nil || sent != back {
				t.Errorf("%s with id %s = %s", method, id, got.body)
			}
		}
	}
}

func TestCase53Bodies(t *testing.T) {
	s := newServer(t, io.Discard)
	big := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` +
		strings.Repeat("x", 10<<20) + `"}}`
	got := post(t, s, big)
	if got.status != 413 || !bytes.Contains(got.body, []byte("payload_too_large")) {
		t.Errorf("10 MB: %d %s", got.status, got.body)
	}
	if got := post(t, s, ping, "Content-Type", "text/plain"); got.status != 415 {
		t.Errorf("text/plain: %d, want 415", got.status)
	}
	if got := post(t, s, ping, "Content-Type", "application/json; charset=utf-8"); got.status != 200 {
		t.Errorf("with charset: %d, want 200", got.status)
	}
}

// TestBigBodyOverTheWire checks that a client that sends 10 MB over a real
// connection gets 413, and that the server continues to serve.
func TestBigBodyOverTheWire(t *testing.T) {
	web := httptest.NewServer(newServer(t, io.Discard))
	defer web.Close()
	r, err := http.Post(web.URL, "application/json", io.LimitReader(zeros{}, 10<<20))
	if err == nil { // the server may also close the connection while the client writes
		r.Body.Close()
		if r.StatusCode != 413 {
			t.Errorf("status %d, want 413", r.StatusCode)
		}
	}
	r, err = http.Post(web.URL, "application/json", strings.NewReader(ping))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("the next request: %d, want 200", r.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestWithoutID(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`,
	} {
		if got := post(t, s, body); got.status != 202 || len(got.body) != 0 {
			t.Errorf("%s: %d %q, want 202 and nothing", body, got.status, got.body)
		}
	}
	got := post(t, s, `{"jsonrpc":"2.0","id":3,"result":{}}`, "Mcp-Protocol-Version", "2026-07-28")
	if got.status != 400 {
		t.Errorf("a modern response: %d, want 400", got.status)
	}
}

func TestVersionsOfTheProtocol(t *testing.T) {
	s := newServer(t, io.Discard)
	for version, want := range map[string]int{
		"2025-11-25": 200,
		"2024-11-05": 200,
		"1999-01-01": 400,
		"2026-07-28": 400,
		"2030-01-01": 400,
	} {
		got := post(t, s, request("tools/list", "{}"), "Mcp-Protocol-Version", version)
		if got.status != want || want == 400 && got.Error == nil {
			t.Errorf("version %s in the header only: %d %s, want %d",
				version, got.status, got.body, want)
		}
	}
	body, header := modernize(t, request("tools/list", "{}"))
	for i := range header {
		if header[i] == "Mcp-Method" {
			header[i+1] = "prompts/list"
		}
	}
	if got := post(t, s, body, header...); got.status != 400 || got.Error.Code != -32020 {
		t.Errorf("header and body differ: %d %s, want 400 and -32020", got.status, got.body)
	}
}

// TestModernExtras checks that optional headers of a modern client are accepted.
func TestModernExtras(t *testing.T) {
	body, header := modernize(t, request("tools/list", "{}"))
	got := post(t, newServer(t, io.Discard), body,
		append(header, "Last-Event-ID", "5", "Mcp-Session-Id", "x")...)
	if got.status != 200 {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
}

func TestListen(t *testing.T) {
	body, header := modernize(t,
		request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))
	got := post(t, newServer(t, io.Discard), body, header...)
	if got.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %v %s", got.header, got.body)
	}
	var messages []map[string]any
	for line := range strings.Lines(string(got.body)) {
		if data, is := strings.CutPrefix(line, "data: "); is {
			var m map[string]any
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				t.Fatal(err)
			}
			messages = append(messages, m)
		}
	}
	if len(messages) != 2 || messages[1]["id"] != 7.0 ||
		messages[0]["method"] != "notifications/subscriptions/acknowledged" {
		t.Errorf("messages = %v", messages)
	}
}

// TestCase54CancellationByAnother checks that no client can cancel the request of another,
// although all clients number their requests from 1. The guard serves calls; mcp-go serves
// completions.
func TestCase54CancellationByAnother(t *testing.T) {
	for _, sent := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":` +
			`{"ref":{"type":"ref/resource","uri":"leadline://stations/{id}"},` +
			`"argument":{"name":"id","value":"8"}}}`,
	} {
		s := newServer(t, io.Discard)
		started, finish := make(chan bool), make(chan bool)
		work := func(ctx context.Context) string {
			close(started)
			select {
			case <-finish:
				return "done"
			case <-ctx.Done():
				return "cancelled"
			}
		}
		s.calls["slow"] = func(ctx context.Context, _ []byte) (operation.Result, error) {
			return operation.Result{Value: stamp{Station: work(ctx)}, JSON: true}, nil
		}
		s.complete = func(ctx context.Context, _ string) []string { return []string{work(ctx)} }
		s.places = s.complete
		answer := make(chan reply)
		go func() { answer <- post(t, s, sent) }()
		<-started
		for _, body := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			`{"jsonrpc":"2.0","Method":"notifications/cancelled","params":{"requestId":1}}`,
			`{"jsonrpc":"2.0","id":2,"method":"notifications/cancelled","params":{"requestId":1}}`,
		} {
			for _, endpoint := range endpoints(s) {
				post(t, endpoint, body)
			}
		}
		close(finish)
		if got := <-answer; !bytes.Contains(got.body, []byte(`"done"`)) {
			t.Errorf("%s: got %s, want done", sent, got.body)
		}
	}
}

// TestClientGoesAway checks that a closed connection cancels the call.
func TestClientGoesAway(t *testing.T) {
	s := newServer(t, io.Discard)
	started, stopped := make(chan bool), make(chan bool)
	s.calls["slow"] = func(ctx context.Context, _ []byte) (operation.Result, error) {
		close(started)
		<-ctx.Done()
		close(stopped)
		return operation.Result{}, ctx.Err()
	}
	web := httptest.NewServer(s)
	defer web.Close()
	ctx, cancel := context.WithCancel(t.Context())
	body := strings.NewReader(request("tools/call", `{"name":"slow"}`))
	r, err := http.NewRequestWithContext(ctx, "POST", web.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	go http.DefaultClient.Do(r)
	<-started
	cancel()
	<-stopped
}

func TestPanicsOutsideTools(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &log)
	s.complete = func(context.Context, string) []string { panic("secret boom") }
	s.places = s.complete
	p := s.prompts["tide_report"]
	p.Render = func(map[string]string) string { panic("secret boom") }
	s.guard.mcp.DeletePrompts(p.Name)
	s.addPrompts(s.guard.mcp, []prompts.Prompt{p})
	for _, body := range []string{
		request("completion/complete",
			`{"ref":{"type":"ref/resource","uri":"leadline://stations/{id}"},`+
				`"argument":{"name":"id","value":""}}`),
		request("prompts/get", `{"name":"tide_report","arguments":{"location":"Boston"}}`),
	} {
		got := post(t, s, body)
		if got.Error == nil || got.Error.Code != -32603 ||
			got.Error.Message != "internal error" || string(got.ID) != "7" {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if got := strings.Count(log.String(), "secret boom"); got < 2 {
		t.Errorf("the log contains the cause %d times, want 2", got)
	}
}

// TestCase55SessionsAreIgnored checks that no session is created, that session ids
// are ignored, and that none can be deleted.
func TestCase55SessionsAreIgnored(t *testing.T) {
	s := newServer(t, io.Discard)
	hello := request("initialize", initialize)
	for path, endpoint := range endpoints(s) {
		plain := post(t, endpoint, request("tools/list", "{}"))
		for _, id := range []string{"1", "made up", strings.Repeat("x", 1000)} {
			got := post(t, endpoint, hello, "Mcp-Session-Id", id)
			if got.status != 200 || got.header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s: initialize with session %.10s: %d %v", path, id, got.status, got.header)
			}
			got = send(t, endpoint, http.MethodDelete, "", "Mcp-Session-Id", id)
			if got.status != 405 {
				t.Errorf("%s: DELETE of session %.10s: %d, want 405", path, id, got.status)
			}
			got = post(t, endpoint, request("tools/list", "{}"), "Mcp-Session-Id", id)
			if !bytes.Equal(got.body, plain.body) {
				t.Errorf("%s: tools/list with session %.10s: %d %.100s", path, id, got.status, got.body)
			}
		}
	}
}

// TestHandshakesLeaveNothing checks that two thousand handshakes, or twenty thousand with
// LEADLINE_TRIALS=check, each with another session id, leave no memory or goroutines behind.
func TestHandshakesLeaveNothing(t *testing.T) {
	s := newServer(t, io.Discard)
	body := request("initialize", initialize)
	measure := func() (memory uint64, goroutines int) {
		runtime.GC()
		runtime.GC() // what pools keep is freed by the second one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	post(t, s, body)
	memory, goroutines := measure()
	handshakes := 20 * trials.Cases()
	for i := range handshakes {
		post(t, s, body, "Mcp-Session-Id", time.Duration(i).String())
	}
	// The goroutine in which mcp-go forwards a request ends shortly after the request.
	trials.WaitFor(t, "the memory and the goroutines as before", func() bool {
		after, left := measure()
		return int64(after)-int64(memory) <= int64(128*handshakes) && left <= goroutines
	})
}
