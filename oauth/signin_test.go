package oauth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login"
	"leadline/internal/login/logintest"
	"leadline/internal/session"
)

const wrongPassword = "spring tide at full moon"

// leaving returns the form for signing out, with the path of the next page.
func (b *browser) leaving(next string) url.Values {
	b.Helper()
	_, form, _ := strings.Cut(b.Get(appsPath).Text, `action="`+login.LogoutPath+`"`)
	_, token, _ := strings.Cut(form, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	return url.Values{"token": {token}, "next": {next}}
}

// holdsGood reports whether the secret of a session is still valid.
func (b *bench) holdsGood(secret string) bool {
	b.Helper()
	w := b.any()
	r := w.Request(http.MethodGet, appsPath, "")
	r.AddCookie(&http.Cookie{Name: credential.SessionCookie(false), Value: secret})
	return w.Do(r).StatusCode == http.StatusOK
}

// TestSessionIsNotChosen checks that a secret that an attacker has put into a
// browser does not become the secret of a session.
func TestSessionIsNotChosen(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	a := b.register("app")
	ways := map[string]func(w *browser) logintest.Reply{
		"signing in": func(w *browser) logintest.Reply {
			return w.SignIn("mate@example.org",
				logintest.Password)
		},
		"joining": func(w *browser) logintest.Reply {
			return w.Send(b.InvitationLink("cook@example.org", "free"), "password", logintest.Password)
		},
		"a new password": func(w *browser) logintest.Reply {
			return w.Send(b.ResetLink(mate.Email), "password", "another password")
		},
		"a consent": func(w *browser) logintest.Reply {
			form := w.Get(authorizeAt(a.query(b))).Inputs(t)
			return w.Post(consentPath,
				logintest.Changed(form, "email", logintest.Somebody, "password", logintest.Password, "decision",
					"allow"))
		},
	}
	for _, name := range []string{"signing in", "joining", "a consent", "a new password"} {
		w := b.any()
		put := &http.Cookie{Name: credential.SessionCookie(false), Value: credential.NewSecret("")}
		w.HTTP.Jar.SetCookies(w.Request(http.MethodGet, "/", "").URL, []*http.Cookie{put})
		if got := ways[name](w).Session(); got == put.Value || b.holdsGood(put.Value) ||
			!b.holdsGood(got) {
			t.Errorf("%s begins the session that was put there", name)
		}
	}
}

// TestCase16FormsOfOthers checks that a form from another site, from another
// browser or for another purpose has no effect.
func TestCase16FormsOfOthers(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Signup = accounts.Open })
	mate := b.Join("mate@example.org", "free")
	grant := b.grant(mate, "grant-1")
	in, out := b.any(), b.any()
	in.SignIn("mate@example.org", logintest.Password).WantTo(t, login.Home)
	reset := b.ResetLink(mate.Email)
	for _, f := range []struct {
		of    *browser
		page  string // page that contains the form
		path  string // path that the form is posted to
		other string // page that contains a form for another purpose
		typed []string
	}{
		{out, login.Path, login.Path, accounts.JoinPath,
			[]string{"email", "mate@example.org", "password", logintest.Password}},
		{out, accounts.JoinPath, accounts.JoinPath, login.Path,
			[]string{"email", "cook@example.org", "password", logintest.Password}},
		{out, reset, accounts.PasswordPath, login.Path, []string{"password", "another password"}},
		{in, login.Home, appsPath, accounts.JoinPath, nil},
		{in, login.Home, login.LogoutPath, accounts.JoinPath, nil},
	} {
		form := f.of.Get(f.page).Inputs(t)
		token := form.Get("token")
		for name, bad := range map[string]string{
			"no token": "", "a wrong token": token + "x",
			"another browser's": b.any().Get(accounts.JoinPath).Inputs(t).Get("token"),
			"another form's":    f.of.Get(f.other).Inputs(t).Get("token"),
		} {
			if got := f.of.Post(f.path,
				logintest.Changed(form,
					append(f.typed, "token", bad)...)); got.StatusCode != http.StatusForbidden ||
				len(got.Cookies()) > 0 {
				t.Errorf("%s with %s is answered with %d and cookies %v, want 403", f.path, name,
					got.StatusCode, got.Cookies())
			}
		}
		form.Set("token", token)
		r := f.of.Request(http.MethodPost, f.path, form.Encode())
		r.Header.Set("Origin", "https://evil.example")
		if got := f.of.Do(r); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s from another site is answered with %d, want 403", f.path, got.StatusCode)
		}
	}
	if !in.isIn() || out.isIn() {
		t.Error("somebody was signed in or out")
	}
	if _, _, err := b.Site.Store.Grant(t.Context(), grant); err != nil {
		t.Errorf("the grant is gone: %v", err)
	}
	accounts, err := b.Site.Store.Accounts(t.Context(), "", 1000)
	if err != nil || len(accounts) != 2 {
		t.Errorf("there are accounts %v, %v", accounts, err)
	}
	out.SignIn("mate@example.org", logintest.Password).WantTo(t, login.Home)
}

// TestNothingIsReadOfAGET checks that the body of a GET request for a page is
// not read; net/http would write a long form to disk and leave it there.
func TestNothingIsReadOfAGET(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	b := newBench(t)
	const head = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
	body := head + strings.Repeat("a", 33<<20) + "\r\n--x--\r\n" // more than net/http buffers
	for _, path := range []string{login.Path, accounts.JoinPath, accounts.PasswordPath, appsPath,
		authorizePath, "/oauth/callback"} {
		r := httptest.NewRequest(http.MethodGet, b.Site.Base+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		logintest.Handler(b.routes, NotPublished).ServeHTTP(httptest.NewRecorder(), r)
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v on the disk, %v", path, left, err)
		}
	}
}

// TestFormsOfPages checks that bodies other than forms and forms that are too
// long are refused.
func TestFormsOfPages(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Signup = accounts.Open })
	w := b.any()
	for _, path := range []string{login.Path, login.LogoutPath, accounts.JoinPath,
		accounts.PasswordPath, appsPath} {
		for _, kind := range []string{"", "application/json", "multipart/form-data; boundary=x"} {
			r := w.Request(http.MethodPost, path, "{}")
			r.Header.Set("Content-Type", kind)
			w.Do(r).Want(t, http.StatusBadRequest, "The form cannot be read")
		}
		w.Post(path, url.Values{"email": {strings.Repeat("x", session.LongestForm)}}).
			Want(t, http.StatusBadRequest, "The form cannot be read")
	}
	w.Get(login.LogoutPath).Want(t, http.StatusMethodNotAllowed, "")
}
