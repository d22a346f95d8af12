package product

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
	"time"

	"leadline/internal/access/credential"
	"leadline/store"
)

// SignIn returns a browser in which an account is signed in.
func (p *Product) SignIn(t *testing.T, account string) *Visitor {
	t.Helper()
	v, secret, now := NewVisitor(t, p.URL), credential.NewSecret(""), p.clock()
	err := p.Storage().Store.AddSession(t.Context(), store.Session{
		Hash: credential.HashSecret(secret), Account: account, Created: now,
		Expires: now.Add(time.Hour), Seen: store.DayOf(now),
	})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	v.Jar.SetCookies(at, []*http.Cookie{
		{Name: credential.SessionCookie(false), Value: secret, Path: "/"},
	})
	return v
}

var (
	SecretKey = regexp.MustCompile(`<pre class="secret"><code>(ldl_live_\w+)</code></pre>`)
	RevokeURL = regexp.MustCompile(`/account/keys/(\w+)/revoke`)
)

// NewKeyOf creates a key with the form of the page and returns it with its id.
func (v *Visitor) NewKeyOf(name string) (secret, id string) {
	v.Helper()
	_, page, _ := v.Ask("/account/keys", nil)
	status, page, _ := v.Ask("/account/keys",
		v.Form(page, "/account/keys", "name", name, "scopes", credential.RawRead, "days", "30"))
	found := SecretKey.FindStringSubmatch(page)
	if status != http.StatusOK || found == nil {
		v.Fatalf("creating a key: %d\n%s", status, page)
	}
	id, ok := credential.KeyID(found[1])
	if !ok || !strings.Contains(page, "/account/keys/"+id+"/revoke") {
		v.Fatalf("the new key %s is not in the list:\n%s", id, page)
	}
	return found[1], id
}

// status returns the status of a REST request with a key.
func (v *Visitor) StatusWith(key string) int {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), http.MethodGet,
		v.Base+"/api/v1/stations/8443970", http.NoBody)
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

const (
	OwnerEmail    = "owner@example.org"
	OwnerPassword = "a lead and a long line"
)

// SignInAgain signs the owner in with another browser, and returns the status.
func (v *Visitor) SignInAgain(password string) int {
	v.Helper()
	_, page, _ := v.Ask("/oauth/login", nil)
	status, _, _ := v.Ask("/oauth/login",
		v.Form(page, "/oauth/login", "email", OwnerEmail, "password", password))
	return status
}

// IsSignedIn reports whether somebody is signed in with a browser.
func (v *Visitor) IsSignedIn() bool {
	v.Helper()
	status, _, _ := v.Ask("/account/security", nil)
	return status == http.StatusOK
}

// Secure sends a form of the page for security.
func (v *Visitor) Secure(others ...string) (status int, text string, to *url.URL) {
	v.Helper()
	_, page, _ := v.Ask("/account/security", nil)
	return v.Ask("/account/security", v.Form(page, "/account/security", others...))
}

// Stated is the base URL of the servers of these tests, which does not change when
// one starts again on another port.
const Stated = "http://localhost:8080"

// Visitor is a browser that does not follow redirects.
type Visitor struct {
	*testing.T
	http.Client
	Base string // where the server is
}

func NewVisitor(t *testing.T, base string) *Visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{
		t, http.Client{
			Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		}, base,
	}
}

// Ask sends a request, with an optional form, and returns status, body and the
// target of a redirect.
func (v *Visitor) Ask(path string, form url.Values) (status int, text string, to *url.URL) {
	v.Helper()
	path = strings.TrimPrefix(path, Stated)
	answer, err := v.Get(v.Base + path)
	if form != nil {
		answer, err = v.PostForm(v.Base+path, form)
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

// Form returns the hidden fields of the page's form that is submitted to an address, and
// others.
func (v *Visitor) Form(page, action string, others ...string) url.Values {
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

// TokenPair is a response of the token endpoint.
type TokenPair struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// Tokens sends a form to the token endpoint.
func (v *Visitor) Tokens(form url.Values) (p TokenPair) {
	v.Helper()
	status, text, _ := v.Ask("/oauth/token", form)
	if err := json.Unmarshal([]byte(text), &p); err != nil ||
		status != http.StatusOK || p.Access == "" {
		v.Fatalf("tokens: %d %s", status, text)
	}
	return p
}

// Connect registers an app, has the signed-in person agree, and returns its id
// and its tokens.
func (v *Visitor) Connect(name string) (client string, p TokenPair) {
	v.Helper()
	const redirect = "http://127.0.0.1:33418/"
	const verifier = "a verifier of at least forty-three characters"
	answer, err := v.Post(v.Base+"/oauth/register", "application/json",
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
	_, page, _ := v.Ask("/oauth/authorize?"+url.Values{
		"client_id": {made.ID}, "redirect_uri": {redirect}, "response_type": {"code"},
		"code_challenge_method": {"S256"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"resource":              {Stated + "/pro/mcp"},
	}.Encode(), nil)
	_, said, to := v.Ask("/oauth/consent", v.Form(page, "/oauth/consent", "decision", "allow"))
	code := to.Query().Get("code")
	if code == "" {
		v.Fatalf("no code: to %s\n%s", to, said)
	}
	return made.ID, v.Tokens(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"client_id": {made.ID}, "code_verifier": {verifying},
	})
}

// Whoami calls leadline_whoami at an endpoint with a credential.
func (v *Visitor) Whoami(endpoint, credential string) (status int, challenge, text string) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), http.MethodPost, v.Base+endpoint,
		strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leadline_whoami","arguments":{}}}`,
		))
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

// Is reports an error unless the response of whoami has the words.
func (v *Visitor) Is(what, endpoint, credential string, words ...string) {
	v.Helper()
	status, _, text := v.Whoami(endpoint, credential)
	for _, word := range words {
		if status != http.StatusOK || !strings.Contains(text, word) {
			v.Errorf("%s: got %d %s, want %q", what, status, text, word)
		}
	}
}

// JoinLink matches the owner's link in the output of a start.
var JoinLink = regexp.MustCompile(`http://\S*/oauth/join\?ticket=\S+`)

// ConnectSecretly connects an app that has a secret, with repeated and misplaced
// parameters, and returns all secrets.
func (v *Visitor) ConnectSecretly() (secrets []string) {
	v.Helper()
	const verifier = "a-verifier-of-at-least-forty-three-characters"
	const state = "a-state-of-nobodys-business"
	answer, err := v.Post(v.Base+"/oauth/register", "application/json",
		strings.NewReader(
			`{"redirect_uris":["http://127.0.0.1/"],"token_endpoint_auth_method":"client_secret_post"}`,
		))
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
	_, page, _ := v.Ask("/oauth/authorize?"+url.Values{
		"client_id": {made.ID}, "redirect_uri": {"http://127.0.0.1/"}, "response_type": {"code"},
		"code_challenge_method": {"S256"}, "state": {state},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode(), nil)
	consent := v.Form(page, "/oauth/consent", "decision", "allow")
	_, _, to := v.Ask("/oauth/consent", consent)
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": to.Query()["code"], "client_id": {made.ID},
		"client_secret": {made.Secret}, "code_verifier": {verifier},
	}
	first := v.Tokens(form)
	next := v.Tokens(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}, "client_id": {made.ID},
		"client_secret": {made.Secret},
	})
	v.Is("the app", "/pro/mcp", next.Access, "mate@example.org")
	v.Ask("/oauth/token", form)
	v.Ask("/oauth/token?"+form.Encode(), form)
	v.Ask("/oauth/callback?"+to.RawQuery, nil)
	v.Ask("/oauth/revoke", url.Values{
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
