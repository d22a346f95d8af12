package bolt

import (
	"bytes"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// stampAfter returns the first stamp after a time.
func stampAfter(t time.Time) []byte { return stamp(t.Add(time.Second)) }

// ClaimEndpoints implements store.Store.
func (s *Store) ClaimEndpoints(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Endpoint, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Endpoint, error) {
		list := []store.Endpoint{}
		end := stampAfter(now)
		c := tx.Bucket(endpointsDue).Cursor()
		for k, _ := c.First(); k != nil && len(list) < n && bytes.Compare(k, end) < 0; k, _ = c.Next() {
			id := rest(k, 8)
			if !s.endpointClaims.take(string(id), owner, now, until) {
				continue
			}
			e, err := endpointKind.follow(tx, id)
			if err == nil {
				e, err = counted(tx, e)
			}
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		return list, nil
	})
}

// RenewEndpoints implements store.Store.
func (s *Store) RenewEndpoints(
	ctx context.Context, owner string, ids []string, until time.Time,
) ([]string, error) {
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	return s.endpointClaims.renew(owner, ids, until), nil
}

// ReleaseEndpoints implements store.Store.
func (s *Store) ReleaseEndpoints(ctx context.Context, owner string, ids []string) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	s.endpointClaims.release(owner, ids)
	return nil
}

// Due implements store.Store.
func (s *Store) Due(
	ctx context.Context, ids []string, now time.Time, n int,
) ([]store.Job, error) {
	ids = slices.Clone(ids)
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Job, error) {
		d := &dueReader{tx: tx, end: stampAfter(now), now: now, events: map[string]store.Event{}}
		for _, id := range ids {
			if err := d.read(id, n); err != nil {
				return nil, err
			}
		}
		return d.jobs, nil
	})
}

// dueReader collects due deliveries.
type dueReader struct {
	tx     *bbolt.Tx
	now    time.Time
	end    []byte // the first stamp that is not due
	jobs   []store.Job
	events map[string]store.Event // those of jobs
}

// read adds up to n due deliveries of an endpoint.
func (d *dueReader) read(id string, n int) error {
	e, err := endpointKind.get(d.tx, []byte(id))
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	most := len(d.jobs) + n
	err = d.class(e, true, most)
	if err != nil || e.State != store.EndpointEnabled || e.Health.PauseUntil.After(d.now) {
		return err
	}
	return d.class(e, false, most)
}

// class adds due deliveries of a class until there are most in all.
func (d *dueReader) class(e store.Endpoint, direct bool, most int) error {
	prefix := deliveryQueue(e.ID, direct)
	c := d.tx.Bucket(deliveriesDue).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(d.jobs) < most; k, _ = c.Next() {
		if bytes.Compare(k[len(prefix):], d.end) >= 0 {
			break
		}
		event := string(rest(k, len(prefix)+8))
		delivery, err := deliveryOf(d.tx, e.ID, event)
		if err != nil {
			return missing(err, deliveries, e.ID, event)
		}
		body, err := d.event(event)
		if err != nil {
			return err
		}
		d.jobs = append(d.jobs, store.Job{Delivery: delivery, Event: body})
	}
	return nil
}

// event returns an event, which may be that of another job.
func (d *dueReader) event(id string) (store.Event, error) {
	if e, ok := d.events[id]; ok {
		return e, nil
	}
	e, err := eventKind.follow(d.tx, []byte(id))
	d.events[id] = e
	return e, err
}
