package bolt

import (
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// PutIncident implements store.Store.
func (s *Store) PutIncident(ctx context.Context, i store.Incident, list ...store.Event) error {
	i.From, i.Until = store.Second(i.From), store.Second(i.Until)
	i.Created, i.Updated = store.Second(i.Created), store.Second(i.Updated)
	i.Updates = slices.Clone(i.Updates)
	for n := range i.Updates {
		i.Updates[n].At = store.Second(i.Updates[n].At)
	}
	list = copied(list)
	record, err := encode(i, i.ID)
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if _, err := s.post(tx, list); err != nil {
			return err
		}
		return tx.Bucket(incidents).Put([]byte(i.ID), record)
	})
}

// Incident implements store.Store.
func (s *Store) Incident(ctx context.Context, id string) (store.Incident, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Incident, error) {
		return get[store.Incident](tx, incidents, []byte(id))
	})
}

// Incidents implements store.Store. Incidents are few: sorting them is simpler than an index of
// their times.
func (s *Store) Incidents(
	ctx context.Context, since time.Time, n int,
) ([]store.Incident, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Incident, error) {
		list := []store.Incident{}
		err := tx.Bucket(incidents).ForEach(func(id, _ []byte) error {
			i, err := get[store.Incident](tx, incidents, id)
			if i.Until.IsZero() || i.Until.After(since) {
				list = append(list, i)
			}
			return err
		})
		slices.SortStableFunc(list, func(a, b store.Incident) int { return b.From.Compare(a.From) })
		return list[:min(n, len(list))], err
	})
}
