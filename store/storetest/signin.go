package storetest

import (
	"errors"
	"sync/atomic"
	"time"

	"leadline/store"
)

// isTicket notes where a ticket is not stored so.
func (t *trial) isTicket(want store.Ticket) {
	t.Helper()
	got, err := t.Ticket(t.Context(), want.Hash)
	t.ok(err)
	t.same("Ticket", got, want)
}

// noTicket notes where ticket n is there.
func (t *trial) noTicket(n int) {
	t.Helper()
	_, err := t.Ticket(t.Context(), hash(n))
	t.fails("Ticket", err, store.ErrNotFound)
}

// password notes where not this is kept of the password of account n, "" for
// nothing.
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

// isIdentity notes where an identity is not its account's.
func (t *trial) isIdentity(want store.Identity) {
	t.Helper()
	got, err := t.AccountByIdentity(t.Context(), want.Issuer, want.Subject)
	t.ok(err)
	t.same("account of an identity", got.ID, want.Account)
}

// noIdentity notes where an identity is an account's.
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

// ticketTogether holds that of many who take a ticket one gets it.
func ticketTogether(t *trial) {
	t.ok(t.AddTicket(t.Context(), aTicket(1)))
	var got atomic.Int32
	together(crowd, func(int) {
		switch ticket, err := t.TakeTicket(t.Context(), hash(1)); {
		case err == nil:
			got.Add(1)
			t.same("TakeTicket", ticket, aTicket(1))
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("TakeTicket: got error %v, want %v", err, store.ErrNotFound)
		}
	})
	t.same("how many got it", got.Load(), int32(1))
	t.noTicket(1)
}

// join holds that each way to join makes all that it says and no more.
func join(t *trial) {
	ctx := t.Context()
	whole, password, identity, bare := aJoining(0, 1), aJoining(1, 2), aJoining(2, 3), aJoining(3, 4)
	password.Identity, password.Ticket = nil, nil
	identity.Password = ""
	bare.Password, bare.Identity, bare.Ticket = "", nil, nil
	whole.First = true // which it is
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

// joinRefused holds that a joining is done whole or not at all.
func joinRefused(t *trial) {
	Fill(t.T, t)
	before := Dump(t.T, t)
	sameID, sameEmail, sameIdentity, noTicket, spent, first := aJoining(5, 1), aJoining(5, 1), aJoining(5, 1), aJoining(5, 7), aJoining(0, 7), aJoining(5, 1)
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
		{"no ticket, and all is taken", spent, store.ErrNotFound},
		{"accounts before the first", first, store.ErrNotFound},
	} {
		t.fails("Join with "+c.what, t.Join(t.Context(), c.j), c.want)
		t.unchanged(c.what, before)
	}
	t.ok(t.Join(t.Context(), aJoining(5, 1))) // whose parts are all free still
	t.password(5, aPassword(0, 5))
	t.isIdentity(anIdentity(5, 5))
}

// joinTogether holds that a ticket, and an address, are good for one account.
func joinTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddTicket(ctx, aTicket(1)))
	var spent, taken atomic.Int32
	together(crowd, func(i int) {
		switch err := t.Join(ctx, aJoining(100+i, 1)); {
		case err == nil:
			spent.Add(1)
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("Join by one ticket: got error %v, want %v", err, store.ErrNotFound)
		}
	})
	together(crowd, func(i int) {
		j := aJoining(200+i, 1)
		j.Ticket, j.Account.Email = nil, "one@example.org"
		switch err := t.Join(ctx, j); {
		case err == nil:
			taken.Add(1)
		case !errors.Is(err, store.ErrExists):
			t.Errorf("Join with one address: got error %v, want %v", err, store.ErrExists)
		}
	})
	t.same("accounts by one ticket", spent.Load(), int32(1))
	t.same("accounts of one address", taken.Load(), int32(1))
	list, err := t.Accounts(ctx)
	t.ok(err)
	t.same("accounts", len(list), 2)
}

func setPassword(t *trial) {
	Fill(t.T, t)
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
	t.password(2, "") // of nobody
}

// setPasswordRefused holds that a password is set whole or not at all.
func setPasswordRefused(t *trial) {
	Fill(t.T, t)
	before := Dump(t.T, t)
	ctx := t.Context()
	t.fails("SetPassword of nobody", t.SetPassword(ctx, accountID(5), "kept", new(hash(1))), store.ErrNotFound)
	t.unchanged("a password of nobody", before)
	t.fails("SetPassword without the ticket", t.SetPassword(ctx, accountID(0), "kept", new(hash(7))), store.ErrNotFound)
	t.unchanged("a password without the ticket", before)
	var got atomic.Int32
	together(crowd, func(i int) {
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
	want := []store.Identity{ // which differ in one thing each
		{Issuer: "https://a.example", Subject: "b", Account: accountID(0)},
		{Issuer: "https://a.example", Subject: "B", Account: accountID(1)},
		{Issuer: "https://a.example/", Subject: "b", Account: accountID(1)},
		{Issuer: "https://a.exampleb", Subject: "c", Account: accountID(0)},
		{Issuer: "https://a.example", Subject: "bc", Account: accountID(2)},
	}
	for _, i := range want {
		t.ok(t.AddIdentity(ctx, i))
	}
	before := Dump(t.T, t)
	for n := range 2 {
		again := want[0]
		again.Account = accountID(n)
		t.fails("AddIdentity of one that is taken", t.AddIdentity(ctx, again), store.ErrExists)
	}
	t.fails("AddIdentity of another person", t.AddIdentity(ctx, store.Identity{Issuer: "https://a.example", Subject: "else", Account: accountID(0)}), store.ErrExists)
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

// sweepTickets holds that a ticket ends at its second.
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

// ends are moments about noon: the first two are before, the third is it.
var ends = []time.Time{noon.AddDate(-1, 0, 0), noon.Add(-time.Second), noon, noon.Add(time.Second), noon.AddDate(1, 0, 0), {}}

// sweptAtNoon sweeps about noon and holds that what ends then goes when it has.
func (t *trial) sweptAtNoon(find func(n int) error) {
	t.Helper()
	left := func(when string, first int) {
		t.Helper()
		for n := range ends {
			var want error
			if n < first {
				want = store.ErrNotFound
			}
			t.fails(when, find(n), want)
		}
	}
	t.ok(t.Sweep(t.Context(), noon.Add(-time.Nanosecond)))
	left("before noon", 2)
	t.ok(t.Sweep(t.Context(), noon.Add(999*time.Millisecond).In(time.FixedZone("", -5*3600))))
	for range 2 {
		left("at noon", 3)
		t.reopen()
	}
}
