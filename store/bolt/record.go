package bolt

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// keyRecord is a key as the file has it, under its hash.
type keyRecord struct {
	ID          string    `json:"id"`
	Hash        [32]byte  `json:"-"`
	Account     string    `json:"account"`
	Name        string    `json:"name"`
	Scopes      []string  `json:"scopes"`
	Created     time.Time `json:"created"`
	Expires     time.Time `json:"expires,omitzero"`
	Revoked     time.Time `json:"revoked,omitzero"`
	From        string    `json:"from,omitzero"`
	LastUsed    time.Time `json:"lastUsed,omitzero"`
	LastAddress string    `json:"lastAddress,omitzero"`
}

func newKeyRecord(k store.Key) keyRecord {
	k.Created, k.Expires = second(k.Created), second(k.Expires)
	k.Revoked, k.LastUsed = second(k.Revoked), second(k.LastUsed)
	return keyRecord(k)
}

// under is the key that stands under a hash.
func (r keyRecord) under(hash []byte) store.Key {
	copy(r.Hash[:], hash)
	return store.Key(r)
}

// sessionRecord is a session as the file has it, under its hash.
type sessionRecord struct {
	Hash    [32]byte  `json:"-"`
	Account string    `json:"account"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
}

func newSessionRecord(s store.Session) sessionRecord {
	s.Created, s.Expires = second(s.Created), second(s.Expires)
	return sessionRecord(s)
}

// under is the session that stands under a hash.
func (r sessionRecord) under(hash []byte) store.Session {
	copy(r.Hash[:], hash)
	return store.Session(r)
}

// second is a time as the store keeps it.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// encode makes a record what the file has, where its names fit.
func encode(record any, names ...string) ([]byte, error) {
	if err := fit(names...); err != nil {
		return nil, unavailable(err)
	}
	value, err := json.Marshal(record)
	if err != nil {
		return nil, unavailable(err)
	}
	return value, nil
}

// put stores a record.
func put(tx *bbolt.Tx, bucket, key []byte, record any) error {
	value, err := encode(record)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, value)
}

// get reads a record. ErrNotFound: there is none.
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

// follow reads the record that an index leads to. An index that leads nowhere
// is damage, not an absence.
func follow[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	record, err := get[T](tx, bucket, key)
	if err == store.ErrNotFound {
		err = damaged("%s has no %q", bucket, key)
	}
	return record, err
}

func has(tx *bbolt.Tx, bucket, key []byte) bool { return tx.Bucket(bucket).Get(key) != nil }

// longestName is far above what a name has, and far below what bbolt can take.
const longestName = 1024

// fit tells whether names may be keys of a bucket: they come back from JSON as
// they went in, and 0 can stand after them.
func fit(names ...string) error {
	for _, n := range names {
		if n == "" || len(n) > longestName || strings.ContainsRune(n, 0) || !utf8.ValidString(n) {
			return fmt.Errorf("%.50q cannot be a name", n)
		}
	}
	return nil
}

// stamp is a time in a key: the second, so that earlier times sort first.
func stamp(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(t.Unix())^1<<63)
}

// endStamp is a stamp of which the zero time, which never comes, is the last.
func endStamp(t time.Time) []byte {
	if t.IsZero() {
		return binary.BigEndian.AppendUint64(nil, 1<<64-1)
	}
	return stamp(t)
}

// owned begins the keys of what belongs to an account.
func owned(account string, rest ...[]byte) []byte {
	key := append([]byte(account), 0)
	for _, r := range rest {
		key = append(key, r...)
	}
	return key
}
