package storetest

import (
	"fmt"
	"time"

	"leadline/store"
)

// isSession checks that a session is stored unchanged.
func (t *trial) isSession(want store.Session) {
	t.Helper()
	got, owner, err := t.Session(t.Context(), want.Hash)
	t.ok(err)
	t.same("Session", got, want)
	t.same("account of the session", owner.ID, want.Account)
}

// noSession checks that session n does not exist.
func (t *trial) noSession(n int) {
	t.Helper()
	_, _, err := t.Session(t.Context(), hash(n))
	t.fails(fmt.Sprint("Session ", n), err, store.ErrNotFound)
}

func sessions(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	ended, endless := aSession(2, 0), aSession(3, 0)
	ended.Expires, endless.Expires = noon.AddDate(-10, 0, 0), time.Time{}
	want := []store.Session{aSession(1, 0), ended, endless}
	for _, s := range want {
		t.ok(t.AddSession(ctx, s))
	}
	for range 2 {
		for _, s := range want {
			t.isSession(s)
		}
		_, owner, err := t.Session(ctx, hash(1))
		t.ok(err)
		t.same("account of a session", owner, anAccount(0))
		t.noSession(4)
		t.reopen()
	}
}

func sessionTaken(t *trial) {
	t.fill()
	before := t.state()
	again := aSession(10, 0) // a session of the other account
	again.Expires = noon
	t.fails("AddSession with a hash that is taken", t.AddSession(t.Context(), again), store.ErrExists)
	t.fails("AddSession for nobody", t.AddSession(t.Context(), aSession(5, 2)), store.ErrNotFound)
	t.unchanged("sessions that were refused", before)
	t.noSession(5)
}

func removeSessions(t *trial) {
	t.fill()
	ctx := t.Context()
	t.ok(t.RemoveSession(ctx, hash(1)))
	t.ok(t.RemoveSession(ctx, hash(1)))
	t.ok(t.RemoveSession(ctx, hash(99)))
	t.noSession(1)
	t.isSession(aSession(0, 0))
	t.isSession(aSession(11, 1))
	t.ok(t.RemoveSessions(ctx, accountID(0)))
	t.ok(t.RemoveSessions(ctx, accountID(0)))
	t.ok(t.RemoveSessions(ctx, accountID(9)))
	for range 2 {
		for n := range 3 {
			t.noSession(n)
			t.isSession(aSession(10+n, 1))
			t.isKey(aKey(n, 0))
		}
		t.reopen()
	}
	t.ok(t.AddSession(ctx, aSession(1, 1)))
	t.isSession(aSession(1, 1))
}

// sweepSessions checks that a session is removed at the second of its expiry.
func sweepSessions(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	for n, expires := range ends {
		s := aSession(n, 0)
		s.Expires = expires
		t.ok(t.AddSession(ctx, s))
	}
	t.sweep(noon.Add(-time.Nanosecond))
	t.noSession(0)
	t.noSession(1)
	_, _, err := t.Session(ctx, hash(2))
	t.ok(err)
	t.sweep(noon.Add(999 * time.Millisecond).In(time.FixedZone("", -5*3600)))
	for range 2 {
		t.noSession(2)
		for n := 3; n < 6; n++ {
			_, _, err := t.Session(ctx, hash(n))
			t.ok(err)
		}
		t.reopen()
	}
	t.ok(t.AddSession(ctx, aSession(0, 0)))
	t.ok(t.RemoveSessions(ctx, accountID(0)))
	t.noSession(3)
}

// sweepMonths checks that a month is removed 13 months after its end.
func sweepMonths(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	for _, m := range []store.Month{202408, 202508, 202509, 202510, 202610, 202611} {
		t.reserves(accountID(0), m, 5, 100, 5, 5)
		t.reserves(accountID(1), m, 6, 100, 6, 6)
	}
	months := func(when string, want ...store.Month) {
		t.Helper()
		for n := range 2 {
			list, err := t.Months(ctx, accountID(n))
			t.ok(err)
			var got []store.Month
			for _, u := range list {
				got = append(got, u.Month)
			}
			t.same("months "+when, got, want)
		}
	}
	// 13 months after the end of 202509
	edge := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	t.sweep(edge)
	months("at the edge", 202611, 202610, 202510, 202509)
	t.sweep(edge.Add(time.Second))
	months("past the edge", 202611, 202610, 202510)
	t.reopen()
	months("opened again", 202611, 202610, 202510)
	t.used(accountID(0), 202509, 0)
	t.reserves(accountID(0), 202509, 7, 100, 7, 7)
}

// sessionsOf checks that the sessions of an account are listed in order.
func sessionsOf(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	var want []store.Session
	for n := range 5 {
		s := aSession(n, 0)
		s.Created = noon.Add(-time.Duration(n) * time.Hour)
		s.Expires = noon.AddDate(0, 0, n-2) // expired ones too
		want = append(want, s)
	}
	for _, n := range []int{2, 0, 4, 1, 3} {
		t.ok(t.AddSession(ctx, want[n]))
	}
	t.ok(t.AddSession(ctx, aSession(9, 1)))
	for range 2 {
		got, err := t.SessionsOf(ctx, accountID(0))
		t.ok(err)
		t.same("SessionsOf", got, want)
		got, err = t.SessionsOf(ctx, accountID(2))
		t.ok(err)
		t.same("sessions of nobody", len(got), 0)
		t.reopen()
	}
}

// touchSession checks that only the last day of use changes.
func touchSession(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	want := aSession(1, 0)
	t.ok(t.AddSession(ctx, want))
	t.ok(t.AddSession(ctx, aSession(2, 0)))
	for _, day := range []store.Day{20261122, 20261123, 20261123} {
		want.Seen = day
		t.ok(t.TouchSession(ctx, want.Hash, day))
		t.isSession(want)
	}
	t.ok(t.TouchSession(ctx, hash(9), 20261122))
	t.noSession(9)
	for range 2 {
		t.isSession(want)
		t.isSession(aSession(2, 0))
		t.reopen()
	}
}

func sweepNothingElse(t *trial) {
	t.fill()
	before := t.state()
	t.sweep(time.Time{})
	t.unchanged("long before", before)
	t.sweep(noon.Add(-time.Second))
	t.unchanged("before anything expires", before)
	t.sweep(noon.AddDate(0, 0, 40))
	without := t.state()
	t.sweep(time.Date(2027, time.October, 31, 23, 59, 59, 0, time.UTC))
	t.unchanged("after everything has expired", without)
	t.sweep(time.Date(2036, time.January, 1, 0, 0, 0, 0, time.UTC))
	for n := range 2 {
		list, err := t.Months(t.Context(), accountID(n))
		t.ok(err)
		t.same("months long after", len(list), 0)
		t.password(n, aPassword(0, n))
		for i := range 3 {
			t.noKey(aKey(10*n+i, n))
			t.isIdentity(anIdentity(10*n+i, n))
		}
	}
}
