package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// roundedEndpoint returns an endpoint as it is stored, without its pending count.
func roundedEndpoint(e store.Endpoint) store.Endpoint {
	e.Pending = 0
	return store.Stored(e)
}

// endpointBody returns the JSON of an endpoint without what only columns have.
func endpointBody(e store.Endpoint) (string, error) {
	e.Pending, e.Health.PauseUntil = 0, time.Time{}
	return encode(e)
}

const endpointColumns = "e.body::text, e.pending, e.pause_until"

func scanEndpoint(r pgx.CollectableRow) (e store.Endpoint, err error) {
	return e, r.Scan(body{&e}, &e.Pending, when{&e.Health.PauseUntil})
}

// AddEndpoint implements store.Store.
func (s *Store) AddEndpoint(
	ctx context.Context, e store.Endpoint, most int, list ...store.Event,
) error {
	e = roundedEndpoint(e)
	e.Version = 1
	if err := checkNames(slices.Concat(e.Kinds, []string{e.ID, e.Account})...); err != nil {
		return err
	}
	args, err := endpointArgs(e)
	if err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddEndpoint", func(tx *transaction) error {
		if err := tx.lock(ctx, e.Account, lockAlone); err != nil {
			return err
		}
		var taken bool
		var n int
		if err := tx.scan(ctx, []any{&taken, &n}, `select exists (select from endpoint where id = $1),
				(select count(*) from endpoint where account = $2)`, e.ID, e.Account,
		); err != nil {
			return err
		}
		switch {
		case taken:
			return store.ErrExists
		case n >= most:
			return store.ErrTooMany
		}
		if err := tx.run(ctx, insertEndpoint, args...); err != nil {
			return err
		}
		_, err := tx.post(ctx, list)
		return err
	})
}

const insertEndpoint = `insert into endpoint
		(id, account, body, kinds, state, pause_until, version, created)
	values ($1, $2, $3, $4, $5, $6, $7, $8)`

func endpointArgs(e store.Endpoint) ([]any, error) {
	text, err := endpointBody(e)
	return []any{
		e.ID, name(e.Account), text, plains(e.Kinds), plain(e.State), at(e.Health.PauseUntil),
		int64(e.Version), at(e.Created),
	}, err
}

// Endpoint implements store.Store.
func (s *Store) Endpoint(ctx context.Context, id string) (store.Endpoint, error) {
	return row(ctx, s, "Endpoint", scanEndpoint,
		"select "+endpointColumns+" from endpoint e where id = $1", name(id))
}

// EndpointsOf implements store.Store.
func (s *Store) EndpointsOf(ctx context.Context, account string) ([]store.Endpoint, error) {
	return rows(ctx, s, s.hot, "EndpointsOf", scanEndpoint, "select "+endpointColumns+
		" from endpoint e where account = $1 order by created nulls first, id", name(account))
}

// lockEndpoints locks those endpoints that exist and returns them in the order of their ids.
func (tx *transaction) lockEndpoints(
	ctx context.Context, ids ...string,
) ([]store.Endpoint, error) {
	return rowsIn(ctx, tx, scanEndpoint, "select "+endpointColumns+
		" from endpoint e where id = any($1) order by id for no key update", ids)
}

// PutEndpoint implements store.Store.
func (s *Store) PutEndpoint(ctx context.Context, e store.Endpoint, list ...store.Event) error {
	e = roundedEndpoint(e)
	if err := checkNames(slices.Concat(e.Kinds, []string{e.ID})...); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "PutEndpoint", func(tx *transaction) error {
		if err := tx.lockAccountsOf(ctx, list); err != nil {
			return err
		}
		found, err := tx.lockEndpoints(ctx, e.ID)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return store.ErrNotFound
		}
		before, after := found[0], e
		if before.Version != e.Version {
			return store.ErrConflict
		}
		after.Account, after.Created, after.Health = before.Account, before.Created, before.Health
		if after.URL != before.URL || after.State != before.State {
			after.Health = store.Health{}
		}
		after.Version++
		added, err := tx.changeEndpoint(ctx, after)
		if err != nil {
			return err
		}
		if err := tx.requeue(ctx, map[string]int{e.ID: added}); err != nil {
			return err
		}
		_, err = tx.post(ctx, list)
		return err
	})
}

// changeEndpoint replaces an endpoint. If it receives nothing from now on, its pending deliveries
// are skipped. It returns the change of their number, for requeue.
func (tx *transaction) changeEndpoint(ctx context.Context, e store.Endpoint) (int, error) {
	text, err := endpointBody(e)
	if err != nil {
		return 0, err
	}
	if err := tx.run(ctx, `update endpoint
		set body = $2, kinds = $3, state = $4, pause_until = $5, version = $6 where id = $1`,
		e.ID, text, plains(e.Kinds), plain(e.State), at(e.Health.PauseUntil), int64(e.Version),
	); err != nil || e.Receives() {
		return 0, err
	}
	skipped, err := tx.affects(ctx, `update delivery set state = 'skipped', due = null
		where endpoint = $1 and state = 'pending'`, e.ID)
	return -int(skipped), err
}

// RemoveEndpoint implements store.Store. Most deliveries are removed before, in transactions of
// their own.
func (s *Store) RemoveEndpoint(ctx context.Context, id string) error {
	id = name(id)
	if err := s.thinEndpoint(ctx, id); err != nil {
		return err
	}
	return s.transact(ctx, s.work, "RemoveEndpoint", func(tx *transaction) error {
		return tx.run(ctx, "delete from endpoint where id = $1", id)
	})
}
