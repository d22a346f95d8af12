package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"leadline/store"
)

// post posts events and checks the number of those that were stored.
func (t *trial) post(want int, events ...store.Event) {
	t.Helper()
	got, err := t.Post(t.Context(), events...)
	t.ok(err)
	t.same("events stored", got, want)
}

// isEvent checks that an event is stored unchanged.
func (t *trial) isEvent(what string, want store.Event) {
	t.Helper()
	got, err := t.Event(t.Context(), want.ID)
	t.ok(err)
	t.same(what, got, want)
}

// noEvent checks that an event does not exist.
func (t *trial) noEvent(what string, n int) {
	t.Helper()
	_, err := t.Event(t.Context(), eventID(n))
	t.fails(what, err, store.ErrNotFound)
}

// states checks the states of the deliveries of an endpoint, those of the newest event first.
func (t *trial) states(endpoint int, want ...string) {
	t.Helper()
	list, err := t.DeliveriesOf(t.Context(), endpointID(endpoint), store.DeliveryFilter{}, 100)
	t.ok(err)
	var got []string
	for _, d := range list {
		got = append(got, d.State)
	}
	t.same(fmt.Sprint("deliveries to endpoint ", endpoint), got, want)
}

// recount compares the pending counts of endpoints, all that have pending deliveries, with their
// deliveries.
func (t *trial) recount(when string, endpoints ...int) {
	t.Helper()
	ctx := t.Context()
	sum := 0
	var oldest time.Time
	for _, n := range endpoints {
		e, err := t.Endpoint(ctx, endpointID(n))
		t.ok(err)
		pending := store.DeliveryFilter{States: []string{store.DeliveryPending}}
		list, err := t.DeliveriesOf(ctx, e.ID, pending, store.MostPending+1)
		t.ok(err)
		t.same(fmt.Sprintf("pending count of endpoint %d %s", n, when), e.Pending, len(list))
		sum += len(list)
		for _, d := range list {
			oldest = store.Earlier(oldest, d.Created)
		}
	}
	b, err := t.Backlog(ctx)
	t.ok(err)
	t.same("pending deliveries "+when, b.Pending, sum)
	t.same("the oldest pending delivery "+when, b.Oldest, oldest)
}

func postEvents(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2, 3, 4)
	t.withEndpoints(1, 11)
	t.change(2, func(e *store.Endpoint) { e.Kinds = []string{"other", kindOf} })
	t.change(3, func(e *store.Endpoint) { e.Kinds = []string{"other"} })
	t.change(4, func(e *store.Endpoint) { e.Kinds, e.State = nil, store.EndpointPending })
	full := onceOnly(1, 0, "once")
	t.post(2, full, direct(2, 0, 4))
	for range 2 {
		t.isEvent("event with all fields", full)
		t.isEvent("event for one endpoint", direct(2, 0, 4))
		t.states(1, "pending")
		t.states(2, "pending")
		t.states(3)
		t.states(4, "pending")
		t.states(11)
		for _, want := range []store.Delivery{
			{Endpoint: endpointID(1), Event: eventID(1), Kind: kindOf},
			{Endpoint: endpointID(4), Event: eventID(2), Kind: testKind, Direct: true},
		} {
			want.State = store.DeliveryPending
			want.Due = noon.Add(time.Second)
			if want.Direct {
				want.Due = noon.Add(2 * time.Second)
			}
			want.Created = want.Due
			got, err := t.Delivery(ctx, want.Endpoint, want.Event)
			t.ok(err)
			t.same("delivery", got, want)
		}
		t.recount("after posts", 1, 2, 3, 4, 11)
		t.reopen()
	}
	_, err := t.Delivery(ctx, endpointID(1), eventID(2))
	t.fails("Delivery to another endpoint", err, store.ErrNotFound)
}

// postNothing checks that nothing is stored of an event without a delivery.
func postNothing(t *trial) {
	t.withEndpoints(0, 1, 2, 3, 4)
	t.withEndpoints(1, 11)
	t.withEndpoints(2)
	for n, state := range append([]string{store.EndpointEnabled}, notEnabled...) {
		t.change(1+n, func(e *store.Endpoint) {
			e.Kinds, e.State = []string{"other", kindOf + ".not"}, state
		})
	}
	before := t.state()
	nobody := direct(7, 0, 1)
	nobody.Account = ""
	for what, e := range map[string]store.Event{
		"no endpoint subscribes":       onceOnly(1, 0, "name"),
		"the account has no endpoints": onceOnly(2, 2, "name"),
		"unknown account":              onceOnly(3, 9, "name"),
		"disabled endpoint":            direct(4, 0, 3),
		"suspended endpoint":           direct(5, 0, 4),
		"endpoint of another account":  direct(6, 0, 11),
		"unknown endpoint":             direct(8, 0, 99),
		"endpoint without its account": nobody,
	} {
		t.post(0, e)
		t.unchanged(what, before)
	}
	t.post(0)
	t.unchanged("no events", before)
}

// postRefused checks that events are stored all or none.
func postRefused(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.post(1, anEvent(1, 0))
	before := t.state()
	for what, list := range map[string][]store.Event{
		"taken id":               {anEvent(2, 0), anEvent(1, 0)},
		"the same id twice":      {anEvent(2, 0), anEvent(3, 0), anEvent(2, 0)},
		"taken id of a wide one": {anEvent(2, 0), news(1)},
	} {
		n, err := t.Post(ctx, list...)
		t.fails(what, err, store.ErrExists)
		t.same(what+": events stored", n, 0)
		t.unchanged(what, before)
	}
	taken := anEvent(1, 0)
	_, _, err := t.Reserve(ctx, accountID(0), 202611, 5, 10, aNotice(1, taken))
	t.fails("Reserve", err, store.ErrExists)
	t.fails("PutIncident", t.PutIncident(ctx, anIncident(0), news(2), taken), store.ErrExists)
	t.fails("SwapMeta", t.SwapMeta(ctx, "fact", nil, []byte("x"), taken), store.ErrExists)
	t.unchanged("causes of a taken id", before)
	bad := anEvent(2, 0)
	bad.ID = "\xFF"
	_, err = t.Post(ctx, anEvent(3, 0), bad)
	t.fails("invalid id", err, store.ErrUnavailable)
	t.unchanged("invalid id", before)
}

// onceEach checks that an event is stored once under its name until that is over.
func onceEach(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	first := onceOnly(1, 0, "name")
	t.post(1, first, onceOnly(2, 0, "name"))
	t.noEvent("duplicate in one call", 2)
	t.post(1, onceOnly(3, 0, "name"), onceOnly(4, 0, "other"))
	t.noEvent("duplicate", 3)
	t.post(0, first) // the same event again
	t.reopen()
	t.post(0, onceOnly(5, 0, "name"))
	last, next := onceOnly(6, 0, "name"), onceOnly(7, 0, "name")
	last.Created = first.OnceUntil.Add(-time.Second)
	next.Created, next.OnceUntil = first.OnceUntil, first.OnceUntil.AddDate(0, 0, 1)
	t.post(0, last)
	t.post(1, next)
	last.Created = next.OnceUntil.Add(-time.Second)
	t.post(0, last)

	t.ok(t.SwapMeta(ctx, "fact", nil, []byte("1"), onceOnly(10, 0, "name")))
	t.ok(t.PutIncident(ctx, anIncident(0), onceOnly(11, 0, "name")))
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 1))
	t.ok(t.SaveWatch(ctx, aWatch(1, 0), onceOnly(12, 0, "name")))
	for n := 10; n <= 12; n++ {
		t.noEvent("duplicate with a cause", n)
	}
	t.states(1, "pending", "pending", "pending")
	t.recount("after duplicates", 1)
}

// onceTogether checks that one of many concurrent events with the same name is stored.
func onceTogether(t *trial) {
	t.withEndpoints(0, 1)
	for round := range 4 {
		var stored atomic.Int64
		together(callers(), func(i int) {
			e := onceOnly(100*round+i, 0, fmt.Sprint("name ", round))
			n, err := t.Post(t.Context(), e)
			if err != nil {
				t.Errorf("Post: %v", err)
			}
			stored.Add(int64(n))
		})
		t.same("events stored", stored.Load(), int64(1))
	}
	t.states(1, "pending", "pending", "pending", "pending")
}

func eventsOf(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.withEndpoints(1, 11)
	for n := range 3 {
		t.post(3, anEvent(10*n, 0), news(10*n+1), anEvent(10*n+2, 1))
	}
	for _, c := range []struct {
		account      string
		kind, before string
		n            int
		want         []int
	}{
		{accountID(0), "", "", 10, []int{21, 20, 11, 10, 1, 0}},
		{accountID(0), "", "", 3, []int{21, 20, 11}},
		{accountID(0), "", "", 0, nil},
		{accountID(0), "", eventID(20), 3, []int{11, 10, 1}},
		{accountID(0), "", eventID(15), 10, []int{11, 10, 1, 0}},
		{accountID(0), "", eventID(0), 10, nil},
		{accountID(0), kindOf, "", 10, []int{20, 10, 0}},
		{accountID(0), newsKind, "", 2, []int{21, 11}},
		{accountID(0), newsKind, eventID(11), 2, []int{1}},
		{accountID(0), "other", "", 10, nil},
		{accountID(1), "", "", 4, []int{22, 21, 12, 11}},
		{accountID(9), "", "", 10, []int{21, 11, 1}},
	} {
		list, err := t.EventsOf(ctx, c.account, c.kind, c.before, c.n)
		t.ok(err)
		var got, want []string
		for _, e := range list {
			got = append(got, e.ID)
		}
		for _, n := range c.want {
			want = append(want, eventID(n))
		}
		t.same(fmt.Sprintf("EventsOf%v", c), got, want)
	}
	list, err := t.EventsOf(ctx, accountID(0), "", "", 2)
	t.ok(err)
	t.same("events", list, []store.Event{news(21), anEvent(20, 0)})
}

// notices checks that the reservations of concurrent callers post each notice once, at the unit
// that it names.
func notices(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	const limit = 1000
	var posted [3]atomic.Int64 // units of the reservation that stored the notice
	at := []uint64{1, 800, limit}
	together(callers(), func(i int) {
		for n := 0; ; n++ {
			var list []store.Notice
			var ids []string
			for k, units := range at {
				e := anEvent(1_000_000*k+1000*i+n, 0)
				e.Body = fmt.Appendf(nil, "%d", units)
				list, ids = append(list, aNotice(units, e)), append(ids, e.ID)
			}
			granted, reserved, err := t.Reserve(ctx, accountID(0), 202611, uint64(1+i%5), limit, list...)
			if err != nil {
				t.Errorf("Reserve: %v", err)
				return
			}
			for k, id := range ids {
				_, err := t.Event(ctx, id)
				due := reserved-granted < at[k] && at[k] <= reserved
				if due != (err == nil) {
					t.Errorf("notice at %d, units %d to %d: %v", at[k], reserved-granted, reserved, err)
				}
				if err == nil {
					posted[k].Add(1)
				}
			}
			if granted == 0 {
				return
			}
		}
	})
	for k := range posted {
		t.same(fmt.Sprint("notices at ", at[k]), posted[k].Load(), int64(1))
	}
	t.states(1, "pending", "pending", "pending")
	t.ok(t.Return(ctx, accountID(0), 202611, 500))
	e := anEvent(9_000_000, 0)
	_, _, err := t.Reserve(ctx, accountID(0), 202611, 300, limit, aNotice(800, e))
	t.ok(err)
	t.isEvent("notice after units were returned", e)
	other := anEvent(9_000_001, 0)
	_, _, err = t.Reserve(ctx, accountID(0), 202611, 1, limit, aNotice(800, other))
	t.ok(err)
	t.noEvent("notice of units that were reserved before", 9_000_001)
	_, _, err = t.Reserve(ctx, accountID(9), 202611, 5, limit, aNotice(1, other))
	t.fails("Reserve", err, store.ErrNotFound)
	t.noEvent("notice to an unknown account", 9_000_001)
	unmade := store.Notice{At: 1 << 40, Event: func() (store.Event, error) {
		t.Error("an event that is not due was made")
		return store.Event{}, nil
	}}
	_, _, err = t.Reserve(ctx, accountID(0), 202612, 1, limit, unmade)
	t.ok(err)
}

// causes checks that incidents and facts post events in their transaction, and none if they are
// refused.
func causes(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.ok(t.PutIncident(ctx, anIncident(0), news(1), anEvent(2, 0)))
	t.ok(t.SwapMeta(ctx, "fact", nil, []byte("1"), news(3)))
	t.fails("SwapMeta", t.SwapMeta(ctx, "fact", nil, []byte("2"), news(4)), store.ErrConflict)
	t.noEvent("event of a refused fact", 4)
	t.reopen()
	for _, e := range []store.Event{news(1), anEvent(2, 0), news(3)} {
		t.isEvent("event with its cause", e)
	}
	t.spread(100)
	t.states(1, "pending", "pending", "pending")
}

// changesPosted checks that a listener is notified of each commit that added deliveries, or events
// that wait for Spread, before the call that made it returns.
func changesPosted(t *trial) {
	feed, ok := t.Engine.(store.ChangeFeed)
	if !ok {
		t.Skip("the engine does not report changes")
	}
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.withEndpoints(1)
	var l listener
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		_ = feed.Changes(ctx, func(list []store.Change) {
			l.notify(list)
			begin()
		})
	}()
	<-begun
	l.take()
	notice := aNotice(5, anEvent(5, 0))
	reserve := func() error { return dropTwo(t.Reserve(ctx, accountID(0), 202611, 3, 9, notice)) }
	for _, step := range []struct {
		name   string
		do     func() error
		posted bool
	}{
		{"Post", func() error { return drop(t.Post(ctx, onceOnly(1, 0, "name"))) }, true},
		{"Post of a duplicate", func() error {
			return drop(t.Post(ctx, onceOnly(2, 0, "name")))
		}, false},
		{"Post to nobody", func() error { return drop(t.Post(ctx, anEvent(2, 1))) }, false},
		{"Post to all accounts", func() error { return drop(t.Post(ctx, news(3))) }, true},
		{"Spread", func() error { return drop(t.Spread(ctx, 9)) }, true},
		{"Spread again", func() error { return drop(t.Spread(ctx, 9)) }, false},
		{"Reserve below a notice", reserve, false},
		{"Reserve with a notice", reserve, true},
		{"Reserve above a notice", reserve, false},
		{"PutIncident", func() error { return t.PutIncident(ctx, anIncident(0), anEvent(6, 0)) }, true},
		{"SwapMeta", func() error {
			return t.SwapMeta(ctx, "fact", nil, nil, anEvent(7, 0))
		}, true},
		{"AddEndpoint", func() error { return t.AddEndpoint(ctx, anEndpoint(2, 0), 9) }, false},
		{"AddEndpoint with a test", func() error {
			return t.AddEndpoint(ctx, anEndpoint(3, 0), 9, direct(9, 0, 3))
		}, true},
		{"PutEndpoint", func() error { return t.PutEndpoint(ctx, anEndpoint(2, 0)) }, false},
		{"PutEndpoint with a test", func() error {
			return t.PutEndpoint(ctx, anEndpoint(3, 0), direct(10, 0, 3))
		}, true},
		{"AddWatch", func() error { return t.AddWatch(ctx, aWatch(1, 0), 1) }, false},
		{"SaveWatch", func() error { return t.SaveWatch(ctx, aWatch(1, 0), anEvent(8, 0)) }, true},
		{"Finish", func() error { return t.Finish(ctx, []store.Result{aResult(1, 1, noon)}) }, false},
		{"Replay", func() error {
			return drop(t.Replay(ctx, endpointID(1), []string{eventID(1)}, noon))
		}, true},
		{"Replay of nothing", func() error {
			return drop(t.Replay(ctx, endpointID(1), []string{eventID(1)}, noon))
		}, false},
		{"Sweep", func() error { return drop(t.Sweep(ctx, noon, 9)) }, false},
	} {
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := slices.Contains(l.take(), store.Change{Posted: true}); got != step.posted {
			t.Errorf("%s has reported deliveries: %v, want %v", step.name, got, step.posted)
		}
	}
}

// spread spreads all events in steps of n deliveries.
func (t *trial) spread(n int) {
	t.Helper()
	for range 1000 {
		more, err := t.Spread(t.Context(), n)
		t.ok(err)
		if !more {
			return
		}
	}
	t.Fatal("Spread does not end")
}

// spreadResumed checks that events for all accounts reach each subscribed endpoint once, for any
// steps, and after the store was opened again between them.
func spreadResumed(t *trial) {
	ctx := t.Context()
	const accounts = 23
	for n := range accounts {
		t.withEndpoints(n, n)
		switch n % 5 {
		case 1:
			t.change(n, func(e *store.Endpoint) { e.Kinds = []string{"other"} })
		case 2:
			t.change(n, func(e *store.Endpoint) { e.Kinds = []string{newsKind, "*", newsKind} })
		case 3:
			t.moveTo(n, notEnabled[n/5%len(notEnabled)])
		case 4:
			t.change(n, func(e *store.Endpoint) { e.Kinds = []string{"other", newsKind} })
		}
	}
	t.post(2, news(1001), news(1002))
	t.states(0)
	more, err := t.Spread(ctx, 3)
	t.ok(err)
	t.same("more", more, true)
	for n := range 4 {
		t.reopen()
		_, err = t.Spread(ctx, n)
		t.ok(err)
	}
	t.ok(t.Finish(ctx, []store.Result{aResult(0, 1001, noon)}))
	t.reopen()
	t.spread(4)
	more, err = t.Spread(ctx, 4)
	t.ok(err)
	t.same("more after all", more, false)
	var all []int
	for n := range accounts {
		all = append(all, n)
		switch {
		case n == 0:
			t.states(n, "pending", "delivered")
		case n%5 == 1:
			t.states(n)
		case n%5 == 3:
			t.states(n, "skipped", "skipped")
		default:
			t.states(n, "pending", "pending")
		}
	}
	t.recount("after all", all...)
}

// spreadTogether checks that concurrent calls of Spread add each delivery once.
func spreadTogether(t *trial) {
	for n := range 20 {
		t.withEndpoints(n, n)
	}
	t.post(3, news(1001), news(1002), news(1003))
	together(16, func(int) {
		for {
			more, err := t.Spread(t.Context(), 3)
			if err != nil {
				t.Errorf("Spread: %v", err)
			}
			if err != nil || !more {
				return
			}
		}
	})
	var all []int
	for n := range 20 {
		t.states(n, "pending", "pending", "pending")
		all = append(all, n)
	}
	t.recount("after all", all...)
}

// sweepEvents checks that events are removed with their deliveries at the second at which they
// expire, in steps.
func sweepEvents(t *trial) {
	ctx := t.Context()
	for n := range 6 {
		t.withEndpoints(n, n)
	}
	brief := anEvent(1, 0)
	brief.Expires = noon.Add(time.Hour)
	wide, waiting, never := news(2), news(4), anEvent(5, 0)
	wide.Expires, waiting.Expires, never.Expires = brief.Expires, brief.Expires, time.Time{}
	t.post(3, brief, wide, never)
	t.spread(100)
	t.post(2, waiting, anEvent(3, 0))
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 2, noon)}))
	t.sweep(brief.Expires.Add(-time.Second))
	t.states(0, "pending", "pending", "pending", "pending")
	steps := 0
	for more := true; more; steps++ {
		var err error
		more, err = t.Sweep(ctx, brief.Expires, 2)
		t.ok(err)
		t.recount("after a step", 0, 1, 2, 3, 4, 5)
	}
	if steps < 4 {
		t.Errorf("8 rows were removed in %d steps of 2", steps)
	}
	for _, n := range []int{1, 2, 4} {
		t.noEvent("expired event", n)
	}
	t.states(0, "pending", "pending")
	t.states(1)
	t.spread(100) // not the event that expired before
	t.states(1)
	t.sweep(noon.AddDate(100, 0, 0))
	t.states(0, "pending")
	t.isEvent("event that never expires", never)
	t.claims(noon.Add(time.Hour), 0)
}

// sweepNames checks that the names of events are removed when their time is over.
func sweepNames(t *trial) {
	t.withEndpoints(0, 1)
	first, second := onceOnly(1, 0, "name"), onceOnly(2, 0, "other")
	first.Expires, second.Expires = noon.Add(time.Minute), noon.Add(time.Minute)
	t.post(2, first, second)
	t.sweep(first.OnceUntil.Add(-time.Second))
	late := onceOnly(3, 0, "name")
	late.Created = first.OnceUntil.Add(-time.Second)
	t.noEvent("expired event", 1)
	t.post(0, late) // the name lasts longer than the event
	before := t.state()
	t.sweep(first.OnceUntil)
	if t.state() == before {
		t.Error("Sweep did not remove a name whose time is over")
	}
	t.post(1, late)
	late = onceOnly(4, 0, "other")
	t.post(0, late)
}

// sweepMostEvents checks that the oldest events of an account beyond MostEvents are removed, but
// not those for all accounts.
func sweepMostEvents(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.withEndpoints(1, 11)
	t.change(11, func(e *store.Endpoint) { e.Kinds = []string{kindOf} })
	t.post(2, anEvent(1, 1), news(2))
	const surplus = 7
	var list []store.Event
	for n := range store.MostEvents + surplus {
		list = append(list, anEvent(100+n, 0))
	}
	for part := range slices.Chunk(list, 1000) {
		t.post(len(part), part...)
	}
	more, err := t.Sweep(ctx, noon, surplus-2)
	t.ok(err)
	t.same("more", more, true)
	t.noEvent("the oldest", 100)
	t.sweep(noon)
	for n := range surplus {
		t.noEvent("surplus event", 100+n)
	}
	t.isEvent("the oldest of the others", anEvent(100+surplus, 0))
	t.isEvent("the newest", anEvent(100+store.MostEvents+surplus-1, 0))
	t.isEvent("of another account", anEvent(1, 1))
	t.isEvent("for all accounts", news(2))
	t.recount("after all", 1, 11)
}
