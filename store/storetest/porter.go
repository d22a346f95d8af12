package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/store"
)

// porter returns the store as one that can be copied, or ends the trial.
func (t *trial) porter() store.Porter {
	t.Helper()
	p, ok := t.Engine.(store.Porter)
	if !ok {
		t.Skip("the engine cannot copy its rows")
	}
	return p
}

// other returns another empty store of the engine as a trial of its own.
func (t *trial) other() *trial {
	t.Helper()
	open := t.place(t.T)
	return &trial{T: t.T, Engine: open(), open: open, place: t.place}
}

// exported returns all records of a store, read in pages of n.
func (t *trial) exported(n int) []store.Record {
	t.Helper()
	var all []store.Record
	for _, kind := range store.Kinds() {
		after := ""
		for {
			list, err := t.porter().Export(t.Context(), kind, after, n)
			t.ok(err)
			for _, r := range list {
				if r.Kind != kind || r.Key <= after {
					t.Errorf("record %q of %s follows %q of %s", r.Key, r.Kind, after, kind)
				}
				after = r.Key
			}
			all = append(all, list...)
			if len(list) < n {
				break
			}
		}
	}
	return all
}

// imports adds records, n in each call.
func (t *trial) imports(list []store.Record, n int) {
	t.Helper()
	for part := range slices.Chunk(list, n) {
		t.ok(t.porter().Import(t.Context(), part))
	}
}

// tally returns the sums of all kinds.
func (t *trial) tally() map[string]store.Sum {
	t.Helper()
	sums, err := t.porter().Tally(t.Context())
	t.ok(err)
	return sums
}

// sameRecords checks that two lists of records are equal.
func (t *trial) sameRecords(what string, got, want []store.Record) {
	t.Helper()
	equal := func(a, b store.Record) bool {
		return a.Kind == b.Kind && a.Key == b.Key && bytes.Equal(a.Body, b.Body)
	}
	if slices.EqualFunc(got, want, equal) {
		return
	}
	t.Errorf("%s: got %d records, want %d", what, len(got), len(want))
	for i := range min(len(got), len(want)) {
		if !equal(got[i], want[i]) {
			t.Fatalf("%s, record %d:\ngot  %s %q %s\nwant %s %q %s", what, i, got[i].Kind, got[i].Key,
				got[i].Body, want[i].Kind, want[i].Key, want[i].Body)
		}
	}
}

// sameDump checks that the dumps of two stores are equal.
func (t *trial) sameDump(what, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("%s, line %d of the dump:\ngot  %s\nwant %s", what, i, g[i], w[i])
			return
		}
	}
	t.same(what+": lines of the dump", len(g), len(w))
}

// fillAll fills a store with what Fill omits too: replaced tokens, replaced and used keys, a spread
// that is interrupted, events without an end, rows in every state.
func (t *trial) fillAll() {
	t.Helper()
	Fill(t.T, t)
	ctx := t.Context()
	forever := onceOnly(20, 0, "forever")
	forever.Expires, forever.OnceUntil = time.Time{}, time.Time{}
	paused := aFailure(0, 1, noon, noon.Add(time.Minute))
	paused.Health.PauseUntil = noon.Add(time.Hour)
	empty := aKey(8, 1)
	empty.Scopes, empty.Expires = nil, time.Time{}
	for i, err := range []error{
		t.AddKey(ctx, empty),
		t.ReplaceKey(ctx, aKey(0, 0).ID, noon, aKey(9, 0)),
		t.RevokeKey(ctx, aKey(1, 0).ID, noon),
		t.TouchKeys(ctx, []store.Touch{aTouch(2)}),
		drop(t.Rotate(ctx, aRotation(1, 0, noon))),
		drop(t.Rotate(ctx, aRotation(1, 1, noon.Add(time.Second)))),
		drop(t.Rotate(ctx, aRotation(1, 2, noon.Add(2*time.Second)))),
		drop(t.Post(ctx, forever)),
		t.Finish(ctx, []store.Result{paused}),
		drop(t.Spread(ctx, 1)),
		t.PutIncident(ctx, anIncident(2)),
		t.SwapMeta(ctx, "empty", nil, nil),
		t.AddIdentity(ctx, store.Identity{
			Issuer: "https://id.example.org/\x01", Subject: "zoë & <co>", Account: accountID(1),
		}),
	} {
		if err != nil {
			t.Fatalf("filling the store, step %d: %v", i, err)
		}
	}
}

// port checks that an import of all records makes an equal store, with equal indexes, regardless of
// the sizes of pages.
func port(t *trial) {
	t.fillAll()
	all := t.exported(1000)
	kinds := map[string]bool{}
	for _, r := range all {
		kinds[r.Kind] = true
	}
	t.same("kinds of records", len(kinds), len(store.Kinds()))
	t.sameRecords("one by one", t.exported(1), all)
	t.sameRecords("in threes", t.exported(3), all)
	sums, dump := t.tally(), Dump(t.T, t)
	for _, n := range []int{1, 7, len(all)} {
		copied := t.other()
		copied.imports(all, n)
		t.sameRecords("copy", copied.exported(5), all)
		t.same("tally of the copy", copied.tally(), sums)
		t.sameDump(fmt.Sprint("copy in steps of ", n), Dump(t.T, copied), dump)
		copied.reopen()
		t.same("tally of the copy, opened again", copied.tally(), sums)
	}
	t.sameDump("after exports", Dump(t.T, t), dump)
}

// portEmpty checks the records and the sums of an empty store.
func portEmpty(t *trial) {
	t.same("records", len(t.exported(10)), 0)
	sums := t.tally()
	for _, kind := range store.Kinds() {
		t.same("records of "+kind, sums[kind].Count, 0)
	}
	t.same("kinds", len(sums), len(store.Kinds()))
	before := t.state()
	t.ok(t.porter().Import(t.Context(), nil))
	t.unchanged("after an import of nothing", before)
}

// portComplete checks that every change of a store changes its sums, and that a copy of it can be
// used like the store.
func portComplete(t *trial) {
	t.fill()
	copied := t.other()
	copied.imports(t.exported(1000), 1000)
	before := t.tally()
	list := Methods()
	for n, m := range list {
		t.ok(m.Call(t.Context(), t))
		t.ok(m.Call(t.Context(), copied))
		if !m.Writes && !sampled(n, 8) {
			continue
		}
		after := t.tally()
		equal := fmt.Sprint(before) == fmt.Sprint(after)
		if changes := m.Writes && m.Name != "Ready"; equal == changes {
			t.Errorf("%s has changed the tally: %v, want %v", m.Name, !equal, changes)
		}
		if sampled(n, 4) || n == len(list)-1 {
			t.same("tally of the copy after "+m.Name, copied.tally(), after)
		}
		before = after
	}
	t.sameDump("the copy after all methods", Dump(t.T, copied), Dump(t.T, t))
}

// portOrder checks that keys of records sort like their names.
func portOrder(t *trial) {
	ctx := t.Context()
	for n, id := range []string{"a", "a-", "ab", "A", "ä", "b\x01", "b", "b\x01c"} {
		a := anAccount(n)
		a.ID = id
		t.ok(t.AddAccount(ctx, a))
		for i, month := range []store.Month{202611, 202512, 202601} {
			_, _, err := t.Reserve(ctx, id, month, uint64(i+1), 10)
			t.ok(err)
			u := aUse(0, store.Day(month*100+1), []string{"rest", "mcp", "r"}[i])
			u.Account = id
			later := u
			later.Day += 19
			t.ok(t.AddUses(ctx, []store.Use{u, later}))
		}
		t.ok(t.AddIdentity(ctx, store.Identity{Issuer: id, Subject: "s", Account: id}))
		t.ok(t.MarkMinute(ctx, noon.AddDate(0, n, 0), map[string]string{id: store.ComponentOK}))
		t.ok(t.MarkMinute(ctx, noon, map[string]string{id: store.ComponentOK}))
	}
	all := t.exported(1000)
	t.same("records", len(all), 8*(1+1+3+6+2)-1)
	for _, n := range []int{1, 2, 5} {
		t.sameRecords(fmt.Sprint("in pages of ", n), t.exported(n), all)
	}
}

// portFacts checks that a fact is replaced and removed, and that the mark of an unfinished copy is
// not exported.
func portFacts(t *trial) {
	ctx := t.Context()
	t.fill()
	sums, dump := t.tally(), t.state()
	put := func(name, value string) store.Record {
		r, err := store.NewRecord(store.FactRow{Name: name, Value: []byte(value)})
		t.ok(err)
		return r
	}
	is := func(name, want string) {
		t.Helper()
		got, err := t.Meta(ctx, name)
		t.ok(err)
		t.same("fact "+name, string(got), want)
	}
	gone := store.Record{Kind: store.KindFacts, Key: store.CopyMark}
	t.imports([]store.Record{put(store.CopyMark, "1"), put("new", "a")}, 2)
	t.imports([]store.Record{put(store.CopyMark, "2"), put("new", "b")}, 2)
	is(store.CopyMark, "2")
	is("new", "b")
	t.imports([]store.Record{{Kind: store.KindFacts, Key: "new"}}, 1)
	t.same("tally with the mark", t.tally(), sums)
	t.reopen()
	is(store.CopyMark, "2")
	t.imports([]store.Record{gone, put("empty", ""), gone}, 3)
	_, err := t.Meta(ctx, store.CopyMark)
	t.fails("the mark", err, store.ErrNotFound)
	is("empty", "")
	t.imports([]store.Record{{Kind: store.KindFacts, Key: "empty"}}, 1)
	t.unchanged("after all facts were removed", dump)
}

// portRefused checks that records that exist or refer to nothing are refused, and change nothing
// together with the records before them.
func portRefused(t *trial) {
	t.fillAll()
	dump := t.state()
	fresh, err := store.NewRecord(anAccount(50))
	t.ok(err)
	refuse := func(what string, want error, list ...store.Record) {
		t.Helper()
		list = append([]store.Record{fresh}, list...)
		t.fails(what, t.porter().Import(t.Context(), list), want)
	}
	empty := t.other()
	before := empty.state()
	kinds := map[string]int{}
	for _, r := range t.exported(1000) {
		if kinds[r.Kind]++; !sampled(kinds[r.Kind]-1, 3) && r.Kind != store.KindAccounts {
			continue
		}
		what := fmt.Sprintf("record %q of %s", r.Key, r.Kind)
		if r.Kind != store.KindFacts {
			refuse(what, store.ErrExists, r)
		}
		err := empty.porter().Import(t.Context(), []store.Record{r})
		switch refers(r); {
		case refers(r):
			t.fails(what+" alone", err, store.ErrNotFound)
			if now := empty.state(); now != before {
				t.Errorf("%s alone has changed the store", what)
			}
			continue
		case err != nil:
			t.Errorf("%s alone: %v", what, err)
		}
		if r.Kind == store.KindAccounts {
			empty = t.other() // nothing refers to an account that is there
		}
		before = empty.state()
	}
	refuse("unknown kind", store.ErrUnavailable, store.Record{Kind: "unknown", Body: []byte("{}")})
	refuse("invalid body", store.ErrUnavailable,
		store.Record{Kind: store.KindClients, Key: "c", Body: []byte("{")})
	_, err = t.porter().Export(t.Context(), "unknown", "", 1)
	t.fails("export of an unknown kind", err, store.ErrUnavailable)
	t.unchanged("after refused imports", dump)
}

// refers reports whether a record refers to another one.
func refers(r store.Record) bool {
	switch r.Kind {
	case store.KindAccounts, store.KindTickets, store.KindClients, store.KindIncidents,
		store.KindFacts, store.KindComponentDays, store.KindOnce:
		return false
	case store.KindEvents:
		return bytes.Contains(r.Body, []byte(`"account"`))
	}
	return true
}

// portTaken checks that names which must be unique are refused in other rows.
func portTaken(t *trial) {
	t.fill()
	dump := t.state()
	email, id, code := anAccount(50), aKey(50, 0), aCode(50, 0)
	email.Email, id.ID, code.Grant.ID = anAccount(0).Email, aKey(1, 0).ID, grantID(1)
	identity := store.Identity{
		Issuer: anIdentity(1, 0).Issuer, Subject: "another", Account: accountID(0),
	}
	for what, row := range map[string]any{
		"address": email, "id of a key": id, "grant of a code": code, "issuer": identity,
	} {
		r, err := store.NewRecord(row)
		t.ok(err)
		t.fails(what, t.porter().Import(t.Context(), []store.Record{r}), store.ErrExists)
	}
	t.unchanged("after refused imports", dump)
}

// portResumed checks that an import whose mark is in the same call can be resumed wherever it was
// interrupted, after the store was opened again.
func portResumed(t *trial) {
	t.fillAll()
	all, sums := t.exported(1000), t.tally()
	copied := t.other()
	for i, n := 0, 1; i < len(all); i, n = i+n, n+1 {
		part := all[i:min(i+n, len(all))]
		mark, err := store.NewRecord(store.FactRow{
			Name: store.CopyMark, Value: []byte(fmt.Sprint(i + len(part))),
		})
		t.ok(err)
		t.ok(copied.porter().Import(t.Context(), append(slices.Clone(part), mark)))
		copied.reopen()
		done, err := copied.Meta(t.Context(), store.CopyMark)
		t.ok(err)
		t.same("mark", string(done), fmt.Sprint(i+len(part)))
	}
	t.same("tally", copied.tally(), sums)
}

// portRefusedTogether checks that refused imports leave nothing, even if the engine groups them
// with successful writes.
func portRefusedTogether(t *trial) {
	t.fill()
	t.setMeta("busy", nil)
	dump := t.state()
	taken, err := store.NewRecord(anAccount(0))
	t.ok(err)
	p := t.porter()
	together(callers(), func(i int) {
		if i%2 == 0 {
			t.setMeta("busy", []byte{byte(i)})
			return
		}
		fresh, err := store.NewRecord(anAccount(100 + i))
		if err == nil {
			err = p.Import(t.Context(), []store.Record{fresh, taken})
		}
		t.fails("import", err, store.ErrExists)
	})
	t.setMeta("busy", nil)
	t.unchanged("after refused imports among writes", dump)
}

// portUnlimited checks that rows which exist are copied, regardless of the limits for new ones.
func portUnlimited(t *trial) {
	var list []store.Record
	add := func(row any) {
		r, err := store.NewRecord(row)
		t.ok(err)
		list = append(list, r)
	}
	add(anAccount(0))
	for n := range store.MostKeys + 5 {
		add(aKey(n, 0))
	}
	for n := range store.MostSessions + 5 {
		add(aSession(n, 0))
	}
	for n := range store.MostGrants + 5 {
		add(store.GrantRow{Grant: aGrant(n, 0), Token: store.Digest(token(n, 0))})
	}
	t.imports(list, 1000)
	t.same("records", len(t.exported(1000)), len(list))
	grants, err := t.GrantsOf(t.Context(), accountID(0))
	t.ok(err)
	t.same("grants", len(grants), store.MostGrants+5)
	for _, n := range []int{0, store.MostGrants} {
		t.rotates("a copied token", aRotation(n, 0, noon), sealed(n, 0))
	}
}

// portEnded checks the methods with an ended context and on a closed store.
func portEnded(t *trial) {
	t.fill()
	dump := t.state()
	fresh, err := store.NewRecord(anAccount(50))
	t.ok(err)
	calls := map[string]func(context.Context) error{
		"Export": func(ctx context.Context) error {
			return drop(t.porter().Export(ctx, store.KindKeys, "", 1))
		},
		"Import": func(ctx context.Context) error {
			return t.porter().Import(ctx, []store.Record{fresh})
		},
		"Tally": func(ctx context.Context) error { return drop(t.porter().Tally(ctx)) },
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls {
		t.fails(name+", canceled", call(canceled), context.Canceled)
	}
	t.ok(t.Close())
	for name, call := range calls {
		t.fails(name+", closed", call(t.Context()), store.ErrUnavailable)
	}
	t.Engine = t.open()
	t.unchanged("after all", dump)
}
