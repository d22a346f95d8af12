package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// deliveryList collects new deliveries.
type deliveryList struct {
	endpoints, events, kinds, states []string
	direct                           []bool
	due, created                     []*time.Time
	pending                          map[string]int // by endpoint
}

// add adds the delivery of an event to an endpoint. If it is pending, it is due when the event was
// created. An event that names its endpoint is added to an enabled or pending endpoint only: a test
// must reach an endpoint that is pending with a full backlog.
func (l *deliveryList) add(to *candidate, e store.Event) {
	state, due := store.DeliverySkipped, (*time.Time)(nil)
	direct := e.Endpoint != ""
	if direct || to.state == store.EndpointEnabled && to.pending < store.MostPending {
		state, due = store.DeliveryPending, at(e.Created)
		to.pending++
		if l.pending == nil {
			l.pending = map[string]int{}
		}
		l.pending[to.id]++
	}
	l.endpoints, l.events = append(l.endpoints, to.id), append(l.events, e.ID)
	l.kinds, l.states = append(l.kinds, e.Type), append(l.states, state)
	l.direct, l.due = append(l.direct, direct), append(l.due, due)
	l.created = append(l.created, at(e.Created))
}

// put stores the deliveries.
func (l *deliveryList) put(ctx context.Context, tx *transaction) error {
	if len(l.endpoints) == 0 {
		return nil
	}
	return tx.run(ctx, `insert into delivery (endpoint, event, kind, state, direct, due, created)
		select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bool[],
			$6::timestamptz[], $7::timestamptz[]) on conflict do nothing`,
		l.endpoints, l.events, l.kinds, l.states, l.direct, l.due, l.created)
}

const deliveryColumns = `d.endpoint, d.event, d.kind, d.state, d.direct, d.replay, d.tries, d.due,
	d.created, d.attempts::text`

func deliveryFields(d *store.Delivery) []any {
	return []any{
		&d.Endpoint, &d.Event, &d.Kind, &d.State, &d.Direct, &d.Replay, &d.Tries, when{&d.Due},
		when{&d.Created}, body{&d.Attempts},
	}
}

func scanDelivery(r pgx.CollectableRow) (d store.Delivery, err error) {
	return d, r.Scan(deliveryFields(&d)...)
}

// Delivery implements store.Store.
func (s *Store) Delivery(ctx context.Context, endpoint, event string) (store.Delivery, error) {
	return row(ctx, s, "Delivery", scanDelivery, "select "+deliveryColumns+
		" from delivery d where endpoint = $1 and event = $2", name(endpoint), name(event))
}

// DeliveriesOf implements store.Store.
func (s *Store) DeliveriesOf(
	ctx context.Context, endpoint string, f store.DeliveryFilter, n int,
) ([]store.Delivery, error) {
	return rows(ctx, s, s.hot, "DeliveriesOf", scanDelivery, "select "+deliveryColumns+`
		from delivery d where endpoint = $1 and event >= $2 and ($3 = '' or event < $3)
			and ($4 = '' or kind = $4) and (cardinality($5::text[]) = 0 or state = any($5))
		order by event desc limit $6`, name(endpoint), plain(f.Since), plain(f.Before), plain(f.Kind),
		plains(f.States), n)
}

// Replay implements store.Store.
func (s *Store) Replay(
	ctx context.Context, endpoint string, list []string, due time.Time,
) (int, error) {
	return transactFor(ctx, s, s.hot, "Replay", func(tx *transaction) (int, error) {
		found, err := tx.lockEndpoints(ctx, name(endpoint))
		switch {
		case err != nil:
			return 0, err
		case len(found) == 0:
			return 0, store.ErrNotFound
		case found[0].State != store.EndpointEnabled:
			return 0, store.ErrConflict
		}
		n, err := tx.affects(ctx, `update delivery
			set state = 'pending', replay = true, tries = 0, due = $3
			where endpoint = $1 and event = any($2) and state <> 'pending'`,
			endpoint, plains(list), at(due))
		switch {
		case err != nil || n == 0:
			return 0, err
		case found[0].Pending+int(n) > store.MostPending:
			return 0, store.ErrTooMany
		}
		tx.woken = true
		return int(n), tx.requeue(ctx, map[string]int{endpoint: int(n)})
	})
}

// finishing collects what results change of endpoints and deliveries.
type finishing struct {
	endpoints  map[string]*finished
	deliveries map[deliveryKey]*store.Delivery
}

type deliveryKey struct{ endpoint, event string }

// finished is an endpoint before and after the results.
type finished struct {
	before, after store.Endpoint
	added         int // change of the number of pending deliveries
}

// Finish implements store.Store.
func (s *Store) Finish(ctx context.Context, results []store.Result) error {
	if len(results) == 0 {
		return s.call(ctx, "Finish", func() error { return nil })
	}
	return s.transact(ctx, s.work, "Finish", func(tx *transaction) error {
		f, err := tx.finishing(ctx, results)
		if err != nil {
			return err
		}
		for _, r := range results {
			f.add(r)
		}
		return f.put(ctx, tx)
	})
}

// finishing locks the endpoints of results and reads their deliveries. The lock of an endpoint is
// also that of its deliveries.
func (tx *transaction) finishing(ctx context.Context, results []store.Result) (*finishing, error) {
	var endpoints, events []string
	for _, r := range results {
		endpoints, events = append(endpoints, name(r.Endpoint)), append(events, name(r.Event))
	}
	f := &finishing{map[string]*finished{}, map[deliveryKey]*store.Delivery{}}
	list, err := tx.lockEndpoints(ctx, endpoints...)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		f.endpoints[e.ID] = &finished{before: e, after: e}
	}
	deliveries, err := rowsIn(ctx, tx, scanDelivery, "select "+deliveryColumns+` from delivery d
		where (endpoint, event) in (select * from unnest($1::text[], $2::text[]))`, endpoints, events)
	for _, d := range deliveries {
		f.deliveries[deliveryKey{d.Endpoint, d.Event}] = &d
	}
	return f, err
}

// add applies a result to its delivery and its endpoint.
func (f *finishing) add(r store.Result) {
	e, d := f.endpoints[r.Endpoint], f.deliveries[deliveryKey{r.Endpoint, r.Event}]
	if e == nil || d == nil {
		return
	}
	r.Attempt.At = store.Second(r.Attempt.At)
	d.Attempts = append(d.Attempts, r.Attempt)
	d.Attempts = d.Attempts[max(0, len(d.Attempts)-store.MostAttempts):]
	before := d.State
	if before == store.DeliveryPending || r.State == store.DeliveryDelivered {
		d.State, d.Tries, d.Due = r.State, r.Tries, store.Second(r.Due)
	}
	if before == store.DeliveryPending {
		e.added--
	}
	if d.State == store.DeliveryPending {
		e.added++
	} else {
		d.Due = time.Time{}
	}
	if r.URL == e.after.URL && e.after.Receives() {
		e.apply(r)
	}
}

// apply changes the endpoint as a result demands.
func (f *finished) apply(r store.Result) {
	f.after.Health = store.Stored(r.Health)
	switch {
	case r.EndpointState == store.EndpointEnabled && f.after.State == store.EndpointPending:
		f.after.State, f.after.Reason = store.EndpointEnabled, ""
		f.after.Enabled = r.Attempt.At
		f.after.Version++
	case r.EndpointState == store.EndpointSuspended:
		f.after.State, f.after.Reason = store.EndpointSuspended, r.Reason
		f.after.Version++
	}
}

// put stores the deliveries and the endpoints.
func (f *finishing) put(ctx context.Context, tx *transaction) error {
	var endpoints, events, states, attempts []string
	var tries []int
	var due []*time.Time
	for key, d := range f.deliveries {
		text, err := json.Marshal(d.Attempts)
		if err != nil {
			return err
		}
		endpoints, events = append(endpoints, key.endpoint), append(events, key.event)
		states, attempts = append(states, plain(d.State)), append(attempts, string(text))
		tries, due = append(tries, d.Tries), append(due, at(d.Due))
	}
	if err := tx.run(ctx, `update delivery d set state = t.s, tries = t.n, due = t.d,
			attempts = t.a::json
		from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::text[])
			t(endpoint, event, s, n, d, a)
		where d.endpoint = t.endpoint and d.event = t.event`,
		endpoints, events, states, tries, due, attempts); err != nil {
		return err
	}
	added := map[string]int{}
	for id, e := range f.endpoints {
		if e.after.State != e.before.State || e.after.Health != e.before.Health {
			skipped, err := tx.changeEndpoint(ctx, e.after)
			if err != nil {
				return err
			}
			e.added += skipped
		}
		added[id] = e.added
	}
	return tx.requeue(ctx, added)
}

// removeDeliveries removes deliveries of endpoints that are locked, and updates their queues.
func (tx *transaction) removeDeliveries(ctx context.Context, list []deliveryKey) error {
	var endpoints, events []string
	for _, d := range list {
		endpoints, events = append(endpoints, d.endpoint), append(events, d.event)
	}
	type removed struct {
		endpoint string
		pending  bool
	}
	gone, err := rowsIn(ctx, tx, func(r pgx.CollectableRow) (d removed, err error) {
		return d, r.Scan(&d.endpoint, &d.pending)
	}, `delete from delivery
		where (endpoint, event) in (select * from unnest($1::text[], $2::text[]))
		returning endpoint, state = 'pending'`, endpoints, events)
	if err != nil {
		return err
	}
	added := map[string]int{}
	for _, d := range gone {
		if d.pending {
			added[d.endpoint]--
		}
	}
	return tx.requeue(ctx, added)
}

// endpointsOf returns the different endpoints of deliveries.
func endpointsOf(list []deliveryKey) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.endpoint)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func scanDeliveryKey(r pgx.CollectableRow) (d deliveryKey, err error) {
	return d, r.Scan(&d.endpoint, &d.event)
}
