package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
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
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Record, error) {
		e := &export{tx: tx, after: after, n: n}
		return e.list, e.kind(kind)
	})
}

// export collects up to n records after a key.
type export struct {
	tx    *bbolt.Tx
	after string
	n     int
	list  []store.Record
}

// kind collects the records of a kind.
func (e *export) kind(kind string) error {
	switch kind {
	case store.KindAccounts:
		return e.bucket(accounts, []byte(e.after), as[store.Account])
	case store.KindPasswords:
		return e.bucket(passwords, []byte(e.after), passwordRow)
	case store.KindIdentities:
		return e.bucket(identities, []byte(e.after), identityRow)
	case store.KindKeys:
		return e.hashes(keys, under[keyRecord])
	case store.KindMonths:
		return e.months()
	case store.KindSessions:
		return e.hashes(sessions, under[sessionRecord])
	case store.KindTickets:
		return e.hashes(tickets, under[ticketRecord])
	case store.KindClients:
		return e.bucket(clients, []byte(e.after), clientRow)
	case store.KindCodes:
		return e.hashes(codes, under[codeRecord])
	case store.KindGrants:
		return e.bucket(grants, []byte(e.after), grantRow)
	case store.KindIncidents:
		return e.bucket(incidents, []byte(e.after), as[store.Incident])
	case store.KindFacts:
		return e.bucket(facts, []byte(e.after), factRow)
	case store.KindUses:
		return e.uses()
	case store.KindComponentDays:
		names := store.SplitKey(e.after, 2)
		day, _ := strconv.ParseUint(names[1], 10, 32)
		return e.bucket(componentDays, owned(names[0], dayKey(store.Day(day))), as[store.ComponentDay])
	case store.KindEndpoints:
		return e.bucket(endpoints, []byte(e.after), as[store.Endpoint])
	case store.KindEvents:
		return e.bucket(events, []byte(e.after), eventRow)
	case store.KindOnce:
		return e.bucket(once, []byte(e.after), onceRow)
	case store.KindDeliveries:
		return e.bucket(deliveries, []byte(e.after), as[store.Delivery])
	case store.KindWatches:
		return e.bucket(watches, []byte(e.after), as[store.Watch])
	}
	return unavailable(fmt.Errorf("unknown kind %.50q of records", kind))
}

// bucket collects the records of a bucket whose keys sort like those of the records. A row that is
// nil is omitted.
func (e *export) bucket(
	name, after []byte, row func(tx *bbolt.Tx, name, key []byte) (any, error),
) error {
	c := e.tx.Bucket(name).Cursor()
	key, _ := c.Seek(after)
	if bytes.Equal(key, after) {
		key, _ = c.Next()
	}
	for ; key != nil && len(e.list) < e.n; key, _ = c.Next() {
		r, err := row(e.tx, name, key)
		if err == nil && r != nil {
			err = e.add(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hashes is bucket for keys that are hashes.
func (e *export) hashes(name []byte, row func(*bbolt.Tx, []byte, []byte) (any, error)) error {
	after, err := hex.DecodeString(e.after)
	if err != nil {
		return unavailable(fmt.Errorf("invalid key %.80q of %s: %w", e.after, name, err))
	}
	return e.bucket(name, after, row)
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

// as returns the record under a key, of a type that is also the one of its row.
func as[T any](tx *bbolt.Tx, name, key []byte) (any, error) { return get[T](tx, name, key) }

// under returns the row of a record under a hash.
func under[T interface{ row(hash []byte) any }](tx *bbolt.Tx, name, hash []byte) (any, error) {
	r, err := get[T](tx, name, hash)
	return r.row(hash), err
}

func (r keyRecord) row(hash []byte) any     { return r.under(hash) }
func (r sessionRecord) row(hash []byte) any { return r.under(hash) }
func (r ticketRecord) row(hash []byte) any  { return r.under(hash) }
func (r codeRecord) row(hash []byte) any    { return r.under(hash) }

func passwordRow(tx *bbolt.Tx, name, account []byte) (any, error) {
	kept := tx.Bucket(name).Get(account)
	return store.PasswordRow{Account: string(account), Kept: string(kept)}, nil
}

func identityRow(tx *bbolt.Tx, name, key []byte) (any, error) {
	issuer, subject, ok := bytes.Cut(key, []byte{0})
	if !ok {
		return nil, damaged("identity %q has no subject", key)
	}
	return store.Identity{
		Issuer:  string(issuer),
		Subject: string(subject),
		Account: string(tx.Bucket(name).Get(key)),
	}, nil
}

func clientRow(tx *bbolt.Tx, name, id []byte) (any, error) {
	r, err := get[clientRecord](tx, name, id)
	return r.client(), err
}

func grantRow(tx *bbolt.Tx, name, id []byte) (any, error) {
	g, err := get[grantRecord](tx, name, id)
	row := store.GrantRow{Grant: g.Grant, Token: g.Token}
	for _, r := range g.Replaced {
		row.Replaced = append(row.Replaced, store.ReplacedToken(r))
	}
	return row, err
}

func factRow(tx *bbolt.Tx, name, fact []byte) (any, error) {
	if string(fact) == store.CopyMark {
		return nil, nil
	}
	return store.FactRow{Name: string(fact), Value: tx.Bucket(name).Get(fact)}, nil
}

func eventRow(tx *bbolt.Tx, name, id []byte) (any, error) {
	e, err := get[store.Event](tx, name, id)
	last := tx.Bucket(eventsToSpread).Get(id)
	return store.EventRow{Event: e, Waits: last != nil, Last: string(last)}, err
}

func onceRow(tx *bbolt.Tx, _, name []byte) (any, error) {
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
