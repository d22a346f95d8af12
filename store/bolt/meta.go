package bolt

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Meta implements store.Store.
func (s *Store) Meta(ctx context.Context, name string) ([]byte, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]byte, error) {
		value := tx.Bucket(facts).Get([]byte(name))
		if value == nil {
			return nil, store.ErrNotFound
		}
		return bytes.Clone(value), nil
	})
}

// SetMeta implements store.Store.
func (s *Store) SetMeta(ctx context.Context, name string, value []byte) error {
	value = bytes.Clone(value) // bbolt uses it until the commit; callers may reuse it
	return s.do(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(facts).Put([]byte(name), value) })
}

var readyKey = []byte("ready") // in engine

// Ready implements store.Store.
func (s *Store) Ready(ctx context.Context) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(engine).Put(readyKey, nil) })
}

const (
	monthRetention = 13        // months after the end of a month until Sweep removes its units
	codeRetention  = time.Hour // time after the expiry of a code until Sweep removes it
)

// Sweep implements store.Store.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		return cmp.Or(
			sweep(tx, sessionsByEnd, now, removeSession),
			sweep(tx, ticketsByEnd, now, removeTicket),
			sweep(tx, clientsByEnd, now, removeClient),
			sweep(tx, codesByEnd, now.Add(-codeRetention), removeCode),
			sweep(tx, grantsByEnd, now, s.removeGrant),
			sweepMonths(tx, now),
		)
	})
}

// sweep removes the records that expire at now or earlier. index sorts them by expiry.
func sweep(tx *bbolt.Tx, index []byte, now time.Time, remove func(*bbolt.Tx, []byte) error) error {
	var ended [][]byte
	later := stamp(now.Add(time.Second))
	c := tx.Bucket(index).Cursor()
	for k, key := c.First(); k != nil && bytes.Compare(k, later) < 0; k, key = c.Next() {
		ended = append(ended, key)
	}
	return each(tx, ended, remove)
}

func sweepMonths(tx *bbolt.Tx, now time.Time) error {
	var over [][]byte
	months := tx.Bucket(quota)
	c := months.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		end := monthOf(k).Next().Start()
		if !end.AddDate(0, monthRetention, 0).Before(now) {
			break
		}
		over = append(over, k)
	}
	for _, month := range over {
		if err := months.DeleteBucket(month); err != nil {
			return err
		}
	}
	return nil
}
