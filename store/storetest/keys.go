package storetest

import (
	"errors"
	"sync/atomic"
	"time"

	"leadline/store"
)

func keys(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	whole := aKey(1, 0)
	whole.Revoked, whole.From = noon.Add(time.Hour), "key0000"
	whole.LastUsed, whole.LastAddress = noon.Truncate(24*time.Hour), "2001:db8::/48"
	bare := store.Key{ID: "key0002", Hash: hash(2), Account: accountID(0)}
	t.ok(t.AddKey(ctx, whole))
	t.ok(t.AddKey(ctx, bare))
	for range 2 {
		t.isKey(whole)
		got, err := t.Key(ctx, bare.ID)
		t.ok(err)
		t.same("scopes of a key without", len(got.Scopes), 0)
		got.Scopes = nil
		t.same("a bare key", got, bare)
		_, owner, err := t.KeyByHash(ctx, whole.Hash)
		t.ok(err)
		t.same("account of a key", owner, anAccount(0))
		t.noKey(aKey(3, 0))
		t.reopen()
	}
	list, err := t.KeysOf(ctx, accountID(9))
	t.ok(err)
	t.same("keys of nobody", len(list), 0)
}

func keyTaken(t *trial) {
	t.fill()
	before := t.state()
	ctx := t.Context()
	sameID := aKey(5, 0)
	sameID.ID = aKey(10, 1).ID
	t.fails("AddKey with an id that is taken", t.AddKey(ctx, sameID), store.ErrExists)
	sameHash := aKey(5, 0)
	sameHash.Hash = hash(10)
	t.fails("AddKey with a hash that is taken", t.AddKey(ctx, sameHash), store.ErrExists)
	t.fails("AddKey once more", t.AddKey(ctx, aKey(0, 0)), store.ErrExists)
	t.fails("AddKey for nobody", t.AddKey(ctx, aKey(5, 2)), store.ErrNotFound)
	t.unchanged("keys that were refused", before)
	t.noKey(aKey(5, 0))
}

// keysInOrder checks that keys are in order of creation, to the second, then of id.
func keysInOrder(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	created := []time.Time{
		1: noon,
		2: noon.Add(-time.Second),
		3: noon,
		4: time.Unix(-5, 0),
		5: {},
		6: noon.Add(900 * time.Millisecond),
		7: noon.Add(time.Second),
		8: noon.AddDate(100, 0, 0),
	}
	for _, n := range []int{6, 8, 3, 1, 5, 7, 2, 4} {
		k := aKey(n, 0)
		k.Created = created[n]
		t.ok(t.AddKey(ctx, k))
		t.ok(t.AddKey(ctx, aKey(n+10, 1)))
	}
	t.ok(t.RevokeKey(ctx, "key0003", noon))
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("KeysOf", ids(list), []string{
		"key0005", "key0004", "key0002", "key0001", "key0003", "key0006", "key0007", "key0008",
	})
	for _, k := range list {
		t.isKey(k)
	}
}

func revokeKey(t *trial) {
	t.fill()
	ctx := t.Context()
	want := aKey(1, 0)
	want.Revoked = noon.Add(time.Hour)
	t.ok(t.RevokeKey(ctx, want.ID, want.Revoked))
	t.isKey(want)
	t.ok(t.RevokeKey(ctx, want.ID, noon)) // earlier
	t.ok(t.RevokeKey(ctx, want.ID, noon.Add(2*time.Hour)))
	for range 2 {
		t.isKey(want)
		t.isKey(aKey(0, 0))
		t.reopen()
	}
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("keys, including revoked ones", ids(list), []string{"key0000", "key0001", "key0002"})
	t.fails("RevokeKey of none", t.RevokeKey(ctx, "key9999", noon), store.ErrNotFound)
}

func touchKeys(t *trial) {
	t.fill()
	ctx := t.Context()
	want := aKey(1, 0)
	for day := range 2 {
		want.LastUsed = noon.Truncate(24*time.Hour).AddDate(0, 0, day)
		want.LastAddress = []string{"192.0.2.0/24", "2001:db8::/48"}[day]
		touch := store.Touch{Key: want.ID, Day: want.LastUsed, Address: want.LastAddress}
		t.ok(t.TouchKeys(ctx, []store.Touch{touch}))
		t.isKey(want)
	}
	t.reopen()
	t.isKey(want)
	t.isKey(aKey(0, 0))
	other := aKey(0, 0)
	other.LastUsed, other.LastAddress = aTouch(0).Day, aTouch(0).Address
	t.ok(t.TouchKeys(ctx, nil))
	list := []store.Touch{{Key: "key9999", Day: noon}, aTouch(0), {Key: want.ID, Day: noon}}
	t.ok(t.TouchKeys(ctx, list))
	want.LastUsed, want.LastAddress = noon, ""
	for range 2 {
		t.isKey(other)
		t.isKey(want)
		t.reopen()
	}
}

func replaceKey(t *trial) {
	t.fill()
	ctx := t.Context()
	old, next := aKey(1, 0), aKey(6, 0)
	old.Expires, next.From = noon.Add(time.Hour), old.ID
	t.ok(t.ReplaceKey(ctx, old.ID, old.Expires, next))
	for range 2 {
		t.isKey(old)
		t.isKey(next)
		list, err := t.KeysOf(ctx, accountID(0))
		t.ok(err)
		t.same("keys, with the new one", ids(list), []string{"key0000", "key0001", "key0002", "key0006"})
		t.reopen()
	}
}

// replaceKeyExpiry checks that a replacement never postpones the expiry of the old key.
func replaceKeyExpiry(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	never, soon, later := time.Time{}, noon.Add(time.Hour), noon.AddDate(1, 0, 0)
	for n, c := range []struct{ had, given, want time.Time }{
		{never, soon, soon},
		{later, soon, soon},
		{soon, later, soon},
		{soon, soon, soon},
		{soon, never, soon},
		{never, never, never},
	} {
		old := aKey(n, 0)
		old.Expires = c.had
		t.ok(t.AddKey(ctx, old))
		t.ok(t.ReplaceKey(ctx, old.ID, c.given, aKey(100+n, 0)))
		old.Expires = c.want
		t.isKey(old)
		t.isKey(aKey(100+n, 0))
	}
}

// replaceKeyConflict checks that a revoked key and one that another key replaces are not replaced.
func replaceKeyConflict(t *trial) {
	t.fill()
	ctx := t.Context()
	next, second := aKey(6, 0), aKey(7, 0)
	next.From, second.From = aKey(1, 0).ID, aKey(1, 0).ID
	t.ok(t.ReplaceKey(ctx, next.From, noon.Add(time.Hour), next))
	t.ok(t.RevokeKey(ctx, aKey(2, 0).ID, noon))
	before := t.state()
	for range 2 {
		err := t.ReplaceKey(ctx, second.From, noon, second)
		t.fails("ReplaceKey of a replaced key", err, store.ErrConflict)
		revoked := second
		revoked.From = aKey(2, 0).ID
		err = t.ReplaceKey(ctx, revoked.From, noon, revoked)
		t.fails("ReplaceKey of a revoked key", err, store.ErrConflict)
		t.unchanged("keys that were not replaced", before)
		t.reopen()
	}
	second.From = next.ID // the new one can be replaced
	t.ok(t.ReplaceKey(ctx, next.ID, noon, second))
	t.isKey(second)
}

// replaceKeyTogether checks that concurrent callers replace a key once.
func replaceKeyTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddKey(ctx, aKey(0, 0)))
	var replaced atomic.Int32
	together(callers(), func(i int) {
		next := aKey(100+i, 0)
		next.From = aKey(0, 0).ID
		switch err := t.ReplaceKey(ctx, next.From, noon.Add(time.Hour), next); {
		case err == nil:
			replaced.Add(1)
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("ReplaceKey: got error %v, want %v", err, store.ErrConflict)
		}
	})
	t.same("replacements", replaced.Load(), int32(1))
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("keys", len(list), 2)
}

// replaceKeyRefused checks that a refused replacement changes nothing.
func replaceKeyRefused(t *trial) {
	t.fill()
	before := t.state()
	ctx := t.Context()
	sameHash, sameID := aKey(6, 0), aKey(6, 0)
	sameHash.Hash, sameID.ID = hash(10), aKey(10, 1).ID
	old := aKey(1, 0).ID
	t.fails("ReplaceKey of none", t.ReplaceKey(ctx, "key9999", noon, aKey(6, 0)), store.ErrNotFound)
	t.unchanged("a replacement of none", before)
	t.fails("ReplaceKey by an id that is taken", t.ReplaceKey(ctx, old, noon, sameID), store.ErrExists)
	t.unchanged("an id that is taken", before)
	t.fails(
		"ReplaceKey by a hash that is taken",
		t.ReplaceKey(ctx, old, noon, sameHash),
		store.ErrExists,
	)
	t.unchanged("a hash that is taken", before)
	t.fails("ReplaceKey by itself", t.ReplaceKey(ctx, old, noon, aKey(1, 0)), store.ErrExists)
	t.unchanged("itself", before)
	t.fails(
		"ReplaceKey by a key of an unknown account",
		t.ReplaceKey(ctx, old, noon, aKey(6, 5)),
		store.ErrNotFound,
	)
	t.unchanged("a key of nobody", before)
	t.noKey(aKey(6, 0))
}
