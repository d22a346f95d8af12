package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login"
	"leadline/internal/login/logintest"
	"leadline/store"
)

// bench is a server on a site where people can sign in.
type bench struct {
	*logintest.Site
	*Server
	login      *login.Login
	clients    *clientDirectory
	auth       *authenticator
	assertions *assertions
	routes     map[string]http.Handler
}

// setup configures a bench.
type setup struct {
	Config
	Store    store.Store
	Signup   string
	Provider *login.Provider
}

// newBench starts a site with the account of logintest.Somebody.
func newBench(t testing.TB, change ...func(*setup)) *bench {
	t.Helper()
	site := logintest.New(t)
	c := setup{
		Config: Config{Base: site.Base, Secret: logintest.Secret, Now: site.Now, Log: site.Logger()},
		Store:  site.Store, Signup: accounts.Invite,
	}
	for _, f := range change {
		f(&c)
	}
	c.Config.Store = c.Store
	c.Accounts, c.Sessions = site.Accounts(c.Signup), site.Sessions(c.Base, c.Store)
	b := &bench{Site: site}
	var err error
	b.login, err = login.New(login.Config{
		Base: c.Base, Store: c.Store, Accounts: c.Accounts, Sessions: c.Sessions,
		Provider: c.Provider, Now: c.Now, Log: c.Log,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Login = b.login
	if b.Server, err = New(t.Context(), c.Config); err != nil {
		t.Fatal(err)
	}
	b.clients, b.auth = b.consents.clients, b.tokens.clients
	b.assertions = b.auth.assertions
	b.routes = b.login.Routes(b.Resume, c.Accounts.Export)
	maps.Copy(b.routes, b.Routes())
	site.Serve(b.routes, NotPublished)
	return b
}

// browser returns a new browser of a bench.
type browser struct {
	*bench
	*logintest.Browser
}

func (b *bench) browser() *browser { return &browser{b, b.Browser()} }

// any returns a new browser at an arbitrary client address.
func (b *bench) any() *browser { return &browser{b, b.Any()} }

// post sends a form without cookies, as OAuth clients do.
func (b *bench) post(path string, form url.Values) logintest.Reply {
	b.Helper()
	return b.Browser().Post(path, form)
}

// registered is a client that registered itself.
type registered struct {
	id, redirect, verifier string
}

const appRedirect = "http://127.0.0.1:33418/callback"

// register registers a public client.
func (b *bench) register(name string, redirects ...string) registered {
	b.Helper()
	if redirects == nil {
		redirects = []string{appRedirect}
	}
	text, _ := json.Marshal(map[string]any{"client_name": name, "redirect_uris": redirects})
	r := b.Browser().Request(http.MethodPost, registerPath, string(text))
	r.Header.Set("Content-Type", "application/json")
	got := b.Browser().Do(r)
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(got.Text), &made); err != nil ||
		got.StatusCode != http.StatusCreated || made.ID == "" {
		b.Fatalf("registering: %d %s", got.StatusCode, got.Text)
	}
	var random [32]byte
	rand.Read(random[:])
	return registered{id: made.ID, redirect: redirects[0],
		verifier: base64.RawURLEncoding.EncodeToString(random[:])}
}

// query returns an authorization request; changes are names and values in
// pairs, where an empty value removes the parameter.
func (a registered) query(b *bench, changes ...string) url.Values {
	sum := sha256.Sum256([]byte(a.verifier))
	q := url.Values{
		"client_id": {a.id}, "redirect_uri": {a.redirect}, "response_type": {"code"},
		"state":                 {"a b&c=ü"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
		"resource":              {b.resource}, "scope": {"mcp:use"},
	}
	return logintest.Changed(q, changes...)
}

func authorizeAt(q url.Values) string { return authorizePath + "?" + q.Encode() }

// agree signs a person in, agrees to a request, and returns the code.
func (b *browser) agree(a registered, changes ...string) (code string) {
	b.Helper()
	page := b.Get(authorizeAt(a.query(b.bench, changes...)))
	if page.StatusCode != http.StatusOK {
		b.Fatalf("the consent page: %d %s", page.StatusCode, page.Text)
	}
	form := logintest.Changed(page.Inputs(b.TB),
		"email", logintest.Somebody, "password", logintest.Password, "decision", "allow")
	back := b.Post(consentPath, form)
	to := back.To()
	if code = to.Query().Get("code"); code == "" || back.StatusCode != http.StatusSeeOther {
		b.Fatalf("the consent: %d to %s %s", back.StatusCode, to, back.Text)
	}
	return code
}

// redemption returns the form that exchanges an authorization code.
func (a registered) redemption(b *bench, code string, changes ...string) url.Values {
	return logintest.Changed(url.Values{
		"grant_type": {grantCode}, "code": {code}, "redirect_uri": {a.redirect}, "client_id": {a.id},
		"code_verifier": {a.verifier}, "resource": {b.resource},
	}, changes...)
}

// refreshing returns the form that exchanges a refresh token.
func (a registered) refreshing(b *bench, token string, changes ...string) url.Values {
	return logintest.Changed(url.Values{
		"grant_type": {grantRefresh}, "refresh_token": {token}, "client_id": {a.id},
		"resource": {b.resource},
	}, changes...)
}

// tokensOf reads a response of the token endpoint.
func (b *bench) tokensOf(r logintest.Reply) (t tokenResponse) {
	b.Helper()
	if err := json.Unmarshal([]byte(r.Text), &t); err != nil || r.StatusCode != http.StatusOK ||
		t.Access == "" || t.Refresh == "" {
		b.Fatalf("tokens: %d %s", r.StatusCode, r.Text)
	}
	return t
}

// connect connects an app to the account of logintest.Somebody.
func (b *bench) connect(a registered) tokenResponse {
	b.Helper()
	return b.tokensOf(b.post(tokenPath, a.redemption(b, b.browser().agree(a))))
}

// wantError reports an error unless a response is an OAuth error with the given
// status and code.
func (b *bench) wantError(what string, got logintest.Reply, status int, code string) {
	b.Helper()
	var told struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal([]byte(got.Text), &told); got.StatusCode != status || told.Error != code ||
		told.Description == "" {
		b.Errorf("%s: got %d %s, want %d %s", what, got.StatusCode, got.Text, status, code)
	}
}

// wantGood reports an error unless an access token is valid.
func (b *bench) wantGood(what, token string) {
	b.Helper()
	if _, err := b.Verify(b.Context(), token); err != nil {
		b.Errorf("%s: the token is not valid: %v", what, err)
	}
}

// wantInactive reports an error unless an access token is expired or revoked.
func (b *bench) wantInactive(what, token string) {
	b.Helper()
	if _, err := b.Verify(b.Context(), token); !errors.Is(err, credential.ErrUnknown) {
		b.Errorf("%s: Verify = %v, want ErrUnknown", what, err)
	}
}

// accountOf returns the account with an e-mail address, and false if there is
// none.
func (b *bench) accountOf(email string) (store.Account, bool) {
	b.Helper()
	a, err := b.Site.Store.AccountByEmail(b.Context(), email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		b.Fatal(err)
	}
	return a, err == nil
}

// isIn reports whether a person is signed in with the browser.
func (b *browser) isIn() bool {
	b.Helper()
	return b.Get(appsPath).StatusCode == http.StatusOK
}
