package storetest

import (
	"math"
	"time"

	"leadline/store"
)

// usesOf checks the uses of an account.
func (t *trial) usesOf(account int, from, to store.Day, want ...store.Use) {
	t.Helper()
	got, err := t.UsesOf(t.Context(), accountID(account), from, to)
	t.ok(err)
	if len(got) == 0 && len(want) == 0 {
		return
	}
	t.same("UsesOf", got, want)
}

// uses checks that counts of an account, a day and a surface are added up.
func uses(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	t.ok(t.AddAccount(ctx, anAccount(1)))
	last, first := aUse(0, 20261130, "mcp"), aUse(0, 20261201, "mcp")
	rest, other := aUse(0, 20261130, "rest"), aUse(1, 20261130, "mcp")
	rest.Refused, other.Served = 0, 0
	list := []store.Use{rest, first, last, other, aUse(2, 20261130, "mcp"), last}
	t.ok(t.AddUses(ctx, list))
	list[0].Served = 9 // must not change the stored value
	t.ok(t.AddUses(ctx, []store.Use{last, rest}))
	t.ok(t.AddUses(ctx, nil))
	last.Served, last.Refused = 3*last.Served, 3*last.Refused
	rest.Served, rest.Refused = 2*rest.Served, 2*rest.Refused
	for range 2 {
		t.usesOf(0, 20260101, 20271231, last, rest, first)
		t.usesOf(0, 20261130, 20261130, last, rest)
		t.usesOf(0, 20261201, 20261201, first)
		t.usesOf(0, 20261202, 20271231)
		t.usesOf(0, 20261201, 20261130)
		t.usesOf(1, 20260101, 20271231, other)
		t.usesOf(2, 20260101, 20271231)
		t.reopen()
	}
	t.ok(t.AddAccount(ctx, anAccount(2)))
	t.usesOf(2, 20260101, 20271231) // an account gets nothing of the time before it existed
}

// usesAtMost checks that a count that is too high for its type stays at the highest.
func usesAtMost(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	most := aUse(0, 20261121, "mcp")
	most.Served, most.Refused = math.MaxUint32, math.MaxUint32-1
	t.ok(t.AddUses(ctx, []store.Use{most}))
	t.usesOf(0, 20261121, 20261121, most)
	t.ok(t.AddUses(ctx, []store.Use{{Account: accountID(0), Day: most.Day, Surface: "mcp",
		Served: 5, Refused: 5}}))
	most.Refused = math.MaxUint32
	t.usesOf(0, 20261121, 20261121, most)
}

// usesTogether checks that no count of concurrent callers is lost.
func usesTogether(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	one := store.Use{Account: accountID(0), Day: 20261121, Surface: "rest", Served: 2, Refused: 1}
	together(callers(), func(int) {
		if err := t.AddUses(ctx, []store.Use{one, one}); err != nil {
			t.Errorf("AddUses: %v", err)
		}
	})
	one.Served, one.Refused = uint32(4*callers()), uint32(2*callers())
	t.usesOf(0, 20261121, 20261121, one)
}

// uptime checks that each minute of a component counts once, and none before the last.
func uptime(t *trial) {
	mark := func(at time.Time, states map[string]string) {
		t.Helper()
		t.ok(t.MarkMinute(t.Context(), at, states))
	}
	all := func(state string) map[string]string { return map[string]string{"API": state, "AP": state} }
	midnight := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)
	mark(midnight, all(store.ComponentOK))
	mark(midnight.Add(59*time.Second), all(store.ComponentDown)) // the same minute
	mark(midnight.Add(2*time.Minute), map[string]string{"API": store.ComponentDegraded})
	mark(midnight.Add(time.Minute), all(store.ComponentDown)) // too late for one of them
	mark(midnight.Add(time.Hour).In(time.FixedZone("", 3600)), all(store.ComponentOK))
	mark(midnight.Add(-time.Second), all(store.ComponentDown)) // the last minute of the day before
	mark(midnight, nil)
	yesterday := store.ComponentDay{Day: 20261120, Down: 1, Last: 1440}
	today := store.ComponentDay{Component: "AP", Day: 20261121, OK: 2, Down: 1, Last: 61}
	named := func(d store.ComponentDay, name string) store.ComponentDay {
		d.Component = name
		return d
	}
	api := store.ComponentDay{Component: "API", Day: 20261121, OK: 2, Degraded: 1, Last: 61}
	for range 2 {
		for from, want := range map[store.Day][]store.ComponentDay{
			20261120: {named(yesterday, "AP"), today, named(yesterday, "API"), api},
			20261121: {today, api},
		} {
			got, err := t.ComponentDays(t.Context(), from)
			t.ok(err)
			t.same("ComponentDays", got, want)
		}
		none, err := t.ComponentDays(t.Context(), 20261122)
		t.ok(err)
		t.same("days to come", len(none), 0)
		t.reopen()
	}
	before := t.state()
	unknown := map[string]string{"API": store.ComponentOK, "NWS": "fine"}
	t.fails("MarkMinute of an unknown state",
		t.MarkMinute(t.Context(), midnight.Add(2*time.Hour), unknown), store.ErrUnavailable)
	t.unchanged("an unknown state", before)
}

// uptimeTogether checks that of several processes that mark a minute one is counted.
func uptimeTogether(t *trial) {
	together(callers(), func(i int) {
		at := noon.Add(time.Duration(i) * time.Minute / time.Duration(callers()))
		if err := t.MarkMinute(t.Context(), at, someStates()); err != nil {
			t.Errorf("MarkMinute: %v", err)
		}
	})
	got, err := t.ComponentDays(t.Context(), 0)
	t.ok(err)
	t.same("ComponentDays", got, []store.ComponentDay{
		{Component: "API", Day: 20261121, OK: 1, Last: 721},
		{Component: "NOAA CO-OPS", Day: 20261121, Degraded: 1, Last: 721},
		{Component: "NWS", Day: 20261121, Down: 1, Last: 721},
	})
}
