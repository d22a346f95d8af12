package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"leadline/internal/access/credential"
	"leadline/store"
)

// asking is a server with a store that receives requests from clients.
type asking struct{ *bench }

func newAsking(t *testing.T) *asking { return &asking{newBench(t)} }

// add stores a client; if secret is "", the client is public.
func (a *asking) add(t *testing.T, id, method, secret string) {
	t.Helper()
	c := store.Client{ID: id, Method: method, Name: "An app",
		RedirectURIs: []string{"http://localhost/cb"}, Created: a.Now(), Expires: a.Now().Add(unusedFor)}
	if secret != "" {
		c.Secret = credential.HashSecret(secret)
	}
	if err := a.Site.Store.AddClient(t.Context(), c, maxClients); err != nil {
		t.Fatal(err)
	}
}

// refusal is an error response as a client decodes it.
type refusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// refusalOf checks that a response is an error that must not be cached.
func refusalOf(t *testing.T, what string, w *httptest.ResponseRecorder, status int,
	code string) refusal {
	t.Helper()
	var got refusal
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != status ||
		got.Error != code || got.Description == "" {
		t.Errorf("%s: %d %s, %v, want %d %s", what, w.Code, w.Body, err, status, code)
	}
	if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("Pragma") != "no-cache" ||
		h.Get("Content-Type") != "application/json" {
		t.Errorf("%s: the headers are %v", what, h)
	}
	if got, want := w.Header().Get("WWW-Authenticate"),
		status == http.StatusUnauthorized; strings.HasPrefix(got, "Basic ") != want {
		t.Errorf("%s: WWW-Authenticate is %q with %d", what, got, status)
	}
	return got
}

// TestCase37ClientAuthentication tries all methods of client authentication.
func TestCase37ClientAuthentication(t *testing.T) {
	const described, strange = "https://app.example.com/client.json", "s+/%:é secret"
	a := newAsking(t)
	a.add(t, "public", methodNone, "")
	a.add(t, "basic", methodBasic, "secret of basic")
	a.add(t, "post", methodPost, "secret of post")
	a.add(t, "strange", methodBasic, strange)
	esc := url.QueryEscape
	for _, c := range []struct {
		name   string
		form   string // in the body
		basic  string // user:password
		header string // Authorization as it is
		want   string // the client's name, or a status and an error code
	}{
		{name: "public", form: "client_id=public", want: "public"},
		{name: "public with an empty secret", form: "client_id=public&client_secret=", want: "public"},
		{name: "public by Basic", basic: "public:", want: "public"},
		{name: "public with a secret", form: "client_id=public&client_secret=x",
			want: "401 invalid_client"},
		{name: "public with a secret by Basic", basic: "public:x", want: "401 invalid_client"},
		{name: "described", form: "client_id=" + esc(described), want: described},
		{name: "described by Basic", basic: esc(described) + ":", want: described},
		{name: "described with a secret", form: "client_secret=x&client_id=" + esc(described),
			want: "401 invalid_client"},
		{name: "described at no address", form: "client_id=" + esc("http://app.example.com/client.json"),
			want: "401 invalid_client"},
		{name: "described inside", form: "client_id=" + esc("https://127.0.0.1/client.json"),
			want: "401 invalid_client"},
		{name: "post", form: "client_id=post&client_secret=secret+of+post", want: "post"},
		{name: "basic", basic: "basic:secret+of+basic", want: "basic"},
		{name: "basic with its id in the form", form: "client_id=basic", basic: "basic:secret+of+basic",
			want: "basic"},
		{name: "basic by post", form: "client_id=basic&client_secret=secret+of+basic", want: "basic"},
		{name: "post by basic", basic: "post:secret+of+post", want: "post"},
		{name: "form-encoded", basic: "strange:" + esc(strange), want: "strange"},
		{name: "not form-encoded", basic: "strange:" + strange, want: "401 invalid_client"},
		{name: "wrong secret", form: "client_id=post&client_secret=secret+of+basic",
			want: "401 invalid_client"},
		{name: "wrong secret by Basic", basic: "basic:wrong", want: "401 invalid_client"},
		{name: "no secret", form: "client_id=post", want: "401 invalid_client"},
		{name: "no secret by Basic", basic: "basic:", want: "401 invalid_client"},
		{name: "unknown", form: "client_id=nobody", want: "401 invalid_client"},
		{name: "unknown by Basic", basic: "nobody:x", want: "401 invalid_client"},
		{name: "too long", form: "client_id=" + strings.Repeat("a", maxID+1), want: "401 invalid_client"},
		{name: "nobody", want: "401 invalid_client"},
		{name: "a secret alone", form: "client_secret=secret+of+post", want: "401 invalid_client"},
		{name: "no id by Basic", basic: ":x", want: "401 invalid_client"},
		{name: "Bearer", form: "client_id=public", header: "Bearer x", want: "401 invalid_client"},
		{name: "Basic without base64", form: "client_id=public", header: "Basic !",
			want: "401 invalid_client"},
		{name: "two ways", form: "client_secret=secret+of+basic", basic: "basic:secret+of+basic",
			want: "400 invalid_request"},
		{name: "two clients", form: "client_id=public", basic: "basic:secret+of+basic",
			want: "400 invalid_request"},
		{name: "client_id twice", form: "client_id=public&client_id=public", want: "400 invalid_request"},
		{name: "client_secret twice", form: "client_id=post&client_secret=x&client_secret=secret+of+post",
			want: "400 invalid_request"},
		{name: "no form", form: "client_id=%zz", want: "400 invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/oauth/token?client_id=public", strings.NewReader(c.form))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if user, password, ok := strings.Cut(c.basic, ":"); ok {
				r.SetBasicAuth(user, password)
			}
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			who, err := a.auth.authenticate(t.Context(), r)
			if err == nil {
				if who.id != c.want || who.signed != nil {
					t.Errorf("the client is %v, want %q, unsigned", who, c.want)
				}
				return
			}
			w := httptest.NewRecorder()
			a.failClient(w, r, err)
			var status int
			var code string
			if _, scan := fmt.Sscan(c.want, &status, &code); scan != nil {
				t.Fatalf("refused: %v, want %q", err, c.want)
			}
			refusalOf(t, c.name, w, status, code)
		})
	}
}

// TestCase37TwoHeaders checks that a second Authorization header is refused: a
// proxy may read it instead of the first.
func TestCase37TwoHeaders(t *testing.T) {
	a := newAsking(t)
	a.add(t, "basic", methodBasic, "x")
	r := httptest.NewRequest("POST", "/oauth/token", nil)
	r.SetBasicAuth("basic", "x")
	r.Header.Add("Authorization", r.Header.Get("Authorization"))
	_, err := a.auth.authenticate(t.Context(), r)
	if e, ok := errors.AsType[*oauthError](err); !ok || e.Code != "invalid_request" {
		t.Errorf("two headers: %v, want invalid_request", err)
	}
}

// TestClientsEnd checks that expired clients are unknown, like clients that
// never existed.
func TestClientsEnd(t *testing.T) {
	a := newAsking(t)
	a.add(t, "short", methodNone, "")
	r := httptest.NewRequest("POST", "/oauth/token", strings.NewReader("client_id=short"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a.Pass(unusedFor - time.Second)
	if c, err := a.clients.get(t.Context(), "192.0.2.1", "short"); err != nil || c.ID != "short" ||
		c.Name != "An app" || c.Described || c.host() != "" || c.Method != methodNone ||
		len(c.RedirectURIs) != 1 {
		t.Errorf("client() = %+v, %v before its end", c, err)
	}
	a.Pass(time.Second)
	for _, id := range []string{"short", "nobody", "", strings.Repeat("a", 100_000), "a\x00b"} {
		if c, err := a.clients.get(t.Context(), "192.0.2.1", id); !errors.Is(err, errUnknownClient) {
			t.Errorf("client(%.20q) = %+v, %v, want errUnknownClient", id, c, err)
		}
	}
	if _, err := a.auth.authenticate(t.Context(), r); err == nil ||
		!strings.HasPrefix(err.Error(), "invalid_client") {
		t.Errorf("authenticating an expired client: %v, want invalid_client", err)
	}
}

// TestClientsWithoutStore checks that clients are not reported as unknown while
// the store is unavailable, because they would then register again.
func TestClientsWithoutStore(t *testing.T) {
	a := newAsking(t)
	a.add(t, "public", methodNone, "")
	a.Site.Store.Close()
	r := httptest.NewRequest("POST", "/oauth/token", strings.NewReader("client_id=public"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, read := a.clients.get(t.Context(), "192.0.2.1", "public")
	_, authenticated := a.auth.authenticate(t.Context(), r)
	for _, err := range []error{read, authenticated} {
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, errUnknownClient) {
			t.Errorf("without a store: %v, want store.ErrUnavailable", err)
		}
	}
	w := httptest.NewRecorder()
	a.failClient(w, r, authenticated)
	refusalOf(t, "without a store", w, 503, "temporarily_unavailable")
}

// TestOAuthErrorText checks that descriptions contain only the characters that
// RFC 6749 allows, and no API key.
func TestOAuthErrorText(t *testing.T) {
	const key = "ldl_live_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
	w := httptest.NewRecorder()
	writeOAuthError(w,
		badRedirect("a\x00b\u202ec\r\nd \"e\" \\f é "+key[:12]+"\u200b"+key[12:]+strings.Repeat(" x",
			300)))
	got := refusalOf(t, "text", w, 400, "invalid_redirect_uri").Description
	if want := "abc d ?e? ?f ? ldl_live_AbCdEfG? x x"; !strings.HasPrefix(got, want) ||
		len(got) > maxDescription {
		t.Errorf("the description is %q, want it to begin with %q", got, want)
	}
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]string{
		"Claude":                            "Claude",
		" Claude \t\r\n Code\u00a0\u2003! ": "Claude Code !",
		"":                                  unnamed,
		" \n":                               unnamed,
		"\u200b\u202e\ufeff\u2066":          unnamed,
		"\u3164\u115f\ufe0f":                unnamed, // invisible letters
		"\u202egnp.exe":                     "gnp.exe",
		"a\u200bb\u00adc\x00d\x1b[1me\x7f":  "abcd[1me",
		"\xff\xfea":                         "a",
		"Künstliche Küste 潮 🌊":              "Künstliche Küste 潮 🌊",
		"<script>alert(1)</script>":         "<script>alert(1)</script>", // the page escapes it
		strings.Repeat("é", 200):            strings.Repeat("é", 100),
		strings.Repeat("a ", 100):           strings.TrimSpace(strings.Repeat("a ", 50)),
	} {
		if got := cleanName(name); got != want {
			t.Errorf("cleanName(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("Claude \u202e")
	f.Fuzz(func(t *testing.T, name string) {
		got := cleanName(name)
		if n := utf8.RuneCountInString(got); n == 0 || n > maxName || !utf8.ValidString(got) ||
			strings.ContainsAny(got,
				"\x00\r\n\t\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c") {
			t.Errorf("cleanName(%q) = %q", name, got)
		}
		if again := cleanName(got); again != got {
			t.Errorf("cleanName(%q) = %q, and of that %q", name, got, again)
		}
	})
}
