package storetest

import (
	"fmt"
	"time"

	"leadline/store"
)

// notEnabled lists the states of endpoints whose deliveries are skipped.
var notEnabled = []string{
	store.EndpointPending, store.EndpointDisabled, store.EndpointSuspended,
}

// skippedDelivery returns the delivery of an event of n seconds after noon as it is skipped.
func skippedDelivery(endpoint, n int, kind string) store.Delivery {
	return store.Delivery{
		Endpoint: endpointID(endpoint),
		Event:    eventID(n),
		Kind:     kind,
		State:    store.DeliverySkipped,
		Created:  noon.Add(time.Duration(n) * time.Second),
	}
}

// replays makes deliveries pending and checks their number.
func (t *trial) replays(endpoint, want int, at time.Time, events ...int) {
	t.Helper()
	var list []string
	for _, n := range events {
		list = append(list, eventID(n))
	}
	got, err := t.Replay(t.Context(), endpointID(endpoint), list, at)
	t.ok(err)
	t.same(fmt.Sprint("replayed to endpoint ", endpoint), got, want)
}

// skippedBacklog checks that the pending deliveries of an endpoint that is disabled or suspended
// are skipped, and those of others are not.
func skippedBacklog(t *trial) {
	ctx := t.Context()
	for n, state := range []string{store.EndpointDisabled, store.EndpointSuspended} {
		one, two := 10*n, 10*n+1
		t.withEndpoints(n, one, two)
		t.post(3, anEvent(10*n, n), anEvent(10*n+1, n), direct(10*n+2, n, one))
		t.ok(t.Finish(ctx, []store.Result{aResult(one, 10*n, noon)}))
		t.moveTo(one, state)
		t.states(one, "skipped", "skipped", "delivered")
		t.states(two, "pending", "pending")
		t.recount("after "+state, one, two)
		t.claims(noon.Add(time.Hour), two)
		t.post(1, anEvent(10*n+3, n))
		t.post(0, direct(10*n+4, n, one))
		t.states(one, "skipped", "skipped", "skipped", "delivered")
		t.moveTo(one, store.EndpointEnabled)
		t.states(one, "skipped", "skipped", "skipped", "delivered")
		t.moveTo(two, state)
		t.recount("after all", one, two)
	}
	t.reopen()
	t.recount("opened again", 0, 1, 10, 11)
}

// skippedPosts checks that an event of an account is skipped for each subscribed endpoint that is
// not enabled, pending for the others, and found by a replay.
func skippedPosts(t *trial) {
	ctx := t.Context()
	at := noon.Add(time.Hour)
	for n, state := range notEnabled {
		on, off, named, others := 10*n, 10*n+1, 10*n+2, 10*n+3
		t.withEndpoints(n, on, off, named, others)
		t.change(named, func(e *store.Endpoint) { e.Kinds, e.State = []string{"a", kindOf}, state })
		t.change(others, func(e *store.Endpoint) { e.Kinds, e.State = []string{"a"}, state })
		t.moveTo(off, state)
		t.post(2, anEvent(10*n, n), direct(10*n+1, n, on))
		for range 2 {
			t.isDelivery(state, skippedDelivery(off, 10*n, kindOf))
			t.isDelivery(state, skippedDelivery(named, 10*n, kindOf))
			t.states(on, "pending", "pending")
			t.states(off, "skipped")
			t.states(others)
			t.recount("after a post", on, off, named, others)
			t.claims(at, on)
			t.due(at, 9, []int{off, named})
			t.reopen()
		}
		t.ok(t.Finish(ctx, []store.Result{aResult(on, 10*n, noon), aResult(on, 10*n+1, noon)}))
		_, err := t.Replay(ctx, endpointID(off), []string{eventID(10 * n)}, at)
		t.fails("replay to an endpoint that is "+state, err, store.ErrConflict)
		t.moveTo(off, store.EndpointEnabled)
		t.claims(at.AddDate(1, 0, 0))
		t.replays(off, 1, at, 10*n, 10*n+1)
		t.recount("after a replay", on, off, named, others)
		t.claims(at, off)
		t.due(at, 9, []int{off, named}, 10*n)
		t.ok(t.Finish(ctx, []store.Result{aResult(off, 10*n, at)}))
		t.states(off, "delivered")
		t.states(named, "skipped")
	}
}

// skippedAlone checks that an event is stored if the only endpoint that subscribes to it is not
// enabled, for each cause, and removed with its delivery when it expires.
func skippedAlone(t *trial) {
	ctx := t.Context()
	for n, state := range notEnabled {
		id := 10 * n
		t.withEndpoints(n, id)
		t.moveTo(id, state)
		first := onceOnly(id, n, state)
		t.post(1, first)
		t.post(0, onceOnly(id+1, n, state)) // the name is recorded
		notice := aNotice(5, anEvent(id+2, n))
		_, _, err := t.Reserve(ctx, accountID(n), 202611, 5, 10, notice)
		t.ok(err)
		w := aWatch(id, n)
		t.ok(t.AddWatch(ctx, w, 1))
		t.ok(t.SaveWatch(ctx, w, anEvent(id+3, n)))
		list, err := t.EventsOf(ctx, accountID(n), "", "", 10)
		t.ok(err)
		t.same("events", list, []store.Event{anEvent(id+3, n), anEvent(id+2, n), first})
		t.states(id, "skipped", "skipped", "skipped")
		before := t.state()
		t.ok(t.Finish(ctx, []store.Result{aResult(id, 99, noon)}))
		t.unchanged("result of another event", before)
	}
	t.recount("after all", 0, 10, 20)
	b, err := t.Backlog(ctx)
	t.ok(err)
	t.same("backlog", b.Endpoints, map[string]int{"pending": 1, "disabled": 1, "suspended": 1})
	t.sweep(noon.AddDate(0, 0, 30).Add(-time.Second))
	t.states(0, "skipped", "skipped", "skipped")
	t.sweep(noon.AddDate(0, 0, 30))
	for n := range notEnabled {
		t.states(10 * n)
		t.noEvent("expired event", 10*n)
	}
}

// skippedSpread checks that the state of an endpoint when Spread reaches it decides whether its
// delivery is pending or skipped, and that endpoints which were removed or have other kinds by then
// get none.
func skippedSpread(t *trial) {
	for n, state := range notEnabled {
		t.withEndpoints(n, 10*n, 10*n+1, 10*n+2, 10*n+3, 10*n+4, 10*n+5, 10*n+6)
		t.moveTo(10*n+1, state)
		t.change(10*n+2, func(e *store.Endpoint) { e.Kinds, e.State = []string{newsKind}, state })
		t.change(10*n+3, func(e *store.Endpoint) { e.Kinds, e.State = []string{kindOf}, state })
		for k := 4; k <= 6; k++ {
			t.moveTo(10*n+k, state)
		}
	}
	t.post(1, news(100))
	for n, state := range notEnabled {
		t.moveTo(10*n, state)
		t.moveTo(10*n+4, store.EndpointEnabled)
		t.change(10*n+5, func(e *store.Endpoint) { e.Kinds = []string{kindOf} })
		t.ok(t.RemoveEndpoint(t.Context(), endpointID(10*n+6)))
	}
	more, err := t.Spread(t.Context(), 2)
	t.ok(err)
	t.same("more", more, true)
	t.moveTo(0, store.EndpointEnabled) // Spread has reached it
	t.reopen()
	t.spread(2)
	at := noon.Add(time.Hour)
	for n := range notEnabled {
		for _, k := range []int{0, 1, 2} {
			t.isDelivery("of an event for all accounts", skippedDelivery(10*n+k, 100, newsKind))
		}
		t.states(10*n + 3)
		t.states(10*n+4, "pending")
		t.states(10*n + 5)
		t.states(10*n + 6)
	}
	t.recount("after Spread", 4, 14, 24)
	t.claims(at, 4, 14, 24)
	t.replays(0, 1, at, 100)
	t.states(0, "pending")
	t.recount("after a replay", 0, 4, 14, 24)
}

// nothingLost checks that every event is found again by a replay after any changes of the state of
// its endpoint.
func nothingLost(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	all := append([]string{store.EndpointEnabled}, notEnabled...)
	var events []int
	for n, from := range all {
		for k, to := range all {
			id := 100*n + 10*k
			t.moveTo(1, from)
			t.post(2, anEvent(id, 0), news(id+1))
			t.moveTo(1, to)
			t.post(2, anEvent(id+2, 0), news(id+3))
			_, err := t.Spread(ctx, 1)
			t.ok(err)
			events = append(events, id, id+1, id+2, id+3)
		}
	}
	t.moveTo(1, store.EndpointEnabled)
	t.spread(1)
	skipped := store.DeliveryFilter{States: []string{store.DeliverySkipped}}
	list, err := t.DeliveriesOf(ctx, endpointID(1), skipped, 100)
	t.ok(err)
	at := noon.Add(time.Hour)
	t.replays(1, len(list), at, events...)
	t.reopen()
	e, err := t.Endpoint(ctx, endpointID(1))
	t.ok(err)
	t.same("pending deliveries", e.Pending, len(events))
	jobs, err := t.Due(ctx, []string{endpointID(1)}, at, 100)
	t.ok(err)
	t.same("due deliveries", len(jobs), len(events))
}
