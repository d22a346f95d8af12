package bolt

import (
	"cmp"
	"context"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddAccount implements store.Store.
func (s *Store) AddAccount(ctx context.Context, a store.Account) error {
	n, err := asNewAccount(a)
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if n.taken(tx) {
			return store.ErrExists
		}
		return n.put(tx)
	})
}

// Account implements store.Store.
func (s *Store) Account(ctx context.Context, id string) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		return get[store.Account](tx, accounts, []byte(id))
	})
}

// AccountByEmail implements store.Store.
func (s *Store) AccountByEmail(ctx context.Context, email string) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(accountsByEmail).Get([]byte(email))
		if id == nil {
			return store.Account{}, store.ErrNotFound
		}
		return follow[store.Account](tx, accounts, id)
	})
}

// Accounts implements store.Store.
func (s *Store) Accounts(ctx context.Context) ([]store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Account, error) {
		list := []store.Account{}
		err := tx.Bucket(accountsByEmail).ForEach(func(_, id []byte) error {
			a, err := follow[store.Account](tx, accounts, id)
			list = append(list, a)
			return err
		})
		return list, err
	})
}

// SetPlan implements store.Store.
func (s *Store) SetPlan(ctx context.Context, id, plan string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		a, err := get[store.Account](tx, accounts, []byte(id))
		if err != nil {
			return err
		}
		a.Plan = plan
		tx.OnCommit(s.changed)
		return put(tx, accounts, []byte(id), a)
	})
}

// RemoveAccount implements store.Store. ErrNotFound: there is no such account.
func (s *Store) RemoveAccount(ctx context.Context, id string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		a, err := get[store.Account](tx, accounts, []byte(id))
		if err != nil {
			return err
		}
		tx.OnCommit(s.changed)
		return cmp.Or(
			removeKeys(tx, id),
			s.revokeAccess(tx, id),
			removeMonths(tx, id),
			putPassword(tx, id, ""),
			tx.Bucket(accountsByEmail).Delete([]byte(a.Email)),
			tx.Bucket(accounts).Delete([]byte(id)),
		)
	})
}

// revokeAccess removes the sessions, identities, codes and grants of an account, but not its
// password and its keys.
func (s *Store) revokeAccess(tx *bbolt.Tx, account string) error {
	return cmp.Or(
		removeSessions(tx, account),
		removeIdentities(tx, account),
		removeCodes(tx, account),
		s.removeGrants(tx, account),
	)
}
