package bolt

import (
	"bytes"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Backlog implements store.Store. It reads indexes, and one delivery.
func (s *Store) Backlog(ctx context.Context) (store.Backlog, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Backlog, error) {
		b := store.Backlog{
			Endpoints: countValues(tx, endpointsOfAccount),
			Watches:   countValues(tx, watchesOfAccount),
		}
		c := tx.Bucket(queues).Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			q, err := queueOf(tx, string(k))
			if err != nil {
				return b, err
			}
			b.Pending += q.pending
		}
		var err error
		b.Oldest, err = oldest(tx)
		return b, err
	})
}

// countValues counts the entries of an index by their values.
func countValues(tx *bbolt.Tx, index []byte) map[string]int {
	counts := map[string]int{}
	c := tx.Bucket(index).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		counts[string(v)]++
	}
	return counts
}

// mostExamined limits the entries that oldest reads.
const mostExamined = 100_000

// oldest returns the time when the oldest pending delivery was created, among the first
// mostExamined. Ids of events sort by time.
func oldest(tx *bbolt.Tx) (time.Time, error) {
	var first, endpoint []byte
	c := tx.Bucket(deliveriesDue).Cursor()
	n := 0
	for k, _ := c.First(); k != nil && n < mostExamined; k, _ = c.Next() {
		n++
		of, key, ok := bytes.Cut(k, []byte{0})
		if !ok || len(key) < 1+8 {
			return time.Time{}, damaged("%s has %q", deliveriesDue, k)
		}
		if event := key[1+8:]; first == nil || bytes.Compare(event, first) < 0 {
			first, endpoint = event, of
		}
	}
	if first == nil {
		return time.Time{}, nil
	}
	d, err := deliveryOf(tx, string(endpoint), string(first))
	return d.Created, missing(err, deliveries, string(endpoint), string(first))
}

// ClampDue implements store.Store. It rarely finds anything: a read comes before the write.
func (s *Store) ClampDue(ctx context.Context, latest, to time.Time) (int, error) {
	to = store.Second(to)
	some, err := read(ctx, s, func(tx *bbolt.Tx) (bool, error) {
		found, err := dueAfter(tx, latest)
		return len(found.endpoints)+len(found.watches) > 0, err
	})
	if err != nil || !some {
		return 0, err
	}
	return change(ctx, s, func(tx *bbolt.Tx) (int, error) {
		found, err := dueAfter(tx, latest)
		if err != nil {
			return 0, err
		}
		changed := 0
		for _, id := range found.endpoints {
			n, err := clampEndpoint(tx, id, latest, to)
			if err != nil {
				return 0, err
			}
			changed += n
		}
		for _, id := range found.watches {
			if err := clampWatch(tx, id, to); err != nil {
				return 0, err
			}
			changed++
		}
		if changed > 0 {
			s.changed(tx, store.Change{Posted: true})
		}
		return changed, nil
	})
}

// farDue lists the ids of what is due too late.
type farDue struct{ endpoints, watches []string }

// dueAfter lists the endpoints whose pauses or deliveries end or are due after latest, and the
// watches that are. It reads indexes only: a pause delays what is pending, which has a queue.
func dueAfter(tx *bbolt.Tx, latest time.Time) (farDue, error) {
	var found farDue
	end := stampAfter(latest)
	if err := tx.Bucket(queues).ForEach(func(id, _ []byte) error {
		q, err := queueOf(tx, string(id))
		if err != nil {
			return err
		}
		late := bytes.Compare(q.due, end) >= 0 && !bytes.Equal(q.due, never)
		if late || len(deliveriesAfter(tx, string(id), latest, 1)) > 0 {
			found.endpoints = append(found.endpoints, string(id))
		}
		return nil
	}); err != nil {
		return found, err
	}
	c := tx.Bucket(watchesByDue).Cursor()
	for k, _ := c.Seek(end); k != nil; k, _ = c.Next() {
		_, id, ok := bytes.Cut(rest(k, 16), []byte{0})
		if !ok {
			return found, damaged("%s has %q", watchesByDue, k)
		}
		found.watches = append(found.watches, string(id))
	}
	return found, nil
}

// deliveriesAfter lists the events of up to n pending deliveries of each class of an endpoint that
// are due after latest.
func deliveriesAfter(tx *bbolt.Tx, endpoint string, latest time.Time, n int) []string {
	var list []string
	for _, direct := range []bool{true, false} {
		prefix := deliveryQueue(endpoint, direct)
		c := tx.Bucket(deliveriesDue).Cursor()
		k, _ := c.Seek(append(bytes.Clone(prefix), stampAfter(latest)...))
		for found := 0; bytes.HasPrefix(k, prefix) && found < n; k, _ = c.Next() {
			list = append(list, string(rest(k, len(prefix)+8)))
			found++
		}
	}
	return list
}

// clampEndpoint moves what is due after latest to the time to and returns the number of changes.
func clampEndpoint(tx *bbolt.Tx, id string, latest, to time.Time) (int, error) {
	e, err := endpointKind.follow(tx, []byte(id))
	if err != nil {
		return 0, err
	}
	changed := 0
	if e.Health.PauseUntil.After(latest) {
		e.Health.PauseUntil = to
		changed++
		if err := put(tx, endpoints, []byte(id), e); err != nil {
			return 0, err
		}
	}
	for _, event := range deliveriesAfter(tx, id, latest, store.MostPending) {
		before, err := deliveryOf(tx, id, event)
		if err != nil {
			return 0, missing(err, deliveries, id, event)
		}
		moved := before
		moved.Due = to
		if _, err := replaceDelivery(tx, before, moved); err != nil {
			return 0, err
		}
		changed++
	}
	return changed, requeue(tx, e, 0)
}

// clampWatch makes a watch due at the time to. Its version remains: a running evaluation may save
// its result.
func clampWatch(tx *bbolt.Tx, id string, to time.Time) error {
	before, err := watchKind.follow(tx, []byte(id))
	if err != nil {
		return err
	}
	moved := before
	moved.Due = to
	return watchKind.replace(tx, &before, &moved)
}
