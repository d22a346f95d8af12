package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// kind describes the records of a bucket. Calls, Export, Import and Check use it to read and write
// records together with their entries in indexes. A record is stored as the JSON of T: a field of T
// needs nothing else here.
type kind[T any] struct {
	bucket []byte
	key    func(r *T) []byte    // the key of a record; nil if hash is not
	hash   func(r *T) *[32]byte // a hash that is the key and not in the JSON; nil if key is not
	names  func(r *T) []string  // what store.CheckName must accept; nil for nothing
	owner  func(r *T) string    // the account that a record belongs to; nil for no account

	// entries calls put with the entries of a record in indexes; nil if there are none. No other
	// record has the same entry. indexes lists the buckets.
	entries func(r *T, key []byte, put putEntry)
	indexes [][]byte

	count func(r *store.Report) *int             // where Check counts the records; nil for nowhere
	also  func(e *examination, key []byte, r *T) // what else Check examines; nil for nothing
}

// putEntry receives an entry of an index.
type putEntry func(index, key, value []byte)

// of returns the key of a record.
func (k kind[T]) of(r *T) []byte {
	if k.hash != nil {
		return k.hash(r)[:]
	}
	return k.key(r)
}

// check returns an error if a name in a record is invalid.
func (k kind[T]) check(r *T) error {
	if k.names == nil {
		return nil
	}
	return checkNames(k.names(r)...)
}

// each calls put with the entries of a record.
func (k kind[T]) each(r *T, put putEntry) {
	if k.entries != nil {
		k.entries(r, k.of(r), put)
	}
}

// get reads a record. ErrNotFound: there is no such record.
func (k kind[T]) get(tx *bbolt.Tx, key []byte) (T, error) {
	r, err := get[T](tx, k.bucket, key)
	if err == nil && k.hash != nil {
		copy(k.hash(&r)[:], key)
	}
	return r, err
}

// follow reads the record that an index entry refers to. If it does not exist, the file is damaged.
func (k kind[T]) follow(tx *bbolt.Tx, key []byte) (T, error) {
	r, err := k.get(tx, key)
	if err == store.ErrNotFound {
		err = damaged("%s has no %q", k.bucket, key)
	}
	return r, err
}

// list reads the records that index entries refer to.
func (k kind[T]) list(tx *bbolt.Tx, keys [][]byte) ([]T, error) {
	list := []T{}
	for _, key := range keys {
		r, err := k.follow(tx, key)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// withOwner reads a record and its account.
func (k kind[T]) withOwner(ctx context.Context, s *Store, key []byte) (T, store.Account, error) {
	type pair struct {
		record T
		owner  store.Account
	}
	found, err := read(ctx, s, func(tx *bbolt.Tx) (p pair, err error) {
		if p.record, err = k.get(tx, key); err == nil {
			p.owner, err = accountKind.follow(tx, []byte(k.owner(&p.record)))
		}
		return p, err
	})
	return found.record, found.owner, err
}

// taken reports whether another record has the key of a record or one of its entries.
func (k kind[T]) taken(tx *bbolt.Tx, r *T) bool {
	taken := has(tx, k.bucket, k.of(r))
	k.each(r, func(index, key, _ []byte) { taken = taken || has(tx, index, key) })
	return taken
}

// put stores a new record with its entries. The record must not change until the commit: bbolt
// keeps values, and that of an entry may be the hash in the record.
func (k kind[T]) put(tx *bbolt.Tx, r *T) error {
	err := put(tx, k.bucket, k.of(r), r)
	k.each(r, func(index, key, value []byte) {
		err = cmp.Or(err, tx.Bucket(index).Put(key, value))
	})
	return err
}

// replace replaces a record by another with the same key. Entries that both have remain.
func (k kind[T]) replace(tx *bbolt.Tx, before, after *T) error {
	err := put(tx, k.bucket, k.of(after), after)
	type entry struct{ index, key, value []byte }
	var old []entry
	k.each(before, func(index, key, value []byte) { old = append(old, entry{index, key, value}) })
	k.each(after, func(index, key, value []byte) {
		for i, e := range old {
			if bytes.Equal(e.index, index) && bytes.Equal(e.key, key) {
				old[i].index = nil // not to be deleted
				if bytes.Equal(e.value, value) {
					return
				}
			}
		}
		err = cmp.Or(err, tx.Bucket(index).Put(key, value))
	})
	for _, e := range old {
		if e.index != nil {
			err = cmp.Or(err, tx.Bucket(e.index).Delete(e.key))
		}
	}
	return err
}

// remove removes a record with its entries.
func (k kind[T]) remove(tx *bbolt.Tx, r *T) error {
	err := tx.Bucket(k.bucket).Delete(k.of(r))
	k.each(r, func(index, key, _ []byte) { err = cmp.Or(err, tx.Bucket(index).Delete(key)) })
	return err
}

// removeIfAny removes the record with a key with its entries. It returns nil if there is no such
// record.
func (k kind[T]) removeIfAny(tx *bbolt.Tx, key []byte) error {
	r, err := k.get(tx, key)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err, k.remove(tx, &r))
}

// porting returns the porting of a kind whose records are rows.
func (k kind[T]) porting() porting { return porting{k.bucket, k.export, k.add, k.examine} }

// export collects the records in the order of their keys.
func (k kind[T]) export(e *export) error {
	after := []byte(e.after)
	if k.hash != nil {
		var err error
		if after, err = hex.DecodeString(e.after); err != nil {
			return unavailable(fmt.Errorf("invalid key %.80q of %s: %w", e.after, k.bucket, err))
		}
	}
	return e.bucket(k.bucket, after, func(tx *bbolt.Tx, key []byte) (any, error) {
		return k.get(tx, key)
	})
}

// add adds a row of Import.
func (k kind[T]) add(tx *bbolt.Tx, row any) error {
	r := store.Stored(row.(T))
	err := k.check(&r)
	if k.owner != nil {
		err = cmp.Or(err, exists(tx, accounts, k.owner(&r)))
	}
	return cmp.Or(err, refuse(k.taken(tx, &r)), k.put(tx, &r))
}

// examine checks the records and their entries. The schema of a file that was not migrated may lack
// an index.
func (k kind[T]) examine(e *examination) {
	n := records(e, k.bucket, func(key []byte, r T) {
		if k.hash != nil {
			copy(k.hash(&r)[:], key)
		} else if is := k.key(&r); !bytes.Equal(key, is) {
			e.fault("record %q of %s has id %q", key, k.bucket, is)
		}
		if k.owner != nil {
			e.owner(k.owner(&r), string(k.bucket), key)
		}
		k.each(&r, func(index, key, value []byte) {
			if e.tx.Bucket(index) != nil {
				e.entry(index, key, value)
			}
		})
		if k.also != nil {
			k.also(e, key, &r)
		}
	})
	if k.count != nil {
		*k.count(e.report) = n
	}
	e.indexes(k.indexes...)
}
