package bolt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Check verifies a copy of the current state of the store, as Verify does. Calls continue to be
// served. A store whose file was removed or replaced fails: the copy would be of the old file.
func (s *Store) Check(ctx context.Context) (store.Report, error) {
	var r store.Report
	if err := s.admit(ctx); err != nil {
		return r, err
	}
	if err := sameFile(s.path, s.file); err != nil {
		return r, s.failure("check", err)
	}
	err := s.spool(ctx, func(name string) (err error) {
		r, err = s.inspect.records(ctx, name)
		return err
	})
	return r, err
}

// Verify examines a file that no process writes to, such as a backup. It checks the pages and the
// schema, that every record can be decoded and belongs to an existing account, and that the indexes
// match the records. It changes nothing. If it finds faults, the error wraps store.ErrDamaged and
// lists the first of them.
func Verify(path string) (store.Report, error) {
	r, err := verify(path, true)
	if err != nil {
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	return r, err
}

// verify checks the pages of a file and, if requested, its schema and records.
func verify(path string, records bool) (r store.Report, err error) {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return r, damaged("file is empty") // bbolt would write to it
	}
	db, file, err := openFile(path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return r, err
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error { return checkPages(tx, file.Size()) })
	if err != nil || !records {
		return r, err
	}
	if r.Schema, err = schemaIn(db, len(migrations)); err != nil {
		return store.Report{}, err
	}
	if err := db.View(func(tx *bbolt.Tx) error { return examine(tx, &r) }); err != nil {
		return store.Report{}, err
	}
	return r, nil
}

// examine counts the records and fails if they are inconsistent.
func examine(tx *bbolt.Tx, r *store.Report) error {
	if err := complete(tx, r.Schema); err != nil {
		return err
	}
	r.Bytes = tx.Size()
	e := &examination{tx: tx, report: r, entries: map[string]int{}, pending: map[string]int{}}
	for _, kind := range slices.Backward(store.Kinds()) { // deliveries before their endpoints
		if p := portings[kind]; tx.Bucket(p.bucket) != nil { // an earlier schema may not have it
			p.examine(e)
		}
	}
	return e.err()
}

// examination checks the records of a store in one transaction.
type examination struct {
	tx      *bbolt.Tx
	report  *store.Report
	entries map[string]int // number of entries that the records require of each index
	pending map[string]int // deliveries by endpoint
	faults  []string
}

func (e *examination) fault(format string, of ...any) {
	e.faults = append(e.faults, fmt.Sprintf(format, of...))
}

// err returns an error that lists the first faults, nil if there are none.
func (e *examination) err() error {
	const listed = 5
	switch n := len(e.faults); {
	case n == 0:
		return nil
	case n <= listed:
		return damaged("%s", strings.Join(e.faults, "; "))
	default:
		return damaged("%s; and %d more", strings.Join(e.faults[:listed], "; "), n-listed)
	}
}

// records calls fn with each record of a bucket and returns their number.
func records[T any](e *examination, bucket []byte, fn func(key []byte, record T)) int {
	n := 0
	_ = e.tx.Bucket(bucket).ForEach(func(key, value []byte) error {
		var record T
		if err := json.Unmarshal(value, &record); err != nil {
			e.fault("record %q of %s: %v", key, bucket, err)
		} else {
			fn(key, record)
		}
		n++
		return nil
	})
	return n
}

// entry checks that an index has an entry.
func (e *examination) entry(index, key, want []byte) {
	e.entries[string(index)]++
	value := e.tx.Bucket(index).Get(key)
	if value == nil || !bytes.Equal(value, want) {
		e.fault("%s has %q for %q, want %q", index, value, key, want)
	}
}

// owner checks that the account of a record exists.
func (e *examination) owner(account string, of string, key []byte) {
	if !has(e.tx, accounts, []byte(account)) {
		e.fault("record %q of %s belongs to unknown account %q", key, of, account)
	}
}

func (e *examination) months() {
	e.eachOfMonths(quota, func(month store.Month, account, units []byte) {
		e.report.Months++
		e.owner(string(account), fmt.Sprintf("%s/%d", quota, month), account)
		if len(units) != 8 {
			e.fault("units of %q in %d have %d bytes, want 8", account, month, len(units))
		}
	})
}

// eachOfMonths calls fn with each row of the months in a bucket.
func (e *examination) eachOfMonths(bucket []byte, fn func(month store.Month, key, value []byte)) {
	months := e.tx.Bucket(bucket)
	_ = months.ForEach(func(month, _ []byte) error {
		b := months.Bucket(month)
		if b == nil || len(month) != 4 {
			e.fault("%s has %q, which is not a month", bucket, month)
			return nil
		}
		return b.ForEach(func(key, value []byte) error {
			fn(monthOf(month), key, value)
			return nil
		})
	})
}

func (e *examination) uses() {
	e.eachOfMonths(uses, func(month store.Month, key, value []byte) {
		account, _, _ := strings.Cut(string(key), "\x00")
		u, err := useOf(account, key, value)
		switch {
		case err != nil:
			e.fault("%v", err)
		case monthOfDay(u.Day) != month:
			e.fault("%s/%d has a use of day %d", uses, month, u.Day)
		}
		e.owner(account, fmt.Sprintf("%s/%d", uses, month), key)
	})
}

func (e *examination) componentDays() {
	records(e, componentDays, func(key []byte, d store.ComponentDay) {
		if !bytes.Equal(key, owned(d.Component, dayKey(d.Day))) {
			e.fault("record %q of %s is of %s on %d", key, componentDays, d.Component, d.Day)
		}
		if d.OK+d.Degraded+d.Down > d.Last {
			e.fault("record %q of %s counts more than %d minutes", key, componentDays, d.Last)
		}
	})
}

func (e *examination) passwords() {
	_ = e.tx.Bucket(passwords).ForEach(func(account, _ []byte) error {
		e.owner(string(account), string(passwords), account)
		return nil
	})
}

func (e *examination) identities() {
	_ = e.tx.Bucket(identities).ForEach(func(identity, account []byte) error {
		e.owner(string(account), string(identities), identity)
		e.entry(identitiesOfAccount, owned(string(account), identity), identity)
		return nil
	})
	e.indexes(identitiesOfAccount)
}

// indexes checks that indexes have no more entries than the records require. An earlier schema may
// not have one.
func (e *examination) indexes(names ...[]byte) {
	for _, index := range names {
		b := e.tx.Bucket(index)
		if b == nil {
			continue
		}
		if got, want := b.Stats().KeyN, e.entries[string(index)]; got != want {
			e.fault("%s has %d entries, want %d", index, got, want)
		}
	}
}
