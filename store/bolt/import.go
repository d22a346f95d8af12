package bolt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Import implements store.Porter.
func (s *Store) Import(ctx context.Context, list []store.Record) error {
	rows := make([]any, len(list))
	for i, r := range list {
		var err error
		if rows[i], err = rowOf(r); err != nil {
			return err
		}
	}
	return s.await(&write{ctx: ctx, undo: true, done: make(chan error, 1),
		apply: func(tx *bbolt.Tx) error {
			for _, row := range rows {
				if err := importRow(tx, row); err != nil {
					return err
				}
			}
			return countPending(tx, rows)
		}})
}

// noFact is a fact to be removed.
type noFact string

// rowOf returns the row of a record.
func rowOf(r store.Record) (any, error) {
	if r.Kind == store.KindFacts && r.Body == nil {
		return noFact(r.Key), nil
	}
	return r.Row()
}

// countPending adds the deliveries among new rows to the queues of their endpoints.
func countPending(tx *bbolt.Tx, rows []any) error {
	added := map[string]int{}
	for _, row := range rows {
		if d, ok := row.(store.Delivery); ok && d.State == store.DeliveryPending {
			added[d.Endpoint]++
		}
	}
	for id, n := range added {
		e, err := follow[store.Endpoint](tx, endpoints, []byte(id))
		if err == nil {
			err = requeue(tx, e, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// importRow adds a row. A refusal may leave a part of it: the transaction must be undone.
func importRow(tx *bbolt.Tx, row any) error {
	switch r := row.(type) {
	case store.Account:
		n, err := asNewAccount(r)
		return cmp.Or(err, refuse(n.taken(tx)), n.put(tx))
	case store.PasswordRow:
		return cmp.Or(
			exists(tx, accounts, r.Account), isNew(tx, passwords, []byte(r.Account)),
			putPassword(tx, r.Account, r.Kept),
		)
	case store.Identity:
		return importIdentity(tx, r)
	case store.Key:
		n, err := asNew(r)
		return cmp.Or(err, exists(tx, accounts, r.Account), refuse(n.taken(tx)), n.put(tx))
	case store.MonthRow:
		return importMonth(tx, r)
	case store.Session:
		return cmp.Or(
			exists(tx, accounts, r.Account), isNew(tx, sessions, r.Hash[:]),
			putSession(tx, newSessionRecord(r)),
		)
	case store.Ticket:
		return cmp.Or(isNew(tx, tickets, r.Hash[:]), putTicket(tx, r))
	case store.Client:
		return cmp.Or(
			store.CheckName(r.ID), isNew(tx, clients, []byte(r.ID)), putClient(tx, newClientRecord(r)),
		)
	case store.Code:
		return cmp.Or(
			store.CheckName(r.Grant.ID), exists(tx, accounts, r.Grant.Account),
			isNew(tx, codes, r.Hash[:]), isNew(tx, codesByGrant, []byte(r.Grant.ID)),
			putCode(tx, newCodeRecord(r)),
		)
	case store.GrantRow:
		return importGrant(tx, r)
	case store.Incident:
		return cmp.Or(
			store.CheckName(r.ID), isNew(tx, incidents, []byte(r.ID)), put(tx, incidents, []byte(r.ID), r),
		)
	case store.FactRow:
		return cmp.Or(
			store.CheckName(r.Name), tx.Bucket(facts).Put([]byte(r.Name), append([]byte{}, r.Value...)),
		)
	case noFact:
		return tx.Bucket(facts).Delete([]byte(r))
	case store.Use:
		return importUse(tx, r)
	case store.ComponentDay:
		key := owned(r.Component, dayKey(r.Day))
		return cmp.Or(
			store.CheckName(r.Component), isNew(tx, componentDays, key), put(tx, componentDays, key, r),
		)
	case store.Endpoint:
		return cmp.Or(
			checkNames(slices.Concat(r.Kinds, []string{r.ID})...),
			exists(tx, accounts, r.Account), isNew(tx, endpoints, []byte(r.ID)),
			put(tx, endpoints, []byte(r.ID), rounded(r)), indexEndpoint(tx, rounded(r)),
		)
	case store.EventRow:
		return importEvent(tx, r)
	case store.OnceRow:
		return cmp.Or(
			store.CheckName(r.Name), isNew(tx, once, []byte(r.Name)),
			recordOnce(tx, store.Event{Once: r.Name, OnceUntil: r.Until}),
		)
	case store.Delivery:
		return cmp.Or(
			exists(tx, endpoints, r.Endpoint), exists(tx, events, r.Event),
			isNew(tx, deliveries, owned(r.Endpoint, []byte(r.Event))), putDelivery(tx, r),
			tx.Bucket(deliveriesOfEvent).Put(owned(r.Event, []byte(r.Endpoint)), noValue),
		)
	case store.Watch:
		w, err := asWatch(r)
		return cmp.Or(
			err, exists(tx, accounts, r.Account), isNew(tx, watches, []byte(r.ID)), putWatch(tx, w),
		)
	}
	return unavailable(fmt.Errorf("no kind of records has rows of type %T", row))
}

func importIdentity(tx *bbolt.Tx, i store.Identity) error {
	n, err := asNewIdentity(&i)
	if err != nil {
		return err
	}
	other := ownedBy(tx, identitiesOfAccount, i.Account+"\x00"+i.Issuer)
	return cmp.Or(
		exists(tx, accounts, i.Account), refuse(n.taken(tx) || len(other) > 0), n.put(tx, i.Account),
	)
}

func importMonth(tx *bbolt.Tx, r store.MonthRow) error {
	b, err := tx.Bucket(quota).CreateBucketIfNotExists(monthKey(r.Month))
	if err != nil {
		return err
	}
	return cmp.Or(
		exists(tx, accounts, r.Account), refuse(b.Get([]byte(r.Account)) != nil),
		putUnits(b, r.Account, r.Units),
	)
}

func importGrant(tx *bbolt.Tx, r store.GrantRow) error {
	g := grantRecord{Grant: r.Grant, Token: r.Token}
	for _, t := range r.Replaced {
		g.Replaced = append(g.Replaced, replaced(t))
	}
	id := []byte(g.ID)
	return cmp.Or(
		store.CheckName(g.ID), exists(tx, accounts, g.Account), isNew(tx, grants, id),
		put(tx, grants, id, g), indexGrant(tx, g),
	)
}

func importUse(tx *bbolt.Tx, u store.Use) error {
	b, err := tx.Bucket(uses).CreateBucketIfNotExists(monthKey(monthOfDay(u.Day)))
	if err != nil {
		return err
	}
	return cmp.Or(
		store.CheckName(u.Surface), exists(tx, accounts, u.Account),
		refuse(b.Get(useKey(u)) != nil), putUse(b, u),
	)
}

func importEvent(tx *bbolt.Tx, r store.EventRow) error {
	e, err := asNewEvent(r.Event)
	if err != nil {
		return err
	}
	if e.Account != "" {
		if err := exists(tx, accounts, e.Account); err != nil {
			return err
		}
	}
	id := []byte(e.ID)
	if r.Waits {
		err = tx.Bucket(eventsToSpread).Put(id, append([]byte{}, r.Last...))
	}
	return cmp.Or(err, isNew(tx, events, id), putEvent(tx, e))
}

// exists returns store.ErrNotFound if there is no row with the id.
func exists(tx *bbolt.Tx, bucket []byte, id string) error {
	if id == "" || !has(tx, bucket, []byte(id)) {
		return store.ErrNotFound
	}
	return nil
}

// isNew returns store.ErrExists if there is a row with the key.
func isNew(tx *bbolt.Tx, bucket, key []byte) error { return refuse(has(tx, bucket, key)) }

// refuse returns store.ErrExists if a row is taken.
func refuse(taken bool) error {
	if taken {
		return store.ErrExists
	}
	return nil
}
