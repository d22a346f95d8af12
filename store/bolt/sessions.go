package bolt

import (
	"cmp"
	"context"
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddSession implements store.Store.
func (s *Store) AddSession(ctx context.Context, session store.Session) error {
	session = store.Stored(session)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(session.Account)):
			return store.ErrNotFound
		case sessionKind.taken(tx, &session):
			return store.ErrExists
		}
		return cmp.Or(
			trimSessions(tx, session.Account, store.MostSessions-1),
			sessionKind.put(tx, &session),
		)
	})
}

// sessionsIn lists the sessions of an account, the newest first.
func sessionsIn(tx *bbolt.Tx, account string) ([]store.Session, error) {
	list, err := sessionKind.list(tx, ownedBy(tx, sessionsOfAccount, account))
	slices.SortStableFunc(list, func(a, b store.Session) int { return b.Created.Compare(a.Created) })
	return list, err
}

// trimSessions removes the oldest sessions of an account until at most most remain.
func trimSessions(tx *bbolt.Tx, account string, most int) error {
	list, err := sessionsIn(tx, account)
	if err != nil {
		return err
	}
	for _, r := range list[min(most, len(list)):] {
		if err := sessionKind.remove(tx, &r); err != nil {
			return err
		}
	}
	return nil
}

// removeSessions removes the sessions of an account.
func removeSessions(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, sessionsOfAccount, account), sessionKind.removeIfAny)
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, hash [32]byte) (store.Session, store.Account, error) {
	return sessionKind.withOwner(ctx, s, hash[:])
}

// SessionsOf implements store.Store.
func (s *Store) SessionsOf(ctx context.Context, account string) ([]store.Session, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Session, error) { return sessionsIn(tx, account) })
}

// TouchSession implements store.Store.
func (s *Store) TouchSession(ctx context.Context, hash [32]byte, day store.Day) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		r, err := sessionKind.get(tx, hash[:])
		if err == store.ErrNotFound {
			return nil
		}
		if err != nil || r.Seen == day {
			return err
		}
		r.Seen = day
		return put(tx, sessions, hash[:], r)
	})
}

// RemoveSession implements store.Store.
func (s *Store) RemoveSession(ctx context.Context, hash [32]byte) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return sessionKind.removeIfAny(tx, hash[:]) })
}

// RemoveSessions implements store.Store.
func (s *Store) RemoveSessions(ctx context.Context, account string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return removeSessions(tx, account) })
}
