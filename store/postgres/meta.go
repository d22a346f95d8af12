package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// Meta implements store.Store.
func (s *Store) Meta(ctx context.Context, fact string) ([]byte, error) {
	return row(ctx, s, "Meta", pgx.RowTo[[]byte], "select value from fact where name = $1",
		name(fact))
}

// SwapMeta implements store.Store.
func (s *Store) SwapMeta(
	ctx context.Context, fact string, old, new []byte, list ...store.Event,
) error {
	if err := store.CheckName(fact); err != nil {
		return err
	}
	value := append([]byte{}, new...) // not NULL
	return s.transact(ctx, s.hot, "SwapMeta", func(tx *transaction) (err error) {
		var n int64
		if old == nil {
			n, err = tx.affects(ctx,
				"insert into fact (name, value) values ($1, $2) on conflict do nothing", fact, value)
		} else {
			n, err = tx.affects(ctx,
				"update fact set value = $3 where name = $1 and value = $2", fact, old, value)
			tx.changed(store.Change{Fact: fact})
		}
		if err == nil && n == 0 {
			err = store.ErrConflict
		}
		if err == nil {
			_, err = tx.post(ctx, list)
		}
		return err
	})
}

// Ready implements store.Store.
func (s *Store) Ready(ctx context.Context) error {
	n, err := s.exec(ctx, "Ready", "update guard set at = now() where name = 'ready'")
	if err == nil && n == 0 {
		err = store.ErrUnavailable
	}
	return err
}
