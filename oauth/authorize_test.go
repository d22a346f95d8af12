package oauth

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
)

// consentShown holds the texts of a consent page as a person reads them.
type consentShown struct {
	facts  map[string]string // the text under each heading
	scopes []string          // in plain words
	care   string            // the warning, "" if there is none
}

// shownTo returns the texts of a consent page.
func (b *bench) shownTo(page logintest.Reply) consentShown {
	b.Helper()
	b.toPerson("the consent page", page, http.StatusOK)
	root, err := html.Parse(strings.NewReader(page.Text))
	if err != nil {
		b.Fatal(err)
	}
	shown, heading := consentShown{facts: map[string]string{}}, ""
	for n := range root.Descendants() {
		switch {
		case n.Data == "dt":
			heading = textOf(n)
		case n.Data == "dd":
			shown.facts[heading] = textOf(n)
		case n.Data == "li":
			shown.scopes = append(shown.scopes, textOf(n))
		case slices.Contains(n.Attr, html.Attribute{Key: "class", Val: "notice care"}):
			shown.care = textOf(n)
		}
	}
	return shown
}

// textOf returns the text in an element.
func textOf(n *html.Node) string {
	var text strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data)
		}
	}
	return text.String()
}

// newDescribed starts a server that fetches the metadata of clients from a
// handler.
func newDescribed(t *testing.T, serve http.HandlerFunc, change ...func(*setup)) *bench {
	t.Helper()
	host := httptest.NewTLSServer(serve)
	t.Cleanup(host.Close)
	return newBench(t,
		append([]func(*setup){func(c *setup) { c.Documents = host.Client() }}, change...)...)
}

// described returns a client whose id is the address of its metadata.
func (b *bench) described(redirect string) registered {
	return registered{id: paperID, redirect: redirect, verifier: credential.NewSecret("")}
}

// toClient reports an error unless a response redirects the browser to the
// client with an error, the unchanged state and the issuer.
func (b *bench) toClient(what string, got logintest.Reply, a registered, q url.Values,
	code string) {
	b.Helper()
	to := got.To()
	at := to.Query()
	to.RawQuery = ""
	if got.StatusCode != http.StatusSeeOther || to.String() != a.redirect || at.Get("error") != code ||
		at.Get("error_description") == "" {
		b.Errorf("%s: got %d to %s with %v, want 303 to %s with error %s\n%s", what, got.StatusCode, to,
			at, a.redirect, code, got.Text)
	}
	if at.Get("iss") != b.issuer || at.Get("state") != q.Get("state") || at.Has("code") {
		b.Errorf("%s: got %v, want iss %q and state %q, and no code", what, at, b.issuer, q.Get("state"))
	}
}

// toPerson reports an error unless a response is a page with the given status.
func (b *bench) toPerson(what string, got logintest.Reply, status int) {
	b.Helper()
	got.WantPage(b.TB, what, status)
}

func TestCase1UnknownClientIsAPage(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	b.toPerson("unknown", b.browser().Get(authorizeAt(a.query(b, "client_id", "nobody"))),
		http.StatusBadRequest)
	b.toPerson("missing", b.browser().Get(authorizeAt(a.query(b, "client_id", ""))),
		http.StatusBadRequest)
	q := a.query(b)
	q.Add("client_id", a.id)
	b.toPerson("twice", b.browser().Get(authorizeAt(q)), http.StatusBadRequest)
}

func TestCase2ForeignRedirectIsAPage(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "https://app.example/cb", appRedirect)
	for _, redirect := range []string{
		"", "https://app.example/cb/", "https://app.example/c", "https://app.example:444/cb",
		"https://app.example/CB", "https://app.example/cb?x=1",
		"https://app.example/%63b", "https://u@app.example/cb", "https://app.example/cb#f",
		"http://app.example/cb", "https://evil.example/cb", "http://localhost:33418/callback",
	} {
		b.toPerson(redirect, b.browser().Get(authorizeAt(a.query(b, "redirect_uri", redirect))),
			http.StatusBadRequest)
	}
	q := a.query(b)
	q.Add("redirect_uri", a.redirect)
	b.toPerson("twice", b.browser().Get(authorizeAt(q)), http.StatusBadRequest)
	page := b.browser().Get(authorizeAt(a.query(b)))
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

// TestCase3BothNamesOfLoopback checks that a client that registered both
// loopback names may use either with any port, and that its code is sent to the
// requested one.
func TestCase3BothNamesOfLoopback(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "http://localhost:33418/callback", "http://127.0.0.1:33418/callback")
	for _, redirect := range []string{"http://localhost:33418/callback",
		"http://127.0.0.1:33418/callback", "http://localhost:51999/callback",
		"http://127.0.0.1/callback"} {
		a.redirect = redirect
		b.tokensOf(b.post(tokenPath, a.redemption(b, b.browser().agree(a))))
	}
	a.redirect = "http://[::1]:33418/callback"
	b.toPerson("the third name", b.browser().Get(authorizeAt(a.query(b))), http.StatusBadRequest)
}

func TestCase5NoPKCE(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, changes := range [][]string{
		{"code_challenge", ""}, {"code_challenge_method", ""}, {"code_challenge_method", "plain"},
		{"code_challenge_method", "s256"},
		{"code_challenge", strings.Repeat("a", 42)}, {"code_challenge", strings.Repeat("a", 129)},
		{"code_challenge", strings.Repeat("a", 42) + "+"},
	} {
		q := a.query(b, changes...)
		b.toClient(strings.Join(changes, "="), b.browser().Get(authorizeAt(q)), a, q, "invalid_request")
	}
}

func TestCase6ParametersTwice(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, name := range []string{"response_type", "scope", "code_challenge", "code_challenge_method",
		"state", "prompt"} {
		q := a.query(b)
		q[name] = append(q[name], "code", "code")
		b.toClient(name, b.browser().Get(authorizeAt(q)), a, q, "invalid_request")
	}
}

// TestCase6ResponseModeTwice checks that a repeated parameter is refused even
// if both values are equal.
func TestCase6ResponseModeTwice(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	q := a.query(b, "response_mode", "query")
	b.toPerson("once", b.browser().Get(authorizeAt(q)), http.StatusOK)
	q.Add("response_mode", "query")
	b.toClient("twice", b.browser().Get(authorizeAt(q)), a, q, "invalid_request")
}

func TestCase7OtherResponses(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for kind, code := range map[string]string{"": "invalid_request",
		"token":         "unsupported_response_type",
		"code id_token": "unsupported_response_type", "CODE": "unsupported_response_type"} {
		q := a.query(b, "response_type", kind)
		b.toClient(kind, b.browser().Get(authorizeAt(q)), a, q, code)
	}
	q := a.query(b, "response_mode", "fragment")
	b.toClient("fragment", b.browser().Get(authorizeAt(q)), a, q, "invalid_request")
}

func TestCase8Resources(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, resource := range []string{"https://elsewhere.example/pro/mcp", b.Site.Base + "/mcp",
		b.Site.Base, b.Site.Base + "?toolsets=planning", b.resource + "#f", b.resource + "/x",
		"pro/mcp",
	} {
		q := a.query(b, "resource", resource)
		b.toClient(resource, b.browser().Get(authorizeAt(q)), a, q, "invalid_target")
	}
	q := a.query(b)
	q.Add("resource", "https://elsewhere.example/")
	b.toClient("a second", b.browser().Get(authorizeAt(q)), a, q, "invalid_target")
	for _, resource := range []string{"", b.resource + "/", b.resource + "?toolsets=planning",
		strings.Replace(b.resource, "http://", "HTTP://", 1)} {
		if got := b.browser().Get(authorizeAt(a.query(b, "resource",
			resource))); got.StatusCode != http.StatusOK {
			t.Errorf("resource %q: got %d, want 200", resource, got.StatusCode)
		}
	}
}

// TestCase8Audience checks that a token is issued for the only resource,
// whichever spelling the request uses, or if the request does not name one.
func TestCase8Audience(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Base = strings.Replace(c.Base, "127.0.0.1", "localhost", 1) })
	a := b.register("app")
	for _, resource := range []string{"", b.resource,
		strings.Replace(b.resource, "localhost", "LOCALHOST", 1),
		strings.Replace(b.resource, "localhost", "LocalHost", 1) + "/",
		b.resource + "?toolsets=core,planning"} {
		w := b.any()
		code := w.agree(a, "resource", resource)
		got := b.tokensOf(w.Post(tokenPath, a.redemption(b, code, "resource", resource)))
		b.wantGood(resource, got.Access)
		text, err := base64.RawURLEncoding.DecodeString(strings.Split(got.Access, ".")[1])
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			Audience any `json:"aud"`
		}
		if err := json.Unmarshal(text, &said); err != nil ||
			!reflect.DeepEqual(said.Audience, b.resource) &&
				!reflect.DeepEqual(said.Audience, []any{b.resource}) {
			t.Errorf("resource %q: the audience is %v, %v, want %s", resource, said.Audience, err,
				b.resource)
		}
	}
	q := a.query(b, "resource", strings.Replace(b.resource, "/pro/mcp", "/PRO/MCP", 1))
	b.toClient("a path in capitals", b.any().Get(authorizeAt(q)), a, q, "invalid_target")
}

func TestCase9Scopes(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, scope := range []string{"webhook:write", "offline_access", "MCP:USE"} {
		q := a.query(b, "scope", scope)
		b.toClient(scope, b.browser().Get(authorizeAt(q)), a, q, "invalid_scope")
	}
	for asked, want := range map[string]string{"": "mcp:use", "mcp:use": "mcp:use",
		"openid mcp:use profile": "mcp:use", "offline_access mcp:use": "mcp:use offline_access"} {
		code := b.browser().agree(a, "scope", asked)
		if got := b.tokensOf(b.post(tokenPath, a.redemption(b, code))).Scope; got != want {
			t.Errorf("scope %q: granted %q, want %q", asked, got, want)
		}
	}
}

// TestCase9ConsentShowsWhatIsGranted checks that the page shows known scopes
// only. It always shows that the client stays connected, because every client
// gets a refresh token.
func TestCase9ConsentShowsWhatIsGranted(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	want := scopes{"mcp:use", "offline_access"}.Words()
	for _, asked := range []string{"", "mcp:use", "openid webhook:write mcp:use",
		"offline_access mcp:use mcp:use"} {
		w := b.browser()
		if got := b.shownTo(w.Get(authorizeAt(a.query(b, "scope", asked)))).scopes; !slices.Equal(got,
			want) {
			t.Errorf("scope %q: the page shows %q, want %q", asked, got, want)
		}
		got := b.tokensOf(b.post(tokenPath, a.redemption(b, w.agree(a, "scope", asked))))
		b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
	}
}

func TestCase10StateAndIssuer(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "http://127.0.0.1:33418/callback?keep=1")
	for _, state := range []string{"", "x", "a b+c&d=é%00", strings.Repeat("s", 2000)} {
		q := a.query(b, "state", state)
		for _, decision := range []string{"allow", "deny"} {
			w := b.browser()
			form := logintest.Changed(w.Get(authorizeAt(q)).Inputs(t), "email", logintest.Somebody,
				"password", logintest.Password, "decision", decision)
			to := w.Post(consentPath, form).To().Query()
			if to.Get("state") != state || to.Has("state") != (state != "") || to.Get("iss") != b.issuer ||
				to.Get("keep") != "1" || (to.Get("code") != "") != (decision == "allow") {
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
	b.toClient("signed out", w.Get(authorizeAt(q)), a, q, "login_required")
	w.agree(a)
	b.toClient("signed in", w.Get(authorizeAt(q)), a, q, "consent_required")
}

func TestCase12SeeOtherAfterPost(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	for _, decision := range []string{"allow", "deny"} {
		w := b.browser()
		form := logintest.Changed(w.Get(authorizeAt(a.query(b))).Inputs(t), "email", logintest.Somebody,
			"password", logintest.Password, "decision", decision)
		got := w.Post(consentPath, form)
		if got.StatusCode != http.StatusSeeOther ||
			strings.Contains(got.Header.Get("Location"), "spring") {
			t.Errorf("%s: got %d to %s, want 303", decision, got.StatusCode, got.Header.Get("Location"))
		}
	}
}

func TestCase13NothingIsKeptOnTheWay(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	w := b.browser()
	page := w.Get(authorizeAt(a.query(b)))
	back := w.Post(consentPath,
		logintest.Changed(page.Inputs(t), "email", logintest.Somebody, "password", logintest.Password,
			"decision", "allow"))
	for name, got := range map[string]logintest.Reply{"page": page, "redirect": back,
		"refusal": w.Get(authorizePath)} {
		if got.Header.Get("Referrer-Policy") != "no-referrer" ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Referrer-Policy %q, Cache-Control %q", name, got.Header.Get("Referrer-Policy"),
				got.Header.Get("Cache-Control"))
		}
	}
}

// TestCase15ConsentAsServed checks that the served page shows the client, its
// metadata host, the target of the response and the granted scopes.
func TestCase15ConsentAsServed(t *testing.T) {
	b := newDescribed(t,
		paperText(
			`{"client_id":"`+paperID+`","client_name":"Tide Table","redirect_uris":["`+paperBack+
				`","http://localhost/back"]}`))
	cursor := b.register("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback")
	itself := "itself: nobody has checked who is behind it"
	for name, test := range map[string]struct {
		of   registered
		want [3]string
		care bool
	}{
		"described": {b.described(paperBack),
			[3]string{"Tide Table", "app.example.com", "app.example.com"}, false},
		"described, on loopback": {b.described("http://localhost:8787/back"),
			[3]string{"Tide Table", "app.example.com", "this computer"}, true},
		"registered": {b.register("Chart", "https://chart.example/back"),
			[3]string{"Chart", itself, "chart.example"}, false},
		"on loopback": {b.register("Claude Code"),
			[3]string{"Claude Code", itself, "this computer"}, true},
		"by a scheme": {cursor, [3]string{"Cursor", itself, "an app that opens cursor: links"},
			true},
	} {
		got := b.shownTo(b.browser().Get(authorizeAt(test.of.query(b, "scope",
			"mcp:use offline_access"))))
		want := map[string]string{"The app calls itself": test.want[0], "Described by": test.want[1],
			"Your answer goes to": test.want[2]}
		if !reflect.DeepEqual(got.facts, want) {
			t.Errorf("%s: the page shows %q, want %q", name, got.facts, want)
		}
		if words := (scopes{"mcp:use", "offline_access"}).Words(); !slices.Equal(got.scopes, words) {
			t.Errorf("%s: the page grants %q, want %q", name, got.scopes, words)
		}
		if warns := strings.Contains(got.care, "Any program on this computer") &&
			strings.Contains(got.care, test.want[0]); warns != test.care || !warns && got.care != "" {
			t.Errorf("%s: the page warns %q, want a warning %v", name, got.care, test.care)
		}
	}
}

func TestCase16ConsentOfAnotherSite(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	other := b.register("other")
	mine, theirs := b.browser(), b.browser()
	form := logintest.Changed(mine.Get(authorizeAt(a.query(b))).Inputs(t), "email", logintest.Somebody,
		"password", logintest.Password, "decision", "allow")
	if form.Get("token") == "" {
		t.Fatal("the form has no token")
	}
	theirForm := theirs.Get(authorizeAt(a.query(b))).Inputs(t)
	otherForm := mine.Get(authorizeAt(other.query(b))).Inputs(t)
	for what, changes := range map[string][]string{
		"no token": {"token", ""}, "a wrong one": {"token", "x"},
		"another browser's": {"token", theirForm.Get("token")},
		"another request's": {"token", otherForm.Get("token")},
		"another request":   {"request", otherForm.Get("request")},
	} {
		b.toPerson(what, mine.Post(consentPath, logintest.Changed(cloned(form), changes...)),
			http.StatusForbidden)
	}
	b.toPerson("no cookie", b.post(consentPath, form), http.StatusForbidden)
	r := mine.Request(http.MethodPost, consentPath, form.Encode())
	r.Header.Set("Origin", "https://evil.example")
	b.toPerson("another origin", mine.Do(r), http.StatusForbidden)
	r = mine.Request(http.MethodPost, consentPath, form.Encode())
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.toPerson("another site", mine.Do(r), http.StatusForbidden)
	mine.agree(a)
	b.toPerson("from before signing in", mine.Post(consentPath, form), http.StatusForbidden)
}

func cloned(form url.Values) url.Values {
	out := url.Values{}
	for name, values := range form {
		out[name] = append([]string(nil), values...)
	}
	return out
}

// TestCase18FormsMayGoToTheClient checks that form-action allows the redirect
// after the form, which browsers enforce.
func TestCase18FormsMayGoToTheClient(t *testing.T) {
	b := newBench(t)
	for redirect, want := range map[string]string{
		"https://claude.ai/api/mcp/auth_callback":      "https:",
		"http://localhost:8787/callback":               "http://localhost:8787",
		"cursor://anysphere.cursor-mcp/oauth/callback": "cursor:", "http://[::1]:8787/callback": "http:",
	} {
		a := b.register("app", redirect)
		policy := b.browser().Get(authorizeAt(a.query(b))).Header.Get("Content-Security-Policy")
		_, action, _ := strings.Cut(policy, "form-action ")
		action, _, _ = strings.Cut(action, ";")
		if got := strings.Fields(action); len(got) != 2 || got[0] != "'self'" || got[1] != want {
			t.Errorf("%s: form-action %q, want 'self' %s", redirect, action, want)
		}
	}
}

// TestCase20EachClientAsks checks that a signed-in person who has agreed before
// is asked again, even for the same client.
func TestCase20EachClientAsks(t *testing.T) {
	b := newBench(t)
	w := b.browser()
	first, second := b.register("first"), b.register("second")
	w.agree(first)
	for _, a := range []registered{first, second} {
		page := w.Get(authorizeAt(a.query(b)))
		b.toPerson("signed in", page, http.StatusOK)
		if !strings.Contains(page.Text, logintest.Somebody) || page.Inputs(t).Has("password") {
			t.Errorf("the page does not say who is signed in, or asks for a password:\n%s", page.Text)
		}
	}
	form := logintest.Changed(w.Get(authorizeAt(second.query(b))).Inputs(t), "decision", "allow")
	if code := w.Post(consentPath, form).To().Query().Get("code"); code == "" {
		t.Error("a signed-in person cannot agree without a password")
	}
}

// TestCase51RedirectURIIsWithdrawnAtTheDoor checks that no response is sent to
// a withdrawn redirect URI, even from a page that was opened before.
func TestCase51RedirectURIIsWithdrawnAtTheDoor(t *testing.T) {
	const gone = "https://app.example.com/gone"
	serve := paperText(
		`{"client_id":"` + paperID + `","redirect_uris":["` + paperBack + `","` + gone + `"]}`)
	b := newDescribed(t, func(w http.ResponseWriter, r *http.Request) { serve(w, r) })
	kept, dropped := b.described(paperBack), b.described(gone)
	w := b.browser()
	open := w.Get(authorizeAt(dropped.query(b)))
	b.toPerson("before", open, http.StatusOK)
	serve = paper(paperID, "")
	b.Pass(leastKept)
	b.toPerson("afterwards", w.Get(authorizeAt(dropped.query(b))), http.StatusBadRequest)
	form := logintest.Changed(open.Inputs(t), "email", logintest.Somebody, "password",
		logintest.Password, "decision", "allow")
	b.toPerson("from before", w.Post(consentPath, form), http.StatusBadRequest)
	w.agree(kept)
}

// TestConsentWithWrongPassword checks that nothing is granted, and that the
// person can try again.
func TestConsentWithWrongPassword(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	w := b.browser()
	form := logintest.Changed(w.Get(authorizeAt(a.query(b))).Inputs(t), "email", logintest.Somebody,
		"password", "wrong", "decision", "allow")
	page := w.Post(consentPath, form)
	b.toPerson("wrong password", page, http.StatusUnprocessableEntity)
	if page.Inputs(t).Get("email") != logintest.Somebody ||
		strings.Contains(page.Text, `value="wrong"`) {
		t.Errorf("the page does not have the e-mail address, or shows the password:\n%s", page.Text)
	}
	form = logintest.Changed(page.Inputs(t), "email", logintest.Somebody, "password",
		logintest.Password, "decision", "allow")
	if code := w.Post(consentPath, form).To().Query().Get("code"); code == "" {
		t.Error("the second attempt fails")
	}
}

// TestAuthorizeByPost checks that a client can send the request as a form
// instead of a link, and that the browser's other forms remain valid.
func TestAuthorizeByPost(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.post(authorizePath, a.query(b))
	if to := got.To(); got.StatusCode != http.StatusSeeOther || to.Path != authorizePath ||
		to.Query().Encode() != a.query(b).Encode() || len(got.Cookies()) > 0 {
		t.Errorf("got %d to %s with %v, want 303 to the same request and no cookie", got.StatusCode, to,
			got.Cookies())
	}
}

// TestNoWayToElsewhere checks that a client, which anybody can register, cannot
// redirect people to another site before they are asked.
func TestNoWayToElsewhere(t *testing.T) {
	b := newBench(t)
	a := b.register("app", "https://evil.example/cb")
	for _, changes := range [][]string{{"response_type", "x"}, {"scope", "nothing"},
		{"prompt", "none"}, {"resource", "https://evil.example/"}, {"code_challenge", ""}} {
		got := b.browser().Get(authorizeAt(a.query(b, changes...)))
		b.toPerson(changes[0], got, http.StatusBadRequest)
		if !strings.Contains(got.Text, "evil.example") ||
			!strings.Contains(got.Text, `href="https://evil.example/cb?`) {
			t.Errorf("%s: the page does not name the target:\n%s", changes[0], got.Text)
		}
	}
	w := b.browser()
	form := logintest.Changed(w.Get(authorizeAt(a.query(b))).Inputs(t), "decision", "deny")
	b.toClient("who was asked", w.Post(consentPath, form), a, a.query(b), "access_denied")
}

// TestCase14NobodyLeavesUnasked checks that the browser leaves for the provider
// or the client only from the consent page. It checks this for every client and
// every redirect URI.
func TestCase14NobodyLeavesUnasked(t *testing.T) {
	b, provider := newJoint(t)
	w := b.browser()
	a, other := b.register("app"), b.register("app", "http://127.0.0.1:33418/elsewhere")
	for _, q := range []url.Values{a.query(b), a.query(b, "prompt", "login"), other.query(b)} {
		page := w.Get(authorizeAt(q))
		b.toPerson("before consent", page, http.StatusOK)
		if !strings.Contains(page.Text, "this computer") ||
			strings.Contains(strings.Join(page.Header["Set-Cookie"], ""), "leadline-signin") {
			t.Errorf("the page does not name the target, or redirects to the provider")
		}
		to := w.leave(q).To()
		if to.Host != strings.TrimPrefix(provider.URL, "http://") {
			t.Errorf("after consent: got %s, want the provider", to)
		}
	}
	for _, decision := range []string{"", "deny", "other"} {
		q := a.query(b)
		form := logintest.Changed(w.Get(authorizeAt(q)).Inputs(t), "decision", decision)
		b.toClient("decision "+decision, w.Post(consentPath, form), a, q, "access_denied")
	}
}

// TestCase14EachPlaceAsks checks that the page asks again for each redirect URI
// of a client and names it, even after the person agreed to another one.
func TestCase14EachPlaceAsks(t *testing.T) {
	b, _ := newJoint(t)
	w := b.browser()
	a := b.register("app", "https://one.example/back", "https://two.example/back")
	for _, host := range []string{"one.example", "two.example", "one.example"} {
		a.redirect = "https://" + host + "/back"
		if got := b.shownTo(w.Get(authorizeAt(a.query(b)))).facts["Your answer goes to"]; got != host {
			t.Errorf("the answer goes to %q, want %s", got, host)
		}
		if to := w.ComeBack(w.leave(a.query(b))).To(); to.Host != host || to.Query().Get("code") == "" {
			t.Errorf("got %s, want %s with a code", to, host)
		}
	}
}
