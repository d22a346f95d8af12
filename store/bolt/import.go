package bolt

import (
	"cmp"
	"context"

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
			for i, row := range rows {
				if err := portings[list[i].Kind].add(tx, row); err != nil {
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
		e, err := endpointKind.follow(tx, []byte(id))
		if err == nil {
			err = requeue(tx, e, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// adds returns what adds a row of a kind that has a function of its own.
func adds[T any](add func(*bbolt.Tx, T) error) func(*bbolt.Tx, any) error {
	return func(tx *bbolt.Tx, row any) error { return add(tx, row.(T)) }
}

func importPassword(tx *bbolt.Tx, r store.PasswordRow) error {
	return cmp.Or(
		exists(tx, accounts, r.Account), isNew(tx, passwords, []byte(r.Account)),
		putPassword(tx, r.Account, r.Kept),
	)
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

func importFact(tx *bbolt.Tx, row any) error {
	switch r := row.(type) {
	case noFact:
		return tx.Bucket(facts).Delete([]byte(r))
	case store.FactRow:
		value := append([]byte{}, r.Value...)
		return cmp.Or(store.CheckName(r.Name), tx.Bucket(facts).Put([]byte(r.Name), value))
	}
	return nil
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

func importComponentDay(tx *bbolt.Tx, d store.ComponentDay) error {
	key := owned(d.Component, dayKey(d.Day))
	return cmp.Or(
		store.CheckName(d.Component), isNew(tx, componentDays, key), put(tx, componentDays, key, d),
	)
}

func importOnce(tx *bbolt.Tx, r store.OnceRow) error {
	return cmp.Or(
		store.CheckName(r.Name), isNew(tx, once, []byte(r.Name)),
		recordOnce(tx, store.Event{Once: r.Name, OnceUntil: r.Until}),
	)
}

func importDelivery(tx *bbolt.Tx, d store.Delivery) error {
	return cmp.Or(
		exists(tx, endpoints, d.Endpoint), exists(tx, events, d.Event), deliveryKind.add(tx, d),
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
	return cmp.Or(err, isNew(tx, events, id), eventKind.put(tx, &e))
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
