package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
	"leadline/store"
	"leadline/store/bolt"
)

// apply posts a registration from a network.
func (a *asking) apply(t *testing.T, network, kind, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("POST", "/oauth/register", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r = r.WithContext(access.With(r.Context(), access.Caller{Address: netip.MustParseAddr(network)}))
	w := httptest.NewRecorder()
	a.registrations.register(w, r)
	return w
}

// applied registers a client and checks that the registration succeeds.
func (a *asking) applied(t *testing.T, body string) map[string]any {
	t.Helper()
	w := a.apply(t, "192.0.2.1", "application/json", body)
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 201 {
		t.Fatalf("registering %s: %d %s, want 201", body, w.Code, w.Body)
	}
	if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("Pragma") != "no-cache" ||
		h.Get("Content-Type") != "application/json" {
		t.Errorf("the headers are %v", h)
	}
	return got
}

// wantMembers checks a response except for its id and secret, which are unique.
func wantMembers(t *testing.T, got map[string]any, want string) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(want), &members); err != nil {
		t.Fatal(err)
	}
	rest := map[string]any{}
	for name, value := range got {
		if name != "client_id" && name != "client_secret" {
			rest[name] = value
		}
	}
	if !reflect.DeepEqual(rest, members) {
		t.Errorf("the answer is %v, want %v", rest, members)
	}
}

// TestRegisterClientsInUse registers the metadata that real clients send.
func TestRegisterClientsInUse(t *testing.T) {
	a := newAsking(t)
	for body, want := range map[string]string{
		`{"redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"client_name":"Claude","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"mcp:use"}`: `{"redirect_uris":["https://claude.ai/api/mcp/auth_callback"],
			"client_name":"Claude","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"mcp:use","client_id_issued_at":1795262400}`,
		`{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","http://localhost:8787/callback","https://www.cursor.com/agents/mcp/oauth/callback"],"client_name":"Cursor"}`: `{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback",
			"http://localhost:8787/callback","https://www.cursor.com/agents/mcp/oauth/callback"],"client_name":"Cursor","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],
			"scope":"mcp:use offline_access","client_id_issued_at":1795262400}`,
		`{"redirect_uris":["http://localhost:17462/oauth/callback"],"application_type":"native","scope":"openid offline_access mcp:use","client_uri":"https://github.com/geelen/mcp-remote","software_id":"x"}`: `{"redirect_uris":["http://localhost:17462/oauth/callback"],
			"client_name":"An app without a name","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"mcp:use offline_access","application_type":"native",
			"client_uri":"https://github.com/geelen/mcp-remote","client_id_issued_at":1795262400}`,
		`{"redirect_uris":["http://127.0.0.1:33418/","http://127.0.0.1/","https://vscode.dev/redirect"],"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code","token"],"scope":"x","application_type":"x","client_uri":"javascript:alert(1)"}`: `{
			"redirect_uris":["http://127.0.0.1:33418/","http://127.0.0.1/","https://vscode.dev/redirect"],"client_name":"An app without a name","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],
			"response_types":["code"],"scope":"mcp:use offline_access","client_id_issued_at":1795262400}`,
	} {
		got := a.applied(t, body)
		wantMembers(t, got, want)
		c, err := a.clients.get(t.Context(), "192.0.2.1", got["client_id"].(string))
		if err != nil || c.Method != methodNone || c.Secret != [32]byte{} ||
			fmt.Sprint(c.RedirectURIs) != fmt.Sprint(got["redirect_uris"]) || c.Name != got["client_name"] {
			t.Errorf("the client is %+v, %v, and the response %v", c, err, got)
		}
	}
}

// TestCase47Secrets checks that only confidential clients get secrets, which are
// returned once and stored as hashes.
func TestCase47Secrets(t *testing.T) {
	a := newAsking(t)
	seen := map[string]bool{}
	for _, method := range []string{"", methodNone, methodBasic, methodPost, methodBasic} {
		got := a.applied(t,
			`{"redirect_uris":["http://localhost/cb"],"token_endpoint_auth_method":"`+method+`"}`)
		id, _ := got["client_id"].(string)
		secret, has := got["client_secret"].(string)
		expires, tells := got["client_secret_expires_at"]
		if want := method == methodBasic || method == methodPost; has != want || tells != want || want &&
			(expires != 0.0 || len(secret) < 43) {
			t.Errorf("%q: the secret is %q until %v, want one: %v", method, secret, expires, want)
		}
		if len(id) < 22 || seen[id] || has && seen[secret] {
			t.Errorf("%q: the id %q or the secret %q is short, or was given before", method, id, secret)
		}
		seen[id], seen[secret] = true, true
		kept, err := a.Site.Store.Client(t.Context(), id)
		if err != nil || has && kept.Secret != credential.HashSecret(secret) || !has &&
			kept.Secret != [32]byte{} || strings.Contains(fmt.Sprintf("%s", kept.Secret), secret) != !has {
			t.Errorf("%q: kept is %+v, %v", method, kept, err)
		}
		if want := a.Now().Add(24 * time.Hour); !kept.Expires.Equal(want) ||
			!kept.Created.Equal(a.Now()) {
			t.Errorf("%q: kept from %v until %v, want from now until %v", method, kept.Created, kept.Expires,
				want)
		}
	}
}

// TestCase47Refusals checks that invalid metadata is refused.
func TestCase47Refusals(t *testing.T) {
	uris := func(n int) string {
		return `{"redirect_uris":[` + strings.TrimSuffix(strings.Repeat(`"http://localhost/cb",`, n),
			",") + `]}`
	}
	for name, c := range map[string]struct {
		kind, body string
		status     int
		code, said string
	}{
		"a form": {"application/x-www-form-urlencoded",
			"redirect_uris=http://localhost/cb", 415, "invalid_client_metadata", "application/json"},
		"text": {"text/plain", uris(1), 415, "invalid_client_metadata",
			"application/json"},
		"no type": {"", uris(1), 415, "invalid_client_metadata",
			"application/json"},
		"empty": {"application/json", "", 400, "invalid_client_metadata",
			"not a JSON object"},
		"a list": {"application/json", "[]", 400, "invalid_client_metadata",
			"not a JSON object"},
		"two objects": {"application/json", uris(1) + uris(1), 400,
			"invalid_client_metadata", "not a JSON object"},
		"cut off": {"application/json", uris(1)[:20], 400,
			"invalid_client_metadata", "not a JSON object"},
		"deep": {"application/json", strings.Repeat("[", 15_000), 400,
			"invalid_client_metadata", "not a JSON object"},
		"wrong type": {"application/json", `{"redirect_uris":"http://localhost/cb"}`,
			400, "invalid_client_metadata", "redirect_uris must not be a string"},
		"wrong type inside": {"application/json", `{"redirect_uris":[1]}`, 400,
			"invalid_client_metadata", "redirect_uris must not be a number"},
		"too long": {"application/json",
			`{"x":"` + strings.Repeat("a", maxRegistration) + `"}`, 413, "invalid_client_metadata",
			"16 KiB"},
		"null": {"application/json", "null", 400, "invalid_redirect_uri",
			"0 redirect_uris"},
		"no redirect URI": {"application/json", uris(0), 400, "invalid_redirect_uri",
			"0 redirect_uris"},
		"eleven redirect URIs": {"application/json", uris(11), 400, "invalid_redirect_uri",
			"11 redirect_uris"},
		"null redirect URI": {"application/json", `{"redirect_uris":[null]}`, 400,
			"invalid_redirect_uri", "absolute"},
		"one bad among good": {"application/json",
			`{"redirect_uris":["https://a.example.com/cb","http://b.example.com/cb","http://localhost/cb"]}`,
			400, "invalid_redirect_uri", "http://b.example.com/cb: "},
		"an unknown scheme": {"application/json",
			`{"redirect_uris":["http://localhost/cb","myapp://cb"]}`, 400, "invalid_redirect_uri",
			"myapp://cb: "},
		"fragment": {"application/json",
			`{"redirect_uris":["https://a.example.com/cb#x"]}`, 400, "invalid_redirect_uri", "fragment"},
		"a long URI": {"application/json",
			`{"redirect_uris":["https://a.example.com/` + strings.Repeat("a", 2048) + `"]}`, 400,
			"invalid_redirect_uri", "2048"},
		"private_key_jwt": {"application/json",
			`{"redirect_uris":["http://localhost/cb"],"token_endpoint_auth_method":"private_key_jwt"}`, 400,
			"invalid_client_metadata", "token_endpoint_auth_method"},
		"other grants": {"application/json",
			`{"redirect_uris":["http://localhost/cb"],"grant_types":["implicit","password"]}`, 400,
			"invalid_client_metadata", "grant_types"},
		"no grants": {"application/json",
			`{"redirect_uris":["http://localhost/cb"],"grant_types":[]}`, 400, "invalid_client_metadata",
			"grant_types"},
		"other responses": {"application/json",
			`{"redirect_uris":["http://localhost/cb"],"response_types":["token"]}`, 400,
			"invalid_client_metadata", "response_types"},
		"control characters": {"application/json",
			`{"redirect_uris":["https://a.example.com/\r\n\u202ecb"]}`, 400, "invalid_redirect_uri",
			"https://a.example.com/ cb: "},
		"javascript redirect": {"application/json",
			`{"redirect_uris":["javascript:alert(1)"]}`, 400, "invalid_redirect_uri",
			"javascript:alert(1): "},
		"data redirect": {"application/json", `{"redirect_uris":["data:text/html,x"]}`,
			400, "invalid_redirect_uri", "data:"},
		"file redirect": {"application/json", `{"redirect_uris":["file:///etc/passwd"]}`,
			400, "invalid_redirect_uri", "file:"},
		"somebody else's host": {"application/json",
			`{"redirect_uris":["https://claude.ai@evilexample.com/cb"]}`, 400, "invalid_redirect_uri",
			"user name"},
		"a number for its host": {"application/json",
			`{"redirect_uris":["http://2130706433/cb"]}`, 400, "invalid_redirect_uri", "http leads to"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsking(t)
			got := refusalOf(t, name, a.apply(t, "192.0.2.1", c.kind, c.body), c.status, c.code)
			if !strings.Contains(got.Description, c.said) {
				t.Errorf("the description is %q, want it to have %q", got.Description, c.said)
			}
		})
	}
}

// TestCase47NothingIsOverwritten submits ids, names and secrets that exist, and
// members that the server ignores.
func TestCase47NothingIsOverwritten(t *testing.T) {
	a := newAsking(t)
	first := a.applied(t,
		`{"redirect_uris":["https://a.example.com/cb"],"client_name":"First","token_endpoint_auth_method":"client_secret_post"}`)
	id := first["client_id"].(string)
	before, err := a.Site.Store.Client(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	second := a.applied(t, fmt.Sprintf(`{"client_id":%q,"client_secret":"mine","client_secret_expires_at":1,"client_id_issued_at":1,"registration_access_token":"x","redirect_uris":["https://b.example.com/cb"],
		"client_name":"First","client_name#ja":"x","logo_uri":"http://127.0.0.1/","jwks_uri":"http://127.0.0.1/","jwks":{"keys":[]},"contacts":["a"],"x":{"y":[null]}}`, id))
	if second["client_id"] == id || second["client_secret"] != nil {
		t.Errorf("the second response is %v", second)
	}
	wantMembers(t, second, `{"redirect_uris":["https://b.example.com/cb"],"client_name":"First","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],
		"scope":"mcp:use offline_access","client_id_issued_at":1795262400}`)
	if after, err := a.Site.Store.Client(t.Context(), id); err != nil ||
		!reflect.DeepEqual(after, before) {
		t.Errorf("the first client is now %+v, %v, want %+v", after, err, before)
	}
	if err := a.Site.Store.AddClient(t.Context(),
		store.Client{ID: id, Name: "Other", Expires: a.Now().Add(time.Hour)}, maxClients); !errors.Is(err,
		store.ErrExists) {
		t.Errorf("adding the id again: %v, want ErrExists", err)
	}
}

// TestCase47RegistrationsOfOneNetwork checks that registrations from one
// network are limited, with Retry-After.
func TestCase47RegistrationsOfOneNetwork(t *testing.T) {
	const body = `{"redirect_uris":["http://localhost/cb"]}`
	a := newAsking(t)
	for range 20 {
		a.applied(t, body)
	}
	w := a.apply(t, "192.0.2.1", "application/json", body)
	refusalOf(t, "one more", w, 429, "temporarily_unavailable")
	if got := w.Header().Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After is %q, want 60", got)
	}
	if w := a.apply(t, "192.0.2.2", "application/json", body); w.Code != 429 {
		t.Errorf("from another address of the network: %d, want 429", w.Code)
	}
	if w := a.apply(t, "192.0.3.1", "application/json", body); w.Code != 201 {
		t.Errorf("from another network: %d, want 201", w.Code)
	}
	a.Pass(time.Minute)
	a.applied(t, body)
}

// TestRegistrationFlood checks that a flood of registrations is limited per
// IPv6 /48 and IPv4 /24, with any number of addresses, and in total.
func TestRegistrationFlood(t *testing.T) {
	const body = `{"redirect_uris":["http://localhost/cb"]}`
	for name, address := range map[string]func(network, n int) string{
		"IPv6": func(network, n int) string { return fmt.Sprintf("2001:db8:%x:%x::1", network, n) },
		"IPv4": func(network,
			n int) string {
			return fmt.Sprintf("10.%d.%d.%d", network>>8, network&255, n)
		},
	} {
		a := newAsking(t)
		for n := range 40 {
			want := 201
			if n >= 20 {
				want = 429
			}
			if w := a.apply(t, address(1, n), "application/json", body); w.Code != want {
				t.Fatalf("%s: client %d of a network: %d, want %d", name, n, w.Code, want)
			}
		}
		a.Pass(time.Hour)
		for n := range registerAllBurst {
			if _, ok := a.registrations.all.Take(""); !ok {
				t.Fatalf("%s: registration %d is refused", name, n)
			}
		}
		w := a.apply(t, address(2, 1), "application/json", body)
		refusalOf(t, name+" in all", w, 503, "temporarily_unavailable")
		if got := w.Header().Get("Retry-After"); got != "1" {
			t.Errorf("%s: Retry-After is %q, want 1", name, got)
		}
		a.Pass(time.Second)
		for n := range 10 { // one every 100 ms; refused ones do not count for the network
			if w := a.apply(t, address(2, n), "application/json", body); w.Code != 201 {
				t.Errorf("%s: client %d a second later: %d, want 201", name, n, w.Code)
			}
		}
	}
}

// TestYoungClientsStay checks that a client that is still being connected is
// not evicted by others.
func TestYoungClientsStay(t *testing.T) {
	const body = `{"redirect_uris":["http://localhost/cb"]}`
	a := newAsking(t)
	a.registrations.c.Store = smaller{a.Site.Store}
	var ids []string
	for range maxClients / 4_000 {
		ids = append(ids, a.applied(t, body)["client_id"].(string))
		a.Pass(time.Second)
	}
	a.Pass(store.ClientYouth - 6*time.Second)
	w := a.apply(t, "198.51.100.1", "application/json", body)
	refusalOf(t, "one more", w, 503, "temporarily_unavailable")
	if got := w.Header().Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After is %q, want 60", got)
	}
	for _, id := range ids {
		if _, err := a.Site.Store.Client(t.Context(), id); err != nil {
			t.Errorf("a client of less than ten minutes: %v", err)
		}
	}
	a.Pass(time.Second)
	a.applied(t, body)
	if _, err := a.Site.Store.Client(t.Context(), ids[0]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the oldest client, of ten minutes: %v, want it to have made room", err)
	}
}

// TestCase47ThrottlesAsMade checks that 20 clients from one network may be
// registered or looked up at once.
func TestCase47ThrottlesAsMade(t *testing.T) {
	b := newDescribed(t,
		func(w http.ResponseWriter, r *http.Request) { paper("https://"+r.Host+r.URL.Path, "")(w, r) })
	register := func(from string) logintest.Reply {
		w := b.From(from)
		r := w.Request(http.MethodPost, registerPath, `{"redirect_uris":["http://localhost/cb"]}`)
		r.Header.Set("Content-Type", "application/json")
		return w.Do(r)
	}
	lookUp := func(from string, n int) int {
		a := b.described(paperBack)
		a.id = fmt.Sprintf("https://app.example.com/%d", n)
		return b.From(from).Get(authorizeAt(a.query(b))).StatusCode
	}
	for n := range 20 {
		if got := register("192.0.2.1"); got.StatusCode != http.StatusCreated {
			t.Errorf("registration %d: got %d, want 201", n, got.StatusCode)
		}
		if got := lookUp("192.0.2.1", n); got != http.StatusOK {
			t.Errorf("look-up %d: got %d, want 200", n, got)
		}
	}
	got := register("192.0.2.1")
	b.wantError("one more", got, http.StatusTooManyRequests, "temporarily_unavailable")
	if after := got.Header.Get("Retry-After"); after != "60" {
		t.Errorf("Retry-After is %q, want 60", after)
	}
	if got := lookUp("192.0.2.1", 20); got != http.StatusBadRequest {
		t.Errorf("one look-up more: got %d, want 400", got)
	}
	if got := register("192.0.3.2"); got.StatusCode != http.StatusCreated ||
		lookUp("192.0.3.2", 20) != http.StatusOK {
		t.Errorf("from another network: got %d, or nothing is looked up", got.StatusCode)
	}
	b.Pass(10 * time.Second)
	if got := lookUp("192.0.2.1", 21); got != http.StatusOK {
		t.Errorf("ten seconds later: got %d, want 200", got)
	}
}

// smaller is a store that counts each client as four thousand.
type smaller struct{ *bolt.Store }

func (n smaller) AddClient(ctx context.Context, c store.Client, most int) error {
	return n.Store.AddClient(ctx, c, most/4_000)
}

// TestCase47ClientsAreSoMany checks that 20,000 clients can be registered.
// Beyond that, the clients that expire first are evicted, and clients in use
// remain.
func TestCase47ClientsAreSoMany(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Store = smaller{c.Store.(*bolt.Store)} })
	used := b.register("used")
	tokens := b.connect(used)
	var all []registered
	for range 5 {
		b.Pass(store.ClientYouth)
		all = append(all, b.register("unused"))
	}
	for i, a := range all {
		want := http.StatusOK
		if i == 0 {
			want = http.StatusBadRequest
		}
		b.toPerson(fmt.Sprintf("client %d of those that nobody uses", i),
			b.browser().Get(authorizeAt(a.query(b))), want)
	}
	b.tokensOf(b.post(tokenPath, used.refreshing(b, tokens.Refresh)))
}

// TestCase19NameOfAClient checks that the consent page shows the name of a
// client as text, shortened, and without characters that are invisible or
// change text direction.
func TestCase19NameOfAClient(t *testing.T) {
	b := newDescribed(t, paper(paperID, `,"client_name":"Tide\u0000\u202e Table\u200b"`))
	for name, want := range map[string]string{
		"\u202eClaude\u0000\u2066 Code\u200b\n": "Claude Code",
		"\u2028\u00ad":                          unnamed,
		"<script>alert(1)</script>":             "<script>alert(1)</script>",
		strings.Repeat("潮", 200):                strings.Repeat("潮", 100),
	} {
		page := b.browser().Get(authorizeAt(b.register(name).query(b)))
		if got := b.shownTo(page).facts["The app calls itself"]; got != want ||
			strings.Contains(page.Text, "<script>") {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
	if got, want := b.shownTo(
		b.browser().Get(authorizeAt(b.described(paperBack).query(b)))).facts["The app calls itself"],
		"Tide Table"; got != want {
		t.Errorf("the described one is shown as %q, want %q", got, want)
	}
	w, chart := b.browser(), b.register("\u202eChart\u0007")
	b.tokensOf(b.post(tokenPath, chart.redemption(b, w.agree(chart))))
	if page := w.Get(appsPath).Text; !strings.Contains(page, "<bdi>Chart</bdi>") {
		t.Errorf("the app is not listed as Chart:\n%s", page)
	}
}

// TestCase48SoftwareStatement checks that no member of a software statement is
// used.
func TestCase48SoftwareStatement(t *testing.T) {
	a := newAsking(t)
	// {"alg":"none"} and {"client_name":"Claude","redirect_uris":["https://evilexample.com/cb"]}
	const statement = "eyJhbGciOiJub25lIn0.eyJjbGllbnRfbmFtZSI6IkNsYXVkZSIsInJlZGlyZWN0X3Vya" +
		"XMiOlsiaHR0cHM6Ly9ldmlsZXhhbXBsZS5jb20vY2IiXX0."
	got := a.applied(t,
		`{"redirect_uris":["http://localhost/cb"],"client_name":"An app","software_statement":"`+
			statement+`"}`)
	wantMembers(t, got,
		`{"redirect_uris":["http://localhost/cb"],"client_name":"An app","token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],
		"scope":"mcp:use offline_access","client_id_issued_at":1795262400}`)
	w := a.apply(t, "192.0.2.1", "application/json", `{"software_statement":"`+statement+`"}`)
	refusalOf(t, "a statement alone", w, 400, "invalid_redirect_uri")
}

func TestRegisterWithoutStore(t *testing.T) {
	a := newAsking(t)
	a.Site.Store.Close()
	refusalOf(t, "without a store",
		a.apply(t, "192.0.2.1", "application/json", `{"redirect_uris":["http://localhost/cb"]}`), 503,
		"temporarily_unavailable")
}

func FuzzReadRegistration(f *testing.F) {
	f.Add(`{"redirect_uris":["http://localhost/cb"],"client_name":"x","scope":"mcp:use"}`)
	f.Add(`{"redirect_uris":["javascript:alert(1)"],"grant_types":null}`)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/oauth/register", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		m, refused := readRegistration(httptest.NewRecorder(), r)
		if refused != nil {
			if refused.Status < 400 || refused.Status > 499 {
				t.Errorf("%q is refused with %d", body, refused.Status)
			}
			return
		}
		if n := len(m.RedirectURIs); n == 0 || n > maxRedirects {
			t.Errorf("%q registers %d redirect URIs", body, n)
		}
		for _, uri := range m.RedirectURIs {
			if !matches(uri, uri) {
				t.Errorf("%q registers %q, which matches nothing", body, uri)
			}
		}
	})
}
