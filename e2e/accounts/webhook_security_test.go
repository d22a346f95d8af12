package accounts

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/config"
)

// TestCase61ForbiddenURLs registers URLs that are not public hosts with https, or are this server.
func TestCase61ForbiddenURLs(t *testing.T) {
	t.Parallel()
	p := product.Mount(t)
	key := product.NewKey(t, p.Storage(), access.Pro)
	const host, address, port = "host", "address", "port"
	for target, code := range map[string]string{
		"https://hooks.example.com/leadline":                     "",
		"https://hooks.example.com:8443/a?b=c":                   "",
		"http://hooks.example.com/":                              "scheme",
		"gopher://hooks.example.com/":                            "scheme",
		"//hooks.example.com/":                                   "scheme",
		"https:///leadline":                                      "format",
		"https://hooks.exämple.com/":                             "format",
		"https://hooks.example.com/a b":                          "format",
		"https://user:word@hooks.example.com/":                   "userInfo",
		"https://hooks.example.com/#part":                        "fragment",
		"https://hooks.example.com:22/":                          port,
		"https://hooks.example.com:8080/":                        port,
		"https://hooks.example.com:0443/":                        port,
		"https://127.0.0.1/":                                     address,
		"https://10.1.2.3:8443/":                                 address,
		"https://169.254.169.254/latest":                         address,
		"https://203.0.113.5/":                                   address,
		"https://[::1]/":                                         address,
		"https://[fd00::1]/":                                     address,
		"https://[::ffff:10.0.0.1]/":                             address,
		"https://[64:ff9b::a00:1]/":                              address,
		"https://127.1/":                                         host,
		"https://2130706433/":                                    host,
		"https://0x7f000001/":                                    host,
		"https://0177.0.0.1/":                                    host,
		"https://localhost/":                                     host,
		"https://intranet/":                                      host,
		"https://hooks..example.com/":                            host,
		"https://tides.example.org/hook":                         "self",
		"https://TIDES.example.org./hook":                        "self",
		"https://hooks.example.com/" + strings.Repeat("x", 2048): "maxLength",
	} {
		answer, text := product.Query{Method: "POST", Path: hooks, Key: key,
			Body: fmt.Sprintf(`{"url":%q}`, target)}.AnswerOf(t, p.URL)
		if code == "" {
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s, want it registered", target, answer.StatusCode, text)
			}
			continue
		}
		var codes []string
		for _, issue := range product.Refusal(t, []byte(text)).Issues {
			codes = append(codes, issue.Code)
			if issue.Path != "/url" ||
				!strings.Contains(issue.Message, `Example: "url": "https://`) {
				t.Errorf("%s: the issue %+v has no example", target, issue)
			}
		}
		if answer.StatusCode != 400 || !strings.Contains(strings.Join(codes, " "), code) {
			t.Errorf("%s: %d %v, want 400 with %s", target, answer.StatusCode, codes, code)
		}
	}
}

// hookSite is a server with an account, whose endpoints may be in a private network.
type hookSite struct {
	product.AccountClient
	folder string
	log    *product.Journal
}

func newHookSite(t *testing.T, private string) hookSite {
	t.Helper()
	return newHookSiteOn(t, product.WebhookSetup(t, "", 100), private)
}

func newHookSiteOn(t *testing.T, s product.Setup, private string) hookSite {
	t.Helper()
	log := &product.Journal{}
	s.Offline, s.Log = true, log
	with := s.With
	s.With = func(c *config.Config) {
		with(c)
		c.WebhookPrivate = []netip.Prefix{netip.MustParsePrefix(private)}
	}
	p := s.Start(t)
	return hookSite{
		product.AccountClient{T: t, Base: p.URL, Key: product.NewKey(t, p.Storage(), "team")},
		s.Folder,
		log,
	}
}

// secretOf is the response to a request that makes a secret.
type secretOf struct {
	Endpoint struct{ ID, State string }
	Secret   string
}

// create registers an endpoint.
func (s hookSite) create(target string) (made secretOf) {
	s.Helper()
	product.Decode(
		s.T,
		string(s.Call("POST", hooks, fmt.Sprintf(`{"url": %q}`, target), 200)),
		&made,
	)
	return made
}

// test sends a test and returns the first attempt as text.
func (s hookSite) test(id string) (attempt string) {
	s.Helper()
	var tested struct {
		Attempt struct {
			Status       *int
			Error, Reply *string
		}
	}
	product.Decode(s.T, string(s.Call("POST", hooks+"/"+id+"/test", "", 200)), &tested)
	a := tested.Attempt
	for _, word := range []*string{a.Error, a.Reply} {
		if word != nil {
			attempt += *word + " "
		}
	}
	if a.Status != nil {
		attempt += fmt.Sprint(*a.Status)
	}
	return strings.TrimSpace(attempt)
}

// inbox is a receiver that keeps requests and responds with a status.
type inbox struct {
	*httptest.Server
	mu   sync.Mutex
	list []product.Received
}

func newInbox(t *testing.T, respond http.HandlerFunc) *inbox {
	t.Helper()
	b := &inbox{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		b.mu.Lock()
		b.list = append(b.list, product.Received{Header: r.Header.Clone(), Body: body})
		b.mu.Unlock()
		respond(w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

// all returns the requests so far.
func (b *inbox) all() []product.Received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]product.Received(nil), b.list...)
}

// TestCase62PrivateAddresses registers a name that resolves to an address of this machine, on a
// server that allows another private network: nothing connects to it.
func TestCase62PrivateAddresses(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, "10.0.0.0/8")
	box := newInbox(t, func(http.ResponseWriter, *http.Request) {})
	u, err := url.Parse(box.URL)
	if err != nil {
		t.Fatal(err)
	}
	made := s.create("http://localhost:" + u.Port() + "/leadline")
	if got := s.test(made.Endpoint.ID); got != "blocked_address" {
		t.Errorf("an attempt at localhost ends with %q, want blocked_address", got)
	}
	if got := box.all(); len(got) > 0 {
		t.Errorf("the receiver at localhost got %v, want nothing", got)
	}
}

// TestCase63Redirects responds with redirects to another receiver, which gets nothing.
func TestCase63Redirects(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, "127.0.0.0/8")
	target := newInbox(t, func(http.ResponseWriter, *http.Request) {})
	for _, status := range []int{301, 307} {
		box := newInbox(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL, status)
		})
		want := fmt.Sprintf("redirect %d", status)
		if got := s.test(s.create(box.URL).Endpoint.ID); got != want {
			t.Errorf("an attempt ends with %q, want %q", got, want)
		}
	}
	if got := target.all(); len(got) > 0 {
		t.Errorf("the target of the redirects got %v, want nothing", got)
	}
}

// TestCase64Replies checks that the response of a receiver in a private network is not shown.
func TestCase64Replies(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, "127.0.0.0/8")
	box := newInbox(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "intranet wiki", http.StatusForbidden)
	})
	made := s.create(box.URL)
	if got := s.test(made.Endpoint.ID); got != "status 403" {
		t.Errorf("an attempt ends with %q, want status 403 without a reply", got)
	}
	list := s.Call("GET", hooks+"/"+made.Endpoint.ID+"/deliveries", "", 200)
	if bytes.Contains(list, []byte("wiki")) {
		t.Errorf("the deliveries are %s, with the response of a private network", list)
	}
}

// TestCase65And66Secrets checks that a signing secret and the address of an endpoint are in no
// other response than the one that made them, and neither in the log nor, as text, in the store.
func TestCase65And66Secrets(t *testing.T) {
	t.Parallel()
	alone := product.WebhookSetup(t, "", 100)
	alone.Alone = true // its store is read as a backup
	s := newHookSiteOn(t, alone, "127.0.0.0/8")
	box := newInbox(t, func(http.ResponseWriter, *http.Request) {})
	made := s.create(box.URL + "/5up3r?token=h1dd3n")
	one := hooks + "/" + made.Endpoint.ID
	s.test(made.Endpoint.ID)
	var rotated secretOf
	product.Decode(t, string(s.Call("POST", one+"/rotate", "", 200)), &rotated)
	secrets := []string{made.Secret, rotated.Secret}
	for _, secret := range secrets {
		if len(secret) != len("whsec_")+44 || made.Secret == rotated.Secret {
			t.Fatalf("the secrets are %q, want two of 32 bytes", secrets)
		}
	}
	product.At(t, s.folder, "backup", filepath.Join(s.folder, "copy"))
	seen := map[string]string{
		"the list":     string(s.Call("GET", hooks, "", 200)),
		"the endpoint": string(s.Call("GET", one, "", 200)),
		"deliveries":   string(s.Call("GET", one+"/deliveries", "", 200)),
		"events":       string(s.Call("GET", happened, "", 200)),
		"the change":   string(s.Call("PATCH", one, `{"description":"bridge"}`, 200)),
		"the command": product.At(
			t,
			s.folder,
			"webhooks",
			"list",
			"--account",
			s.email(),
			"--json",
		),
	}
	for _, file := range []string{"leadline.db", "copy"} {
		text, err := os.ReadFile(filepath.Join(s.folder, file))
		if err != nil {
			t.Fatal(err)
		}
		seen[file] = string(text)
	}
	seen["the removal"] = string(s.Call("DELETE", one, "", 200))
	seen["the log"] = s.log.String()
	for what, text := range seen {
		for _, secret := range secrets {
			if strings.Contains(text, secret[len("whsec_"):]) {
				t.Errorf("%s has a secret", what)
			}
		}
	}
	for _, part := range []string{"5up3r", "h1dd3n"} {
		if strings.Contains(seen["the log"], part) {
			t.Errorf("the log has a part of the URL: %s", seen["the log"])
		}
	}
}

// email returns the address of the account.
func (s hookSite) email() string {
	s.Helper()
	var list []struct{ Account string }
	product.Decode(s.T, product.At(s.T, s.folder, "accounts", "list", "--json"), &list)
	return list[0].Account
}

// TestCase69Limits requests tests until they are refused, at any endpoint of the account.
func TestCase69Limits(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, "127.0.0.0/8")
	box := newInbox(t, func(http.ResponseWriter, *http.Request) {})
	one, other := s.create(box.URL).Endpoint.ID, s.create(box.URL).Endpoint.ID
	for range 5 {
		s.test(one)
		s.test(other)
	}
	for _, id := range []string{one, other} {
		answer, text := product.Query{
			Method: "POST",
			Path:   hooks + "/" + id + "/test",
			Key:    s.Key,
		}.AnswerOf(
			t,
			s.Base,
		)
		if answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" ||
			!strings.Contains(text, "10 tests in an hour") {
			t.Errorf("test 11: %d %v %s, want 429", answer.StatusCode, answer.Header, text)
		}
	}
}

// TestCase70Signatures verifies requests with the official library: each with its endpoint's
// secret only, and none that was altered. A secret that was rotated away signs nothing.
func TestCase70Signatures(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, "127.0.0.0/8")
	box := newInbox(t, func(http.ResponseWriter, *http.Request) {})
	made, other := s.create(box.URL), s.create("http://127.0.0.1:9/")
	s.test(made.Endpoint.ID)
	first := box.all()
	var rotated secretOf
	product.Decode(
		t,
		string(s.Call("POST", hooks+"/"+made.Endpoint.ID+"/rotate", `{"keepOld":"0s"}`, 200)),
		&rotated,
	)
	s.test(made.Endpoint.ID)
	list := box.all()
	last := list[len(list)-1]
	alter := func(name, value string) product.Received {
		h := first[0].Header.Clone()
		h.Set(name, value)
		return product.Received{Header: h, Body: first[0].Body}
	}
	for _, test := range []struct {
		what, secret string
		one          product.Received
		valid        bool
	}{
		{"a request", made.Secret, first[0], true},
		{"a request with the secret of another endpoint", other.Secret, first[0], false},
		{"another id", made.Secret, alter("webhook-id", "msg_1"), false},
		{"another time", made.Secret, alter("webhook-timestamp", "1795791730"), false},
		{"another body", made.Secret, product.Received{Header: first[0].Header, Body: []byte(`{"type":"webhook.test"}`)}, false},
		{"a request after the rotation", rotated.Secret, last, true},
		{"a request after the rotation with the old secret", made.Secret, last, false},
	} {
		verify, err := standardwebhooks.NewWebhook(test.secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := product.Verify(verify, test.one); (err == nil) != test.valid {
			t.Errorf("%s: %v, want it valid: %v", test.what, err, test.valid)
		}
	}
}
