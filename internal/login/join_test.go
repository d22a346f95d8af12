package login

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/login/logintest"
	"leadline/store"
)

// TestInvite checks that an invitation creates one account with the invited
// address and plan, and signs the person in.
func TestInvite(t *testing.T) {
	b := newBench(t)
	link := b.InvitationLink("mate@example.org", "pro")
	again := b.InvitationLink("mate@example.org", "pro")
	w := b.Any()
	w.Get(strings.Replace(link, joinPath, passwordPath, 1)).
		Want(t, http.StatusForbidden, "no longer valid")
	w.Get(link).Want(t, http.StatusOK, "mate@example.org")
	w.Send(link, "password", "short").Want(t, http.StatusUnprocessableEntity, "15 characters or more")
	w.Send(link, "password", "mate@example.org").
		Want(t, http.StatusUnprocessableEntity, "cannot be the e-mail address")
	w.Send(link, "email", "other@example.org", "password", logintest.Password).WantTo(t, Home)
	if !b.isIn(w) {
		t.Error("who has joined is not signed in")
	}
	a, err := b.Store.AccountByEmail(t.Context(), "mate@example.org")
	if err != nil || a.Plan != "pro" || len(a.ID) != 36 || !a.Created.Equal(b.Now()) {
		t.Errorf("the account is %+v, %v", a, err)
	}
	w.Get(link).Want(t, http.StatusForbidden, "no longer valid")
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	w.Send(again, "password", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, "There is an account with this address.")
	old := b.InvitationLink("cook@example.org", "free")
	b.Pass(accounts.LinkLife)
	w.Get(old).Want(t, http.StatusForbidden, "no longer valid")
	for _, bad := range []string{joinPath, joinPath + "?ticket=", joinPath + "?ticket=ldt_x",
		strings.Replace(old, joinPath, passwordPath, 1), passwordPath} {
		w.Get(bad).Want(t, http.StatusForbidden, "")
	}
}

// TestInviteAtOnce checks that one of many concurrent uses of an invitation
// creates the account.
func TestInviteAtOnce(t *testing.T) {
	b := newBench(t)
	link := b.InvitationLink("mate@example.org", "pro")
	var joined atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		w := b.Any()
		form := w.Get(link).Inputs(t)
		all.Go(func() {
			switch got := w.Post(joinPath,
				logintest.Changed(form, "password", logintest.Password)); got.StatusCode {
			case http.StatusSeeOther:
				joined.Add(1)
			case http.StatusForbidden:
			default:
				t.Errorf("%d %s", got.StatusCode, got.Text)
			}
		})
	}
	all.Wait()
	if joined.Load() != 1 {
		t.Errorf("%d have joined, want 1", joined.Load())
	}
}

// TestOwner checks that the owner link creates the first account, and no other.
func TestOwner(t *testing.T) {
	b := newBench(t)
	b.Remove(logintest.Somebody)
	link, unused := b.OwnerLink(), b.OwnerLink()
	w := b.Any()
	w.Get(link).Want(t, http.StatusOK, "Create the first account")
	w.Send(link, "email", "captain", "password", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, "That is not an e-mail address")
	w.Send(link, "email", "Captain@example.org", "password", logintest.Password).WantTo(t, Home)
	if a, err := b.Store.AccountByEmail(t.Context(), "captain@example.org"); err != nil ||
		a.Plan != "pro" {
		t.Errorf("the account is %+v, %v, want one on pro", a, err)
	}
	w.Get(link).Want(t, http.StatusForbidden, "no longer valid")
	w.Get(unused).Want(t, http.StatusForbidden, "no longer valid")
}

// TestClosed checks that no account can be created while signup is closed, not
// even with an invitation. Links that set a password must still work.
func TestClosed(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Signup = accounts.Closed })
	b.Remove(logintest.Somebody)
	owner, invite := b.OwnerLink(), b.InvitationLink("mate@example.org", "pro")
	w := b.Any()
	for _, link := range []string{joinPath, owner, invite} {
		w.Get(link).Want(t, http.StatusForbidden, "")
	}
	mate := b.Join("mate@example.org", "free")
	w.Send(b.ResetLink(mate.Email), "password", "another password").WantTo(t, Home)
}

// TestOpen checks that at most 5 accounts may be created from one address while
// signup is open.
func TestOpen(t *testing.T) {
	b := newBench(t, func(c *setup) { c.Signup = accounts.Open })
	b.Join("mate@example.org", "free")
	for n := range joinBurst {
		w := b.Any()
		w.Send(joinPath, "email", "mate@example.org", "password", "short").
			Want(t, http.StatusUnprocessableEntity, "15 characters")
		if n > 0 {
			w.Send(joinPath, "email", string(rune('a'+n))+"@example.org", "password", logintest.Password).
				WantTo(t, Home)
			continue
		}
		w.Send(joinPath, "email", "mate@example.org", "password", logintest.Password).
			Want(t, http.StatusUnprocessableEntity, "There is an account with this address.")
	}
	w := b.Any()
	got := w.Send(joinPath, "email", "z@example.org", "password", logintest.Password)
	got.Want(t, http.StatusTooManyRequests, "tried too often")
	if got.Header.Get("Retry-After") != "600" {
		t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
	}
	w.Send(b.InvitationLink("z@example.org", "free"), "password", logintest.Password).WantTo(t, Home)
	if a, err := b.Store.AccountByEmail(t.Context(), "b@example.org"); err != nil || a.Plan != "free" {
		t.Errorf("the account is %+v, %v, want one on free", a, err)
	}
}

// TestOpenWithProvider checks that people without an invitation join at the
// provider, without a password.
func TestOpenWithProvider(t *testing.T) {
	b := newBench(t, func(c *setup) {
		c.Signup, c.Provider = accounts.Open, &Provider{Issuer: "https://id.example.org/realm"}
	})
	b.Join("mate@example.org", "free")
	w := b.Any()
	got := w.Get(joinPath)
	got.Want(t, http.StatusOK, "id.example.org")
	if strings.Contains(got.Text, `type="password"`) {
		t.Errorf("there is a field for a password:\n%s", got.Text)
	}
	w.Send(joinPath, "email", "cook@example.org", "password", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, "Accounts are created at id.example.org.")
	w.Send(b.InvitationLink("cook@example.org", "free"), "password", logintest.Password).
		WantTo(t, Home)
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
}

// TestReset checks that a link sets a password once, ends the account's
// sessions, and signs the person in.
func TestReset(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	old, w := b.Any(), b.Any()
	old.SignIn("mate@example.org", logintest.Password)
	link := b.ResetLink(mate.Email)
	w.Get(strings.Replace(link, passwordPath, joinPath, 1)).
		Want(t, http.StatusForbidden, "no longer valid")
	w.Get(link).Want(t, http.StatusOK, "mate@example.org")
	w.Send(link, "password", "short").Want(t, http.StatusUnprocessableEntity, "15 characters")
	if !b.isIn(old) {
		t.Error("a password that was not set has ended a session")
	}
	w.Send(link, "password", "another password").WantTo(t, Home)
	if !b.isIn(w) || b.isIn(old) {
		t.Error("want the one signed in who has set the password, and nobody else")
	}
	w.Get(link).Want(t, http.StatusForbidden, "no longer valid")
	b.Any().SignIn("mate@example.org", logintest.Password).
		Want(t, http.StatusUnprocessableEntity, errWrong.Text)
	b.Any().SignIn("mate@example.org", "another password").WantTo(t, Home)
	if err := b.Store.AddAccount(t.Context(),
		store.Account{ID: "keyed", Email: "keyed@example.org", Plan: "free"}); err != nil {
		t.Fatal(err)
	}
	late := b.ResetLink("keyed@example.org")
	b.Pass(accounts.LinkLife)
	w.Get(late).Want(t, http.StatusForbidden, "no longer valid")
}

// TestResetLinksEndTogether checks that using one of several reset links of an
// account invalidates the others.
func TestResetLinksEndTogether(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	all := []string{b.ResetLink(mate.Email), b.ResetLink(mate.Email)}
	b.Any().Send(all[0], "password", "another tide at another moon").WantTo(t, Home)
	b.Any().Get(all[1]).Want(t, http.StatusForbidden, "no longer valid")
	b.Any().SignIn("mate@example.org", "another tide at another moon").WantTo(t, Home)
}

// TestOwnersLinksTogether checks that of several concurrent uses of owner links
// one creates the account.
func TestOwnersLinksTogether(t *testing.T) {
	b := newBench(t)
	b.Remove(logintest.Somebody)
	var forms []url.Values
	var browsers []*logintest.Browser
	links := []string{b.OwnerLink(), b.OwnerLink(), b.OwnerLink(), b.OwnerLink()}
	for n, link := range links {
		w := b.Any()
		browsers = append(browsers, w)
		forms = append(forms,
			logintest.Changed(w.Get(link).Inputs(t), "email", fmt.Sprintf("owner%d@example.org", n),
				"password", logintest.Password))
	}
	var all sync.WaitGroup
	for n, w := range browsers {
		all.Go(func() { w.Post(joinPath, forms[n]) })
	}
	all.Wait()
	if accounts, err := b.Store.Accounts(t.Context(), "", 1000); err != nil || len(accounts) != 1 {
		t.Errorf("there are %v, %v, want one", accounts, err)
	}
}

// TestCase39TicketsAreNotGuessed checks that the ticket of a link has 256
// random bits, so that guessing needs no other limit. Guesses must not use up a
// link or be logged.
func TestCase39TicketsAreNotGuessed(t *testing.T) {
	b := newBench(t)
	mate := b.Join("mate@example.org", "free")
	invite, reset := b.InvitationLink("cook@example.org", "free"), b.ResetLink(mate.Email)
	w := b.Any()
	forms := map[string]url.Values{joinPath: w.Get(invite).Inputs(t),
		passwordPath: w.Get(reset).Inputs(t)}
	var guesses []string
	for range 64 {
		guess := credential.NewSecret("ldt_")
		for path, form := range forms {
			w.Get(path+"?ticket="+guess).Want(t, http.StatusForbidden, "no longer valid")
			w.Post(path, logintest.Changed(form, "ticket", guess, "password", "another password")).
				Want(t, http.StatusForbidden, "no longer valid")
		}
		guesses = append(guesses, guess)
	}
	for _, link := range []string{invite, reset} {
		_, ticket, _ := strings.Cut(link, "ldt_")
		if len(ticket) != 43 {
			t.Errorf("a ticket has %d characters, want the 43 of 256 bits", len(ticket))
		}
		guesses = append(guesses, ticket)
	}
	b.Any().SignIn("mate@example.org", logintest.Password).WantTo(t, Home)
	b.Any().Send(invite, "password", logintest.Password).WantTo(t, Home)
	b.Any().Send(reset, "password", "another password").WantTo(t, Home)
	for _, guess := range guesses {
		if strings.Contains(b.Logged.String(), guess) {
			t.Errorf("the log holds %s:\n%s", guess, b.Logged)
		}
	}
}
