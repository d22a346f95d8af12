package oauth

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
	"leadline/store"
)

// grant connects a client to an account, and returns the grant's id.
func (b *bench) grant(of store.Account, id string) string {
	b.Helper()
	now := b.Now()
	g := store.Grant{
		ID: id, Account: of.ID, Client: "client", Name: "Chart <Table> of " + id,
		RedirectURI: "https://app.example/back",
		Scopes:      []string{"mcp:use"}, Resource: b.Site.Base + Path, Created: now, Used: now,
		Expires: now.Add(time.Hour),
	}
	code, refresh := credential.HashSecret("code of "+id), credential.HashSecret("token of "+id)
	if err := b.Site.Store.AddCode(b.Context(),
		store.Code{Hash: code, Grant: g, Expires: now.Add(time.Minute)}); err != nil {
		b.Fatal(err)
	}
	if _, err := b.Site.Store.RedeemCode(b.Context(), code, refresh, now); err != nil {
		b.Fatal(err)
	}
	return id
}

// granted reports whether a grant exists.
func (b *bench) granted(id string) bool {
	b.Helper()
	_, _, err := b.Site.Store.Grant(b.Context(), id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		b.Fatal(err)
	}
	return err == nil
}

// TestCase59AppsAreDisconnected checks that people see only their own connected
// apps and can disconnect each one separately.
func TestCase59AppsAreDisconnected(t *testing.T) {
	b := newBench(t)
	mate, cook := b.Join("mate@example.org", "free"), b.Join("cook@example.org", "free")
	first, second, theirs := b.grant(mate, "grant-1"), b.grant(mate, "grant-2"),
		b.grant(cook, "grant-3")
	w := b.any()
	w.SignIn("mate@example.org", logintest.Password)
	got := w.Get(appsPath)
	got.Want(t, http.StatusOK, "Chart <Table> of grant-1")
	got.Want(t, http.StatusOK, "app.example")
	got.Want(t, http.StatusOK, "21 November 2026")
	if strings.Contains(got.Text, theirs) || strings.Contains(got.Text, "<Table>") {
		t.Errorf("the page shows another's, or a name as HTML:\n%s", got.Text)
	}
	form := got.Inputs(t)
	for _, id := range []string{theirs, "", "grant-9", "\x00", strings.Repeat("x", 2000)} {
		w.Post(appsPath, logintest.Changed(form, "grant", id)).WantTo(t, appsPath)
	}
	w.Post(appsPath, logintest.Changed(form, "grant", first)).WantTo(t, appsPath)
	w.Post(appsPath, logintest.Changed(form, "grant", first)).WantTo(t, appsPath)
	if b.granted(first) || !b.granted(second) || !b.granted(theirs) {
		t.Error("want the first gone, and it alone")
	}
	b.Pass(time.Hour)
	if got := w.Get(appsPath); !strings.Contains(got.Text, b.Site.Base+Path) ||
		strings.Contains(got.Text, second) {
		t.Errorf("when all have expired the page is\n%s", got.Text)
	}
	b.any().Post(appsPath, logintest.Changed(form, "grant", second)).
		WantTo(t, "/oauth/login?next=%2Faccount%2Fapps")
}

// TestCase60AccountIsRemoved checks that the sessions and grants of a removed
// account end, and that its password is refused.
func TestCase60AccountIsRemoved(t *testing.T) {
	b := newBench(t)
	mate, cook := b.Join("mate@example.org", "free"), b.Join("cook@example.org", "free")
	grant, theirs := b.grant(mate, "grant-1"), b.grant(cook, "grant-2")
	reset := b.ResetLink(mate.Email)
	w, other := b.any(), b.any()
	w.SignIn("mate@example.org", logintest.Password)
	other.SignIn("cook@example.org", logintest.Password)
	b.Remove(mate.Email)
	if w.isIn() || !other.isIn() || b.granted(grant) || !b.granted(theirs) {
		t.Error("want the account's session and grant gone, and those alone")
	}
	w.SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, "The e-mail address or the password is not right.")
	w.Get(reset).Want(t, http.StatusForbidden, "no longer valid")
}
