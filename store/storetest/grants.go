package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"leadline/store"
)

// isClient checks that a client is stored unchanged.
func (t *trial) isClient(want store.Client) {
	t.Helper()
	got, err := t.Client(t.Context(), want.ID)
	t.ok(err)
	t.same("Client", got, want)
}

// noClient checks that client n does not exist.
func (t *trial) noClient(n int) {
	t.Helper()
	_, err := t.Client(t.Context(), aClient(n).ID)
	t.fails(fmt.Sprint("Client ", n), err, store.ErrNotFound)
}

// isCode checks that a code is stored unchanged.
func (t *trial) isCode(want store.Code) {
	t.Helper()
	got, err := t.Code(t.Context(), want.Hash)
	t.ok(err)
	t.same("Code", got, want)
}

// noCode checks that code n does not exist.
func (t *trial) noCode(n int) {
	t.Helper()
	_, err := t.Code(t.Context(), hash(n))
	t.fails(fmt.Sprint("Code ", n), err, store.ErrNotFound)
}

// isGrant checks that a grant is stored unchanged.
func (t *trial) isGrant(want store.Grant) {
	t.Helper()
	got, owner, err := t.Grant(t.Context(), want.ID)
	t.ok(err)
	t.same("Grant", got, want)
	t.same("account of the grant", owner.ID, want.Account)
}

// noGrant checks that grant n does not exist and that no account lists it.
func (t *trial) noGrant(n int) {
	t.Helper()
	_, _, err := t.Grant(t.Context(), grantID(n))
	t.fails(fmt.Sprint("Grant ", n), err, store.ErrNotFound)
	for account := range 2 {
		list, err := t.GrantsOf(t.Context(), accountID(account))
		t.ok(err)
		for _, g := range list {
			if g.ID == grantID(n) {
				t.Errorf("GrantsOf has grant %d, want it gone", n)
			}
		}
	}
}

// grant adds grant n, of account 0, with its first token, used at noon.
func (t *trial) grant(n int) store.Grant {
	t.Helper()
	t.ok(t.AddCode(t.Context(), aCode(n, 0)))
	made, err := t.RedeemCode(t.Context(), hash(n), token(n, 0), noon)
	t.ok(err)
	t.same("RedeemCode", made, true)
	g := aGrant(n, 0)
	g.Used = noon
	return g
}

// rotates checks the response to a rotation.
func (t *trial) rotates(what string, r store.Rotation, want []byte) {
	t.Helper()
	got, err := t.Rotate(t.Context(), r)
	t.ok(err)
	t.same("Rotate, "+what, string(got), string(want))
	t.same("Rotate, "+what+", nil", got == nil, want == nil)
}

func clients(t *trial) {
	ctx := t.Context()
	ended, endless := aClient(2), aClient(3)
	bare := store.Client{ID: "https://client.example.org/#?\"é"}
	ended.Expires, endless.Expires = noon.AddDate(-10, 0, 0), time.Time{}
	want := []store.Client{aClient(1), ended, endless, bare}
	for _, c := range want {
		t.ok(t.AddClient(ctx, c, 10))
	}
	before := t.state()
	for _, most := range []int{0, 4, 10} { // a refused client must not remove others
		err := t.AddClient(ctx, store.Client{ID: aClient(1).ID}, most)
		t.fails("AddClient once more", err, store.ErrExists)
		t.unchanged("a client that was refused", before)
	}
	for range 2 {
		for _, c := range want {
			t.isClient(c)
		}
		t.noClient(4)
		t.reopen()
	}
}

// clientsMakeRoom checks that beyond the limit the clients that expire first are removed.
func clientsMakeRoom(t *trial) {
	ctx := t.Context()
	endless := oldClient(0)
	endless.Expires = time.Time{}
	for _, c := range []store.Client{endless, oldClient(5), oldClient(3), oldClient(4)} {
		t.ok(t.AddClient(ctx, c, 4))
	}
	t.ok(t.AddClient(ctx, oldClient(1), 4)) // replaces 3, although it expires even earlier
	t.noClient(3)
	t.isClient(oldClient(1))
	t.ok(t.AddClient(ctx, oldClient(6), 4))
	for range 2 {
		t.noClient(1)
		for _, c := range []store.Client{endless, oldClient(4), oldClient(5), oldClient(6)} {
			t.isClient(c)
		}
		t.reopen()
	}
	t.ok(t.AddClient(ctx, oldClient(7), 2))
	for n := 4; n < 7; n++ {
		t.noClient(n)
	}
	t.isClient(endless)
	t.isClient(oldClient(7))
}

// clientsTogether checks the limit of clients for concurrent callers.
func clientsTogether(t *trial) {
	const most = 10
	together(callers(), func(i int) {
		c := aClient(i)
		c.Created = noon.Add(time.Duration(i) * store.ClientYouth)
		if err := t.AddClient(t.Context(), c, most); err != nil && !errors.Is(err, store.ErrTooMany) {
			t.Errorf("AddClient: %v", err)
		}
	})
	stored := 0
	for n := range callers() {
		if _, err := t.Client(t.Context(), aClient(n).ID); err == nil {
			stored++
		}
	}
	t.same("clients", stored, most)
}

func codes(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	ended := aCode(2, 0)
	bare := store.Code{Hash: hash(3), Grant: store.Grant{ID: grantID(3), Account: accountID(0)}}
	ended.Expires = noon.AddDate(-10, 0, 0)
	want := []store.Code{aCode(1, 0), ended, bare}
	for _, c := range want {
		t.ok(t.AddCode(ctx, c))
	}
	for range 2 {
		for _, c := range want {
			t.isCode(c)
			_, _, err := t.Grant(ctx, c.Grant.ID)
			t.fails("Grant of a code that was not redeemed", err, store.ErrNotFound)
		}
		t.noCode(4)
		t.reopen()
	}
	list, err := t.GrantsOf(ctx, accountID(0))
	t.ok(err)
	t.same("grants", len(list), 0)
}

func codeTaken(t *trial) {
	t.fill()
	ctx := t.Context()
	t.ok(t.RemoveGrant(ctx, grantID(2))) // its code remains
	before := t.state()
	for _, n := range []int{0, 1, 2, 10, 11} {
		sameHash, sameGrant := aCode(5, 0), aCode(5, 0)
		sameHash.Hash, sameGrant.Grant.ID = hash(n), grantID(n)
		t.fails("AddCode with a hash that is taken", t.AddCode(ctx, sameHash), store.ErrExists)
		t.fails("AddCode for a grant that is taken", t.AddCode(ctx, sameGrant), store.ErrExists)
	}
	t.fails("AddCode for nobody", t.AddCode(ctx, aCode(5, 5)), store.ErrNotFound)
	t.unchanged("codes that were refused", before)
	t.sweep(noon.Add(time.Minute + time.Hour)) // removes the codes, but not grant 11
	sameGrant := aCode(5, 0)
	sameGrant.Grant.ID = grantID(11)
	t.fails("AddCode for an existing grant", t.AddCode(ctx, sameGrant), store.ErrExists)
	t.ok(t.AddCode(ctx, aCode(2, 0)))
}

// redeemCode checks that a code creates one grant, and that its second use removes the grant.
func redeemCode(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddCode(ctx, aCode(1, 0)))
	other := t.grant(2)
	made, err := t.RedeemCode(ctx, hash(1), token(1, 0), noon.Add(time.Second))
	t.ok(err)
	t.same("RedeemCode", made, true)
	want, code := aGrant(1, 0), aCode(1, 0)
	want.Used, code.Redeemed = noon.Add(time.Second), true
	for range 2 {
		t.isGrant(want)
		t.isCode(code)
		t.reopen()
	}
	t.rotates("from the first token", aRotation(1, 0, noon), sealed(1, 0))
	for range 2 {
		made, err = t.RedeemCode(ctx, hash(1), token(1, 7), noon)
		t.ok(err)
		t.same("RedeemCode once more", made, false)
		for range 2 {
			t.noGrant(1)
			t.isCode(code)
			t.isGrant(other)
			t.reopen()
		}
	}
	_, err = t.Rotate(ctx, aRotation(1, 1, noon))
	t.fails("Rotate of the removed grant", err, store.ErrNotFound)
	_, err = t.RedeemCode(ctx, hash(3), token(3, 0), noon)
	t.fails("RedeemCode of none", err, store.ErrNotFound)
}

// grantsMakeRoom checks that beyond the limit the least recently used grant of the account is
// removed, and no grant of another account.
func grantsMakeRoom(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.ok(t.AddCode(ctx, aCode(500, 1)))
	_, err := t.RedeemCode(ctx, hash(500), token(500, 0), noon.Add(-time.Hour))
	t.ok(err)
	for n := range store.MostGrants + 2 {
		t.ok(t.AddCode(ctx, aCode(n, 0)))
		used := noon.Add(time.Duration(n) * time.Second)
		if n == 0 {
			used = noon.Add(time.Hour)
		}
		_, err := t.RedeemCode(ctx, hash(n), token(n, 0), used)
		t.ok(err)
	}
	list, err := t.GrantsOf(ctx, accountID(0))
	t.ok(err)
	t.same("grants", len(list), store.MostGrants)
	t.noGrant(1)
	t.noGrant(2)
	for _, n := range []int{0, 3, store.MostGrants + 1, 500} {
		_, _, err := t.Grant(ctx, grantID(n))
		t.ok(err)
	}
}

// redeemTogether checks that exactly one of many callers redeems a code, and that the others remove
// the grant.
func redeemTogether(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	t.ok(t.AddCode(t.Context(), aCode(1, 0)))
	var made atomic.Int32
	together(callers(), func(i int) {
		switch first, err := t.RedeemCode(t.Context(), hash(1), token(1, i), noon); {
		case err != nil:
			t.Errorf("RedeemCode: %v", err)
		case first:
			made.Add(1)
		}
	})
	t.same("callers that redeemed the code", made.Load(), int32(1))
	t.noGrant(1)
}

// clientsExtended checks that a registered client does not expire before its grants, and that they
// never shorten its life.
func clientsExtended(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	later, endless := aClient(2), aClient(3)
	later.Expires, endless.Expires = noon.AddDate(5, 0, 0), time.Time{}
	want := []store.Client{aClient(1), later, endless}
	for i, c := range want {
		t.ok(t.AddClient(ctx, c, 10))
		code := aCode(i+1, 0)
		code.Grant.Expires = noon.AddDate(0, 1, 0)
		t.ok(t.AddCode(ctx, code))
		t.isClient(c)
		_, err := t.RedeemCode(ctx, hash(i+1), token(i+1, 0), noon)
		t.ok(err)
	}
	want[0].Expires = noon.AddDate(0, 1, 0)
	for range 2 {
		for _, c := range want {
			t.isClient(c)
		}
		t.reopen()
	}
	for i := range want {
		t.rotates("in time", aRotation(i+1, 0, noon), sealed(i+1, 0))
	}
	want[0].Expires = aRotation(1, 0, noon).Expires
	for _, c := range want {
		t.isClient(c)
	}
	shorter := aRotation(1, 1, noon)
	shorter.Expires = noon.AddDate(0, 0, 1)
	t.rotates("to an earlier end", shorter, sealed(1, 1))
	t.isClient(want[0])
	fourth := aClient(4)
	fourth.Created = noon.Add(time.Hour)
	t.ok(t.AddClient(ctx, fourth, 3)) // removes the client that now expires first
	t.noClient(1)
	t.sweep(noon.AddDate(5, 0, 0))
	t.noClient(2)
	t.isClient(endless)
	_, err := t.Rotate(ctx, aRotation(3, 1, noon))
	t.fails("Rotate of a grant that was swept", err, store.ErrNotFound)
	t.ok(t.AddClient(ctx, aClient(5), 10))
	t.grant(5)
	endlessly := aRotation(5, 0, noon)
	endlessly.Expires = time.Time{}
	t.rotates("to no end", endlessly, sealed(5, 0))
	t.sweep(noon.AddDate(100, 0, 0))
	want[0], want[0].Expires = aClient(5), time.Time{}
	t.isClient(want[0])
}

func grantsInOrder(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	for _, c := range []struct{ n, minute int }{{4, 1}, {1, 2}, {3, 2}, {2, 2}, {5, -1e6}, {6, 3}} {
		code := aCode(c.n, 0)
		code.Grant.Created = noon.Add(time.Duration(c.minute) * time.Minute)
		t.ok(t.AddCode(ctx, code))
		_, err := t.RedeemCode(ctx, code.Hash, token(c.n, 0), noon)
		t.ok(err)
	}
	var got []string
	list, err := t.GrantsOf(ctx, accountID(0))
	t.ok(err)
	for _, g := range list {
		got = append(got, g.ID)
	}
	wantIDs := []string{grantID(6), grantID(1), grantID(2), grantID(3), grantID(4), grantID(5)}
	t.same("the newest first, then in order of ids", got, wantIDs)
	want, _, err := t.Grant(ctx, grantID(6))
	t.ok(err)
	t.same("the first of them", list[0], want)
	for _, n := range []int{1, 2} {
		list, err = t.GrantsOf(ctx, accountID(n))
		t.ok(err)
		t.same("grants of another", len(list), 0)
	}
}

// rotate checks that each token can be rotated once, and that a repeated rotation within the grace
// period returns the same response.
func rotate(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	want, other := t.grant(1), t.grant(2)
	for n := range 3 {
		at := noon.Add(time.Duration(10*n) * time.Second)
		r := aRotation(1, n, at)
		t.rotates(fmt.Sprint("from token ", n), r, sealed(1, n))
		want.Used, want.Expires = at, r.Expires
		for range 2 {
			t.isGrant(want)
			t.isGrant(other)
			t.reopen()
		}
	}
	for n := range 3 { // replaced at 0, 10 and 20 s: all within the grace period at 59 s
		again := aRotation(1, n, noon.Add(59*time.Second))
		again.To, again.Sealed, again.Expires = token(1, 50), []byte("other"), noon.AddDate(9, 0, 0)
		t.rotates(fmt.Sprint("from token ", n, " again"), again, sealed(1, n))
		t.isGrant(want)
	}
	next := aRotation(1, 3, noon.Add(75*time.Second)) // drops the first two
	t.rotates("from the last token", next, sealed(1, 3))
	t.rotates("from the one before it", aRotation(1, 2, noon.Add(75*time.Second)), sealed(1, 2))
	t.rotates("back in time", aRotation(1, 3, noon), sealed(1, 3))
	t.rotates("from a dropped token", aRotation(1, 1, noon.Add(75*time.Second)), nil)
	t.noGrant(1)
	t.isGrant(other)
}

// rotateReused checks that a token used after the grace period, or an unknown one, removes the
// grant.
func rotateReused(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	other := t.grant(99)
	for n, c := range []struct {
		what  string
		at    time.Time
		grace time.Duration
		from  int
		ok    bool
	}{
		{"in the grace period", noon.Add(59*time.Second + 999*time.Millisecond), time.Minute, 0, true},
		{"at the end of the grace period", noon.Add(time.Minute), time.Minute, 0, false},
		{"long after", noon.AddDate(1, 0, 0), time.Minute, 0, false},
		{"with a longer grace period", noon.Add(time.Hour), 2 * time.Hour, 0, true},
		{"without a grace period", noon, 0, 0, false},
		{"with an unknown token", noon, time.Minute, 7, false},
	} {
		t.grant(n)
		first := aRotation(n, 0, noon.Add(900*time.Millisecond))
		t.rotates("first", first, sealed(n, 0))
		again := aRotation(n, c.from, c.at)
		again.Grace = c.grace
		if c.ok {
			t.rotates(c.what, again, sealed(n, 0))
			t.rotates(c.what+", from the token after it", aRotation(n, 1, c.at), sealed(n, 1))
			continue
		}
		t.rotates(c.what, again, nil)
		for range 2 {
			t.noGrant(n)
			t.isGrant(other)
			t.reopen()
		}
		_, err := t.Rotate(ctx, aRotation(n, 1, noon))
		t.fails("Rotate from the valid token, "+c.what, err, store.ErrNotFound)
	}
	_, err := t.Rotate(ctx, aRotation(50, 0, noon))
	t.fails("Rotate of no grant", err, store.ErrNotFound)
}

// rotateRemembered checks that exactly store.Remembered replaced tokens are retained.
func rotateRemembered(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	t.grant(1)
	const turns = store.Remembered + 3
	for n := range turns {
		t.rotates("onward", aRotation(1, n, noon), sealed(1, n))
	}
	for n := turns - store.Remembered; n < turns; n++ {
		t.rotates(fmt.Sprint("from token ", n, " again"), aRotation(1, n, noon), sealed(1, n))
	}
	t.rotates("from one too many", aRotation(1, turns-store.Remembered-1, noon), nil)
	t.noGrant(1)
}

// rotateTogether checks that concurrent rotations of one token return the same response.
func rotateTogether(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	t.grant(1)
	const callers = 50
	var responses [callers][]byte
	together(callers, func(i int) {
		r := aRotation(1, 0, noon)
		r.To, r.Sealed = token(1, 100+i), sealed(1, 100+i)
		var err error
		if responses[i], err = t.Rotate(t.Context(), r); err != nil {
			t.Errorf("Rotate: %v", err)
		}
	})
	winner := -1
	for i := range callers {
		t.same("response", string(responses[i]), string(responses[0]))
		if string(responses[0]) == string(sealed(1, 100+i)) {
			winner = i
		}
	}
	if winner < 0 {
		t.Fatalf("response %q belongs to no caller", responses[0])
	}
	next := aRotation(1, 0, noon)
	next.From = token(1, 100+winner)
	t.rotates("from the token of that response", next, sealed(1, 0))
}

func removeGrant(t *trial) {
	t.fill()
	ctx := t.Context()
	other, _, err := t.Grant(ctx, grantID(2))
	t.ok(err)
	for _, id := range []string{grantID(1), grantID(1), grantID(50), ""} {
		t.ok(t.RemoveGrant(ctx, id))
	}
	for range 2 {
		t.noGrant(1)
		t.isGrant(other)
		t.isClient(aClient(1))
		_, err = t.Rotate(ctx, aRotation(1, 0, noon))
		t.fails("Rotate", err, store.ErrNotFound)
		t.reopen()
	}
	made, err := t.RedeemCode(ctx, hash(1), token(1, 5), noon)
	t.ok(err)
	t.same("RedeemCode of a grant that was removed", made, false)
	t.noGrant(1)
}

// sweepGrants checks that grants are removed at the second of their expiry, also after a rotation
// has postponed it.
func sweepGrants(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	for n, expires := range ends {
		code := aCode(n, 0)
		code.Grant.Expires = expires
		t.ok(t.AddCode(ctx, code))
		_, err := t.RedeemCode(ctx, code.Hash, token(n, 0), noon)
		t.ok(err)
	}
	t.grant(20)
	r := aRotation(20, 0, noon)
	r.Expires = noon.Add(24 * time.Hour)
	t.rotates("to a later end", r, sealed(20, 0))
	t.sweptAtNoon(func(n int) error { _, _, err := t.Grant(ctx, grantID(n)); return err })
	t.sweep(r.Expires.Add(-time.Second))
	_, _, err := t.Grant(ctx, grantID(20))
	t.ok(err)
	t.sweep(r.Expires)
	t.noGrant(20)
}

// sweepClients checks that clients are removed at the second of their expiry.
func sweepClients(t *trial) {
	ctx := t.Context()
	for n, expires := range ends {
		c := aClient(n)
		c.Expires = expires
		t.ok(t.AddClient(ctx, c, 10))
	}
	t.sweptAtNoon(func(n int) error { _, err := t.Client(ctx, aClient(n).ID); return err })
	t.ok(t.AddClient(ctx, aClient(0), 10))
}

// sweepCodes checks that codes, redeemed or not, are removed an hour after their expiry, and their
// grants are not.
func sweepCodes(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	for n, end := range ends {
		c := aCode(n, 0)
		c.Grant.Expires = time.Time{}
		if c.Expires = end; !end.IsZero() {
			c.Expires = end.Add(-time.Hour)
		}
		t.ok(t.AddCode(ctx, c))
		if n%2 == 0 {
			_, err := t.RedeemCode(ctx, c.Hash, token(n, 0), noon)
			t.ok(err)
		}
	}
	t.sweptAtNoon(func(n int) error { _, err := t.Code(ctx, hash(n)); return err })
	for n := range ends {
		_, _, err := t.Grant(ctx, grantID(n))
		if n%2 == 0 {
			t.ok(err)
		} else {
			t.fails("Grant of a code that was not redeemed", err, store.ErrNotFound)
		}
	}
	_, err := t.RedeemCode(ctx, hash(2), token(2, 1), noon)
	t.fails("RedeemCode of one that was swept", err, store.ErrNotFound)
}

// oldClient returns client n of a trial that adds clients in this order. Each is created long
// enough after the previous one to be allowed to replace it.
func oldClient(n int) store.Client {
	c := aClient(n)
	position := slices.Index([]int{0, 5, 3, 4, 1, 6, 7}, n)
	c.Created = noon.Add(time.Duration(position) * store.ClientYouth)
	return c
}
