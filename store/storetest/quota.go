package storetest

import (
	"math"

	"leadline/store"
)

// reserves checks the results of Reserve.
func (t *trial) reserves(account string, month store.Month, n, limit, granted, reserved uint64) {
	t.Helper()
	g, r, err := t.Reserve(t.Context(), account, month, n, limit)
	t.ok(err)
	if g != granted || r != reserved {
		t.Errorf("Reserve(%d, %d) = %d, %d, want %d, %d", n, limit, g, r, granted, reserved)
	}
}

func reserve(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	me := accountID(0)
	t.used(me, 202611, 0)
	t.reserves(me, 202611, 0, 100, 0, 0)
	t.reserves(me, 202611, 5, 0, 0, 0)
	t.reserves(me, 202611, 60, 100, 60, 60)
	t.reserves(me, 202611, 0, 100, 0, 60)
	t.reopen()
	t.used(me, 202611, 60)
	t.reserves(me, 202611, 60, 100, 40, 100)
	t.reserves(me, 202611, 1, 100, 0, 100)
	t.reserves(me, 202611, 1, 101, 1, 101)
	t.reserves(me, 202611, math.MaxUint64, math.MaxUint64, math.MaxUint64-101, math.MaxUint64)
	t.reserves(me, 202611, math.MaxUint64, math.MaxUint64, 0, math.MaxUint64)
	t.reopen()
	t.used(me, 202611, math.MaxUint64)
	g, r, err := t.Reserve(ctx, accountID(1), 202611, 5, 100)
	t.fails("Reserve of nobody", err, store.ErrNotFound)
	t.same("results for an unknown account", []uint64{g, r}, []uint64{0, 0})
	t.used(accountID(1), 202611, 0)
	t.ok(t.AddAccount(ctx, anAccount(1)))
	t.used(accountID(1), 202611, 0)
}

// reserveLowerLimit checks that a limit may be below the units that are already reserved.
func reserveLowerLimit(t *trial) {
	t.ok(t.AddAccount(t.Context(), anAccount(0)))
	me := accountID(0)
	t.reserves(me, 202611, 100, 100, 100, 100)
	t.reserves(me, 202611, 10, 50, 0, 100)
	t.reserves(me, 202611, 10, 0, 0, 100)
	t.reserves(me, 202611, math.MaxUint64, 99, 0, 100)
	t.ok(t.Return(t.Context(), me, 202611, 70))
	t.reserves(me, 202611, 30, 50, 20, 50)
}

// reserveApart checks that months and accounts are counted separately.
func reserveApart(t *trial) {
	ctx := t.Context()
	months := []store.Month{202512, 202601, 202602}
	for n := range 3 {
		t.ok(t.AddAccount(ctx, anAccount(n)))
		for i, m := range months {
			t.reserves(accountID(n), m, uint64(10*n+i+1), 100, uint64(10*n+i+1), uint64(10*n+i+1))
		}
	}
	t.ok(t.Return(ctx, accountID(1), 202601, 5))
	for range 2 {
		for n := range 3 {
			for i, m := range months {
				want := uint64(10*n + i + 1)
				if n == 1 && m == 202601 {
					want -= 5
				}
				t.used(accountID(n), m, want)
			}
		}
		t.reopen()
	}
}

func returnUnits(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	me := accountID(0)
	t.reserves(me, 202611, 64, 100, 64, 64)
	t.ok(t.Return(ctx, me, 202611, 14))
	t.ok(t.Return(ctx, me, 202611, 0))
	for range 2 {
		t.used(me, 202611, 50)
		t.reopen()
	}
	t.reserves(me, 202611, 64, 100, 50, 100)
	t.ok(t.Return(ctx, me, 202611, 100))
	t.used(me, 202611, 0)
	t.ok(t.Return(ctx, me, 202611, 1)) // nothing to return: must not create units
	t.used(me, 202611, 0)
	t.reserves(me, 202611, 64, 100, 64, 64)
	t.ok(t.Return(ctx, me, 202611, math.MaxUint64))
	t.used(me, 202611, 0)
	t.ok(t.Return(ctx, me, 202612, 5))
	t.ok(t.Return(ctx, accountID(1), 202611, 5)) // an account may have been removed meanwhile
	t.used(me, 202612, 0)
	t.used(accountID(1), 202611, 0)
}

func months(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	me := accountID(0)
	for i, m := range []store.Month{202601, 202512, 202611, 202610, 202609} {
		t.reserves(me, m, uint64(10+i), 100, uint64(10+i), uint64(10+i))
	}
	t.reserves(accountID(1), 202608, 5, 100, 5, 5)
	t.reserves(me, 202607, 5, 0, 0, 0)   // the limit allows none
	t.reserves(me, 202606, 0, 100, 0, 0) // none are requested
	t.ok(t.Return(ctx, me, 202605, 5))
	t.ok(t.Return(ctx, me, 202610, 13))
	want := []store.Used{
		{Month: 202611, Units: 12},
		{Month: 202610, Units: 0},
		{Month: 202609, Units: 14},
		{Month: 202601, Units: 10},
		{Month: 202512, Units: 11},
	}
	for range 2 {
		got, err := t.Months(ctx, me)
		t.ok(err)
		t.same("Months", got, want)
		t.reopen()
	}
	none, err := t.Months(ctx, accountID(2))
	t.ok(err)
	t.same("months of nobody", len(none), 0)
}
