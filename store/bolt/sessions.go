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
	text, err := encode(r)
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(r.Account)):
			return store.ErrNotFound
		case has(tx, sessions, r.Hash[:]):
			return store.ErrExists
		}
		return cmp.Or(
			trimSessions(tx, r.Account, store.MostSessions-1),
			tx.Bucket(sessions).Put(r.Hash[:], text),
			tx.Bucket(sessionsOfAccount).Put(owned(r.Account, r.Hash[:]), r.Hash[:]),
			tx.Bucket(sessionsByEnd).Put(byEnd(r.Expires, r.Hash[:]), r.Hash[:]),
		)
	})
}

// trimSessions removes the oldest sessions of an account until at most most remain.
func trimSessions(tx *bbolt.Tx, account string, most int) error {
	hashes := ownedBy(tx, sessionsOfAccount, account)
	if len(hashes) <= most {
		return nil
	}
	list := make([]store.Session, len(hashes))
	for i, hash := range hashes {
		r, err := follow[sessionRecord](tx, sessions, hash)
		if err != nil {
			return err
		}
		list[i] = r.under(hash)
	}
	slices.SortStableFunc(list, func(a, b store.Session) int { return a.Created.Compare(b.Created) })
	for _, r := range list[:len(list)-most] {
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

// RemoveSession implements store.Store.
func (s *Store) RemoveSession(ctx context.Context, hash [32]byte) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return removeSession(tx, hash[:]) })
}

// RemoveSessions implements store.Store.
func (s *Store) RemoveSessions(ctx context.Context, account string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error { return removeSessions(tx, account) })
}
