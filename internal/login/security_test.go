package login

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
	"leadline/store"
)

const newPassword = "neap tide at half moon"

// loginTo is the redirect of a browser that is not signed in.
const loginTo = "/oauth/login?next=%2Faccount%2Fsecurity"

// send submits the page's form with a decision.
func (b *bench) send(w *logintest.Browser, decision string, changes ...string) logintest.Reply {
	b.Helper()
	return w.Send(SecurityPath, append([]string{"decision", decision}, changes...)...)
}

// enter signs a new browser in with logintest.Password.
func (b *bench) enter(email string) *logintest.Browser {
	b.Helper()
	w := b.Browser()
	w.SignIn(email, logintest.Password).WantTo(b.TB, Home)
	return w
}

// grant connects an app to an account.
func (b *bench) grant(of store.Account, id string) {
	b.Helper()
	now := b.Now()
	g := store.Grant{
		ID: id, Account: of.ID, Client: "client", Name: "Sounder", Created: now, Used: now,
		Expires: now.Add(time.Hour),
	}
	code := credential.HashSecret("code of " + id)
	err := b.Store.AddCode(b.Context(),
		store.Code{Hash: code, Grant: g, Expires: now.Add(time.Minute)})
	if err == nil {
		_, err = b.Store.RedeemCode(b.Context(), code, credential.HashSecret("token of "+id), now)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// granted reports whether a grant exists.
func (b *bench) granted(id string) bool {
	b.Helper()
	_, _, err := b.Store.Grant(b.Context(), id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		b.Fatal(err)
	}
	return err == nil
}

// subjects returns the subjects of an account's identities.
func (b *bench) subjects(account string) (list []string) {
	b.Helper()
	identities, err := b.Store.IdentitiesOf(b.Context(), account)
	if err != nil {
		b.Fatal(err)
	}
	for _, i := range identities {
		list = append(list, i.Subject)
	}
	return list
}

// wantSubjects reports an error unless an account has these identities.
func (b *bench) wantSubjects(what, account string, want ...string) {
	b.Helper()
	if got := b.subjects(account); !slices.Equal(got, want) {
		b.Errorf("%s: the account is linked to %q, want %q", what, got, want)
	}
}

// TestPasswordIsChanged checks that a new password ends all other access, and that the browser
// stays signed in with a new session.
func TestPasswordIsChanged(t *testing.T) {
	b := newBench(t)
	mate, cook := b.Join("mate@example.org", "free"), b.Join("cook@example.org", "free")
	b.grant(mate, "grant-1")
	b.grant(cook, "grant-2")
	key := b.key(mate)
	w, other, theirs := b.Any(), b.enter("mate@example.org"), b.enter("cook@example.org")
	old := w.SignIn("mate@example.org", logintest.Password).Session()
	w.Get(SecurityPath).Want(t, http.StatusOK, "disconnects every")

	got := b.send(w, "password", "current", logintest.Password, "password", newPassword)
	got.WantTo(t, SecurityPath)
	next := got.Session()
	if next == "" || next == old || b.isValid(old) || !b.isValid(next) {
		t.Error("want the old session ended, and a new one begun")
	}
	w.Get(SecurityPath).Want(t, http.StatusOK, "The password is set.")
	if again := w.Get(SecurityPath); strings.Contains(again.Text, "The password is set.") {
		t.Error("the page confirms it twice")
	}
	if b.isIn(other) || b.granted("grant-1") {
		t.Error("want the other session and the connected app ended")
	}
	if !b.isIn(theirs) || !b.granted("grant-2") {
		t.Error("want another account as before")
	}
	if k, err := b.Store.Key(t.Context(), key); err != nil || !k.Revoked.IsZero() {
		t.Errorf("the API key is %v, %v, want it active", k, err)
	}
	b.Any().SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	b.Any().SignIn("mate@example.org", newPassword).WantTo(t, Home)
}

// key creates an API key of an account and returns its id.
func (b *bench) key(of store.Account) (id string) {
	b.Helper()
	_, k, err := b.c.Accounts.CreateOwnKey(b.Context(), access.Caller{Account: of.ID},
		credential.NewKey{Name: "bridge", Scopes: []string{credential.RawRead}})
	if err != nil {
		b.Fatal(err)
	}
	return k.ID
}

// TestPasswordIsRefused checks that a form with a fault changes nothing and is shown again with the
// reason.
func TestPasswordIsRefused(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	b.grant(mate, "grant-1")
	w := b.enter("mate@example.org")
	const right = logintest.Password
	for _, test := range []struct{ current, password, says string }{
		{wrongPassword, newPassword, "The current password is not right."},
		{"", newPassword, "The current password is not right."},
		{right, "fourteen chars", "15 characters or more"},
		{right, "", "15 characters or more"},
		{right, strings.Repeat("x", 300), "too long"},
		{right, "mate@example.org", "cannot be the e-mail address"},
	} {
		got := b.send(w, "password", "current", test.current, "password", test.password)
		got.Want(t, http.StatusUnprocessableEntity, test.says)
		n, focused := strings.Count(got.Text, `id="fault"`), strings.Contains(got.Text, "autofocus")
		if n != 1 || !focused {
			t.Errorf("%q: %d faults, focused: %v, want one, and the field focused", test.says, n, focused)
		}
		for _, secret := range []string{right, newPassword, wrongPassword} {
			if strings.Contains(got.Text, secret) {
				t.Errorf("%q: the page repeats a password", test.says)
			}
		}
	}
	if !b.isIn(w) || !b.granted("grant-1") {
		t.Error("a refused form has ended access")
	}
	b.Any().SignIn("mate@example.org", right).WantTo(t, Home)
}

// TestPasswordOfAnotherChange checks that a form is refused if the password was changed after it
// was checked.
func TestPasswordOfAnotherChange(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	p := &pages{Login: b.Login}
	r := b.Any().Request(http.MethodPost, SecurityPath, "")
	var refusal *Refusal
	err := p.replacePassword(r, mate, "an older hash", "a new hash")
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Text, "in the meantime") {
		t.Errorf("got %v, want a refusal", err)
	}
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestCase71PasswordIsAsked checks that a session alone changes no password, links no provider and
// deletes no account.
func TestCase71PasswordIsAsked(t *testing.T) {
	b, p := newJoint(t)
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	for _, test := range [][]string{
		{"password", "password", newPassword},
		{"link"},
		{"delete", "email", "mate@example.org"},
	} {
		for _, current := range []string{"", wrongPassword} {
			got := b.send(w, test[0], append(test[1:], "current", current)...)
			got.Want(t, http.StatusUnprocessableEntity, "The current password is not right.")
		}
	}
	if p.Discoveries != 0 {
		t.Error("the browser was sent to the provider")
	}
	b.wantSubjects("with a wrong password", mate.ID)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestCase71RecentSignIn checks that a person without a password needs a sign-in of the last ten
// minutes.
func TestCase71RecentSignIn(t *testing.T) {
	b, p := newJoint(t)
	p.Forge = func(c map[string]any) { c["exp"] = logintest.Start.Add(time.Hour).Unix() }
	w := b.Browser()
	b.wantIn("a new account", b.viaProvider(w, ""))
	stranger, _ := b.accountOf(logintest.Stranger)
	b.Pass(10 * time.Minute)
	page := w.Get(SecurityPath)
	page.Want(t, http.StatusOK, "must be less than 10 minutes old")
	if strings.Contains(page.Text, `type="password"`) {
		t.Error("the page asks for a password")
	}
	for _, test := range [][]string{
		{"password", "password", newPassword},
		{"delete", "email", logintest.Stranger},
	} {
		b.send(w, test[0], test[1:]...).
			Want(t, http.StatusUnprocessableEntity, "more than 10 minutes ago")
	}
	if _, err := b.Store.Password(t.Context(), stranger.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a password is set: %v", err)
	}

	again := w.ComeBack(b.send(w, "again"))
	again.WantTo(t, SecurityPath)
	if again.Session() == "" {
		t.Error("the sign-in began no session")
	}
	b.Pass(10*time.Minute - time.Second)
	other := b.Browser()
	b.wantIn("another browser", b.viaProvider(other, ""))
	b.send(w, "password", "password", newPassword).WantTo(t, SecurityPath)
	b.wantSubjects("after the first password", stranger.ID, "4711")
	w.Get(SecurityPath).Want(t, http.StatusOK, "Current password")
	if b.isIn(other) {
		t.Error("want the other session ended")
	}
	b.Any().SignIn(logintest.Stranger, newPassword).WantTo(t, Home)
	b.wantIn("at the provider as before", b.viaProvider(b.Browser(), ""))
}

// TestCase72CurrentPasswordIsThrottled checks that wrong current passwords count as failed
// sign-ins, in all forms together.
func TestCase72CurrentPasswordIsThrottled(t *testing.T) {
	b, _ := newJoint(t)
	b.Join("mate@example.org", "free")
	w := b.Any()
	b.signedIn(w, "mate@example.org") // without the mark of a known browser
	forms := [][]string{
		{"password", "password", newPassword}, {"link"}, {"delete", "email", "mate@example.org"},
	}
	for n := range accountBurst {
		form := forms[n%len(forms)]
		b.send(w, form[0], append(form[1:], "current", wrongPassword)...).
			Want(t, http.StatusUnprocessableEntity, "The current password is not right.")
	}
	for _, form := range forms {
		got := b.send(w, form[0], append(form[1:], "current", logintest.Password)...)
		got.Want(t, http.StatusTooManyRequests, "Please try again in 90 seconds.")
		if after := got.Header.Get("Retry-After"); after != "90" {
			t.Errorf("%s: Retry-After is %q, want 90", form[0], after)
		}
	}
	b.From("192.0.2.9").SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusTooManyRequests, "tried too often")
	b.Pass(accountEvery)
	b.send(w, "password", "password", newPassword, "current", logintest.Password).
		WantTo(t, SecurityPath)
}

// TestCase16SecurityForms checks that forms of other sites, browsers, sessions and purposes are
// refused.
func TestCase16SecurityForms(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	w, other := b.enter("mate@example.org"), b.enter("mate@example.org")
	form := w.Get(SecurityPath).Inputs(t)
	form.Set("decision", "everywhere")
	post := func(from string, token string) logintest.Reply {
		form.Set("token", token)
		r := w.Request(http.MethodPost, SecurityPath, form.Encode())
		if from != "" {
			r.Header.Set("Origin", from)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		return w.Do(r)
	}
	good := form.Get("token")
	for what, got := range map[string]logintest.Reply{
		"another site":    post("https://evil.example", good),
		"no token":        post("", ""),
		"another browser": post("", other.Get(SecurityPath).Inputs(t).Get("token")),
		"another purpose": post("", b.Any().Get(Path).Inputs(t).Get("token")),
	} {
		got.WantPage(t, what, http.StatusForbidden)
	}
	if !b.isIn(w) {
		t.Error("a refused form has ended the session")
	}
	post("", good).WantTo(t, Path)
	post("", good).WantTo(t, loginTo)
	b.Any().Post(SecurityPath, form).WantTo(t, loginTo)
	b.Any().Get(SecurityPath).WantTo(t, loginTo)
}

// TestUnknownDecision checks that a form of an unknown kind is refused.
func TestUnknownDecision(t *testing.T) {
	b := newBench(t)
	w := b.enter(logintest.Somebody)
	for _, decision := range []string{"", "Delete", "again "} {
		b.send(w, decision).WantPage(t, decision, http.StatusBadRequest)
	}
	b.send(w, "again").WantPage(t, "without a provider", http.StatusNotFound)
	b.send(w, "link").WantPage(t, "without a provider", http.StatusNotFound)
}

// startLink sends the form for linking and returns the redirect to the provider.
func (b *bench) startLink(w *logintest.Browser) logintest.Reply {
	b.Helper()
	return b.send(w, "link", "current", logintest.Password)
}

// TestLink checks that a person at the provider, of any address, can sign in after the link, and
// that the link begins no session.
func TestLink(t *testing.T) {
	b, _ := newJoint(t)
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	page := w.Get(SecurityPath)
	page.Want(t, http.StatusOK, "Link\n"+b.provider.host)
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "form-action 'self' https: "+b.provider.Issuer+";") {
		t.Errorf("the policy is %s, want forms that may lead to the provider", policy)
	}
	got := w.ComeBack(b.startLink(w))
	got.WantTo(t, SecurityPath)
	if got.Session() != "" {
		t.Error("the link began a session")
	}
	w.Get(SecurityPath).Want(t, http.StatusOK, "The provider is linked.")
	if page := w.Get(SecurityPath); strings.Contains(page.Text, `value="link"`) {
		t.Error("the page offers to link it again")
	}
	b.wantSubjects("after the link", mate.ID, "4711")
	if _, ok := b.accountOf(logintest.Stranger); ok {
		t.Error("the link made an account")
	}
	other := b.Browser()
	b.wantIn("with the provider", b.viaProvider(other, ""))
	other.Get(SecurityPath).Want(t, http.StatusOK, "mate@example.org")
	w.ComeBack(b.startLink(w)).WantTo(t, SecurityPath) // the same person again
	b.wantSubjects("after the second link", mate.ID, "4711")
}

// TestCase73LinkOfAnother checks that a person who is linked to another account is refused, and
// that the page does not name that account.
func TestCase73LinkOfAnother(t *testing.T) {
	b, p := newJoint(t)
	b.wantIn("the other account", b.viaProvider(b.Browser(), ""))
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	got := w.ComeBack(b.startLink(w))
	got.WantPage(t, "linked to another account", http.StatusForbidden)
	if strings.Contains(got.Text, logintest.Stranger) {
		t.Errorf("the page names the other account:\n%s", got.Text)
	}
	b.wantSubjects("after the refusal", mate.ID)

	p.Change(func() { p.Says["sub"] = "4712" })
	w.ComeBack(b.startLink(w)).WantTo(t, SecurityPath)
	p.Change(func() { p.Says["sub"] = "4713" })
	w.ComeBack(b.startLink(w)).Want(t, http.StatusForbidden, "another person")
	b.wantSubjects("after a second person", mate.ID, "4712")
}

// TestCase73LinkOfAnotherBrowser checks that a link ends in the browser and the session that
// started it, and nowhere else.
func TestCase73LinkOfAnotherBrowser(t *testing.T) {
	b, p := newJoint(t)
	mate, cook := b.Join("mate@example.org", "free"), b.Join("cook@example.org", "free")
	w, victim := b.enter("mate@example.org"), b.enter("cook@example.org")
	to := w.SentBack(b.startLink(w))
	victim.Get(to.String()).WantPage(t, "in another browser", http.StatusBadRequest)

	for what, meanwhile := range map[string]func(w *logintest.Browser){
		"signed out":           func(w *logintest.Browser) { b.signOut(w) },
		"signed in as another": func(w *logintest.Browser) { b.signedIn(w, "cook@example.org") },
		"signed in again":      func(w *logintest.Browser) { b.signedIn(w, "mate@example.org") },
		"ended by another browser": func(*logintest.Browser) {
			b.send(b.enter(mate.Email), "everywhere")
		},
	} {
		w := b.enter("mate@example.org")
		to := w.SentBack(b.startLink(w))
		meanwhile(w)
		got := w.Get(to.String())
		got.WantPage(t, what, http.StatusForbidden)
		if got.Session() != "" {
			t.Errorf("%s: a session begins", what)
		}
		w.Get(to.String()).WantPage(t, what+", again", http.StatusBadRequest)
	}
	p.Change(func() {
		p.Respond = func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
		}
	})
	w = b.enter("mate@example.org")
	w.ComeBack(b.startLink(w)).Want(t, http.StatusForbidden, "Nothing was linked")
	b.wantSubjects("after all", mate.ID)
	b.wantSubjects("after all", cook.ID)
}

// TestUnlink checks that a provider can be unlinked, and that nobody can sign in there afterwards.
func TestUnlink(t *testing.T) {
	b, p := newJoint(t)
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	w.ComeBack(b.startLink(w))
	for _, issuer := range []string{"", "https://id.example", p.URL + "/", "\x00"} {
		b.send(w, "unlink", "issuer", issuer).WantTo(t, SecurityPath)
	}
	b.wantSubjects("another issuer", mate.ID, "4711")
	b.send(w, "unlink").WantTo(t, SecurityPath)
	w.Get(SecurityPath).Want(t, http.StatusOK, "The provider is unlinked.")
	b.wantSubjects("unlinked", mate.ID)
	b.wantIn("the person afterwards", b.viaProvider(b.Browser(), ""))
	if a, ok := b.accountOf(logintest.Stranger); !ok || a.ID == mate.ID {
		t.Errorf("the person has the account %v, %v, want a new one", a, ok)
	}
}

// TestChangeUnlinks checks that a changed password unlinks the provider, as the page says, because
// somebody who knew the old one may have linked it.
func TestChangeUnlinks(t *testing.T) {
	b, _ := newJoint(t)
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	w.ComeBack(b.startLink(w))
	w.Get(SecurityPath).Want(t, http.StatusOK, "It also unlinks")
	b.send(w, "password", "current", logintest.Password, "password", newPassword).
		WantTo(t, SecurityPath)
	b.wantSubjects("after the change", mate.ID)
}

// TestCase74LastWayIn checks that the last way to sign in cannot be removed, also if only the store
// has another one.
func TestCase74LastWayIn(t *testing.T) {
	b, p := newJoint(t)
	w := b.Browser()
	b.wantIn("without a password", b.viaProvider(w, ""))
	stranger, _ := b.accountOf(logintest.Stranger)
	unlink := func(what string) {
		t.Helper()
		if page := w.Get(SecurityPath); strings.Contains(page.Text, `value="`+p.URL+`"`) {
			t.Errorf("%s: the page offers to unlink it", what)
		}
		b.send(w, "unlink", "issuer", p.URL).Want(t, http.StatusConflict, "the last way to sign in")
		if got := b.subjects(stranger.ID); !slices.Contains(got, "4711") {
			t.Errorf("%s: the account is linked to %q", what, got)
		}
	}
	unlink("the only one")
	retired := store.Identity{Issuer: "https://old.example", Subject: "1", Account: stranger.ID}
	if err := b.Store.AddIdentity(t.Context(), retired); err != nil {
		t.Fatal(err)
	}
	w.Get(SecurityPath).Want(t, http.StatusOK, "This server does not use it any more.")
	unlink("with one that is not used any more")
	b.send(w, "unlink", "issuer", retired.Issuer).WantTo(t, SecurityPath)
	b.wantSubjects("the one that is not used", stranger.ID, "4711")
	b.send(w, "password", "password", newPassword).WantTo(t, SecurityPath)
	b.send(w, "unlink", "issuer", p.URL).WantTo(t, SecurityPath)
	b.wantSubjects("with a password", stranger.ID)
}

// ids returns the ids of the sessions on the page of a browser, the newest first.
func (b *bench) ids(w *logintest.Browser) (list []string) {
	b.Helper()
	const before = `name="session" value="`
	for _, part := range strings.Split(w.Get(SecurityPath).Text, before)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		list = append(list, id)
	}
	return list
}

// TestSessionsAreListed checks what the page shows of each session.
func TestSessionsAreListed(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	phone := b.Any()
	form := logintest.Changed(phone.Get(Path).Inputs(t),
		"email", "mate@example.org", "password", logintest.Password)
	r := phone.Request(http.MethodPost, Path, form.Encode())
	r.Header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1")
	phone.Do(r).WantTo(t, Home)
	b.Pass(24 * time.Hour)
	w := b.enter("mate@example.org")
	got := w.Get(SecurityPath)
	for _, want := range []string{
		"Safari on iPhone", "Since 21 Nov 2026. Last seen on 21 Nov 2026.",
		`Unknown browser <span class="kind">this one</span>`, "Since 22 Nov 2026.",
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the page lacks %q:\n%s", want, got.Text)
		}
	}
	if n := strings.Count(got.Text, "this one</span>"); n != 1 || len(b.ids(w)) != 2 {
		t.Errorf("%d of %d sessions are this one, want 1 of 2", n, len(b.ids(w)))
	}
	b.Pass(13 * 24 * time.Hour)
	if ids := b.ids(w); len(ids) != 1 {
		t.Errorf("the page lists %d sessions, want the one that has not expired", len(ids))
	}
}

// TestCase75SessionsOfOthers checks that people can end each of their own sessions and no others,
// and that the page has neither the secret nor the hash of a session.
func TestCase75SessionsOfOthers(t *testing.T) {
	b := newBench(t)
	b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	first, theirs := b.enter("mate@example.org"), b.enter("cook@example.org")
	b.Pass(time.Second)
	w := b.Any()
	secret := w.SignIn("mate@example.org", logintest.Password).Session()
	ids := b.ids(w)
	if len(ids) != 2 || len(ids[0]) != 16 {
		t.Fatalf("the sessions are %q, want two ids of 16 digits", ids)
	}
	page := w.Get(SecurityPath).Text
	for _, form := range formsOf(credential.HashSecret(secret)) {
		if strings.Contains(page, form) {
			t.Errorf("the page has a hash: %s", form)
		}
	}
	if strings.Contains(page, secret) {
		t.Error("the page has the secret of the session")
	}
	for _, id := range append(b.ids(theirs), "", "\x00", strings.Repeat("0", 16), ids[1][:15]) {
		b.send(w, "end", "session", id).WantTo(t, SecurityPath)
	}
	if !b.isIn(w) || !b.isIn(first) || !b.isIn(theirs) {
		t.Error("a session has ended that is another's, or that nobody named")
	}
	b.send(w, "end", "session", ids[1]).WantTo(t, SecurityPath)
	if b.isIn(first) || !b.isIn(w) || !b.isIn(theirs) {
		t.Error("want the named session ended, and it alone")
	}
	w.Get(SecurityPath).Want(t, http.StatusOK, "The session has ended.")
	b.send(w, "end", "session", ids[0]).WantTo(t, Path)
	if b.isIn(w) || b.isValid(secret) || !b.isIn(theirs) {
		t.Error("want the own session ended, and it alone")
	}
}

// formsOf returns a hash in the forms in which it could be printed.
func formsOf(hash [32]byte) []string {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(hash), " ", ","), "[]")
	return []string{
		fmt.Sprintf("%x", hash[:8]), fmt.Sprintf("%X", hash[:8]), list, string(hash[:]),
	}
}

// TestSignOutEverywhere checks that all sessions of the account end, and no others.
func TestSignOutEverywhere(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	b.Join("cook@example.org", "free")
	b.grant(mate, "grant-1")
	w, other := b.enter("mate@example.org"), b.enter("mate@example.org")
	theirs := b.enter("cook@example.org")
	got := b.send(w, "everywhere")
	got.WantTo(t, Path)
	if c := got.Cookie(credential.SessionCookie(false)); c == nil || c.MaxAge >= 0 {
		t.Errorf("the session's cookie is %v, want it removed", c)
	}
	if b.isIn(w) || b.isIn(other) || !b.isIn(theirs) || !b.granted("grant-1") {
		t.Error("want all sessions of the account ended, and nothing else")
	}
}

// TestAccountIsDeleted checks that a deletion needs the account's address and password, and that
// nothing of the account is left.
func TestAccountIsDeleted(t *testing.T) {
	b := newBench(t)
	mate, cook := b.Join("mate@example.org", "free"), b.Join("cook@example.org", "free")
	b.grant(mate, "grant-1")
	key := b.key(mate)
	w, other, theirs := b.Any(), b.enter("mate@example.org"), b.enter("cook@example.org")
	secret := w.SignIn("mate@example.org", logintest.Password).Session()
	for _, email := range []string{"", "cook@example.org", "mate", "mate@example.org x"} {
		got := b.send(w, "delete", "email", email, "current", logintest.Password)
		got.Want(t, http.StatusUnprocessableEntity, "The address is not that of this account.")
	}
	got := b.send(w, "delete", "email", "mate@example.org", "current", wrongPassword)
	got.Want(t, http.StatusUnprocessableEntity, "The current password is not right.")
	if !strings.Contains(got.Text, `name="email" type="email" value="mate@example.org"`) {
		t.Error("the page does not repeat the typed address")
	}
	if !b.isIn(w) || !b.isIn(other) {
		t.Fatal("a refused deletion has ended sessions")
	}
	b.send(w, "delete", "email", " Mate@example.org ", "current", logintest.Password).
		WantTo(t, SecurityPath)
	w.Get(SecurityPath).Want(t, http.StatusOK, "Your account is deleted")
	w.Get(SecurityPath).WantTo(t, loginTo)
	if b.isIn(w) || b.isValid(secret) || b.isIn(other) || b.granted("grant-1") {
		t.Error("want all access ended")
	}
	if _, err := b.Store.Key(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the key: %v, want %v", err, store.ErrNotFound)
	}
	if _, ok := b.accountOf("mate@example.org"); ok {
		t.Error("the account is still there")
	}
	b.Any().SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	if _, ok := b.accountOf(cook.Email); !ok || !b.isIn(theirs) {
		t.Error("want another account as before")
	}
}

// TestAccountOfTheProviderIsDeleted checks that a person without a password can delete the account
// after a sign-in, and can get a new one.
func TestAccountOfTheProviderIsDeleted(t *testing.T) {
	b, _ := newJoint(t)
	w := b.Browser()
	b.wantIn("a new account", b.viaProvider(w, ""))
	first, _ := b.accountOf(logintest.Stranger)
	b.send(w, "delete", "email", logintest.Stranger).WantTo(t, SecurityPath)
	w.Get(SecurityPath).Want(t, http.StatusOK, "Your account is deleted")
	b.wantIn("another account", b.viaProvider(w, ""))
	if next, ok := b.accountOf(logintest.Stranger); !ok || next.ID == first.ID {
		t.Errorf("got account %v, %v, want a new one", next, ok)
	}
}

// TestCase44SecurityLog checks that the log and the cookies have no secret of the forms.
func TestCase44SecurityLog(t *testing.T) {
	b, _ := newJoint(t)
	mate := b.Join("mate@example.org", "free")
	w := b.enter("mate@example.org")
	w.ComeBack(b.startLink(w))
	b.send(w, "password", "current", wrongPassword, "password", newPassword)
	changed := b.send(w, "password", "current", logintest.Password, "password", newPassword)
	b.send(w, "delete", "email", "mate@example.org", "current", newPassword).WantTo(t, SecurityPath)
	log := b.Logged.String()
	for _, secret := range []string{
		logintest.Password, newPassword, wrongPassword, changed.Session(), "mate@example.org",
	} {
		if secret == "" || strings.Contains(log, secret) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
	for _, want := range []string{
		"linked to the provider", "password is changed", "account is deleted", mate.ID,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	for _, c := range changed.Cookies() {
		if strings.Contains(c.Value, newPassword) || !c.HttpOnly {
			t.Errorf("a cookie %v", c)
		}
	}
}

// TestSecurityWithoutStore checks the page while the store is down.
func TestSecurityWithoutStore(t *testing.T) {
	b := newBench(t)
	w := b.enter(logintest.Somebody)
	form := logintest.Changed(w.Get(SecurityPath).Inputs(t), "decision", "everywhere")
	if err := b.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.Get(SecurityPath).WantPage(t, "the page", http.StatusServiceUnavailable)
	w.Post(SecurityPath, form).WantPage(t, "a form", http.StatusServiceUnavailable)
	w.Get(ExportPath).WantPage(t, "the download", http.StatusServiceUnavailable)
}

// recorderFor returns a response and a request of a signed-in browser, for handlers that are called
// directly.
func recorderFor(w *logintest.Browser, path string) (*httptest.ResponseRecorder, *http.Request) {
	r := w.Request(http.MethodGet, path, "")
	for _, c := range w.HTTP.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	return httptest.NewRecorder(), r
}
