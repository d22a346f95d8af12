package bolt

import (
	"bytes"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddWatch implements store.Store.
func (s *Store) AddWatch(
	ctx context.Context, w store.Watch, most int, list ...store.Event,
) error {
	w = store.Stored(w)
	if err := watchKind.check(&w); err != nil {
		return err
	}
	w.Version = 1
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(w.Account)):
			return store.ErrNotFound
		case has(tx, watches, []byte(w.ID)):
			return store.ErrExists
		case running(tx, w.Account) >= most:
			return store.ErrTooMany
		}
		if _, err := s.post(tx, list); err != nil {
			return err
		}
		return watchKind.put(tx, &w)
	})
}

// running returns the number of watches of an account that have not ended.
func running(tx *bbolt.Tx, account string) (n int) {
	prefix := owned(account)
	c := tx.Bucket(watchesOfAccount).Cursor()
	for k, state := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, state = c.Next() {
		if string(state) != store.WatchEnded {
			n++
		}
	}
	return n
}

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context, id string) (store.Watch, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Watch, error) {
		return watchKind.get(tx, []byte(id))
	})
}

// WatchesOf implements store.Store.
func (s *Store) WatchesOf(ctx context.Context, account string) ([]store.Watch, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Watch, error) {
		return watchKind.list(tx, idsOf(tx, watchesOfAccount, account))
	})
}

// ClaimWatches implements store.Store.
func (s *Store) ClaimWatches(
	ctx context.Context, owner string, now, until time.Time, n int,
) ([]store.Watch, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Watch, error) {
		list := []store.Watch{}
		if n <= 0 {
			return list, nil
		}
		due, err := s.dueWatches(tx, now)
		if err != nil {
			return nil, err
		}
		for _, d := range s.watchTurns.Choose(due, n) {
			if !s.watchClaims.take(d.ID, owner, now, until) {
				continue
			}
			w, err := watchKind.follow(tx, []byte(d.ID))
			if err != nil {
				return nil, err
			}
			list = append(list, w)
		}
		return list, nil
	})
}

// dueWatches returns the watches that are due at now and not claimed, from their entries in the
// bucket watchesByDue.
func (s *Store) dueWatches(tx *bbolt.Tx, now time.Time) ([]store.DueWatch, error) {
	var list []store.DueWatch
	end := stampAfter(now)
	c := tx.Bucket(watchesByDue).Cursor()
	for k, v := c.First(); k != nil && bytes.Compare(k, end) < 0; k, v = c.Next() {
		station, id, ok := bytes.Cut(rest(k, 16), []byte{0})
		if !ok {
			return nil, damaged("%s has %q", watchesByDue, k)
		}
		if s.watchClaims.free(string(id), now) {
			list = append(list, store.DueWatch{
				At: timeOf(k[8:16]), Station: string(station), ID: string(id), Account: string(v),
			})
		}
	}
	return list, nil
}

// SaveWatch implements store.Store.
func (s *Store) SaveWatch(ctx context.Context, w store.Watch, list ...store.Event) error {
	w = store.Stored(w)
	if err := watchKind.check(&w); err != nil {
		return err
	}
	list = copied(list)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		before, err := watchKind.get(tx, []byte(w.ID))
		if err == store.ErrNotFound || err == nil && before.Version != w.Version {
			s.watchClaims.drop(w.ID) // it was claimed by an old version of the row
			return store.ErrConflict
		}
		if err != nil {
			return err
		}
		if _, err := s.post(tx, list); err != nil {
			return err
		}
		saved := w
		saved.Account, saved.Created = before.Account, before.Created
		saved.Version++
		tx.OnCommit(func() { s.watchClaims.drop(w.ID) })
		return watchKind.replace(tx, &before, &saved)
	})
}

// RemoveWatch implements store.Store.
func (s *Store) RemoveWatch(ctx context.Context, id string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return s.removeWatch(tx, []byte(id)) })
}

// removeWatch removes a watch. It returns nil if there is no such watch.
func (s *Store) removeWatch(tx *bbolt.Tx, id []byte) error {
	w, err := watchKind.get(tx, id)
	if err == store.ErrNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	tx.OnCommit(func() { s.watchClaims.drop(w.ID) })
	return watchKind.remove(tx, &w)
}

// removeWatches removes the watches of an account.
func (s *Store) removeWatches(tx *bbolt.Tx, account string) error {
	return each(tx, idsOf(tx, watchesOfAccount, account), s.removeWatch)
}
