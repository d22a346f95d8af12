package bolt

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddClient is the contract's.
func (s *Store) AddClient(ctx context.Context, c store.Client, most int) error {
	r := newClientRecord(c)
	text, err := encode(r, r.ID)
	if err != nil {
		return err
	}
	id := []byte(r.ID)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if has(tx, clients, id) {
			return store.ErrExists
		}
		surplus, err := surplusClients(tx, most-1, r.Created)
		if err != nil {
			return err
		}
		return cmp.Or(
			each(tx, surplus, removeClient),
			tx.Bucket(clients).Put(id, text),
			tx.Bucket(clientsByEnd).Put(byEnd(r.Expires, id), id),
		)
	})
}

// surplusClients returns those that expire first where there are more than most. ErrTooMany: one of
// them is too young at a time.
func surplusClients(tx *bbolt.Tx, most int, at time.Time) (surplus [][]byte, err error) {
	c := tx.Bucket(clientsByEnd).Cursor()
	n := 0
	for k, id := c.Last(); k != nil; k, id = c.Prev() {
		if n++; n <= most {
			continue
		}
		r, err := follow[clientRecord](tx, clients, id)
		if err != nil {
			return nil, err
		}
		if at.Sub(r.Created) < store.ClientYouth {
			return nil, store.ErrTooMany
		}
		surplus = append(surplus, id)
	}
	return surplus, nil
}

// removeClient removes a client. One that is gone is no error.
func removeClient(tx *bbolt.Tx, id []byte) error {
	r, err := get[clientRecord](tx, clients, id)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err,
		tx.Bucket(clients).Delete(id),
		tx.Bucket(clientsByEnd).Delete(byEnd(r.Expires, id)),
	)
}

// keepClient lets a client, where it is registered, live until expires at least.
func keepClient(tx *bbolt.Tx, id string, expires time.Time) error {
	key := []byte(id)
	r, err := get[clientRecord](tx, clients, key)
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil || bytes.Compare(endStamp(expires), endStamp(r.Expires)) <= 0 {
		return err
	}
	was := byEnd(r.Expires, key)
	r.Expires = expires
	return cmp.Or(
		put(tx, clients, key, r),
		tx.Bucket(clientsByEnd).Delete(was),
		tx.Bucket(clientsByEnd).Put(byEnd(expires, key), key),
	)
}

// Client is the contract's.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Client, error) {
		r, err := get[clientRecord](tx, clients, []byte(id))
		return r.client(), err
	})
}
