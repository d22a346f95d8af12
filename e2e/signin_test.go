package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// stated is the base URL of the servers of these tests, which does not change when
// one starts again on another port.
const stated = "http://localhost:8080"

// visitor is a browser that does not follow redirects.
type visitor struct {
	*testing.T
	http.Client
	base string // where the server is
}

func newVisitor(t *testing.T, base string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{
		t, http.Client{
			Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		}, base,
	}
}

// ask sends a request, with an optional form, and returns status, body and the
// target of a redirect.
func (v *visitor) ask(path string, form url.Values) (status int, text string, to *url.URL) {
	v.Helper()
	path = strings.TrimPrefix(path, stated)
	answer, err := v.Get(v.base + path)
	if form != nil {
		answer, err = v.PostForm(v.base+path, form)
	}
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.Fatal(err)
	}
	if to, err = answer.Location(); err != nil {
		to = &url.URL{}
	}
	return answer.StatusCode, string(body), to
}

var (
	formTag   = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)".*?</form>`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// form returns the hidden fields of the page's form that is submitted to an address, and
// others.
func (v *visitor) form(page, action string, others ...string) url.Values {
	v.Helper()
	for _, f := range formTag.FindAllStringSubmatch(page, -1) {
		if f[1] != action {
			continue
		}
		values := url.Values{}
		for _, hidden := range hiddenTag.FindAllStringSubmatch(f[0], -1) {
			values.Set(hidden[1],
				strings.ReplaceAll(strings.ReplaceAll(hidden[2], "&amp;", "&"), "&#43;", "+"))
		}
		for i := 0; i < len(others); i += 2 {
			values.Set(others[i], others[i+1])
		}
		return values
	}
	v.Fatalf("the page has no form for %s:\n%s", action, page)
	return nil
}

// tokenPair is a response of the token endpoint.
type tokenPair struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// tokens sends a form to the token endpoint.
func (v *visitor) tokens(form url.Values) (p tokenPair) {
	v.Helper()
	status, text, _ := v.ask("/oauth/token", form)
	if err := json.Unmarshal([]byte(text), &p); err != nil ||
		status != http.StatusOK || p.Access == "" {
		v.Fatalf("tokens: %d %s", status, text)
	}
	return p
}

// connect registers an app, has the signed-in person agree, and returns its id
// and its tokens.
func (v *visitor) connect(name string) (client string, p tokenPair) {
	v.Helper()
	const redirect = "http://127.0.0.1:33418/"
	const verifier = "a verifier of at least forty-three characters"
	answer, err := v.Post(v.base+"/oauth/register", "application/json",
		strings.NewReader(`{"client_name":"`+name+`","redirect_uris":["`+redirect+`"]}`))
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.ID == "" {
		v.Fatalf("registering: %s %v", answer.Status, err)
	}
	verifying := strings.ReplaceAll(verifier, " ", "-")
	sum := sha256.Sum256([]byte(verifying))
	_, page, _ := v.ask("/oauth/authorize?"+url.Values{
		"client_id": {made.ID}, "redirect_uri": {redirect}, "response_type": {"code"},
		"code_challenge_method": {"S256"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"resource":              {stated + "/pro/mcp"},
	}.Encode(), nil)
	_, said, to := v.ask("/oauth/consent", v.form(page, "/oauth/consent", "decision", "allow"))
	code := to.Query().Get("code")
	if code == "" {
		v.Fatalf("no code: to %s\n%s", to, said)
	}
	return made.ID, v.tokens(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"client_id": {made.ID}, "code_verifier": {verifying},
	})
}

// whoami calls leadline_whoami at an endpoint with a credential.
func (v *visitor) whoami(endpoint, credential string) (status int, challenge, text string) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), http.MethodPost, v.base+endpoint,
		strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+credential)
	answer, err := v.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("WWW-Authenticate"), string(body)
}

// is reports an error unless the response of whoami has the words.
func (v *visitor) is(what, endpoint, credential string, words ...string) {
	v.Helper()
	status, _, text := v.whoami(endpoint, credential)
	for _, word := range words {
		if status != http.StatusOK || !strings.Contains(text, word) {
			v.Errorf("%s: got %d %s, want %q", what, status, text, word)
		}
	}
}

// joinLink matches the owner's link in the output of a start.
var joinLink = regexp.MustCompile(`http://\S*/oauth/join\?ticket=\S+`)

// TestSignIn performs the whole flow: the owner's link, an app, its current tier at
// each request, a restart, and the disconnection.
func TestSignIn(t *testing.T) {
	folder := t.TempDir()
	server := serveOn(t, folder, "--base-url", stated)
	v := newVisitor(t, server.base)
	link := joinLink.FindString(server.log.String())
	_, page, _ := v.ask(link, nil)
	status, page, to := v.ask("/oauth/join",
		v.form(page, "/oauth/join", "email", "owner@example.org", "password", "a lead and a long line"))
	if status != http.StatusSeeOther || to.Path != "/account" {
		t.Fatalf("joining: %d to %s\n%s", status, to, page)
	}
	client, p := v.connect("Sounder")
	v.is("the owner", "/pro/mcp", p.Access, `"tier":"pro"`,
		"the app Sounder, connected to the account owner@example.org")
	at(t, folder, "accounts", "plan", "owner@example.org", "free")
	v.is("on another plan", "/pro/mcp", p.Access, `"tier":"free"`)
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", "owner@example.org"))
	v.is("a key", "/pro/mcp", key, `"tier":"free"`, "API key")
	if status, challenge, text := v.whoami("/mcp", p.Access); status != http.StatusUnauthorized ||
		strings.Contains(challenge, "resource_metadata") {
		t.Errorf("a token at /mcp: got %d, %q, %s, want 401 without metadata", status, challenge, text)
	}

	server.stop()
	server = serveOn(t, folder, "--base-url", stated)
	if strings.Contains(server.log.String(), "/oauth/join") {
		t.Error("a start with accounts prints a link for the first one")
	}
	v.base = server.base
	v.is("after another start", "/pro/mcp", p.Access, `"tier":"free"`)
	p = v.tokens(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {p.Refresh}, "client_id": {client},
	})
	v.is("refreshed", "/pro/mcp", p.Access, `"tier":"free"`)
	status, page, _ = v.ask("/account/apps", nil)
	if status != http.StatusOK || !strings.Contains(page, "Sounder") {
		t.Fatalf("the apps: %d\n%s", status, page)
	}
	v.ask("/account/apps", v.form(page, "/account/apps", "decision", "revoke"))
	if status, challenge, text := v.whoami("/pro/mcp", p.Access); status != http.StatusUnauthorized ||
		!strings.Contains(challenge,
			`resource_metadata="`+stated+`/.well-known/oauth-protected-resource/pro/mcp"`) {
		t.Errorf("a token of a disconnected app: got %d, %q, %s, want 401", status, challenge, text)
	}
	if said := server.log.String(); strings.Contains(said, p.Access) ||
		strings.Contains(said, p.Refresh) {
		t.Error("the log holds a token")
	}
}

// TestCase44NothingOfASignInIsLogged checks that the log at debug level, with a
// line for each request, has no secret that a browser or an app sent or received in
// addresses, forms, headers or cookies.
func TestCase44NothingOfASignInIsLogged(t *testing.T) {
	folder := t.TempDir()
	server := serveOn(t, folder)
	v, stranger := newVisitor(t, server.base), newVisitor(t, server.base)
	const password, wrong = "a lead and a long line", "a line and a long lead"
	link, err := url.Parse(strings.TrimSpace(at(t, folder, "accounts", "invite", "mate@example.org")))
	if err != nil || link.Query().Get("ticket") == "" {
		t.Fatalf("the invitation is %s, %v", link, err)
	}
	_, page, _ := v.ask(link.RequestURI(), nil)
	v.ask("/oauth/join", v.form(page, "/oauth/join", "password", password))
	v.ask(link.RequestURI(), nil) // again
	_, page, _ = stranger.ask("/oauth/login", nil)
	stranger.ask("/oauth/login",
		stranger.form(page, "/oauth/login", "email", "mate@example.org", "password", wrong))
	secrets := append(v.connectSecretly(), password, wrong, link.Query().Get("ticket"))
	base, _ := url.Parse(server.base)
	cookies := v.Jar.Cookies(base)
	if len(cookies) < 3 {
		t.Errorf("the browser has the cookies %v, want the session, the browser and its mark", cookies)
	}
	for _, c := range cookies {
		secrets = append(secrets, c.Value)
	}
	server.stop()
	for _, secret := range secrets {
		wantAbsent(t, secret, map[string]string{"the log": server.log.String()})
	}
	for _, path := range []string{
		"/oauth/join", "/oauth/authorize", "/oauth/consent", "/oauth/token", "/oauth/callback",
		"/oauth/revoke", "/oauth/login", "/pro/mcp",
	} {
		if !strings.Contains(server.log.String(), path) {
			t.Errorf("the log has no line of %s", path)
		}
	}
}

// connectSecretly connects an app that has a secret, with repeated and misplaced
// parameters, and returns all secrets.
func (v *visitor) connectSecretly() (secrets []string) {
	v.Helper()
	const verifier = "a-verifier-of-at-least-forty-three-characters"
	const state = "a-state-of-nobodys-business"
	answer, err := v.Post(v.base+"/oauth/register", "application/json",
		strings.NewReader(
			`{"redirect_uris":["http://127.0.0.1/"],"token_endpoint_auth_method":"client_secret_post"}`))
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Secret == "" {
		v.Fatalf("registering: %s %v", answer.Status, err)
	}
	sum := sha256.Sum256([]byte(verifier))
	_, page, _ := v.ask("/oauth/authorize?"+url.Values{
		"client_id": {made.ID}, "redirect_uri": {"http://127.0.0.1/"}, "response_type": {"code"},
		"code_challenge_method": {"S256"}, "state": {state},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode(), nil)
	consent := v.form(page, "/oauth/consent", "decision", "allow")
	_, _, to := v.ask("/oauth/consent", consent)
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": to.Query()["code"], "client_id": {made.ID},
		"client_secret": {made.Secret}, "code_verifier": {verifier},
	}
	first := v.tokens(form)
	next := v.tokens(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}, "client_id": {made.ID},
		"client_secret": {made.Secret},
	})
	v.is("the app", "/pro/mcp", next.Access, "mate@example.org")
	v.ask("/oauth/token", form)
	v.ask("/oauth/token?"+form.Encode(), form)
	v.ask("/oauth/callback?"+to.RawQuery, nil)
	v.ask("/oauth/revoke", url.Values{
		"token": {next.Refresh}, "client_id": {made.ID}, "client_secret": {made.Secret},
	})
	secrets = []string{
		verifier, state, made.Secret, to.Query().Get("code"), consent.Get("token"),
		first.Access, next.Access,
	}
	for _, refresh := range []string{first.Refresh, next.Refresh} {
		// the grant's id before it is not secret
		secrets = append(secrets, refresh[strings.IndexByte(refresh, '.'):])
	}
	return secrets
}

// TestSessionMakesKeys checks that a person signed in with a browser can create a
// key.
func TestSessionMakesKeys(t *testing.T) {
	server := serveOn(t, t.TempDir())
	v := newVisitor(t, server.base)
	_, page, _ := v.ask(strings.TrimPrefix(joinLink.FindString(server.log.String()), server.base), nil)
	v.ask("/oauth/join",
		v.form(page, "/oauth/join", "email", "owner@example.org", "password", "a lead and a long line"))
	answer, err := v.Post(v.base+"/api/developer/keys", "application/json",
		strings.NewReader(`{"name":"script","scopes":["raw:read"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK ||
		!strings.Contains(string(text), "ldl_live_") {
		t.Errorf("got %s %s, want a key", answer.Status, text)
	}
}

// TestNoSignIn checks that sign-in is off where passwords would be sent over a
// network without TLS, and that keys work.
func TestNoSignIn(t *testing.T) {
	folder := t.TempDir()
	server := serveOn(t, folder, "--base-url", "http://tides.example.org",
		"--allow-hosts", "127.0.0.1")
	v := newVisitor(t, server.base)
	if said := server.log.String(); strings.Contains(said, "/oauth/join") ||
		!strings.Contains(said, "nobody can sign in") {
		t.Errorf("the start prints\n%s", said)
	}
	for _, path := range []string{
		"/oauth/login", "/account/apps", "/.well-known/oauth-protected-resource/pro/mcp",
	} {
		if status, text, _ := v.ask(path, nil); status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", path, status, text)
		}
	}
	if status, challenge, text := v.whoami("/pro/mcp", "x"); status != http.StatusUnauthorized ||
		strings.Contains(challenge, "resource_metadata") {
		t.Errorf("/pro/mcp: got %d, %q, %s", status, challenge, text)
	}
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", "owner@example.org"))
	v.is("a key", "/pro/mcp", key, "API key")
}
