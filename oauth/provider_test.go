package oauth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"leadline/internal/access"
	"leadline/store"
)

const (
	providerClient = "leadline at the provider"
	providerSecret = "a secret: of/both?"
	stranger       = "stranger@example.org"
)

// benchStart is what the clock of a bench says at first.
var benchStart = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// openID is an OpenID provider at which whoever comes is signed in already. It
// keeps to the protocol and insists that others do, and misbehaves where a
// test has set one of its functions.
type openID struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu          sync.Mutex
	codes       map[string]url.Values // authorization requests
	discoveries int
	exchanges   int  // requests to the token endpoint
	gone        bool // it answers nothing that is of use

	says      map[string]any            // of the person, in the ID token
	elsewhere map[string]any            // and at the UserInfo endpoint
	describe  func(map[string]any)      // changes what it publishes of itself
	respond   func(url.Values)          // changes an authorization response
	forge     func(map[string]any)      // changes the claims of an ID token
	sign      func([]byte) (jws string) // signs an ID token
}

func newOpenID(t *testing.T) *openID {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &openID{key: key, codes: map[string]url.Values{}, says: map[string]any{"sub": "4711", "email": stranger, "email_verified": true}}
	p.describe, p.respond, p.forge = func(map[string]any) {}, func(url.Values) {}, func(map[string]any) {}
	p.sign = func(claims []byte) string {
		return signed(t, jose.ES256, jose.JSONWebKey{Key: key, KeyID: "1"}, claims)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("/userinfo", p.userInfo)
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.gone {
			http.Error(w, "", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// signed signs claims as a JWT.
func signed(t *testing.T, alg jose.SignatureAlgorithm, key any, claims []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := signer.Sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (p *openID) discovery(w http.ResponseWriter, _ *http.Request) {
	p.discoveries++
	about := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint": p.URL + "/userinfo", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"ES256", "HS256", "none"},
		"authorization_response_iss_parameter_supported": true,
	}
	p.describe(about)
	json.NewEncoder(w).Encode(about)
}

func (p *openID) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != providerClient || !strings.Contains(q.Get("scope"), "openid") ||
		q.Get("code_challenge_method") != "S256" || len(q.Get("state")) < 43 || len(q.Get("nonce")) < 43 {
		http.Error(w, "a bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := access.NewSecret("")
	p.codes[code] = q
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	p.respond(answer)
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (p *openID) token(w http.ResponseWriter, r *http.Request) {
	p.exchanges++
	id, secret, _ := r.BasicAuth()
	asked := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if id != url.QueryEscape(providerClient) || secret != url.QueryEscape(providerSecret) || asked == nil ||
		asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_description": "of the form " + r.PostForm.Encode()})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": providerClient, "nonce": asked.Get("nonce"),
		"iat": benchStart.Unix(), "exp": benchStart.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, p.says)
	p.forge(claims)
	text, _ := json.Marshal(claims)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"access_token": "at the provider", "token_type": "Bearer", "expires_in": 60, "id_token": p.sign(text)})
}

func (p *openID) userInfo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer at the provider" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	json.NewEncoder(w).Encode(p.elsewhere)
}

// be changes the provider while it runs.
func (p *openID) be(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// newJoint starts a server whose people sign in at a provider.
func newJoint(t *testing.T, change ...func(*Config)) (*bench, *openID) {
	t.Helper()
	p := newOpenID(t)
	set := func(c *Config) {
		c.Provider = &ProviderConfig{Issuer: p.URL, ClientID: providerClient, ClientSecret: providerSecret, PlanClaim: "plan"}
		c.Signup = Open
	}
	return newBench(t, append([]func(*Config){set}, change...)...), p
}

// leave agrees to a request and chooses the provider.
func (b *browser) leave(q url.Values) reply {
	b.Helper()
	form := changed(b.get(authorizeAt(q)).inputs(b.TB), "decision", "provider")
	return b.post(consentPath, form)
}

// comeBack goes to where an answer sends the browser, to the provider, and
// from there where the provider sends it.
func (b *browser) comeBack(left reply) reply {
	b.Helper()
	return b.get(b.sentBack(left).String())
}

func (b *browser) sentBack(left reply) *url.URL {
	b.Helper()
	if left.StatusCode != http.StatusSeeOther || left.location().Path != "/authorize" {
		b.Fatalf("leaving: %d to %s (%s), want 303 to the provider", left.StatusCode, left.location(), titleOf(left))
	}
	at := b.get(left.location().String())
	if at.StatusCode != http.StatusFound {
		b.Fatalf("at the provider: %d %s", at.StatusCode, at.text)
	}
	return at.location()
}

// signIn signs in for the server's own pages, with an invitation or none.
func (b *browser) signIn(ticket string) reply {
	b.Helper()
	w, r := httptest.NewRecorder(), b.request(http.MethodPost, loginPath, "")
	if err := b.depart(w, r, journey{Ticket: ticket, Next: "/next"}); err != nil {
		b.Fatal(err)
	}
	left := w.Result()
	left.Request = r // for its Location
	b.http.Jar.SetCookies(r.URL, left.Cookies())
	return b.comeBack(reply{left, ""})
}

// isIn notes where an answer has not signed a browser in.
func (b *bench) isIn(what string, got reply) {
	b.Helper()
	if got.StatusCode != http.StatusSeeOther || got.location().Path != "/next" || !hasSession(got) {
		b.Errorf("%s: got %d to %s, session %v, want 303 to /next with a session (%s)", what, got.StatusCode, got.location(), hasSession(got), titleOf(got))
	}
}

// isOut notes where an answer is not a page with the status, or signs in.
func (b *bench) isOut(what string, got reply, status int) {
	b.Helper()
	b.toPerson(what, got, status)
	if hasSession(got) {
		b.Errorf("%s: the browser is signed in", what)
	}
}

// titleOf is the title of a page.
func titleOf(r reply) string {
	_, after, _ := strings.Cut(r.text, "<title>")
	title, _, _ := strings.Cut(after, "</title>")
	return title
}

func hasSession(r reply) bool {
	for _, c := range r.Cookies() {
		if c.Name == access.SessionCookie(false) && c.MaxAge > 0 {
			return true
		}
	}
	return false
}

// accountOf returns the account with an address; false where there is none.
func (b *bench) accountOf(email string) (store.Account, bool) {
	b.Helper()
	a, err := b.store.AccountByEmail(b.Context(), email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		b.Fatal(err)
	}
	return a, err == nil
}

func signInCookie(r reply, name string) *http.Cookie {
	for _, c := range r.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func TestProviderSignsInForAnApp(t *testing.T) {
	b, _ := newJoint(t)
	a, br := b.register("app"), b.browser()
	q := a.query(b)
	back := br.comeBack(br.leave(q))
	to := back.location()
	at := to.Query()
	to.RawQuery = ""
	if back.StatusCode != http.StatusSeeOther || to.String() != a.redirect || at.Get("state") != q.Get("state") || at.Get("iss") != b.issuer {
		t.Fatalf("got %d to %s with %v (%s), want 303 to the app", back.StatusCode, to, at, titleOf(back))
	}
	if store, from := back.Header.Get("Cache-Control"), back.Header.Get("Referrer-Policy"); store != "no-store" || from != "no-referrer" {
		t.Errorf("Cache-Control %q, Referrer-Policy %q, want no-store, no-referrer", store, from)
	}
	got := b.tokensOf(b.post(tokenPath, a.redemption(b, at.Get("code"))))
	b.wantGood("the first token", got.Access)
	if account, ok := b.accountOf(stranger); !ok || account.Plan != string(access.Free) {
		t.Errorf("account %v %v, want one on the plan free", account, ok)
	}
}

// TestCase13NothingIsKeptOnTheJourney: no redirect on the way to the provider
// and back is stored, or tells the next place where the browser was.
func TestCase13NothingIsKeptOnTheJourney(t *testing.T) {
	b, p := newJoint(t)
	a := b.register("app")
	fromConsent, fromLogin, fromJoin, refused := b.browser(), b.browser(), b.browser(), b.browser()
	hops := map[string]reply{
		"leaving from the consent page": fromConsent.leave(a.query(b)),
		"leaving from the sign-in page": fromLogin.send(loginPath, "decision", "provider"),
		"leaving from the join page":    fromJoin.send(joinPath, "decision", "provider"),
	}
	hops["back to the app"] = fromConsent.comeBack(hops["leaving from the consent page"])
	hops["back to a page"] = fromLogin.comeBack(hops["leaving from the sign-in page"])
	p.be(func() { p.respond = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") } })
	hops["back with a refusal"] = refused.comeBack(refused.leave(a.query(b)))
	for what, got := range hops {
		if store, from := got.Header.Get("Cache-Control"), got.Header.Get("Referrer-Policy"); got.StatusCode != http.StatusSeeOther || store != "no-store" || from != "no-referrer" {
			t.Errorf("%s: got %d, Cache-Control %q, Referrer-Policy %q, want 303, no-store, no-referrer", what, got.StatusCode, store, from)
		}
	}
}

// TestCase18FormsMayGoToTheProvider: of each page that one can leave from, the
// consent page too, beside the client.
func TestCase18FormsMayGoToTheProvider(t *testing.T) {
	b, p := newJoint(t)
	for path, want := range map[string][]string{
		authorizeAt(b.register("app").query(b)): {"'self'", "https:", p.URL, "http://127.0.0.1:33418"},
		loginPath:                               {"'self'", "https:", p.URL},
		joinPath:                                {"'self'", "https:", p.URL},
	} {
		_, action, _ := strings.Cut(b.browser().get(path).Header.Get("Content-Security-Policy"), "form-action ")
		action, _, _ = strings.Cut(action, ";")
		if got := strings.Fields(action); !slices.Equal(got, want) {
			t.Errorf("%.20s: form-action %q, want %q", path, got, want)
		}
	}
}

// TestCase20AfterTheProvider: a browser that is signed in here and there, by an
// app that was agreed to, is asked anew by the next app, and sent nowhere.
func TestCase20AfterTheProvider(t *testing.T) {
	b, p := newJoint(t)
	w, second := b.browser(), b.register("second", "https://second.example/back")
	if back := w.comeBack(w.leave(b.register("first").query(b))); !hasSession(back) {
		t.Fatalf("got %d to %s, want a session", back.StatusCode, back.location())
	}
	p.be(func() { p.gone = true }) // whoever is sent there is noticed
	q := second.query(b)
	page := w.get(authorizeAt(q))
	if shown := b.shownTo(page); shown.facts["The app calls itself"] != "second" || !strings.Contains(page.text, stranger) {
		t.Errorf("the page says %q, want the second app, and who is signed in", shown.facts)
	}
	silent := second.query(b, "prompt", "none")
	b.toPerson("without being asked", w.get(authorizeAt(silent)), http.StatusBadRequest)
	b.toClient("refused", w.post(consentPath, changed(page.inputs(t), "decision", "deny")), second, q, "access_denied")
	if code := w.post(consentPath, changed(page.inputs(t), "decision", "allow")).location().Query().Get("code"); code == "" {
		t.Error("who is signed in cannot agree")
	}
}

func TestCase21CookieOfAJourney(t *testing.T) {
	const name = "leadline-signin"
	b, _ := newJoint(t)
	a, br := b.register("app"), b.browser()
	asked := br.get(authorizeAt(a.query(b)))
	denied := br.post(consentPath, changed(asked.inputs(t), "decision", "deny"))
	foreign := br.post(consentPath, changed(asked.inputs(t), "decision", "provider", "token", "of another site"))
	for what, got := range map[string]reply{"the consent page": asked, "a refusal": denied, "a form of another site": foreign} {
		if c := signInCookie(got, name); c != nil {
			t.Errorf("%s sets %v, want no cookie before approval", what, c)
		}
	}
	left := br.leave(a.query(b))
	if c := signInCookie(left, name); c == nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 600 || c.Path != "/" || c.Domain != "" {
		t.Errorf("got cookie %v, want it HttpOnly, SameSite=Lax, for 10 minutes and this host", c)
	}
	to := br.sentBack(left)
	kept := br.http.Jar.Cookies(to)
	back := br.get(to.String())
	if c := signInCookie(back, name); c == nil || c.MaxAge >= 0 {
		t.Errorf("coming back sets %v, want the cookie removed", c)
	}
	br.http.Jar.SetCookies(to, kept)
	b.toPerson("a second time with the cookie", br.get(to.String()), http.StatusBadRequest)
}

func TestCase21CookieIsBoundToTheHost(t *testing.T) {
	b, _ := newJoint(t, func(c *Config) { c.Base = "https://leadline.example" })
	w := httptest.NewRecorder()
	if err := b.depart(w, httptest.NewRequestWithContext(t.Context(), "POST", "/oauth/login", nil), journey{Next: "/"}); err != nil {
		t.Fatal(err)
	}
	c := signInCookie(reply{Response: w.Result()}, "__Host-leadline-signin")
	if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("got cookies %v, want __Host-leadline-signin with Secure, HttpOnly, SameSite=Lax", w.Result().Cookies())
	}
	if got, want := w.Result().StatusCode, http.StatusSeeOther; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestCase21JourneyEnds(t *testing.T) {
	for wait, want := range map[time.Duration]int{10*time.Minute - time.Second: http.StatusSeeOther, 10 * time.Minute: http.StatusBadRequest} {
		b, p := newJoint(t)
		p.forge = func(c map[string]any) { c["exp"] = benchStart.Add(time.Hour).Unix() }
		br := b.browser()
		to := br.sentBack(br.leave(b.register("app").query(b)))
		b.pass(wait)
		if got := br.get(to.String()); got.StatusCode != want {
			t.Errorf("after %v: got %d, want %d", wait, got.StatusCode, want)
		}
	}
}

func TestCase22State(t *testing.T) {
	b, _ := newJoint(t)
	q := b.register("app").query(b)
	victim, attacker := b.browser(), b.browser()
	to := attacker.sentBack(attacker.leave(q))
	b.isOut("in a browser that has not left", victim.get(to.String()), http.StatusBadRequest)

	theirs, own := attacker.sentBack(attacker.leave(q)), victim.sentBack(victim.leave(q))
	b.isOut("of another browser", victim.get(theirs.String()), http.StatusBadRequest)
	b.isOut("after a false one", victim.get(own.String()), http.StatusBadRequest) // its cookie is gone

	for what, change := range map[string]func(url.Values){
		"missing":   func(q url.Values) { q.Del("state") },
		"empty":     func(q url.Values) { q.Set("state", "") },
		"unknown":   func(q url.Values) { q.Set("state", access.NewSecret(statePrefix)) },
		"cut short": func(q url.Values) { q.Set("state", q.Get("state")[:40]) },
		"twice":     func(q url.Values) { q.Add("state", q.Get("state")) },
		"two codes": func(q url.Values) { q.Add("code", "another") },
	} {
		br := b.browser()
		to := br.sentBack(br.leave(q))
		changed := to.Query()
		change(changed)
		to.RawQuery = changed.Encode()
		b.isOut(what, br.get(to.String()), http.StatusBadRequest)
	}

	br := b.browser()
	to = br.sentBack(br.leave(q))
	if got := br.get(to.String()); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the first time: got %d, want 303", got.StatusCode)
	}
	b.isOut("the second time", br.get(to.String()), http.StatusBadRequest)
	if _, ok := b.accountOf(stranger); !ok {
		t.Error("there is no account after a sign-in")
	}
}

func TestCase22StateIsNoLink(t *testing.T) {
	b, _ := newJoint(t)
	link := b.invite(stranger, "pro")
	br := b.browser()
	to := br.sentBack(br.leave(b.register("app").query(b)))
	q := to.Query()
	q.Set("state", link)
	to.RawQuery = q.Encode()
	b.isOut("an invitation as a state", br.get(to.String()), http.StatusBadRequest)
	if _, err := b.store.Ticket(t.Context(), access.HashSecret(link)); err != nil {
		t.Errorf("the invitation was spent: %v", err)
	}
}

// invite makes an invitation and returns its ticket.
func (b *bench) invite(email, plan string) (ticket string) {
	b.Helper()
	link, err := Links{b.store, b.c.Base, b.clock}.Invite(b.Context(), email, plan)
	return b.ticketOf(link, err)
}

func (b *bench) ticketOf(link string, err error) string {
	b.Helper()
	u, _ := url.Parse(link)
	if err != nil || u.Query().Get("ticket") == "" {
		b.Fatalf("link %q, %v", link, err)
	}
	return u.Query().Get("ticket")
}

// forged notes where a false ID token lets somebody in.
func forged(t *testing.T, what string, change func(p *openID)) {
	t.Helper()
	b, p := newJoint(t)
	change(p)
	b.isOut(what, b.browser().signIn(""), http.StatusBadGateway)
	if a, ok := b.accountOf(stranger); ok {
		t.Errorf("%s: there is an account %v", what, a)
	}
	if !strings.Contains(b.log.String(), "signing in at the provider") {
		t.Errorf("%s: the log says %q, want why", what, b.log)
	}
}

func TestCase23Nonce(t *testing.T) {
	for what, change := range map[string]func(map[string]any){
		"another": func(c map[string]any) { c["nonce"] = access.NewSecret("") },
		"empty":   func(c map[string]any) { c["nonce"] = "" },
		"missing": func(c map[string]any) { delete(c, "nonce") },
	} {
		forged(t, what, func(p *openID) { p.forge = change })
	}
}

func TestCase24FalseIDTokens(t *testing.T) {
	for what, change := range map[string]func(map[string]any){
		"for another":             func(c map[string]any) { c["aud"] = "another" },
		"for nobody":              func(c map[string]any) { delete(c, "aud") },
		"for several":             func(c map[string]any) { c["aud"] = []string{"another", providerClient} },
		"given to another":        func(c map[string]any) { c["azp"] = "another" },
		"of another":              func(c map[string]any) { c["iss"] = "https://provider.example" },
		"of nobody":               func(c map[string]any) { delete(c, "iss") },
		"expired":                 func(c map[string]any) { c["exp"] = benchStart.Add(-time.Second).Unix() },
		"without an end":          func(c map[string]any) { delete(c, "exp") },
		"not yet good":            func(c map[string]any) { c["nbf"] = benchStart.Add(time.Hour).Unix() },
		"about nobody":            func(c map[string]any) { delete(c, "sub") },
		"about nobody, who has a": func(c map[string]any) { c["sub"] = "" },
	} {
		forged(t, what, func(p *openID) { p.forge = change })
	}
}

func TestCase24FalseSignatures(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for what, sign := range map[string]func(*openID, []byte) string{
		"alg none": func(_ *openID, claims []byte) string {
			part := base64.RawURLEncoding.EncodeToString
			return part([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + part(claims) + "."
		},
		"of another key": func(_ *openID, claims []byte) string {
			return signed(t, jose.ES256, jose.JSONWebKey{Key: other, KeyID: "1"}, claims)
		},
		"by the client's secret": func(_ *openID, claims []byte) string {
			return signed(t, jose.HS256, []byte(strings.Repeat(providerSecret, 3)), claims)
		},
		"by the public key": func(p *openID, claims []byte) string {
			public, _ := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
			return signed(t, jose.HS256, public, claims)
		},
		"none at all": func(*openID, []byte) string { return "" },
	} {
		forged(t, what, func(p *openID) { p.sign = func(claims []byte) string { return sign(p, claims) } })
	}
}

func TestCase25MixUp(t *testing.T) {
	another := func(q url.Values) { q.Set("iss", "https://provider.example") }
	forged(t, "of another", func(p *openID) { p.respond = another })
	forged(t, "of nobody, though it says", func(p *openID) { p.respond = func(q url.Values) { q.Del("iss") } })
	quiet := func(about map[string]any) { delete(about, "authorization_response_iss_parameter_supported") }
	forged(t, "of another, though it says nothing", func(p *openID) { p.describe, p.respond = quiet, another })

	b, p := newJoint(t)
	p.describe, p.respond = quiet, func(q url.Values) { q.Del("iss") }
	b.isIn("of nobody, where it says nothing", b.browser().signIn(""))
}

func TestCase25MixUpOfAnError(t *testing.T) {
	b, p := newJoint(t)
	p.respond = func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("iss", "https://provider.example")
	}
	br := b.browser()
	b.isOut("an error of another", br.comeBack(br.leave(b.register("app").query(b))), http.StatusBadGateway)
}

func TestCase26ProviderSaysNo(t *testing.T) {
	b, p := newJoint(t)
	for _, code := range []string{"access_denied", "server_error", "<b>of its own</b>"} {
		p.be(func() {
			p.respond = func(q url.Values) {
				q.Del("code")
				q.Set("error", code)
				q.Set("error_description", "of the provider")
			}
		})
		a, br := b.register("app"), b.browser()
		q := a.query(b)
		got := br.comeBack(br.leave(q))
		b.toClient(code, got, a, q, "access_denied")
		b.isOut(code+" for a page", b.browser().signIn(""), http.StatusForbidden)
	}
	if _, ok := b.accountOf(stranger); ok {
		t.Error("there is an account")
	}
}

func TestUnverifiedAddressNeverLinks(t *testing.T) {
	for what, verified := range map[string]any{"false": false, "text": "false", "number": 1, "missing": nil, "yes": "yes"} {
		b, p := newJoint(t)
		b.without(stranger, "pro")
		p.says["email_verified"] = verified
		b.isOut(what, b.browser().signIn(""), http.StatusForbidden)
		b.isOut(what+", invited", b.browser().signIn(b.invite("another@example.org", "pro")), http.StatusForbidden)
		p.be(func() { p.says["email"] = "another@example.org" })
		b.isOut(what+", new", b.browser().signIn(b.invite("another@example.org", "pro")), http.StatusForbidden)
		if _, ok := b.accountOf("another@example.org"); ok {
			t.Errorf("email_verified %s made an account", what)
		}
		p.be(func() { p.says["email_verified"] = true })
		b.isIn(what+", and then verified", b.browser().signIn(""))
	}
}

func TestNoAddressIsNoAccount(t *testing.T) {
	for _, email := range []any{nil, "", "no address", "Some Body <" + stranger + ">", 7} {
		b, p := newJoint(t)
		p.says["email"] = email
		p.elsewhere = map[string]any{"sub": "4711"}
		b.isOut("an address", b.browser().signIn(""), http.StatusForbidden)
	}
}

// without makes an account that has no password, and returns it.
func (b *bench) without(email, plan string) store.Account {
	b.Helper()
	a := store.Account{ID: email, Email: email, Plan: plan, Created: b.clock()}
	if err := b.store.AddAccount(b.Context(), a); err != nil {
		b.Fatal(err)
	}
	return a
}

func TestVerifiedAddressLinks(t *testing.T) {
	b, p := newJoint(t)
	made := b.without(stranger, "pro")
	p.says["email"] = strings.ToUpper(stranger)
	b.isIn("the first time", b.browser().signIn(""))
	p.be(func() { p.says["email"], p.says["email_verified"] = "moved@example.org", false })
	b.isIn("with another address, the second time", b.browser().signIn(""))
	if got, err := b.store.AccountByIdentity(t.Context(), p.URL, "4711"); err != nil || got.ID != made.ID {
		t.Errorf("got account %v %v, want %v", got, err, made)
	}
	p.be(func() { p.says["sub"], p.says["email"], p.says["email_verified"] = "4712", stranger, true })
	b.isOut("somebody else with the address", b.browser().signIn(""), http.StatusForbidden)
}

func TestPasswordOfAnotherIsNotShared(t *testing.T) {
	b, p := newJoint(t)
	p.says["email"] = somebody
	b.isOut("an account with a password", b.browser().signIn(""), http.StatusForbidden)
	if _, err := b.store.AccountByIdentity(t.Context(), p.URL, "4711"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the identity is linked: %v", err)
	}
	br := b.browser()
	b.join("other@example.org", "free")
	b.signedIn(br, "other@example.org")
	b.isOut("signed in to another", br.signIn(""), http.StatusForbidden)
	br = b.browser()
	b.signedIn(br, somebody)
	b.isIn("signed in with it", br.signIn(""))
	b.isIn("from then on", b.browser().signIn(""))
}

// signedIn signs a browser in to an account.
func (b *bench) signedIn(br *browser, email string) {
	b.Helper()
	account, _ := b.accountOf(email)
	w, r := httptest.NewRecorder(), br.request(http.MethodGet, "/", "")
	if err := b.sessions.Begin(w, r, account.ID); err != nil {
		b.Fatal(err)
	}
	br.http.Jar.SetCookies(r.URL, w.Result().Cookies())
}

func TestWhoMayJoinByTheProvider(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		b, _ := newJoint(t)
		b.isIn("uninvited", b.browser().signIn(""))
	})
	for _, signup := range []string{Invite, Closed} {
		t.Run(signup, func(t *testing.T) {
			b, _ := newJoint(t, func(c *Config) { c.Signup = signup })
			got := b.browser().signIn("")
			b.isOut("uninvited", got, http.StatusForbidden)
			if !strings.Contains(got.text, stranger) || !strings.Contains(got.text, "invit") {
				t.Errorf("the page %q does not say whom to invite", titleOf(got))
			}
			b.isOut("with another's invitation", b.browser().signIn(b.invite("another@example.org", "pro")), http.StatusForbidden)
			b.isOut("with a false one", b.browser().signIn(access.NewSecret(ticketPrefix)), http.StatusForbidden)
			b.isOut("with the owner's, who is there", b.browser().signIn(b.ticketOf(Links{b.store, b.c.Base, b.clock}.Owner(t.Context()))), http.StatusForbidden)
			if _, ok := b.accountOf(stranger); ok {
				t.Error("there is an account")
			}
		})
	}
	t.Run("invited", func(t *testing.T) {
		b, _ := newJoint(t, func(c *Config) { c.Signup = Invite })
		ticket := b.invite(stranger, "pro")
		b.isIn("invited", b.browser().signIn(ticket))
		if got, _ := b.accountOf(stranger); got.Plan != "pro" {
			t.Errorf("got %v, want the plan of the invitation", got)
		}
		if _, err := b.store.Ticket(t.Context(), access.HashSecret(ticket)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the invitation is not spent: %v", err)
		}
		b.isIn("known", b.browser().signIn(""))
	})
	t.Run("owner", func(t *testing.T) {
		b, _ := newJoint(t, func(c *Config) { c.Signup = Invite })
		first, _ := b.accountOf(somebody)
		if err := b.store.RemoveAccount(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		b.isIn("the owner", b.browser().signIn(b.ticketOf(Links{b.store, b.c.Base, b.clock}.Owner(t.Context()))))
		if got, _ := b.accountOf(stranger); got.Plan != "pro" {
			t.Errorf("got %v, want the plan pro", got)
		}
	})
}

func TestInvitationIsNotKept(t *testing.T) {
	b, _ := newJoint(t)
	ticket := b.invite(stranger, "pro")
	w := httptest.NewRecorder()
	if err := b.depart(w, b.browser().request(http.MethodPost, loginPath, ""), journey{Ticket: ticket, Next: "/"}); err != nil {
		t.Fatal(err)
	}
	left := w.Result()
	to, err := left.Location()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := b.store.Ticket(t.Context(), access.HashSecret(to.Query().Get("state")))
	if err != nil || strings.Contains(string(kept.Data), ticket) || strings.Contains(to.String(), ticket) {
		t.Errorf("kept %s of a journey to %s, %v, want it without the ticket", kept.Data, to, err)
	}
}

func TestOnePersonTwiceAtOnce(t *testing.T) {
	b, _ := newJoint(t)
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() { b.isIn("one of many", b.browser().signIn("")) })
	}
	together.Wait()
}

func TestProviderNamesThePlan(t *testing.T) {
	b, p := newJoint(t)
	for _, c := range []struct {
		claim any
		want  string
	}{{nil, "free"}, {"pro", "pro"}, {"admiral", "pro"}, {"anonymous", "pro"}, {[]string{"free"}, "pro"}, {"free", "free"}} {
		p.be(func() { p.says["plan"] = c.claim })
		b.isIn("a plan", b.browser().signIn(""))
		if got, _ := b.accountOf(stranger); got.Plan != c.want {
			t.Errorf("after %v: got the plan %s, want %s", c.claim, got.Plan, c.want)
		}
	}
	if !strings.Contains(b.log.String(), "admiral") {
		t.Errorf("the log says %s, want the unknown plan in it", b.log)
	}
}

func TestAddressAtTheUserInfoEndpoint(t *testing.T) {
	b, p := newJoint(t)
	delete(p.says, "email")
	delete(p.says, "email_verified")
	p.elsewhere = map[string]any{"sub": "4711", "email": stranger, "email_verified": true, "plan": "pro"}
	b.isIn("what the ID token lacks", b.browser().signIn(""))
	if got, _ := b.accountOf(stranger); got.Plan != "pro" {
		t.Errorf("got %v, want the plan pro", got)
	}
	const other = "other@example.org"
	p.be(func() {
		p.says["sub"], p.says["plan"], p.elsewhere["sub"], p.elsewhere["email"] = "4712", "free", "4712", other
	})
	b.isIn("what is signed goes before", b.browser().signIn(""))
	if got, _ := b.accountOf(other); got.Plan != "free" {
		t.Errorf("got %v, want the plan of the ID token", got)
	}
	forged(t, "of somebody else", func(p *openID) {
		p.says = map[string]any{"sub": "4713"}
		p.elsewhere = map[string]any{"sub": "4711", "email": stranger, "email_verified": true}
	})
}

// TestProviderSignInsAreCounted checks that sign-ins at the provider count as those by a password do.
func TestProviderSignInsAreCounted(t *testing.T) {
	b, _ := newJoint(t)
	for range 20 {
		b.isIn("up to the bound", b.browser().signIn(""))
	}
	got := b.browser().signIn("")
	b.isOut("beyond it", got, http.StatusTooManyRequests)
	if after := got.Header.Get("Retry-After"); after != "3600" {
		t.Errorf("Retry-After is %q, want 3600", after)
	}
}

// TestSplitAddress checks that an address of one source is not verified by the other.
func TestSplitAddress(t *testing.T) {
	for _, test := range []struct {
		name      string
		says      map[string]any // in the ID token
		elsewhere map[string]any // at the UserInfo endpoint
		in        bool
	}{
		{"verified in the ID token, address elsewhere",
			map[string]any{"email_verified": true}, map[string]any{"email": stranger}, false},
		{"and not verified there",
			map[string]any{"email_verified": true}, map[string]any{"email": stranger, "email_verified": false}, false},
		{"and null in the ID token",
			map[string]any{"email": nil, "email_verified": true}, map[string]any{"email": stranger}, false},
		{"verified elsewhere, address in the ID token",
			map[string]any{"email": stranger}, map[string]any{"email": stranger, "email_verified": true}, false},
		{"two addresses",
			map[string]any{"email": stranger}, map[string]any{"email": "a@example.org", "email_verified": true}, false},
		{"both elsewhere, and not verified in the ID token",
			map[string]any{"email_verified": false}, map[string]any{"email": stranger, "email_verified": true}, true},
		{"both elsewhere, and null in the ID token",
			map[string]any{"email": nil}, map[string]any{"email": stranger, "email_verified": true}, true},
		{"both in the ID token",
			map[string]any{"email": stranger, "email_verified": true}, map[string]any{"email_verified": false}, true},
	} {
		b, p := newJoint(t)
		owner := b.without(stranger, "pro")
		test.says["sub"], test.elsewhere["sub"] = "4711", "4711"
		p.be(func() { p.says, p.elsewhere = test.says, test.elsewhere })
		got := b.browser().signIn("")
		_, err := b.store.AccountByIdentity(t.Context(), p.URL, "4711")
		if test.in {
			b.isIn(test.name, got)
		} else {
			b.isOut(test.name, got, http.StatusForbidden)
		}
		if linked := err == nil; linked != test.in {
			t.Errorf("%s: the account of %s is linked: %v, %v, want %v", test.name, owner.Email, linked, err, test.in)
		}
	}
}

// TestCallbackWithoutCode checks that the provider's token endpoint is not asked then.
func TestCallbackWithoutCode(t *testing.T) {
	for what, respond := range map[string]func(url.Values){
		"no code":       func(q url.Values) { q.Del("code") },
		"an empty code": func(q url.Values) { q.Set("code", "") },
	} {
		b, p := newJoint(t)
		p.respond = respond
		b.isOut(what, b.browser().signIn(""), http.StatusBadGateway)
		if p.exchanges != 0 {
			t.Errorf("%s: the token endpoint was asked %d times", what, p.exchanges)
		}
		if want := "neither a code nor an error"; !strings.Contains(b.log.String(), want) {
			t.Errorf("%s: the log says %q, want %q", what, b.log, want)
		}
	}
}

func TestProviderIsDown(t *testing.T) {
	b, p := newJoint(t)
	p.be(func() { p.gone = true })
	a, br := b.register("app"), b.browser()
	left := br.leave(a.query(b))
	b.toPerson("leaving", left, http.StatusServiceUnavailable)
	if signInCookie(left, "leadline-signin") != nil {
		t.Error("a cookie is set, though nobody leaves")
	}
	b.tokensOf(b.post(tokenPath, a.redemption(b, b.browser().agree(a)))) // with a password

	p.be(func() { p.gone = false })
	b.toPerson("at once again", br.leave(a.query(b)), http.StatusServiceUnavailable)
	b.pass(providerRest)
	to := br.sentBack(br.leave(a.query(b)))
	p.be(func() { p.gone = true })
	b.toPerson("coming back", br.get(to.String()), http.StatusServiceUnavailable)
}

func TestDiscoveryIsKept(t *testing.T) {
	b, p := newJoint(t)
	if p.discoveries != 0 {
		t.Errorf("%d discoveries before the first need, want none", p.discoveries)
	}
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() {
			if _, err := b.provider.discover(); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	b.isIn("afterwards", b.browser().signIn(""))
	p.be(func() {
		if p.discoveries != 1 {
			t.Errorf("got %d discoveries, want 1", p.discoveries)
		}
	})
}

func TestProviderSpeaksInTheClearHereAlone(t *testing.T) {
	for issuer, want := range map[string]bool{
		"https://provider.example": true, "https://provider.example/tenant": true, "http://127.0.0.1:4000": true, "http://localhost": true,
		"http://provider.example": false, "provider.example": false, "": false, "https://": false, "https://provider.example?x": false, "http://127.0.0.1.example": false,
	} {
		if _, err := newProvider(ProviderConfig{Issuer: issuer}, "", time.Now); (err == nil) != want {
			t.Errorf("newProvider(%q) = %v, want good %v", issuer, err, want)
		}
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "issuer"} {
		b, p := newJoint(t)
		p.describe = func(about map[string]any) { about[name] = "http://provider.example/" }
		br := b.browser()
		b.toPerson(name, br.leave(b.register("app").query(b)), http.StatusServiceUnavailable)
	}
}

func TestDeparturesAreLimited(t *testing.T) {
	b, _ := newJoint(t)
	q, br := b.register("app").query(b), b.browser()
	for range departureBurst {
		br.sentBack(br.leave(q))
	}
	got := br.leave(q)
	b.toPerson("one more", got, http.StatusTooManyRequests)
	if got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	b.pass(departureEvery)
	br.sentBack(br.leave(q))
}

func TestNoProvider(t *testing.T) {
	b := newBench(t)
	b.toPerson("coming back from nowhere", b.browser().get(callbackPath+"?code=1&state=ldp_1"), http.StatusNotFound)
	br := b.browser()
	b.toPerson("leaving", br.leave(b.register("app").query(b)), http.StatusNotFound)
}

// overheard is a way to servers that keeps what passes and is a secret of
// those who talk.
type overheard struct {
	mu      sync.Mutex
	secrets map[string]string // what each is, by itself
}

// secretMembers are the parameters and members that hold one.
var secretMembers = []string{
	"code", "state", "nonce", "password", "client_secret", "code_verifier", "access_token", "refresh_token", "id_token", "token", "ticket",
}

// RoundTrip sends a request on, and listens.
func (o *overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent, got []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(sent))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	got, err = io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(got))
	form, _ := url.ParseQuery(string(sent))
	to, _ := url.Parse(answer.Header.Get("Location"))
	members := map[string]any{}
	json.Unmarshal(got, &members)
	o.note(r.URL.Query(), form, to.Query())
	for name, value := range members {
		if text, ok := value.(string); ok {
			o.note(url.Values{name: {text}})
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range answer.Cookies() {
		o.secrets[c.Value] = "the cookie " + c.Name
	}
	return answer, err
}

func (o *overheard) note(said ...url.Values) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, values := range said {
		for _, name := range secretMembers {
			for _, value := range values[name] {
				o.secrets[value] = name
			}
		}
	}
}

// overhearing is a browser of which everything is overheard.
func (b *bench) overhearing(o *overheard) *browser {
	w := b.browser()
	w.http.Transport = o
	return w
}

// TestCase44NothingOfASignInIsLogged: no part of anything that is secret stands
// in the log, down to debug level, whatever goes well or wrong.
func TestCase44NothingOfASignInIsLogged(t *testing.T) {
	b, p := newJoint(t)
	o := &overheard{secrets: map[string]string{providerSecret: "the provider's secret"}}
	b.provider.client.Transport = o
	w := b.overhearing(o)
	r := w.request(http.MethodPost, registerPath, `{"redirect_uris":["`+appRedirect+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	r.Header.Set("Content-Type", "application/json")
	var made registration
	if err := json.Unmarshal([]byte(w.do(r).text), &made); err != nil || made.Secret == "" {
		t.Fatalf("the client is %+v, %v", made, err)
	}
	a := registered{made.ID, appRedirect, access.NewSecret("")}
	code, last := w.connectAmiss(a, made.Secret)
	reset := w.signInAmiss()
	paths := append(w.travelAmiss(o, p, a), authorizeAt(a.query(b, "state", privateState)), appsPath, reset)
	b.store.Close()
	for _, path := range paths {
		w.get(path)
	}
	w.post(tokenPath, a.redemption(b, code, "client_secret", made.Secret))
	w.post(revokePath, url.Values{"token": {last.Refresh}, "client_id": {a.id}, "client_secret": {made.Secret}})
	o.wantUntold(t, b.log.String())
}

const privateState = "the state of an app that is nobody's business"

// connectAmiss connects an app with all that can go wrong, and returns the code
// and the last tokens.
func (b *browser) connectAmiss(a registered, secret string) (code string, last tokens) {
	b.Helper()
	asked := authorizeAt(a.query(b.bench, "state", privateState))
	b.post(consentPath, changed(b.get(asked).inputs(b.TB), "email", somebody, "password", wrongPassword, "decision", "allow"))
	code = b.agree(a, "state", privateState)
	redemption := func(changes ...string) reply {
		return b.post(tokenPath, a.redemption(b.bench, code, append([]string{"client_secret", secret}, changes...)...))
	}
	redemption("client_secret", access.NewSecret(secretPrefix))
	redemption("code_verifier", access.NewSecret(""))
	first := b.tokensOf(redemption())
	last = b.tokensOf(b.post(tokenPath, a.refreshing(b.bench, first.Refresh, "client_secret", secret)))
	b.pass(2 * refreshGrace)
	b.wantError("a reuse", b.post(tokenPath, a.refreshing(b.bench, first.Refresh, "client_secret", secret)), http.StatusBadRequest, "invalid_grant")
	b.wantError("a replay", redemption(), http.StatusBadRequest, "invalid_grant")
	b.post(revokePath, url.Values{"token": {last.Access}, "client_id": {a.id}, "client_secret": {secret}})
	b.post(logoutPath, b.leaving(appsPath))
	return code, last
}

// signInAmiss signs in in every way, wrong ones first, and returns a link that
// was used.
func (b *browser) signInAmiss() (reset string) {
	b.Helper()
	b.send(loginPath, "email", somebody, "password", wrongPassword)
	b.send(loginPath, "email", somebody, "password", passphrase).wantOn(b.TB, appsPath)
	b.send(b.joinLink("mate@example.org", "free"), "password", "a password of the mate").wantOn(b.TB, appsPath)
	mate, _ := b.accountOf("mate@example.org")
	reset = b.reset(mate)
	b.send(reset, "password", "another password of the mate").wantOn(b.TB, appsPath)
	b.get(reset)
	return reset
}

// travelAmiss goes to the provider and comes back, with all that can go wrong
// there, and returns where the browsers came back to.
func (b *browser) travelAmiss(o *overheard, p *openID, a registered) (back []string) {
	b.Helper()
	for _, change := range []func(){
		func() { p.forge = func(c map[string]any) { c["exp"] = benchStart.Add(time.Hour).Unix() } },
		func() { p.forge = func(c map[string]any) { c["nonce"] = access.NewSecret("") } },
		func() { p.sign = func([]byte) string { return access.NewSecret("no.token") } },
		func() { p.respond = func(q url.Values) { q.Set("code", access.NewSecret("unknown")) } },
		func() { p.respond = func(q url.Values) { q.Set("iss", "https://evil.example") } },
		func() { p.respond = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") } },
		func() { p.respond = func(url.Values) {} },
	} {
		p.be(change)
		w := b.overhearing(o)
		to := w.sentBack(w.leave(a.query(b.bench, "state", privateState))).String()
		p.be(func() { p.gone = len(back) == 6 }) // at last
		w.get(to)
		w.get(to)
		back = append(back, to)
	}
	return back
}

// wantUntold notes where a log has sixteen characters of a secret, and where
// there was nothing to be told.
func (o *overheard) wantUntold(t *testing.T, log string) {
	t.Helper()
	heard := map[string]bool{}
	for secret, what := range o.secrets {
		heard[what] = true
		if after, is := strings.CutPrefix(secret, refreshPrefix); is {
			_, secret, _ = strings.Cut(after, ".") // the grant's id is none
		}
		for i := range len(secret) - 15 {
			if at := strings.Index(log, secret[i:i+16]); at >= 0 {
				t.Errorf("%s stands in the log: …%.300s", what, log[max(0, at-200):])
				break
			}
		}
	}
	for _, what := range append(secretMembers, "the cookie leadline-browser", "the cookie leadline-known", "the cookie leadline-signin", "the cookie "+access.SessionCookie(false)) {
		if !heard[what] {
			t.Errorf("no %s was ever used", what)
		}
	}
	for _, line := range []string{"an app is connected", "came again", "came a second time", "signing in at the provider", store.ErrUnavailable.Error()} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %q", line)
		}
	}
}
