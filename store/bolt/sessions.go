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
	r := newSessionRecord(session)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(r.Account)):
			return store.ErrNotFound
		case has(tx, sessions, r.Hash[:]):
			return store.ErrExists
		}
		return cmp.Or(
			trimSessions(tx, r.Account, store.MostSessions-1),
			putSession(tx, r),
		)
	})
}

// putSession stores a session and adds it to the indexes.
func putSession(tx *bbolt.Tx, r sessionRecord) error {
	hash := r.Hash[:]
	return cmp.Or(
		put(tx, sessions, hash, r),
		tx.Bucket(sessionsOfAccount).Put(owned(r.Account, hash), hash),
		tx.Bucket(sessionsByEnd).Put(byEnd(r.Expires, hash), hash),
	)
}

// sessionsIn lists the sessions of an account, the newest first.
func sessionsIn(tx *bbolt.Tx, account string) ([]store.Session, error) {
	list := []store.Session{}
	for _, hash := range ownedBy(tx, sessionsOfAccount, account) {
		r, err := follow[sessionRecord](tx, sessions, hash)
		if err != nil {
			return nil, err
		}
		list = append(list, r.under(hash))
	}
	slices.SortStableFunc(list, func(a, b store.Session) int { return b.Created.Compare(a.Created) })
	return list, nil
}

// trimSessions removes the oldest sessions of an account until at most most remain.
func trimSessions(tx *bbolt.Tx, account string, most int) error {
	list, err := sessionsIn(tx, account)
	if err != nil {
		return err
	}
	for _, r := range list[min(most, len(list)):] {
		if err := removeSession(tx, r.Hash[:]); err != nil {
			return err
		}
	}
	return nil
}

// removeSession removes a session. It returns nil if there is no such session.
func removeSession(tx *bbolt.Tx, hash []byte) error {
	r, err := get[sessionRecord](tx, sessions, hash)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err,
		tx.Bucket(sessions).Delete(hash),
		tx.Bucket(sessionsOfAccount).Delete(owned(r.Account, hash)),
		tx.Bucket(sessionsByEnd).Delete(byEnd(r.Expires, hash)),
	)
}

// removeSessions removes the sessions of an account.
func removeSessions(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, sessionsOfAccount, account), removeSession)
}

// sessionOwner is a session with its account.
type sessionOwner struct {
	session store.Session
	account store.Account
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, hash [32]byte) (store.Session, store.Account, error) {
	found, err := read(ctx, s, func(tx *bbolt.Tx) (sessionOwner, error) {
		r, err := get[sessionRecord](tx, sessions, hash[:])
		if err != nil {
			return sessionOwner{}, err
		}
		a, err := follow[store.Account](tx, accounts, []byte(r.Account))
		return sessionOwner{r.under(hash[:]), a}, err
	})
	return found.session, found.account, err
}

// SessionsOf implements store.Store.
func (s *Store) SessionsOf(ctx context.Context, account string) ([]store.Session, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Session, error) { return sessionsIn(tx, account) })
}

// TouchSession implements store.Store.
func (s *Store) TouchSession(ctx context.Context, hash [32]byte, day store.Day) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		r, err := get[sessionRecord](tx, sessions, hash[:])
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
	return s.do(ctx, func(tx *bbolt.Tx) error { return removeSession(tx, hash[:]) })
}

// RemoveSessions implements store.Store.
func (s *Store) RemoveSessions(ctx context.Context, account string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return removeSessions(tx, account) })
}
