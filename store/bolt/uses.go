package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddUses implements store.Store.
func (s *Store) AddUses(ctx context.Context, list []store.Use) error {
	for _, u := range list {
		if err := store.CheckName(u.Surface); err != nil {
			return err
		}
	}
	list = slices.Clone(list) // a caller whose context has ended may change it
	return s.do(ctx, func(tx *bbolt.Tx) error {
		for _, u := range list {
			if err := addUse(tx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func addUse(tx *bbolt.Tx, u store.Use) error {
	if !has(tx, accounts, []byte(u.Account)) {
		return nil
	}
	b, err := tx.Bucket(uses).CreateBucketIfNotExists(monthKey(monthOfDay(u.Day)))
	if err != nil {
		return err
	}
	key := useKey(u)
	before, err := useOf(u.Account, key, b.Get(key))
	if err != nil {
		return err
	}
	u.Served, u.Refused = sum(before.Served, u.Served), sum(before.Refused, u.Refused)
	return putUse(b, u)
}

func putUse(month *bbolt.Bucket, u store.Use) error {
	value := binary.BigEndian.AppendUint32(nil, u.Served)
	return month.Put(useKey(u), binary.BigEndian.AppendUint32(value, u.Refused))
}

// monthOfDay returns the month of a day.
func monthOfDay(d store.Day) store.Month { return store.Month(d / 100) }

// sum adds counts up to the highest that can be stored.
func sum(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), math.MaxUint32)) }

func useKey(u store.Use) []byte { return owned(u.Account, dayKey(u.Day), []byte(u.Surface)) }

// useOf decodes a row of an account, or a missing row (nil) as one without requests.
func useOf(account string, key, value []byte) (store.Use, error) {
	rest := key[min(len(account)+1, len(key)):]
	if len(rest) < 4 || value != nil && len(value) != 8 {
		return store.Use{}, damaged("use %q has the value %x, want 8 bytes", key, value)
	}
	u := store.Use{
		Account: account,
		Day:     store.Day(binary.BigEndian.Uint32(rest)),
		Surface: string(rest[4:]),
	}
	if value != nil {
		u.Served, u.Refused = binary.BigEndian.Uint32(value), binary.BigEndian.Uint32(value[4:])
	}
	return u, nil
}

// UsesOf implements store.Store.
func (s *Store) UsesOf(
	ctx context.Context, account string, from, to store.Day,
) ([]store.Use, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Use, error) {
		list := []store.Use{}
		months := tx.Bucket(uses)
		c := months.Cursor()
		last := monthKey(monthOfDay(to))
		month, _ := c.Seek(monthKey(monthOfDay(from)))
		for ; month != nil && bytes.Compare(month, last) <= 0; month, _ = c.Next() {
			b := months.Bucket(month)
			if b == nil {
				return nil, damaged("%s has %q, which is not a month", uses, month)
			}
			in, err := usesIn(b, account, from, to)
			if err != nil {
				return nil, err
			}
			list = append(list, in...)
		}
		return list, nil
	})
}

// usesIn lists the uses of an account in the bucket of a month.
func usesIn(month *bbolt.Bucket, account string, from, to store.Day) (list []store.Use, err error) {
	prefix := owned(account)
	c := month.Cursor()
	k, v := c.Seek(owned(account, dayKey(from)))
	for ; bytes.HasPrefix(k, prefix); k, v = c.Next() {
		u, err := useOf(account, k, v)
		if err != nil || u.Day > to {
			return list, err
		}
		list = append(list, u)
	}
	return list, nil
}

// removeUses removes the uses of an account.
func removeUses(tx *bbolt.Tx, account string) error {
	months := tx.Bucket(uses)
	return months.ForEachBucket(func(month []byte) error {
		b := months.Bucket(month)
		list, err := usesIn(b, account, 0, math.MaxUint32)
		for _, u := range list {
			err = cmp.Or(err, b.Delete(useKey(u)))
		}
		return err
	})
}
