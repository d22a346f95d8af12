package bolt

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// rounded returns an endpoint as it is stored, without its pending count.
func rounded(e store.Endpoint) store.Endpoint {
	e.Pending = 0
	return store.Stored(e)
}

// subscribes reports whether an endpoint, in any state, gets deliveries of all events of a kind.
func subscribes(e store.Endpoint, kind string) bool {
	return slices.Contains(e.Kinds, kind) || slices.Contains(e.Kinds, store.AllKinds)
}

// AddEndpoint implements store.Store.
func (s *Store) AddEndpoint(
	ctx context.Context, e store.Endpoint, most int, list ...store.Event,
) error {
	e = rounded(e)
	e.Version = 1
	if err := cmp.Or(endpointKind.check(&e), store.CheckName(e.Account)); err != nil {
		return err
	}
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(e.Account)):
			return store.ErrNotFound
		case endpointKind.taken(tx, &e):
			return store.ErrExists
		case len(idsOf(tx, endpointsOfAccount, e.Account)) >= most:
			return store.ErrTooMany
		}
		if err := endpointKind.put(tx, &e); err != nil {
			return err
		}
		_, err := s.post(tx, list)
		return err
	})
}

// idsOf lists the ids of an index by account and creation, in its order.
func idsOf(tx *bbolt.Tx, index []byte, account string) [][]byte {
	var list [][]byte
	prefix := owned(account)
	c := tx.Bucket(index).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		list = append(list, rest(k, len(prefix)+8))
	}
	return list
}

// Endpoint implements store.Store.
func (s *Store) Endpoint(ctx context.Context, id string) (store.Endpoint, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Endpoint, error) {
		e, err := endpointKind.get(tx, []byte(id))
		if err != nil {
			return store.Endpoint{}, err
		}
		return counted(tx, e)
	})
}

// counted returns an endpoint with its pending count.
func counted(tx *bbolt.Tx, e store.Endpoint) (store.Endpoint, error) {
	q, err := queueOf(tx, e.ID)
	e.Pending = q.pending
	return e, err
}

// EndpointsOf implements store.Store.
func (s *Store) EndpointsOf(ctx context.Context, account string) ([]store.Endpoint, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Endpoint, error) {
		list := []store.Endpoint{}
		for _, id := range idsOf(tx, endpointsOfAccount, account) {
			e, err := endpointKind.follow(tx, id)
			if err != nil {
				return nil, err
			}
			if e, err = counted(tx, e); err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		return list, nil
	})
}

// PutEndpoint implements store.Store.
func (s *Store) PutEndpoint(ctx context.Context, e store.Endpoint, list ...store.Event) error {
	e = rounded(e)
	if err := endpointKind.check(&e); err != nil {
		return err
	}
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		before, err := endpointKind.get(tx, []byte(e.ID))
		if err != nil {
			return err
		}
		if before.Version != e.Version {
			return store.ErrConflict
		}
		after := e
		after.Account, after.Created, after.Health = before.Account, before.Created, before.Health
		if after.URL != before.URL || after.State != before.State {
			after.Health = store.Health{}
		}
		after.Version++
		if err := changeEndpoint(tx, before, after, 0); err != nil {
			return err
		}
		_, err = s.post(tx, list)
		return err
	})
}

// changeEndpoint replaces an endpoint whose number of pending deliveries has changed by added. If
// it receives nothing from now on, its pending deliveries are skipped.
func changeEndpoint(tx *bbolt.Tx, before, after store.Endpoint, added int) error {
	if !after.Receives() {
		skipped, err := skipPending(tx, after.ID)
		if err != nil {
			return err
		}
		added -= skipped
	}
	return cmp.Or(endpointKind.replace(tx, &before, &after), requeue(tx, after, added))
}

// RemoveEndpoint implements store.Store.
func (s *Store) RemoveEndpoint(ctx context.Context, id string) error {
	if err := s.thinEndpoint(ctx, id); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error { return s.removeEndpoint(tx, []byte(id)) })
}

// removeEndpoint removes an endpoint with its deliveries. It returns nil for a missing one.
func (s *Store) removeEndpoint(tx *bbolt.Tx, id []byte) error {
	e, err := endpointKind.get(tx, id)
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	tx.OnCommit(func() { s.endpointClaims.drop(e.ID) })
	for _, event := range eventsTo(tx, e.ID, math.MaxInt) {
		if _, err := removeDelivery(tx, e.ID, event); err != nil {
			return err
		}
	}
	return cmp.Or(removeQueue(tx, e.ID), endpointKind.remove(tx, &e))
}

// removeEndpoints removes the endpoints of an account.
func (s *Store) removeEndpoints(tx *bbolt.Tx, account string) error {
	return each(tx, idsOf(tx, endpointsOfAccount, account), s.removeEndpoint)
}
