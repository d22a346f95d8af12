package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// Key implements store.Store.
func (s *Store) Key(ctx context.Context, id string) (store.Key, error) {
	return row(ctx, s, "Key", keyTable.scan, keyTable.read+"where id = $1", name(id))
}

// KeyByHash implements store.Store.
func (s *Store) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	return withOwner(ctx, s, "KeyByHash", keyTable.fields, keyTable.list, "api_key", "hash", hash[:])
}

// KeysOf implements store.Store.
func (s *Store) KeysOf(ctx context.Context, account string) ([]store.Key, error) {
	return rows(ctx, s, s.hot, "KeysOf", keyTable.scan,
		keyTable.read+"where account = $1 order by created nulls first, id", name(account))
}

// AddKey implements store.Store.
func (s *Store) AddKey(ctx context.Context, k store.Key) error {
	if err := store.CheckName(k.ID); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddKey", func(tx *transaction) error {
		if err := tx.lock(ctx, k.Account, lockAlone); err != nil {
			return err
		}
		return tx.addKey(ctx, k, "")
	})
}

// addKey stores a key of an account that is locked, or refuses it. ended is the id of a key that
// does not count as active, "" for none.
func (tx *transaction) addKey(ctx context.Context, k store.Key, ended string) error {
	taken, err := tx.has(ctx, "select exists (select from api_key where id = $1 or hash = $2)",
		k.ID, k.Hash[:])
	if err != nil {
		return err
	}
	if taken {
		return store.ErrExists
	}
	var active, all int
	if err := tx.scan(ctx, []any{&active, &all}, `select count(*) filter (where revoked is null
			and (expires is null or expires > $2) and id <> $3), count(*)
		from api_key where account = $1`, k.Account, instant(k.Created), ended,
	); err != nil {
		return err
	}
	if active >= store.MostKeys {
		return store.ErrTooMany
	}
	if surplus := all + 1 - store.MostKeyRows; surplus > 0 {
		if err := tx.removeKeys(ctx, `id in (select id from api_key where account = $1
				and (revoked is not null or expires <= $2)
			order by created nulls first, id limit $3)`, k.Account, instant(k.Created), surplus,
		); err != nil {
			return err
		}
	}
	return tx.run(ctx, keyTable.insert, keyTable.args(k)...)
}

// removeKeys removes the keys that satisfy a condition.
func (tx *transaction) removeKeys(ctx context.Context, where string, args ...any) error {
	ids, err := rowsIn(ctx, tx, pgx.RowTo[string],
		"delete from api_key where "+where+" returning id", args...)
	slices.Sort(ids)
	for _, id := range ids {
		tx.changed(store.Change{Key: id})
	}
	return err
}

// AddAccountKey implements store.Store.
func (s *Store) AddAccountKey(
	ctx context.Context, a store.Account, move bool, k store.Key,
) (store.Account, error) {
	if err := checkNames(a.ID, a.Email, k.ID); err != nil {
		return store.Account{}, err
	}
	return transactFor(ctx, s, s.hot, "AddAccountKey", func(
		tx *transaction,
	) (before store.Account, err error) {
		added, err := tx.affects(ctx, accountTable.insert+" on conflict (email) do nothing",
			accountTable.args(a)...)
		if err != nil {
			return before, err
		}
		if added > 0 {
			k.Account = a.ID
			return before, tx.addKey(ctx, k, "")
		}
		before, err = rowIn(ctx, tx, accountTable.scan, accountByEmail+" "+lockAlone, a.Email)
		if err != nil {
			return before, err
		}
		k.Account = before.ID
		if err := tx.addKey(ctx, k, ""); err != nil || !move || before.Plan == a.Plan {
			return before, err
		}
		return before, tx.setPlan(ctx, before.ID, a.Plan)
	})
}

// RevokeKey implements store.Store.
func (s *Store) RevokeKey(ctx context.Context, id string, now time.Time) error {
	return s.transact(ctx, s.hot, "RevokeKey", func(tx *transaction) error {
		k, err := rowIn(ctx, tx, keyTable.scan, lockKey, name(id))
		if err != nil || !k.Revoked.IsZero() {
			return err
		}
		tx.changed(store.Change{Key: id})
		return tx.run(ctx, "update api_key set revoked = $2 where id = $1", id, at(now))
	})
}

var lockKey = keyTable.read + "where id = $1 for no key update"

// ReplaceKey implements store.Store.
func (s *Store) ReplaceKey(
	ctx context.Context, old string, expires time.Time, next store.Key,
) error {
	if err := store.CheckName(next.ID); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "ReplaceKey", func(tx *transaction) error {
		known := tx.lock(ctx, next.Account, lockAlone)
		if known != nil && known != store.ErrNotFound {
			return known
		}
		k, err := rowIn(ctx, tx, keyTable.scan, lockKey, name(old))
		if err != nil {
			return err
		}
		replaced, err := tx.has(ctx,
			"select exists (select from api_key where account = $1 and replaces = $2)", k.Account, k.ID)
		switch {
		case err != nil:
			return err
		case replaced || !k.Revoked.IsZero():
			return store.ErrConflict
		case known != nil:
			return known
		}
		k.Expires = store.Earlier(k.Expires, store.Second(expires))
		ended := ""
		if !k.Expires.IsZero() && !k.Expires.After(store.Second(next.Created)) {
			ended = k.ID
		}
		if err := tx.addKey(ctx, next, ended); err != nil {
			return err
		}
		tx.changed(store.Change{Key: k.ID})
		return tx.run(ctx, "update api_key set expires = $2 where id = $1", k.ID, at(k.Expires))
	})
}

// TouchKeys implements store.Store.
func (s *Store) TouchKeys(ctx context.Context, list []store.Touch) error {
	last := map[string]store.Touch{}
	for _, t := range list {
		last[name(t.Key)] = t
	}
	var ids, addresses []string
	var days []*time.Time
	for id, t := range last {
		ids, days = append(ids, id), append(days, at(t.Day))
		addresses = append(addresses, plain(t.Address))
	}
	_, err := s.exec(ctx, "TouchKeys", `with t as (
			select k.id, t.day, t.address
			from unnest($1::text[], $2::timestamptz[], $3::text[]) t(id, day, address)
			join api_key k on k.id = t.id
			where k.last_used is distinct from t.day or k.last_address <> t.address
			order by k.id for no key update of k)
		update api_key k set last_used = t.day, last_address = t.address from t where k.id = t.id`,
		ids, days, addresses)
	return err
}

// instant returns a time to compare with stored ones, also the zero time.
func instant(t time.Time) time.Time { return store.Second(t) }
