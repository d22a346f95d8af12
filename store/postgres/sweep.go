package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

const (
	monthRetention = 13        // months after the end of a month until Sweep removes it
	codeRetention  = time.Hour // time after the expiry of a code until Sweep removes it
)

// Sweep implements store.Store. Events come first: see the order of locks.
func (s *Store) Sweep(ctx context.Context, now time.Time, n int) (more bool, err error) {
	now = now.UTC()
	return transactFor(ctx, s, s.work, "Sweep", func(tx *transaction) (bool, error) {
		w := &sweep{tx: tx, ctx: ctx, n: n}
		w.events(now)
		w.ended("watch", "id", "ends", now.Add(-store.WatchRetention))
		w.ended("once", "name", "until", now)
		w.ended("session", "hash", "expires", now)
		w.ended("ticket", "hash", "expires", now)
		w.ended("client", "id", "expires", now)
		w.ended("code", "hash", "expires", now.Add(-codeRetention))
		for _, id := range w.ended("oauth_grant", "id", "expires", now) {
			tx.changed(store.Change{Grant: id})
		}
		for _, id := range w.ended("api_key", "id", "least(expires, revoked)",
			now.Add(-store.KeyRetention)) {
			tx.changed(store.Change{Key: id})
		}
		month := lastOver(now)
		lastDay := int64(month)*100 + 99
		w.past("quota_month", "(account, month)", "month", int64(month))
		w.past("use_day", "(account, day, surface)", "day", lastDay)
		w.past("component_day", "(component, day)", "day", lastDay)
		w.prune("change_log", "seq", "at <= clock_timestamp() - $1::interval", 2*logRetention)
		w.prune("job", "name", "until <= clock_timestamp() - $1::interval", store.SlotRetention)
		w.prune("rate_share", "subject", `not exists (
			select from unnest(until) t where t > clock_timestamp() - $1::interval)`, 0)
		return w.more, w.err
	})
}

// lastOver returns the last month that is past its retention.
func lastOver(now time.Time) store.Month {
	t := time.Date(now.Year(), now.Month()-monthRetention-2, 1, 0, 0, 0, 0, time.UTC)
	if t.Year() < 1 {
		return 0
	}
	for next := t; ; t = next { // twice at most
		next = t.AddDate(0, 1, 0)
		if !next.AddDate(0, 1+monthRetention, 0).Before(now) {
			return store.MonthOf(t)
		}
	}
}

// sweep removes rows in one transaction.
type sweep struct {
	tx   *transaction
	ctx  context.Context
	n    int  // at most so many of each kind
	more bool // there were more
	err  error
}

// ended removes the rows whose end is at now or earlier, and returns their ids as text.
func (w *sweep) ended(table, id, end string, now time.Time) []string {
	return w.remove(`with e as (select `+id+` from `+table+` where `+end+` <= $1
			order by `+end+`, `+id+` limit $2 + 1 for update)
		select `+id+`::text from e`, `delete from `+table+` where `+id+` in (
			select `+id+` from `+table+` where `+end+` <= $1 order by `+end+`, `+id+` limit $2)`,
		now)
}

// past removes the rows whose month or day is at most last.
func (w *sweep) past(table, key, column string, last int64) {
	w.remove(`select `+column+`::text from `+table+` where `+column+` <= $1 limit $2 + 1`,
		`delete from `+table+` where `+key+` in (
			select `+key[1:len(key)-1]+` from `+table+` where `+column+` <= $1
			order by `+column+`, `+key[1:len(key)-1]+` limit $2)`, last)
}

// prune removes rows that coordinate instances and are past their time, by the clock of the server.
// Those that are in use remain.
func (w *sweep) prune(table, key, past string, age time.Duration) {
	if w.err != nil {
		return
	}
	n, err := w.tx.affects(w.ctx, `delete from `+table+` where `+key+` in (
		select `+key+` from `+table+` where `+past+` limit $2 for update skip locked)`, age, w.n)
	w.more, w.err = w.more || n == int64(w.n) && n > 0, err
}

// remove removes what a statement deletes, and returns what another has selected of it.
func (w *sweep) remove(found, removed string, limit any) []string {
	if w.err != nil {
		return nil
	}
	list, err := rowsIn(w.ctx, w.tx, pgx.RowTo[string], found, limit, w.n)
	if err == nil && len(list) > 0 {
		err = w.tx.run(w.ctx, removed, limit, w.n)
	}
	if len(list) > w.n {
		w.more, list = true, list[:w.n]
	}
	w.err = err
	return list
}

// events removes events that have expired at now, and the oldest ones of those accounts that have
// more than store.MostEvents.
func (w *sweep) events(now time.Time) {
	ids, err := rowsIn(w.ctx, w.tx, pgx.RowTo[string],
		"select id from event where expires <= $1 order by expires, id limit $2", now, w.n+1)
	if err == nil {
		var surplus []string
		surplus, err = rowsIn(w.ctx, w.tx, pgx.RowTo[string], `select s.id from (
				select account, count(*) - $1 n from event where account is not null
				group by account having count(*) > $1) a
			cross join lateral (
				select id from event where account = a.account order by id limit least(a.n, $2)) s
			limit $2`, store.MostEvents, w.n+1)
		ids = append(ids, surplus...)
	}
	if w.err = err; err != nil || len(ids) == 0 {
		return
	}
	w.more = w.more || len(ids) > w.n
	ids = ids[:min(w.n, len(ids))]
	rest, err := w.tx.removeEvents(w.ctx, ids, w.n)
	w.more, w.err = w.more || rest, err
}
