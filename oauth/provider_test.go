package oauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login"
	"leadline/internal/login/logintest"
	"leadline/store"
)

// newJoint starts a server where people sign in at a provider.
func newJoint(t *testing.T, change ...func(*setup)) (*bench, *logintest.Provider) {
	t.Helper()
	p := logintest.NewProvider(t)
	set := func(c *setup) {
		c.Provider = &login.Provider{Issuer: p.URL, ClientID: logintest.ClientID,
			ClientSecret: logintest.ClientSecret, PlanClaim: "plan"}
		c.Signup = accounts.Open
	}
	return newBench(t, append([]func(*setup){set}, change...)...), p
}

// leave agrees to a request and chooses to sign in at the provider.
func (b *browser) leave(q url.Values) logintest.Reply {
	b.Helper()
	form := logintest.Changed(b.Get(authorizeAt(q)).Inputs(b.TB), "decision", "provider")
	return b.Post(consentPath, form)
}

func TestProviderSignsInForAnApp(t *testing.T) {
	b, _ := newJoint(t)
	a, br := b.register("app"), b.browser()
	q := a.query(b)
	back := br.ComeBack(br.leave(q))
	to := back.To()
	at := to.Query()
	to.RawQuery = ""
	if back.StatusCode != http.StatusSeeOther || to.String() != a.redirect ||
		at.Get("state") != q.Get("state") || at.Get("iss") != b.issuer {
		t.Fatalf("got %d to %s with %v (%s), want 303 to the app", back.StatusCode, to, at, back.Title())
	}
	if store, from := back.Header.Get("Cache-Control"),
		back.Header.Get("Referrer-Policy"); store != "no-store" || from != "no-referrer" {
		t.Errorf("Cache-Control %q, Referrer-Policy %q, want no-store, no-referrer", store, from)
	}
	got := b.tokensOf(b.post(tokenPath, a.redemption(b, at.Get("code"))))
	b.wantGood("the first token", got.Access)
	if account, ok := b.accountOf(logintest.Stranger); !ok || account.Plan != string(access.Free) {
		t.Errorf("account %v %v, want one on the plan free", account, ok)
	}
}

// TestCase13NothingIsKeptOnTheJourney checks that no redirect to or from the
// provider is cached or sends a referrer.
func TestCase13NothingIsKeptOnTheJourney(t *testing.T) {
	b, p := newJoint(t)
	a := b.register("app")
	fromConsent, fromLogin, fromJoin, refused := b.browser(), b.browser(), b.browser(), b.browser()
	hops := map[string]logintest.Reply{
		"leaving from the consent page": fromConsent.leave(a.query(b)),
		"leaving from the sign-in page": fromLogin.Send(login.Path, "decision", "provider"),
		"leaving from the join page":    fromJoin.Send(accounts.JoinPath, "decision", "provider"),
	}
	hops["back to the app"] = fromConsent.ComeBack(hops["leaving from the consent page"])
	hops["back to a page"] = fromLogin.ComeBack(hops["leaving from the sign-in page"])
	p.Change(func() {
		p.Respond = func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
		}
	})
	hops["back with a refusal"] = refused.ComeBack(refused.leave(a.query(b)))
	for what, got := range hops {
		store, from := got.Header.Get("Cache-Control"), got.Header.Get("Referrer-Policy")
		if got.StatusCode != http.StatusSeeOther || store != "no-store" || from != "no-referrer" {
			t.Errorf("%s: got %d, Cache-Control %q, Referrer-Policy %q, want 303, no-store, no-referrer",
				what, got.StatusCode, store, from)
		}
	}
}

// TestCase18FormsMayGoToTheProvider checks that each page with a form for the
// provider allows the provider's addresses. The consent page allows the
// client's addresses too.
func TestCase18FormsMayGoToTheProvider(t *testing.T) {
	b, p := newJoint(t)
	for path, want := range map[string][]string{
		authorizeAt(b.register("app").query(b)): {"'self'", "https:", p.URL, "http://127.0.0.1:33418"},
		login.Path:                              {"'self'", "https:", p.URL},
		accounts.JoinPath:                       {"'self'", "https:", p.URL},
	} {
		policy := b.browser().Get(path).Header.Get("Content-Security-Policy")
		_, action, _ := strings.Cut(policy, "form-action ")
		action, _, _ = strings.Cut(action, ";")
		if got := strings.Fields(action); !slices.Equal(got, want) {
			t.Errorf("%.20s: form-action %q, want %q", path, got, want)
		}
	}
}

// TestCase20AfterTheProvider checks that a browser that is signed in here and
// at the provider is asked again when the next app connects, without a
// redirect.
func TestCase20AfterTheProvider(t *testing.T) {
	b, p := newJoint(t)
	w, second := b.browser(), b.register("second", "https://second.example/back")
	if back := w.ComeBack(w.leave(b.register("first").query(b))); !(back.Session() != "") {
		t.Fatalf("got %d to %s, want a session", back.StatusCode, back.To())
	}
	p.Change(func() { p.Gone = true }) // a redirect to the provider would fail
	q := second.query(b)
	page := w.Get(authorizeAt(q))
	if shown := b.shownTo(page); shown.facts["The app calls itself"] != "second" ||
		!strings.Contains(page.Text, logintest.Stranger) {
		t.Errorf("the page says %q, want the second app, and who is signed in", shown.facts)
	}
	silent := second.query(b, "prompt", "none")
	b.toPerson("without being asked", w.Get(authorizeAt(silent)), http.StatusBadRequest)
	b.toClient("refused", w.Post(consentPath, logintest.Changed(page.Inputs(t), "decision", "deny")),
		second, q, "access_denied")
	if code := w.Post(consentPath,
		logintest.Changed(page.Inputs(t), "decision", "allow")).To().Query().Get("code"); code == "" {
		t.Error("a signed-in person cannot agree")
	}
}

func TestCase21CookieOfAJourney(t *testing.T) {
	const name = "leadline-signin"
	b, _ := newJoint(t)
	a, br := b.register("app"), b.browser()
	asked := br.Get(authorizeAt(a.query(b)))
	denied := br.Post(consentPath, logintest.Changed(asked.Inputs(t), "decision", "deny"))
	foreign := br.Post(consentPath,
		logintest.Changed(asked.Inputs(t), "decision", "provider", "token", "of another site"))
	for what, got := range map[string]logintest.Reply{"the consent page": asked, "a refusal": denied,
		"a form of another site": foreign} {
		if c := got.Cookie(name); c != nil {
			t.Errorf("%s sets %v, want no cookie before approval", what, c)
		}
	}
	left := br.leave(a.query(b))
	if c := left.Cookie(name); c == nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
		c.MaxAge != 600 || c.Path != "/" || c.Domain != "" {
		t.Errorf("got cookie %v, want it HttpOnly, SameSite=Lax, for 10 minutes and this host", c)
	}
	to := br.SentBack(left)
	kept := br.HTTP.Jar.Cookies(to)
	back := br.Get(to.String())
	if c := back.Cookie(name); c == nil || c.MaxAge >= 0 {
		t.Errorf("coming back sets %v, want the cookie removed", c)
	}
	br.HTTP.Jar.SetCookies(to, kept)
	b.toPerson("a second time with the cookie", br.Get(to.String()), http.StatusBadRequest)
}

func TestCase26ProviderSaysNo(t *testing.T) {
	b, p := newJoint(t)
	for _, code := range []string{"access_denied", "server_error", "<b>of its own</b>"} {
		p.Change(func() {
			p.Respond = func(q url.Values) {
				q.Del("code")
				q.Set("error", code)
				q.Set("error_description", "of the provider")
			}
		})
		a, br := b.register("app"), b.browser()
		q := a.query(b)
		got := br.ComeBack(br.leave(q))
		b.toClient(code, got, a, q, "access_denied")

	}
	if _, ok := b.accountOf(logintest.Stranger); ok {
		t.Error("there is an account")
	}
}

func TestProviderIsDown(t *testing.T) {
	b, p := newJoint(t)
	p.Change(func() { p.Gone = true })
	a, br := b.register("app"), b.browser()
	left := br.leave(a.query(b))
	b.toPerson("leaving", left, http.StatusServiceUnavailable)
	if left.Cookie("leadline-signin") != nil {
		t.Error("a cookie is set, though nobody leaves")
	}
	b.tokensOf(b.post(tokenPath, a.redemption(b, b.browser().agree(a)))) // signs in with a password

	p.Change(func() { p.Gone = false })
	b.toPerson("at once again", br.leave(a.query(b)), http.StatusServiceUnavailable)
	b.Pass(5 * time.Second)
	to := br.SentBack(br.leave(a.query(b)))
	p.Change(func() { p.Gone = true })
	b.toPerson("coming back", br.Get(to.String()), http.StatusServiceUnavailable)
}

// overheard is a transport that records the secrets in requests and responses.
type overheard struct {
	mu      sync.Mutex
	secrets map[string]string // the kind of each secret, by the secret
}

// secretMembers lists the parameters and JSON members that hold secrets.
var secretMembers = []string{
	"code", "state", "nonce", "password", "client_secret", "code_verifier", "access_token",
	"refresh_token", "id_token", "token", "ticket",
}

// RoundTrip sends a request and records the secrets in the request and its
// response.
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

// overhearing returns a browser whose requests and responses are recorded.
func (b *bench) overhearing(o *overheard) *browser {
	w := b.browser()
	w.HTTP.Transport = o
	return w
}

// TestCase44NothingOfASignInIsLogged checks that no part of a secret is logged,
// even at debug level, whether sign-ins succeed or fail.
func TestCase44NothingOfASignInIsLogged(t *testing.T) {
	b, p := newJoint(t)
	o := &overheard{secrets: map[string]string{logintest.ClientSecret: "the provider's secret"}}
	p.Heard = func(said url.Values) { o.note(said) }
	w := b.overhearing(o)
	r := w.Request(http.MethodPost, registerPath,
		`{"redirect_uris":["`+appRedirect+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	r.Header.Set("Content-Type", "application/json")
	var made registrationResponse
	if err := json.Unmarshal([]byte(w.Do(r).Text), &made); err != nil || made.Secret == "" {
		t.Fatalf("the client is %+v, %v", made, err)
	}
	a := registered{made.ID, appRedirect, credential.NewSecret("")}
	code, last := w.connectAmiss(a, made.Secret)
	reset := w.signInAmiss()
	paths := append(w.travelAmiss(o, p, a), authorizeAt(a.query(b, "state", privateState)), appsPath,
		reset)
	b.Site.Store.Close()
	for _, path := range paths {
		w.Get(path)
	}
	w.Post(tokenPath, a.redemption(b, code, "client_secret", made.Secret))
	w.Post(revokePath,
		url.Values{"token": {last.Refresh}, "client_id": {a.id}, "client_secret": {made.Secret}})
	o.wantUntold(t, b.Logged.String())
}

const privateState = "the state of an app that is nobody's business"

// connectAmiss connects an app after provoking every possible error. It returns
// the code and the last tokens.
func (b *browser) connectAmiss(a registered, secret string) (code string, last tokenResponse) {
	b.Helper()
	asked := authorizeAt(a.query(b.bench, "state", privateState))
	b.Post(consentPath,
		logintest.Changed(b.Get(asked).Inputs(b.TB), "email", logintest.Somebody, "password",
			wrongPassword, "decision", "allow"))
	code = b.agree(a, "state", privateState)
	redemption := func(changes ...string) logintest.Reply {
		return b.Post(tokenPath,
			a.redemption(b.bench, code, append([]string{"client_secret", secret}, changes...)...))
	}
	redemption("client_secret", credential.NewSecret(secretPrefix))
	redemption("code_verifier", credential.NewSecret(""))
	first := b.tokensOf(redemption())
	last = b.tokensOf(b.Post(tokenPath, a.refreshing(b.bench, first.Refresh, "client_secret", secret)))
	b.Pass(2 * refreshGrace)
	b.wantError("a reuse",
		b.Post(tokenPath, a.refreshing(b.bench, first.Refresh, "client_secret", secret)),
		http.StatusBadRequest, "invalid_grant")
	b.wantError("a replay", redemption(), http.StatusBadRequest, "invalid_grant")
	b.Post(revokePath,
		url.Values{"token": {last.Access}, "client_id": {a.id}, "client_secret": {secret}})
	b.Post(login.LogoutPath, b.leaving(appsPath))
	return code, last
}

// signInAmiss signs in in every way, with a failed attempt before each. It
// returns a used link.
func (b *browser) signInAmiss() (reset string) {
	b.Helper()
	b.Send(login.Path, "email", logintest.Somebody, "password", wrongPassword)
	b.Send(login.Path, "email", logintest.Somebody, "password", logintest.Password).
		WantTo(b.TB, login.Home)
	b.Send(b.InvitationLink("mate@example.org", "free"), "password", "a password of the mate").
		WantTo(b.TB, login.Home)
	mate, _ := b.accountOf("mate@example.org")
	reset = b.ResetLink(mate.Email)
	b.Send(reset, "password", "another password of the mate").WantTo(b.TB, login.Home)
	b.Get(reset)
	return reset
}

// travelAmiss signs in at the provider after provoking every error that is
// possible there. It returns the URLs that the browsers were redirected to.
func (b *browser) travelAmiss(o *overheard, p *logintest.Provider, a registered) (back []string) {
	b.Helper()
	for _, change := range []func(){
		func() { p.Forge = func(c map[string]any) { c["exp"] = logintest.Start.Add(time.Hour).Unix() } },
		func() { p.Forge = func(c map[string]any) { c["nonce"] = credential.NewSecret("") } },
		func() { p.Sign = func([]byte) string { return credential.NewSecret("no.token") } },
		func() { p.Respond = func(q url.Values) { q.Set("code", credential.NewSecret("unknown")) } },
		func() { p.Respond = func(q url.Values) { q.Set("iss", "https://evil.example") } },
		func() { p.Respond = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") } },
		func() { p.Respond = func(url.Values) {} },
	} {
		p.Change(change)
		w := b.overhearing(o)
		to := w.SentBack(w.leave(a.query(b.bench, "state", privateState))).String()
		p.Change(func() { p.Gone = len(back) == 6 }) // in the last round
		w.Get(to)
		w.Get(to)
		back = append(back, to)
	}
	return back
}

// wantUntold reports an error if the log contains sixteen consecutive
// characters of a secret. It also reports each kind of secret that was never
// used.
func (o *overheard) wantUntold(t *testing.T, log string) {
	t.Helper()
	heard := map[string]bool{}
	for secret, what := range o.secrets {
		heard[what] = true
		if after, is := strings.CutPrefix(secret, refreshPrefix); is {
			_, secret, _ = strings.Cut(after, ".") // the grant's id is not secret
		}
		for i := range len(secret) - 15 {
			if at := strings.Index(log, secret[i:i+16]); at >= 0 {
				t.Errorf("the log has %s: …%.300s", what, log[max(0, at-200):])
				break
			}
		}
	}
	for _, what := range append(secretMembers, "the cookie leadline-browser",
		"the cookie leadline-known", "the cookie leadline-signin",
		"the cookie "+credential.SessionCookie(false)) {
		if !heard[what] {
			t.Errorf("no %s was ever used", what)
		}
	}
	for _, line := range []string{"an app is connected", "long after it was replaced",
		"a code was used twice", "signing in at the provider",
		store.ErrUnavailable.Error()} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %q", line)
		}
	}
}
