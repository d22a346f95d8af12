package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// PutIncident implements store.Store.
func (s *Store) PutIncident(ctx context.Context, i store.Incident, list ...store.Event) error {
	i = store.Stored(i)
	if err := store.CheckName(i.ID); err != nil {
		return err
	}
	text, err := encode(i)
	if err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "PutIncident", func(tx *transaction) error {
		if _, err := tx.post(ctx, list); err != nil {
			return err
		}
		return tx.run(ctx, `insert into incident (id, body, starts, ends) values ($1, $2, $3, $4)
			on conflict (id) do update
			set body = excluded.body, starts = excluded.starts, ends = excluded.ends`,
			i.ID, text, at(i.From), at(i.Until))
	})
}

func scanIncident(r pgx.CollectableRow) (i store.Incident, err error) {
	return i, r.Scan(body{&i})
}

// Incident implements store.Store.
func (s *Store) Incident(ctx context.Context, id string) (store.Incident, error) {
	return row(ctx, s, "Incident", scanIncident,
		"select body::text from incident where id = $1", name(id))
}

// Incidents implements store.Store.
func (s *Store) Incidents(ctx context.Context, since time.Time, n int) ([]store.Incident, error) {
	return rows(ctx, s, s.hot, "Incidents", scanIncident, `select body::text from incident
		where ends is null or ends > $1 order by starts desc nulls last, id limit $2`,
		since.UTC(), n)
}
