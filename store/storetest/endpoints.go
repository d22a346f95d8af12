package storetest

import (
	"time"

	"leadline/store"
)

// isEndpoint checks that an endpoint is stored unchanged.
func (t *trial) isEndpoint(what string, want store.Endpoint) {
	t.Helper()
	got, err := t.Endpoint(t.Context(), want.ID)
	t.ok(err)
	t.same(what, got, want)
}

// withEndpoints stores an account with enabled endpoints.
func (t *trial) withEndpoints(account int, endpoints ...int) {
	t.Helper()
	t.ok(t.AddAccount(t.Context(), anAccount(account)))
	for _, n := range endpoints {
		t.ok(t.AddEndpoint(t.Context(), anEndpoint(n, account), 1000))
	}
}

// change replaces an endpoint after change was applied to it.
func (t *trial) change(n int, change func(e *store.Endpoint)) {
	t.Helper()
	e, err := t.Endpoint(t.Context(), endpointID(n))
	t.ok(err)
	change(&e)
	t.ok(t.PutEndpoint(t.Context(), e))
}

// moveTo changes the state of an endpoint.
func (t *trial) moveTo(n int, state string) {
	t.Helper()
	t.change(n, func(e *store.Endpoint) { e.State = state })
}

func endpoints(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	full := anEndpoint(1, 0)
	full.Kinds, full.State, full.Reason = []string{"a", "b"}, store.EndpointSuspended, "gone"
	full.OldSecret, full.OldUntil = []byte{0, 0xFF}, noon.Add(time.Hour)
	plain := store.Endpoint{
		ID: endpointID(2), Account: accountID(0), State: store.EndpointPending, Created: noon,
	}
	t.ok(t.AddEndpoint(ctx, full, 2))
	t.ok(t.AddEndpoint(ctx, plain, 2))
	plain.Version = 1
	for range 2 {
		t.isEndpoint("endpoint with all fields", full)
		t.isEndpoint("endpoint with few fields", plain)
		list, err := t.EndpointsOf(ctx, accountID(0))
		t.ok(err)
		t.same("endpoints of an account", list, []store.Endpoint{plain, full})
		t.reopen()
	}
	list, err := t.EndpointsOf(ctx, accountID(5))
	t.ok(err)
	t.same("endpoints of an unknown account", list, []store.Endpoint{})
	_, err = t.Endpoint(ctx, endpointID(9))
	t.fails("Endpoint", err, store.ErrNotFound)
}

func endpointRefused(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.withEndpoints(1, 11)
	before := t.state()
	t.fails("taken id", t.AddEndpoint(ctx, anEndpoint(1, 1), 9), store.ErrExists)
	t.fails("no account", t.AddEndpoint(ctx, anEndpoint(3, 7), 9), store.ErrNotFound)
	t.fails("one too many", t.AddEndpoint(ctx, anEndpoint(3, 0), 2), store.ErrTooMany)
	t.fails("none allowed", t.AddEndpoint(ctx, anEndpoint(3, 0), 0), store.ErrTooMany)
	t.fails("unknown", t.PutEndpoint(ctx, anEndpoint(3, 0)), store.ErrNotFound)
	for _, version := range []uint64{0, 2} {
		e := anEndpoint(1, 0)
		e.Version = version
		t.fails("another version", t.PutEndpoint(ctx, e), store.ErrConflict)
	}
	t.ok(t.RemoveEndpoint(ctx, endpointID(3)))
	t.unchanged("after refusals", before)
}

func putEndpoint(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.post(1, anEvent(1, 0))
	t.ok(t.Finish(ctx, []store.Result{aFailure(1, 1, noon, noon.Add(time.Minute))}))
	health := aFailure(1, 1, noon, noon).Health
	want := anEndpoint(1, 0)
	want.Health, want.Pending = health, 1
	t.isEndpoint("after a failure: the version remains", want)

	e := want
	e.Account, e.Created, e.Pending, e.Health = accountID(7), noon.AddDate(1, 0, 0), 77, store.Health{}
	e.Description, e.Kinds, e.Secret = "other", []string{kindOf}, []byte("new")
	e.OldSecret, e.OldUntil = want.Secret, noon.Add(time.Hour)
	t.ok(t.PutEndpoint(ctx, e))
	want.Description, want.Kinds, want.Secret = e.Description, e.Kinds, e.Secret
	want.OldSecret, want.OldUntil, want.Version = e.OldSecret, e.OldUntil, 2
	t.isEndpoint("replaced", want)
	t.fails("the version before", t.PutEndpoint(ctx, e), store.ErrConflict)

	t.change(1, func(e *store.Endpoint) { e.URL, e.State = "https://new.example.org/", "pending" })
	want.URL, want.State = "https://new.example.org/", store.EndpointPending
	want.Version, want.Health = 3, store.Health{}
	t.isEndpoint("another URL: no health, but the backlog", want)
	t.reopen()
	t.isEndpoint("opened again", want)
	t.recount("after changes", 1)
}

// endpointWithTest checks that an endpoint is stored together with its test, or neither is.
func endpointWithTest(t *trial) {
	ctx := t.Context()
	t.ok(t.AddAccount(ctx, anAccount(0)))
	pending := anEndpoint(1, 0)
	pending.State = store.EndpointPending
	t.ok(t.AddEndpoint(ctx, pending, 2, direct(1, 0, 1)))
	t.states(1, "pending")
	pending.Pending = 1
	t.isEndpoint("added", pending)

	before := t.state()
	t.fails("taken event", t.AddEndpoint(ctx, anEndpoint(2, 0), 2, direct(1, 0, 2)), store.ErrExists)
	t.fails("taken event", t.PutEndpoint(ctx, pending, direct(1, 0, 1)), store.ErrExists)
	t.unchanged("after refusals", before)

	pending.URL = "https://new.example.org/"
	t.ok(t.PutEndpoint(ctx, pending, direct(2, 0, 1)))
	t.states(1, "pending", "pending")
	t.recount("after the change", 1)
	pending.State, pending.Version = store.EndpointDisabled, 2
	t.ok(t.PutEndpoint(ctx, pending, direct(3, 0, 1)))
	t.states(1, "skipped", "skipped")
	_, err := t.Event(ctx, eventID(3))
	t.fails("the test of a disabled endpoint", err, store.ErrNotFound)
}

func removeEndpoint(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.post(2, anEvent(1, 0), anEvent(2, 0))
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 1, noon)}))
	t.ok(t.RemoveEndpoint(ctx, endpointID(1)))
	t.ok(t.RemoveEndpoint(ctx, endpointID(1)))
	_, err := t.Endpoint(ctx, endpointID(1))
	t.fails("Endpoint", err, store.ErrNotFound)
	_, err = t.Delivery(ctx, endpointID(1), eventID(2))
	t.fails("Delivery", err, store.ErrNotFound)
	t.states(1)
	t.states(2, "pending", "pending")
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 2, noon)})) // late: ignored
	list, err := t.EventsOf(ctx, accountID(0), "", "", 10)
	t.ok(err)
	t.same("events remain", len(list), 2)
	t.ok(t.AddEndpoint(ctx, anEndpoint(1, 0), 2))
	t.states(1)
	t.recount("after the removal", 1, 2)
	t.claims(noon.Add(time.Hour), 2)
}

// removeAccountOutbox checks that nothing of a removed account remains, and everything of others.
func removeAccountOutbox(t *trial) {
	ctx := t.Context()
	t.fill()
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	for n := range 3 {
		_, err := t.Endpoint(ctx, endpointID(n))
		t.fails("Endpoint", err, store.ErrNotFound)
		t.states(n)
	}
	for n := range 4 {
		_, err := t.Event(ctx, eventID(n))
		t.fails("Event", err, store.ErrNotFound)
	}
	_, err := t.Event(ctx, eventID(4))
	t.ok(err) // for all accounts
	for n := range 2 {
		_, err = t.Watch(ctx, watchID(n))
		t.fails("Watch", err, store.ErrNotFound)
		_, err = t.Watch(ctx, watchID(10+n))
		t.ok(err)
	}
	t.states(10, "pending", "pending", "delivered")
	t.recount("after the removal", 10, 11, 12)
	t.ok(t.AddAccount(ctx, anAccount(0)))
	list, err := t.EndpointsOf(ctx, accountID(0))
	t.ok(err)
	t.same("endpoints of the new account", len(list), 0)
	t.ok(t.AddEndpoint(ctx, anEndpoint(0, 0), 1))
	t.post(1, anEvent(0, 0))
	t.recount("of the new account", 0, 10, 11, 12)
}
