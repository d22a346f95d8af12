package bolt

import (
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// unitsIn returns the units that an account has reserved in a month, and whether the month has a
// record of the account.
func unitsIn(month *bbolt.Bucket, account string) (units uint64, known bool, err error) {
	if month == nil {
		return 0, false, nil
	}
	value := month.Get([]byte(account))
	if value == nil {
		return 0, false, nil
	}
	if len(value) != 8 {
		return 0, true, damaged("units of %q have %d bytes, want 8", account, len(value))
	}
	return binary.BigEndian.Uint64(value), true, nil
}

func putUnits(month *bbolt.Bucket, account string, units uint64) error {
	return month.Put([]byte(account), binary.BigEndian.AppendUint64(nil, units))
}

// lease is the result of Reserve.
type lease struct{ granted, reserved uint64 }

// Reserve implements store.Store.
func (s *Store) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64,
	notices ...store.Notice,
) (granted, reserved uint64, err error) {
	l, err := change(ctx, s, func(tx *bbolt.Tx) (lease, error) {
		if !has(tx, accounts, []byte(account)) {
			return lease{}, store.ErrNotFound
		}
		units, _, err := unitsIn(tx.Bucket(quota).Bucket(monthKey(month)), account)
		if err != nil || n == 0 || units >= limit {
			return lease{0, units}, err
		}
		l := lease{granted: min(n, limit-units)}
		l.reserved = units + l.granted
		due, err := reached(notices, units, l.reserved)
		if err != nil {
			return lease{}, err
		}
		if _, err := s.post(tx, due); err != nil {
			return lease{}, err
		}
		b, err := tx.Bucket(quota).CreateBucketIfNotExists(monthKey(month))
		if err != nil {
			return lease{}, err
		}
		return l, putUnits(b, account, l.reserved)
	})
	return l.granted, l.reserved, err
}

// reached returns the events of the notices whose units are above from and at most to.
func reached(notices []store.Notice, from, to uint64) (list []store.Event, err error) {
	for _, n := range notices {
		if from < n.At && n.At <= to {
			e, err := n.Event()
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// Return implements store.Store. It returns at most the units that are reserved, and none for an
// unknown account or month.
func (s *Store) Return(ctx context.Context, account string, month store.Month, n uint64) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(quota).Bucket(monthKey(month))
		units, known, err := unitsIn(b, account)
		if err != nil || !known {
			return err
		}
		return putUnits(b, account, units-min(n, units))
	})
}

// Usage implements store.Store.
func (s *Store) Usage(ctx context.Context, account string, month store.Month) (uint64, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (uint64, error) {
		units, _, err := unitsIn(tx.Bucket(quota).Bucket(monthKey(month)), account)
		return units, err
	})
}

// Months implements store.Store.
func (s *Store) Months(ctx context.Context, account string) ([]store.Used, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Used, error) {
		list := []store.Used{}
		c := tx.Bucket(quota).Cursor()
		for k, _ := c.Last(); k != nil; k, _ = c.Prev() {
			units, known, err := unitsIn(tx.Bucket(quota).Bucket(k), account)
			if err != nil {
				return nil, err
			}
			if known {
				list = append(list, store.Used{Month: monthOf(k), Units: units})
			}
		}
		return list, nil
	})
}

// removeMonths removes the months of an account.
func removeMonths(tx *bbolt.Tx, account string) error {
	months := tx.Bucket(quota)
	return months.ForEachBucket(func(month []byte) error {
		return months.Bucket(month).Delete([]byte(account))
	})
}
