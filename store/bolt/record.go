package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// put encodes and stores a record.
func put(tx *bbolt.Tx, bucket, key []byte, record any) error {
	value, err := json.Marshal(record)
	if err != nil {
		return unavailable(err)
	}
	return tx.Bucket(bucket).Put(key, value)
}

// get reads a record. ErrNotFound: there is no such record.
func get[T any](tx *bbolt.Tx, bucket, key []byte) (record T, err error) {
	value := tx.Bucket(bucket).Get(key)
	if value == nil {
		return record, store.ErrNotFound
	}
	if err := json.Unmarshal(value, &record); err != nil {
		return record, damaged("record %q of %s: %w", key, bucket, err)
	}
	return record, nil
}

// noValue is the value of a row that consists of its key.
var noValue = []byte{}

// has reports whether a bucket has a key. A key that was put in the same transaction needs a value
// that is not nil, though it may be empty.
func has(tx *bbolt.Tx, bucket, key []byte) bool { return tx.Bucket(bucket).Get(key) != nil }

// checkNames checks names as store.CheckName does.
func checkNames(names ...string) error {
	for _, n := range names {
		if err := store.CheckName(n); err != nil {
			return err
		}
	}
	return nil
}

// stamp encodes a time for a key: its second, so that earlier times sort first.
func stamp(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(t.Unix())^1<<63)
}

// timeOf returns the time of a stamp.
func timeOf(stamp []byte) time.Time {
	return time.Unix(int64(binary.BigEndian.Uint64(stamp)^1<<63), 0).UTC()
}

// endStamp encodes an expiry for a key. The zero time, which means never, sorts last.
func endStamp(t time.Time) []byte {
	if t.IsZero() {
		return binary.BigEndian.AppendUint64(nil, 1<<64-1)
	}
	return stamp(t)
}

// byEnd returns the key of a record in an index by expiry.
func byEnd(expires time.Time, key []byte) []byte { return append(endStamp(expires), key...) }

// owned returns a key of an index by account.
func owned(account string, rest ...[]byte) []byte {
	key := append([]byte(account), 0)
	for _, r := range rest {
		key = append(key, r...)
	}
	return key
}

// rest returns a key without its first n bytes. It is empty if the key is damaged and too short.
func rest(key []byte, n int) []byte { return key[min(n, len(key)):] }

// each calls remove with each key and stops at the first error.
func each(tx *bbolt.Tx, list [][]byte, remove func(*bbolt.Tx, []byte) error) error {
	for _, key := range list {
		if err := remove(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// ownedBy lists the entries of an account in an index by account, in the order of the index. They
// are keys of records.
func ownedBy(tx *bbolt.Tx, index []byte, account string) [][]byte {
	var list [][]byte
	prefix := owned(account)
	c := tx.Bucket(index).Cursor()
	for k, key := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, key = c.Next() {
		list = append(list, key)
	}
	return list
}

// dayKey encodes a day for a key.
func dayKey(d store.Day) []byte { return binary.BigEndian.AppendUint32(nil, uint32(d)) }

// monthKey returns the name of a month's bucket.
func monthKey(m store.Month) []byte { return binary.BigEndian.AppendUint32(nil, uint32(m)) }

// monthOf returns the month of a bucket with this name.
func monthOf(key []byte) store.Month { return store.Month(binary.BigEndian.Uint32(key)) }
