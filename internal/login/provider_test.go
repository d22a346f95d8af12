package login

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login/logintest"
	"leadline/store"
)

func TestCase21CookieIsBoundToTheHost(t *testing.T) {
	b, _ := newJoint(t, func(c *setup) { c.Base = "https://leadline.example" })
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, nil)
	b.StartFlow(w, r, Flow{Next: "/"})
	c := logintest.Reply{Response: w.Result()}.Cookie("__Host-leadline-signin")
	if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
		c.Domain != "" {
		t.Errorf("got cookies %v, want __Host-leadline-signin with Secure, HttpOnly, SameSite=Lax",
			w.Result().Cookies())
	}
	if got, want := w.Result().StatusCode, http.StatusSeeOther; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestCase21JourneyEnds(t *testing.T) {
	for wait, want := range map[time.Duration]int{10*time.Minute - time.Second: http.StatusSeeOther,
		10 * time.Minute: http.StatusBadRequest} {
		b, p := newJoint(t)
		p.Forge = func(c map[string]any) { c["exp"] = logintest.Start.Add(time.Hour).Unix() }
		br := b.Browser()
		to := br.SentBack(leave(br))
		b.Pass(wait)
		if got := br.Get(to.String()); got.StatusCode != want {
			t.Errorf("after %v: got %d, want %d", wait, got.StatusCode, want)
		}
	}
}

func TestCase22State(t *testing.T) {
	b, _ := newJoint(t)
	victim, attacker := b.Browser(), b.Browser()
	to := attacker.SentBack(leave(attacker))
	victim.Get(to.String()).WantOut(t, "in a browser that has not left", http.StatusBadRequest)

	theirs, own := attacker.SentBack(leave(attacker)), victim.SentBack(leave(victim))
	victim.Get(theirs.String()).WantOut(t, "of another browser", http.StatusBadRequest)
	victim.Get(own.String()).WantOut(t, "after a false one, its cookie gone", http.StatusBadRequest)

	for what, change := range map[string]func(url.Values){
		"missing":   func(q url.Values) { q.Del("state") },
		"empty":     func(q url.Values) { q.Set("state", "") },
		"unknown":   func(q url.Values) { q.Set("state", credential.NewSecret(statePrefix)) },
		"cut short": func(q url.Values) { q.Set("state", q.Get("state")[:40]) },
		"twice":     func(q url.Values) { q.Add("state", q.Get("state")) },
		"two codes": func(q url.Values) { q.Add("code", "another") },
	} {
		br := b.Browser()
		to := br.SentBack(leave(br))
		changed := to.Query()
		change(changed)
		to.RawQuery = changed.Encode()
		br.Get(to.String()).WantOut(t, what, http.StatusBadRequest)
	}

	br := b.Browser()
	to = br.SentBack(leave(br))
	if got := br.Get(to.String()); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the first time: got %d, want 303", got.StatusCode)
	}
	br.Get(to.String()).WantOut(t, "the second time", http.StatusBadRequest)
	if _, ok := b.accountOf(logintest.Stranger); !ok {
		t.Error("there is no account after a sign-in")
	}
}

func TestCase22StateIsNoLink(t *testing.T) {
	b, _ := newJoint(t)
	link := b.invite(logintest.Stranger, "pro")
	br := b.Browser()
	to := br.SentBack(leave(br))
	q := to.Query()
	q.Set("state", link)
	to.RawQuery = q.Encode()
	br.Get(to.String()).WantOut(t, "an invitation as a state", http.StatusBadRequest)
	if _, err := b.Store.Ticket(t.Context(), credential.HashSecret(link)); err != nil {
		t.Errorf("the invitation was spent: %v", err)
	}
}

// forged reports an error if a forged ID token lets somebody in.
func forged(t *testing.T, what string, change func(p *logintest.Provider)) {
	t.Helper()
	b, p := newJoint(t)
	change(p)
	b.viaProvider(b.Browser(), "").WantOut(t, what, http.StatusBadGateway)
	if a, ok := b.accountOf(logintest.Stranger); ok {
		t.Errorf("%s: there is an account %v", what, a)
	}
	if !strings.Contains(b.Logged.String(), "signing in at the provider") {
		t.Errorf("%s: the log says %q, want why", what, b.Logged)
	}
}

func TestCase23Nonce(t *testing.T) {
	for what, change := range map[string]func(map[string]any){
		"another": func(c map[string]any) { c["nonce"] = credential.NewSecret("") },
		"empty":   func(c map[string]any) { c["nonce"] = "" },
		"missing": func(c map[string]any) { delete(c, "nonce") },
	} {
		forged(t, what, func(p *logintest.Provider) { p.Forge = change })
	}
}

func TestCase24FalseIDTokens(t *testing.T) {
	for what, change := range map[string]func(map[string]any){
		"for another": func(c map[string]any) { c["aud"] = "another" },
		"for nobody":  func(c map[string]any) { delete(c, "aud") },
		"for several": func(c map[string]any) {
			c["aud"] = []string{"another",
				logintest.ClientID}
		},
		"given to another": func(c map[string]any) { c["azp"] = "another" },
		"of another":       func(c map[string]any) { c["iss"] = "https://provider.example" },
		"of nobody":        func(c map[string]any) { delete(c, "iss") },
		"expired": func(
			c map[string]any) {
			c["exp"] = logintest.Start.Add(-time.Second).Unix()
		},
		"without an end": func(c map[string]any) { delete(c, "exp") },
		"not yet good": func(
			c map[string]any) {
			c["nbf"] = logintest.Start.Add(time.Hour).Unix()
		},
		"about nobody":            func(c map[string]any) { delete(c, "sub") },
		"about nobody, who has a": func(c map[string]any) { c["sub"] = "" },
	} {
		forged(t, what, func(p *logintest.Provider) { p.Forge = change })
	}
}

// signHS256 signs claims as a JWT with a shared secret.
func signHS256(secret, claims []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(claims)
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(signed))
	return signed + "." + encode(h.Sum(nil))
}

func TestCase24FalseSignatures(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for what, sign := range map[string]func(*logintest.Provider, []byte) string{
		"alg none": func(_ *logintest.Provider, claims []byte) string {
			part := base64.RawURLEncoding.EncodeToString
			return part([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + part(claims) + "."
		},
		"of another key": func(_ *logintest.Provider, claims []byte) string {
			return logintest.SignES256(t, other, claims)
		},
		"by the client's secret": func(_ *logintest.Provider, claims []byte) string {
			return signHS256([]byte(strings.Repeat(logintest.ClientSecret, 3)), claims)
		},
		"by the public key": func(p *logintest.Provider, claims []byte) string {
			public, _ := x509.MarshalPKIXPublicKey(&p.Key.PublicKey)
			return signHS256(public, claims)
		},
		"none at all": func(*logintest.Provider, []byte) string { return "" },
	} {
		forged(t, what,
			func(p *logintest.Provider) { p.Sign = func(claims []byte) string { return sign(p, claims) } })
	}
}

func TestCase25MixUp(t *testing.T) {
	another := func(q url.Values) { q.Set("iss", "https://provider.example") }
	forged(t, "of another", func(p *logintest.Provider) { p.Respond = another })
	forged(t, "of nobody, though it says",
		func(p *logintest.Provider) { p.Respond = func(q url.Values) { q.Del("iss") } })
	quiet := func(about map[string]any) {
		delete(about,
			"authorization_response_iss_parameter_supported")
	}
	forged(t, "of another, though it says nothing",
		func(p *logintest.Provider) { p.Describe, p.Respond = quiet, another })

	b, p := newJoint(t)
	p.Describe, p.Respond = quiet, func(q url.Values) { q.Del("iss") }
	b.wantIn("of nobody, where it says nothing", b.viaProvider(b.Browser(), ""))
}

func TestCase25MixUpOfAnError(t *testing.T) {
	b, p := newJoint(t)
	p.Respond = func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("iss", "https://provider.example")
	}
	br := b.Browser()
	br.ComeBack(leave(br)).WantOut(t, "an error of another", http.StatusBadGateway)
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
		b.viaProvider(b.Browser(), "").WantOut(t, code+" for a page", http.StatusForbidden)
	}
	if _, ok := b.accountOf(logintest.Stranger); ok {
		t.Error("there is an account")
	}
}

func TestUnverifiedAddressNeverLinks(t *testing.T) {
	for what, verified := range map[string]any{
		"false": false, "text": "false", "number": 1, "missing": nil, "yes": "yes",
	} {
		b, p := newJoint(t)
		b.without(logintest.Stranger, "pro")
		p.Says["email_verified"] = verified
		b.viaProvider(b.Browser(), "").WantOut(t, what, http.StatusForbidden)
		b.viaProvider(b.Browser(), b.invite("another@example.org", "pro")).
			WantOut(t, what+", invited", http.StatusForbidden)
		p.Change(func() { p.Says["email"] = "another@example.org" })
		b.viaProvider(b.Browser(), b.invite("another@example.org", "pro")).
			WantOut(t, what+", new", http.StatusForbidden)
		if _, ok := b.accountOf("another@example.org"); ok {
			t.Errorf("email_verified %s made an account", what)
		}
		p.Change(func() { p.Says["email_verified"] = true })
		b.wantIn(what+", and then verified", b.viaProvider(b.Browser(), ""))
	}
}

func TestNoAddressIsNoAccount(t *testing.T) {
	for _, email := range []any{nil, "", "no address", "Some Body <" + logintest.Stranger + ">", 7} {
		b, p := newJoint(t)
		p.Says["email"] = email
		p.Elsewhere = map[string]any{"sub": "4711"}
		b.viaProvider(b.Browser(), "").WantOut(t, "an address", http.StatusForbidden)
	}
}

// without creates an account without a password and returns it.
func (b *bench) without(email, plan string) store.Account {
	b.Helper()
	a := store.Account{ID: email, Email: email, Plan: plan, Created: b.Now()}
	if err := b.Store.AddAccount(b.Context(), a); err != nil {
		b.Fatal(err)
	}
	return a
}

func TestVerifiedAddressLinks(t *testing.T) {
	b, p := newJoint(t)
	made := b.without(logintest.Stranger, "pro")
	p.Says["email"] = strings.ToUpper(logintest.Stranger)
	b.wantIn("the first time", b.viaProvider(b.Browser(), ""))
	p.Change(func() { p.Says["email"], p.Says["email_verified"] = "moved@example.org", false })
	b.wantIn("with another address, the second time", b.viaProvider(b.Browser(), ""))
	if got, err := b.Store.AccountByIdentity(t.Context(), p.URL, "4711"); err != nil ||
		got.ID != made.ID {
		t.Errorf("got account %v %v, want %v", got, err, made)
	}
	p.Change(func() {
		p.Says["sub"], p.Says["email"], p.Says["email_verified"] = "4712",
			logintest.Stranger, true
	})
	b.viaProvider(b.Browser(), "").WantOut(t, "somebody else with the address", http.StatusForbidden)
}

func TestPasswordOfAnotherIsNotShared(t *testing.T) {
	b, p := newJoint(t)
	p.Says["email"] = logintest.Somebody
	b.viaProvider(b.Browser(), "").WantOut(t, "an account with a password", http.StatusForbidden)
	if _, err := b.Store.AccountByIdentity(t.Context(), p.URL, "4711"); !errors.Is(err,
		store.ErrNotFound) {
		t.Errorf("the identity is linked: %v", err)
	}
	br := b.Browser()
	b.Join("other@example.org", "free")
	b.signedIn(br, "other@example.org")
	b.viaProvider(br, "").WantOut(t, "signed in to another", http.StatusForbidden)
	br = b.Browser()
	b.signedIn(br, logintest.Somebody)
	b.wantIn("signed in with it", b.viaProvider(br, ""))
	b.wantIn("from then on", b.viaProvider(b.Browser(), ""))
}

// signedIn signs a browser in to an account.
func (b *bench) signedIn(br *logintest.Browser, email string) {
	b.Helper()
	account, _ := b.accountOf(email)
	w, r := httptest.NewRecorder(), br.Request(http.MethodGet, "/", "")
	if err := b.c.Sessions.Begin(w, r, account.ID); err != nil {
		b.Fatal(err)
	}
	br.HTTP.Jar.SetCookies(r.URL, w.Result().Cookies())
}

func TestWhoMayJoinByTheProvider(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		b, _ := newJoint(t)
		b.wantIn("uninvited", b.viaProvider(b.Browser(), ""))
	})
	for _, signup := range []string{accounts.Invite, accounts.Closed} {
		t.Run(signup, func(t *testing.T) {
			b, _ := newJoint(t, func(c *setup) { c.Signup = signup })
			got := b.viaProvider(b.Browser(), "")
			got.WantOut(t, "uninvited", http.StatusForbidden)
			if !strings.Contains(got.Text, logintest.Stranger) || !strings.Contains(got.Text, "invit") {
				t.Errorf("the page %q does not say whom to invite", got.Title())
			}
			b.viaProvider(b.Browser(), b.invite("another@example.org", "pro")).
				WantOut(t, "with another's invitation", http.StatusForbidden)
			b.viaProvider(b.Browser(), credential.NewSecret("ldt_")).
				WantOut(t, "with a false one", http.StatusForbidden)
			b.Remove(logintest.Somebody)
			owner := ticketOf(b.OwnerLink())
			b.Join(logintest.Somebody, "pro")
			b.viaProvider(b.Browser(), owner).
				WantOut(t, "with the owner's, who is there", http.StatusForbidden)
			if _, ok := b.accountOf(logintest.Stranger); ok {
				t.Error("there is an account")
			}
		})
	}
	t.Run("invited", func(t *testing.T) {
		b, _ := newJoint(t, func(c *setup) { c.Signup = accounts.Invite })
		ticket := b.invite(logintest.Stranger, "pro")
		b.wantIn("invited", b.viaProvider(b.Browser(), ticket))
		if got, _ := b.accountOf(logintest.Stranger); got.Plan != "pro" {
			t.Errorf("got %v, want the plan of the invitation", got)
		}
		if _, err := b.Store.Ticket(t.Context(), credential.HashSecret(ticket)); !errors.Is(err,
			store.ErrNotFound) {
			t.Errorf("the invitation is not spent: %v", err)
		}
		b.wantIn("known", b.viaProvider(b.Browser(), ""))
	})
	t.Run("owner", func(t *testing.T) {
		b, _ := newJoint(t, func(c *setup) { c.Signup = accounts.Invite })
		first, _ := b.accountOf(logintest.Somebody)
		if err := b.Store.RemoveAccount(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		b.wantIn("the owner", b.viaProvider(b.Browser(), ticketOf(b.OwnerLink())))
		if got, _ := b.accountOf(logintest.Stranger); got.Plan != "pro" {
			t.Errorf("got %v, want the plan pro", got)
		}
	})
}

func TestInvitationIsNotKept(t *testing.T) {
	b, _ := newJoint(t)
	ticket := b.invite(logintest.Stranger, "pro")
	w := httptest.NewRecorder()
	b.StartFlow(w, b.Browser().Request(http.MethodPost, Path, ""), Flow{Ticket: ticket, Next: "/"})
	left := w.Result()
	to, err := left.Location()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := b.Store.Ticket(t.Context(), credential.HashSecret(to.Query().Get("state")))
	if err != nil || strings.Contains(string(kept.Data), ticket) ||
		strings.Contains(to.String(), ticket) {
		t.Errorf("kept %s of a journey to %s, %v, want it without the ticket", kept.Data, to, err)
	}
}

func TestOnePersonTwiceAtOnce(t *testing.T) {
	b, _ := newJoint(t)
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() { b.wantIn("one of many", b.viaProvider(b.Browser(), "")) })
	}
	together.Wait()
}

func TestProviderNamesThePlan(t *testing.T) {
	b, p := newJoint(t)
	for _, c := range []struct {
		claim any
		want  string
	}{{nil, "free"}, {"pro", "pro"}, {"admiral", "pro"}, {"anonymous", "pro"},
		{[]string{"free"}, "pro"}, {"free", "free"}} {
		p.Change(func() { p.Says["plan"] = c.claim })
		b.wantIn("a plan", b.viaProvider(b.Browser(), ""))
		if got, _ := b.accountOf(logintest.Stranger); got.Plan != c.want {
			t.Errorf("after %v: got the plan %s, want %s", c.claim, got.Plan, c.want)
		}
	}
	if !strings.Contains(b.Logged.String(), "admiral") {
		t.Errorf("the log says %s, want the unknown plan in it", b.Logged)
	}
}

func TestAddressAtTheUserInfoEndpoint(t *testing.T) {
	b, p := newJoint(t)
	delete(p.Says, "email")
	delete(p.Says, "email_verified")
	p.Elsewhere = map[string]any{"sub": "4711", "email": logintest.Stranger, "email_verified": true,
		"plan": "pro"}
	b.wantIn("what the ID token lacks", b.viaProvider(b.Browser(), ""))
	if got, _ := b.accountOf(logintest.Stranger); got.Plan != "pro" {
		t.Errorf("got %v, want the plan pro", got)
	}
	const other = "other@example.org"
	p.Change(func() {
		p.Says["sub"], p.Says["plan"], p.Elsewhere["sub"], p.Elsewhere["email"] = "4712", "free", "4712",
			other
	})
	b.wantIn("what is signed goes before", b.viaProvider(b.Browser(), ""))
	if got, _ := b.accountOf(other); got.Plan != "free" {
		t.Errorf("got %v, want the plan of the ID token", got)
	}
	forged(t, "of somebody else", func(p *logintest.Provider) {
		p.Says = map[string]any{"sub": "4713"}
		p.Elsewhere = map[string]any{"sub": "4711", "email": logintest.Stranger, "email_verified": true}
	})
}

// TestProviderSignInsAreCounted checks that sign-ins at the provider count like
// sign-ins with a password.
func TestProviderSignInsAreCounted(t *testing.T) {
	b, _ := newJoint(t)
	for range 20 {
		b.wantIn("up to the bound", b.viaProvider(b.Browser(), ""))
	}
	got := b.viaProvider(b.Browser(), "")
	got.WantOut(t, "beyond it", http.StatusTooManyRequests)
	if after := got.Header.Get("Retry-After"); after != "3600" {
		t.Errorf("Retry-After is %q, want 3600", after)
	}
}

// TestSplitAddress checks that an address from one source is not verified by a
// claim from the other.
func TestSplitAddress(t *testing.T) {
	for _, test := range []struct {
		name      string
		says      map[string]any // claims in the ID token
		elsewhere map[string]any // claims from the UserInfo endpoint
		in        bool
	}{
		{"verified in the ID token, address elsewhere",
			map[string]any{"email_verified": true}, map[string]any{"email": logintest.Stranger}, false},
		{"and not verified there",
			map[string]any{"email_verified": true},
			map[string]any{"email": logintest.Stranger, "email_verified": false}, false},
		{"and null in the ID token",
			map[string]any{"email": nil, "email_verified": true},
			map[string]any{"email": logintest.Stranger}, false},
		{"verified elsewhere, address in the ID token",
			map[string]any{"email": logintest.Stranger},
			map[string]any{"email": logintest.Stranger, "email_verified": true}, false},
		{"two addresses",
			map[string]any{"email": logintest.Stranger},
			map[string]any{"email": "a@example.org", "email_verified": true}, false},
		{"both elsewhere, and not verified in the ID token",
			map[string]any{"email_verified": false},
			map[string]any{"email": logintest.Stranger, "email_verified": true}, true},
		{"both elsewhere, and null in the ID token",
			map[string]any{"email": nil},
			map[string]any{"email": logintest.Stranger, "email_verified": true}, true},
		{"both in the ID token",
			map[string]any{"email": logintest.Stranger, "email_verified": true},
			map[string]any{"email_verified": false}, true},
	} {
		b, p := newJoint(t)
		owner := b.without(logintest.Stranger, "pro")
		test.says["sub"], test.elsewhere["sub"] = "4711", "4711"
		p.Change(func() { p.Says, p.Elsewhere = test.says, test.elsewhere })
		got := b.viaProvider(b.Browser(), "")
		_, err := b.Store.AccountByIdentity(t.Context(), p.URL, "4711")
		if test.in {
			b.wantIn(test.name, got)
		} else {
			got.WantOut(t, test.name, http.StatusForbidden)
		}
		if linked := err == nil; linked != test.in {
			t.Errorf("%s: the account of %s is linked: %v, %v, want %v", test.name, owner.Email, linked, err,
				test.in)
		}
	}
}

// TestCallbackWithoutCode checks that a callback without a code sends no
// request to the provider's token endpoint.
func TestCallbackWithoutCode(t *testing.T) {
	for what, respond := range map[string]func(url.Values){
		"no code":       func(q url.Values) { q.Del("code") },
		"an empty code": func(q url.Values) { q.Set("code", "") },
	} {
		b, p := newJoint(t)
		p.Respond = respond
		b.viaProvider(b.Browser(), "").WantOut(t, what, http.StatusBadGateway)
		if p.Exchanges != 0 {
			t.Errorf("%s: the token endpoint was asked %d times", what, p.Exchanges)
		}
		if want := "neither a code nor an error"; !strings.Contains(b.Logged.String(), want) {
			t.Errorf("%s: the log says %q, want %q", what, b.Logged, want)
		}
	}
}

func TestDiscoveryIsKept(t *testing.T) {
	b, p := newJoint(t)
	if p.Discoveries != 0 {
		t.Errorf("%d discoveries before the first need, want none", p.Discoveries)
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
	b.wantIn("afterwards", b.viaProvider(b.Browser(), ""))
	p.Change(func() {
		if p.Discoveries != 1 {
			t.Errorf("got %d discoveries, want 1", p.Discoveries)
		}
	})
}

func TestProviderSpeaksInTheClearHereAlone(t *testing.T) {
	now := func() time.Time { return logintest.Start }
	for issuer, want := range map[string]bool{
		"https://provider.example": true, "https://provider.example/tenant": true,
		"http://127.0.0.1:4000": true, "http://localhost": true,
		"http://provider.example": false, "provider.example": false, "": false, "https://": false,
		"https://provider.example?x": false, "http://127.0.0.1.example": false,
	} {
		if _, err := newProvider(Provider{Issuer: issuer}, "", now); (err == nil) != want {
			t.Errorf("newProvider(%q) = %v, want good %v", issuer, err, want)
		}
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "issuer"} {
		b, p := newJoint(t)
		p.Describe = func(about map[string]any) { about[name] = "http://provider.example/" }
		br := b.Browser()
		leave(br).WantPage(t, name, http.StatusServiceUnavailable)
	}
}

func TestDeparturesAreLimited(t *testing.T) {
	b, _ := newJoint(t)
	br := b.Browser()
	for range flowBurst {
		br.SentBack(leave(br))
	}
	got := leave(br)
	got.WantPage(t, "one more", http.StatusTooManyRequests)
	if got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	b.Pass(flowEvery)
	br.SentBack(leave(br))
}

func TestNoProvider(t *testing.T) {
	b := newBench(t)
	b.Browser().Get(callbackPath+"?code=1&state=ldp_1").
		WantPage(t, "coming back from nowhere", http.StatusNotFound)
	br := b.Browser()
	leave(br).WantPage(t, "leaving", http.StatusNotFound)
}
