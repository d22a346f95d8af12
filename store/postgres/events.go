package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// asNewEvent returns an event as it is stored, and an error if one of its names is invalid.
func asNewEvent(e store.Event) (store.Event, error) {
	e = store.Stored(e)
	err := checkNames(e.ID, e.Type)
	for _, n := range []string{e.Account, e.Endpoint, e.Once} {
		if n != "" {
			err = cmp.Or(err, store.CheckName(n))
		}
	}
	return e, err
}

// Post implements store.Store.
func (s *Store) Post(ctx context.Context, list ...store.Event) (int, error) {
	return transactFor(ctx, s, s.hot, "Post", func(tx *transaction) (int, error) {
		return tx.post(ctx, list)
	})
}

// post stores events with their deliveries and returns the number of those that were stored.
func (tx *transaction) post(ctx context.Context, list []store.Event) (int, error) {
	if len(list) == 0 {
		return 0, nil
	}
	p := &posting{added: map[string]int{}}
	for _, e := range list {
		e, err := asNewEvent(e)
		if err != nil {
			return 0, err
		}
		p.given = append(p.given, e)
	}
	if err := p.lock(ctx, tx); err != nil {
		return 0, err
	}
	for _, e := range p.given {
		if err := p.add(ctx, tx, e); err != nil {
			return 0, err
		}
	}
	if len(p.events) == 0 {
		return 0, nil
	}
	if err := p.put(ctx, tx); err != nil {
		return 0, err
	}
	tx.woken = true
	return len(p.events), nil
}

// posting collects what a call stores.
type posting struct {
	given  []store.Event
	to     []candidate // the endpoints that may get deliveries, locked
	events []store.Event
	list   deliveryList
	added  map[string]int // pending deliveries by endpoint
}

// candidate is an endpoint with what decides about deliveries to it.
type candidate struct {
	id, account, state string
	kinds              []string
	pending            int
}

const candidateColumns = "id, account, state, kinds, pending"

func scanCandidate(r pgx.CollectableRow) (c candidate, err error) {
	return c, r.Scan(&c.id, &c.account, &c.state, &c.kinds, &c.pending)
}

// subscribes reports whether an endpoint, in any state, gets deliveries of all events of a kind.
func (c candidate) subscribes(kind string) bool {
	return slices.Contains(c.kinds, kind) || slices.Contains(c.kinds, store.AllKinds)
}

// receives reports whether an endpoint may have pending deliveries.
func (c candidate) receives() bool { return store.Endpoint{State: c.state}.Receives() }

// gets reports whether an endpoint gets a delivery when an event is posted.
func (c candidate) gets(e store.Event) bool {
	switch {
	case c.account != e.Account:
		return false
	case e.Endpoint != "":
		return c.id == e.Endpoint && c.receives()
	}
	return c.subscribes(e.Type)
}

// accountsOf returns the accounts of events, without those that are for all accounts.
func accountsOf(list []store.Event) (ids []string) {
	for _, e := range list {
		if e.Account != "" {
			ids = append(ids, e.Account)
		}
	}
	return ids
}

// lockAccountsOf locks the accounts of events, which must happen before an endpoint is locked.
func (tx *transaction) lockAccountsOf(ctx context.Context, list []store.Event) error {
	ids := accountsOf(list)
	if len(ids) == 0 {
		return nil
	}
	return tx.run(ctx, "select from account where id = any($1) order by id "+lockShared, ids)
}

// lock locks the accounts of the events, then the endpoints that may get deliveries.
func (p *posting) lock(ctx context.Context, tx *transaction) error {
	if err := tx.lockAccountsOf(ctx, p.given); err != nil {
		return err
	}
	accounts := accountsOf(p.given)
	if len(accounts) == 0 {
		return nil
	}
	var named []string
	kinds := []string{store.AllKinds}
	for _, e := range p.given {
		if e.Account == "" {
			continue
		}
		kinds = append(kinds, e.Type)
		if e.Endpoint != "" {
			named = append(named, e.Endpoint)
		}
	}
	var err error
	p.to, err = rowsIn(ctx, tx, scanCandidate, "select "+candidateColumns+` from endpoint
		where account = any($1) and (kinds && $2 or id = any($3)) order by id for no key update`,
		accounts, kinds, named)
	return err
}

// add adds an event, unless it has no recipient or is a duplicate.
func (p *posting) add(ctx context.Context, tx *transaction, e store.Event) error {
	var to []*candidate
	for i := range p.to {
		if p.to[i].gets(e) {
			to = append(to, &p.to[i])
		}
	}
	waits := e.Account == "" && e.Endpoint == ""
	if !waits && len(to) == 0 {
		return nil
	}
	if e.Once != "" {
		n, err := tx.affects(ctx, `insert into once (name, until) values ($1, $2)
			on conflict (name) do update set until = excluded.until where once.until <= $3`,
			e.Once, at(e.OnceUntil), e.Created)
		if err != nil || n == 0 {
			return err
		}
	}
	p.events = append(p.events, e)
	tx.posted = append(tx.posted, e.Type)
	for _, c := range to {
		p.list.add(c, e)
		p.added[c.id] += 0 // its queue is read even if the delivery is skipped
	}
	return nil
}

// put stores the events and their deliveries.
func (p *posting) put(ctx context.Context, tx *transaction) error {
	var ids, types, endpoints, names []string
	var accounts []*string
	var bodies [][]byte
	var created, expires, until []*time.Time
	for _, e := range p.events {
		ids, types = append(ids, e.ID), append(types, e.Type)
		endpoints, names = append(endpoints, e.Endpoint), append(names, e.Once)
		bodies, created = append(bodies, e.Body), append(created, at(e.Created))
		expires, until = append(expires, at(e.Expires)), append(until, at(e.OnceUntil))
		var account *string
		if e.Account != "" {
			account = &e.Account
		}
		accounts = append(accounts, account)
	}
	if err := tx.run(ctx, `insert into event (id, type, account, endpoint, body, created, expires,
			once, once_until, spreading)
		select t.*, t.a is null from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[],
			$6::timestamptz[], $7::timestamptz[], $8::text[], $9::timestamptz[])
			t(i, k, a, e, b, c, x, n, u)`,
		ids, types, accounts, endpoints, bodies, created, expires, names, until); err != nil {
		return err
	}
	if err := p.list.put(ctx, tx); err != nil {
		return err
	}
	for id, n := range p.list.pending {
		p.added[id] += n
	}
	return tx.requeue(ctx, p.added)
}

const eventColumns = `e.id, e.type, coalesce(e.account, ''), e.endpoint, e.body, e.created,
	e.expires, e.once, e.once_until`

func eventFields(e *store.Event) []any {
	return []any{
		&e.ID, &e.Type, &e.Account, &e.Endpoint, &e.Body, when{&e.Created}, when{&e.Expires},
		&e.Once, when{&e.OnceUntil},
	}
}

func scanEvent(r pgx.CollectableRow) (e store.Event, err error) {
	return e, r.Scan(eventFields(&e)...)
}

// Event implements store.Store.
func (s *Store) Event(ctx context.Context, id string) (store.Event, error) {
	return row(ctx, s, "Event", scanEvent, "select "+eventColumns+" from event e where id = $1",
		name(id))
}

// EventsOf implements store.Store. It merges the events of the account with those of all accounts.
func (s *Store) EventsOf(
	ctx context.Context, account, kind, before string, n int,
) ([]store.Event, error) {
	const page = ` and ($2 = '' or e.type = $2) and ($3 = '' or e.id < $3)
		order by e.id desc limit $4`
	return rows(ctx, s, s.hot, "EventsOf", scanEvent, "select "+eventColumns+` from (
			(select * from event e where e.account = $1`+page+`)
			union all
			(select * from event e where e.account is null`+page+`)) e
		order by e.id desc limit $4`, name(account), plain(kind), plain(before), n)
}

// Spread implements store.Store. Each event is spread in a transaction of its own, which locks
// endpoints in their order.
func (s *Store) Spread(ctx context.Context, n int) (more bool, err error) {
	for left := n; left > 0; {
		added, found, err := s.spreadOne(ctx, left)
		if err != nil {
			return false, err
		}
		if !found {
			return false, nil
		}
		left -= added
	}
	err = s.call(ctx, "Spread", func() (err error) {
		more, err = rowIn(ctx, s.work, pgx.RowTo[bool],
			"select exists (select from event where spreading)")
		return err
	})
	return more, err
}

// spreadOne adds up to n deliveries of an event. It returns their number, and whether there was an
// event.
func (s *Store) spreadOne(ctx context.Context, n int) (added int, found bool, err error) {
	err = s.transact(ctx, s.work, "Spread", func(tx *transaction) error {
		added, found = 0, false
		const spreading = "select " + eventColumns + ", e.spread_after from event e where e.spreading"
		next, err := rowIn(ctx, tx, scanSpread, spreading+" order by e.id limit 1")
		if err == store.ErrNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		kinds := []string{next.event.Type, store.AllKinds}
		ids, err := rowsIn(ctx, tx, pgx.RowTo[string], `select id from endpoint
			where kinds && $1 and id > $2 order by id limit $3`, kinds, next.after, n+1)
		if err != nil {
			return err
		}
		more := len(ids) > n
		ids = ids[:min(n, len(ids))]
		to, err := rowsIn(ctx, tx, scanCandidate, "select "+candidateColumns+` from endpoint
			where id = any($1) and kinds && $2 order by id for no key update`, ids, kinds)
		if err != nil {
			return err
		}
		now, err := rowIn(ctx, tx, scanSpread, spreading+" and e.id = $1 for update", next.event.ID)
		if err == store.ErrNotFound || err == nil && now.after != next.after {
			return nil // another call has spread it meanwhile
		}
		if err != nil {
			return err
		}
		added = len(to)
		return tx.spread(ctx, next.event, to, ids, more)
	})
	return added, found, err
}

// spreading is an event that waits for Spread, and the last endpoint that has its delivery.
type spreading struct {
	event store.Event
	after string
}

func scanSpread(r pgx.CollectableRow) (s spreading, err error) {
	return s, r.Scan(append(eventFields(&s.event), &s.after)...)
}

// spread adds deliveries of an event to endpoints. ids are all that were considered.
func (tx *transaction) spread(
	ctx context.Context, e store.Event, to []candidate, ids []string, more bool,
) error {
	var list deliveryList
	for i := range to {
		list.add(&to[i], e)
	}
	if err := list.put(ctx, tx); err != nil {
		return err
	}
	if err := tx.requeue(ctx, list.pending); err != nil {
		return err
	}
	tx.woken = len(to) > 0
	if !more {
		return tx.run(ctx,
			"update event set spreading = false, spread_after = '' where id = $1", e.ID)
	}
	return tx.run(ctx, "update event set spread_after = $2 where id = $1", e.ID, ids[len(ids)-1])
}
