package oauth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"leadline/internal/access"
	"leadline/internal/session"
	"leadline/store"
)

const wrongPassword = "spring tide at full moon"

// The limits of sign-ins as docs/signing-in.md states them.
const (
	accountEvery, accountBurst = 90 * time.Second, 10
	addressEvery, addressBurst = 20 * time.Second, 30
	signInLimit                = 20
)

// way leads to a server from an address, without a network.
type way struct {
	*bench
	address netip.Addr
}

// RoundTrip asks the server.
func (y way) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(access.With(r.Context(), access.Caller{Address: y.address}))
	r.Host = r.URL.Host
	w := httptest.NewRecorder()
	y.ServeHTTP(w, r)
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// from is a new browser at an address, and any one at some address.
func (b *bench) from(address string) *browser {
	w := b.browser()
	w.http.Transport = way{b, netip.MustParseAddr(address)}
	return w
}

func (b *bench) any() *browser { return b.from("192.0.2.1") }

// remove removes an account.
func (b *bench) remove(email string) {
	b.Helper()
	a, err := b.store.AccountByEmail(b.Context(), email)
	if err == nil {
		err = b.store.RemoveAccount(b.Context(), a.ID)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// links are those of an operator of the server.
func (b *bench) links() Links { return Links{b.store, b.c.Base, b.clock} }

// path is that of a link that was made.
func (b *bench) path(link string, err error) string {
	b.Helper()
	path, ok := strings.CutPrefix(link, b.c.Base)
	if err != nil || !ok {
		b.Fatalf("the link is %q, %v, want one to %s", link, err, b.c.Base)
	}
	return path
}

func (b *bench) owner() string { return b.path(b.links().Owner(b.Context())) }

func (b *bench) joinLink(email, plan string) string {
	b.Helper()
	return b.path(b.links().Invite(b.Context(), email, plan))
}

func (b *bench) reset(a store.Account) string {
	b.Helper()
	return b.path(b.links().Reset(b.Context(), a))
}

// send fills in the form of a page and sends it. typed are names and values.
func (b *browser) send(page string, typed ...string) reply {
	b.Helper()
	path, _, _ := strings.Cut(page, "?")
	form := b.get(page).inputs(b.TB)
	if form.Get("token") == "" {
		b.Fatalf("%s has no form", page)
	}
	return b.post(path, changed(form, typed...))
}

// try signs in.
func (b *browser) try(email, password string) reply {
	b.Helper()
	return b.send(loginPath, "email", email, "password", password)
}

// isIn reports whether somebody is signed in with the browser.
func (b *browser) isIn() bool {
	b.Helper()
	return b.get(appsPath).StatusCode == http.StatusOK
}

// leaving is the form for signing out, with a path to go on to.
func (b *browser) leaving(next string) url.Values {
	b.Helper()
	_, form, _ := strings.Cut(b.get(appsPath).text, `action="`+logoutPath+`"`)
	_, token, _ := strings.Cut(form, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	return url.Values{"token": {token}, "next": {next}}
}

// signOut signs out by the form for that.
func (b *browser) signOut() {
	b.Helper()
	out := b.post(logoutPath, b.leaving(appsPath))
	out.wantOn(b.TB, appsPath)
	if cookies := out.Cookies(); len(cookies) != 1 || cookies[0].Name != access.SessionCookie(false) || cookies[0].MaxAge >= 0 {
		b.Errorf("signing out leaves the cookies %v", cookies)
	}
	if b.isIn() {
		b.Error("who has signed out is signed in")
	}
}

// want notes where an answer is another, or its page does not say something.
func (r reply) want(t testing.TB, status int, says string) {
	t.Helper()
	_, shown, _ := strings.Cut(html.UnescapeString(r.text), "<main")
	if r.StatusCode != status || !strings.Contains(shown, says) {
		t.Errorf("%s %s: got %d %s, want %d and %q", r.Request.Method, r.Request.URL.Path, r.StatusCode, shown, status, says)
	}
}

// wantOn notes where an answer does not send the browser on to a place.
func (r reply) wantOn(t testing.TB, to string) {
	t.Helper()
	if got := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || got != to || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: got %d to %q %s, want 303 to %q", r.Request.Method, r.Request.URL.Path, r.StatusCode, got, r.text, to)
	}
}

// TestCase12SignInAnswers303: after a form with a password the browser goes on
// by GET, and takes the password nowhere.
func TestCase12SignInAnswers303(t *testing.T) {
	b := newBench(t)
	mate := b.join("mate@example.org", "free")
	w := b.any()
	w.get(appsPath).wantOn(t, "/oauth/login?next=%2Faccount%2Fapps")
	w.try(" Mate@Example.org ", passphrase).wantOn(t, appsPath)
	if !w.isIn() {
		t.Error("nobody is signed in")
	}
	w.get("/oauth/login?next=/oauth/authorize%3Fa=b").wantOn(t, "/oauth/authorize?a=b")
	b.any().send("/oauth/login?next=/oauth/authorize%3Fa=b", "email", "mate@example.org", "password", passphrase).wantOn(t, "/oauth/authorize?a=b")
	b.any().send(b.joinLink("cook@example.org", "free"), "password", passphrase).wantOn(t, appsPath)
	b.any().send(b.reset(mate), "password", "another password").wantOn(t, appsPath)
}

// TestSignInCookies: the session's cookie is for this server alone, and each
// sign-in has a secret of its own.
func TestSignInCookies(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	seen := map[string]bool{}
	w := b.any()
	for range 2 {
		var begun *http.Cookie
		for _, c := range w.try("mate@example.org", passphrase).Cookies() {
			if c.Name == access.SessionCookie(false) && c.MaxAge > 0 {
				begun = c
			}
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("%v is not HttpOnly, lax and for this host", c)
			}
		}
		if begun == nil || seen[begun.Value] || begun.MaxAge != int(session.Life/time.Second) {
			t.Fatalf("the session's cookie is %v, after %v", begun, seen)
		}
		seen[begun.Value] = true
		w = b.any()
	}
}

// session is the secret of the session that an answer begins.
func (r reply) session(t testing.TB) string {
	t.Helper()
	c := signInCookie(r, access.SessionCookie(false))
	if c == nil || c.Value == "" {
		t.Fatalf("%s: got %d with cookies %v, want a session", r.Request.URL.Path, r.StatusCode, r.Cookies())
	}
	return c.Value
}

// holdsGood reports whether a session's secret still lets in who has kept it.
func (b *bench) holdsGood(secret string) bool {
	b.Helper()
	w := b.any()
	r := w.request(http.MethodGet, appsPath, "")
	r.AddCookie(&http.Cookie{Name: access.SessionCookie(false), Value: secret})
	return w.do(r).StatusCode == http.StatusOK
}

// TestSessionEnds: by signing out, where another begins in the same browser, and
// with its time, though the cookie was kept elsewhere; others go on.
func TestSessionEnds(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	w, other := b.any(), b.any()
	elsewhere := other.try("mate@example.org", passphrase).session(t)
	first := w.try("mate@example.org", passphrase).session(t)
	second := w.send(b.joinLink("cook@example.org", "free"), "password", passphrase).session(t)
	if b.holdsGood(first) || !b.holdsGood(second) {
		t.Error("want the session ended that the browser had before, and the new one good")
	}
	w.signOut()
	if b.holdsGood(second) || !b.holdsGood(elsewhere) {
		t.Error("want the session ended that has signed out, and the other good")
	}
	b.pass(session.Life - time.Second)
	if !b.holdsGood(elsewhere) {
		t.Error("the session ends before its time")
	}
	b.pass(time.Second)
	if b.holdsGood(elsewhere) {
		t.Error("the session is good beyond its time")
	}
}

// TestSessionIsNotChosen: a secret that somebody has put into a browser does not
// become that of the session, in whichever way one begins.
func TestSessionIsNotChosen(t *testing.T) {
	b := newBench(t)
	mate := b.join("mate@example.org", "free")
	a := b.register("app")
	ways := map[string]func(w *browser) reply{
		"signing in":     func(w *browser) reply { return w.try("mate@example.org", passphrase) },
		"joining":        func(w *browser) reply { return w.send(b.joinLink("cook@example.org", "free"), "password", passphrase) },
		"a new password": func(w *browser) reply { return w.send(b.reset(mate), "password", "another password") },
		"a consent": func(w *browser) reply {
			form := w.get(authorizeAt(a.query(b))).inputs(t)
			return w.post(consentPath, changed(form, "email", somebody, "password", passphrase, "decision", "allow"))
		},
	}
	for _, name := range []string{"signing in", "joining", "a consent", "a new password"} {
		w := b.any()
		put := &http.Cookie{Name: access.SessionCookie(false), Value: access.NewSecret("")}
		w.http.Jar.SetCookies(w.request(http.MethodGet, "/", "").URL, []*http.Cookie{put})
		if got := ways[name](w).session(t); got == put.Value || b.holdsGood(put.Value) || !b.holdsGood(got) {
			t.Errorf("%s begins the session that was put there", name)
		}
	}
}

// TestSignInTellsNothing: whether there is an account is told by neither words
// nor status.
func TestSignInTellsNothing(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	if err := b.store.AddAccount(t.Context(), store.Account{ID: "keyed", Email: "keyed@example.org", Plan: "free"}); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"mate@example.org", "keyed@example.org", "nobody@example.org", "", "mate", "a\x00@example.org", strings.Repeat("a", 300) + "@example.org"} {
		for _, password := range []string{wrongPassword, "", strings.Repeat("x", 60_000)} {
			got := b.any().try(email, password)
			got.want(t, http.StatusUnprocessableEntity, wrongSignIn)
			if len(got.Cookies()) > 0 {
				t.Errorf("%q: a sign-in that failed sets %v", email, got.Cookies())
			}
		}
	}
}

// TestCase16FormsOfOthers: a form that another site has sent, or that was shown
// to another browser or for something else, does nothing.
func TestCase16FormsOfOthers(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Signup = Open })
	mate := b.join("mate@example.org", "free")
	grant := b.grant(mate, "grant-1")
	in, out := b.any(), b.any()
	in.try("mate@example.org", passphrase).wantOn(t, appsPath)
	reset := b.reset(mate)
	for _, f := range []struct {
		of    *browser
		page  string // that the form is on
		path  string // that it goes to
		other string // where there is a form for something else
		typed []string
	}{
		{out, loginPath, loginPath, joinPath, []string{"email", "mate@example.org", "password", passphrase}},
		{out, joinPath, joinPath, loginPath, []string{"email", "cook@example.org", "password", passphrase}},
		{out, reset, passwordPath, loginPath, []string{"password", "another password"}},
		{in, appsPath, appsPath, joinPath, nil},
		{in, appsPath, logoutPath, joinPath, nil},
	} {
		form := f.of.get(f.page).inputs(t)
		token := form.Get("token")
		for name, bad := range map[string]string{
			"no token": "", "a wrong token": token + "x",
			"another browser's": b.any().get(joinPath).inputs(t).Get("token"),
			"another form's":    f.of.get(f.other).inputs(t).Get("token"),
		} {
			if got := f.of.post(f.path, changed(form, append(f.typed, "token", bad)...)); got.StatusCode != http.StatusForbidden || len(got.Cookies()) > 0 {
				t.Errorf("%s with %s is answered with %d and cookies %v, want 403", f.path, name, got.StatusCode, got.Cookies())
			}
		}
		form.Set("token", token)
		r := f.of.request(http.MethodPost, f.path, form.Encode())
		r.Header.Set("Origin", "https://evil.example")
		if got := f.of.do(r); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s from another site is answered with %d, want 403", f.path, got.StatusCode)
		}
	}
	if !in.isIn() || out.isIn() {
		t.Error("somebody was signed in or out")
	}
	if _, _, err := b.store.Grant(t.Context(), grant); err != nil {
		t.Errorf("the grant is gone: %v", err)
	}
	if accounts, err := b.store.Accounts(t.Context()); err != nil || len(accounts) != 2 {
		t.Errorf("there are accounts %v, %v", accounts, err)
	}
	out.try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestCase39SignInIsThrottled: an account takes 10 wrong passwords, from
// wherever they come, then one in 90 seconds, and a right one meanwhile is not
// looked at.
func TestCase39SignInIsThrottled(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	b.join("cook@example.org", "free")
	for _, email := range []string{"mate@example.org", "nobody@example.org"} { // of whom there is one
		for n := range accountBurst {
			b.from(fmt.Sprintf("192.0.2.%d", n)).try(email, wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
		}
		got := b.any().try(email, passphrase)
		got.want(t, http.StatusTooManyRequests, "That was tried too often. Please try again in 90 seconds.")
		if after := got.Header.Get("Retry-After"); after != "90" {
			t.Errorf("Retry-After is %q, want 90", after)
		}
	}
	for range addressBurst { // are not looked at, and count nowhere
		b.any().try("mate@example.org", wrongPassword).want(t, http.StatusTooManyRequests, "tried too often")
	}
	b.any().try("cook@example.org", passphrase).wantOn(t, appsPath)
	b.pass(accountEvery)
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestCase39AddressIsThrottled: from an address 30 sign-ins fail at whichever
// accounts, then one in 20 seconds.
func TestCase39AddressIsThrottled(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	for n := range addressBurst {
		b.any().try(fmt.Sprintf("mate%d@example.org", n), wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	}
	b.any().try("mate@example.org", passphrase).want(t, http.StatusTooManyRequests, "tried too often")
	b.from("192.0.2.2").try("mate@example.org", passphrase).wantOn(t, appsPath)
	b.pass(addressEvery)
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestCase39OnlyFailuresCount checks that the throttles of guesses do not count sign-ins.
func TestCase39OnlyFailuresCount(t *testing.T) {
	b := newBench(t)
	for _, email := range []string{"mate@example.org", "cook@example.org", "boatswain@example.org"} {
		b.join(email, "free")
		for range accountBurst + 1 {
			b.any().try(email, passphrase).wantOn(t, appsPath)
		}
	}
	for range accountBurst - 1 {
		b.any().try("mate@example.org", wrongPassword)
	}
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestSignInsAreCounted checks that an account is signed in to 20 times in any hour, by whichever
// browsers and from whichever addresses, and that the others are not hindered.
func TestSignInsAreCounted(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	b.join("cook@example.org", "free")
	known := b.any()
	for n := range 20 {
		w := known
		if n%2 == 1 {
			w = b.from(fmt.Sprintf("192.0.2.%d", n))
		}
		w.try("mate@example.org", passphrase).wantOn(t, appsPath)
		if n%2 == 0 {
			known.signOut()
		}
		b.pass(time.Minute)
	}
	for _, w := range []*browser{known, b.any(), b.from("198.51.100.1")} {
		got := w.try("mate@example.org", passphrase)
		got.want(t, http.StatusTooManyRequests, "Please try again in 2400 seconds.")
		if after := got.Header.Get("Retry-After"); after != "2400" {
			t.Errorf("Retry-After is %q, want 2400: the first was 20 minutes ago", after)
		}
		w.try("cook@example.org", passphrase).wantOn(t, appsPath)
	}
	b.pass(40 * time.Minute)
	b.any().try("mate@example.org", wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
	b.any().try("mate@example.org", passphrase).want(t, http.StatusTooManyRequests, "in 60 seconds")
}

// TestSignInsAtOnce checks the same of many at once.
func TestSignInsAtOnce(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	var in, refused atomic.Int64
	var all sync.WaitGroup
	for n := range 40 {
		w := b.from(fmt.Sprintf("192.0.2.%d", n))
		form := changed(w.get(loginPath).inputs(t), "email", "mate@example.org", "password", passphrase)
		all.Go(func() {
			for {
				switch got := w.post(loginPath, form); {
				case got.StatusCode == http.StatusSeeOther:
					in.Add(1)
				case got.Header.Get("Retry-After") == "3600":
					refused.Add(1)
				default: // too many are being looked at
					continue
				}
				return
			}
		})
	}
	all.Wait()
	if in.Load() != signInLimit || refused.Load() != 20 {
		t.Errorf("%d signed in and %d were refused, want 20 and 20", in.Load(), refused.Load())
	}
}

// TestNewestSessions checks that the 20 newest sessions of an account are kept.
func TestNewestSessions(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	var browsers []*browser
	for range 22 {
		w := b.any()
		w.try("mate@example.org", passphrase).wantOn(t, appsPath)
		browsers = append(browsers, w)
		b.pass(4 * time.Minute)
	}
	for n, w := range browsers {
		if in, want := w.isIn(), n >= 2; in != want {
			t.Errorf("browser %d is signed in: %v, want %v", n, in, want)
		}
	}
}

// TestCase39OwnerIsNotLockedOut: a browser that has signed in before does so
// while others fail, at its own account alone, and has no more tries than they.
func TestCase39OwnerIsNotLockedOut(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	b.join("cook@example.org", "free")
	owner, cook := b.any(), b.any()
	owner.try("mate@example.org", passphrase).wantOn(t, appsPath)
	cook.try("cook@example.org", passphrase).wantOn(t, appsPath)
	owner.signOut()
	cook.signOut()
	for range addressBurst + 1 {
		b.any().try("mate@example.org", wrongPassword)
	}
	cook.try("mate@example.org", passphrase).want(t, http.StatusTooManyRequests, "")
	for range accountBurst - 1 {
		owner.try("mate@example.org", wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	}
	owner.try("mate@example.org", passphrase).wantOn(t, appsPath)
	owner.signOut()
	for range accountBurst {
		owner.try("mate@example.org", wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	}
	owner.try("mate@example.org", passphrase).want(t, http.StatusTooManyRequests, "")
}

// TestCase39AtOnce: of many guesses that come at once no more are looked at
// than of those that come one by one.
func TestCase39AtOnce(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	var looked atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		w := b.any()
		form := w.get(loginPath).inputs(t)
		all.Go(func() {
			if w.post(loginPath, changed(form, "email", "mate@example.org", "password", wrongPassword)).StatusCode == http.StatusUnprocessableEntity {
				looked.Add(1)
			}
		})
	}
	all.Wait()
	if looked.Load() != accountBurst {
		t.Errorf("%d passwords were looked at, want %d", looked.Load(), accountBurst)
	}
}

// TestOtherCost: what was kept at another cost lets in.
func TestOtherCost(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	b.passwords.cost.passes = 2
	b.any().try("mate@example.org", wrongPassword).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestNothingIsReadOfAGET: what is sent along with the request for a page is
// left alone; net/http would write a long form to the disk and leave it there.
func TestNothingIsReadOfAGET(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	b := newBench(t)
	const head = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
	body := head + strings.Repeat("a", 33<<20) + "\r\n--x--\r\n" // more than net/http keeps in memory
	for _, path := range []string{loginPath, joinPath, passwordPath, appsPath, authorizePath, callbackPath} {
		r := httptest.NewRequest(http.MethodGet, b.c.Base+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		b.ServeHTTP(httptest.NewRecorder(), r)
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v on the disk, %v", path, left, err)
		}
	}
}

// TestNextPath: a sign-in leads to this server alone, however browsers read it.
func TestNextPath(t *testing.T) {
	for next, want := range map[string]string{
		"/":                             "/",
		"/oauth/authorize?a=b%26c&d=/x": "/oauth/authorize?a=b%26c&d=/x",
		"":                              appsPath,
		"account":                       appsPath,
		"//evil.example":                appsPath,
		"///evil.example":               appsPath,
		`/\evil.example`:                appsPath,
		`/.\evil.example`:               appsPath,
		`\\evil.example`:                appsPath,
		"/\t/evil.example":              appsPath,
		"/\n/evil.example":              appsPath,
		" //evil.example":               appsPath,
		"https://evil.example/":         appsPath,
		"javascript:alert(1)":           appsPath,
		"/%zz":                          appsPath,
		"/.//evil.example":              "/.//evil.example",
	} {
		if got := nextPath(next); got != want {
			t.Errorf("nextPath(%q) = %q, want %q", next, got, want)
		}
	}
	b := newBench(t)
	b.join("mate@example.org", "free")
	w := b.any()
	w.send("/oauth/login?next=//evil.example", "email", "mate@example.org", "password", passphrase, "next", `/\evil.example`).wantOn(t, appsPath)
	for _, next := range []string{"/.//evil.example", `/..//\evil.example`} {
		if to := w.get("/oauth/login?next=" + url.QueryEscape(next)).Header.Get("Location"); strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) {
			t.Errorf("%q leads to %q", next, to)
		}
	}
}

// TestNextPathOfLogout: signing out leads to this server alone too.
func TestNextPathOfLogout(t *testing.T) {
	b := newBench(t)
	b.join("mate@example.org", "free")
	for next, want := range map[string]string{
		"https://evil.example/": appsPath, "//evil.example": appsPath, `/\evil.example`: appsPath, "": appsPath, "/oauth/authorize?a=b": "/oauth/authorize?a=b",
	} {
		w := b.any()
		w.try("mate@example.org", passphrase).wantOn(t, appsPath)
		w.post(logoutPath, w.leaving(next)).wantOn(t, want)
	}
}

// TestFormsOfPages: what is no form, or too long a one, is refused.
func TestFormsOfPages(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Signup = Open })
	w := b.any()
	for _, path := range []string{loginPath, logoutPath, joinPath, passwordPath, appsPath} {
		for _, kind := range []string{"", "application/json", "multipart/form-data; boundary=x"} {
			r := w.request(http.MethodPost, path, "{}")
			r.Header.Set("Content-Type", kind)
			w.do(r).want(t, http.StatusBadRequest, "no form of ours")
		}
		w.post(path, url.Values{"email": {strings.Repeat("x", session.LongestForm)}}).want(t, http.StatusBadRequest, "no form of ours")
	}
	w.get(logoutPath).want(t, http.StatusMethodNotAllowed, "")
}

// TestStoreIsGone: where the store does not answer, the page says to try again.
func TestStoreIsGone(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Signup = Open })
	mate := b.join("mate@example.org", "free")
	reset := b.reset(mate)
	in, out := b.any(), b.any()
	in.try("mate@example.org", passphrase)
	login, join := out.get(loginPath).inputs(t), out.get(joinPath).inputs(t)
	b.store.Close()
	for _, got := range []reply{
		in.get(loginPath), in.get(appsPath), out.get(reset), out.get(joinPath + "?ticket=x"),
		out.post(loginPath, changed(login, "email", "mate@example.org", "password", passphrase)),
		out.post(joinPath, changed(join, "email", "cook@example.org", "password", passphrase)),
	} {
		got.want(t, http.StatusServiceUnavailable, "Try again in a minute")
		if len(got.Cookies()) > 0 {
			t.Errorf("%s: cookies %v", got.Request.URL.Path, got.Cookies())
		}
	}
}

// slow is a store that sets another password for an account between a sign-in's
// look at the one before and its session.
type slow struct {
	Store
	account string
	kept    string
}

func (s *slow) AddSession(ctx context.Context, session store.Session) error {
	if s.kept != "" {
		if err := s.Store.SetPassword(ctx, s.account, s.kept, nil); err != nil {
			return err
		}
		s.kept = ""
	}
	return s.Store.AddSession(ctx, session)
}

// TestResetMeanwhile: who signs in with a password while another takes its
// place does not get in.
func TestResetMeanwhile(t *testing.T) {
	between := &slow{}
	b := newBench(t, func(c *Config) {
		between.Store = c.Store
		c.Store = between
	})
	mate := b.join("mate@example.org", "free")
	kept, err := b.passwords.hash(t.Context(), party{}, "another tide at another moon")
	if err != nil {
		t.Fatal(err)
	}
	between.account, between.kept = mate.ID, kept
	w := b.any()
	w.try("mate@example.org", passphrase).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	if w.isIn() {
		t.Error("who has the password of before is in")
	}
	w.try("mate@example.org", "another tide at another moon").wantOn(t, appsPath)
}
