package bolt

import (
	"bytes"
	"encoding/binary"

	"leadline/store"
)

// event checks the account of an event.
func (e *examination) event(id []byte, r *store.Event) {
	if r.Account != "" {
		e.owner(r.Account, string(events), id)
	}
}

// events checks the events and the marks of those that wait for Spread.
func (e *examination) events() {
	eventKind.examine(e)
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
	e.indexes(onceByEnd)
}

// delivery checks that the endpoint and the event of a delivery exist.
func (e *examination) delivery(key []byte, d *store.Delivery) {
	for _, of := range []struct {
		bucket []byte
		id     string
	}{{endpoints, d.Endpoint}, {events, d.Event}} {
		if !has(e.tx, of.bucket, []byte(of.id)) {
			e.fault("record %q of %s has %q, which %s does not have", key, deliveries, of.id, of.bucket)
		}
	}
	if d.State == store.DeliveryPending {
		e.pending[d.Endpoint]++
	}
}

// queue checks the queue of an endpoint.
func (e *examination) queue(id []byte, r *store.Endpoint) {
	n := e.pending[r.ID]
	if n == 0 {
		return
	}
	if !r.Receives() {
		e.fault("endpoint %q is %s and has %d pending deliveries, want 0", id, r.State, n)
	}
	due := dueOf(e.tx, *r)
	e.entry(queues, id, append(binary.BigEndian.AppendUint64(nil, uint64(n)), due...))
	if !bytes.Equal(due, never) {
		e.entry(endpointsDue, endpointDue(due, r.ID), noValue)
	}
}
