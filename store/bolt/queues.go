package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// queue is the row of an endpoint that has pending deliveries.
type queue struct {
	pending int
	due     []byte // stamp of the time in the bucket endpointsDue, or never
}

// never is the due time of a queue whose deliveries wait until the endpoint is enabled.
var never = binary.BigEndian.AppendUint64(nil, 1<<64-1)

// queueOf returns the queue of an endpoint, the zero queue if it has no pending deliveries.
func queueOf(tx *bbolt.Tx, endpoint string) (queue, error) {
	row := tx.Bucket(queues).Get([]byte(endpoint))
	switch len(row) {
	case 0:
		return queue{}, nil
	case 16:
		return queue{int(binary.BigEndian.Uint64(row)), row[8:]}, nil
	}
	return queue{}, damaged("queue of %q has %d bytes, want 16", endpoint, len(row))
}

// requeue updates the queue of an endpoint after its number of pending deliveries has changed by
// added, or one of their due times, its state or its pause.
func requeue(tx *bbolt.Tx, e store.Endpoint, added int) error {
	before, err := queueOf(tx, e.ID)
	if err != nil {
		return err
	}
	after := queue{pending: before.pending + added}
	switch {
	case after.pending < 0:
		return damaged("%q has %d pending deliveries", e.ID, after.pending)
	case after.pending == 0:
		return removeQueue(tx, e.ID)
	}
	after.due = dueOf(tx, e)
	if !bytes.Equal(before.due, after.due) {
		if err := cmp.Or(removeDue(tx, e.ID, before.due), putDue(tx, e.ID, after.due)); err != nil {
			return err
		}
	} else if added == 0 {
		return nil
	}
	row := binary.BigEndian.AppendUint64(nil, uint64(after.pending))
	return tx.Bucket(queues).Put([]byte(e.ID), append(row, after.due...))
}

// removeQueue removes the queue of an endpoint.
func removeQueue(tx *bbolt.Tx, endpoint string) error {
	q, err := queueOf(tx, endpoint)
	return cmp.Or(err, removeDue(tx, endpoint, q.due), tx.Bucket(queues).Delete([]byte(endpoint)))
}

func putDue(tx *bbolt.Tx, endpoint string, due []byte) error {
	if bytes.Equal(due, never) {
		return nil
	}
	return tx.Bucket(endpointsDue).Put(endpointDue(due, endpoint), noValue)
}

func removeDue(tx *bbolt.Tx, endpoint string, due []byte) error {
	if due == nil {
		return nil
	}
	return tx.Bucket(endpointsDue).Delete(endpointDue(due, endpoint))
}

// endpointDue returns the entry of an endpoint in the bucket endpointsDue.
func endpointDue(due []byte, endpoint string) []byte {
	return append(bytes.Clone(due), endpoint...)
}

// dueOf returns the stamp of the time when the first delivery of an endpoint is due, or never.
func dueOf(tx *bbolt.Tx, e store.Endpoint) []byte {
	due := never
	if e.Receives() {
		due = firstDue(tx, e.ID, true)
	}
	if e.State != store.EndpointEnabled {
		return due
	}
	other := firstDue(tx, e.ID, false)
	if pause := stamp(e.Health.PauseUntil); bytes.Compare(other, pause) < 0 {
		other = pause
	}
	if bytes.Compare(other, due) < 0 {
		return other
	}
	return due
}

// firstDue returns the stamp of the earliest due time of the pending deliveries of an endpoint that
// are direct, or of the others. Without such a delivery it returns never.
func firstDue(tx *bbolt.Tx, endpoint string, direct bool) []byte {
	prefix := deliveryQueue(endpoint, direct)
	k, _ := tx.Bucket(deliveriesDue).Cursor().Seek(prefix)
	if !bytes.HasPrefix(k, prefix) || len(k) < len(prefix)+8 {
		return never
	}
	return bytes.Clone(k[len(prefix) : len(prefix)+8])
}

// The classes of pending deliveries in the bucket deliveriesDue.
const (
	classDirect = 0
	classOther  = 1
)

// deliveryQueue returns the prefix of the pending deliveries of a class in deliveriesDue.
func deliveryQueue(endpoint string, direct bool) []byte {
	if direct {
		return owned(endpoint, []byte{classDirect})
	}
	return owned(endpoint, []byte{classOther})
}

// dueDelivery returns the entry of a pending delivery in the bucket deliveriesDue.
func dueDelivery(d store.Delivery) []byte {
	return append(append(deliveryQueue(d.Endpoint, d.Direct), stamp(d.Due)...), d.Event...)
}
