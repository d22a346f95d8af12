package oauth

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"leadline/internal/access"
	"leadline/store"
)

// TestInvite: by an invitation one account is made, with the address that was
// invited, on the plan, and its person is signed in.
func TestInvite(t *testing.T) {
	b := newBench(t)
	link := b.joinLink("mate@example.org", "pro")
	w := b.any()
	w.get(strings.Replace(link, joinPath, passwordPath, 1)).want(t, http.StatusForbidden, "no good any more")
	w.get(link).want(t, http.StatusOK, "mate@example.org")
	w.send(link, "password", "short").want(t, http.StatusUnprocessableEntity, "15 characters or more")
	w.send(link, "password", "mate@example.org").want(t, http.StatusUnprocessableEntity, "cannot be the e-mail address")
	w.send(link, "email", "other@example.org", "password", passphrase).wantOn(t, appsPath)
	if !w.isIn() {
		t.Error("who has joined is not signed in")
	}
	a, err := b.store.AccountByEmail(t.Context(), "mate@example.org")
	if err != nil || a.Plan != "pro" || len(a.ID) != 36 || !a.Created.Equal(b.clock()) {
		t.Errorf("the account is %+v, %v", a, err)
	}
	w.get(link).want(t, http.StatusForbidden, "no good any more")
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
	again := b.joinLink("mate@example.org", "pro")
	w.send(again, "password", passphrase).want(t, http.StatusUnprocessableEntity, addressTaken)
	old := b.joinLink("cook@example.org", "free")
	b.pass(LinkLife)
	w.get(old).want(t, http.StatusForbidden, "no good any more")
	for _, bad := range []string{joinPath, joinPath + "?ticket=", joinPath + "?ticket=ldt_x", strings.Replace(old, joinPath, passwordPath, 1), passwordPath} {
		w.get(bad).want(t, http.StatusForbidden, "")
	}
}

// TestInviteAtOnce: of many who use an invitation at once, one has the account.
func TestInviteAtOnce(t *testing.T) {
	b := newBench(t)
	link := b.joinLink("mate@example.org", "pro")
	var joined atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		w := b.any()
		form := w.get(link).inputs(t)
		all.Go(func() {
			switch got := w.post(joinPath, changed(form, "password", passphrase)); got.StatusCode {
			case http.StatusSeeOther:
				joined.Add(1)
			case http.StatusForbidden:
			default:
				t.Errorf("%d %s", got.StatusCode, got.text)
			}
		})
	}
	all.Wait()
	if joined.Load() != 1 {
		t.Errorf("%d have joined, want 1", joined.Load())
	}
}

// TestOwner: the first account is made by the owner's link, and by that no other.
func TestOwner(t *testing.T) {
	b := newBench(t)
	b.remove(somebody)
	link, unused := b.owner(), b.owner()
	w := b.any()
	w.get(link).want(t, http.StatusOK, "Make the first account")
	w.send(link, "email", "captain", "password", passphrase).want(t, http.StatusUnprocessableEntity, noAddress)
	w.send(link, "email", "Captain@example.org", "password", passphrase).wantOn(t, appsPath)
	if a, err := b.store.AccountByEmail(t.Context(), "captain@example.org"); err != nil || a.Plan != "pro" {
		t.Errorf("the account is %+v, %v, want one on pro", a, err)
	}
	w.get(link).want(t, http.StatusForbidden, "no good any more")
	w.get(unused).want(t, http.StatusForbidden, "no good any more")
}

// TestClosed: with closed sign-up no account is made, not even by invitation,
// and links for passwords hold.
func TestClosed(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Signup = Closed })
	owner, invite := b.owner(), b.joinLink("mate@example.org", "pro")
	w := b.any()
	for _, link := range []string{joinPath, owner, invite} {
		w.get(link).want(t, http.StatusForbidden, "")
	}
	mate := b.join("mate@example.org", "free")
	w.send(b.reset(mate), "password", "another password").wantOn(t, appsPath)
}

// TestOpen: where anybody may join, an address may do so 5 times, and with a
// provider one joins there.
func TestOpen(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Signup = Open })
	b.join("mate@example.org", "free")
	for n := range joinBurst {
		w := b.any()
		w.send(joinPath, "email", "mate@example.org", "password", "short").want(t, http.StatusUnprocessableEntity, "15 characters")
		if n > 0 {
			w.send(joinPath, "email", string(rune('a'+n))+"@example.org", "password", passphrase).wantOn(t, appsPath)
			continue
		}
		w.send(joinPath, "email", "mate@example.org", "password", passphrase).want(t, http.StatusUnprocessableEntity, addressTaken)
	}
	w := b.any()
	got := w.send(joinPath, "email", "z@example.org", "password", passphrase)
	got.want(t, http.StatusTooManyRequests, "tried too often")
	if got.Header.Get("Retry-After") != "600" {
		t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
	}
	w.send(b.joinLink("z@example.org", "free"), "password", passphrase).wantOn(t, appsPath)
	if a, err := b.store.AccountByEmail(t.Context(), "b@example.org"); err != nil || a.Plan != "free" {
		t.Errorf("the account is %+v, %v, want one on free", a, err)
	}
}

// TestOpenWithProvider: who comes uninvited has no password.
func TestOpenWithProvider(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Signup, c.Provider = Open, &ProviderConfig{Issuer: "https://id.example.org/realm"}
	})
	b.join("mate@example.org", "free")
	w := b.any()
	got := w.get(joinPath)
	got.want(t, http.StatusOK, "id.example.org")
	if strings.Contains(got.text, `type="password"`) {
		t.Errorf("there is a field for a password:\n%s", got.text)
	}
	w.send(joinPath, "email", "cook@example.org", "password", passphrase).want(t, http.StatusUnprocessableEntity, "An account is made at id.example.org.")
	w.send(b.joinLink("cook@example.org", "free"), "password", passphrase).wantOn(t, appsPath)
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
}

// TestReset: a link gives an account a password, once, ends its sessions, and
// signs in.
func TestReset(t *testing.T) {
	b := newBench(t)
	mate := b.join("mate@example.org", "free")
	old, w := b.any(), b.any()
	old.try("mate@example.org", passphrase)
	link := b.reset(mate)
	w.get(strings.Replace(link, passwordPath, joinPath, 1)).want(t, http.StatusForbidden, "no good any more")
	w.get(link).want(t, http.StatusOK, "mate@example.org")
	w.send(link, "password", "short").want(t, http.StatusUnprocessableEntity, "15 characters")
	if !old.isIn() {
		t.Error("a password that was not set has ended a session")
	}
	w.send(link, "password", "another password").wantOn(t, appsPath)
	if !w.isIn() || old.isIn() {
		t.Error("want the one signed in who has set the password, and nobody else")
	}
	w.get(link).want(t, http.StatusForbidden, "no good any more")
	b.any().try("mate@example.org", passphrase).want(t, http.StatusUnprocessableEntity, wrongSignIn)
	b.any().try("mate@example.org", "another password").wantOn(t, appsPath)
	if err := b.store.AddAccount(t.Context(), store.Account{ID: "keyed", Email: "keyed@example.org", Plan: "free"}); err != nil {
		t.Fatal(err)
	}
	late := b.reset(store.Account{ID: "keyed"})
	b.pass(LinkLife)
	w.get(late).want(t, http.StatusForbidden, "no good any more")
}

// TestResetLinksEndTogether: of the links that give an account a password the
// first that is used ends the others.
func TestResetLinksEndTogether(t *testing.T) {
	b := newBench(t)
	mate := b.join("mate@example.org", "free")
	links := Links{Store: b.store, Base: b.c.Base, Now: b.clock}
	var all []string
	for range 2 {
		link, err := links.Reset(t.Context(), mate)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, link)
	}
	b.any().send(all[0], "password", "another tide at another moon").wantOn(t, appsPath)
	b.any().get(all[1]).want(t, http.StatusForbidden, "no good any more")
	b.any().try("mate@example.org", "another tide at another moon").wantOn(t, appsPath)
}

// TestOwnersLinksTogether: of two who have links for the first account one gets
// it.
func TestOwnersLinksTogether(t *testing.T) {
	b := newBench(t)
	b.remove(somebody)
	links := Links{Store: b.store, Base: b.c.Base, Now: b.clock}
	var forms []url.Values
	var browsers []*browser
	for n := range 4 {
		link, err := links.Owner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := b.any()
		browsers = append(browsers, w)
		forms = append(forms, changed(w.get(link).inputs(t), "email", fmt.Sprintf("owner%d@example.org", n), "password", passphrase))
	}
	var all sync.WaitGroup
	for n, w := range browsers {
		all.Go(func() { w.post(joinPath, forms[n]) })
	}
	all.Wait()
	if accounts, err := b.store.Accounts(t.Context()); err != nil || len(accounts) != 1 {
		t.Errorf("there are %v, %v, want one", accounts, err)
	}
}

// TestCase39TicketsAreNotGuessed: the ticket of a link has 256 random bits, so
// that guessing needs no other limit. Guesses spend no link and are not written
// down.
func TestCase39TicketsAreNotGuessed(t *testing.T) {
	b := newBench(t)
	mate := b.join("mate@example.org", "free")
	invite, reset := b.joinLink("cook@example.org", "free"), b.reset(mate)
	w := b.any()
	forms := map[string]url.Values{joinPath: w.get(invite).inputs(t), passwordPath: w.get(reset).inputs(t)}
	var guesses []string
	for range 64 {
		guess := access.NewSecret(ticketPrefix)
		for path, form := range forms {
			w.get(path+"?ticket="+guess).want(t, http.StatusForbidden, "no good any more")
			w.post(path, changed(form, "ticket", guess, "password", "another password")).want(t, http.StatusForbidden, "no good any more")
		}
		guesses = append(guesses, guess)
	}
	for _, link := range []string{invite, reset} {
		_, ticket, _ := strings.Cut(link, ticketPrefix)
		if len(ticket) != 43 {
			t.Errorf("a ticket has %d characters, want the 43 of 256 bits", len(ticket))
		}
		guesses = append(guesses, ticket)
	}
	b.any().try("mate@example.org", passphrase).wantOn(t, appsPath)
	b.any().send(invite, "password", passphrase).wantOn(t, appsPath)
	b.any().send(reset, "password", "another password").wantOn(t, appsPath)
	for _, guess := range guesses {
		if strings.Contains(b.log.String(), guess) {
			t.Errorf("the log holds %s:\n%s", guess, b.log)
		}
	}
}
