package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"leadline/store"
)

// crowd is the number of concurrent callers that limits of accounts need.
const crowd = 64

// callers returns the number of concurrent callers, more than an engine has connections.
func callers() int { return part(crowd, 16) }

// together calls fn from n goroutines concurrently and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	all.Wait()
}

// reserveTogether checks that concurrent callers get exactly the limit: the spans of units that
// they were granted are disjoint and contiguous from 0 to the limit.
func reserveTogether(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	const limit = 5_003
	type span struct{ from, to uint64 }
	var mu sync.Mutex
	var spans []span
	together(callers(), func(i int) {
		for {
			granted, reserved, err := t.Reserve(t.Context(), accountID(0), 202611, uint64(7+i), limit)
			if err != nil || granted > uint64(7+i) || reserved > limit || granted > reserved {
				t.Errorf("Reserve = %d, %d, %v, want at most %d of %d", granted, reserved, err, 7+i, limit)
				return
			}
			if granted == 0 {
				return
			}
			mu.Lock()
			spans = append(spans, span{reserved - granted, reserved})
			mu.Unlock()
		}
	})
	slices.SortFunc(spans, func(a, b span) int { return int(a.from) - int(b.from) })
	end := uint64(0)
	for _, s := range spans {
		if s.from != end {
			t.Fatalf("units %d to %d were granted after those up to %d", s.from, s.to, end)
		}
		end = s.to
	}
	t.same("units granted", end, uint64(limit))
	t.used(accountID(0), 202611, limit)
}

// reserveAndReturnTogether checks that returned units can be reserved again, once.
func reserveAndReturnTogether(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	const limit = 100
	var used atomic.Uint64
	together(callers(), func(i int) {
		for range 10 {
			granted, _, err := t.Reserve(t.Context(), accountID(0), 202611, 5, limit)
			if err != nil {
				t.Errorf("Reserve: %v", err)
				return
			}
			back := granted / 2
			if err := t.Return(t.Context(), accountID(0), 202611, back); err != nil {
				t.Errorf("Return: %v", err)
				return
			}
			used.Add(granted - back)
		}
	})
	t.used(accountID(0), 202611, used.Load())
	if used.Load() > limit {
		t.Errorf("%d units were used, want at most %d", used.Load(), limit)
	}
}

// takenTogether checks that only one of many callers can add a record with the same name.
func takenTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddKey(ctx, aKey(0, 0)))
	for what, add := range map[string]func(i int) error{
		"id of an account": func(i int) error {
			a := anAccount(10 + i)
			a.ID = accountID(9)
			return t.AddAccount(ctx, a)
		},
		"address": func(i int) error {
			a := anAccount(100 + i)
			a.Email = "one@example.org"
			return t.AddAccount(ctx, a)
		},
		"id of a key": func(i int) error {
			k := aKey(200+i, 0)
			k.ID = "one"
			return t.AddKey(ctx, k)
		},
		"hash of a key": func(i int) error {
			k := aKey(300+i, 0)
			k.Hash = hash(99)
			return t.AddKey(ctx, k)
		},
		"replacement":    func(int) error { return t.ReplaceKey(ctx, aKey(0, 0).ID, noon, aKey(400, 0)) },
		"session":        func(int) error { return t.AddSession(ctx, aSession(500, 0)) },
		"ticket":         func(int) error { return t.AddTicket(ctx, aTicket(600)) },
		"endpoint":       func(int) error { return t.AddEndpoint(ctx, anEndpoint(0, 0), 9) },
		"watch":          func(int) error { return t.AddWatch(ctx, aWatch(0, 0), 9) },
		"event":          func(int) error { return drop(t.Post(ctx, news(0))) },
		"identity":       func(int) error { return t.AddIdentity(ctx, anIdentity(700, 0)) },
		"id of a client": func(int) error { return t.AddClient(ctx, aClient(800), 100) },
		"hash of a code": func(i int) error {
			c := aCode(900+i, 0)
			c.Hash = hash(99)
			return t.AddCode(ctx, c)
		},
		"id of a grant": func(i int) error {
			c := aCode(1000+i, 0)
			c.Grant.ID = "one"
			return t.AddCode(ctx, c)
		},
	} {
		var got atomic.Int32
		together(callers(), func(i int) {
			switch err := add(i); {
			case err == nil:
				got.Add(1)
			case !errors.Is(err, store.ErrExists):
				t.Errorf("%s: got error %v, want %v", what, err, store.ErrExists)
			}
		})
		t.same(what+": callers that succeeded", got.Load(), int32(1))
	}
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("keys", len(list), 4)
}

// refusedTogether checks that refused writes change nothing, even if the engine groups them with
// successful ones.
func refusedTogether(t *trial) {
	t.fill()
	ctx := t.Context()
	t.setMeta("busy", nil)
	before := t.state()
	sameEmail, sameID, sameHash := anAccount(7), aKey(6, 0), aKey(7, 0)
	sameEmail.Email, sameID.ID, sameHash.Hash = anAccount(0).Email, aKey(10, 1).ID, hash(10)
	refused := []func() error{
		func() error { return drop(t.Post(ctx, anEvent(90, 0), anEvent(0, 0))) },
		func() error { return t.AddEndpoint(ctx, anEndpoint(0, 1), 9) },
		func() error { return t.SaveWatch(ctx, aWatch(0, 0), anEvent(91, 0), news(10)) },
		func() error { return t.PutIncident(ctx, anIncident(9), anEvent(92, 0), news(10)) },
		func() error { return t.AddAccount(ctx, sameEmail) },
		func() error { return t.AddKey(ctx, sameID) },
		func() error { return t.AddKey(ctx, sameHash) },
		func() error { return t.ReplaceKey(ctx, aKey(1, 0).ID, noon, sameID) },
		func() error { return t.ReplaceKey(ctx, aKey(1, 0).ID, noon, sameHash) },
		func() error { return t.AddSession(ctx, aSession(10, 0)) },
		func() error { return t.AddTicket(ctx, aTicket(1)) },
		func() error { return t.AddIdentity(ctx, anIdentity(1, 1)) },
		func() error { return t.AddClient(ctx, aClient(1), 1) },
		func() error { return t.AddCode(ctx, aCode(1, 1)) },
		func() error { return t.Join(ctx, aJoining(1, 1)) },
		func() error { return t.Join(ctx, aJoining(8, 8)) },
		func() error { return t.SetPassword(ctx, accountID(0), "hash", new(hash(8))) },
		func() error { return t.SetPassword(ctx, accountID(5), "hash", new(hash(1))) },
		func() error { return t.AddIdentity(ctx, anIdentity(8, 5)) },
		func() error { return t.AddCode(ctx, aCode(8, 5)) },
		func() error { return t.AddKey(ctx, aKey(8, 5)) },
		func() error { return t.ReplaceKey(ctx, aKey(1, 0).ID, noon, aKey(8, 5)) },
		func() error { return t.AddSession(ctx, aSession(8, 5)) },
		func() error { return t.RemoveAccount(ctx, accountID(5)) },
		func() error { return t.AddEndpoint(ctx, anEndpoint(90, 5), 9) },
		func() error { return t.PutEndpoint(ctx, anEndpoint(90, 0)) },
		func() error { return t.AddWatch(ctx, aWatch(90, 5), 9) },
		func() error { return drop(t.Replay(ctx, endpointID(90), []string{eventID(0)}, noon)) },
	}
	together(crowd, func(i int) {
		if i%2 == 0 {
			t.setMeta("busy", []byte{byte(i)})
			return
		}
		n := i / 2 % len(refused)
		want := store.ErrExists
		if n >= 15 {
			want = store.ErrNotFound
		}
		t.fails(fmt.Sprint("refusal ", n), refused[n](), want)
	})
	t.setMeta("busy", nil)
	t.unchanged("refused writes among others", before)
	t.reopen()
	t.unchanged("refused writes, opened again", before)
}

// removedTogether checks that nothing of a removed account remains, even if other callers add to it
// concurrently.
func removedTogether(t *trial) {
	ctx := t.Context()
	for round := range part(8, 3) {
		t.ok(t.AddAccount(ctx, anAccount(0)))
		together(32, func(i int) {
			n := 100*round + i
			var err error
			switch i % 8 {
			case 0:
				err = t.AddKey(ctx, aKey(n, 0))
			case 1:
				err = t.AddSession(ctx, aSession(n, 0))
			case 2:
				_, _, err = t.Reserve(ctx, accountID(0), store.Month(202601+i/8), 5, 100)
			case 3:
				err = t.AddIdentity(ctx, anIdentity(n, 0))
			case 4:
				err = t.SetPassword(ctx, accountID(0), aPassword(n, 0), nil)
			case 5, 6:
				if err = t.AddCode(ctx, aCode(n, 0)); err == nil {
					_, err = t.RedeemCode(ctx, hash(n), token(n, 0), noon)
				}
			case 7:
				err = t.RemoveAccount(ctx, accountID(0))
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("caller %d: %v", i, err)
			}
		})
		t.fails("RemoveAccount after all", t.RemoveAccount(ctx, accountID(0)), store.ErrNotFound)
		t.password(0, "")
		for i := range 32 {
			n := 100*round + i
			t.noKey(aKey(n, 0))
			t.noSession(n)
			t.noIdentity(anIdentity(n, 0))
			t.noCode(n)
			t.noGrant(n)
			t.used(accountID(0), store.Month(202601+i/8), 0)
		}
	}
}

// allTogether calls all methods concurrently and checks that every change was made.
func allTogether(t *trial) {
	ctx := t.Context()
	together(16, func(i int) {
		steps := []func() error{
			func() error { return t.AddAccount(ctx, anAccount(i)) },
			func() error { return t.AddKey(ctx, aKey(10*i, i)) },
			func() error { return t.AddSession(ctx, aSession(10*i, i)) },
			func() error { return t.ReplaceKey(ctx, aKey(10*i, i).ID, noon, aKey(10*i+1, i)) },
			func() error { _, _, err := t.Reserve(ctx, accountID(i), 202611, 64, 1000); return err },
			func() error { return t.Return(ctx, accountID(i), 202611, 14) },
			func() error { return t.TouchKeys(ctx, []store.Touch{aTouch(10 * i)}) },
			func() error { return t.SetPlan(ctx, accountID(i), "pro") },
			func() error { return t.PutIncident(ctx, anIncident(i)) },
			func() error { return t.AddTicket(ctx, aTicket(10*i)) },
			func() error { return t.Join(ctx, aJoining(100+i, 10*i)) },
			func() error { return t.AddClient(ctx, aClient(10*i), 100) },
			func() error { return t.AddCode(ctx, aCode(10*i, 100+i)) },
			func() error { _, err := t.RedeemCode(ctx, hash(10*i), token(10*i, 0), noon); return err },
			func() error { _, err := t.Rotate(ctx, aRotation(10*i, 0, noon)); return err },
			func() error { _, _, err := t.Grant(ctx, grantID(10*i)); return err },
			func() error { return t.SwapMeta(ctx, fmt.Sprint("fact", i), nil, []byte{byte(i)}) },
			func() error { return t.RevokeKey(ctx, aKey(10*i, i).ID, noon) },
			func() error { _, err := t.Sweep(ctx, noon.AddDate(-1, 0, 0), 1000); return err },
			func() error { return t.Ready(ctx) },
			func() error { _, err := t.Accounts(ctx, "", math.MaxInt); return err },
			func() error { _, err := t.KeysOf(ctx, accountID(i)); return err },
			func() error { _, err := t.Incidents(ctx, time.Time{}, 1000); return err },
			func() error { _, _, err := t.KeyByHash(ctx, hash(10*i)); return err },
			func() error { _, _, err := t.Session(ctx, hash(10*i)); return err },
		}
		for n, step := range steps {
			if err := step(); err != nil {
				t.Errorf("caller %d, step %d: %v", i, n, err)
			}
		}
	})
	for range 2 {
		for i := range 16 {
			t.allOf(i)
		}
		t.reopen()
	}
}

// allOf checks the changes of caller i of allTogether.
func (t *trial) allOf(i int) {
	ctx := t.Context()
	a := anAccount(i)
	a.Plan = "pro"
	got, err := t.AccountByEmail(ctx, a.Email)
	t.ok(err)
	t.same("account", got, a)
	old := aKey(10*i, i)
	old.Expires, old.Revoked = noon, noon
	old.LastUsed, old.LastAddress = aTouch(0).Day, aTouch(0).Address
	t.isKey(old)
	t.isKey(aKey(10*i+1, i))
	t.isSession(aSession(10*i, i))
	t.used(a.ID, 202611, 50)
	t.noTicket(10 * i)
	t.isIdentity(anIdentity(100+i, 100+i))
	t.password(100+i, aPassword(0, 100+i))
	grant, client := aGrant(10*i, 100+i), aClient(10*i)
	grant.Used, grant.Expires = noon, aRotation(10*i, 0, noon).Expires
	client.Expires = grant.Expires
	t.isGrant(grant)
	t.isClient(client)
	incident, err := t.Incident(ctx, anIncident(i).ID)
	t.ok(err)
	t.same("incident", incident, anIncident(i))
	fact, err := t.Meta(ctx, fmt.Sprint("fact", i))
	t.ok(err)
	t.same("fact", fact, []byte{byte(i)})
}
