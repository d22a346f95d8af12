package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// thinSize limits the deliveries or events that one transaction removes.
const thinSize = 1000

// thinEndpoint removes deliveries of an endpoint that will be removed, until at most thinSize are
// left.
func (s *Store) thinEndpoint(ctx context.Context, id string) error {
	return s.repeatWhileMore(ctx, "RemoveEndpoint", func(tx *transaction) (bool, error) {
		if _, err := tx.lockEndpoints(ctx, id); err != nil {
			return false, err
		}
		list, err := rowsIn(ctx, tx, scanDeliveryKey, `select endpoint, event from delivery
			where endpoint = $1 order by event limit $2`, id, thinSize+1)
		if err != nil || len(list) <= thinSize {
			return false, err
		}
		return true, tx.removeDeliveries(ctx, list[:thinSize])
	})
}

// thinAccount removes deliveries and events of an account that will be removed, until at most
// thinSize of each endpoint and of the account are left.
func (s *Store) thinAccount(ctx context.Context, account string) error {
	list, err := s.EndpointsOf(ctx, account)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := s.thinEndpoint(ctx, e.ID); err != nil {
			return err
		}
	}
	return s.repeatWhileMore(ctx, "RemoveAccount", func(tx *transaction) (bool, error) {
		ids, err := rowsIn(ctx, tx, pgx.RowTo[string],
			"select id from event where account = $1 order by id limit $2", account, thinSize+1)
		if err != nil || len(ids) <= thinSize {
			return false, err
		}
		_, err = tx.removeEvents(ctx, ids[:thinSize], thinSize)
		return true, err
	})
}

// repeatWhileMore makes changes, each in a transaction of its own, while there is something to do.
func (s *Store) repeatWhileMore(
	ctx context.Context, call string, apply func(*transaction) (more bool, err error),
) error {
	for {
		more, err := transactFor(ctx, s, s.work, call, apply)
		if err != nil || !more {
			return err
		}
	}
}

// removeEvents removes events with up to n of their deliveries; those that have more remain. It
// reports whether any remain.
func (tx *transaction) removeEvents(
	ctx context.Context, ids []string, n int,
) (more bool, err error) {
	const deliveriesOf = `select endpoint, event from delivery where event = any($1)
		order by event, endpoint limit $2`
	list, err := rowsIn(ctx, tx, scanDeliveryKey, deliveriesOf, ids, n)
	if err != nil {
		return false, err
	}
	if _, err := tx.lockEndpoints(ctx, endpointsOf(list)...); err != nil {
		return false, err
	}
	// Spread may add deliveries to these events until they are locked.
	err = tx.run(ctx, "select from event where id = any($1) order by id for update", ids)
	if err != nil {
		return false, err
	}
	if err := tx.removeDeliveries(ctx, list); err != nil {
		return false, err
	}
	removed, err := tx.affects(ctx, `delete from event where id = any($1)
		and not exists (select from delivery where event = event.id)`, ids)
	return int(removed) < len(ids), err
}
