package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/edge"
	"leadline/internal/login/logintest"
	"leadline/internal/session"
	"leadline/store"
)

func TestCase27CodeTwice(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	got := b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
	b.wantGood("at first", got.Access)
	b.wantError("again", b.post(tokenPath, a.redemption(b, code)), http.StatusBadRequest,
		"invalid_grant")
	b.wantInactive("after a replay", got.Access)
	b.wantError("refresh after a replay", b.post(tokenPath, a.refreshing(b, got.Refresh)),
		http.StatusBadRequest, "invalid_grant")
}

// TestCase27ReplayByAnybody checks that a reused code revokes its grant, even
// if the request comes from another client or too late.
func TestCase27ReplayByAnybody(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	other := b.register("other")
	for what, changes := range map[string][]string{
		"another client":   {"client_id", other.id, "code_verifier", other.verifier},
		"wrong verifier":   {"code_verifier", strings.Repeat("v", 43)},
		"no verifier":      {"code_verifier", ""},
		"another redirect": {"redirect_uri", "https://evil.example/back"}, "later": nil,
	} {
		code := b.browser().agree(a)
		got := b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
		if what == "later" {
			b.Pass(2 * codeLife)
		}
		b.wantGood(what+", before", got.Access)
		b.wantError(what, b.post(tokenPath, a.redemption(b, code, changes...)), http.StatusBadRequest,
			"invalid_grant")
		b.wantInactive(what, got.Access)
		b.wantError(what+", refresh", b.post(tokenPath, a.refreshing(b, got.Refresh)),
			http.StatusBadRequest, "invalid_grant")
	}
}

func TestCase28CodeOfAnother(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	other := b.register("other")
	code := b.browser().agree(a)
	for what, test := range map[string]struct {
		code    string
		changes []string
	}{
		"another client":   {"invalid_grant", []string{"client_id", other.id}},
		"another redirect": {"invalid_grant", []string{"redirect_uri", "http://127.0.0.1:33418/other"}},
		"another port":     {"invalid_grant", []string{"redirect_uri", "http://127.0.0.1:1/callback"}},
		"wrong verifier":   {"invalid_grant", []string{"code_verifier", strings.Repeat("v", 43)}},
		"no verifier":      {"invalid_request", []string{"code_verifier", ""}},
		"short verifier":   {"invalid_request", []string{"code_verifier", strings.Repeat("v", 42)}},
		"long verifier":    {"invalid_request", []string{"code_verifier", strings.Repeat("v", 129)}},
		"other characters": {"invalid_request", []string{"code_verifier", strings.Repeat("+", 43)}},
		"the challenge": {"invalid_grant",
			[]string{"code_verifier", a.query(b).Get("code_challenge")}},
		"another code":       {"invalid_grant", []string{"code", credential.NewSecret(codePrefix)}},
		"no code":            {"invalid_grant", []string{"code", ""}},
		"a refresh as code":  {"invalid_grant", []string{"code", b.tokens.refreshTokens.create("x")}},
		"a client from here": {"invalid_client", []string{"client_id", "nobody"}},
	} {
		got := b.post(tokenPath, a.redemption(b, code, test.changes...))
		status := http.StatusBadRequest
		if test.code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		b.wantError(what, got, status, test.code)
	}
	b.tokensOf(b.post(tokenPath, a.redemption(b, code))) // no refused request has used it up
}

// put stores an authorization code of an app, with a grant for
// logintest.Somebody, that is valid until a time.
func (b *bench) put(a registered, challenge string, until time.Time) (code string) {
	b.Helper()
	account, ok := b.accountOf(logintest.Somebody)
	if !ok {
		b.Fatal("there is no account of logintest.Somebody")
	}
	code = credential.NewSecret(codePrefix)
	g := store.Grant{
		ID: edge.NewID(b.Now()), Account: account.ID, Client: a.id, Name: "app", RedirectURI: a.redirect,
		Scopes: []string{credential.MCPUse}, Resource: b.resource, Created: b.Now(), Used: b.Now(),
		Expires: until,
	}
	if err := b.Site.Store.AddCode(b.Context(),
		store.Code{Hash: credential.HashSecret(code), Challenge: challenge,
			Expires: b.Now().Add(codeLife), Grant: g}); err != nil {
		b.Fatal(err)
	}
	return code
}

// TestCase28CodeWithoutChallenge checks that no code is issued without a
// challenge. If the store contained such a code, it could not be exchanged with
// or without a verifier.
func TestCase28CodeWithoutChallenge(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.put(a, "", b.Now().Add(grantLife))
	b.wantError("with a verifier", b.post(tokenPath, a.redemption(b, code)), http.StatusBadRequest,
		"invalid_grant")
	b.wantError("without", b.post(tokenPath, a.redemption(b, code, "code_verifier", "")),
		http.StatusBadRequest, "invalid_request")
	code = b.put(a, a.query(b).Get("code_challenge"), b.Now().Add(grantLife))
	b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
}

func TestCase29CodeExpires(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	b.Pass(codeLife)
	b.wantError("a minute later", b.post(tokenPath, a.redemption(b, code)), http.StatusBadRequest,
		"invalid_grant")
	code = b.browser().agree(a)
	b.Pass(codeLife - time.Second)
	b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
}

func TestCase30CodeRacesItself(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	answers := together(20, func() logintest.Reply { return b.post(tokenPath, a.redemption(b, code)) })
	won := 0
	for _, got := range answers {
		if got.StatusCode == http.StatusOK {
			won++
			b.wantInactive("a code that twenty had", b.tokensOf(got).Access)
			continue
		}
		b.wantError("the others", got, http.StatusBadRequest, "invalid_grant")
	}
	if won != 1 {
		t.Errorf("%d of 20 succeeded, want 1", won)
	}
}

// together calls f n times concurrently.
func together(n int, f func() logintest.Reply) []logintest.Reply {
	answers := make([]logintest.Reply, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i] = f() })
	}
	all.Wait()
	return answers
}

func TestCase31OtherResource(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	b.wantError("code", b.post(tokenPath, a.redemption(b, code, "resource", b.Site.Base+"/mcp")),
		http.StatusBadRequest, "invalid_target")
	got := b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
	b.wantError("refresh",
		b.post(tokenPath, a.refreshing(b, got.Refresh, "resource", "https://elsewhere.example/")),
		http.StatusBadRequest, "invalid_target")
	b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh, "resource", "")))
}

func TestCase32ScopeIsNotWidened(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	for _, scope := range []string{"mcp:use offline_access", "mcp:use decision:read",
		"webhook:write"} {
		b.wantError(scope, b.post(tokenPath, a.refreshing(b, got.Refresh, "scope", scope)),
			http.StatusBadRequest, "invalid_scope")
	}
	if next := b.tokensOf(b.post(tokenPath,
		a.refreshing(b, got.Refresh, "scope", "mcp:use"))); next.Scope != "mcp:use" {
		t.Errorf("scope %q, want mcp:use", next.Scope)
	}
}

func TestCase33RefreshRotates(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	first := b.connect(a)
	second := b.tokensOf(b.post(tokenPath, a.refreshing(b, first.Refresh)))
	if second.Refresh == first.Refresh || second.Access == first.Access {
		t.Error("a refresh gives the same tokens")
	}
	b.Pass(refreshGrace - time.Second)
	again := b.tokensOf(b.post(tokenPath, a.refreshing(b, first.Refresh)))
	if again != second {
		t.Errorf("within the grace: got %+v, want the same successor %+v", again, second)
	}
	third := b.tokensOf(b.post(tokenPath, a.refreshing(b, second.Refresh)))
	b.wantGood("a third", third.Access)
	b.Pass(2 * time.Second)
	b.wantError("past the grace", b.post(tokenPath, a.refreshing(b, first.Refresh)),
		http.StatusBadRequest, "invalid_grant")
	b.wantInactive("access after a reuse", third.Access)
	b.wantError("refresh after a reuse", b.post(tokenPath, a.refreshing(b, third.Refresh)),
		http.StatusBadRequest, "invalid_grant")
	if !strings.Contains(b.Logged.String(), "long after it was replaced") ||
		strings.Contains(b.Logged.String(), first.Refresh) {
		t.Errorf("the log does not report it, or has the token:\n%s", b.Logged)
	}
}

// TestCase33ParallelRefresh checks that fifty processes that share a token stay
// signed in and get the same successor.
func TestCase33ParallelRefresh(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	first := b.connect(a)
	answers := together(50,
		func() logintest.Reply { return b.post(tokenPath, a.refreshing(b, first.Refresh)) })
	next := b.tokensOf(answers[0])
	for _, got := range answers {
		if of := b.tokensOf(got); of != next {
			t.Errorf("got %+v, want the one successor %+v", of, next)
		}
	}
	b.wantGood("the successor", next.Access)
	b.Pass(2 * refreshGrace)
	b.wantGood("later", b.tokensOf(b.post(tokenPath, a.refreshing(b, next.Refresh))).Access)
}

func TestCase34RefreshOfAnotherClient(t *testing.T) {
	b := newBench(t)
	a, other := b.register("app"), b.register("other")
	got := b.connect(a)
	b.wantError("another client", b.post(tokenPath, other.refreshing(b, got.Refresh)),
		http.StatusBadRequest, "invalid_grant")
	for what, token := range map[string]string{
		"none": "", "made up": credential.NewSecret(refreshPrefix),
		"cut": got.Refresh[:len(got.Refresh)-1], "an access token": got.Access,
		"changed": got.Refresh + "A"} {
		b.wantError(what, b.post(tokenPath, a.refreshing(b, token)), http.StatusBadRequest,
			"invalid_grant")
	}
	b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh))) // the successor is still valid
}

func TestCase35TokenEndpointTakesFormsAlone(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	w := b.browser()
	if got := w.Get(tokenPath); got.StatusCode != http.StatusMethodNotAllowed ||
		!strings.Contains(got.Header.Get("Allow"), "POST") {
		t.Errorf("GET: got %d, Allow %q, want 405", got.StatusCode, got.Header.Get("Allow"))
	}
	form := a.redemption(b, code)
	r := w.Request(http.MethodPost, tokenPath, `{"grant_type":"authorization_code"}`)
	r.Header.Set("Content-Type", "application/json")
	b.wantError("JSON", w.Do(r), http.StatusBadRequest, "invalid_request")
	b.wantError("in the address", w.Post(tokenPath+"?"+form.Encode(), url.Values{}),
		http.StatusBadRequest, "invalid_request")
	b.wantError("secret in the address", w.Post(tokenPath+"?client_secret=x", form),
		http.StatusBadRequest, "invalid_request")
	twice := cloned(form)
	twice.Add("code", code)
	b.wantError("twice", w.Post(tokenPath, twice), http.StatusBadRequest, "invalid_request")
	b.wantError("too long",
		w.Post(tokenPath,
			logintest.Changed(cloned(form), "code", strings.Repeat("c", session.LongestForm))),
		http.StatusBadRequest, "invalid_request")
	b.tokensOf(w.Post(tokenPath, form))
}

func TestCase36TokensAreNotStored(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	for what, got := range map[string]logintest.Reply{"error": b.post(tokenPath, a.redemption(b, "x")),
		"tokens": b.post(tokenPath, a.redemption(b, code))} {
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Pragma") != "no-cache" ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", what, got.Header)
		}
	}
}

func TestCase38OtherGrants(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, grant := range []string{"password", "client_credentials", "implicit",
		"urn:ietf:params:oauth:grant-type:jwt-bearer", "CODE"} {
		b.wantError(grant,
			b.post(tokenPath,
				a.redemption(b, "x", "grant_type", grant, "username", logintest.Somebody, "password",
					logintest.Password)), http.StatusBadRequest, "unsupported_grant_type")
	}
	b.wantError("none", b.post(tokenPath, a.redemption(b, "x", "grant_type", "")),
		http.StatusBadRequest, "invalid_request")
}

// TestCase39GuessesComeToNothing checks that codes and tokens have 256 random
// bits, so that guessing needs no other limit. Guesses must not revoke a grant
// or be logged.
func TestCase39GuessesComeToNothing(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.browser().agree(a)
	got := b.connect(a)
	grant, _ := b.tokens.refreshTokens.grantOf(got.Refresh)
	var guesses []string
	for range 64 {
		inside := strings.Split(got.Refresh,
			".") // an existing grant with a wrong secret, and with a wrong MAC
		inside[1] = credential.NewSecret("")
		guess := map[string]string{
			"code":    credential.NewSecret(codePrefix),
			"refresh": credential.NewSecret(refreshPrefix+grant+".") + "." + credential.NewSecret("")[:22],
			"secret":  strings.Join(inside, "."), "token": credential.NewSecret(""),
		}
		b.wantError("a code", b.post(tokenPath, a.redemption(b, guess["code"])), http.StatusBadRequest,
			"invalid_grant")
		b.wantError("a refresh token", b.post(tokenPath, a.refreshing(b, guess["refresh"])),
			http.StatusBadRequest, "invalid_grant")
		b.wantError("a refresh token's secret", b.post(tokenPath, a.refreshing(b, guess["secret"])),
			http.StatusBadRequest, "invalid_grant")
		for _, token := range guess {
			if done := b.post(revokePath,
				url.Values{"token": {token}, "client_id": {a.id}}); done.StatusCode != http.StatusOK ||
				done.Text != "" {
				t.Errorf("revoking a guess: got %d %s, want 200", done.StatusCode, done.Text)
			}
			guesses = append(guesses, token)
		}
	}
	b.wantGood("the connection", got.Access)
	b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
	b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
	for name, length := range map[string]int{codePrefix: len(code) - len(codePrefix),
		refreshPrefix: len(strings.Split(got.Refresh, ".")[1])} {
		if length < 43 {
			t.Errorf("a secret %s has %d characters, want the 43 of 256 bits", name, length)
		}
	}
	for _, guess := range append(guesses, code, got.Refresh, got.Access) {
		if strings.Contains(b.Logged.String(), guess) {
			t.Errorf("the log holds %s:\n%s", guess, b.Logged)
		}
	}
}

func TestCase59Revocation(t *testing.T) {
	b := newBench(t)
	a, other := b.register("app"), b.register("other")
	for _, which := range []string{"refresh", "access", "replaced", "expired"} {
		got := b.connect(a)
		token := got.Refresh
		switch which {
		case "access":
			token = got.Access
		case "replaced":
			got = b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
		case "expired":
			token = got.Access
			b.Pass(2 * tokenLife)
			got = b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
		}
		b.wantError(which+" by another client",
			b.post(revokePath, url.Values{"token": {token}, "client_id": {other.id}}), http.StatusBadRequest,
			"unauthorized_client")
		b.wantGood(which+" refused", got.Access)
		for range 2 {
			if done := b.post(revokePath,
				url.Values{"token": {token}, "client_id": {a.id},
					"token_type_hint": {"anything"}}); done.StatusCode != http.StatusOK {
				t.Errorf("%s: got %d %s, want 200", which, done.StatusCode, done.Text)
			}
		}
		b.wantInactive(which+" revoked", got.Access)
		b.wantError(which+" revoked", b.post(tokenPath, a.refreshing(b, got.Refresh)),
			http.StatusBadRequest, "invalid_grant")
	}
	for _, token := range []string{"unknown", credential.NewSecret(refreshPrefix), "a.b.c"} {
		if done := b.post(revokePath,
			url.Values{"token": {token}, "client_id": {a.id}}); done.StatusCode != http.StatusOK ||
			done.Text != "" {
			t.Errorf("%s: got %d %s, want 200", token, done.StatusCode, done.Text)
		}
	}
	b.wantError("no token", b.post(revokePath, url.Values{"client_id": {a.id}}), http.StatusBadRequest,
		"invalid_request")
	b.wantError("no client", b.post(revokePath, url.Values{"token": {"x"}}), http.StatusUnauthorized,
		"invalid_client")
}

func TestCase60RemovedAccount(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	account, err := b.Site.Store.AccountByEmail(t.Context(), logintest.Somebody)
	if err != nil {
		t.Fatal(err)
	}
	code := b.browser().agree(a)
	if err := b.Site.Store.RemoveAccount(t.Context(), account.ID); err != nil {
		t.Fatal(err)
	}
	b.wantInactive("of a removed account", got.Access)
	b.wantError("refresh of a removed account", b.post(tokenPath, a.refreshing(b, got.Refresh)),
		http.StatusBadRequest, "invalid_grant")
	b.wantError("code of a removed account", b.post(tokenPath, a.redemption(b, code)),
		http.StatusBadRequest, "invalid_grant")
}

// TestUnusedConnectionEnds checks that a connection remains valid as long as it
// is used.
func TestUnusedConnectionEnds(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	for range 3 {
		b.Pass(grantLife - time.Second)
		got = b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
	}
	b.Pass(grantLife)
	b.wantError("unused, and its client removed", b.post(tokenPath, a.refreshing(b, got.Refresh)),
		http.StatusUnauthorized, "invalid_client")
	b.wantInactive("unused", got.Access)
}

// TestCase40GrantHasExpired checks that neither an access token nor a refresh
// token is valid after its grant has expired.
func TestCase40GrantHasExpired(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	code := b.put(a, a.query(b).Get("code_challenge"), b.Now().Add(10*time.Minute))
	got := b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
	b.Pass(10*time.Minute - time.Second)
	b.wantGood("in time", got.Access)
	b.Pass(time.Second)
	b.wantInactive("afterwards", got.Access)
	b.wantError("refresh afterwards", b.post(tokenPath, a.refreshing(b, got.Refresh)),
		http.StatusBadRequest, "invalid_grant")
	b.wantInactive("after the refresh", got.Access)
}

// TestRegisteredClientIsForgotten checks that a client without a grant is
// removed after a day, and gets the error that makes it register again.
func TestRegisteredClientIsForgotten(t *testing.T) {
	b := newBench(t)
	a, used := b.register("app"), b.register("used")
	got := b.connect(used)
	b.Pass(24 * time.Hour)
	if _, err := b.Site.Store.Sweep(t.Context(), b.Now(), 1000); err != nil {
		t.Fatal(err)
	}
	b.wantError("removed", b.post(tokenPath, a.redemption(b, "x")), http.StatusUnauthorized,
		"invalid_client")
	b.tokensOf(b.post(tokenPath, used.refreshing(b, got.Refresh)))
}

// TestServerMoves checks that a server with a new address ends the connections
// to the old one, whose tokens no resource would accept.
func TestServerMoves(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	b.resource = "https://moved.example/pro/mcp"
	b.wantInactive("moved", got.Access)
	b.wantError("moved", b.post(tokenPath, a.refreshing(b, got.Refresh, "resource", "")),
		http.StatusBadRequest, "invalid_grant")
}

// TestStoreGone checks that requests that need the store report that it is
// unavailable, and give no other reason.
func TestStoreGone(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	code := b.browser().agree(a)
	b.Site.Store.Close()
	b.wantError("redeem", b.post(tokenPath, a.redemption(b, code)), http.StatusServiceUnavailable,
		"temporarily_unavailable")
	b.wantError("refresh", b.post(tokenPath, a.refreshing(b, got.Refresh)),
		http.StatusServiceUnavailable, "temporarily_unavailable")
	b.wantError("revoke", b.post(revokePath, url.Values{"token": {got.Refresh}, "client_id": {a.id}}),
		http.StatusServiceUnavailable, "temporarily_unavailable")
	b.toPerson("authorize", b.browser().Get(authorizeAt(a.query(b))), http.StatusServiceUnavailable)
	if strings.Contains(b.Logged.String(), got.Refresh) ||
		!strings.Contains(b.Logged.String(), store.ErrUnavailable.Error()) {
		t.Errorf("the log has a token, or does not have the cause:\n%s", b.Logged)
	}
}

// FuzzGrantOf checks that a refresh token is accepted only in the exact form
// that the server created. The processes of a fuzzer do not share random
// values, so the token is constant.
func FuzzGrantOf(f *testing.F) {
	const grant = "0198a1b2-0000-7000-8000-000000000000"
	s := refreshTokens{credential.DeriveKey([]byte("a secret"), "refresh tokens")}
	made := refreshPrefix + grant + "." + strings.Repeat("s", 43)
	made += "." + s.mac(made)
	if got, ok := s.grantOf(made); !ok || got != grant {
		f.Fatalf("grantOf(%s) = %s, %v", made, got, ok)
	}
	f.Add(made)
	f.Add(made[:len(made)-1])
	f.Add(strings.TrimPrefix(made, refreshPrefix))
	f.Add("ldr_.." + made)
	f.Fuzz(func(t *testing.T, token string) {
		if grant, ok := s.grantOf(token); ok && token != made {
			t.Errorf("%q is accepted as one of the grant %q", token, grant)
		}
	})
}

// BenchmarkVerify measures the first verification of an access token.
func BenchmarkVerify(b *testing.B) {
	bench := newBench(b)
	token := bench.connect(bench.register("app")).Access
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bench.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefresh measures a refresh over HTTP, including the commit.
func BenchmarkRefresh(b *testing.B) {
	bench := newBench(b)
	a := bench.register("app")
	got := bench.connect(a)
	for b.Loop() {
		got = bench.tokensOf(bench.post(tokenPath, a.refreshing(bench, got.Refresh)))
	}
}
