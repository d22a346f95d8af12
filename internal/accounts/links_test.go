package accounts

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"leadline/internal/access/credential"
	"leadline/store"
)

// ticketOf returns the ticket of a link.
func ticketOf(t *testing.T, l Link) string {
	t.Helper()
	u, err := url.Parse(l.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("ticket")
}

// linkTo calls f, which must return a link, and returns the link's ticket.
func linkTo(t *testing.T, l Link, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return ticketOf(t, l)
}

func (b *bench) invite(email, plan string) string {
	b.Helper()
	l, err := b.InvitationLink(b.Context(), NewAccount{email, plan})
	return linkTo(b.T, l, err)
}

func (b *bench) reset(email string) string {
	b.Helper()
	l, err := b.ResetLink(b.Context(), email)
	return linkTo(b.T, l, err)
}

// owner returns the ticket of a link for the first account.
func (b *bench) owner() string {
	b.Helper()
	l, ok, err := b.OwnerLink(b.Context())
	if !ok {
		b.Fatal("no owner's link")
	}
	return linkTo(b.T, l, err)
}

// want checks the error of an operation that uses a link.
func want(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// TestLinks checks the paths of links, their fields and how they are stored.
func TestLinks(t *testing.T) {
	b := newBench(t)
	owner, ok, err := b.OwnerLink(t.Context())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	mate := b.create("mate@example.org")
	reset, err := b.ResetLink(t.Context(), "Mate@example.org")
	if err != nil {
		t.Fatal(err)
	}
	invite, err := b.InvitationLink(t.Context(), NewAccount{"Cook@example.org", "pro"})
	if err != nil {
		t.Fatal(err)
	}
	ends := b.time.Add(LinkLife)
	for _, test := range []struct {
		link        Link
		path        string
		want        Link
		kind, holds string
	}{
		{owner, "/oauth/join", Link{Plan: "pro", ExpiresAt: ends}, "owner", `{"plan":"pro"}`},
		{reset, "/oauth/password",
			Link{Email: "mate@example.org", Plan: "free", ExpiresAt: ends}, "reset",
			`{"account":"` + mate.ID + `","instead":"e3b0c44298fc1c14"}`}, // SHA-256 of empty text
		{invite, "/oauth/join", Link{Email: "cook@example.org", Plan: "pro", ExpiresAt: ends}, "invite",
			`{"email":"cook@example.org","plan":"pro"}`},
	} {
		form := "^" + regexp.QuoteMeta(b.base+test.path) + `\?ticket=ldt_[A-Za-z0-9_-]{43}$`
		if !regexp.MustCompile(form).MatchString(test.link.URL) {
			t.Errorf("the link is %s, want %s", test.link.URL, form)
		}
		stored, err := b.store.Ticket(t.Context(), credential.HashSecret(ticketOf(t, test.link)))
		if err != nil || stored.Kind != test.kind || string(stored.Data) != test.holds ||
			!stored.Expires.Equal(ends) {
			t.Errorf("%s %s until %v is stored, %v", stored.Kind, stored.Data, stored.Expires, err)
		}
		if test.link.URL = ""; test.link != test.want {
			t.Errorf("the link says %+v, want %+v", test.link, test.want)
		}
	}
}

// TestLinkRefusals checks that no link is created that could not be used.
func TestLinkRefusals(t *testing.T) {
	b := newBench(t)
	b.create("mate@example.org")
	closed := newBench(t, func(c *Config) { c.Signup = Closed })
	closed.create("mate@example.org")
	plain := newBench(t)
	plain.base = "http://tides.example.org"
	plain.create("mate@example.org")
	nowhere := newBench(t, func(c *Config) {
		c.Base = func() (string, error) { return "", errors.New("no port") }
	})
	nowhere.create("mate@example.org")
	for _, test := range []struct {
		b           *bench
		email, plan string
		says        string // error for an invitation
		reset       string // error for a reset link, "" for none
	}{
		{b, "mate@example.org", "", "exists already; leadline accounts reset", ""},
		{b, "mate", "", `invalid account "mate"`, `invalid account "mate"`},
		{b, "cook@example.org", "gold", `invalid plan "gold": must be one of free, pro`, "no account"},
		{closed, "cook@example.org", "", "signup is closed", "no account cook@example.org"},
		{closed, "mate@example.org", "", "signup is closed", ""},
		{plain, "cook@example.org", "", "nobody can sign in at http://tides", "no account"},
		{plain, "mate@example.org", "", "exists already", "nobody can sign in at http://tides"},
		{nowhere, "cook@example.org", "", "no port", "no account"},
		{nowhere, "mate@example.org", "", "exists already", "no port"},
	} {
		l, err := test.b.InvitationLink(t.Context(), NewAccount{test.email, test.plan})
		if err == nil || !strings.Contains(err.Error(), test.says) || l != (Link{}) {
			t.Errorf("InvitationLink(%s, %s) = %v, %v, want %q", test.email, test.plan, l, err, test.says)
		}
		l, err = test.b.ResetLink(t.Context(), test.email)
		if (err == nil) != (test.reset == "") ||
			err != nil && !strings.Contains(err.Error(), test.reset) {
			t.Errorf("ResetLink(%s) = %v, %v, want %q", test.email, l, err, test.reset)
		}
	}
}

func TestCanSignIn(t *testing.T) {
	for base, want := range map[string]bool{
		"https://tides.example.org": true, "http://127.0.0.1:8080": true, "http://localhost": true,
		"http://[::1]:80": true, "http://tides.example.org": false, "ftp://localhost": false,
		"": false, "http://%": false,
	} {
		if got := CanSignIn(base); got != want {
			t.Errorf("CanSignIn(%q) = %v, want %v", base, got, want)
		}
	}
}

// TestInvitation checks that an invitation creates one account, with the invited address.
func TestInvitation(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	ticket := b.invite("mate@example.org", "pro")
	i, err := b.Invitation(ctx, ticket)
	if err != nil || i.Email != "mate@example.org" || i.Plan != "pro" || i.Owner || !i.Linked() {
		t.Fatalf("Invitation = %+v, %v", i, err)
	}
	_, err = b.ResetAccount(ctx, ticket)
	want(t, err, ErrLink)
	_, err = b.Join(ctx, i, Person{Email: "cook@example.org", Password: "hash"})
	want(t, err, ErrLink)
	a, err := b.Join(ctx, i, Person{Email: "mate@example.org", Password: "hash"})
	if err != nil || a.Plan != "pro" || len(a.ID) != 36 || !a.Created.Equal(b.time) {
		t.Errorf("Join = %+v, %v", a, err)
	}
	if stored, err := b.store.Password(ctx, a.ID); err != nil || stored != "hash" {
		t.Errorf("the password hash is %q, %v", stored, err)
	}
	_, err = b.Join(ctx, i, Person{Email: "mate@example.org", Password: "hash"})
	want(t, err, ErrLink)
	_, err = b.Invitation(ctx, ticket)
	want(t, err, ErrLink)
	old := b.invite("cook@example.org", "")
	b.time = b.time.Add(LinkLife)
	for _, ticket := range []string{old, "", "ldt_x"} {
		_, err = b.Invitation(ctx, ticket)
		want(t, err, ErrLink)
	}
}

// TestJoinAtOnce checks that one of many concurrent uses of an invitation succeeds.
func TestJoinAtOnce(t *testing.T) {
	b := newBench(t)
	i, err := b.Invitation(t.Context(), b.invite("mate@example.org", "pro"))
	if err != nil {
		t.Fatal(err)
	}
	var joined atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := b.Join(t.Context(), i, Person{Email: "mate@example.org"})
			if err == nil {
				joined.Add(1)
			} else {
				want(t, err, ErrLink)
			}
		})
	}
	all.Wait()
	if joined.Load() != 1 {
		t.Errorf("%d joined, want 1", joined.Load())
	}
}

// TestOwnerLinks checks that only one of many owner links creates the first account.
func TestOwnerLinks(t *testing.T) {
	b := newBench(t)
	tickets := []string{b.owner(), b.owner(), b.owner()}
	i, err := b.Invitation(t.Context(), tickets[0])
	if err != nil || !i.Owner || i.Email != "" || i.Plan != "pro" {
		t.Fatalf("Invitation = %+v, %v", i, err)
	}
	var joined atomic.Int64
	var all sync.WaitGroup
	// All links are read before the first is used, which invalidates the others.
	var links []Invitation
	for _, ticket := range tickets {
		i, err := b.Invitation(t.Context(), ticket)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, i)
	}
	for n, i := range links {
		all.Go(func() {
			_, err := b.Join(t.Context(), i, Person{Email: fmt.Sprintf("owner%d@example.org", n)})
			if err == nil {
				joined.Add(1)
			} else {
				want(t, err, ErrLink)
			}
		})
	}
	all.Wait()
	if joined.Load() != 1 {
		t.Errorf("%d joined, want 1", joined.Load())
	}
	if _, ok, err := b.OwnerLink(t.Context()); ok || err != nil {
		t.Errorf("OwnerLink = %v, %v after the first account, want none", ok, err)
	}
	for _, ticket := range tickets {
		_, err := b.Invitation(t.Context(), ticket)
		want(t, err, ErrLink)
	}
}

// TestSignup checks who may join with and without a link.
func TestSignup(t *testing.T) {
	open := newBench(t, func(c *Config) { c.Signup = Open })
	i, err := open.Invitation(t.Context(), "")
	if err != nil || i != (Invitation{Plan: "free"}) || i.Linked() {
		t.Fatalf("Invitation = %+v, %v, want one for anybody", i, err)
	}
	id := &store.Identity{Issuer: "https://id.example.org", Subject: "4711"}
	if _, err := open.Join(t.Context(), i, Person{Email: "a@example.org", Identity: id}); err != nil {
		t.Error(err)
	}
	for _, p := range []Person{{Email: "a@example.org"}, {Email: "b@example.org", Identity: id}} {
		_, err := open.Join(t.Context(), i, p)
		want(t, err, store.ErrExists)
	}
	invite := open.invite("c@example.org", "pro")
	changed := open.c
	changed.Signup = Closed
	_, err = New(changed).Invitation(t.Context(), invite)
	want(t, err, ErrLink)
	closed := newBench(t, func(c *Config) { c.Signup = Closed })
	if _, ok, err := closed.OwnerLink(t.Context()); ok || err != nil {
		t.Errorf("OwnerLink = %v, %v with signup closed, want none", ok, err)
	}
}

// TestReset checks that a link sets a password once, and that the first use of one of several
// links invalidates the others.
func TestReset(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	mate := b.create("mate@example.org")
	cook := b.create("cook@example.org")
	first, second, other := b.reset(mate.Email), b.reset(mate.Email), b.reset(cook.Email)
	_, err := b.Invitation(ctx, first)
	want(t, err, ErrLink)
	if a, err := b.ResetAccount(ctx, first); err != nil || a != mate {
		t.Errorf("ResetAccount = %+v, %v, want %+v", a, err, mate)
	}
	if got, err := b.WithoutPassword(ctx); err != nil || got != "cook@example.org" {
		t.Errorf("WithoutPassword = %q, %v, want the first account", got, err)
	}
	if err := b.ResetPassword(ctx, first, mate.ID, "hash"); err != nil {
		t.Error(err)
	}
	if got, err := b.WithoutPassword(ctx); err != nil || got != "" {
		t.Errorf("WithoutPassword = %q, %v, want none", got, err)
	}
	want(t, b.ResetPassword(ctx, first, mate.ID, "other"), ErrLink)
	for _, ticket := range []string{first, second} {
		_, err := b.ResetAccount(ctx, ticket)
		want(t, err, ErrLink)
	}
	if _, err := b.Remove(ctx, cook.Email); err != nil {
		t.Fatal(err)
	}
	_, err = b.ResetAccount(ctx, other)
	want(t, err, ErrLink)
	late := b.reset(mate.Email)
	b.time = b.time.Add(LinkLife)
	_, err = b.ResetAccount(ctx, late)
	want(t, err, ErrLink)
}
