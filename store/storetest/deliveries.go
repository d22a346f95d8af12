package storetest

import (
	"fmt"
	"slices"
	"time"

	"leadline/store"
)

// claims checks which endpoints are claimed at a time, and releases them.
func (t *trial) claims(now time.Time, want ...int) {
	t.Helper()
	ctx := t.Context()
	list, err := t.ClaimEndpoints(ctx, "claims", now, now.Add(time.Minute), 1000)
	t.ok(err)
	got, wanted := endpointIDs(list), []string{}
	for _, n := range want {
		wanted = append(wanted, endpointID(n))
	}
	t.same(fmt.Sprint("endpoints claimed at ", now), got, wanted)
	t.ok(t.ReleaseEndpoints(ctx, "claims", got))
}

func endpointIDs(list []store.Endpoint) []string {
	out := []string{}
	for _, e := range list {
		out = append(out, e.ID)
	}
	return out
}

// due checks the events that are due for endpoints at a time.
func (t *trial) due(now time.Time, n int, endpoints []int, want ...int) {
	t.Helper()
	var names, got, wanted []string
	for _, e := range endpoints {
		names = append(names, endpointID(e))
	}
	jobs, err := t.Due(t.Context(), names, now, n)
	t.ok(err)
	for _, j := range jobs {
		t.same("event of a job", j.Event.ID, j.Delivery.Event)
		got = append(got, j.Event.ID)
	}
	for _, e := range want {
		wanted = append(wanted, eventID(e))
	}
	t.same(fmt.Sprint("due at ", now), got, wanted)
}

// claimEndpoints checks that two owners have disjoint claims, and that claims end.
func claimEndpoints(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 5, 4, 3, 2, 1, 6)
	t.post(5, direct(1, 0, 3), direct(2, 0, 1), direct(3, 0, 5), direct(4, 0, 4), direct(5, 0, 2))
	now := noon.Add(4 * time.Second)
	until := now.Add(time.Minute)
	claim := func(what, owner string, now time.Time, n int, want ...int) {
		t.Helper()
		list, err := t.ClaimEndpoints(ctx, owner, now, now.Add(time.Minute), n)
		t.ok(err)
		wanted := []string{}
		for _, n := range want {
			wanted = append(wanted, endpointID(n))
		}
		t.same(what, endpointIDs(list), wanted)
	}
	claim("none", "a", now, 0)
	claim("the earliest", "a", now, 2, 3, 1)
	claim("others", "b", now, 9, 5, 4)
	claim("all are claimed", "a", now, 9)
	claim("not yet due", "a", now.Add(999*time.Millisecond), 9)
	claim("later due", "a", now.Add(time.Second), 9, 2)

	held, err := t.RenewEndpoints(
		ctx, "a", []string{endpointID(3), endpointID(5), endpointID(9)}, until.Add(time.Minute),
	)
	t.ok(err)
	t.same("renewed", held, []string{endpointID(3)})
	t.ok(t.ReleaseEndpoints(ctx, "a", []string{endpointID(5), endpointID(1), endpointID(9)}))
	claim("released", "b", now, 9, 1)
	claim("before they expire", "c", until.Add(-time.Second), 9)
	claim("expired, not renewed", "c", until, 9, 1, 5, 4)
	claim("renewed and expired", "c", until.Add(time.Minute), 9, 3, 1, 5, 4, 2)
	held, err = t.RenewEndpoints(ctx, "a", []string{endpointID(3)}, until.Add(time.Hour))
	t.ok(err)
	t.same("renewed after another owner has it", held, []string{})
	t.ok(t.RemoveEndpoint(ctx, endpointID(3)))
	held, err = t.RenewEndpoints(ctx, "c", []string{endpointID(3)}, until.Add(time.Hour))
	t.ok(err)
	t.same("renewed after its removal", held, []string{})

	list, err := t.ClaimEndpoints(ctx, "d", noon.AddDate(0, 0, 1), noon.AddDate(0, 0, 2), 1)
	t.ok(err)
	want := anEndpoint(1, 0)
	want.Pending = 1
	t.same("a claimed endpoint", list, []store.Endpoint{want})
}

// claimTogether checks that concurrent owners never claim the same endpoint.
func claimTogether(t *trial) {
	const endpoints = 200
	t.withEndpoints(0)
	var events []store.Event
	for n := range endpoints {
		t.ok(t.AddEndpoint(t.Context(), anEndpoint(n, 0), endpoints))
		events = append(events, direct(n, 0, n))
	}
	t.post(endpoints, events...)
	now := noon.Add(time.Hour)
	claimed := make([][]string, 16)
	together(len(claimed), func(i int) {
		for {
			list, err := t.ClaimEndpoints(t.Context(), fmt.Sprint(i), now, now.Add(time.Minute), 3)
			if err != nil {
				t.Errorf("ClaimEndpoints: %v", err)
			}
			if len(list) == 0 {
				return
			}
			claimed[i] = append(claimed[i], endpointIDs(list)...)
		}
	})
	all := slices.Concat(claimed...)
	slices.Sort(all)
	t.same("claims", len(all), endpoints)
	t.same("endpoints", len(slices.Compact(all)), endpoints)
}

// pauses checks which deliveries a pause and the state pending withhold.
func pauses(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.post(2, anEvent(1, 0), anEvent(2, 0))
	hour := noon.Add(time.Hour)
	failure := aFailure(1, 1, noon, noon.Add(time.Minute))
	failure.Health.PauseUntil = hour
	t.ok(t.Finish(ctx, []store.Result{failure}))
	late := hour.Add(-time.Second)
	t.claims(late)
	t.due(late, 9, []int{1})
	t.post(1, anEvent(3, 0))
	t.claims(late)
	t.post(1, direct(4, 0, 1))
	t.claims(late, 1)
	t.due(late, 9, []int{1}, 4)
	t.claims(hour, 1)
	t.due(hour, 9, []int{1}, 4, 2, 3, 1)
	t.ok(t.Finish(ctx, []store.Result{func() store.Result {
		r := aResult(1, 4, noon)
		r.Health.PauseUntil = hour
		return r
	}()}))
	t.claims(late)
	t.claims(hour, 1)

	t.change(1, func(e *store.Endpoint) { e.URL = "https://new.example.org/" })
	t.claims(noon.Add(2*time.Second), 1) // no pause
	t.moveTo(1, store.EndpointPending)
	t.claims(hour.AddDate(1, 0, 0))
	t.due(hour.AddDate(1, 0, 0), 9, []int{1})
	t.post(2, anEvent(5, 0), direct(6, 0, 1)) // the first is skipped
	t.claims(hour, 1)
	t.due(hour, 9, []int{1}, 6)
	enabling := aResult(1, 6, hour)
	enabling.URL, enabling.EndpointState = "https://new.example.org/", store.EndpointEnabled
	t.ok(t.Finish(ctx, []store.Result{enabling}))
	t.claims(hour, 1)
	t.due(hour, 9, []int{1}, 2, 3, 1)
	t.recount("after all", 1)
	t.reopen()
	t.claims(hour, 1)
}

// dueDeliveries checks the order of due deliveries, their number and their contents.
func dueDeliveries(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.withEndpoints(1, 11)
	t.post(5, anEvent(9, 0), anEvent(2, 0), direct(5, 0, 1), anEvent(3, 1), direct(7, 0, 1))
	now := noon.Add(time.Minute)
	t.due(now, 9, []int{1}, 5, 7, 2, 9)
	t.due(now, 3, []int{1}, 5, 7, 2)
	t.due(now, 1, []int{2, 99, 11, 1}, 2, 3, 5)
	t.due(now, 0, []int{1, 2})
	t.due(now, 9, nil)
	t.due(noon.Add(8*time.Second), 9, []int{1}, 5, 7, 2)
	t.due(noon.Add(time.Second), 9, []int{1})
	jobs, err := t.Due(ctx, []string{endpointID(11)}, now, 9)
	t.ok(err)
	d, err := t.Delivery(ctx, endpointID(11), eventID(3))
	t.ok(err)
	t.same("job", jobs, []store.Job{{Delivery: d, Event: anEvent(3, 1)}})
	t.moveTo(1, store.EndpointDisabled)
	t.due(now, 9, []int{1})
}

// finish checks the attempts of a delivery until it succeeds.
func finish(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.post(2, anEvent(1, 0), anEvent(2, 0))
	want, err := t.Delivery(ctx, endpointID(1), eventID(1))
	t.ok(err)
	endpoint := anEndpoint(1, 0)
	endpoint.Pending = 2
	for n := range store.MostAttempts + 3 {
		at := noon.Add(time.Duration(n+1) * time.Hour)
		r := aFailure(1, 1, at, at.Add(time.Minute))
		r.Tries, r.Health.Failures, r.Attempt.Millis = n+1, n+1, n
		t.ok(t.Finish(ctx, []store.Result{r}))
		want.Tries, want.Due, want.Attempts = n+1, r.Due, append(want.Attempts, r.Attempt)
		want.Attempts = want.Attempts[max(0, len(want.Attempts)-store.MostAttempts):]
		t.isDelivery("after a failure", want)
		endpoint.Health = r.Health
		t.isEndpoint("after a failure", endpoint)
		t.due(r.Due.Add(-time.Second), 9, []int{1}, 2)
		t.due(r.Due, 9, []int{1}, 2, 1)
	}
	r := aResult(1, 1, noon.AddDate(0, 0, 1))
	r.Due = noon.AddDate(0, 0, 2) // ignored
	t.ok(t.Finish(ctx, []store.Result{r}))
	want.State, want.Tries, want.Due = store.DeliveryDelivered, 1, time.Time{}
	want.Attempts = append(want.Attempts[1:], r.Attempt)
	endpoint.Health, endpoint.Pending = r.Health, 1
	t.reopen()
	t.isDelivery("delivered", want)
	t.isEndpoint("delivered", endpoint)
	t.due(noon.AddDate(1, 0, 0), 9, []int{1}, 2)

	late := aFailure(1, 1, noon.AddDate(0, 0, 3), noon.AddDate(0, 0, 4))
	t.ok(t.Finish(ctx, []store.Result{late}))
	want.Attempts = append(want.Attempts[1:], late.Attempt)
	t.isDelivery("a late result", want)
	t.due(noon.AddDate(1, 0, 0), 9, []int{1}, 2)
	last := aFailure(1, 2, noon, noon)
	last.State = store.DeliveryFailed
	t.ok(t.Finish(ctx, []store.Result{last}))
	t.states(1, "failed", "delivered")
	t.claims(noon.AddDate(1, 0, 0))
	t.recount("after all", 1)
}

// finishLate checks that a delivery is delivered once an attempt has succeeded, also if another
// attempt failed or the delivery was skipped before the result was stored.
func finishLate(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	t.post(3, anEvent(1, 0), anEvent(2, 0), anEvent(3, 0))
	failed := aFailure(1, 1, noon, noon)
	failed.State = store.DeliveryFailed
	t.ok(t.Finish(ctx, []store.Result{failed, aResult(1, 1, noon)}))
	t.states(1, "pending", "pending", "delivered")
	t.moveTo(1, store.EndpointDisabled)
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 2, noon), aFailure(1, 3, noon, noon)}))
	t.states(1, "skipped", "delivered", "delivered")
	t.recount("after all", 1)
}

// isDelivery checks that a delivery is stored unchanged.
func (t *trial) isDelivery(what string, want store.Delivery) {
	t.Helper()
	got, err := t.Delivery(t.Context(), want.Endpoint, want.Event)
	t.ok(err)
	t.same(what, got, want)
}

// finishMany checks that results are stored in their order, and that those of removed rows are
// ignored.
func finishMany(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.post(3, anEvent(1, 0), anEvent(2, 0), anEvent(3, 0))
	repeated := aFailure(2, 2, noon, noon.Add(time.Hour))
	t.ok(t.Finish(ctx, []store.Result{
		aFailure(1, 1, noon, noon.Add(time.Hour)),
		aResult(99, 1, noon), aResult(1, 99, noon), aResult(99, 99, noon),
		repeated, aResult(2, 1, noon), aResult(1, 2, noon), aResult(2, 2, noon.Add(time.Second)),
	}))
	t.states(1, "pending", "delivered", "pending")
	t.states(2, "pending", "delivered", "delivered")
	e := anEndpoint(2, 0)
	e.Pending, e.Health = 1, aResult(2, 2, noon.Add(time.Second)).Health
	t.isEndpoint("the last result counts", e)
	d, err := t.Delivery(ctx, endpointID(2), eventID(2))
	t.ok(err)
	t.same("attempts", d.Attempts, []store.Attempt{
		repeated.Attempt, aResult(2, 2, noon.Add(time.Second)).Attempt,
	})
	t.ok(t.Finish(ctx, nil))
	t.recount("after all", 1, 2)
}

// finishStates checks which changes of the state of an endpoint Finish makes.
func finishStates(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0)
	for n, c := range []struct{ is, to, url, want string }{
		{store.EndpointPending, store.EndpointEnabled, "", store.EndpointEnabled},
		{store.EndpointPending, store.EndpointSuspended, "", store.EndpointSuspended},
		{store.EndpointPending, store.EndpointEnabled, "https://old.example.org/", store.EndpointPending},
		{store.EndpointPending, "", "", store.EndpointPending},
		{store.EndpointEnabled, store.EndpointSuspended, "", store.EndpointSuspended},
		{store.EndpointEnabled, store.EndpointSuspended, "https://old.example.org/", store.EndpointEnabled},
		{store.EndpointEnabled, store.EndpointEnabled, "", store.EndpointEnabled},
		{store.EndpointEnabled, store.EndpointPending, "", store.EndpointEnabled},
		{store.EndpointEnabled, store.EndpointDisabled, "", store.EndpointEnabled},
		{store.EndpointDisabled, store.EndpointEnabled, "", store.EndpointDisabled},
		{store.EndpointDisabled, store.EndpointSuspended, "", store.EndpointDisabled},
		{store.EndpointSuspended, store.EndpointEnabled, "", store.EndpointSuspended},
	} {
		want := anEndpoint(n, 0)
		want.State = c.is
		t.ok(t.AddEndpoint(ctx, want, 1000))
		if c.is == store.EndpointDisabled || c.is == store.EndpointSuspended {
			t.moveTo(n, store.EndpointEnabled)
		}
		t.post(2, direct(10*n, 0, n), direct(10*n+1, 0, n))
		if c.is == store.EndpointDisabled || c.is == store.EndpointSuspended {
			t.moveTo(n, c.is)
			want.Version = 3
		}
		at := noon.Add(time.Hour)
		r := aResult(n, 10*n, at)
		r.EndpointState, r.Reason = c.to, "gone"
		r.State, r.Due = store.DeliveryPending, at
		if c.url != "" {
			r.URL = c.url
		}
		t.ok(t.Finish(ctx, []store.Result{r}))
		want.State = c.want
		if c.want != c.is {
			want.Version++
		}
		if c.want == store.EndpointEnabled && c.is == store.EndpointPending {
			want.Enabled = at
		}
		if c.want == store.EndpointSuspended && c.is != c.want {
			want.Reason = "gone"
		}
		if want.Pending = 2; c.want == store.EndpointSuspended || c.want == store.EndpointDisabled {
			want.Pending = 0
		}
		if c.url == "" && c.is != store.EndpointDisabled && c.is != store.EndpointSuspended {
			want.Health = r.Health
		}
		t.isEndpoint(fmt.Sprintf("%+v", c), want)
		state := store.DeliveryPending
		if want.Pending == 0 {
			state = store.DeliverySkipped
		}
		t.states(n, state, state)
	}
	stale := anEndpoint(0, 0)
	t.fails("the version before it was enabled", t.PutEndpoint(ctx, stale), store.ErrConflict)
}

func deliveriesOf(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.withEndpoints(1, 11)
	var results []store.Result
	for n := range 10 {
		t.post(2, anEvent(10*n, 0), anEvent(10*n+5, 1))
		r := aResult(1, 10*n, noon)
		r.State = []string{"delivered", "failed", "pending"}[n%3]
		results = append(results, r)
	}
	t.post(1, direct(100, 0, 1))
	t.ok(t.Finish(ctx, results))
	for _, c := range []struct {
		f    store.DeliveryFilter
		n    int
		want []int
	}{
		{store.DeliveryFilter{}, 99, []int{100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 0}},
		{store.DeliveryFilter{}, 2, []int{100, 90}},
		{store.DeliveryFilter{}, 0, nil},
		{store.DeliveryFilter{Before: eventID(30)}, 99, []int{20, 10, 0}},
		{store.DeliveryFilter{Since: eventID(70)}, 99, []int{100, 90, 80, 70}},
		{store.DeliveryFilter{Since: eventID(71)}, 99, []int{100, 90, 80}},
		{store.DeliveryFilter{Since: eventID(40), Before: eventID(70)}, 99, []int{60, 50, 40}},
		{store.DeliveryFilter{Since: eventID(70), Before: eventID(40)}, 99, nil},
		{store.DeliveryFilter{Kind: testKind}, 99, []int{100}},
		{store.DeliveryFilter{Kind: "other"}, 99, nil},
		{store.DeliveryFilter{States: []string{"failed"}}, 99, []int{70, 40, 10}},
		{store.DeliveryFilter{States: []string{"failed", "delivered"}}, 3, []int{90, 70, 60}},
		{store.DeliveryFilter{States: []string{"skipped"}}, 99, nil},
		{
			store.DeliveryFilter{
				States: []string{"pending"}, Kind: kindOf, Since: eventID(21), Before: eventID(80),
			}, 99, []int{50},
		},
	} {
		list, err := t.DeliveriesOf(ctx, endpointID(1), c.f, c.n)
		t.ok(err)
		var got, want []string
		for _, d := range list {
			t.same("endpoint", d.Endpoint, endpointID(1))
			got = append(got, d.Event)
		}
		for _, n := range c.want {
			want = append(want, eventID(n))
		}
		t.same(fmt.Sprintf("DeliveriesOf%+v", c), got, want)
	}
	list, err := t.DeliveriesOf(ctx, endpointID(99), store.DeliveryFilter{}, 9)
	t.ok(err)
	t.same("deliveries of an unknown endpoint", list, []store.Delivery{})
}

func replay(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2)
	t.withEndpoints(1, 11)
	t.post(5, anEvent(1, 0), anEvent(2, 0), anEvent(3, 0), anEvent(4, 0), anEvent(5, 1))
	failed := aFailure(1, 2, noon, noon)
	failed.State, failed.Tries = store.DeliveryFailed, 10
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 1, noon), failed}))
	t.states(1, "pending", "pending", "failed", "delivered")
	at := noon.Add(time.Hour)
	list := []string{eventID(2), eventID(1), eventID(2), eventID(3), eventID(5), eventID(9)}
	n, err := t.Replay(ctx, endpointID(1), list, at)
	t.ok(err)
	t.same("replayed", n, 2)
	t.states(1, "pending", "pending", "pending", "pending")
	want, err := t.Delivery(ctx, endpointID(1), eventID(2))
	t.ok(err)
	t.same("replayed delivery", want, store.Delivery{
		Endpoint: endpointID(1), Event: eventID(2), Kind: kindOf, State: store.DeliveryPending,
		Replay: true, Due: at, Created: noon.Add(2 * time.Second),
		Attempts: []store.Attempt{failed.Attempt},
	})
	t.recount("after a replay", 1, 2, 11)
	t.due(at.Add(-time.Second), 9, []int{1}, 3, 4)
	t.due(at, 9, []int{1}, 3, 4, 1, 2)
	t.reopen()
	n, err = t.Replay(ctx, endpointID(1), list, at)
	t.ok(err)
	t.same("replayed again", n, 0)
	n, err = t.Replay(ctx, endpointID(1), nil, at)
	t.ok(err)
	t.same("replayed nothing", n, 0)

	t.moveTo(1, store.EndpointDisabled)
	before := t.state()
	_, err = t.Replay(ctx, endpointID(99), list, at)
	t.fails("unknown endpoint", err, store.ErrNotFound)
	_, err = t.Replay(ctx, endpointID(1), list, at)
	t.fails("disabled endpoint", err, store.ErrConflict)
	t.unchanged("refused replays", before)
	t.moveTo(1, store.EndpointEnabled)
	n, err = t.Replay(ctx, endpointID(1), []string{eventID(1), eventID(2), eventID(3), eventID(4)}, at)
	t.ok(err)
	t.same("replayed after it was enabled again", n, 4)
	t.recount("after all", 1, 2, 11)
}

// backlogFull checks that deliveries beyond MostPending are skipped and can be replayed, except
// direct ones.
func backlogFull(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1)
	var list []store.Event
	for n := range store.MostPending - 1 {
		list = append(list, anEvent(n, 0))
	}
	for part := range slices.Chunk(list, 1000) {
		t.post(len(part), part...)
	}
	full := store.MostPending
	t.post(3, anEvent(full, 0), anEvent(full+1, 0), direct(full+2, 0, 1))
	t.post(1, news(full+3))
	t.spread(100)
	list4, err := t.DeliveriesOf(ctx, endpointID(1), store.DeliveryFilter{Since: eventID(full)}, 9)
	t.ok(err)
	var states []string
	for _, d := range list4 {
		states = append(states, d.State)
	}
	t.same("states of the newest", states, []string{"skipped", "pending", "skipped", "pending"})
	t.recount("full", 1)
	skipped := []string{eventID(full + 1), eventID(full + 3)}
	_, err = t.Replay(ctx, endpointID(1), skipped[:1], noon)
	t.fails("replay without room", err, store.ErrTooMany)
	t.ok(t.Finish(ctx, []store.Result{aResult(1, 0, noon), aResult(1, 1, noon)}))
	_, err = t.Replay(ctx, endpointID(1), skipped, noon)
	t.fails("replay with too little room", err, store.ErrTooMany)
	n, err := t.Replay(ctx, endpointID(1), skipped[:1], noon)
	t.ok(err)
	t.same("replayed", n, 1)
	t.recount("full again", 1)
	t.moveTo(1, store.EndpointDisabled)
	t.recount("skipped", 1)
	t.ok(t.RemoveEndpoint(ctx, endpointID(1)))
	t.recount("removed")
}

// clampDue checks that what is due too late is moved, and nothing else.
func clampDue(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 1, 2, 3)
	t.post(3, anEvent(1, 0), anEvent(2, 0), direct(3, 0, 3))
	latest, to := noon.Add(25*time.Hour), noon.Add(time.Hour)
	far := latest.Add(time.Second)
	paused := aFailure(2, 1, noon, noon.Add(time.Minute))
	paused.Health.PauseUntil = far
	t.ok(t.Finish(ctx, []store.Result{
		aFailure(1, 1, noon, far), aFailure(1, 2, noon, latest), paused, aFailure(3, 3, noon, far),
		aResult(3, 1, noon), aResult(3, 2, noon),
	}))
	due, fine, over := aWatch(1, 0), aWatch(2, 0), ended(aWatch(3, 0))
	due.Due, fine.Due, over.Due = far, latest, far
	for _, w := range []store.Watch{due, fine, over} {
		t.ok(t.AddWatch(ctx, w, 9))
	}
	t.claims(latest, 1)
	n, err := t.ClampDue(ctx, latest, to)
	t.ok(err)
	t.same("changed rows", n, 4)
	t.reopen()
	t.claims(to, 1, 2, 3)
	t.due(to, 9, []int{1, 2, 3}, 1, 2, 1, 3)
	e, err := t.Endpoint(ctx, endpointID(2))
	t.ok(err)
	t.same("pause", e.Health.PauseUntil, to)
	due.Due = to
	for _, w := range []store.Watch{due, fine, over} {
		t.isWatch("after ClampDue", w)
	}
	before := t.state()
	n, err = t.ClampDue(ctx, latest, to)
	t.ok(err)
	t.same("changed rows, again", n, 0)
	t.unchanged("again", before)
	t.recount("after all", 1, 2, 3)
}

// backlog checks the counts of all accounts.
func backlog(t *trial) {
	ctx := t.Context()
	b, err := t.Backlog(ctx)
	t.ok(err)
	t.same("backlog of an empty store", b, store.Backlog{
		Endpoints: map[string]int{}, Watches: map[string]int{},
	})
	t.withEndpoints(0, 1, 2, 3)
	t.withEndpoints(1, 11, 12)
	t.moveTo(2, store.EndpointPending)
	t.moveTo(12, store.EndpointDisabled)
	t.post(3, anEvent(4, 0), anEvent(2, 1), anEvent(3, 0)) // to 3 enabled endpoints and 2 others
	t.ok(t.AddWatch(ctx, aWatch(1, 0), 9))
	t.ok(t.AddWatch(ctx, ended(aWatch(2, 0)), 9))
	t.ok(t.AddWatch(ctx, aWatch(3, 1), 9))
	paused := aWatch(3, 1)
	paused.State = store.WatchPaused
	t.ok(t.SaveWatch(ctx, paused))
	for range 2 {
		b, err = t.Backlog(ctx)
		t.ok(err)
		t.same("backlog", b, store.Backlog{
			Endpoints: map[string]int{"enabled": 3, "pending": 1, "disabled": 1},
			Watches:   map[string]int{"active": 1, "ended": 1, "paused": 1},
			Pending:   5,
			Oldest:    noon.Add(2 * time.Second),
		})
		t.reopen()
	}
	t.ok(t.Finish(ctx, []store.Result{aResult(11, 2, noon)}))
	t.recount("after a delivery", 1, 2, 3, 11, 12)
	t.ok(t.RemoveAccount(ctx, accountID(0)))
	t.recount("after a removal", 11, 12)
}

// outboxTogether checks the counts after concurrent changes of the same endpoints.
func outboxTogether(t *trial) {
	ctx := t.Context()
	t.withEndpoints(0, 0, 1, 2, 3)
	rounds := part(20, 3)
	together(16, func(i int) {
		for n := range rounds {
			id := 1000*i + n
			if _, err := t.Post(ctx, anEvent(id, 0), news(100_000+id)); err != nil {
				t.Errorf("Post: %v", err)
			}
			if _, err := t.Spread(ctx, 3); err != nil {
				t.Errorf("Spread: %v", err)
			}
			results := []store.Result{
				aResult(0, id, noon), aFailure(1, id, noon, noon.Add(time.Hour)), aResult(2, id, noon),
			}
			if err := t.Finish(ctx, results); err != nil {
				t.Errorf("Finish: %v", err)
			}
			e, err := t.Endpoint(ctx, endpointID(3))
			if err == nil && i%4 == 0 {
				e.State = []string{store.EndpointDisabled, store.EndpointEnabled}[n%2]
				_ = t.PutEndpoint(ctx, e) // may conflict
			}
			if _, err := t.Replay(ctx, endpointID(0), []string{eventID(id)}, noon); err != nil {
				t.Errorf("Replay: %v", err)
			}
		}
	})
	t.recount("after all", 0, 1, 2, 3)
	t.spread(100)
	t.reopen()
	t.recount("opened again", 0, 1, 2, 3)
	for n := range 4 {
		list, err := t.DeliveriesOf(ctx, endpointID(n), store.DeliveryFilter{}, 1000)
		t.ok(err)
		t.same(fmt.Sprint("deliveries to endpoint ", n), len(list), 2*16*rounds)
	}
}
