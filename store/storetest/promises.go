package storetest

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"leadline/store"
)

// times checks that times are stored to the second, in UTC, and that zero remains zero.
func times(t *trial) {
	ctx := t.Context()
	zone := time.FixedZone("somewhere", 5*3600+1800)
	now := <-time.After(0) // with a monotonic reading
	t.same("without a monotonic reading", now == now.Round(0), false)
	landing := time.Date(1969, time.July, 20, 20, 17, 40, 0, time.UTC)
	last := time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	for n, c := range []struct{ given, want time.Time }{
		{noon.Add(999 * time.Millisecond), noon},
		{noon.In(zone), noon},
		{now, now.UTC().Truncate(time.Second)},
		{time.Time{}, time.Time{}},
		{time.Time{}.In(zone), time.Time{}},
		{landing.Add(time.Nanosecond), landing},
		{last, last},
	} {
		a, k, s, i := anAccount(n), aKey(n, n), aSession(n, n), anIncident(n)
		a.Created = c.given
		k.Created, k.Expires, k.Revoked, k.LastUsed = c.given, c.given, c.given, c.given
		s.Created, s.Expires = c.given, c.given
		i.From, i.Until, i.Created, i.Updated = c.given, c.given, c.given, c.given
		i.Updates = []store.IncidentUpdate{{At: c.given}}
		t.ok(t.AddAccount(ctx, a))
		t.ok(t.AddKey(ctx, k))
		t.ok(t.AddSession(ctx, s))
		t.ok(t.PutIncident(ctx, i))
		a.Created = c.want
		k.Created, k.Expires, k.Revoked, k.LastUsed = c.want, c.want, c.want, c.want
		s.Created, s.Expires = c.want, c.want
		i.From, i.Until, i.Created, i.Updated = c.want, c.want, c.want, c.want
		i.Updates = []store.IncidentUpdate{{At: c.want}}
		got, err := t.Account(ctx, a.ID)
		t.ok(err)
		t.same("account", got, a)
		t.isKey(k)
		t.isSession(s)
		incident, err := t.Incident(ctx, i.ID)
		t.ok(err)
		t.same("incident", incident, i)
		t.timesOfSignIn(n, c.given, c.want)
		t.timesOfOutbox(n, c.given, c.want)
	}
	t.timesOfCalls(zone)
}

// timesOfSignIn checks the same for tickets, clients, codes and grants.
func (t *trial) timesOfSignIn(n int, given, want time.Time) {
	ctx := t.Context()
	ticket, client, code := aTicket(n), aClient(n), aCode(n, n)
	ticket.Expires, client.Created, client.Expires, code.Expires = given, given, given, given
	code.Grant.Created, code.Grant.Used, code.Grant.Expires = given, given, given
	t.ok(t.AddTicket(ctx, ticket))
	t.ok(t.AddClient(ctx, client, 100))
	t.ok(t.AddCode(ctx, code))
	_, err := t.RedeemCode(ctx, code.Hash, token(n, 0), given)
	t.ok(err)
	ticket.Expires, client.Created, client.Expires, code.Expires = want, want, want, want
	code.Grant.Created, code.Grant.Used, code.Grant.Expires, code.Redeemed = want, want, want, true
	t.isTicket(ticket)
	t.isClient(client)
	t.isCode(code)
	t.isGrant(code.Grant)
	r := aRotation(n, 0, given)
	r.Expires = given
	t.rotates("at the given time", r, r.Sealed)
	t.isGrant(code.Grant)
	t.isClient(client)
}

// timesOfOutbox checks the same for endpoints, events, deliveries and watches.
func (t *trial) timesOfOutbox(n int, given, want time.Time) {
	ctx := t.Context()
	endpoint, watch := anEndpoint(n, n), aWatch(n, n)
	event := onceOnly(n, n, fmt.Sprint("name ", n))
	result := aFailure(n, n, given, given)
	endpoint.OldUntil, endpoint.Created, endpoint.Enabled = given, given, given
	event.Created, event.Expires, event.OnceUntil = given, given, given
	watch.At, watch.Due, watch.Ends, watch.Created, watch.Evaluated = given, given, given, given, given
	t.ok(t.AddEndpoint(ctx, endpoint, 1))
	t.post(1, event)
	t.ok(t.AddWatch(ctx, watch, 1))
	endpoint.OldUntil, endpoint.Created, endpoint.Enabled = want, want, want
	event.Created, event.Expires, event.OnceUntil = want, want, want
	watch.At, watch.Due, watch.Ends, watch.Created, watch.Evaluated = want, want, want, want, want
	t.isEvent("event", event)
	t.isWatch("watch", watch)
	delivery := store.Delivery{
		Endpoint: endpoint.ID, Event: event.ID, Kind: kindOf, State: store.DeliveryPending,
		Due: want, Created: want,
	}
	t.isDelivery("delivery", delivery)

	result.Health.PauseUntil = given
	t.ok(t.Finish(ctx, []store.Result{result}))
	delivery.Tries, delivery.Attempts = 1, []store.Attempt{result.Attempt}
	delivery.Attempts[0].At = want
	endpoint.Pending, endpoint.Health = 1, result.Health
	endpoint.Health.FailingSince, endpoint.Health.PauseUntil = want, want
	endpoint.Health.Last.At = want
	t.isDelivery("delivery after an attempt", delivery)
	t.isEndpoint("endpoint", endpoint)
	watch.Due = given
	t.ok(t.SaveWatch(ctx, watch))
	watch.Due, watch.Version = want, 2
	t.isWatch("saved watch", watch)
}

// timesOfCalls checks the same for times that are arguments.
func (t *trial) timesOfCalls(zone *time.Location) {
	ctx := t.Context()
	given, want := noon.Add(999*time.Millisecond).In(zone), aKey(20, 0)
	t.ok(t.AddKey(ctx, want))
	t.ok(t.TouchKeys(ctx, []store.Touch{{Key: want.ID, Day: given}}))
	next := aKey(21, 0)
	next.Created = given
	t.ok(t.ReplaceKey(ctx, want.ID, given, next))
	t.ok(t.RevokeKey(ctx, want.ID, given))
	want.Revoked, want.LastUsed, want.Expires, next.Created = noon, noon, noon, noon
	t.isKey(want)
	t.isKey(next)
}

// durable checks that every change is present after the store is opened again.
func durable(t *trial) {
	t.fill()
	before := t.state()
	list := Methods()
	for n, m := range list {
		t.ok(m.Call(t.Context(), t))
		after := t.state()
		changes := m.Writes && m.Name != "Ready"
		if (after != before) != changes {
			t.Errorf("%s has changed the store: %v, want %v", m.Name, after != before, changes)
		}
		if changes {
			t.reopen()
			t.unchanged(m.Name+" and opening again", after)
		}
		if sampled(n, 8) || n == len(list)-1 {
			dump := Dump(t.T, t)
			t.reopen()
			t.sameDump(m.Name+" and opening again", Dump(t.T, t), dump)
		}
		before = after
	}
}

// contextEnded checks that a call whose context has ended changes nothing.
func contextEnded(t *trial) {
	t.fill()
	before := t.state()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	past, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, m := range Methods() {
		t.fails(m.Name+", cancelled", m.Call(cancelled, t), context.Canceled)
		t.fails(m.Name+", too late", m.Call(past, t), context.DeadlineExceeded)
	}
	t.unchanged("after calls with ended contexts", before)
}

// closed checks that every call of a closed store fails, and that Methods has every method of the
// contract.
func closed(t *trial) {
	t.fill()
	before := t.state()
	t.ok(t.Close())
	called := map[string]bool{"Close": true}
	for _, m := range Methods() {
		t.fails(m.Name, m.Call(t.Context(), t), store.ErrUnavailable)
		called[m.Name] = true
	}
	t.fails("Close", t.Close(), store.ErrUnavailable)
	for i := range reflect.TypeFor[store.Store]().NumMethod() {
		if name := reflect.TypeFor[store.Store]().Method(i).Name; !called[name] {
			t.Errorf("the suite does not call %s", name)
		}
	}
	t.Engine = t.open()
	t.unchanged("after calls of a closed store", before)
}

// closedDuringWrites checks that Close waits for running writes: each has succeeded and is stored,
// or has failed and is not.
func closedDuringWrites(t *trial) {
	ctx := t.Context()
	var done sync.WaitGroup
	began := make(chan struct{}, 16)
	stored := make([][]store.Account, 16)
	var refused [16]store.Account
	for g := range stored {
		done.Go(func() {
			for n := 100_000 * g; ; n++ {
				a := anAccount(n)
				if err := t.AddAccount(ctx, a); err != nil {
					t.fails("AddAccount during Close", err, store.ErrUnavailable)
					refused[g] = a
					return
				}
				if stored[g] = append(stored[g], a); len(stored[g]) == 3 {
					began <- struct{}{}
				}
			}
		})
	}
	for range stored {
		<-began
	}
	t.ok(t.Close())
	done.Wait()
	t.Engine = t.open()
	for g := range stored {
		for _, a := range stored[g] {
			got, err := t.AccountByEmail(ctx, a.Email)
			t.ok(err)
			t.same("an account added during Close", got, a)
		}
		_, err := t.Account(ctx, refused[g].ID)
		t.fails("an account that was refused", err, store.ErrNotFound)
	}
}
