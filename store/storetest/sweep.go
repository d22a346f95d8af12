package storetest

import (
	"time"

	"leadline/store"
)

// sweepKeys checks that a key is removed at the second at which it was inactive for KeyRetention.
func sweepKeys(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	ended := noon.Add(-store.KeyRetention)
	for n, expires := range ends {
		k := aKey(n, 0)
		if k.Expires = expires; !expires.IsZero() {
			k.Expires = expires.Add(-store.KeyRetention)
		}
		t.ok(t.AddKey(ctx, k))
	}
	revoked, replaced, next := aKey(10, 0), aKey(11, 0), aKey(12, 0)
	next.From = replaced.ID
	for _, k := range []store.Key{revoked, replaced, aKey(13, 0)} {
		k.Expires = time.Time{}
		t.ok(t.AddKey(ctx, k))
	}
	t.ok(t.RevokeKey(ctx, revoked.ID, ended))
	t.ok(t.ReplaceKey(ctx, replaced.ID, ended, next))
	late := aKey(14, 0) // expired before it was revoked
	late.Expires = ended.Add(-time.Second)
	t.ok(t.AddKey(ctx, late))
	t.ok(t.RevokeKey(ctx, late.ID, noon))
	t.ok(t.TouchKeys(ctx, []store.Touch{aTouch(10), aTouch(14)}))
	t.sweptAtNoon(func(n int) error { _, err := t.Key(ctx, aKey(n, 0).ID); return err })
	for _, k := range []store.Key{revoked, replaced, late} {
		t.noKey(k)
	}
	t.isKey(next)
	list, err := t.KeysOf(ctx, accountID(0))
	t.ok(err)
	t.same("keys", ids(list), []string{"key0003", "key0004", "key0005", "key0012", "key0013"})
	t.ok(t.AddKey(ctx, aKey(0, 0)))
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	t.sweep(noon.AddDate(10, 0, 0)) // does not find removed keys
}

// sweepDays checks that days of use and of components are removed with their month.
func sweepDays(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	days := []store.Day{20240831, 20250901, 20250930, 20251001, 20261121}
	for _, d := range days {
		t.ok(t.AddUses(ctx, []store.Use{aUse(0, d, "mcp"), aUse(0, d, "rest")}))
		t.ok(t.MarkMinute(ctx, d.Start(), map[string]string{"API": store.ComponentOK}))
	}
	remain := func(when string, want ...store.Day) {
		t.Helper()
		var got, marked []store.Day
		list, err := t.UsesOf(ctx, accountID(0), 0, 99991231)
		t.ok(err)
		for _, u := range list[:len(list)/2*2] {
			if u.Surface == "mcp" {
				got = append(got, u.Day)
			}
		}
		t.same("days of use "+when, got, want)
		t.same("rows "+when, len(list), 2*len(want))
		components, err := t.ComponentDays(ctx, 0)
		t.ok(err)
		for _, c := range components {
			marked = append(marked, c.Day)
		}
		t.same("days of components "+when, marked, want)
	}
	edge := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	t.sweep(edge)
	remain("at the edge", days[1:]...)
	t.sweep(edge.Add(time.Second))
	remain("past the edge", days[3:]...)
	t.reopen()
	remain("opened again", days[3:]...)
}

// sweepInSteps checks that Sweep removes at most n rows of each kind and reports whether there are
// more.
func sweepInSteps(t *trial) {
	ctx := t.Context()
	const rows, n = 7, 3
	for i := range rows {
		t.ok(t.AddAccount(ctx, anAccount(i)))
		t.ok(t.AddKey(ctx, aKey(i, i)))
		t.ok(t.AddSession(ctx, aSession(i, i)))
		t.ok(t.AddTicket(ctx, aTicket(i)))
		t.ok(t.AddClient(ctx, aClient(i), 100))
		t.ok(t.AddCode(ctx, aCode(i, i)))
		_, err := t.RedeemCode(ctx, hash(i), token(i, 0), noon)
		t.ok(err)
		_, _, err = t.Reserve(ctx, accountID(i), 202611, 5, 100)
		t.ok(err)
		t.ok(t.AddUses(ctx, []store.Use{aUse(i, 20261121, "mcp")}))
		t.ok(t.MarkMinute(ctx, noon.AddDate(0, 0, -i), map[string]string{"API": store.ComponentOK}))
	}
	late := noon.AddDate(10, 0, 0)
	for left := rows; left > 0; {
		left = max(0, left-n)
		more, err := t.Sweep(ctx, late, n)
		t.ok(err)
		t.same("more", more, left > 0)
		for what, got := range t.sweepable(rows) {
			t.same(what+" that remain", got, left)
		}
	}
	more, err := t.Sweep(ctx, late, n)
	t.ok(err)
	t.same("more after all", more, false)
	t.sweep(late)
	list, err := t.Accounts(ctx, "", 100)
	t.ok(err)
	t.same("accounts", len(list), rows)
}

// sweepable counts the rows of each kind that Sweep removes, of those with the numbers up to n.
func (t *trial) sweepable(n int) map[string]int {
	t.Helper()
	ctx, count := t.Context(), map[string]int{}
	add := func(what string, err error) {
		count[what] += 0
		if err == nil {
			count[what]++
		}
	}
	for i := range n {
		_, err := t.Key(ctx, aKey(i, i).ID)
		add("keys", err)
		_, _, err = t.Session(ctx, hash(i))
		add("sessions", err)
		_, err = t.Ticket(ctx, hash(i))
		add("tickets", err)
		_, err = t.Client(ctx, aClient(i).ID)
		add("clients", err)
		_, err = t.Code(ctx, hash(i))
		add("codes", err)
		_, _, err = t.Grant(ctx, grantID(i))
		add("grants", err)
		months, err := t.Months(ctx, accountID(i))
		t.ok(err)
		count["months"] += len(months)
		uses, err := t.UsesOf(ctx, accountID(i), 0, 99991231)
		t.ok(err)
		count["days of use"] += len(uses)
	}
	days, err := t.ComponentDays(ctx, 0)
	t.ok(err)
	count["days of components"] = len(days)
	return count
}
