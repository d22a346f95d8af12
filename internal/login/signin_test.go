package login

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login/logintest"
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

// TestCase12SignInAnswers303 checks that after a password form the browser
// continues with GET and does not send the password again.
func TestCase12SignInAnswers303(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	w := b.Any()
	w.SignIn(" Mate@Example.org ", logintest.Password).WantTo(t, Home)
	if !b.isIn(w) {
		t.Error("nobody is signed in")
	}
	w.Get("/oauth/login?next=/oauth/authorize%3Fa=b").WantTo(t, "/oauth/authorize?a=b")
	b.Any().Send("/oauth/login?next=/oauth/authorize%3Fa=b", "email", "mate@example.org", "password",
		logintest.Password).WantTo(t, "/oauth/authorize?a=b")
	b.Any().Send(b.InvitationLink("cook@example.org", "free"), "password", logintest.Password).
		WantTo(t, Home)
	b.Any().Send(b.ResetLink(mate.Email), "password", "another password").WantTo(t, Home)
}

// TestSignInCookies checks that the session cookie is for this server only, and
// that each sign-in has a new secret.
func TestSignInCookies(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	seen := map[string]bool{}
	w := b.Any()
	for range 2 {
		var begun *http.Cookie
		for _, c := range w.SignIn("mate@example.org", logintest.Password).Cookies() {
			if c.Name == credential.SessionCookie(false) && c.MaxAge > 0 {
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
		w = b.Any()
	}
}

// TestSessionEnds checks that a session ends when the browser signs out, when
// another session begins in the same browser, and when it expires, even if its
// secret was copied. Other sessions continue.
func TestSessionEnds(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	w, other := b.Any(), b.Any()
	elsewhere := other.SignIn("mate@example.org", logintest.Password).Session()
	first := w.SignIn("mate@example.org", logintest.Password).Session()
	second := w.Send(b.InvitationLink("cook@example.org", "free"), "password",
		logintest.Password).Session()
	if b.isValid(first) || !b.isValid(second) {
		t.Error("want the session ended that the browser had before, and the new one good")
	}
	b.signOut(w)
	if b.isValid(second) || !b.isValid(elsewhere) {
		t.Error("want the session ended that has signed out, and the other good")
	}
	b.Pass(session.Life - time.Second)
	if !b.isValid(elsewhere) {
		t.Error("the session ends before its time")
	}
	b.Pass(time.Second)
	if b.isValid(elsewhere) {
		t.Error("the session is good beyond its time")
	}
}

// TestSignInTellsNothing checks that neither the text nor the status reveals
// whether an account exists.
func TestSignInTellsNothing(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	if err := b.Store.AddAccount(t.Context(),
		store.Account{ID: "keyed", Email: "keyed@example.org", Plan: "free"}); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"mate@example.org", "keyed@example.org", "nobody@example.org", "",
		"mate", "a\x00@example.org", strings.Repeat("a", 300) + "@example.org"} {
		for _, password := range []string{wrongPassword, "", strings.Repeat("x", 60_000)} {
			got := b.Any().SignIn(email, password)
			got.Want(t, http.StatusUnprocessableEntity, errWrong.Text)
			if len(got.Cookies()) > 0 {
				t.Errorf("%q: a sign-in that failed sets %v", email, got.Cookies())
			}
		}
	}
}

// TestCase39SignInIsThrottled checks that 10 wrong passwords may be tried at an
// account from any addresses, then one every 90 seconds. In between, even a
// right password is not checked.
func TestCase39SignInIsThrottled(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	for _, email := range []string{"mate@example.org", "nobody@example.org"} { // one exists
		for n := range accountBurst {
			b.From(fmt.Sprintf("192.0.2.%d", n)).SignIn(email, wrongPassword).
				Want(t, http.StatusUnprocessableEntity, errWrong.Text)
		}
		got := b.Any().SignIn(email, logintest.Password)
		got.Want(t, http.StatusTooManyRequests,
			"That was tried too often. Please try again in 90 seconds.")
		if after := got.Header.Get("Retry-After"); after != "90" {
			t.Errorf("Retry-After is %q, want 90", after)
		}
	}
	for range addressBurst { // are refused without a check and do not count
		b.Any().SignIn("mate@example.org", wrongPassword).
			Want(t, http.StatusTooManyRequests, "tried too often")
	}
	b.Any().SignIn("cook@example.org", logintest.Password).WantTo(t, Home)
	b.Pass(accountEvery)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestCase39AddressIsThrottled checks that 30 sign-ins from one address may
// fail at any accounts, then one every 20 seconds.
func TestCase39AddressIsThrottled(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	for n := range addressBurst {
		b.Any().SignIn(fmt.Sprintf("mate%d@example.org", n), wrongPassword).
			Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	}
	b.Any().SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusTooManyRequests, "tried too often")
	b.From("192.0.2.2").SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	b.Pass(addressEvery)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestCase39OnlyFailuresCount checks that the throttles for guesses do not
// count successful sign-ins.
func TestCase39OnlyFailuresCount(t *testing.T) {
	b := newBench(t)
	for _, email := range []string{"mate@example.org", "cook@example.org", "boatswain@example.org"} {
		b.Join(email, "free")
		for range accountBurst + 1 {
			b.Any().SignIn(email, logintest.Password).WantTo(t, Home)
		}
	}
	for range accountBurst - 1 {
		b.Any().SignIn("mate@example.org", wrongPassword)
	}
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestSignInsAreCounted checks that an account accepts at most 20 sign-ins in
// any hour, from any browsers and addresses, and that other accounts are not
// affected.
func TestSignInsAreCounted(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	known := b.Any()
	for n := range 20 {
		w := known
		if n%2 == 1 {
			w = b.From(fmt.Sprintf("192.0.2.%d", n))
		}
		w.SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
		if n%2 == 0 {
			b.signOut(known)
		}
		b.Pass(time.Minute)
	}
	for _, w := range []*logintest.Browser{known, b.Any(), b.From("198.51.100.1")} {
		got := w.SignIn("mate@example.org", logintest.Password)
		got.Want(t, http.StatusTooManyRequests, "Please try again in 2400 seconds.")
		if after := got.Header.Get("Retry-After"); after != "2400" {
			t.Errorf("Retry-After is %q, want 2400: the first was 20 minutes ago", after)
		}
		w.SignIn("cook@example.org", logintest.Password).WantTo(t, Home)
	}
	b.Pass(40 * time.Minute)
	b.Any().SignIn("mate@example.org", wrongPassword).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	b.Any().SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusTooManyRequests, "in 60 seconds")
}

// TestSignInsAtOnce checks the same limit with many concurrent sign-ins.
func TestSignInsAtOnce(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	var in, refused atomic.Int64
	var all sync.WaitGroup
	for n := range 40 {
		w := b.From(fmt.Sprintf("192.0.2.%d", n))
		form := logintest.Changed(w.Get(Path).Inputs(t), "email", "mate@example.org", "password",
			logintest.Password)
		all.Go(func() {
			for {
				switch got := w.Post(Path, form); {
				case got.StatusCode == http.StatusSeeOther:
					in.Add(1)
				case got.Header.Get("Retry-After") == "3600":
					refused.Add(1)
				default: // too many are being checked at the same time
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

// TestNewestSessions checks that only the 20 newest sessions of an account
// remain.
func TestNewestSessions(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	var browsers []*logintest.Browser
	for range 22 {
		w := b.Any()
		w.SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
		browsers = append(browsers, w)
		b.Pass(4 * time.Minute)
	}
	for n, w := range browsers {
		if in, want := b.isIn(w), n >= 2; in != want {
			t.Errorf("browser %d is signed in: %v, want %v", n, in, want)
		}
	}
}

// TestCase39OwnerIsNotLockedOut checks that a browser that has signed in before
// can sign in while others fail. This applies only to its own account, and it
// gets no more attempts than others.
func TestCase39OwnerIsNotLockedOut(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	owner, cook := b.Any(), b.Any()
	owner.SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	cook.SignIn("cook@example.org", logintest.Password).WantTo(t, Home)
	b.signOut(owner)
	b.signOut(cook)
	for range addressBurst + 1 {
		b.Any().SignIn("mate@example.org", wrongPassword)
	}
	cook.SignIn("mate@example.org", logintest.Password).Want(t, http.StatusTooManyRequests, "")
	for range accountBurst - 1 {
		owner.SignIn("mate@example.org", wrongPassword).
			Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	}
	owner.SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	b.signOut(owner)
	for range accountBurst {
		owner.SignIn("mate@example.org", wrongPassword).
			Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	}
	owner.SignIn("mate@example.org", logintest.Password).Want(t, http.StatusTooManyRequests, "")
}

// TestCase39AtOnce checks that of many concurrent guesses no more are checked
// than of sequential ones.
func TestCase39AtOnce(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	var looked atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		w := b.Any()
		form := w.Get(Path).Inputs(t)
		all.Go(func() {
			if w.Post(Path,
				logintest.Changed(form, "email", "mate@example.org", "password",
					wrongPassword)).StatusCode == http.StatusUnprocessableEntity {
				looked.Add(1)
			}
		})
	}
	all.Wait()
	if looked.Load() != accountBurst {
		t.Errorf("%d passwords were looked at, want %d", looked.Load(), accountBurst)
	}
}

// TestOtherCost checks that a password with a hash of another cost is accepted.
func TestOtherCost(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	b.passwords.cost.passes = 2
	b.Any().SignIn("mate@example.org", wrongPassword).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestNextPath checks that the redirect after a sign-in never leaves this
// server, however browsers interpret it.
func TestNextPath(t *testing.T) {
	for next, want := range map[string]string{
		"/":                             "/",
		"/oauth/authorize?a=b%26c&d=/x": "/oauth/authorize?a=b%26c&d=/x",
		"":                              Home,
		"account":                       Home,
		"//evil.example":                Home,
		"///evil.example":               Home,
		`/\evil.example`:                Home,
		`/.\evil.example`:               Home,
		`\\evil.example`:                Home,
		"/\t/evil.example":              Home,
		"/\n/evil.example":              Home,
		" //evil.example":               Home,
		"https://evil.example/":         Home,
		"javascript:alert(1)":           Home,
		"/%zz":                          Home,
		"/.//evil.example":              "/.//evil.example",
	} {
		if got := nextPath(next); got != want {
			t.Errorf("nextPath(%q) = %q, want %q", next, got, want)
		}
	}
	b := newBench(t)
	b.Join("mate@example.org", "free")
	w := b.Any()
	w.Send("/oauth/login?next=//evil.example", "email", "mate@example.org", "password",
		logintest.Password, "next", `/\evil.example`).WantTo(t, Home)
	for _, next := range []string{"/.//evil.example", `/..//\evil.example`} {
		if to := w.Get("/oauth/login?next=" + url.QueryEscape(next)).Header.Get(
			"Location"); strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) {
			t.Errorf("%q leads to %q", next, to)
		}
	}
}

// TestNextPathOfLogout checks that the redirect after signing out never leaves
// this server either.
func TestNextPathOfLogout(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	for next, want := range map[string]string{
		"https://evil.example/": Home, "//evil.example": Home, `/\evil.example`: Home, "": Home,
		"/oauth/authorize?a=b": "/oauth/authorize?a=b",
	} {
		w := b.Any()
		w.SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
		w.Post(LogoutPath, b.leaving(w, next)).WantTo(t, want)
	}
}

// TestStoreIsGone checks that the pages ask people to try again while the store
// does not respond.
func TestStoreIsGone(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Signup = accounts.Open })
	mate := b.Join("mate@example.org", "free")
	reset := b.ResetLink(mate.Email)
	in, out := b.Any(), b.Any()
	in.SignIn("mate@example.org", logintest.Password)
	login, join := out.Get(Path).Inputs(t), out.Get(joinPath).Inputs(t)
	b.Store.Close()
	for _, got := range []logintest.Reply{
		in.Get(Path), in.Get(Home), out.Get(reset), out.Get(joinPath + "?ticket=x"),
		out.Post(Path,
			logintest.Changed(login, "email", "mate@example.org", "password", logintest.Password)),
		out.Post(joinPath,
			logintest.Changed(join, "email", "cook@example.org", "password", logintest.Password)),
	} {
		got.Want(t, http.StatusServiceUnavailable, "Try again in a minute")
		if len(got.Cookies()) > 0 {
			t.Errorf("%s: cookies %v", got.Request.URL.Path, got.Cookies())
		}
	}
}

// slow is a store that changes the password of an account between the password
// check of a sign-in and the creation of its session.
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

// TestResetMeanwhile checks that a sign-in is refused if the password is
// changed during it.
func TestResetMeanwhile(t *testing.T) {
	between := &slow{}
	b := newBench(t, func(c *setup) {
		between.Store = c.Store
		c.Store = between
	})
	mate := b.Join("mate@example.org", "free")
	kept, err := b.passwords.hash(t.Context(), party{}, "another tide at another moon")
	if err != nil {
		t.Fatal(err)
	}
	between.account, between.kept = mate.ID, kept
	w := b.Any()
	w.SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	if b.isIn(w) {
		t.Error("who has the password of before is in")
	}
	w.SignIn("mate@example.org", "another tide at another moon").WantTo(t, Home)
}
