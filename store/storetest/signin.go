package storetest

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"leadline/store"
)

// isTicket checks that a ticket is stored unchanged.
func (t *trial) isTicket(want store.Ticket) {
	t.Helper()
	got, err := t.Ticket(t.Context(), want.Hash)
	t.ok(err)
	t.same("Ticket", got, want)
}

// noTicket checks that ticket n does not exist.
func (t *trial) noTicket(n int) {
	t.Helper()
	_, err := t.Ticket(t.Context(), hash(n))
	t.fails("Ticket", err, store.ErrNotFound)
}

// password checks the stored password hash of account n; "" means that there is none.
func (t *trial) password(n int, want string) {
	t.Helper()
	got, err := t.Password(t.Context(), accountID(n))
	if want == "" {
		t.fails("Password", err, store.ErrNotFound)
		return
	}
	t.ok(err)
	t.same("Password", got, want)
}

// isIdentity checks that an identity belongs to its account.
func (t *trial) isIdentity(want store.Identity) {
	t.Helper()
	got, err := t.AccountByIdentity(t.Context(), want.Issuer, want.Subject)
	t.ok(err)
	t.same("account of an identity", got.ID, want.Account)
}

// noIdentity checks that an identity belongs to no account.
func (t *trial) noIdentity(i store.Identity) {
	t.Helper()
	_, err := t.AccountByIdentity(t.Context(), i.Issuer, i.Subject)
	t.fails("AccountByIdentity", err, store.ErrNotFound)
}

func tickets(t *trial) {
	ctx := t.Context()
	ended, bare := aTicket(2), store.Ticket{Hash: hash(3)}
	ended.Expires = noon.AddDate(-10, 0, 0)
	want := []store.Ticket{aTicket(1), ended, bare}
	for _, ticket := range want {
		t.ok(t.AddTicket(ctx, ticket))
	}
	t.fails("AddTicket once more", t.AddTicket(ctx, store.Ticket{Hash: hash(1)}), store.ErrExists)
	for range 2 {
		for _, ticket := range want {
			t.isTicket(ticket)
		}
		t.noTicket(4)
		t.reopen()
	}
	for n, ticket := range want {
		got, err := t.TakeTicket(ctx, ticket.Hash)
		t.ok(err)
		t.same("TakeTicket", got, ticket)
		for range 2 {
			_, err = t.TakeTicket(ctx, ticket.Hash)
			t.fails("TakeTicket once more", err, store.ErrNotFound)
			t.noTicket(n + 1)
			t.reopen()
		}
	}
	t.ok(t.AddTicket(ctx, aTicket(1)))
	t.isTicket(aTicket(1))
}

// ticketTogether checks that only one of many callers can take a ticket.
func ticketTogether(t *trial) {
	t.ok(t.AddTicket(t.Context(), aTicket(1)))
	var got atomic.Int32
	together(callers(), func(int) {
		switch ticket, err := t.TakeTicket(t.Context(), hash(1)); {
		case err == nil:
			got.Add(1)
			t.same("TakeTicket", ticket, aTicket(1))
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("TakeTicket: got error %v, want %v", err, store.ErrNotFound)
		}
	})
	t.same("callers that got the ticket", got.Load(), int32(1))
	t.noTicket(1)
}

// join checks that each kind of joining creates exactly its records.
func join(t *trial) {
	ctx := t.Context()
	whole, password, identity, bare := aJoining(0, 1), aJoining(1, 2), aJoining(2, 3), aJoining(3, 4)
	password.Identity, password.Ticket = nil, nil
	identity.Password = ""
	bare.Password, bare.Identity, bare.Ticket = "", nil, nil
	whole.First = true // the store has no accounts yet
	for n := 1; n < 6; n++ {
		t.ok(t.AddTicket(ctx, aTicket(n)))
	}
	for _, j := range []store.Joining{whole, password, identity, bare} {
		t.ok(t.Join(ctx, j))
	}
	for range 2 {
		for n := range 4 {
			got, err := t.AccountByEmail(ctx, anAccount(n).Email)
			t.ok(err)
			t.same("account", got, anAccount(n))
		}
		t.password(0, whole.Password)
		t.password(1, password.Password)
		t.password(2, "")
		t.password(3, "")
		t.isIdentity(anIdentity(0, 0))
		t.noIdentity(anIdentity(1, 1))
		t.isIdentity(anIdentity(2, 2))
		t.noIdentity(anIdentity(3, 3))
		t.noTicket(1)
		t.isTicket(aTicket(2))
		t.noTicket(3)
		t.isTicket(aTicket(4))
		t.isTicket(aTicket(5))
		t.reopen()
	}
}

// joinRefused checks that a refused joining changes nothing.
func joinRefused(t *trial) {
	t.fill()
	before := t.state()
	sameID, sameEmail := aJoining(5, 1), aJoining(5, 1)
	sameIdentity, first := aJoining(5, 1), aJoining(5, 1)
	noTicket, allTaken := aJoining(5, 7), aJoining(0, 7)
	first.First = true
	sameID.Account.ID = accountID(0)
	sameEmail.Account.Email = anAccount(0).Email
	sameIdentity.Identity = new(anIdentity(10, 5))
	for _, c := range []struct {
		what string
		j    store.Joining
		want error
	}{
		{"an id that is taken", sameID, store.ErrExists},
		{"an address that is taken", sameEmail, store.ErrExists},
		{"an identity that is taken", sameIdentity, store.ErrExists},
		{"no ticket", noTicket, store.ErrNotFound},
		{"no ticket, and all is taken", allTaken, store.ErrNotFound},
		{"accounts before the first", first, store.ErrNotFound},
	} {
		t.fails("Join with "+c.what, t.Join(t.Context(), c.j), c.want)
		t.unchanged(c.what, before)
	}
	t.ok(t.Join(t.Context(), aJoining(5, 1))) // its names must not be taken
	t.password(5, aPassword(0, 5))
	t.isIdentity(anIdentity(5, 5))
}

// joinTogether checks that a ticket, and an address, create one account each.
func joinTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddTicket(ctx, aTicket(1)))
	var byTicket, byEmail atomic.Int32
	together(callers(), func(i int) {
		switch err := t.Join(ctx, aJoining(100+i, 1)); {
		case err == nil:
			byTicket.Add(1)
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("Join by one ticket: got error %v, want %v", err, store.ErrNotFound)
		}
	})
	together(callers(), func(i int) {
		j := aJoining(200+i, 1)
		j.Ticket, j.Account.Email = nil, "one@example.org"
		switch err := t.Join(ctx, j); {
		case err == nil:
			byEmail.Add(1)
		case !errors.Is(err, store.ErrExists):
			t.Errorf("Join with one address: got error %v, want %v", err, store.ErrExists)
		}
	})
	t.same("accounts by one ticket", byTicket.Load(), int32(1))
	t.same("accounts of one address", byEmail.Load(), int32(1))
	list, err := t.Accounts(ctx, "", math.MaxInt)
	t.ok(err)
	t.same("accounts", len(list), 2)
}

func setPassword(t *trial) {
	t.fill()
	ctx := t.Context()
	t.ok(t.SetPassword(ctx, accountID(0), aPassword(1, 0), nil))
	for range 2 {
		t.password(0, aPassword(1, 0))
		t.password(1, aPassword(0, 1))
		for n := range 3 {
			t.noSession(n)
			t.isSession(aSession(10+n, 1))
			t.isTicket(aTicket(n))
			t.isKey(aKey(n, 0))
			t.noIdentity(anIdentity(n, 0))
			t.isIdentity(anIdentity(10+n, 1))
			t.noCode(n)
		}
		mine, err := t.GrantsOf(ctx, accountID(0))
		t.ok(err)
		t.same("grants of the account", len(mine), 0)
		theirs, err := t.GrantsOf(ctx, accountID(1))
		t.ok(err)
		t.same("the other account has grants", len(theirs) > 0, true)
		t.reopen()
	}
	t.ok(t.AddSession(ctx, aSession(0, 0)))
	t.ok(t.SetPassword(ctx, accountID(0), aPassword(2, 0), new(hash(1))))
	t.password(0, aPassword(2, 0))
	t.noTicket(1)
	t.noSession(0)
	t.ok(t.SetPassword(ctx, accountID(0), "", nil))
	t.password(0, "")
	t.password(2, "") // unknown account
}

// setPasswordRefused checks that a refused change of a password changes nothing.
func setPasswordRefused(t *trial) {
	t.fill()
	before := t.state()
	ctx := t.Context()
	err := t.SetPassword(ctx, accountID(5), "hash", new(hash(1)))
	t.fails("SetPassword of nobody", err, store.ErrNotFound)
	t.unchanged("a password of nobody", before)
	err = t.SetPassword(ctx, accountID(0), "hash", new(hash(7)))
	t.fails("SetPassword without the ticket", err, store.ErrNotFound)
	t.unchanged("a password without the ticket", before)
	var got atomic.Int32
	together(callers(), func(i int) {
		switch err := t.SetPassword(ctx, accountID(0), aPassword(i, 0), new(hash(1))); {
		case err == nil:
			got.Add(1)
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("SetPassword by one ticket: got error %v, want %v", err, store.ErrNotFound)
		}
	})
	t.same("passwords by one ticket", got.Load(), int32(1))
}

func identities(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.ok(t.AddAccount(ctx, anAccount(2)))
	want := []store.Identity{ // neighbors differ in one detail
		{Issuer: "https://a.example", Subject: "b", Account: accountID(0)},
		{Issuer: "https://a.example", Subject: "B", Account: accountID(1)},
		{Issuer: "https://a.example/", Subject: "b", Account: accountID(1)},
		{Issuer: "https://a.exampleb", Subject: "c", Account: accountID(0)},
		{Issuer: "https://a.example", Subject: "bc", Account: accountID(2)},
	}
	for _, i := range want {
		t.ok(t.AddIdentity(ctx, i))
	}
	before := t.state()
	for n := range 2 {
		again := want[0]
		again.Account = accountID(n)
		t.fails("AddIdentity of one that is taken", t.AddIdentity(ctx, again), store.ErrExists)
	}
	second := store.Identity{Issuer: "https://a.example", Subject: "else", Account: accountID(0)}
	t.fails("AddIdentity of another person", t.AddIdentity(ctx, second), store.ErrExists)
	t.fails("AddIdentity for nobody", t.AddIdentity(ctx, anIdentity(1, 5)), store.ErrNotFound)
	t.unchanged("identities that were refused", before)
	t.ok(t.SetPlan(ctx, accountID(0), "pro"))
	for range 2 {
		for _, i := range want {
			t.isIdentity(i)
		}
		t.noIdentity(anIdentity(1, 0))
		t.noIdentity(store.Identity{Issuer: "https://a.exampl", Subject: "eb"})
		got, err := t.AccountByIdentity(ctx, want[0].Issuer, want[0].Subject)
		t.ok(err)
		t.same("plan of the account", got.Plan, "pro")
		t.reopen()
	}
}

// identitiesOf checks that the identities of an account are listed in order of their issuers.
func identitiesOf(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	want := []store.Identity{
		{Issuer: "https://a.example", Subject: "z", Account: accountID(0)},
		{Issuer: "https://a.example/", Subject: "y", Account: accountID(0)},
		{Issuer: "https://b.example", Subject: "x", Account: accountID(0)},
	}
	for _, n := range []int{1, 2, 0} {
		t.ok(t.AddIdentity(ctx, want[n]))
	}
	t.ok(t.AddIdentity(ctx, anIdentity(1, 1)))
	for range 2 {
		got, err := t.IdentitiesOf(ctx, accountID(0))
		t.ok(err)
		t.same("IdentitiesOf", got, want)
		got, err = t.IdentitiesOf(ctx, accountID(2))
		t.ok(err)
		t.same("identities of nobody", len(got), 0)
		t.reopen()
	}
}

// removeIdentity checks that an account retains a way to sign in.
func removeIdentity(t *trial) {
	ctx := t.Context()
	for n := range 2 {
		t.ok(t.AddAccount(ctx, anAccount(n)))
		t.ok(t.AddIdentity(ctx, anIdentity(10*n, n)))
		t.ok(t.AddIdentity(ctx, anIdentity(10*n+1, n)))
	}
	t.ok(t.SetPassword(ctx, accountID(1), "", nil)) // removes its identities
	t.ok(t.AddIdentity(ctx, anIdentity(10, 1)))
	before := t.state()
	for what, i := range map[string]store.Identity{
		"that does not exist":   anIdentity(5, 0),
		"of another account":    anIdentity(10, 0),
		"of an unknown account": anIdentity(0, 7),
	} {
		t.fails("RemoveIdentity "+what, t.RemoveIdentity(ctx, i), store.ErrNotFound)
	}
	last := anIdentity(10, 1)
	t.fails("RemoveIdentity of the last one", t.RemoveIdentity(ctx, last), store.ErrConflict)
	t.unchanged("identities that were not removed", before)

	t.ok(t.RemoveIdentity(ctx, anIdentity(0, 0)))
	err := t.RemoveIdentity(ctx, anIdentity(1, 0))
	t.fails("RemoveIdentity of the last one", err, store.ErrConflict)
	for range 2 {
		t.noIdentity(anIdentity(0, 0))
		t.isIdentity(anIdentity(1, 0))
		t.isIdentity(last)
		t.reopen()
	}
	t.ok(t.AddIdentity(ctx, anIdentity(0, 1)))
	t.ok(t.AddAccount(ctx, anAccount(3)))
	t.ok(t.SetPassword(ctx, accountID(3), aPassword(0, 3), nil))
	t.ok(t.AddIdentity(ctx, anIdentity(30, 3)))
	t.ok(t.RemoveIdentity(ctx, anIdentity(30, 3))) // there is a password
	t.noIdentity(anIdentity(30, 3))
}

// removeIdentityTogether checks that of concurrent removals one identity remains.
func removeIdentityTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	for n := range 8 {
		t.ok(t.AddIdentity(ctx, anIdentity(n, 0)))
	}
	var removed atomic.Int32
	together(8, func(n int) {
		switch err := t.RemoveIdentity(ctx, anIdentity(n, 0)); {
		case err == nil:
			removed.Add(1)
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("RemoveIdentity: got error %v, want %v", err, store.ErrConflict)
		}
	})
	t.same("removed identities", removed.Load(), int32(7))
	list, err := t.IdentitiesOf(ctx, accountID(0))
	t.ok(err)
	t.same("identities", len(list), 1)
}

// sweepTickets checks that a ticket is removed at the second of its expiry.
func sweepTickets(t *trial) {
	ctx := t.Context()
	for n, expires := range ends {
		ticket := aTicket(n)
		ticket.Expires = expires
		t.ok(t.AddTicket(ctx, ticket))
	}
	t.sweptAtNoon(func(n int) error { _, err := t.Ticket(ctx, hash(n)); return err })
	t.ok(t.AddTicket(ctx, aTicket(0)))
}

// ends are expiries around noon: the first two are before noon, the third is noon.
var ends = []time.Time{
	noon.AddDate(-1, 0, 0),
	noon.Add(-time.Second),
	noon,
	noon.Add(time.Second),
	noon.AddDate(1, 0, 0),
	{},
}

// sweptAtNoon sweeps around noon and checks that records with the expiries of ends are removed at
// the second of their expiry.
func (t *trial) sweptAtNoon(find func(n int) error) {
	t.Helper()
	remain := func(when string, first int) {
		t.Helper()
		for n := range ends {
			var want error
			if n < first {
				want = store.ErrNotFound
			}
			t.fails(when, find(n), want)
		}
	}
	t.sweep(noon.Add(-time.Nanosecond))
	remain("before noon", 2)
	t.sweep(noon.Add(999 * time.Millisecond).In(time.FixedZone("", -5*3600)))
	for range 2 {
		remain("at noon", 3)
		t.reopen()
	}
}
