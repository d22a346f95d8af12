package bolt

import (
	"bytes"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// deliveryOf reads a delivery. ErrNotFound: there is no such delivery.
func deliveryOf(tx *bbolt.Tx, endpoint, event string) (store.Delivery, error) {
	return deliveryKind.get(tx, owned(endpoint, []byte(event)))
}

// addDelivery adds the delivery of an event to an endpoint. If it is pending, it is due when the
// event was created.
func addDelivery(tx *bbolt.Tx, to store.Endpoint, e store.Event) error {
	state, err := firstState(tx, to, e)
	if err != nil {
		return err
	}
	d := store.Delivery{
		Endpoint: to.ID,
		Event:    e.ID,
		Kind:     e.Type,
		State:    state,
		Direct:   e.Endpoint != "",
		Created:  e.Created,
	}
	if state == store.DeliveryPending {
		d.Due = e.Created
	}
	if err := deliveryKind.put(tx, &d); err != nil || d.State != store.DeliveryPending {
		return err
	}
	return requeue(tx, to, 1)
}

// firstState returns the state of a new delivery. An event that names its endpoint is added to an
// enabled or pending endpoint only.
func firstState(tx *bbolt.Tx, to store.Endpoint, e store.Event) (string, error) {
	switch {
	case e.Endpoint != "": // a test must reach an endpoint that is pending with a full backlog
		return store.DeliveryPending, nil
	case to.State != store.EndpointEnabled:
		return store.DeliverySkipped, nil
	}
	q, err := queueOf(tx, to.ID)
	if q.pending >= store.MostPending {
		return store.DeliverySkipped, err
	}
	return store.DeliveryPending, err
}

// replaceDelivery replaces a delivery and returns the change of the number of pending deliveries.
func replaceDelivery(tx *bbolt.Tx, before, after store.Delivery) (added int, err error) {
	if before.State == store.DeliveryPending {
		added--
	}
	if after.State == store.DeliveryPending {
		added++
	} else {
		after.Due = time.Time{}
	}
	return added, deliveryKind.replace(tx, &before, &after)
}

// removeDelivery removes a delivery and returns the change of the number of pending deliveries.
func removeDelivery(tx *bbolt.Tx, endpoint, event string) (added int, err error) {
	d, err := deliveryOf(tx, endpoint, event)
	if err != nil {
		return 0, missing(err, deliveries, endpoint, event)
	}
	if d.State == store.DeliveryPending {
		added--
	}
	return added, deliveryKind.remove(tx, &d)
}

// missing returns the error of reading a row that an index refers to.
func missing(err error, bucket []byte, of ...string) error {
	if err == store.ErrNotFound {
		return damaged("%s has no %q", bucket, of)
	}
	return err
}

// dropDelivery removes a delivery and updates the queue of its endpoint.
func dropDelivery(tx *bbolt.Tx, endpoint, event string) error {
	added, err := removeDelivery(tx, endpoint, event)
	if err != nil || added == 0 {
		return err
	}
	e, err := endpointKind.follow(tx, []byte(endpoint))
	if err != nil {
		return err
	}
	return requeue(tx, e, added)
}

// eventsTo lists up to n events that an endpoint has deliveries of, the oldest first.
func eventsTo(tx *bbolt.Tx, endpoint string, n int) []string {
	var list []string
	prefix := owned(endpoint)
	c := tx.Bucket(deliveries).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(list) < n; k, _ = c.Next() {
		list = append(list, string(k[len(prefix):]))
	}
	return list
}

// skipPending makes the pending deliveries of an endpoint skipped and returns their number.
func skipPending(tx *bbolt.Tx, endpoint string) (int, error) {
	var list []string
	prefix := owned(endpoint)
	c := tx.Bucket(deliveriesDue).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		list = append(list, string(rest(k, len(prefix)+1+8)))
	}
	for _, event := range list {
		before, err := deliveryOf(tx, endpoint, event)
		if err != nil {
			return 0, missing(err, deliveries, endpoint, event)
		}
		after := before
		after.State = store.DeliverySkipped
		if _, err := replaceDelivery(tx, before, after); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// Delivery implements store.Store.
func (s *Store) Delivery(ctx context.Context, endpoint, event string) (store.Delivery, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Delivery, error) {
		return deliveryOf(tx, endpoint, event)
	})
}

// DeliveriesOf implements store.Store.
func (s *Store) DeliveriesOf(
	ctx context.Context, endpoint string, f store.DeliveryFilter, n int,
) ([]store.Delivery, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Delivery, error) {
		list := []store.Delivery{}
		down := newDescent(tx, deliveries, owned(endpoint), f.Before)
		for ; len(list) < n && string(down.id()) >= f.Since && down.key != nil; down.advance() {
			d, err := get[store.Delivery](tx, deliveries, down.key)
			if err != nil {
				return nil, err
			}
			if (len(f.States) == 0 || slices.Contains(f.States, d.State)) &&
				(f.Kind == "" || f.Kind == d.Kind) {
				list = append(list, d)
			}
		}
		return list, nil
	})
}

// Replay implements store.Store.
func (s *Store) Replay(
	ctx context.Context, endpoint string, list []string, at time.Time,
) (int, error) {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	at = store.Second(at)
	return change(ctx, s, func(tx *bbolt.Tx) (int, error) {
		e, err := endpointKind.get(tx, []byte(endpoint))
		if err != nil {
			return 0, err
		}
		if e.State != store.EndpointEnabled {
			return 0, store.ErrConflict
		}
		ended, err := endedDeliveries(tx, endpoint, list)
		if err != nil {
			return 0, err
		}
		q, err := queueOf(tx, endpoint)
		if err != nil {
			return 0, err
		}
		if q.pending+len(ended) > store.MostPending && len(ended) > 0 {
			return 0, store.ErrTooMany
		}
		for _, before := range ended {
			after := before
			after.State, after.Replay, after.Tries, after.Due = store.DeliveryPending, true, 0, at
			if _, err := replaceDelivery(tx, before, after); err != nil {
				return 0, err
			}
		}
		if len(ended) > 0 {
			s.changed(tx, store.Change{Posted: true})
		}
		return len(ended), requeue(tx, e, len(ended))
	})
}

// endedDeliveries returns those deliveries of events to an endpoint that exist and are not pending.
func endedDeliveries(tx *bbolt.Tx, endpoint string, list []string) ([]store.Delivery, error) {
	var ended []store.Delivery
	for _, event := range list {
		d, err := deliveryOf(tx, endpoint, event)
		if err == store.ErrNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if d.State != store.DeliveryPending {
			ended = append(ended, d)
		}
	}
	return ended, nil
}

// finishing collects what results change of an endpoint.
type finishing struct {
	before, after store.Endpoint
	added         int // change of the number of pending deliveries
}

// Finish implements store.Store.
func (s *Store) Finish(ctx context.Context, results []store.Result) error {
	results = slices.Clone(results)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		of := map[string]*finishing{}
		var order []*finishing
		for _, r := range results {
			f, ok := of[r.Endpoint]
			if !ok {
				e, err := endpointKind.get(tx, []byte(r.Endpoint))
				if err == store.ErrNotFound {
					continue
				}
				if err != nil {
					return err
				}
				f = &finishing{before: e, after: e}
				of[r.Endpoint] = f
				order = append(order, f)
			}
			if err := f.add(tx, r); err != nil {
				return err
			}
		}
		for _, f := range order {
			if err := f.end(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// add stores a result in its delivery.
func (f *finishing) add(tx *bbolt.Tx, r store.Result) error {
	before, err := deliveryOf(tx, r.Endpoint, r.Event)
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	after := before
	r.Attempt.At = store.Second(r.Attempt.At)
	after.Attempts = append(slices.Clone(before.Attempts), r.Attempt)
	after.Attempts = after.Attempts[max(0, len(after.Attempts)-store.MostAttempts):]
	if before.State == store.DeliveryPending || r.State == store.DeliveryDelivered {
		after.State, after.Tries, after.Due = r.State, r.Tries, store.Second(r.Due)
	}
	added, err := replaceDelivery(tx, before, after)
	f.added += added
	if r.URL == f.after.URL && f.after.Receives() {
		f.apply(r)
	}
	return err
}

// apply changes the endpoint as a result demands.
func (f *finishing) apply(r store.Result) {
	f.after.Health = store.Stored(r.Health)
	switch {
	case r.EndpointState == store.EndpointEnabled && f.after.State == store.EndpointPending:
		f.after.State, f.after.Reason = store.EndpointEnabled, ""
		f.after.Enabled = store.Second(r.Attempt.At)
		f.after.Version++
	case r.EndpointState == store.EndpointSuspended:
		f.after.State, f.after.Reason = store.EndpointSuspended, r.Reason
		f.after.Version++
	}
}

// end stores the endpoint and its queue.
func (f *finishing) end(tx *bbolt.Tx) error {
	if f.after.State == f.before.State && f.after.Health == f.before.Health {
		return requeue(tx, f.after, f.added)
	}
	return changeEndpoint(tx, f.before, f.after, f.added)
}
