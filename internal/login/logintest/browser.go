package logintest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"leadline/internal/access"
	"leadline/internal/access/credential"
)

// Reply is a response with its body.
type Reply struct {
	*http.Response
	Text string
}

// To returns the target of a redirect.
func (r Reply) To() *url.URL {
	u, err := r.Location()
	if err != nil {
		return &url.URL{}
	}
	return u
}

// Inputs returns the values of the fields of a page's main form, not of the
// form for signing out.
func (r Reply) Inputs(t testing.TB) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(r.Text))
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
		if name := attributes["name"]; n.Data == "input" && name != "" && form != "/oauth/logout" {
			found.Set(name, attributes["value"])
		}
	}
	return found
}

// Cookie returns a cookie that a response sets, or nil if it does not set the
// cookie.
func (r Reply) Cookie(name string) *http.Cookie {
	for _, c := range r.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Session returns the secret of the session that a response begins, or "" if it
// does not begin one.
func (r Reply) Session() string {
	if c := r.Cookie(credential.SessionCookie(false)); c != nil && c.MaxAge > 0 {
		return c.Value
	}
	return ""
}

// Title returns the title of a page.
func (r Reply) Title() string {
	_, after, _ := strings.Cut(r.Text, "<title>")
	title, _, _ := strings.Cut(after, "</title>")
	return title
}

// Want reports an error unless a response has the given status and its page
// contains the text.
func (r Reply) Want(t testing.TB, status int, text string) {
	t.Helper()
	_, shown, _ := strings.Cut(html.UnescapeString(r.Text), "<main")
	if r.StatusCode != status || !strings.Contains(shown, text) {
		t.Errorf("%s %s: got %d %s, want %d and %q",
			r.Request.Method, r.Request.URL.Path, r.StatusCode, shown, status, text)
	}
}

// WantTo reports an error unless a response redirects the browser to the given
// URL.
func (r Reply) WantTo(t testing.TB, to string) {
	t.Helper()
	got := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || got != to ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: got %d to %q %s, want 303 to %q",
			r.Request.Method, r.Request.URL.Path, r.StatusCode, got, r.Text, to)
	}
}

// WantPage reports an error unless a response is a page with the given status.
func (r Reply) WantPage(t testing.TB, what string, status int) {
	t.Helper()
	to, kind := r.Header.Get("Location"), r.Header.Get("Content-Type")
	if r.StatusCode != status || to != "" || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("%s: got %d to %q, %s, want a page with %d", what, r.StatusCode, to, kind, status)
	}
}

// WantOut reports an error unless a response is a page with the given status
// and does not begin a session.
func (r Reply) WantOut(t testing.TB, what string, status int) {
	t.Helper()
	r.WantPage(t, what, status)
	if r.Session() != "" {
		t.Errorf("%s: the browser is signed in", what)
	}
}

// Changed sets fields of a form, given as names and values in pairs. An empty
// value removes the field.
func Changed(form url.Values, changes ...string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		if form.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			form.Del(changes[i])
		}
	}
	return form
}

// Browser keeps cookies and does not follow redirects by itself.
type Browser struct {
	HTTP *http.Client
	site *Site
}

// Browser returns a new browser.
func (s *Site) Browser() *Browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Browser{&http.Client{Jar: jar, CheckRedirect: stay}, s}
}

// From returns a new browser with the given client address. It reaches the site
// without a network.
func (s *Site) From(address string) *Browser {
	w := s.Browser()
	w.HTTP.Transport = transport{s, netip.MustParseAddr(address)}
	return w
}

// Any returns a new browser with an arbitrary client address.
func (s *Site) Any() *Browser { return s.From("192.0.2.1") }

// transport sends requests to a site from a client address.
type transport struct {
	*Site
	address netip.Addr
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(access.With(r.Context(), access.Caller{Address: t.address}))
	r.Host = r.URL.Host
	w := httptest.NewRecorder()
	t.server.Config.Handler.ServeHTTP(w, r)
	response := w.Result()
	response.Request = r
	return response, nil
}

// Do sends a request.
func (b *Browser) Do(r *http.Request) Reply {
	b.site.Helper()
	response, err := b.HTTP.Do(r)
	if err != nil {
		b.site.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.site.Fatal(err)
	}
	return Reply{response, string(text)}
}

// Request returns a request for a path of the site or for an address.
func (b *Browser) Request(method, path, body string) *http.Request {
	b.site.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.site.Base + path
	}
	r, err := http.NewRequestWithContext(b.site.Context(), method, path, strings.NewReader(body))
	if err != nil {
		b.site.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// Get gets a page.
func (b *Browser) Get(path string) Reply {
	b.site.Helper()
	return b.Do(b.Request(http.MethodGet, path, ""))
}

// Post sends a form.
func (b *Browser) Post(path string, form url.Values) Reply {
	b.site.Helper()
	return b.Do(b.Request(http.MethodPost, path, form.Encode()))
}

// Send gets a page, changes its form and sends it to the page's path.
func (b *Browser) Send(page string, changes ...string) Reply {
	b.site.Helper()
	path, _, _ := strings.Cut(page, "?")
	form := b.Get(page).Inputs(b.site)
	if form.Get("token") == "" {
		b.site.Fatalf("%s has no form", page)
	}
	return b.Post(path, Changed(form, changes...))
}

// SignIn signs in with a password.
func (b *Browser) SignIn(email, password string) Reply {
	b.site.Helper()
	return b.Send("/oauth/login", "email", email, "password", password)
}

// ComeBack follows a redirect to the provider, and then the provider's redirect
// back.
func (b *Browser) ComeBack(left Reply) Reply {
	b.site.Helper()
	return b.Get(b.SentBack(left).String())
}

// SentBack follows a redirect to the provider and returns the target of the
// provider's redirect.
func (b *Browser) SentBack(left Reply) *url.URL {
	b.site.Helper()
	if left.StatusCode != http.StatusSeeOther || left.To().Path != "/authorize" {
		b.site.Fatalf("leaving: %d to %s (%s), want 303 to the provider",
			left.StatusCode, left.To(), left.Title())
	}
	at := b.Get(left.To().String())
	if at.StatusCode != http.StatusFound {
		b.site.Fatalf("at the provider: %d %s", at.StatusCode, at.Text)
	}
	return at.To()
}
