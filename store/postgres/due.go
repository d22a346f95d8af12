package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// claimed is an endpoint with the time at which its first delivery was due.
type claimed struct {
	endpoint store.Endpoint
	number   int
}

// ClaimEndpoints implements store.Store.
func (s *Store) ClaimEndpoints(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Endpoint, error) {
	list, err := rows(ctx, s, s.work, "ClaimEndpoints", func(
		r pgx.CollectableRow,
	) (c claimed, err error) {
		e := &c.endpoint
		return c, r.Scan(body{e}, &e.Pending, when{&e.Health.PauseUntil}, &c.number)
	}, `with due as (
			select id, next_due from endpoint
			where next_due <= $2 and (owned_until is null or owned_until <= $2)
			order by next_due, id limit $4 for no key update skip locked),
		turn as (select id, row_number() over (order by next_due, id) n from due)
		update endpoint e set owner = $1, owned_until = $3 from turn where e.id = turn.id
		returning `+endpointColumns+`, turn.n`, plain(owner), now.UTC(), exact(until), n)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b claimed) int { return cmp.Compare(a.number, b.number) })
	out := []store.Endpoint{}
	for _, c := range list {
		out = append(out, c.endpoint)
	}
	return out, nil
}

// RenewEndpoints implements store.Store.
func (s *Store) RenewEndpoints(
	ctx context.Context, owner string, ids []string, until time.Time,
) ([]string, error) {
	return rows(ctx, s, s.work, "RenewEndpoints", pgx.RowTo[string], `with held as (
			select id from endpoint where id = any($2) and owner = $1 order by id for no key update)
		update endpoint e set owned_until = $3 from held where e.id = held.id returning e.id`,
		plain(owner), plains(ids), exact(until))
}

// ReleaseEndpoints implements store.Store.
func (s *Store) ReleaseEndpoints(ctx context.Context, owner string, ids []string) error {
	return s.transact(ctx, s.work, "ReleaseEndpoints", func(tx *transaction) error {
		return tx.run(ctx, `with held as (
				select id from endpoint where id = any($2) and owner = $1 order by id for no key update)
			update endpoint e set owner = null, owned_until = null from held where e.id = held.id`,
			plain(owner), plains(ids))
	})
}

// Due implements store.Store.
func (s *Store) Due(
	ctx context.Context, ids []string, now time.Time, n int,
) ([]store.Job, error) {
	return rows(ctx, s, s.work, "Due", func(r pgx.CollectableRow) (j store.Job, err error) {
		return j, r.Scan(append(deliveryFields(&j.Delivery), eventFields(&j.Event)...)...)
	}, "select "+deliveryColumns+", "+eventColumns+`
		from unnest($1::text[]) with ordinality x(id, n) join endpoint p on p.id = x.id
		cross join lateral (
			select * from delivery d where d.endpoint = p.id and d.state = 'pending'
				and (d.due is null or d.due <= $2) and (d.direct or p.state = 'enabled'
					and (p.pause_until is null or p.pause_until <= $2))
			order by d.direct desc, d.due nulls first, d.event limit $3) d
		join event e on e.id = d.event
		order by x.n, d.direct desc, d.due nulls first, d.event`, plains(ids), now.UTC(), n)
}
