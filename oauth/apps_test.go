package oauth

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// grant connects a client to an account, and returns the grant's id.
func (b *bench) grant(of store.Account, id string) string {
	b.Helper()
	now := b.clock()
	g := store.Grant{
		ID: id, Account: of.ID, Client: "client", Name: "Chart <Table> of " + id, RedirectURI: "https://app.example/back",
		Scopes: []string{"mcp:use"}, Resource: b.c.Base + Path, Created: now, Used: now, Expires: now.Add(time.Hour),
	}
	code, refresh := access.HashSecret("code of "+id), access.HashSecret("token of "+id)
	if err := b.store.AddCode(b.Context(), store.Code{Hash: code, Grant: g, Expires: now.Add(time.Minute)}); err != nil {
		b.Fatal(err)
	}
	if _, err := b.store.RedeemCode(b.Context(), code, refresh, now); err != nil {
		b.Fatal(err)
	}
	return id
}

// granted reports whether a grant is there.
func (b *bench) granted(id string) bool {
	b.Helper()
	_, _, err := b.store.Grant(b.Context(), id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		b.Fatal(err)
	}
	return err == nil
}

// TestCase59AppsAreDisconnected: a person sees the apps that are connected, and
// disconnects them, each alone, and nobody else's.
func TestCase59AppsAreDisconnected(t *testing.T) {
	b := newBench(t)
	mate, cook := b.join("mate@example.org", "free"), b.join("cook@example.org", "free")
	first, second, theirs := b.grant(mate, "grant-1"), b.grant(mate, "grant-2"), b.grant(cook, "grant-3")
	w := b.any()
	w.try("mate@example.org", passphrase)
	got := w.get(appsPath)
	got.want(t, http.StatusOK, "Chart <Table> of grant-1")
	got.want(t, http.StatusOK, "app.example")
	got.want(t, http.StatusOK, "21 November 2026")
	if strings.Contains(got.text, theirs) || strings.Contains(got.text, "<Table>") {
		t.Errorf("the page shows another's, or a name as HTML:\n%s", got.text)
	}
	form := got.inputs(t)
	for _, id := range []string{theirs, "", "grant-9", "\x00", strings.Repeat("x", 2000)} {
		w.post(appsPath, changed(form, "grant", id)).wantOn(t, appsPath)
	}
	w.post(appsPath, changed(form, "grant", first)).wantOn(t, appsPath)
	w.post(appsPath, changed(form, "grant", first)).wantOn(t, appsPath)
	if b.granted(first) || !b.granted(second) || !b.granted(theirs) {
		t.Error("want the first gone, and it alone")
	}
	b.pass(time.Hour)
	if got := w.get(appsPath); !strings.Contains(got.text, b.c.Base+Path) || strings.Contains(got.text, second) {
		t.Errorf("when all have expired the page is\n%s", got.text)
	}
	b.any().post(appsPath, changed(form, "grant", second)).wantOn(t, "/oauth/login?next=%2Faccount%2Fapps")
}

// TestCase60AccountIsRemoved: with an account its sessions and its grants end,
// and its password lets nobody in.
func TestCase60AccountIsRemoved(t *testing.T) {
	b := newBench(t)
	mate, cook := b.join("mate@example.org", "free"), b.join("cook@example.org", "free")
	grant, theirs := b.grant(mate, "grant-1"), b.grant(cook, "grant-2")
	reset := b.reset(mate)
	w, other := b.any(), b.any()
	w.try("mate@example.org", passphrase)
	other.try("cook@example.org", passphrase)
	b.remove(mate.Email)
	if w.isIn() || !other.isIn() || b.granted(grant) || !b.granted(theirs) {
		t.Error("want the account's session and grant gone, and those alone")
	}
	w.try("mate@example.org", passphrase).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	w.get(reset).want(t, http.StatusForbidden, "no good any more")
}
