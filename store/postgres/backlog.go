package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// mostExamined limits the deliveries that Backlog reads.
const mostExamined = 100_000

// Backlog implements store.Store.
func (s *Store) Backlog(ctx context.Context) (store.Backlog, error) {
	endpoints, err := counts(ctx, s, "Backlog", "select state, count(*) from endpoint group by state")
	if err != nil {
		return store.Backlog{}, err
	}
	watches, err := counts(ctx, s, "Backlog", "select state, count(*) from watch group by state")
	if err != nil {
		return store.Backlog{}, err
	}
	b := store.Backlog{Endpoints: endpoints, Watches: watches}
	err = s.call(ctx, "Backlog", func() error {
		return s.work.QueryRow(ctx, `select coalesce((select sum(pending) from endpoint), 0), (
				select min(created) from (
					select created from delivery where state = 'pending' limit $1) d)`, mostExamined,
		).Scan(&b.Pending, when{&b.Oldest})
	})
	return b, err
}

// ClampDue implements store.Store.
func (s *Store) ClampDue(ctx context.Context, latest, to time.Time) (int, error) {
	latest = store.Second(latest)
	return transactFor(ctx, s, s.work, "ClampDue", func(tx *transaction) (int, error) {
		ids, err := rowsIn(ctx, tx, pgx.RowTo[string], `select id from endpoint e
			where pause_until > $1 or pending > 0 and exists (select from delivery
				where endpoint = e.id and state = 'pending' and due > $1)
			order by id for no key update`, latest)
		if err != nil {
			return 0, err
		}
		changed := 0
		for _, sql := range []string{
			"update endpoint set pause_until = $3 where id = any($2) and pause_until > $1",
			`update delivery set due = $3
				where endpoint = any($2) and state = 'pending' and due > $1`,
			`update watch set due = $3
				where $2::text[] is not null and state <> 'ended' and due > $1`,
		} {
			n, err := tx.affects(ctx, sql, latest, ids, at(to))
			if err != nil {
				return 0, err
			}
			changed += int(n)
		}
		added := map[string]int{}
		for _, id := range ids {
			added[id] = 0
		}
		tx.woken = changed > 0
		return changed, tx.requeue(ctx, added)
	})
}
