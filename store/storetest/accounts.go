package storetest

import (
	"fmt"
	"math"
	"time"

	"leadline/store"
)

func accounts(t *trial) {
	ctx := t.Context()
	list, err := t.Accounts(ctx, "", math.MaxInt)
	t.ok(err)
	t.same("accounts of an empty store", len(list), 0)
	want := anAccount(1)
	t.ok(t.AddAccount(ctx, want))
	for range 2 {
		got, err := t.Account(ctx, want.ID)
		t.ok(err)
		t.same("Account", got, want)
		got, err = t.AccountByEmail(ctx, want.Email)
		t.ok(err)
		t.same("AccountByEmail", got, want)
		list, err := t.Accounts(ctx, "", math.MaxInt)
		t.ok(err)
		t.same("Accounts", list, []store.Account{want})
		_, err = t.Account(ctx, accountID(2))
		t.fails("Account of nobody", err, store.ErrNotFound)
		_, err = t.Account(ctx, want.Email)
		t.fails("Account of an address", err, store.ErrNotFound)
		_, err = t.AccountByEmail(ctx, "nobody@example.org")
		t.fails("AccountByEmail of nobody", err, store.ErrNotFound)
		_, err = t.AccountByEmail(ctx, want.ID)
		t.fails("AccountByEmail of an id", err, store.ErrNotFound)
		t.reopen()
	}
}

func accountTaken(t *trial) {
	t.fill()
	before := t.state()
	sameID := anAccount(7)
	sameID.ID = accountID(0)
	t.fails("AddAccount with an id that is taken", t.AddAccount(t.Context(), sameID), store.ErrExists)
	t.unchanged("an id that is taken", before)
	_, err := t.AccountByEmail(t.Context(), sameID.Email)
	t.fails("the address that came with it", err, store.ErrNotFound)
	sameEmail := anAccount(7)
	sameEmail.Email = anAccount(0).Email
	t.fails(
		"AddAccount with an address that is taken",
		t.AddAccount(t.Context(), sameEmail),
		store.ErrExists,
	)
	t.unchanged("an address that is taken", before)
	_, err = t.Account(t.Context(), sameEmail.ID)
	t.fails("the id that came with it", err, store.ErrNotFound)
	t.fails("AddAccount once more", t.AddAccount(t.Context(), anAccount(0)), store.ErrExists)
}

func accountsInOrder(t *trial) {
	want := []string{
		"a-b@example.org",
		"a.b@example.org",
		"a@example.org",
		"ab@example.org",
		"b@example.org",
		"z@a.example",
		"zoë@example.org",
		"ähm@example.org",
	}
	for i, n := range []int{5, 2, 7, 0, 6, 1, 4, 3} {
		a := anAccount(9 - i)
		a.Email = want[n]
		t.ok(t.AddAccount(t.Context(), a))
	}
	list, err := t.Accounts(t.Context(), "", math.MaxInt)
	t.ok(err)
	var got []string
	for _, a := range list {
		got = append(got, a.Email)
	}
	t.same("addresses in order of their bytes", got, want)
	for _, n := range []int{1, 3, 8, 9} {
		t.same(fmt.Sprint("pages of ", n), t.addresses(n), want)
	}
	for after, rest := range map[string][]string{
		"a.b@example.org": want[2:],
		"a.c@example.org": want[2:], // no address of an account
		want[7]:           nil,
		"\xff":            nil,
	} {
		list, err := t.Accounts(t.Context(), after, len(want))
		t.ok(err)
		t.same("number after "+after, len(list), len(rest))
		for i, a := range list[:min(len(list), len(rest))] {
			t.same("address after "+after, a.Email, rest[i])
		}
	}
}

// addresses returns the addresses of all accounts, read in pages of n.
func (t *trial) addresses(n int) (all []string) {
	t.Helper()
	for after := ""; ; {
		list, err := t.Accounts(t.Context(), after, n)
		t.ok(err)
		for _, a := range list {
			after = a.Email
			all = append(all, a.Email)
		}
		if len(list) > n {
			t.Errorf("Accounts has returned %d accounts, want at most %d", len(list), n)
		}
		if len(list) < n {
			return all
		}
	}
}

// plansInUse checks that accounts are counted by plan, and HasAccounts.
func plansInUse(t *trial) {
	ctx := t.Context()
	check := func(has bool, want map[string]int) {
		t.Helper()
		got, err := t.HasAccounts(ctx)
		t.ok(err)
		t.same("HasAccounts", got, has)
		plans, err := t.PlansInUse(ctx)
		t.ok(err)
		t.same("plans", len(plans), len(want))
		for plan, n := range want {
			t.same("accounts on the plan "+plan, plans[plan], n)
		}
	}
	check(false, nil)
	for n := range 3 {
		t.ok(t.AddAccount(ctx, anAccount(n)))
	}
	check(true, map[string]int{"free": 3})
	t.ok(t.SetPlan(ctx, accountID(1), "pro"))
	for range 2 {
		check(true, map[string]int{"free": 2, "pro": 1})
		t.reopen()
	}
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	t.ok(t.RemoveAccount(ctx, accountID(2)))
	check(true, map[string]int{"pro": 1})
	t.ok(t.RemoveAccount(ctx, accountID(1)))
	check(false, nil)
}

func setPlan(t *trial) {
	t.fill()
	ctx := t.Context()
	t.ok(t.SetPlan(ctx, accountID(1), "pro"))
	want := anAccount(1)
	want.Plan = "pro"
	for range 2 {
		got, err := t.Account(ctx, want.ID)
		t.ok(err)
		t.same("Account", got, want)
		got, err = t.AccountByEmail(ctx, want.Email)
		t.ok(err)
		t.same("AccountByEmail", got, want)
		_, got, err = t.KeyByHash(ctx, hash(10))
		t.ok(err)
		t.same("account of a key", got, want)
		_, got, err = t.Session(ctx, hash(10))
		t.ok(err)
		t.same("account of a session", got, want)
		got, err = t.Account(ctx, accountID(0))
		t.ok(err)
		t.same("the other account", got, anAccount(0))
		t.reopen()
	}
	t.fails("SetPlan of nobody", t.SetPlan(ctx, accountID(2), "pro"), store.ErrNotFound)
	_, err := t.Account(ctx, accountID(2))
	t.fails("Account of nobody", err, store.ErrNotFound)
}

// removeAccount checks that RemoveAccount removes everything that belongs to an account and nothing
// else.
func removeAccount(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.ok(t.SetPassword(ctx, accountID(1), aPassword(0, 1), nil))
	t.connect(10, 1)
	t.connect(11, 1)
	t.ok(t.AddKey(ctx, aKey(10, 1)))
	t.ok(t.AddSession(ctx, aSession(10, 1)))
	t.ok(t.AddUses(ctx, []store.Use{aUse(1, 20261121, "mcp")}))
	_, _, err := t.Reserve(ctx, accountID(1), 202611, 10, 100)
	t.ok(err)
	alone := t.state()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.SetPassword(ctx, accountID(0), aPassword(0, 0), nil))
	for n := range 5 {
		t.connect(n, 0)
		t.ok(t.AddKey(ctx, aKey(n, 0)))
		t.ok(t.AddSession(ctx, aSession(n, 0)))
		t.ok(t.AddUses(ctx, []store.Use{aUse(0, store.Day(20261121+100*n), "mcp")}))
		_, _, err := t.Reserve(ctx, accountID(0), store.Month(202607+n), 10, 100)
		t.ok(err)
	}
	t.ok(t.RevokeKey(ctx, aKey(3, 0).ID, noon)) // revoked keys are removed too
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	for range 2 {
		t.unchanged("after RemoveAccount", alone)
		t.noAccount(0)
		t.reopen()
	}
	t.fails("RemoveAccount once more", t.RemoveAccount(ctx, accountID(0)), store.ErrNotFound)
}

// connect adds identity n and code n to an account, and grant n if n is even.
func (t *trial) connect(n, account int) {
	t.Helper()
	t.ok(t.AddIdentity(t.Context(), anIdentity(n, account)))
	t.ok(t.AddCode(t.Context(), aCode(n, account)))
	if n%2 == 0 {
		_, err := t.RedeemCode(t.Context(), hash(n), token(n, 0), noon)
		t.ok(err)
	}
}

// noAccount checks that nothing remains of account n, which had the keys, sessions, identities,
// codes and grants 0 to 4.
func (t *trial) noAccount(n int) {
	t.Helper()
	ctx := t.Context()
	_, err := t.Account(ctx, accountID(n))
	t.fails("Account", err, store.ErrNotFound)
	_, err = t.AccountByEmail(ctx, anAccount(n).Email)
	t.fails("AccountByEmail", err, store.ErrNotFound)
	keys, err := t.KeysOf(ctx, accountID(n))
	t.ok(err)
	t.same("KeysOf", len(keys), 0)
	months, err := t.Months(ctx, accountID(n))
	t.ok(err)
	t.same("Months", len(months), 0)
	t.usesOf(n, 0, 99991231)
	t.password(n, "")
	grants, err := t.GrantsOf(ctx, accountID(n))
	t.ok(err)
	t.same("GrantsOf", len(grants), 0)
	for i := range 5 {
		t.noIdentity(anIdentity(i, n))
		t.noCode(i)
		_, _, err := t.Grant(ctx, grantID(i))
		t.fails(fmt.Sprint("Grant ", i), err, store.ErrNotFound)
		_, err = t.RedeemCode(ctx, hash(i), token(i, 1), noon)
		t.fails(fmt.Sprint("RedeemCode ", i), err, store.ErrNotFound)
		_, err = t.Rotate(ctx, aRotation(i, 0, noon))
		t.fails(fmt.Sprint("Rotate ", i), err, store.ErrNotFound)
		t.noKey(aKey(i, n))
		t.noSession(i)
		t.used(accountID(n), store.Month(202607+i), 0)
	}
	_, _, err = t.Reserve(ctx, accountID(n), 202611, 1, 100)
	t.fails("Reserve", err, store.ErrNotFound)
}

// removedIsReusable checks that all names of a removed account can be used again by a new account,
// which gets nothing else of the old one.
func removedIsReusable(t *trial) {
	t.fill()
	ctx := t.Context()
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	again := anAccount(0)
	again.Plan, again.Created = "pro", noon.Add(time.Hour)
	t.ok(t.AddAccount(ctx, again))
	keys, err := t.KeysOf(ctx, again.ID)
	t.ok(err)
	t.same("keys of the new account", len(keys), 0)
	months, err := t.Months(ctx, again.ID)
	t.ok(err)
	t.same("months of the new account", len(months), 0)
	grants, err := t.GrantsOf(ctx, again.ID)
	t.ok(err)
	t.same("grants of the new account", len(grants), 0)
	t.password(0, "")
	for n := range 3 {
		t.ok(t.AddIdentity(ctx, anIdentity(n, 1)))
		t.ok(t.AddCode(ctx, aCode(n, 1)))
	}
	_, reserved, err := t.Reserve(ctx, again.ID, 202610, 5, 100)
	t.ok(err)
	t.same("reserved by the new account", reserved, uint64(5))
	t.ok(t.AddKey(ctx, aKey(0, 0)))
	t.isKey(aKey(0, 0))
	t.ok(t.AddSession(ctx, aSession(0, 0)))
	t.ok(t.RemoveSessions(ctx, again.ID))
	_, _, err = t.Session(ctx, hash(0))
	t.fails("Session", err, store.ErrNotFound)
}
