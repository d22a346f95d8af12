package postgres

import (
	"context"

	"leadline/store"
)

// sessionOrder is the order of the sessions of an account: the newest first.
const sessionOrder = "order by created desc nulls last, hash"

// AddSession implements store.Store.
func (s *Store) AddSession(ctx context.Context, session store.Session) error {
	return s.transact(ctx, s.hot, "AddSession", func(tx *transaction) error {
		if err := tx.lock(ctx, session.Account, lockAlone); err != nil {
			return err
		}
		taken, err := tx.has(ctx, "select exists (select from session where hash = $1)",
			session.Hash[:])
		if err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		if err := tx.run(ctx, `delete from session where hash in (
				select hash from session where account = $1 `+sessionOrder+` offset $2)`,
			session.Account, store.MostSessions-1); err != nil {
			return err
		}
		return tx.run(ctx, sessionTable.insert, sessionTable.args(session)...)
	})
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, hash [32]byte) (store.Session, store.Account, error) {
	return withOwner(ctx, s, "Session", sessionTable.fields, sessionTable.list, "session",
		"hash", hash[:])
}

// SessionsOf implements store.Store.
func (s *Store) SessionsOf(ctx context.Context, account string) ([]store.Session, error) {
	return rows(ctx, s, s.hot, "SessionsOf", sessionTable.scan,
		sessionTable.read+"where account = $1 "+sessionOrder, name(account))
}

// TouchSession implements store.Store.
func (s *Store) TouchSession(ctx context.Context, hash [32]byte, day store.Day) error {
	_, err := s.exec(ctx, "TouchSession",
		"update session set seen = $2 where hash = $1 and seen <> $2", hash[:], int64(day))
	return err
}

// RemoveSession implements store.Store.
func (s *Store) RemoveSession(ctx context.Context, hash [32]byte) error {
	_, err := s.exec(ctx, "RemoveSession", "delete from session where hash = $1", hash[:])
	return err
}

// RemoveSessions implements store.Store.
func (s *Store) RemoveSessions(ctx context.Context, account string) error {
	_, err := s.exec(ctx, "RemoveSessions", "delete from session where account = $1", name(account))
	return err
}
