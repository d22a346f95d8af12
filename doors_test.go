package main

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/config"
	"leadline/tools"
)

const whoami = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami"}}`

// accountOf is the account of a key.
func accountOf(t testing.TB, k *keep, key string) string {
	t.Helper()
	id, _ := access.KeyID(key)
	record, err := k.keys.Key(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return record.Account
}

// signedIn mounts a set where people can sign in, with a key and a token of
// one account.
func signedIn(t *testing.T, set *tools.Set, plan access.Tier) (base string, k *keep, tokens *accesstest.Tokens, key, token string) {
	t.Helper()
	server, k := mountFor(t, &config.Config{Data: t.TempDir(), Plans: roomyPlans(t)}, set, slog.New(slog.DiscardHandler), nil, func(k *keep) signIn {
		tokens = accesstest.NewTokens(k.store, set.Now)
		return signIn{
			token: tokens.Verify, metadata: "https://tides.example.org/.well-known/oauth-protected-resource/pro/mcp",
			pages: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the page "+r.URL.Path) }),
		}
	})
	t.Cleanup(func() { unmount(t, server, k) })
	key = newKey(t, k, plan)
	return server.URL, k, tokens, key, tokens.Token(t, accountOf(t, k, key))
}

// whoIs is what the door for those who sign in says of a credential's holder.
func whoIs(t *testing.T, base, credential string) (tier, identifiedBy string, status int) {
	t.Helper()
	answer, body := query{"POST", proPath, credential, whoami, 0}.answerOf(t, base)
	var got struct {
		Result struct {
			StructuredContent struct{ Tier, IdentifiedBy string }
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return got.Result.StructuredContent.Tier, got.Result.StructuredContent.IdentifiedBy, answer.StatusCode
}

// TestWhoConnected: an app hears which account it is connected to.
func TestWhoConnected(t *testing.T) {
	base, k, _, key, token := signedIn(t, testSet(t, noon), access.Pro)
	account, err := k.store.Account(t.Context(), accountOf(t, k, key))
	if err != nil {
		t.Fatal(err)
	}
	tier, by, status := whoIs(t, base, token)
	if want := "the app " + accesstest.App + ", connected to the account " + account.Email; tier != "pro" || by != want || status != 200 {
		t.Errorf("%d, %s, identified by %q, want %q", status, tier, by, want)
	}
	if tier, by, status := whoIs(t, base, key); tier != "pro" || !strings.HasPrefix(by, "API key ") || status != 200 {
		t.Errorf("%d, %s, identified by %q", status, tier, by)
	}
}

// TestCase45TierChangesInTheStore: whoever changes an account there, its apps
// have its tier with the next request.
func TestCase45TierChangesInTheStore(t *testing.T) {
	base, k, _, key, token := signedIn(t, testSet(t, noon), access.Free)
	for _, plan := range []string{"free", "pro", "free"} {
		if err := k.store.SetPlan(t.Context(), accountOf(t, k, key), plan); err != nil {
			t.Fatal(err)
		}
		for _, credential := range []string{key, token} {
			if tier, _, status := whoIs(t, base, credential); tier != plan || status != 200 {
				t.Errorf("on %s: %d, %s", plan, status, tier)
			}
		}
	}
}

// TestCase60AccountIsRemoved: with it go its keys and its apps, at once.
func TestCase60AccountIsRemoved(t *testing.T) {
	base, k, _, key, token := signedIn(t, testSet(t, noon), access.Free)
	for _, want := range []int{200, 401} {
		for _, credential := range []string{key, token} {
			if _, _, status := whoIs(t, base, credential); status != want {
				t.Errorf("%d, want %d", status, want)
			}
		}
		if want == 200 {
			if err := k.store.RemoveAccount(t.Context(), accountOf(t, k, key)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCase60KeyIsRevoked: a key that was let in everywhere a moment ago is
// refused everywhere with the next request, whoever has revoked it, and no
// other is.
func TestCase60KeyIsRevoked(t *testing.T) {
	base, k, _, bystander, token := signedIn(t, testSet(t, noon), access.Pro)
	doors := []query{
		{"POST", mcpPath, "", whoami, 0}, {"POST", proPath, "", whoami, 0}, {"GET", "/api/v1/stations/8443970", "", "", 0},
		{"POST", "/api/v1/decisions/best-window", "", windows("fishing", 2), 0}, {"GET", "/api/developer/usage", "", "", 0},
	}
	knock := func(what, credential string, want int) {
		t.Helper()
		for _, q := range doors {
			q.key = credential
			if answer, body := q.answerOf(t, base); answer.StatusCode != want {
				t.Errorf("%s at %s: got %d %s, want %d", what, q.path, answer.StatusCode, body, want)
			}
		}
	}
	for what, revoke := range map[string]func(key string) error{
		"by the operator": func(key string) error {
			id, _ := access.KeyID(key)
			return k.keys.Revoke(t.Context(), id)
		},
		"in the store": func(key string) error {
			id, _ := access.KeyID(key)
			return k.store.RevokeKey(t.Context(), id, noon())
		},
		"by itself": func(key string) error {
			id, _ := access.KeyID(key)
			answer, body := query{"POST", "/api/developer/keys/revoke", key, `{"id":"` + id + `"}`, 0}.answerOf(t, base)
			if answer.StatusCode != http.StatusOK {
				return errors.New(body)
			}
			return nil
		},
	} {
		key := newKey(t, k, access.Pro)
		knock("before", key, http.StatusOK)
		if err := revoke(key); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		knock("revoked "+what, key, http.StatusUnauthorized)
	}
	knock("another's", bystander, http.StatusOK)
	if _, _, status := whoIs(t, base, token); status != http.StatusOK {
		t.Errorf("an app: got %d, want 200", status)
	}
}

// signInPaths belong to the authorization server.
var signInPaths = []string{
	"/oauth/authorize", "/oauth/nothing", "/account/apps", "/.well-known/oauth-protected-resource/pro/mcp", "/.well-known/oauth-protected-resource/mcp",
	"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration/pro/mcp", "/pro/mcp/.well-known/openid-configuration",
}

// TestSignInPaths: no credential of the doors counts there, and nothing is
// spent; where nobody can sign in all are 404.
func TestSignInPaths(t *testing.T) {
	base, _, _, key, token := signedIn(t, testSet(t, noon), access.Free)
	closed, _ := mount(t, testSet(t, noon), slog.New(slog.DiscardHandler))
	for _, path := range signInPaths {
		for _, credential := range []string{"", "nonsense", key, token} {
			answer, body := query{"GET", path, credential, "", 0}.answerOf(t, base)
			if answer.StatusCode != 200 || body != "the page "+path {
				t.Errorf("%s, %.8s: %d %s", path, credential, answer.StatusCode, body)
			}
			without, told := query{"POST", path, credential, "{}", 0}.answerOf(t, closed.URL)
			if without.StatusCode != 404 || without.Header.Get("Content-Type") != "application/json" || without.Header.Get("WWW-Authenticate") != "" || !strings.Contains(told, `"not_found"`) {
				t.Errorf("%s, %.8s, without sign-in: %d %v %s", path, credential, without.StatusCode, without.Header, told)
			}
			for _, h := range []http.Header{answer.Header, without.Header} {
				wantHeaders(t, path, h)
				if left := h.Get("X-RateLimit-Remaining"); left != "65535" {
					t.Errorf("%s, %.8s: %s left, want all", path, credential, left)
				}
			}
		}
	}
}

// TestNowhereJudgesNobody: a client whose credential was refused looks for a
// place to sign in where none is, and hears that, for a request of its minute.
func TestNowhereJudgesNobody(t *testing.T) {
	server, k := mount(t, testSet(t, noon), slog.New(slog.DiscardHandler))
	left := 65535
	for _, path := range []string{"/register", "/token", "/authorize", "/pro/mcp/", "/pro", "/oauth", "/mcp/sse"} {
		for _, credential := range []string{"", "nonsense", newKey(t, k, access.Pro)} {
			answer, body := query{"POST", path, credential, "{}", 0}.answerOf(t, server.URL)
			wantHeaders(t, path, answer.Header)
			if answer.StatusCode != 404 || answer.Header.Get("WWW-Authenticate") != "" || !strings.Contains(body, `"not_found"`) {
				t.Errorf("%s, %.8s: %d %v %s", path, credential, answer.StatusCode, answer.Header, body)
			}
			if left--; answer.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(left) {
				t.Errorf("%s, %.8s: %s left, want %d", path, credential, answer.Header.Get("X-RateLimit-Remaining"), left)
			}
		}
	}
}

// ear stands before the providers and notes addresses and headers of what they
// are asked.
type ear struct {
	http.Handler
	mu    sync.Mutex
	heard []string
}

func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.heard = append(e.heard, "GET: "+r.URL.String())
	for name, values := range r.Header {
		e.heard = append(e.heard, name+": "+strings.Join(values, ", "))
	}
	e.mu.Unlock()
	e.Handler.ServeHTTP(w, r)
}

// lines are what was noted so far.
func (e *ear) lines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard)
}

// knownBy are headers by which a caller can be known.
func knownBy(credential string) http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer " + credential}, "X-Api-Key": {credential}, "Cookie": {access.SessionCookie(false) + "=s3cret"},
		"X-Forwarded-For": {"203.0.113.77"}, "Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	}
}

// TestCase46NothingIsPassedOn: what a caller sends to be known by does not
// reach the providers, from whichever door.
func TestCase46NothingIsPassedOn(t *testing.T) {
	_, root := simulate(t, time.Now)
	to, err := url.Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	listening := &ear{Handler: httputil.NewSingleHostReverseProxy(to)}
	between := httptest.NewServer(listening)
	defer between.Close()
	up := setup{root: between.URL, log: slog.New(slog.DiscardHandler)}.providers(t)
	defer up.close()
	set, err := newSet(up, access.BuiltIn(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	base, _, _, key, token := signedIn(t, set, access.Pro)
	asKey, asToken := knownBy(key), knownBy(token)
	asToken.Del("X-Api-Key")
	for _, q := range []struct {
		method, path, body string
		header             http.Header
	}{
		{"POST", proPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_water_levels","arguments":{"station":"8443970"}}}`, asToken},
		{"POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nws_get_wind_forecast","arguments":{"station":"8443970"}}}`, asKey},
		{"GET", "/api/v1/stations/8443970/conditions", "", asKey},
	} {
		r, err := http.NewRequestWithContext(t.Context(), q.method, base+q.path, strings.NewReader(q.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = q.header
		before := len(listening.lines())
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 || len(listening.lines()) == before {
			t.Errorf("%s: %d, and the providers were asked for %d things", q.path, answer.StatusCode, len(listening.lines())-before)
		}
	}
	for _, line := range listening.lines() {
		name, value, _ := strings.Cut(line, ": ")
		if !slices.Contains([]string{"GET", "Accept", "Accept-Encoding", "User-Agent", "If-None-Match", "If-Modified-Since"}, name) {
			t.Errorf("a provider hears %s", line)
		}
		for _, theirs := range []string{key[:20], token[:20], "s3cret", "203.0.113.77", "@example.org"} {
			if strings.Contains(strings.ReplaceAll(value, contact, ""), theirs) {
				t.Errorf("a provider hears %s", line)
			}
		}
	}
}

// TestCase56NobodyIsAwaitedForLong: neither who sends slowly, nor who reads
// slowly, nor who does nothing.
func TestCase56NobodyIsAwaitedForLong(t *testing.T) {
	s := bounded(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if s.IdleTimeout > 30*time.Second {
		t.Errorf("a connection may be idle for %v, want 30 s at most", s.IdleTimeout)
	}
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout < s.ReadHeaderTimeout || s.WriteTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Errorf("headers %v, body %v, answer %v, between requests %v, %d bytes of headers", s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.MaxHeaderBytes)
	}
	if s.WriteTimeout > drainWithin {
		t.Errorf("an answer may take %v, a running request has %v to end", s.WriteTimeout, drainWithin)
	}
}

// TestCase56SlowConnectionsAreCut: the server that serve makes, in a hurry, ends
// the connection of who stops amid the headers, amid a body, or after an answer.
func TestCase56SlowConnectionsAreCut(t *testing.T) {
	door := startHandler(t).Config.Handler
	s := bounded(door, slog.New(slog.DiscardHandler))
	for _, patience := range []*time.Duration{&s.ReadHeaderTimeout, &s.ReadTimeout, &s.WriteTimeout, &s.IdleTimeout} {
		*patience = min(*patience, time.Second)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	const body = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\":"
	var all sync.WaitGroup
	for name, said := range map[string]string{
		"nothing": "", "half a line": "GET /liv", "half the headers": "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A", "half a body over MCP": "POST /mcp HTTP/1.1\r\n" + body,
		"half a body over REST": "POST /api/v1/decisions/trip-health HTTP/1.1\r\n" + body, "half a body to sign in": "POST /oauth/token HTTP/1.1\r\n" + body,
		"one request": "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		all.Go(func() {
			if got, err := cut(l.Addr().String(), said); err != nil || strings.HasPrefix(got, "HTTP/1.1 200") != (name == "one request") {
				t.Errorf("who says %s: got %.100q, %v, want the connection cut", name, got, err)
			}
		})
	}
	all.Wait()
}

// cut says something to a server, and returns what it says until it ends the
// connection; an error where it waits for a minute.
func cut(address, said string) (got string, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, said); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if errors.Is(err, syscall.ECONNRESET) {
		err = nil
	}
	return string(text), err
}
