package endpoints

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/store"
)

// DeliveryState is the state of a delivery.
type DeliveryState string

// Values returns all states.
func (DeliveryState) Values() []string {
	return []string{
		store.DeliveryPending, store.DeliveryDelivered, store.DeliveryFailed, store.DeliverySkipped,
	}
}

// Delivery describes an event for an endpoint.
type Delivery struct {
	Event     string        `json:"event" doc:"Id of the event, which is the webhook-id of its requests." example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
	Type      events.Kind   `json:"type" doc:"Kind of the event. Later versions may add kinds."`
	State     DeliveryState `json:"state" doc:"Pending: an attempt is to come. Failed: after all attempts. Skipped: the endpoint was not enabled, or had too many deliveries."`
	Attempts  []Attempt     `json:"attempts" doc:"The last 12 attempts, the oldest first."`
	NextAt    *time.Time    `json:"nextAt" doc:"The next attempt is not before this time; null: there is no further attempt."`
	CreatedAt time.Time     `json:"createdAt" doc:"When the event happened."`
}

// Event describes something that happened, as endpoints receive it.
type Event struct {
	ID        string          `json:"id" doc:"Id of the event; later events have greater ids." example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
	Type      events.Kind     `json:"type" doc:"Kind of the event. Later versions may add kinds."`
	CreatedAt time.Time       `json:"createdAt" doc:"When the event happened."`
	ExpiresAt time.Time       `json:"expiresAt" doc:"When the event is removed from this service."`
	Body      json.RawMessage `json:"body" schema:"Event" doc:"The request body that endpoints receive: type, timestamp and data."`
}

// SchemaName returns the name in OpenAPI documents, where Event is the body.
func (Event) SchemaName() string { return "EventRecord" }

// describeDelivery returns the description of a delivery.
func describeDelivery(d store.Delivery) Delivery {
	out := Delivery{
		Event: d.Event, Type: events.Kind(d.Kind), State: DeliveryState(d.State),
		Attempts: []Attempt{}, CreatedAt: d.Created,
	}
	for _, a := range d.Attempts {
		out.Attempts = append(out.Attempts, describeAttempt(a))
	}
	if d.State == store.DeliveryPending {
		out.NextAt = coast.Known(d.Due)
	}
	return out
}

// describeEvent returns the description of an event.
func describeEvent(e store.Event) Event {
	return Event{
		ID: e.ID, Type: events.Kind(e.Type), CreatedAt: e.Created, ExpiresAt: e.Expires, Body: e.Body,
	}
}

// DeliveryFilter selects deliveries. Zero fields select all.
type DeliveryFilter = store.DeliveryFilter

// Deliveries returns up to n deliveries of an endpoint of an account, the newest event first, and
// the id to continue before, "" at the end.
func (s *Service) Deliveries(
	ctx context.Context, account, endpoint string, f DeliveryFilter, n int,
) (list []Delivery, next string, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, endpoint)
	if err != nil {
		return nil, "", err
	}
	found, err := s.c.Store.DeliveriesOf(ctx, e.ID, f, n+1)
	if len(found) > n {
		found = found[:n]
		next = found[n-1].Event
	}
	list = []Delivery{}
	for _, d := range found {
		list = append(list, describeDelivery(d))
	}
	return list, next, err
}

// Delivery returns a delivery of an endpoint of an account, with its event.
func (s *Service) Delivery(
	ctx context.Context, account, endpoint, event string,
) (_ Delivery, _ Event, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, endpoint)
	if err != nil {
		return Delivery{}, Event{}, err
	}
	d, err := s.c.Store.Delivery(ctx, e.ID, event)
	if errors.Is(err, store.ErrNotFound) {
		return Delivery{}, Event{}, noDelivery(e.ID, event)
	}
	if err != nil {
		return Delivery{}, Event{}, err
	}
	sent, err := s.c.Store.Event(ctx, event)
	return describeDelivery(d), describeEvent(sent), err
}

func noDelivery(endpoint, event string) error {
	return coast.Errorf(coast.NotFound, "The endpoint %s has no delivery of %s.", endpoint,
		coast.Quote(event)).With(coast.ListDeliveries.Hint("List those of the last 30 days", endpoint))
}

// Replay sends an event to an endpoint of an account again.
func (s *Service) Replay(
	ctx context.Context, account, endpoint, event string,
) (_ Delivery, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, endpoint)
	if err != nil {
		return Delivery{}, err
	}
	if _, err = s.c.Store.Delivery(ctx, e.ID, event); errors.Is(err, store.ErrNotFound) {
		return Delivery{}, noDelivery(e.ID, event)
	} else if err != nil {
		return Delivery{}, err
	}
	allowed := func() error { return s.allowed(s.replays, "replays of one delivery", account) }
	if _, err := s.replay(ctx, e, []string{event}, allowed); err != nil {
		return Delivery{}, err
	}
	d, err := s.c.Store.Delivery(ctx, e.ID, event)
	return describeDelivery(d), err
}

// replay makes deliveries pending again, if allowed returns no error.
func (s *Service) replay(
	ctx context.Context, e store.Endpoint, events []string, allowed func() error,
) (int, error) {
	switch {
	case s.c.Off:
		return 0, errOff
	case e.State != store.EndpointEnabled:
		return 0, notEnabled(e)
	}
	if err := allowed(); err != nil {
		return 0, err
	}
	n, err := s.c.Store.Replay(ctx, e.ID, events, s.now())
	switch {
	case errors.Is(err, store.ErrConflict):
		return 0, notEnabled(e)
	case errors.Is(err, store.ErrTooMany):
		return 0, coast.Errorf(coast.InvalidRequest, "The endpoint %s has %d deliveries waiting, and "+
			"no more than %d may wait: replay when they are delivered.", e.ID, e.Pending,
			store.MostPending)
	}
	return n, err
}

// MostReplayed limits the deliveries of one call of ReplayAll.
const MostReplayed = 1000

// ReplayAll sends the events since a time, and before another if it is not zero, to an endpoint of
// an account again: those whose deliveries are in one of the states, failed and skipped ones if
// there are none. It handles up to MostReplayed
// deliveries, the newest first, and returns their number and the id to continue before, "" if
// there are no more.
func (s *Service) ReplayAll(
	ctx context.Context, account, endpoint string, since, until time.Time, before string,
	states []string,
) (n int, next string, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, endpoint)
	if err != nil {
		return 0, "", err
	}
	if err := s.checkSpan(since, until); err != nil {
		return 0, "", err
	}
	if len(states) == 0 {
		states = []string{store.DeliveryFailed, store.DeliverySkipped}
	}
	f := DeliveryFilter{States: states, Since: events.FirstID(since), Before: before}
	if before == "" && !until.IsZero() {
		f.Before = events.FirstID(until)
	}
	found, next, err := s.Deliveries(ctx, account, e.ID, f, MostReplayed)
	if err != nil || len(found) == 0 {
		return 0, "", err
	}
	ids := make([]string, len(found))
	for i, d := range found {
		ids[i] = d.Event
	}
	slices.Sort(ids)
	n, err = s.replay(ctx, e, ids, func() error {
		return s.allowed(s.bulks, "replays of many deliveries", account)
	})
	return n, next, err
}

// checkSpan refuses a span of events that are not stored.
func (s *Service) checkSpan(since, until time.Time) error {
	now := s.now()
	const layout = time.RFC3339
	switch earliest := now.Add(-events.Retention); {
	case since.Before(earliest):
		return coast.Invalid([]coast.Issue{{Path: "/since", Code: "minimum", Message: "since must be " +
			"within the last 30 days, for which events are stored: " + earliest.Format(layout) +
			" or later. " + exampleSince(now)}})
	case since.After(now):
		return coast.Invalid([]coast.Issue{{Path: "/since", Code: "maximum", Message: "since must not " +
			"be in the future: it is " + now.Format(layout) + ". " + exampleSince(now)}})
	case !until.IsZero() && !until.After(since):
		return coast.Invalid([]coast.Issue{{Path: "/until", Code: "minimum", Message: "until must be " +
			"later than the start of the span, " + since.UTC().Format(layout) + "."}})
	}
	return nil
}

// exampleSince returns a valid example of since.
func exampleSince(now time.Time) string {
	return `Example: "since": "` + now.Add(-time.Hour).Format(time.RFC3339) + `".`
}

// Events returns up to n events of an account and of all accounts, the newest first, of one kind or
// of all (""), and the id to continue before, "" at the end.
func (s *Service) Events(
	ctx context.Context, account, kind, before string, n int,
) (list []Event, next string, err error) {
	defer outage.Failure(&err)
	found, err := s.c.Store.EventsOf(ctx, account, kind, before, n+1)
	if len(found) > n {
		found = found[:n]
		next = found[n-1].ID
	}
	list = []Event{}
	for _, e := range found {
		list = append(list, describeEvent(e))
	}
	return list, next, err
}

// Event returns an event of an account or of all accounts.
func (s *Service) Event(ctx context.Context, account, id string) (_ Event, err error) {
	defer outage.Failure(&err)
	e, err := s.c.Store.Event(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Account != account && e.Account != "" {
		return Event{}, coast.Errorf(coast.NotFound, "There is no event %s.", coast.Quote(id)).
			With(coast.ListEvents.Hint("List those of the last 30 days"))
	}
	return describeEvent(e), err
}
