package storetest

import (
	"context"
	"fmt"
	"time"

	"leadline/store"
)

// Endpoints, events and watches by number: number 10n and the next ones belong to account n.

func endpointID(n int) string { return fmt.Sprintf("we_%014d", n) }

func eventID(n int) string { return fmt.Sprintf("msg_%032x", n) }

func watchID(n int) string { return fmt.Sprintf("wt_%014d", n) }

// anEndpoint returns an enabled endpoint that subscribes to all kinds.
func anEndpoint(n, account int) store.Endpoint {
	return store.Endpoint{
		ID:          endpointID(n),
		Account:     accountID(account),
		URL:         fmt.Sprintf("https://hooks%d.example.org/leadline?a=1&b=<2>", n),
		Description: fmt.Sprint("receiver ", n),
		Kinds:       []string{"*"},
		State:       store.EndpointEnabled,
		Secret:      []byte{1, byte(n), 0xFF, 0},
		Created:     noon.Add(time.Duration(n) * time.Minute),
		Enabled:     noon.Add(time.Duration(n) * time.Hour),
		Version:     1,
	}
}

// kindOf is the kind of the events of an account, newsKind that of the events for all accounts.
const (
	kindOf   = "quota.warning"
	testKind = "webhook.test"
	newsKind = "status.incident.created"
)

// anEvent returns an event of an account, n seconds after noon.
func anEvent(n, account int) store.Event {
	return store.Event{
		ID:      eventID(n),
		Type:    kindOf,
		Account: accountID(account),
		Body:    fmt.Appendf(nil, `{"type":"quota.warning","data":{"n":%d,"text":"\u00e9 <&>"}}`, n),
		Created: noon.Add(time.Duration(n) * time.Second),
		Expires: noon.AddDate(0, 0, 30),
	}
}

// news returns an event for all accounts.
func news(n int) store.Event {
	e := anEvent(n, 0)
	e.Account, e.Type = "", newsKind
	return e
}

// direct returns an event for one endpoint.
func direct(n, account, endpoint int) store.Event {
	e := anEvent(n, account)
	e.Type, e.Endpoint = testKind, endpointID(endpoint)
	return e
}

// onceOnly returns an event with a name that lasts for a day.
func onceOnly(n, account int, name string) store.Event {
	e := anEvent(n, account)
	e.Once, e.OnceUntil = name, e.Created.AddDate(0, 0, 1)
	return e
}

// aResult returns the result of an attempt at the delivery of event n to an endpoint, which
// delivered it.
func aResult(endpoint, n int, at time.Time) store.Result {
	a := store.Attempt{At: at, Status: 200, Millis: 12, Reply: "ok"}
	return store.Result{
		Endpoint: endpointID(endpoint),
		Event:    eventID(n),
		URL:      anEndpoint(endpoint, 0).URL,
		Attempt:  a,
		State:    store.DeliveryDelivered,
		Tries:    1,
		Health:   store.Health{Last: a},
	}
}

// aNotice returns a notice of an event.
func aNotice(at uint64, e store.Event) store.Notice {
	return store.Notice{At: at, Event: func() (store.Event, error) { return e, nil }}
}

// aFailure returns the result of an attempt that failed and is repeated at due.
func aFailure(endpoint, n int, at, due time.Time) store.Result {
	a := store.Attempt{At: at, Status: 503, Millis: 1200, Error: "status", Reply: "try later"}
	r := aResult(endpoint, n, at)
	r.Attempt, r.State, r.Due = a, store.DeliveryPending, due
	r.Health = store.Health{Failures: 1, Deliveries: 1, FailingSince: at, Last: a}
	return r
}

func aWatch(n, account int) store.Watch {
	return store.Watch{
		ID:       watchID(n),
		Account:  accountID(account),
		Name:     fmt.Sprint("trip ", n),
		Station:  fmt.Sprint("station", n%3),
		Request:  []byte(`{"activity":"boating"}`),
		Standing: []byte{0xFF, 0, byte(n)},
		State:    store.WatchActive,
		At:       noon.AddDate(0, 0, 2).Add(time.Duration(n) * time.Hour),
		Due:      noon.Add(time.Duration(n) * time.Minute),
		Ends:     noon.AddDate(0, 0, 2).Add(time.Duration(n)*time.Hour + 15*time.Minute),
		Created:  noon.Add(time.Duration(n) * time.Second),
		Units:    n,
		Version:  1,
	}
}

// ended returns a watch that has ended.
func ended(w store.Watch) store.Watch {
	w.State = store.WatchEnded
	return w
}

// fillOutbox adds endpoints, events, deliveries and watches of account n. Event 10n is delivered to
// endpoint 10n, event 10n+1 is not; event 10n+2 is direct, and event 10n+3 expires within the hour.
// The endpoint of event 10n+2 is pending: the other events are skipped for it. The news of account
// 1 wait for Spread.
func fillOutbox(ctx context.Context, s store.Store, n int) []error {
	some, pending, brief := anEndpoint(10*n+1, n), anEndpoint(10*n+2, n), anEvent(10*n+3, n)
	some.Kinds, some.OldSecret = []string{newsKind, testKind}, []byte{2}
	pending.State = store.EndpointPending
	brief.Expires = noon.Add(time.Hour)
	steps := []error{
		s.AddEndpoint(ctx, anEndpoint(10*n, n), 5),
		s.AddEndpoint(ctx, some, 5),
		s.AddEndpoint(ctx, pending, 5),
		drop(s.Post(ctx, onceOnly(10*n, n, fmt.Sprint("name ", n)), anEvent(10*n+1, n),
			direct(10*n+2, n, 10*n+2), brief, news(10*n+4))),
		s.Finish(ctx, []store.Result{
			aResult(10*n, 10*n, noon),
			aFailure(10*n, 10*n+1, noon, noon.Add(5*time.Minute)),
		}),
		s.AddWatch(ctx, aWatch(10*n, n), 5),
		s.AddWatch(ctx, ended(aWatch(10*n+1, n)), 5),
	}
	if n == 0 {
		steps = append(steps, drop(s.Spread(ctx, 100)))
	}
	return steps
}

// outboxMethods returns calls of the methods of endpoints, events and watches, for account 1.
func outboxMethods() []Method {
	other := accountID(1)
	return []Method{
		{"AddEndpoint", true, func(ctx context.Context, s store.Store) error {
			return s.AddEndpoint(ctx, anEndpoint(13, 1), 5)
		}},
		{"Endpoint", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Endpoint(ctx, endpointID(10)))
		}},
		{"EndpointsOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.EndpointsOf(ctx, other))
		}},
		{"PutEndpoint", true, func(ctx context.Context, s store.Store) error {
			return s.PutEndpoint(ctx, anEndpoint(11, 1))
		}},
		{"RemoveEndpoint", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveEndpoint(ctx, endpointID(12))
		}},
		{"Post", true, func(ctx context.Context, s store.Store) error {
			return drop(s.Post(ctx, onceOnly(15, 1, "name 15"), news(16)))
		}},
		{"Event", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Event(ctx, eventID(10)))
		}},
		{"EventsOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.EventsOf(ctx, other, "", "", 10))
		}},
		{"DeliveriesOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.DeliveriesOf(ctx, endpointID(10), store.DeliveryFilter{}, 10))
		}},
		{"Delivery", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Delivery(ctx, endpointID(10), eventID(10)))
		}},
		{"Replay", true, func(ctx context.Context, s store.Store) error {
			return drop(s.Replay(ctx, endpointID(10), []string{eventID(10)}, noon))
		}},
		{"Spread", true, func(ctx context.Context, s store.Store) error {
			return drop(s.Spread(ctx, 1))
		}},
		{"ClaimEndpoints", false, func(ctx context.Context, s store.Store) error {
			return drop(s.ClaimEndpoints(ctx, "me", noon, noon.Add(time.Minute), 10))
		}},
		{"RenewEndpoints", false, func(ctx context.Context, s store.Store) error {
			return drop(s.RenewEndpoints(ctx, "me", []string{endpointID(10)}, noon.Add(time.Hour)))
		}},
		{"ReleaseEndpoints", false, func(ctx context.Context, s store.Store) error {
			return s.ReleaseEndpoints(ctx, "me", []string{endpointID(10)})
		}},
		{"Due", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Due(ctx, []string{endpointID(10)}, noon.Add(time.Hour), 10))
		}},
		{"Finish", true, func(ctx context.Context, s store.Store) error {
			return s.Finish(ctx, []store.Result{aResult(10, 11, noon.Add(time.Hour))})
		}},
		{"ClampDue", true, func(ctx context.Context, s store.Store) error {
			return drop(s.ClampDue(ctx, noon.Add(-time.Hour), noon.Add(-2*time.Hour)))
		}},
		{"Backlog", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Backlog(ctx))
		}},
		{"AddWatch", true, func(ctx context.Context, s store.Store) error {
			return s.AddWatch(ctx, aWatch(13, 1), 5)
		}},
		{"Watch", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Watch(ctx, watchID(10)))
		}},
		{"WatchesOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.WatchesOf(ctx, other))
		}},
		{"ClaimWatches", false, func(ctx context.Context, s store.Store) error {
			return drop(s.ClaimWatches(ctx, "me", noon.Add(time.Hour), noon.Add(2*time.Hour), 10))
		}},
		{"SaveWatch", true, func(ctx context.Context, s store.Store) error {
			return s.SaveWatch(ctx, aWatch(10, 1), anEvent(17, 1))
		}},
		{"RemoveWatch", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveWatch(ctx, watchID(11))
		}},
	}
}

// dumpOutbox adds the endpoints, events, deliveries and watches of an account.
func dumpOutbox(
	ctx context.Context, s store.Store, account string, add func(string, any, error),
) {
	list, err := s.EndpointsOf(ctx, account)
	add("its endpoints", list, err)
	for _, e := range list {
		deliveries, err := s.DeliveriesOf(ctx, e.ID, store.DeliveryFilter{}, 1000)
		add("deliveries to "+e.ID, deliveries, err)
		due, err := s.Due(ctx, []string{e.ID}, noon.AddDate(1, 0, 0), 1000)
		add("due for "+e.ID, due, err)
	}
	events, err := s.EventsOf(ctx, account, "", "", 1000)
	add("its events", events, err)
	watches, err := s.WatchesOf(ctx, account)
	add("its watches", watches, err)
}
