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
	i, list = store.Stored(i), copied(list)
	if err := incidentKind.check(&i); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if _, err := s.post(tx, list); err != nil {
			return err
		}
		return incidentKind.put(tx, &i)
	})
}

// Incident implements store.Store.
func (s *Store) Incident(ctx context.Context, id string) (store.Incident, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Incident, error) {
		return incidentKind.get(tx, []byte(id))
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
			i, err := incidentKind.get(tx, id)
			if i.Until.IsZero() || i.Until.After(since) {
				list = append(list, i)
			}
			return err
		})
		slices.SortStableFunc(list, func(a, b store.Incident) int { return b.From.Compare(a.From) })
		return list[:min(n, len(list))], err
	})
}
