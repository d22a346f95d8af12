package bolt

import (
	"bytes"
	"context"

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

// SwapMeta implements store.Store.
func (s *Store) SwapMeta(
	ctx context.Context, name string, old, new []byte, list ...store.Event,
) error {
	if err := store.CheckName(name); err != nil {
		return err
	}
	// bbolt uses the value until the commit, and callers may reuse theirs. It is not nil, so that
	// a later write of the same transaction finds it.
	list = copied(list)
	old, value := bytes.Clone(old), append([]byte{}, new...)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		is := tx.Bucket(facts).Get([]byte(name))
		if !bytes.Equal(is, old) || (is == nil) != (old == nil) {
			return store.ErrConflict
		}
		if _, err := s.post(tx, list); err != nil {
			return err
		}
		if old != nil {
			s.changed(tx, store.Change{Fact: name})
		}
		return tx.Bucket(facts).Put([]byte(name), value)
	})
}

var readyKey = []byte("ready") // in engine

// Ready implements store.Store.
func (s *Store) Ready(ctx context.Context) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(engine).Put(readyKey, nil) })
}
