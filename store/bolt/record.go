package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// keyRecord is a stored key. Its hash is the key of the record.
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
	k.Created, k.Expires = store.Second(k.Created), store.Second(k.Expires)
	k.Revoked, k.LastUsed = store.Second(k.Revoked), store.Second(k.LastUsed)
	return keyRecord(k)
}

// under returns the key that is stored under a hash.
func (r keyRecord) under(hash []byte) store.Key {
	copy(r.Hash[:], hash)
	return store.Key(r)
}

// sessionRecord is a stored session. Its hash is the key of the record.
type sessionRecord struct {
	Hash    [32]byte  `json:"-"`
	Account string    `json:"account"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Agent   string    `json:"agent,omitzero"`
	Seen    store.Day `json:"seen,omitzero"`
}

func newSessionRecord(s store.Session) sessionRecord {
	s.Created, s.Expires = store.Second(s.Created), store.Second(s.Expires)
	return sessionRecord(s)
}

// under returns the session that is stored under a hash.
func (r sessionRecord) under(hash []byte) store.Session {
	copy(r.Hash[:], hash)
	return store.Session(r)
}

// ticketRecord is a stored ticket. Its hash is the key of the record.
type ticketRecord struct {
	Hash    [32]byte  `json:"-"`
	Kind    string    `json:"kind"`
	Data    []byte    `json:"data"`
	Expires time.Time `json:"expires,omitzero"`
}

// under returns the ticket that is stored under a hash.
func (r ticketRecord) under(hash []byte) store.Ticket {
	copy(r.Hash[:], hash)
	return store.Ticket(r)
}

// clientRecord is a stored client. Its Secret replaces the field of store.Client, which JSON
// would write as a list of numbers.
type clientRecord struct {
	store.Client
	Secret store.Digest `json:"secret,omitzero"`
}

func newClientRecord(c store.Client) clientRecord {
	c.Created, c.Expires = store.Second(c.Created), store.Second(c.Expires)
	return clientRecord{c, c.Secret}
}

func (r clientRecord) client() store.Client {
	r.Client.Secret = r.Secret
	return r.Client
}

// codeRecord is a stored code. Its hash is the key of the record.
type codeRecord struct {
	Hash      [32]byte    `json:"-"`
	Grant     store.Grant `json:"grant"`
	Challenge string      `json:"challenge"`
	Expires   time.Time   `json:"expires,omitzero"`
	Redeemed  bool        `json:"redeemed,omitzero"`
}

func newCodeRecord(c store.Code) codeRecord {
	c.Grant.Created, c.Grant.Used = store.Second(c.Grant.Created), store.Second(c.Grant.Used)
	c.Grant.Expires, c.Expires = store.Second(c.Grant.Expires), store.Second(c.Expires)
	return codeRecord(c)
}

// under returns the code that is stored under a hash.
func (r codeRecord) under(hash []byte) store.Code {
	copy(r.Hash[:], hash)
	return store.Code(r)
}

// grantRecord is a stored grant with its refresh tokens.
type grantRecord struct {
	store.Grant
	Token    store.Digest `json:"token"`
	Replaced []replaced   `json:"replaced,omitempty"` // the newest last
}

// replaced is a refresh token that was replaced, with the sealed response to its rotation.
type replaced struct {
	Token  store.Digest `json:"token"`
	At     time.Time    `json:"at"`
	Sealed []byte       `json:"sealed"`
}

// encode returns a record in JSON. It fails if one of the record's names is invalid.
func encode(record any, names ...string) ([]byte, error) {
	if err := checkNames(names...); err != nil {
		return nil, err
	}
	value, err := json.Marshal(record)
	if err != nil {
		return nil, unavailable(err)
	}
	return value, nil
}

// put encodes and stores a record.
func put(tx *bbolt.Tx, bucket, key []byte, record any) error {
	value, err := encode(record)
	if err != nil {
		return err
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

// follow reads the record that an index entry refers to. If it does not exist, the file is damaged.
func follow[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	record, err := get[T](tx, bucket, key)
	if err == store.ErrNotFound {
		err = damaged("%s has no %q", bucket, key)
	}
	return record, err
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
