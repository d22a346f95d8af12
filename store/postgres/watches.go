package postgres

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// AddWatch implements store.Store.
func (s *Store) AddWatch(
	ctx context.Context, w store.Watch, most int, list ...store.Event,
) error {
	if err := checkNames(w.ID, w.Account, w.Station); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddWatch", func(tx *transaction) error {
		if err := tx.lock(ctx, w.Account, lockAlone); err != nil {
			return err
		}
		var taken bool
		var n int
		if err := tx.scan(ctx, []any{&taken, &n}, `select exists (select from watch where id = $1),
				(select count(*) from watch where account = $2 and state <> 'ended')`, w.ID, w.Account,
		); err != nil {
			return err
		}
		switch {
		case taken:
			return store.ErrExists
		case n >= most:
			return store.ErrTooMany
		}
		if _, err := tx.post(ctx, list); err != nil {
			return err
		}
		w.Version = 1
		return tx.run(ctx, watchTable.insert, watchTable.args(w)...)
	})
}

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context, id string) (store.Watch, error) {
	return row(ctx, s, "Watch", watchTable.scan, watchTable.read+"where id = $1", name(id))
}

// WatchesOf implements store.Store.
func (s *Store) WatchesOf(ctx context.Context, account string) ([]store.Watch, error) {
	return rows(ctx, s, s.hot, "WatchesOf", watchTable.scan,
		watchTable.read+"where account = $1 order by created nulls first, id", name(account))
}

// ClaimWatches implements store.Store. The accounts take their turns per instance. Watches that
// another instance claims meanwhile are left to it.
func (s *Store) ClaimWatches(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Watch, error) {
	return transactFor(ctx, s, s.work, "ClaimWatches", func(
		tx *transaction,
	) ([]store.Watch, error) {
		out := []store.Watch{}
		if n <= 0 {
			return out, nil
		}
		due, err := rowsIn(ctx, tx, func(r pgx.CollectableRow) (
			d store.DueWatch, err error,
		) {
			return d, r.Scan(when{&d.At}, &d.Station, &d.ID, &d.Account)
		}, "select w.at, w.station, w.id, w.account from watch w where "+claimable, now.UTC())
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, d := range s.turns.Choose(due, n) {
			ids = append(ids, d.ID)
		}
		list, err := rowsIn(ctx, tx, watchTable.scan, `with c as (
				select id from watch w where id = any($2) and `+claimable+`
				order by id for no key update skip locked)
			update watch set owner = $3, owned_until = $4 from c where watch.id = c.id
			returning `+watchTable.list, now.UTC(), ids, plain(owner), exact(until))
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b store.Watch) int {
			return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
		})
		return list, nil
	})
}

// claimable is true if a watch is due at $1 and not claimed.
const claimable = `w.state <> 'ended' and (w.due is null or w.due <= $1)
	and (w.owned_until is null or w.owned_until <= $1)`

// SaveWatch implements store.Store.
func (s *Store) SaveWatch(ctx context.Context, w store.Watch, list ...store.Event) error {
	if err := checkNames(w.ID, w.Account, w.Station); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "SaveWatch", func(tx *transaction) error {
		account, err := rowIn(ctx, tx, pgx.RowTo[string], "select account from watch where id = $1",
			w.ID)
		if err == nil {
			err = tx.lock(ctx, account, lockShared)
		}
		if err == store.ErrNotFound {
			return store.ErrConflict
		}
		if err != nil {
			return err
		}
		saved := w
		saved.Version++
		n, err := tx.affects(ctx, saveWatch, append(savedWatch.args(saved), int64(w.Version))...)
		if err == nil && n == 0 {
			err = store.ErrConflict
		}
		if err == nil {
			_, err = tx.post(ctx, list)
		}
		return err
	})
}

// savedWatch has the columns that SaveWatch sets. The parameter after them is the version before.
var savedWatch = watchTable.without("account", "created")

var saveWatch = "update watch set " + savedWatch.set() + `, owner = null, owned_until = null
	where id = $1 and version = $` + strconv.Itoa(len(savedWatch.columns)+1)

// RemoveWatch implements store.Store.
func (s *Store) RemoveWatch(ctx context.Context, id string) error {
	_, err := s.exec(ctx, "RemoveWatch", "delete from watch where id = $1", name(id))
	return err
}
