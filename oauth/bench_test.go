package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/store"
	"leadline/store/bolt"
)

// bench is a server on a port with a real store, and a clock that the test
// sets.
type bench struct {
	testing.TB
	*Server
	store *bolt.Store
	log   *logged

	mu  sync.Mutex
	now time.Time
}

// logged is what the log was told.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

const (
	somebody   = "somebody@example.org"
	passphrase = "spring tide at new moon"
)

// newBench starts a server that has the account of somebody. change may change
// what it is made of.
func newBench(t testing.TB, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{TB: t, log: &logged{}, now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	var err error
	if b.store, err = bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.store.Close() })
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.ServeHTTP(w, r) }))
	c := Config{
		Base: "http://" + server.Listener.Addr().String(), Store: b.store, Plans: access.BuiltIn(), Secret: [32]byte{1}, Signup: Invite,
		Now: b.clock, Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&c)
	}
	if b.Server, err = New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	b.passwords.cost = cost{64, 1, 1} // password_test.go has the real one
	b.join(somebody, "pro")
	server.Start()
	t.Cleanup(server.Close)
	return b
}

// join makes an account with the passphrase.
func (b *bench) join(email, plan string) store.Account {
	b.Helper()
	a := store.Account{ID: edge.NewID(b.clock()), Email: email, Plan: plan, Created: b.clock()}
	kept, err := b.passwords.hash(b.Context(), party{}, passphrase)
	if err == nil {
		err = b.store.Join(b.Context(), store.Joining{Account: a, Password: kept})
	}
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// reply is an answer with its body.
type reply struct {
	*http.Response
	text string
}

// location is where an answer sends the browser.
func (r reply) location() *url.URL {
	u, err := r.Location()
	if err != nil {
		return &url.URL{}
	}
	return u
}

// inputs are the values of the fields of a page's form that is not for signing
// out.
func (r reply) inputs(t testing.TB) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(r.text))
	if err != nil {
		t.Fatal(err)
	}
	found := url.Values{}
	form := ""
	for n := range root.Descendants() {
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		if n.Data == "form" {
			form = attributes["action"]
		}
		if name := attributes["name"]; n.Data == "input" && name != "" && form != logoutPath {
			found.Set(name, attributes["value"])
		}
	}
	return found
}

// browser keeps cookies and follows no redirect by itself.
type browser struct {
	*bench
	http *http.Client
}

func (b *bench) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	return &browser{b, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// do sends a request.
func (b *browser) do(r *http.Request) reply {
	b.Helper()
	response, err := b.http.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return reply{response, string(text)}
}

func (b *browser) request(method, path, body string) *http.Request {
	b.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.c.Base + path
	}
	r, err := http.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (b *browser) get(path string) reply {
	b.Helper()
	return b.do(b.request(http.MethodGet, path, ""))
}

func (b *browser) post(path string, form url.Values) reply {
	b.Helper()
	return b.do(b.request(http.MethodPost, path, form.Encode()))
}

// post sends a form without any cookie, as clients do.
func (b *bench) post(path string, form url.Values) reply {
	b.Helper()
	return b.browser().post(path, form)
}

// app is a client that has registered itself.
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
	r := b.browser().request(http.MethodPost, registerPath, string(text))
	r.Header.Set("Content-Type", "application/json")
	got := b.browser().do(r)
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(got.text), &made); err != nil || got.StatusCode != http.StatusCreated || made.ID == "" {
		b.Fatalf("registering: %d %s", got.StatusCode, got.text)
	}
	var random [32]byte
	rand.Read(random[:])
	return registered{id: made.ID, redirect: redirects[0], verifier: base64.RawURLEncoding.EncodeToString(random[:])}
}

// query is a request for a consent; changes are names and values, of which an
// empty one takes the parameter away.
func (a registered) query(b *bench, changes ...string) url.Values {
	sum := sha256.Sum256([]byte(a.verifier))
	q := url.Values{
		"client_id": {a.id}, "redirect_uri": {a.redirect}, "response_type": {"code"}, "state": {"a b&c=ü"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {b.resource}, "scope": {"mcp:use"},
	}
	return changed(q, changes...)
}

func changed(q url.Values, changes ...string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		if q.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			q.Del(changes[i])
		}
	}
	return q
}

func authorizeAt(q url.Values) string { return authorizePath + "?" + q.Encode() }

// agree goes the way of a person who signs in and agrees, and returns the code.
func (b *browser) agree(a registered, changes ...string) (code string) {
	b.Helper()
	page := b.get(authorizeAt(a.query(b.bench, changes...)))
	if page.StatusCode != http.StatusOK {
		b.Fatalf("the consent page: %d %s", page.StatusCode, page.text)
	}
	form := changed(page.inputs(b.TB), "email", somebody, "password", passphrase, "decision", "allow")
	back := b.post(consentPath, form)
	to := back.location()
	if code = to.Query().Get("code"); code == "" || back.StatusCode != http.StatusSeeOther {
		b.Fatalf("the consent: %d to %s %s", back.StatusCode, to, back.text)
	}
	return code
}

// redemption is the form that a code is redeemed with.
func (a registered) redemption(b *bench, code string, changes ...string) url.Values {
	return changed(url.Values{
		"grant_type": {grantCode}, "code": {code}, "redirect_uri": {a.redirect}, "client_id": {a.id},
		"code_verifier": {a.verifier}, "resource": {b.resource},
	}, changes...)
}

// refreshing is the form that a refresh token is used with.
func (a registered) refreshing(b *bench, token string, changes ...string) url.Values {
	return changed(url.Values{"grant_type": {grantRefresh}, "refresh_token": {token}, "client_id": {a.id}, "resource": {b.resource}}, changes...)
}

// tokensOf reads an answer of the token endpoint.
func (b *bench) tokensOf(r reply) (t tokens) {
	b.Helper()
	if err := json.Unmarshal([]byte(r.text), &t); err != nil || r.StatusCode != http.StatusOK || t.Access == "" || t.Refresh == "" {
		b.Fatalf("tokens: %d %s", r.StatusCode, r.text)
	}
	return t
}

// connect connects an app to the account of somebody.
func (b *bench) connect(a registered) tokens {
	b.Helper()
	return b.tokensOf(b.post(tokenPath, a.redemption(b, b.browser().agree(a))))
}

// wantError notes where an answer is not an OAuth error with the status and
// the code.
func (b *bench) wantError(what string, got reply, status int, code string) {
	b.Helper()
	var told struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal([]byte(got.text), &told); got.StatusCode != status || told.Error != code || told.Description == "" {
		b.Errorf("%s: got %d %s, want %d %s", what, got.StatusCode, got.text, status, code)
	}
}

// wantGood notes where an access token is no good.
func (b *bench) wantGood(what, token string) {
	b.Helper()
	if _, err := b.Verify(b.Context(), token); err != nil {
		b.Errorf("%s: the token is no good: %v", what, err)
	}
}

// wantDead notes where an access token is good, or cannot be judged.
func (b *bench) wantDead(what, token string) {
	b.Helper()
	if _, err := b.Verify(b.Context(), token); !errors.Is(err, access.ErrUnknown) {
		b.Errorf("%s: Verify = %v, want ErrUnknown", what, err)
	}
}
