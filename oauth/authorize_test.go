package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// toClient notes where an answer does not send the browser to the app with an
// error, the state as it came and the issuer.
func (b *bench) toClient(what string, got reply, a registered, q url.Values, code string) {
	b.Helper()
	to := got.location()
	at := to.Query()
	to.RawQuery = ""
	if got.StatusCode != http.StatusSeeOther || to.String() != a.redirect || at.Get("error") != code || at.Get("error_description") == "" {
		b.Errorf("%s: got %d to %s with %v, want 303 to %s with error %s\n%s", what, got.StatusCode, to, at, a.redirect, code, got.text)
	}
	if at.Get("iss") != b.issuer || at.Get("state") != q.Get("state") || at.Has("code") {
		b.Errorf("%s: got %v, want iss %q and state %q, and no code", what, at, b.issuer, q.Get("state"))
	}
}

// toPerson notes where an answer is not a page with the status, or redirects.
func (b *bench) toPerson(what string, got reply, status int) {
	b.Helper()
	if got.StatusCode != status || got.Header.Get("Location") != "" || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		b.Errorf("%s: got %d to %q, %s, want a page with %d", what, got.StatusCode, got.Header.Get("Location"), got.Header.Get("Content-Type"), status)
	}
}

func TestCase1UnknownClientIsAPage(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	b.toPerson("unknown", b.browser().get(authorizeAt(a.query(b, "client_id", "nobody"))), http.StatusBadRequest)
	b.toPerson("missing", b.browser().get(authorizeAt(a.query(b, "client_id", ""))), http.StatusBadRequest)
	q := a.query(b)
	q.Add("client_id", a.id)
	b.toPerson("twice", b.browser().get(authorizeAt(q)), http.StatusBadRequest)
}

func TestCase2ForeignRedirectIsAPage(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "https://app.example/cb", appRedirect)
	for _, redirect := range []string{
		"", "https://app.example/cb/", "https://app.example/c", "https://app.example:444/cb", "https://app.example/CB", "https://app.example/cb?x=1",
		"https://app.example/%63b", "https://u@app.example/cb", "https://app.example/cb#f", "http://app.example/cb", "https://evil.example/cb", "http://localhost:33418/callback",
	} {
		b.toPerson(redirect, b.browser().get(authorizeAt(a.query(b, "redirect_uri", redirect))), http.StatusBadRequest)
	}
	q := a.query(b)
	q.Add("redirect_uri", a.redirect)
	b.toPerson("twice", b.browser().get(authorizeAt(q)), http.StatusBadRequest)
	page := b.browser().get(authorizeAt(a.query(b)))
	if page.StatusCode != http.StatusOK {
		t.Errorf("the registered one: got %d, want 200", page.StatusCode)
	}
}

func TestCase3LoopbackPortMayDiffer(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	a.redirect = "http://127.0.0.1:51999/callback"
	code := b.browser().agree(a)
	b.tokensOf(b.post(tokenPath, a.redemption(b, code)))
}

func TestCase5NoPKCE(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, changes := range [][]string{
		{"code_challenge", ""}, {"code_challenge_method", ""}, {"code_challenge_method", "plain"}, {"code_challenge_method", "s256"},
		{"code_challenge", strings.Repeat("a", 42)}, {"code_challenge", strings.Repeat("a", 129)}, {"code_challenge", strings.Repeat("a", 42) + "+"},
	} {
		q := a.query(b, changes...)
		b.toClient(strings.Join(changes, "="), b.browser().get(authorizeAt(q)), a, q, "invalid_request")
	}
}

func TestCase6ParametersTwice(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, name := range []string{"response_type", "scope", "code_challenge", "code_challenge_method", "state", "prompt"} {
		q := a.query(b)
		q[name] = append(q[name], "code", "code")
		b.toClient(name, b.browser().get(authorizeAt(q)), a, q, "invalid_request")
	}
}

func TestCase7OtherResponses(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for kind, code := range map[string]string{"": "invalid_request", "token": "unsupported_response_type", "code id_token": "unsupported_response_type", "CODE": "unsupported_response_type"} {
		q := a.query(b, "response_type", kind)
		b.toClient(kind, b.browser().get(authorizeAt(q)), a, q, code)
	}
	q := a.query(b, "response_mode", "fragment")
	b.toClient("fragment", b.browser().get(authorizeAt(q)), a, q, "invalid_request")
}

func TestCase8Resources(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, resource := range []string{"https://elsewhere.example/pro/mcp", b.c.Base + "/mcp", b.c.Base, b.resource + "#f", b.resource + "/x", "pro/mcp"} {
		q := a.query(b, "resource", resource)
		b.toClient(resource, b.browser().get(authorizeAt(q)), a, q, "invalid_target")
	}
	q := a.query(b)
	q.Add("resource", "https://elsewhere.example/")
	b.toClient("a second", b.browser().get(authorizeAt(q)), a, q, "invalid_target")
	for _, resource := range []string{"", b.resource + "/", strings.Replace(b.resource, "http://", "HTTP://", 1)} {
		if got := b.browser().get(authorizeAt(a.query(b, "resource", resource))); got.StatusCode != http.StatusOK {
			t.Errorf("resource %q: got %d, want 200", resource, got.StatusCode)
		}
	}
}

func TestCase9Scopes(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, scope := range []string{"webhook:write", "offline_access", "MCP:USE"} {
		q := a.query(b, "scope", scope)
		b.toClient(scope, b.browser().get(authorizeAt(q)), a, q, "invalid_scope")
	}
	for asked, want := range map[string]string{"": "mcp:use", "mcp:use": "mcp:use", "openid mcp:use profile": "mcp:use", "offline_access mcp:use": "mcp:use offline_access"} {
		code := b.browser().agree(a, "scope", asked)
		if got := b.tokensOf(b.post(tokenPath, a.redemption(b, code))).Scope; got != want {
			t.Errorf("scope %q: granted %q, want %q", asked, got, want)
		}
	}
}

func TestCase10StateAndIssuer(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "http://127.0.0.1:33418/callback?keep=1")
	for _, state := range []string{"", "x", "a b+c&d=é%00", strings.Repeat("s", 2000)} {
		q := a.query(b, "state", state)
		for _, decision := range []string{"allow", "deny"} {
			w := b.browser()
			form := changed(w.get(authorizeAt(q)).inputs(t), "email", somebody, "password", passphrase, "decision", decision)
			to := w.post(consentPath, form).location().Query()
			if to.Get("state") != state || to.Has("state") != (state != "") || to.Get("iss") != b.issuer || to.Get("keep") != "1" || (to.Get("code") != "") != (decision == "allow") {
				t.Errorf("state %.20q, %s: got %v", state, decision, to)
			}
		}
	}
}

func TestCase11PromptNone(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	w := b.browser()
	q := a.query(b, "prompt", "none")
	b.toClient("signed out", w.get(authorizeAt(q)), a, q, "login_required")
	w.agree(a)
	b.toClient("signed in", w.get(authorizeAt(q)), a, q, "consent_required")
}

func TestCase12SeeOtherAfterPost(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, decision := range []string{"allow", "deny"} {
		w := b.browser()
		form := changed(w.get(authorizeAt(a.query(b))).inputs(t), "email", somebody, "password", passphrase, "decision", decision)
		got := w.post(consentPath, form)
		if got.StatusCode != http.StatusSeeOther || strings.Contains(got.Header.Get("Location"), "spring") {
			t.Errorf("%s: got %d to %s, want 303", decision, got.StatusCode, got.Header.Get("Location"))
		}
	}
}

func TestCase13NothingIsKeptOnTheWay(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	w := b.browser()
	page := w.get(authorizeAt(a.query(b)))
	back := w.post(consentPath, changed(page.inputs(t), "email", somebody, "password", passphrase, "decision", "allow"))
	for name, got := range map[string]reply{"page": page, "redirect": back, "refusal": w.get(authorizePath)} {
		if got.Header.Get("Referrer-Policy") != "no-referrer" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Referrer-Policy %q, Cache-Control %q", name, got.Header.Get("Referrer-Policy"), got.Header.Get("Cache-Control"))
		}
	}
}

func TestCase16ConsentOfAnotherSite(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	other := b.register("other")
	mine, theirs := b.browser(), b.browser()
	form := changed(mine.get(authorizeAt(a.query(b))).inputs(t), "email", somebody, "password", passphrase, "decision", "allow")
	if form.Get("token") == "" {
		t.Fatal("the form has no token")
	}
	theirForm := theirs.get(authorizeAt(a.query(b))).inputs(t)
	otherForm := mine.get(authorizeAt(other.query(b))).inputs(t)
	for what, changes := range map[string][]string{
		"no token": {"token", ""}, "a wrong one": {"token", "x"}, "another browser's": {"token", theirForm.Get("token")}, "another request's": {"token", otherForm.Get("token")},
		"another request": {"request", otherForm.Get("request")},
	} {
		b.toPerson(what, mine.post(consentPath, changed(cloned(form), changes...)), http.StatusForbidden)
	}
	b.toPerson("no cookie", b.post(consentPath, form), http.StatusForbidden)
	r := mine.request(http.MethodPost, consentPath, form.Encode())
	r.Header.Set("Origin", "https://evil.example")
	b.toPerson("another origin", mine.do(r), http.StatusForbidden)
	r = mine.request(http.MethodPost, consentPath, form.Encode())
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.toPerson("another site", mine.do(r), http.StatusForbidden)
	mine.agree(a)
	b.toPerson("from before signing in", mine.post(consentPath, form), http.StatusForbidden)
}

func cloned(form url.Values) url.Values {
	out := url.Values{}
	for name, values := range form {
		out[name] = append([]string(nil), values...)
	}
	return out
}

// TestCase18FormsMayGoToTheClient: browsers hold the redirect after a form
// against form-action.
func TestCase18FormsMayGoToTheClient(t *testing.T) {
	b := newBench(t)
	for redirect, want := range map[string]string{
		"https://claude.ai/api/mcp/auth_callback": "https:", "http://localhost:8787/callback": "http://localhost:8787",
		"cursor://anysphere.cursor-mcp/oauth/callback": "cursor:", "http://[::1]:8787/callback": "http:",
	} {
		a := b.register("app", redirect)
		policy := b.browser().get(authorizeAt(a.query(b))).Header.Get("Content-Security-Policy")
		_, action, _ := strings.Cut(policy, "form-action ")
		action, _, _ = strings.Cut(action, ";")
		if got := strings.Fields(action); len(got) != 2 || got[0] != "'self'" || got[1] != want {
			t.Errorf("%s: form-action %q, want 'self' %s", redirect, action, want)
		}
	}
}

// TestCase20EachClientAsks: a browser that is signed in, and has agreed before,
// is asked again, by the same client too.
func TestCase20EachClientAsks(t *testing.T) {
	b := newBench(t)
	w := b.browser()
	first, second := b.register("first"), b.register("second")
	w.agree(first)
	for _, a := range []registered{first, second} {
		page := w.get(authorizeAt(a.query(b)))
		b.toPerson("signed in", page, http.StatusOK)
		if !strings.Contains(page.text, somebody) || page.inputs(t).Has("password") {
			t.Errorf("the page does not say who is signed in, or asks for a password:\n%s", page.text)
		}
	}
	form := changed(w.get(authorizeAt(second.query(b))).inputs(t), "decision", "allow")
	if code := w.post(consentPath, form).location().Query().Get("code"); code == "" {
		t.Error("who is signed in cannot agree without a password")
	}
}

// TestConsentWithWrongPassword: nothing is granted, and the person can go on.
func TestConsentWithWrongPassword(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	w := b.browser()
	form := changed(w.get(authorizeAt(a.query(b))).inputs(t), "email", somebody, "password", "wrong", "decision", "allow")
	page := w.post(consentPath, form)
	b.toPerson("wrong password", page, http.StatusUnprocessableEntity)
	if page.inputs(t).Get("email") != somebody || strings.Contains(page.text, `value="wrong"`) {
		t.Errorf("the page does not keep the address, or shows the password:\n%s", page.text)
	}
	form = changed(page.inputs(t), "email", somebody, "password", passphrase, "decision", "allow")
	if code := w.post(consentPath, form).location().Query().Get("code"); code == "" {
		t.Error("the second attempt fails")
	}
}

// TestAuthorizeByPost: the form of a client is as good as its link, and leaves
// the browser's other forms as they are.
func TestAuthorizeByPost(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.post(authorizePath, a.query(b))
	if to := got.location(); got.StatusCode != http.StatusSeeOther || to.Path != authorizePath || to.Query().Encode() != a.query(b).Encode() || len(got.Cookies()) > 0 {
		t.Errorf("got %d to %s with %v, want 303 to the same request and no cookie", got.StatusCode, to, got.Cookies())
	}
}

// TestNoWayToElsewhere: a client that anybody may have registered with an
// address of the web gets nobody sent there who was not asked.
func TestNoWayToElsewhere(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "https://evil.example/cb")
	for _, changes := range [][]string{{"response_type", "x"}, {"scope", "nothing"}, {"prompt", "none"}, {"resource", "https://evil.example/"}, {"code_challenge", ""}} {
		got := b.browser().get(authorizeAt(a.query(b, changes...)))
		b.toPerson(changes[0], got, http.StatusBadRequest)
		if !strings.Contains(got.text, "evil.example") || !strings.Contains(got.text, `href="https://evil.example/cb?`) {
			t.Errorf("%s: the page does not say where it goes:\n%s", changes[0], got.text)
		}
	}
	w := b.browser()
	form := changed(w.get(authorizeAt(a.query(b))).inputs(t), "decision", "deny")
	b.toClient("who was asked", w.post(consentPath, form), a, a.query(b), "access_denied")
}

// TestCase14NobodyLeavesUnasked: whatever a client asks for, and whoever is
// signed in, the browser goes to the provider, and back to the client, from the
// consent page alone, and with each client and each place of its answers anew.
func TestCase14NobodyLeavesUnasked(t *testing.T) {
	b, provider := newJoint(t)
	w := b.browser()
	a, other := b.register("app"), b.register("app", "http://127.0.0.1:33418/elsewhere")
	for _, q := range []url.Values{a.query(b), a.query(b, "prompt", "login"), other.query(b)} {
		page := w.get(authorizeAt(q))
		b.toPerson("before consent", page, http.StatusOK)
		if !strings.Contains(page.text, "this computer") || strings.Contains(strings.Join(page.Header["Set-Cookie"], ""), b.journeyCookie()) {
			t.Errorf("the page does not say where the answer goes, or the journey has begun")
		}
		to := w.leave(q).location()
		if to.Host != strings.TrimPrefix(provider.URL, "http://") {
			t.Errorf("after consent: got %s, want the provider", to)
		}
	}
	for _, decision := range []string{"", "deny", "other"} {
		q := a.query(b)
		form := changed(w.get(authorizeAt(q)).inputs(t), "decision", decision)
		b.toClient("decision "+decision, w.post(consentPath, form), a, q, "access_denied")
	}
}
