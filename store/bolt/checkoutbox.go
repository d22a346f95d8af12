package bolt

import (
	"bytes"
	"encoding/binary"
	"slices"

	"leadline/store"
)

// outbox checks endpoints, events, deliveries and watches.
func (e *examination) outbox() {
	e.events()
	e.names()
	e.endpoints(e.deliveries())
	e.watches()
	e.indexes(
		endpointsOfAccount,
		endpointsOfKind,
		endpointsDue,
		queues,
		eventsOfAccount,
		eventsByEnd,
		onceByEnd,
		deliveriesOfEvent,
		deliveriesDue,
		watchesOfAccount,
		watchesByDue,
		watchesByEnd,
	)
}

func (e *examination) events() {
	e.report.Events = records(e, events, func(id []byte, r store.Event) {
		e.id(events, id, r.ID)
		if r.Account != "" {
			e.owner(r.Account, string(events), id)
		}
		e.entry(eventsOfAccount, owned(r.Account, id), []byte(r.Type))
		e.entry(eventsByEnd, byEnd(r.Expires, id), id)
	})
	_ = e.tx.Bucket(eventsToSpread).ForEach(func(id, _ []byte) error {
		if !has(e.tx, eventsOfAccount, owned("", id)) {
			e.fault("%s has %q, which is not an event for all accounts", eventsToSpread, id)
		}
		return nil
	})
}

// names checks the names of events.
func (e *examination) names() {
	_ = e.tx.Bucket(once).ForEach(func(name, until []byte) error {
		if len(until) != 8 {
			e.fault("name %q of an event has %d bytes, want 8", name, len(until))
		} else {
			e.entry(onceByEnd, append(bytes.Clone(until), name...), name)
		}
		return nil
	})
}

// deliveries checks the deliveries and returns the number of pending ones of each endpoint.
func (e *examination) deliveries() map[string]int {
	pending := map[string]int{}
	e.report.Deliveries = records(e, deliveries, func(key []byte, d store.Delivery) {
		endpoint, event := []byte(d.Endpoint), []byte(d.Event)
		e.id(deliveries, key, string(owned(d.Endpoint, event)))
		for _, of := range []struct{ bucket, id []byte }{{endpoints, endpoint}, {events, event}} {
			if !has(e.tx, of.bucket, of.id) {
				e.fault("record %q of %s has %q, which %s does not have", key, deliveries, of.id, of.bucket)
			}
		}
		e.entry(deliveriesOfEvent, owned(d.Event, endpoint), noValue)
		if d.State == store.DeliveryPending {
			pending[d.Endpoint]++
			e.entry(deliveriesDue, dueDelivery(d), noValue)
		}
	})
	return pending
}

// endpoints checks the endpoints and their queues.
func (e *examination) endpoints(pending map[string]int) {
	e.report.Endpoints = records(e, endpoints, func(id []byte, r store.Endpoint) {
		e.id(endpoints, id, r.ID)
		e.owner(r.Account, string(endpoints), id)
		e.entry(endpointsOfAccount, endpointOfAccount(r), []byte(r.State))
		for _, kind := range slices.Compact(slices.Sorted(slices.Values(r.Kinds))) {
			e.entry(endpointsOfKind, owned(kind, id), noValue)
		}
		n := pending[r.ID]
		if n == 0 {
			return
		}
		if !r.Receives() {
			e.fault("endpoint %q is %s and has %d pending deliveries, want 0", id, r.State, n)
		}
		due := dueOf(e.tx, r)
		e.entry(queues, id, append(binary.BigEndian.AppendUint64(nil, uint64(n)), due...))
		if !bytes.Equal(due, never) {
			e.entry(endpointsDue, endpointDue(due, r.ID), noValue)
		}
	})
}

func (e *examination) watches() {
	e.report.Watches = records(e, watches, func(id []byte, w store.Watch) {
		e.id(watches, id, w.ID)
		e.owner(w.Account, string(watches), id)
		e.entry(watchesOfAccount, watchOfAccount(w), []byte(w.State))
		e.entry(watchesByEnd, byEnd(w.Ends, id), id)
		if w.State != store.WatchEnded {
			e.entry(watchesByDue, dueWatch(w), []byte(w.Account))
		}
	})
}
