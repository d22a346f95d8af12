package bolt

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// asNewEvent returns an event as it is stored, and an error if one of its names is invalid.
func asNewEvent(e store.Event) (store.Event, error) {
	e = store.Stored(e)
	err := cmp.Or(store.CheckName(e.ID), store.CheckName(e.Type))
	for _, name := range []string{e.Account, e.Endpoint, e.Once} {
		if name != "" {
			err = cmp.Or(err, store.CheckName(name))
		}
	}
	return e, err
}

// copied returns events that their creator may change.
func copied(list []store.Event) []store.Event {
	list = slices.Clone(list)
	for i := range list {
		list[i].Body = bytes.Clone(list[i].Body)
	}
	return list
}

// Post implements store.Store.
func (s *Store) Post(ctx context.Context, list ...store.Event) (int, error) {
	list = copied(list)
	return change(ctx, s, func(tx *bbolt.Tx) (int, error) { return s.post(tx, list) })
}

// posting is an event that will be stored.
type posting struct {
	event store.Event
	to    []store.Endpoint // empty for an event that waits for Spread
}

// post stores events and returns their number. It refuses before it changes anything.
func (s *Store) post(tx *bbolt.Tx, list []store.Event) (int, error) {
	if len(list) == 0 {
		return 0, nil
	}
	p := &planner{tx: tx, ids: map[string]bool{}, names: map[string][]byte{}}
	for _, e := range list {
		if err := p.add(e); err != nil {
			return 0, err
		}
	}
	for _, one := range p.plan {
		if err := one.put(tx); err != nil {
			return 0, err
		}
		tx.OnCommit(func() { s.posted(one.event.Type) })
	}
	if len(p.plan) > 0 {
		s.changed(tx, store.Change{Posted: true})
	}
	return len(p.plan), nil
}

// planner collects the postings of a call.
type planner struct {
	tx    *bbolt.Tx
	plan  []posting
	ids   map[string]bool   // of plan
	names map[string][]byte // of plan, with the stamps of the times when they end
}

// add adds the posting of an event, unless the event is a duplicate or has no recipient.
func (p *planner) add(e store.Event) error {
	e, err := asNewEvent(e)
	if err != nil {
		return err
	}
	duplicate, err := p.recorded(e.Once, e.Created)
	if err != nil || duplicate {
		return err
	}
	if p.ids[e.ID] || has(p.tx, events, []byte(e.ID)) {
		return store.ErrExists
	}
	to, err := recipients(p.tx, e)
	waits := e.Account == "" && e.Endpoint == ""
	if err != nil || !waits && len(to) == 0 {
		return err
	}
	p.plan = append(p.plan, posting{e, to})
	p.ids[e.ID] = true
	if e.Once != "" {
		p.names[e.Once] = endStamp(e.OnceUntil)
	}
	return nil
}

// recorded reports whether an event was stored, or will be, under a name that lasts beyond at.
func (p *planner) recorded(name string, at time.Time) (bool, error) {
	until, ok := p.names[name]
	if !ok {
		var err error
		if until, err = onceUntil(p.tx, name); err != nil {
			return false, err
		}
	}
	return bytes.Compare(until, stamp(at)) > 0, nil
}

// onceUntil returns the stamp of the time until which a name is recorded, nil if it is not.
func onceUntil(tx *bbolt.Tx, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	until := tx.Bucket(once).Get([]byte(name))
	if len(until) != 0 && len(until) != 8 {
		return nil, damaged("name %q of an event has %d bytes, want 8", name, len(until))
	}
	return until, nil
}

// recipients returns the endpoints that get a delivery when an event is posted.
func recipients(tx *bbolt.Tx, e store.Event) ([]store.Endpoint, error) {
	if e.Account == "" {
		return nil, nil
	}
	if e.Endpoint != "" {
		one, err := endpointKind.get(tx, []byte(e.Endpoint))
		if err == store.ErrNotFound || err == nil && (one.Account != e.Account || !one.Receives()) {
			return nil, nil
		}
		return []store.Endpoint{one}, err
	}
	var list []store.Endpoint
	for _, id := range idsOf(tx, endpointsOfAccount, e.Account) {
		one, err := endpointKind.follow(tx, id)
		if err != nil {
			return nil, err
		}
		if subscribes(one, e.Type) {
			list = append(list, one)
		}
	}
	return list, nil
}

// put stores an event with its deliveries.
func (p posting) put(tx *bbolt.Tx) error {
	e := p.event
	err := cmp.Or(eventKind.put(tx, &e), recordOnce(tx, e))
	if e.Account == "" {
		err = cmp.Or(err, tx.Bucket(eventsToSpread).Put([]byte(e.ID), noValue))
	}
	for _, to := range p.to {
		if err != nil {
			return err
		}
		err = addDelivery(tx, to, e)
	}
	return err
}

// recordOnce records the name of an event.
func recordOnce(tx *bbolt.Tx, e store.Event) error {
	if e.Once == "" {
		return nil
	}
	name := []byte(e.Once)
	before, err := onceUntil(tx, e.Once)
	if before != nil {
		err = cmp.Or(err, tx.Bucket(onceByEnd).Delete(append(bytes.Clone(before), name...)))
	}
	return cmp.Or(err,
		tx.Bucket(once).Put(name, endStamp(e.OnceUntil)),
		tx.Bucket(onceByEnd).Put(byEnd(e.OnceUntil, name), name),
	)
}

// Event implements store.Store.
func (s *Store) Event(ctx context.Context, id string) (store.Event, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Event, error) {
		return eventKind.get(tx, []byte(id))
	})
}

// EventsOf implements store.Store. It merges the events of the account with those of all accounts.
func (s *Store) EventsOf(
	ctx context.Context, account, kind, before string, n int,
) ([]store.Event, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Event, error) {
		list := []store.Event{}
		own := newDescent(tx, eventsOfAccount, owned(account), before)
		all := newDescent(tx, eventsOfAccount, owned(""), before)
		if account == "" {
			own.key = nil // the same
		}
		for len(list) < n && (own.key != nil || all.key != nil) {
			next := own
			if bytes.Compare(all.id(), own.id()) > 0 {
				next = all
			}
			if kind == "" || string(next.value) == kind {
				e, err := eventKind.follow(tx, next.id())
				if err != nil {
					return nil, err
				}
				list = append(list, e)
			}
			next.advance()
		}
		return list, nil
	})
}

// descent reads the entries of an index with a prefix, the last first.
type descent struct {
	cursor             *bbolt.Cursor
	prefix, key, value []byte // key is nil after the last entry
}

// newDescent returns a descent from the last entry below prefix and before, or from the last entry
// of all if before is "".
func newDescent(tx *bbolt.Tx, index, prefix []byte, before string) *descent {
	d := &descent{cursor: tx.Bucket(index).Cursor(), prefix: prefix}
	end := append(bytes.Clone(prefix), before...)
	if before == "" {
		end[len(end)-1]++ // the zero byte after the owner
	}
	if k, _ := d.cursor.Seek(end); k == nil {
		d.set(d.cursor.Last())
	} else {
		d.advance()
	}
	return d
}

func (d *descent) advance() { d.set(d.cursor.Prev()) }

func (d *descent) set(key, value []byte) {
	d.key, d.value = key, value
	if !bytes.HasPrefix(key, d.prefix) {
		d.key = nil
	}
}

// id returns the rest of the key after the prefix, nil after the last entry.
func (d *descent) id() []byte {
	if d.key == nil {
		return nil
	}
	return d.key[len(d.prefix):]
}

// Spread implements store.Store.
func (s *Store) Spread(ctx context.Context, n int) (bool, error) {
	return change(ctx, s, func(tx *bbolt.Tx) (bool, error) {
		added := 0
		for added < n {
			id, last := tx.Bucket(eventsToSpread).Cursor().First()
			if id == nil {
				break
			}
			done, err := spreadOne(tx, id, string(last), n-added)
			if err != nil {
				return false, err
			}
			added += done
		}
		if added > 0 {
			s.changed(tx, store.Change{Posted: true})
		}
		id, _ := tx.Bucket(eventsToSpread).Cursor().First()
		return id != nil, nil
	})
}

// spreadOne adds up to n deliveries of an event to endpoints after last, and returns their number.
// If there are no more such endpoints, the event is spread.
func spreadOne(tx *bbolt.Tx, id []byte, last string, n int) (int, error) {
	e, err := eventKind.follow(tx, id)
	if err != nil {
		return 0, err
	}
	to := subscribers(tx, e.Type, last, n+1)
	more := len(to) > n
	to = to[:min(n, len(to))]
	for _, endpoint := range to {
		one, err := endpointKind.follow(tx, endpoint)
		if err == nil {
			err = addDelivery(tx, one, e)
		}
		if err != nil {
			return 0, err
		}
	}
	if !more {
		return len(to), tx.Bucket(eventsToSpread).Delete(id)
	}
	return len(to), tx.Bucket(eventsToSpread).Put(id, to[len(to)-1])
}

// subscribers returns the ids of up to n endpoints after last, in order, that get deliveries of all
// events of a kind.
func subscribers(tx *bbolt.Tx, kind, last string, n int) [][]byte {
	var list [][]byte
	for _, k := range []string{kind, store.AllKinds} {
		prefix, most := owned(k), len(list)+n
		c := tx.Bucket(endpointsOfKind).Cursor()
		key, _ := c.Seek(owned(k, []byte(last), []byte{0}))
		for ; bytes.HasPrefix(key, prefix) && len(list) < most; key, _ = c.Next() {
			list = append(list, key[len(prefix):])
		}
	}
	slices.SortFunc(list, bytes.Compare)
	list = slices.CompactFunc(list, bytes.Equal)
	return list[:min(n, len(list))]
}

// removeEvent removes an event with its entries and its deliveries, but at most n deliveries: if
// there are more, the event remains. It returns the number of removed deliveries.
func removeEvent(tx *bbolt.Tx, id []byte, n int) (int, error) {
	prefix := owned(string(id))
	var of []string
	c := tx.Bucket(deliveriesOfEvent).Cursor()
	k, _ := c.Seek(prefix)
	for ; bytes.HasPrefix(k, prefix) && len(of) < n; k, _ = c.Next() {
		of = append(of, string(k[len(prefix):]))
	}
	more := bytes.HasPrefix(k, prefix)
	for _, endpoint := range of {
		if err := dropDelivery(tx, endpoint, string(id)); err != nil {
			return 0, err
		}
	}
	if more {
		return len(of), nil
	}
	e, err := eventKind.follow(tx, id)
	return len(of), cmp.Or(err,
		eventKind.remove(tx, &e),
		tx.Bucket(eventsToSpread).Delete(id),
	)
}

// removeEvents removes the events of an account with their deliveries.
func removeEvents(tx *bbolt.Tx, account string) error {
	return each(tx, eventsIn(tx, account, math.MaxInt), func(tx *bbolt.Tx, id []byte) error {
		_, err := removeEvent(tx, id, math.MaxInt)
		return err
	})
}

// eventsIn lists the ids of up to n events of an account, the oldest first.
func eventsIn(tx *bbolt.Tx, account string, n int) [][]byte {
	var list [][]byte
	prefix := owned(account)
	c := tx.Bucket(eventsOfAccount).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(list) < n; k, _ = c.Next() {
		list = append(list, k[len(prefix):])
	}
	return list
}

// removeName removes the name of an event.
func removeName(tx *bbolt.Tx, name []byte) error {
	until, err := onceUntil(tx, string(name))
	return cmp.Or(err,
		tx.Bucket(onceByEnd).Delete(append(bytes.Clone(until), name...)),
		tx.Bucket(once).Delete(name),
	)
}

// crowded lists the accounts that have more than store.MostEvents events.
func crowded(tx *bbolt.Tx) ([]string, error) {
	var list []string
	var account []byte
	n := 0
	c := tx.Bucket(eventsOfAccount).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		of, _, _ := bytes.Cut(k, []byte{0})
		if !bytes.Equal(of, account) {
			account, n = of, 0
		}
		if n++; n == store.MostEvents+1 && len(of) > 0 {
			list = append(list, string(of))
		}
	}
	return list, nil
}
