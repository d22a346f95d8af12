package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Tally implements store.Porter.
func (s *Store) Tally(ctx context.Context) (map[string]store.Sum, error) {
	return store.TallyOf(ctx, s.Export)
}

// Export implements store.Porter.
func (s *Store) Export(ctx context.Context, kind, after string, n int) ([]store.Record, error) {
	p, ok := portings[kind]
	if !ok {
		return nil, unavailable(fmt.Errorf("unknown kind %.50q of records", kind))
	}
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Record, error) {
		e := &export{tx: tx, after: after, n: n}
		err := p.export(e)
		return e.list, err
	})
}

// export collects up to n records after a key.
type export struct {
	tx    *bbolt.Tx
	after string
	n     int
	list  []store.Record
}

// rowAt returns the row under a key of a bucket.
type rowAt func(tx *bbolt.Tx, key []byte) (any, error)

// exports returns what exports a bucket whose keys are those of the records.
func exports(name []byte, row rowAt) func(*export) error {
	return func(e *export) error { return e.bucket(name, []byte(e.after), row) }
}

// bucket collects the records of a bucket whose keys sort like those of the records. A row that is
// nil is omitted.
func (e *export) bucket(name, after []byte, row rowAt) error {
	c := e.tx.Bucket(name).Cursor()
	key, _ := c.Seek(after)
	if bytes.Equal(key, after) {
		key, _ = c.Next()
	}
	for ; key != nil && len(e.list) < e.n; key, _ = c.Next() {
		r, err := row(e.tx, key)
		if err == nil && r != nil {
			err = e.add(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds the record of a row.
func (e *export) add(row any) error {
	r, err := store.NewRecord(row)
	if err == nil && r.Key > e.after && len(e.list) < e.n {
		e.list = append(e.list, r)
	}
	return err
}

// months collects the records of months, account by account: each month has a bucket.
func (e *export) months() error {
	return e.byAccount(quota, func(account string, month []byte, b *bbolt.Bucket) error {
		units, known, err := unitsIn(b, account)
		if err != nil || !known {
			return err
		}
		return e.add(store.MonthRow{
			Account: account,
			Used:    store.Used{Month: monthOf(month), Units: units},
		})
	})
}

// uses collects the records of uses, account by account.
func (e *export) uses() error {
	return e.byAccount(uses, func(account string, _ []byte, b *bbolt.Bucket) error {
		list, err := usesIn(b, account, 0, math.MaxUint32)
		for _, u := range list {
			if err == nil {
				err = e.add(u)
			}
		}
		return err
	})
}

// byAccount calls add with each account and each month that a bucket has buckets of, in this order,
// until enough records are collected.
func (e *export) byAccount(
	name []byte, add func(account string, month []byte, b *bbolt.Bucket) error,
) error {
	months := e.tx.Bucket(name)
	var list [][]byte
	if err := months.ForEachBucket(func(month []byte) error {
		list = append(list, month)
		return nil
	}); err != nil {
		return err
	}
	c := e.tx.Bucket(accounts).Cursor()
	id, _ := c.Seek([]byte(store.SplitKey(e.after, 2)[0]))
	for ; id != nil && len(e.list) < e.n; id, _ = c.Next() {
		for _, month := range list {
			if err := add(string(id), month, months.Bucket(month)); err != nil {
				return err
			}
		}
	}
	return nil
}

// componentDays collects the days of components. Their numbers have other digits in the file.
func (e *export) componentDays() error {
	names := store.SplitKey(e.after, 2)
	day, _ := strconv.ParseUint(names[1], 10, 32)
	after := owned(names[0], dayKey(store.Day(day)))
	return e.bucket(componentDays, after, func(tx *bbolt.Tx, key []byte) (any, error) {
		return get[store.ComponentDay](tx, componentDays, key)
	})
}

func passwordRow(tx *bbolt.Tx, account []byte) (any, error) {
	kept := tx.Bucket(passwords).Get(account)
	return store.PasswordRow{Account: string(account), Kept: string(kept)}, nil
}

func identityRow(tx *bbolt.Tx, key []byte) (any, error) {
	issuer, subject, ok := bytes.Cut(key, []byte{0})
	if !ok {
		return nil, damaged("identity %q has no subject", key)
	}
	return store.Identity{
		Issuer:  string(issuer),
		Subject: string(subject),
		Account: string(tx.Bucket(identities).Get(key)),
	}, nil
}

func factRow(tx *bbolt.Tx, fact []byte) (any, error) {
	if string(fact) == store.CopyMark {
		return nil, nil
	}
	return store.FactRow{Name: string(fact), Value: tx.Bucket(facts).Get(fact)}, nil
}

func eventRow(tx *bbolt.Tx, id []byte) (any, error) {
	e, err := eventKind.get(tx, id)
	last := tx.Bucket(eventsToSpread).Get(id)
	return store.EventRow{Event: e, Waits: last != nil, Last: string(last)}, err
}

func onceRow(tx *bbolt.Tx, name []byte) (any, error) {
	until, err := onceUntil(tx, string(name))
	if err != nil {
		return nil, err
	}
	return store.OnceRow{Name: string(name), Until: timeOfEnd(until)}, nil
}

// timeOfEnd returns the time of an endStamp.
func timeOfEnd(stamp []byte) time.Time {
	if binary.BigEndian.Uint64(stamp) != math.MaxUint64 {
		return timeOf(stamp)
	}
	return time.Time{}
}
