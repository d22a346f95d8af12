package bolt

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Meta is the contract's.
func (s *Store) Meta(ctx context.Context, name string) ([]byte, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]byte, error) {
		value := tx.Bucket(facts).Get([]byte(name))
		if value == nil {
			return nil, store.ErrNotFound
		}
		return bytes.Clone(value), nil
	})
}

// SetMeta is the contract's.
func (s *Store) SetMeta(ctx context.Context, name string, value []byte) error {
	value = bytes.Clone(value) // bbolt holds on to it until the commit, the caller may not
	return s.do(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(facts).Put([]byte(name), value) })
}

var readyKey = []byte("ready") // in engine

// Ready is the contract's.
func (s *Store) Ready(ctx context.Context) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(engine).Put(readyKey, nil) })
}

// monthsKept is how long months that have ended are kept.
const monthsKept = 13

// codesKept is how long codes that have ended are kept.
const codesKept = time.Hour

// Sweep is the contract's.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		return cmp.Or(
			sweep(tx, sessionsByEnd, now, removeSession),
			sweep(tx, ticketsByEnd, now, removeTicket),
			sweep(tx, clientsByEnd, now, removeClient),
			sweep(tx, codesByEnd, now.Add(-codesKept), removeCode),
			sweep(tx, grantsByEnd, now, s.removeGrant),
			sweepMonths(tx, now),
		)
	})
}

// sweep removes what does not end after now. The index has it in order of that.
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
	for k, _ := c.First(); k != nil && monthOf(k).Next().Start().AddDate(0, monthsKept, 0).Before(now); k, _ = c.Next() {
		over = append(over, k)
	}
	for _, month := range over {
		if err := months.DeleteBucket(month); err != nil {
			return err
		}
	}
	return nil
}
