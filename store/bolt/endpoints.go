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
	e.Created, e.Enabled = store.Second(e.Created), store.Second(e.Enabled)
	e.OldUntil = store.Second(e.OldUntil)
	e.Health = roundedHealth(e.Health)
	e.Kinds = slices.Clone(e.Kinds) // a caller whose context has ended may change them
	e.Secret, e.OldSecret = bytes.Clone(e.Secret), bytes.Clone(e.OldSecret)
	return e
}

func roundedHealth(h store.Health) store.Health {
	h.FailingSince, h.PauseUntil = store.Second(h.FailingSince), store.Second(h.PauseUntil)
	h.Last.At = store.Second(h.Last.At)
	return h
}

// subscribes reports whether an endpoint, in any state, gets deliveries of all events of a kind.
func subscribes(e store.Endpoint, kind string) bool {
	return slices.Contains(e.Kinds, kind) || slices.Contains(e.Kinds, store.AllKinds)
}

// endpointOfAccount returns the entry of an endpoint in the bucket endpointsOfAccount.
func endpointOfAccount(e store.Endpoint) []byte {
	return owned(e.Account, stamp(e.Created), []byte(e.ID))
}

// AddEndpoint implements store.Store.
func (s *Store) AddEndpoint(
	ctx context.Context, e store.Endpoint, most int, list ...store.Event,
) error {
	e = rounded(e)
	e.Version = 1
	if _, err := encode(e, slices.Concat(e.Kinds, []string{e.ID, e.Account})...); err != nil {
		return err
	}
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(e.Account)):
			return store.ErrNotFound
		case has(tx, endpoints, []byte(e.ID)):
			return store.ErrExists
		case len(idsOf(tx, endpointsOfAccount, e.Account)) >= most:
			return store.ErrTooMany
		}
		if err := cmp.Or(put(tx, endpoints, []byte(e.ID), e), indexEndpoint(tx, e)); err != nil {
			return err
		}
		_, err := s.post(tx, list)
		return err
	})
}

// indexEndpoint adds an endpoint to the indexes by account and by kind.
func indexEndpoint(tx *bbolt.Tx, e store.Endpoint) error {
	err := tx.Bucket(endpointsOfAccount).Put(endpointOfAccount(e), []byte(e.State))
	for _, kind := range e.Kinds {
		err = cmp.Or(err, tx.Bucket(endpointsOfKind).Put(owned(kind, []byte(e.ID)), noValue))
	}
	return err
}

// unindexEndpoint removes an endpoint from these indexes.
func unindexEndpoint(tx *bbolt.Tx, e store.Endpoint) error {
	err := tx.Bucket(endpointsOfAccount).Delete(endpointOfAccount(e))
	for _, kind := range e.Kinds {
		err = cmp.Or(err, tx.Bucket(endpointsOfKind).Delete(owned(kind, []byte(e.ID))))
	}
	return err
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
		e, err := get[store.Endpoint](tx, endpoints, []byte(id))
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
			e, err := follow[store.Endpoint](tx, endpoints, id)
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
	if _, err := encode(e, slices.Concat(e.Kinds, []string{e.ID})...); err != nil {
		return err
	}
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		before, err := get[store.Endpoint](tx, endpoints, []byte(e.ID))
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
	if before.State != after.State || !slices.Equal(before.Kinds, after.Kinds) {
		if err := cmp.Or(unindexEndpoint(tx, before), indexEndpoint(tx, after)); err != nil {
			return err
		}
	}
	if !after.Receives() {
		skipped, err := skipPending(tx, after.ID)
		if err != nil {
			return err
		}
		added -= skipped
	}
	return cmp.Or(put(tx, endpoints, []byte(after.ID), after), requeue(tx, after, added))
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
	e, err := get[store.Endpoint](tx, endpoints, id)
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
	return cmp.Or(
		removeQueue(tx, e.ID),
		unindexEndpoint(tx, e),
		tx.Bucket(endpoints).Delete(id),
	)
}

// removeEndpoints removes the endpoints of an account.
func (s *Store) removeEndpoints(tx *bbolt.Tx, account string) error {
	return each(tx, idsOf(tx, endpointsOfAccount, account), s.removeEndpoint)
}
