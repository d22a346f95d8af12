package access_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/store"
)

const metadata = "https://tides.example.org/.well-known/oauth-protected-resource/pro/mcp"

// signedIn is the Need of the endpoint for access tokens.
var signedIn = access.Need{
	By: access.Key | access.SignedIn, Scopes: []string{credential.MCPUse}, Metadata: metadata,
}

// newSignedIn returns an endpoint with that Need.
func newSignedIn(t *testing.T, c *clock, plans string) endpoint {
	t.Helper()
	d := newEndpoint(t, c, plans)
	d.on, d.need = limit.MCP, signedIn
	return d
}

// challenges are the WWW-Authenticate headers of the endpoint by error code.
var challenges = map[coast.Code]string{
	coast.CredentialRequired: `Bearer resource_metadata="` + metadata + `", scope="mcp:use"`,
	coast.InvalidCredential: `Bearer error="invalid_token", resource_metadata="` + metadata +
		`", scope="mcp:use"`,
	coast.InsufficientScope: `Bearer error="insufficient_scope", resource_metadata="` + metadata +
		`", scope="mcp:use"`,
}

// TestCase41OneCredential checks that a token is accepted only in the Authorization header, and
// not together with another credential.
func TestCase41OneCredential(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{"anonymous": {"perMinute": 60000}}`)
	account := d.Account(t, access.Pro)
	token, other, key := d.Token(t, account), d.Token(t, account), d.Key(t, account)
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		code    coast.Code
		limit   int
	}{
		{"none", nil, 401, coast.CredentialRequired, 60000},
		{"token", []string{"Authorization", "Bearer " + token}, 200, "", 3000},
		{"bearer in lower case", []string{"Authorization", "bearer " + token}, 200, "", 3000},
		{"the same twice",
			[]string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + token}, 200, "", 3000},
		{"key", []string{"Authorization", "Bearer " + key}, 200, "", 3000},
		{"key in its own header", []string{"x-api-key", key}, 200, "", 3000},
		{"two tokens", []string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + other},
			400, coast.InvalidRequest, 60000},
		{"token and Basic", []string{"Authorization", "Bearer " + token, "Authorization", "Basic eDp5"},
			401, coast.InvalidCredential, 60000},
		{"token and key", []string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + key},
			400, coast.InvalidRequest, 60000},
		{"token, and key in its own header",
			[]string{"Authorization", "Bearer " + token, "x-api-key", key}, 400, coast.InvalidRequest,
			60000},
		{"token in the key's header", []string{"x-api-key", token}, 401, coast.InvalidCredential, 60000},
		{"token in both", []string{"Authorization", "Bearer " + token, "x-api-key", token}, 401,
			coast.InvalidCredential, 60000},
		{"token without a scheme", []string{"Authorization", token}, 401, coast.InvalidCredential, 60000},
		{"misspelled token", []string{"Authorization", "Bearer " + token + "x"}, 401,
			coast.InvalidCredential, 60000},
		{"misspelled key", []string{"Authorization", "Bearer " + key + "x"}, 401, coast.InvalidCredential,
			60000},
		{"two words", []string{"Authorization", "Bearer " + token + " " + token}, 401,
			coast.InvalidCredential, 60000},
		{"cookie", []string{"Cookie", credential.SessionCookie(false) + "=" + token}, 401,
			coast.CredentialRequired, 60000},
	} {
		w := d.send(request("192.0.2.1:1", test.headers...))
		if w.Code != test.status || code(w) != test.code ||
			figure(t, w, "X-RateLimit-Limit") != test.limit {
			t.Errorf("%s: %d %s, limit %s, want %d %s, %d", test.name, w.Code, w.Body,
				w.Header().Get("X-RateLimit-Limit"), test.status, test.code, test.limit)
		}
		if got := w.Header().Get("WWW-Authenticate"); got != challenges[test.code] {
			t.Errorf("%s: challenge %s, want %s", test.name, got, challenges[test.code])
		}
	}
	r := request("192.0.2.1:1")
	r.URL.RawQuery = "access_token=" + token + "&token=" + token
	if w := d.send(r); w.Code != 401 || code(w) != coast.CredentialRequired {
		t.Errorf("a token in the query string: %d %s", w.Code, w.Body)
	}
}

// TestTokensElsewhere checks that endpoints that do not accept tokens refuse them, without
// hints about how to get one.
func TestTokensElsewhere(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	token := d.Token(t, d.Account(t, access.Pro), credential.Scopes()...)
	for _, need := range []access.Need{
		data, {By: access.Key}, {By: access.Session},
		{By: access.Key | access.Session, Scopes: []string{credential.UsageRead}},
	} {
		d.need = need
		w := d.withKey(token)
		if w.Code != 401 || code(w) != coast.InvalidCredential ||
			w.Header().Get("WWW-Authenticate") != `Bearer error="invalid_token"` ||
			!strings.Contains(w.Body.String(), "/pro/mcp only") {
			t.Errorf("%+v: %d %s, challenge %s", need, w.Code, w.Body, w.Header().Get("WWW-Authenticate"))
		}
	}
	if asked := d.Asked.Load(); asked != 0 {
		t.Errorf("the token was verified %d times, want 0", asked)
	}
}

// TestNobodySignsIn checks that a server without sign-in says so in its errors and accepts
// keys.
func TestNobodySignsIn(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	d.need.Metadata = ""
	d.Gate.Gate = access.New(access.Config{
		Store: d.Store, StoreTimeout: accesstest.StoreTimeout,
		Keys: d.Keys, Plans: access.BuiltIn(), Now: accesstest.Now,
		AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
	})
	defer d.Close()
	account := d.Account(t, access.Pro)
	for _, test := range []struct {
		credential, challenge string
		status                int
	}{{d.Key(t, account), "", 200}, {d.Token(t, account), `Bearer error="invalid_token"`, 401}} {
		if w := d.withKey(test.credential); w.Code != test.status ||
			w.Header().Get("WWW-Authenticate") != test.challenge {
			t.Errorf("%d %s, challenge %s, want %d",
				w.Code, w.Body, w.Header().Get("WWW-Authenticate"), test.status)
		}
	}
	if w := d.send(request("192.0.2.1:1")); w.Code != 401 ||
		w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without a credential: %d, challenge %s", w.Code, w.Header().Get("WWW-Authenticate"))
	}
}

// TestCase42Scopes checks that the error for a missing scope lists all required scopes.
func TestCase42Scopes(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	narrow := []string{
		d.Token(t, account, credential.RawRead, credential.UsageRead),
		d.Key(t, account, credential.RawRead),
	}
	for _, credential := range narrow {
		w := d.withKey(credential)
		if w.Code != 403 || code(w) != coast.InsufficientScope ||
			w.Header().Get("WWW-Authenticate") != challenges[coast.InsufficientScope] {
			t.Errorf("%d %s, challenge %s", w.Code, w.Body, w.Header().Get("WWW-Authenticate"))
		}
	}
	d.need.Scopes = []string{credential.MCPUse, credential.DecisionRead}
	w := d.withKey(narrow[0])
	got, want := w.Header().Get("WWW-Authenticate"),
		`Bearer error="insufficient_scope", resource_metadata="`+metadata+
			`", scope="mcp:use decision:read"`
	if got != want {
		t.Errorf("challenge %s, want %s", got, want)
	}
	if !strings.Contains(w.Body.String(),
		"The access token lacks the scope mcp:use or decision:read; it has raw:read, usage:read.") {
		t.Errorf("%s", w.Body)
	}
}

// TestTokenIsVerifiedOnce checks that a token is verified once, is verified again after a
// change, and is never accepted after its expiry.
func TestTokenIsVerifiedOnce(t *testing.T) {
	c := newClock(noon)
	d := newSignedIn(t, c, `{}`)
	token := d.Token(t, d.Account(t, access.Free))
	for i, step := range []struct {
		before func()
		asked  int64
		status int
	}{
		{func() {}, 1, 200}, {func() {}, 1, 200},
		{func() { d.Gate.Invalidate([]store.Change{{}}) }, 2, 200}, {func() {}, 2, 200},
		{func() { c.set(noon.Add(time.Hour - 1)) }, 2, 200},
		{func() { c.set(noon.Add(time.Hour)) }, 2, 401}, // cached, and dropped
		{func() {}, 3, 401},
	} {
		step.before()
		if w := d.withKey(token); w.Code != step.status || d.Asked.Load() != step.asked {
			t.Errorf("step %d: %d, verified %d times, want %d, %d",
				i, w.Code, d.Asked.Load(), step.status, step.asked)
		}
	}
}

// TestTokenCacheIsBounded checks that ten thousand tokens are cached, and that further tokens
// are accepted too.
func TestTokenCacheIsBounded(t *testing.T) {
	t.Parallel()
	const most = 10_000
	d := newSignedIn(t, newClock(noon), `{"bench": {"perMinute": 65535, "perMonth": 1000000000}}`)
	account := d.Account(t, accesstest.Bench)
	tokens, r := make([]string, most+100), request("192.0.2.1:1")
	for i := range tokens {
		tokens[i] = d.Token(t, account)
		r.Header["Authorization"] = []string{"Bearer " + tokens[i]}
		if status := d.statusOf(r); status != 200 {
			t.Fatalf("token %d: %d", i, status)
		}
	}
	d.Asked.Store(0)
	for _, token := range tokens {
		r.Header["Authorization"] = []string{"Bearer " + token}
		d.statusOf(r)
	}
	// Each new cache entry evicts another, which a later request may need.
	if asked := d.Asked.Load(); asked < 100 || asked > 1000 {
		t.Errorf("%d of %d were verified again, want the 100 beyond %d and few more",
			asked, len(tokens), most)
	}
}

// TestTokenWhileTheStoreFails checks that a token that cannot be verified gets 503 and not 401,
// because clients discard tokens on 401.
func TestTokenWhileTheStoreFails(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	warm, cold := d.Token(t, d.Account(t, access.Free)), d.Token(t, d.Account(t, access.Free))
	d.withKey(warm)
	d.Store.Close()
	for token, status := range map[string]int{warm: 200, cold: 503} {
		w := d.withKey(token)
		if w.Code != status ||
			status == 503 &&
				(code(w) != coast.StoreUnavailable || w.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%d %v %s, want %d", w.Code, w.Header(), w.Body, status)
		}
	}
}

// TestTokenOfAnotherPlan checks that an account whose plan no longer exists is refused.
func TestTokenOfAnotherPlan(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	if w := d.withKey(d.Token(t, d.Account(t, "gold"))); w.Code != 403 ||
		code(w) != coast.PlanRequired {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestCase45TierChangesAtOnce checks that a caller with a token has the current tier of the
// account.
func TestCase45TierChangesAtOnce(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	token := d.Token(t, account)
	for _, plan := range []struct {
		name         string
		minute, left int
	}{{"free", 300, 9_999}, {"pro", 3_000, 250_000 - 2}, {"free", 300, 10_000 - 3}} {
		if err := d.Store.SetPlan(t.Context(), account, plan.name); err != nil {
			t.Fatal(err)
		}
		d.Gate.Invalidate([]store.Change{{}})
		w := d.withKey(token)
		minute, left := figure(t, w, "X-RateLimit-Limit"), figure(t, w, "X-Quota-Month-Remaining")
		if minute != plan.minute || left != plan.left {
			t.Errorf("%s: %d a minute, %d left, want %d, %d",
				plan.name, minute, left, plan.minute, plan.left)
		}
	}
	if w := d.withKey(d.Key(t, account)); figure(t, w, "X-Quota-Month-Remaining") != 10_000-4 {
		t.Errorf("a key of the account has its own quota: %v", w.Header())
	}
}

// TestCase60EndsAtOnce checks that a token is refused from the next request on after its grant
// or account was removed, also with concurrent requests.
func TestCase60EndsAtOnce(t *testing.T) {
	t.Parallel()
	d := newSignedIn(t, newClock(noon),
		`{"anonymous": {"perMinute": 65535}, "free": {"perMinute": 65535, "perMonth": 1000000}}`)
	account := d.Account(t, access.Free)
	for _, end := range []func(token string) error{
		func(token string) error { d.Withdraw(token); return nil },
		func(string) error { return d.Store.RemoveAccount(t.Context(), account) },
	} {
		token := d.Token(t, account)
		if w := d.withKey(token); w.Code != 200 {
			t.Errorf("at first %d %s", w.Code, w.Body)
		}
		var dead atomic.Bool
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for range 200 {
					was := dead.Load()
					if w := d.withKey(token); w.Code == 200 && was {
						t.Error("served after the removal")
					}
				}
			})
		}
		if err := end(token); err != nil {
			t.Error(err)
		}
		d.Gate.Invalidate([]store.Change{{}})
		dead.Store(true)
		callers.Wait()
		if w := d.withKey(token); w.Code != 401 ||
			w.Header().Get("WWW-Authenticate") != challenges[coast.InvalidCredential] {
			t.Errorf("after the removal: %d, challenge %s", w.Code, w.Header().Get("WWW-Authenticate"))
		}
	}
}

// TestCase60DuringVerification checks that a token is not cached if its grant ends while the
// token is being verified.
func TestCase60DuringVerification(t *testing.T) {
	real := newSignedIn(t, newClock(noon), `{}`)
	read, forgotten := make(chan bool), make(chan bool)
	gate := access.New(access.Config{
		Store: real.Store, StoreTimeout: accesstest.StoreTimeout,
		Keys: real.Keys, Plans: access.BuiltIn(), Now: newClock(noon).now,
		AppendID: edge.AppendID,
		Log:      slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
		Token: func(ctx context.Context, token string) (credential.Token, error) {
			found, err := real.Verify(ctx, token)
			if err == nil {
				read <- true
				<-forgotten
			}
			return found, err
		},
	})
	defer gate.Close()
	d := endpoint{&accesstest.Gate{Gate: gate}, limit.MCP, signedIn, http.StatusOK}
	token := real.Token(t, real.Account(t, access.Free))
	answered := make(chan int)
	go func() { answered <- d.withKey(token).Code }()
	<-read
	real.Withdraw(token)
	gate.Invalidate([]store.Change{{}})
	forgotten <- true
	<-answered // the request began before the end
	if w := d.withKey(token); w.Code != 401 {
		t.Errorf("after the removal: %d", w.Code)
	}
}

// TestCallerOfToken checks that operations see the app and the account behind a token.
func TestCallerOfToken(t *testing.T) {
	d := newSignedIn(t, newClock(noon), `{}`)
	account := d.Account(t, access.Pro)
	token := d.Token(t, account)
	var got access.Caller
	d.Wrap(d.on, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := d.Admit(r, d.need); err != nil {
			t.Error(err)
		}
		got, _ = access.CallerFrom(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), request("192.0.2.1:1", "Authorization", "Bearer "+token))
	want := access.Caller{
		Tier: access.Pro, Account: account, Email: "person1@example.org", Grant: d.GrantOf(token),
		App: accesstest.App, Scopes: []string{credential.MCPUse}, Address: got.Address,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestCount checks that Count uses the limit of the address with any credential.
func TestCount(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{"anonymous": {"perMinute": 3}}`)
	key := d.Key(t, d.Account(t, access.Pro))
	h := d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.Count(r.Context()); err != nil {
			coast.WriteError(w, err)
		}
	}))
	for i, test := range []struct {
		credential string
		status     int
	}{{"Bearer " + key, 200}, {"Bearer nonsense", 200}, {"Basic eDp5", 200}, {"Bearer " + key, 429}} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("192.0.2.1:1", "Authorization", test.credential))
		if w.Code != test.status || figure(t, w, "X-RateLimit-Limit") != 3 ||
			w.Header().Get("WWW-Authenticate") != "" {
			t.Errorf("request %d: %d %v, want %d", i, w.Code, w.Header(), test.status)
		}
	}
	if err := d.Count(t.Context()); err == nil {
		t.Error("a request that did not pass the gate was counted")
	}
}
