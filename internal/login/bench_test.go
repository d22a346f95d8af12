package login

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login/logintest"
	"leadline/internal/page"
	"leadline/store"
)

// bench is a Login on a site, with a page for signed-in people at Home.
type bench struct {
	*logintest.Site
	*Login
	routes map[string]http.Handler
}

// setup configures a bench.
type setup struct {
	Config
	Signup string
}

// newBench starts a site with the account of logintest.Somebody.
func newBench(t testing.TB, change ...func(*setup)) *bench {
	t.Helper()
	site := logintest.New(t)
	c := setup{Config{Base: site.Base, Store: site.Store, Now: site.Now, Log: site.Logger()},
		accounts.Invite}
	for _, f := range change {
		f(&c)
	}
	c.Accounts, c.Sessions = site.Accounts(c.Signup), site.Sessions(c.Base, c.Store)
	l, err := New(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	l.passwords.cost = cost{64, 1, 1} // password_test.go tests the real cost
	b := &bench{site, l, l.Routes(resume, c.Accounts.Export)}
	b.routes[Home] = http.HandlerFunc(b.home)
	site.Serve(b.routes, http.NotFound)
	return b
}

// newJoint starts a site whose people sign in at a provider.
func newJoint(t *testing.T, change ...func(*setup)) (*bench, *logintest.Provider) {
	t.Helper()
	p := logintest.NewProvider(t)
	set := func(c *setup) {
		c.Signup = accounts.Open
		c.Provider = &Provider{
			Issuer: p.URL, ClientID: logintest.ClientID, ClientSecret: logintest.ClientSecret,
			PlanClaim: "plan",
		}
	}
	return newBench(t, append([]func(*setup){set}, change...)...), p
}

// home serves a page with the form for signing out.
func (b *bench) home(w http.ResponseWriter, r *http.Request) {
	person, in, err := b.c.Sessions.Person(r)
	if err != nil {
		b.Fail(w, r, err)
		return
	}
	if !in {
		page.Redirect(w, r, Path)
		return
	}
	fmt.Fprintf(w, "%s, to sign out: %s", person.Email, b.Login.SignOut(w, r, Home).Token)
}

// resume writes its arguments to the response.
func resume(
	w http.ResponseWriter, _ *http.Request, request string, person store.Account, refused string,
) {
	fmt.Fprintf(w, "resumed %q for %q, refused %q", request, person.Email, refused)
}

// isIn reports whether somebody is signed in with a browser.
func (b *bench) isIn(w *logintest.Browser) bool {
	b.Helper()
	return w.Get(Home).StatusCode == http.StatusOK
}

// isValid reports whether a session's secret is valid in any browser.
func (b *bench) isValid(secret string) bool {
	b.Helper()
	w := b.Any()
	r := w.Request(http.MethodGet, Home, "")
	r.AddCookie(&http.Cookie{Name: credential.SessionCookie(false), Value: secret})
	return w.Do(r).StatusCode == http.StatusOK
}

// leaving returns the form for signing out, with the path of the next page.
func (b *bench) leaving(w *logintest.Browser, next string) url.Values {
	b.Helper()
	_, token, _ := strings.Cut(w.Get(Home).Text, "to sign out: ")
	return url.Values{"token": {token}, "next": {next}}
}

// signOut signs a browser out.
func (b *bench) signOut(w *logintest.Browser) {
	b.Helper()
	out := w.Post(LogoutPath, b.leaving(w, Home))
	out.WantTo(b.TB, Home)
	cookies := out.Cookies()
	if len(cookies) != 1 || cookies[0].Name != credential.SessionCookie(false) ||
		cookies[0].MaxAge >= 0 {
		b.Errorf("signing out leaves the cookies %v", cookies)
	}
	if b.isIn(w) {
		b.Error("a browser that has signed out is signed in")
	}
}

// viaProvider signs in at the provider, with the ticket of an invitation or
// without one if it is "".
func (b *bench) viaProvider(w *logintest.Browser, ticket string) logintest.Reply {
	b.Helper()
	recorder, r := httptest.NewRecorder(), w.Request(http.MethodPost, Path, "")
	b.StartFlow(recorder, r, Flow{Ticket: ticket, Next: "/next"})
	left := recorder.Result()
	left.Request = r // needed to resolve its Location
	w.HTTP.Jar.SetCookies(r.URL, left.Cookies())
	return w.ComeBack(logintest.Reply{Response: left})
}

// leave starts to sign in at the provider, from the page for signing in.
func leave(w *logintest.Browser) logintest.Reply {
	return w.Send(Path, "decision", "provider")
}

// wantIn reports an error unless a reply has signed the browser in.
func (b *bench) wantIn(what string, got logintest.Reply) {
	b.Helper()
	if got.StatusCode != http.StatusSeeOther || got.To().Path != "/next" || got.Session() == "" {
		b.Errorf("%s: got %d to %s, session %q, want 303 to /next with a session (%s)",
			what, got.StatusCode, got.To(), got.Session(), got.Title())
	}
}

// accountOf returns the account with an e-mail address, and false if there is
// none.
func (b *bench) accountOf(email string) (store.Account, bool) {
	b.Helper()
	a, err := b.Store.AccountByEmail(b.Context(), email)
	return a, err == nil
}

// invite returns the ticket of an invitation link.
func (b *bench) invite(email, plan string) (ticket string) {
	b.Helper()
	return ticketOf(b.InvitationLink(email, plan))
}

func ticketOf(link string) string {
	_, ticket, _ := strings.Cut(link, "?ticket=")
	return ticket
}
