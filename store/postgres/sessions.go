package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

const sessionColumns = "s.hash, s.account, s.created, s.expires, s.agent, s.seen"

func sessionFields(s *store.Session) []any {
	return []any{
		digest{&s.Hash}, &s.Account, when{&s.Created}, when{&s.Expires}, &s.Agent, &s.Seen,
	}
}

func scanSession(r pgx.CollectableRow) (s store.Session, err error) {
	return s, r.Scan(sessionFields(&s)...)
}

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
		return tx.run(ctx, insertSession, sessionArgs(session)...)
	})
}

const insertSession = `insert into session (hash, account, created, expires, agent, seen)
	values ($1, $2, $3, $4, $5, $6)`

func sessionArgs(s store.Session) []any {
	return []any{
		s.Hash[:], name(s.Account), at(s.Created), at(s.Expires), plain(s.Agent), int64(s.Seen),
	}
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, hash [32]byte) (store.Session, store.Account, error) {
	found, err := row(ctx, s, "Session", scanOwned(sessionFields), "select "+sessionColumns+", "+
		accountColumns+" from session s join account a on a.id = s.account where s.hash = $1", hash[:])
	return found.record, found.account, err
}

// SessionsOf implements store.Store.
func (s *Store) SessionsOf(ctx context.Context, account string) ([]store.Session, error) {
	return rows(ctx, s, s.hot, "SessionsOf", scanSession,
		"select "+sessionColumns+" from session s where account = $1 "+sessionOrder, name(account))
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
