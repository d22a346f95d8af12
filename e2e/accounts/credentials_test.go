package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/server"
)

const whoami = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami"}}`

// accountOf returns the account of a key.
func accountOf(t testing.TB, k *server.Storage, key string) string {
	t.Helper()
	id, _ := credential.KeyID(key)
	record, err := k.Keys.Key(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return record.Account
}

// signedIn starts a server where people can sign in, with a key and a token of one
// account.
func signedIn(t *testing.T, s product.Setup, plan access.Tier) (base string, k *server.Storage,
	key, token string) {
	t.Helper()
	var tokens *accesstest.Tokens
	s.Token = func(ctx context.Context, text string) (credential.Token, error) {
		return tokens.Verify(ctx, text)
	}
	p := s.Start(t)
	k = p.Storage()
	tokens = accesstest.NewTokens(k.Store, s.Clock())
	key = product.NewKey(t, k, plan)
	return p.URL, k, key, tokens.Token(t, accountOf(t, k, key))
}

// whoIs returns the account of a credential as /pro/mcp reports it.
func whoIs(t *testing.T, base, credential string) (tier, identifiedBy string, status int) {
	t.Helper()
	answer, body := product.Query{
		Method: "POST",
		Path:   "/pro/mcp?view=full",
		Key:    credential,
		Body:   whoami,
	}.AnswerOf(
		t,
		base,
	)
	var got struct {
		Result struct {
			StructuredContent struct{ Tier, IdentifiedBy string }
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return got.Result.StructuredContent.Tier,
		got.Result.StructuredContent.IdentifiedBy, answer.StatusCode
}

// TestWhoConnected checks that whoami returns the account that an app is connected
// to.
func TestWhoConnected(t *testing.T) {
	base, k, key, token := signedIn(t, product.Setup{Now: product.Noon, Offline: true}, access.Pro)
	account, err := k.Store.Account(t.Context(), accountOf(t, k, key))
	if err != nil {
		t.Fatal(err)
	}
	tier, by, status := whoIs(t, base, token)
	if want := "the app " + accesstest.App + ", connected to the account " +
		account.Email; tier != "pro" || by != want || status != 200 {
		t.Errorf("%d, %s, identified by %q, want %q", status, tier, by, want)
	}
	if tier, by, status := whoIs(t, base, key); tier != "pro" ||
		!strings.HasPrefix(by, "API key ") || status != 200 {
		t.Errorf("%d, %s, identified by %q", status, tier, by)
	}
}

// TestCase45TierChangesInTheStore checks that a new plan of an account applies to
// the next request of its apps.
func TestCase45TierChangesInTheStore(t *testing.T) {
	base, k, key, token := signedIn(t, product.Setup{Now: product.Noon, Offline: true}, access.Free)
	for _, plan := range []string{"free", "pro", "free"} {
		if err := k.Store.SetPlan(t.Context(), accountOf(t, k, key), plan); err != nil {
			t.Fatal(err)
		}
		for _, credential := range []string{key, token} {
			product.Eventually(t, "a caller on the plan "+plan, func() bool {
				tier, _, status := whoIs(t, base, credential)
				return tier == plan && status == 200
			})
		}
	}
}

// TestCase60AccountIsRemoved checks that removing an account revokes its keys and
// apps at once.
func TestCase60AccountIsRemoved(t *testing.T) {
	base, k, key, token := signedIn(t, product.Setup{Now: product.Noon, Offline: true}, access.Free)
	for _, want := range []int{200, 401} {
		for _, credential := range []string{key, token} {
			product.Eventually(t, fmt.Sprintf("the status %d", want), func() bool {
				_, _, status := whoIs(t, base, credential)
				return status == want
			})
		}
		if want == 200 {
			if err := k.Store.RemoveAccount(t.Context(), accountOf(t, k, key)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCase60KeyIsRevoked checks that a key that was accepted before is refused on all endpoints
// with the next request, for each way of revoking it, and that no other key is refused.
func TestCase60KeyIsRevoked(t *testing.T) {
	setup := product.Setup{Now: product.Noon, Offline: true}
	base, k, bystander, token := signedIn(t, setup, access.Pro)
	requests := []product.Query{
		{Method: "POST", Path: "/mcp", Body: whoami},
		{Method: "POST", Path: "/pro/mcp", Body: whoami},
		{Path: "/api/v1/stations/8443970"},
		{
			Method: "POST", Path: "/api/v1/decisions/best-window", Body: product.Windows("fishing", 2),
		},
		{Path: "/api/developer/usage"},
	}
	knock := func(what, credential string, want int) {
		t.Helper()
		for _, q := range requests {
			q.Key = credential
			product.Eventually(t, fmt.Sprintf("%s: %d at %s", what, want, q.Path), func() bool {
				answer, _ := q.AnswerOf(t, base)
				return answer.StatusCode == want
			})
		}
	}
	for what, revoke := range map[string]func(key string) error{
		"by the operator": func(key string) error {
			id, _ := credential.KeyID(key)
			return k.Keys.Revoke(t.Context(), id)
		},
		"in the store": func(key string) error {
			id, _ := credential.KeyID(key)
			return k.Store.RevokeKey(t.Context(), id, product.Noon())
		},
		"by itself": func(key string) error {
			id, _ := credential.KeyID(key)
			answer, body := product.Query{
				Method: "POST", Path: "/api/developer/keys/revoke", Key: key, Body: `{"id":"` + id + `"}`,
			}.AnswerOf(t, base)
			if answer.StatusCode != http.StatusOK {
				return errors.New(body)
			}
			return nil
		},
	} {
		key := product.NewKey(t, k, access.Pro)
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

// signInPaths are paths of the authorization server with the statuses of a GET.
var signInPaths = map[string]int{
	"/oauth/authorize": 400, "/oauth/nothing": 404, "/account/apps": 303,
	"/.well-known/oauth-protected-resource/pro/mcp": 200,
	"/.well-known/oauth-protected-resource/mcp":     404,
	"/.well-known/oauth-authorization-server":       404,
	"/.well-known/openid-configuration/pro/mcp":     200,
	"/pro/mcp/.well-known/openid-configuration":     200,
}

// TestSignInPaths checks that these paths ignore API credentials and cost nothing,
// and that all return 404 on a server without sign-in.
func TestSignInPaths(t *testing.T) {
	base, _, key, token := signedIn(t, product.Setup{Now: product.Noon, Offline: true}, access.Free)
	closed := product.Mount(t)
	for path, status := range signInPaths {
		for _, credential := range []string{"", "nonsense", key, token} {
			answer, body := product.Query{Path: path, Key: credential}.AnswerOf(t, base)
			if answer.StatusCode != status || answer.Header.Get("WWW-Authenticate") != "" {
				t.Errorf("%s, %.8s: %d %s", path, credential, answer.StatusCode, body)
			}
			without, text := product.Query{
				Method: "POST",
				Path:   path,
				Key:    credential,
				Body:   "{}",
			}.AnswerOf(
				t,
				closed.URL,
			)
			if without.StatusCode != 404 || without.Header.Get("Content-Type") != "application/json" ||
				without.Header.Get("WWW-Authenticate") != "" ||
				!strings.Contains(text, `"not_found"`) {
				t.Errorf("%s, %.8s, without sign-in: %d %v %s",
					path, credential, without.StatusCode, without.Header, text)
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

// TestUnknownPaths checks that a client whose credential was refused gets 404 at
// the paths where it tries to sign in, for one request of its rate limit.
func TestUnknownPaths(t *testing.T) {
	server := product.MountAlone(t) // requests are counted exactly
	k := server.Storage()
	left := 65535
	for _, path := range []string{
		"/register", "/token", "/authorize", "/pro/mcp/", "/pro", "/oauth", "/mcp/sse",
	} {
		for _, credential := range []string{"", "nonsense", product.NewKey(t, k, access.Pro)} {
			answer, body := product.Query{
				Method: "POST",
				Path:   path,
				Key:    credential,
				Body:   "{}",
			}.AnswerOf(
				t,
				server.URL,
			)
			wantHeaders(t, path, answer.Header)
			if answer.StatusCode != 404 || answer.Header.Get("WWW-Authenticate") != "" ||
				!strings.Contains(body, `"not_found"`) {
				t.Errorf(
					"%s, %.8s: %d %v %s",
					path,
					credential,
					answer.StatusCode,
					answer.Header,
					body,
				)
			}
			if left--; answer.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(left) {
				t.Errorf("%s, %.8s: %s left, want %d",
					path, credential, answer.Header.Get("X-RateLimit-Remaining"), left)
			}
		}
	}
}

// recorder is a proxy of the providers that records the URLs and headers of
// requests.
type recorder struct {
	http.Handler
	mu       sync.Mutex
	recorded []string
}

func (e *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.recorded = append(e.recorded, "GET: "+r.URL.String())
	for name, values := range r.Header {
		e.recorded = append(e.recorded, name+": "+strings.Join(values, ", "))
	}
	e.mu.Unlock()
	e.Handler.ServeHTTP(w, r)
}

// lines returns a copy of the recorded lines.
func (e *recorder) lines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.recorded)
}

// knownBy returns headers that identify a caller.
func knownBy(secret string) http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer " + secret},
		"X-Api-Key": {secret}, "Cookie": {credential.SessionCookie(false) + "=s3cret"},
		"X-Forwarded-For": {"203.0.113.77"},
		"Traceparent":     {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	}
}

// TestCase46NothingIsPassedOn checks that no credential of a caller reaches the providers, from
// any endpoint.
func TestCase46NothingIsPassedOn(t *testing.T) {
	_, root := product.Simulate(t, nil)
	to, err := url.Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	listening := &recorder{Handler: httputil.NewSingleHostReverseProxy(to)}
	between := httptest.NewServer(listening)
	defer between.Close()
	base, _, key, token := signedIn(t, product.Setup{Root: between.URL}, access.Pro)
	asKey, asToken := knownBy(key), knownBy(token)
	asToken.Del("X-Api-Key")
	for _, q := range []struct {
		method, path, body string
		header             http.Header
	}{
		{"POST", "/pro/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_water_levels","arguments":{"station":"8443970"}}}`, asToken},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nws_get_wind_forecast","arguments":{"station":"8443970"}}}`, asKey},
		{"GET", "/api/v1/stations/8443970/conditions", "", asKey},
	} {
		r, err := http.NewRequestWithContext(t.Context(), q.method, base+q.path,
			strings.NewReader(q.body))
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
			t.Errorf("%s: %d, with %d lines of provider requests",
				q.path, answer.StatusCode, len(listening.lines())-before)
		}
	}
	for _, line := range listening.lines() {
		name, value, _ := strings.Cut(line, ": ")
		if !slices.Contains([]string{
			"GET", "Accept", "Accept-Encoding", "User-Agent", "If-None-Match", "If-Modified-Since",
		}, name) {
			t.Errorf("a provider receives %s", line)
		}
		for _, theirs := range []string{key[:20], token[:20], "s3cret", "203.0.113.77", "@example.org"} {
			if strings.Contains(strings.ReplaceAll(value, product.Contact, ""), theirs) {
				t.Errorf("a provider receives %s", line)
			}
		}
	}
}
