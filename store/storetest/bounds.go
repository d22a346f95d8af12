package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"leadline/store"
)

// fullOfKeys adds store.MostKeys keys to account 0, starting with key first. All are active at
// noon.
func (t *trial) fullOfKeys(first int) {
	t.Helper()
	for n := range store.MostKeys {
		t.ok(t.AddKey(t.Context(), boundKey(first+n)))
	}
}

// boundKey returns key n of account 0, created at noon.
func boundKey(n int) store.Key {
	k := aKey(n, 0)
	k.Created = noon
	return k
}

// keysAtMost checks the limit of active keys when another one is created. Keys that are revoked or
// expired by then do not count.
func keysAtMost(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.fullOfKeys(0)
	for range 2 {
		t.fails("AddKey beyond the bound", t.AddKey(ctx, boundKey(100)), store.ErrTooMany)
		t.noKey(boundKey(100))
		t.reopen()
	}
	t.ok(t.AddKey(ctx, aKey(101, 1)))

	t.ok(t.RevokeKey(ctx, boundKey(3).ID, noon))
	t.ok(t.AddKey(ctx, boundKey(102)))
	t.fails("AddKey beyond the bound again", t.AddKey(ctx, boundKey(103)), store.ErrTooMany)

	late := boundKey(104) // when the keys 0 to 7 have expired but not the others
	late.Created = aKey(7, 0).Expires
	t.ok(t.AddKey(ctx, late))
	early := boundKey(105)
	early.Created = aKey(0, 0).Expires.Add(-time.Second)
	t.fails("AddKey before any has expired", t.AddKey(ctx, early), store.ErrTooMany)
}

// replaceAtMost checks that a replaced key counts while it is active.
func replaceAtMost(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.fullOfKeys(0)
	before := t.state()
	next := boundKey(100)
	old := boundKey(0).ID
	err := t.ReplaceKey(ctx, old, noon.Add(time.Second), next)
	t.fails("ReplaceKey with a later expiry", err, store.ErrTooMany)
	t.unchanged("a replacement beyond the bound", before)
	t.ok(t.ReplaceKey(ctx, old, noon, next))
	t.isKey(next)
	t.fails("AddKey afterwards", t.AddKey(ctx, boundKey(101)), store.ErrTooMany)
}

// keyRowsMakeRoom checks that all active keys and only the newest inactive ones are retained.
func keyRowsMakeRoom(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	active := aKey(0, 0)
	t.ok(t.AddKey(ctx, active))
	ended := func(n int) store.Key {
		k := aKey(n, 0)
		k.Created = noon.Add(time.Duration(n) * time.Second)
		k.Revoked = k.Created
		return k
	}
	const most = store.MostKeyRows
	added := part(most-1, 50)
	var list []store.Record
	for n := 1; n < most-added; n++ { // these were there before
		r, err := store.NewRecord(ended(n))
		t.ok(err)
		list = append(list, r)
	}
	t.imports(list, most)
	together(added, func(i int) {
		if err := t.AddKey(ctx, ended(most-1-i)); err != nil {
			t.Errorf("AddKey: %v", err)
		}
	})
	for n := most; n < most+5; n++ {
		t.ok(t.AddKey(ctx, ended(n)))
	}
	for range 2 {
		list, err := t.KeysOf(ctx, accountID(0))
		t.ok(err)
		t.same("rows", len(list), most)
		t.isKey(active)
		for n := 1; n <= 5; n++ {
			t.noKey(ended(n))
		}
		t.isKey(ended(6))
		t.isKey(ended(most + 4))
		t.reopen()
	}
}

// keysTogether checks the limit of keys for concurrent callers of all methods that add one.
func keysTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	for n := range 8 {
		t.ok(t.AddKey(ctx, boundKey(n)))
	}
	var added, refused atomic.Int32
	together(2*crowd, func(i int) {
		var err error
		next := boundKey(1000 + i)
		switch i % 3 {
		case 0:
			err = t.AddKey(ctx, next)
		case 1:
			_, err = t.AddAccountKey(ctx, anAccount(0), false, next)
		case 2:
			err = t.ReplaceKey(ctx, boundKey(i%8).ID, noon.Add(time.Hour), next)
		}
		switch {
		case err == nil:
			added.Add(1)
		case errors.Is(err, store.ErrTooMany):
			refused.Add(1)
		default:
			t.Errorf("caller %d: %v", i, err)
		}
	})
	t.same("keys added", added.Load(), int32(store.MostKeys-8))
	t.same("keys refused", refused.Load(), int32(2*crowd-store.MostKeys+8))
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("keys", len(list), store.MostKeys)
}

// accountKeys checks that a key and its account are stored together.
func accountKeys(t *trial) {
	ctx := t.Context()
	key := func(n, account int) store.Key {
		k := aKey(n, account)
		k.Account = "somebody" // set by the store
		return k
	}
	before, err := t.AddAccountKey(ctx, anAccount(0), true, key(1, 0))
	t.ok(err)
	t.same("account before the first key", before, store.Account{})

	again := anAccount(0)
	again.ID, again.Created, again.Plan = accountID(7), noon.AddDate(1, 0, 0), "pro"
	before, err = t.AddAccountKey(ctx, again, false, key(2, 0))
	t.ok(err)
	t.same("account before the second key", before, anAccount(0))
	before, err = t.AddAccountKey(ctx, again, true, key(3, 0))
	t.ok(err)
	t.same("account before the third key", before, anAccount(0))

	moved := anAccount(0)
	moved.Plan = "pro"
	for range 2 {
		got, err := t.AccountByEmail(ctx, moved.Email)
		t.ok(err)
		t.same("account", got, moved)
		for n := 1; n <= 3; n++ {
			t.isKey(aKey(n, 0))
		}
		_, err = t.Account(ctx, again.ID)
		t.fails("an account of another id", err, store.ErrNotFound)
		t.reopen()
	}
}

// accountKeyRefused checks that neither an account nor its key is stored if the other is refused.
func accountKeyRefused(t *trial) {
	t.fill()
	before := t.state()
	ctx := t.Context()
	refuse := func(what string, a store.Account, k store.Key, want error) {
		t.Helper()
		_, err := t.AddAccountKey(ctx, a, true, k)
		t.fails(what, err, want)
		t.unchanged(what, before)
	}
	moved := anAccount(0)
	moved.Plan = "pro"
	sameHash, sameID, sameAccount := aKey(5, 0), aKey(5, 0), anAccount(2)
	sameHash.Hash, sameID.ID, sameAccount.ID = hash(10), aKey(10, 1).ID, accountID(1)
	refuse("a new account, the hash of its key is taken", anAccount(2), sameHash, store.ErrExists)
	refuse("a new account, the id of its key is taken", anAccount(2), sameID, store.ErrExists)
	refuse("a new account, its id is taken", sameAccount, aKey(5, 0), store.ErrExists)
	refuse("a moved account, the hash of its key is taken", moved, sameHash, store.ErrExists)
	refuse("a moved account, the id of its key is taken", moved, sameID, store.ErrExists)
	refuse("a key without an id", anAccount(2), store.Key{Hash: hash(5)}, store.ErrUnavailable)

	for n := range store.MostKeys - 3 { // Fill has added three
		k := boundKey(100 + n)
		t.ok(t.AddKey(ctx, k))
	}
	before = t.state()
	refuse("a moved account with too many keys", moved, boundKey(5), store.ErrTooMany)
}

// accountKeysTogether checks that concurrent first keys of one address create one account.
func accountKeysTogether(t *trial) {
	ctx := t.Context()
	var opened atomic.Int32
	together(32, func(i int) {
		a := anAccount(0)
		a.ID = accountID(100 + i)
		before, err := t.AddAccountKey(ctx, a, false, aKey(i, 0))
		if err != nil {
			t.Errorf("caller %d: %v", i, err)
		} else if before.ID == "" {
			opened.Add(1)
		}
	})
	t.same("created accounts", opened.Load(), int32(1))
	list, err := t.Accounts(ctx, "", math.MaxInt)
	t.ok(err)
	t.same("accounts", len(list), 1)
	keys, err := t.KeysOf(ctx, list[0].ID)
	t.ok(err)
	t.same("keys", len(keys), 32)
}

// sessionsMakeRoom checks that the oldest sessions of an account are removed beyond the limit.
func sessionsMakeRoom(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.ok(t.AddSession(ctx, aSession(900, 1)))
	session := func(n int) store.Session {
		s := aSession(n, 0)
		s.Created = noon.Add(time.Duration(n) * time.Second)
		s.Expires = noon.AddDate(0, 0, 100-n) // the newest expire first
		return s
	}
	order := []int{5, 3, 4, 1, 2}
	for n := 6; n <= store.MostSessions; n++ {
		order = append(order, n)
	}
	for _, n := range order {
		t.ok(t.AddSession(ctx, session(n)))
	}
	for n := range store.MostSessions {
		t.isSession(session(n + 1))
	}
	t.fails("AddSession once more", t.AddSession(ctx, session(5)), store.ErrExists)
	t.isSession(session(1))
	t.ok(t.AddSession(ctx, session(50)))
	t.ok(t.AddSession(ctx, session(51)))
	old := session(52) // the oldest of all
	old.Created = noon
	t.ok(t.AddSession(ctx, old))
	for range 2 {
		for n := 1; n <= 3; n++ {
			t.noSession(n)
		}
		for n := 4; n <= store.MostSessions; n++ {
			t.isSession(session(n))
		}
		t.isSession(session(50))
		t.isSession(session(51))
		t.isSession(old)
		t.isSession(aSession(900, 1))
		t.reopen()
	}
}

// sessionsTogether checks the limit of sessions for concurrent callers.
func sessionsTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	together(crowd, func(i int) {
		if err := t.AddSession(ctx, aSession(i, 0)); err != nil {
			t.Errorf("AddSession: %v", err)
		}
	})
	stored := 0
	for n := range crowd {
		if _, _, err := t.Session(ctx, hash(n)); err == nil {
			stored++
		}
	}
	t.same("sessions", stored, store.MostSessions)
}

// clientsYoung checks that a client younger than store.ClientYouth is not removed for another, and
// that older ones still are.
func clientsYoung(t *trial) {
	ctx := t.Context()
	client := func(n int, created time.Time) store.Client {
		c := aClient(n)
		c.Created, c.Expires = created, created.Add(24*time.Hour)
		return c
	}
	first, second := client(1, noon), client(2, noon.Add(time.Minute))
	t.ok(t.AddClient(ctx, first, 2))
	t.ok(t.AddClient(ctx, second, 2))
	for _, age := range []time.Duration{-time.Hour, 0, time.Minute, store.ClientYouth - time.Second} {
		what := fmt.Sprint("AddClient at the age of ", age)
		t.fails(what, t.AddClient(ctx, client(3, noon.Add(age)), 2), store.ErrTooMany)
		t.noClient(3)
		t.isClient(first)
		t.isClient(second)
	}
	third := client(3, noon.Add(store.ClientYouth))
	t.ok(t.AddClient(ctx, third, 2))
	t.noClient(1)
	t.isClient(second)
	err := t.AddClient(ctx, client(4, noon.Add(store.ClientYouth+time.Minute)), 1)
	t.fails("AddClient that would remove two", err, store.ErrTooMany)
	for range 2 {
		t.isClient(second)
		t.isClient(third)
		t.reopen()
	}
	connected := client(5, noon.Add(store.ClientYouth+time.Minute))
	connected.Expires = noon.AddDate(1, 0, 0)
	t.ok(t.AddClient(ctx, connected, 2))
	t.noClient(2)
	err = t.AddClient(ctx, client(6, connected.Created), 2)
	t.fails("AddClient that expires after a connected one", err, store.ErrTooMany)
	t.isClient(connected)
}
