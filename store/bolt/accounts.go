package bolt

import (
	"cmp"
	"context"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddAccount implements store.Store.
func (s *Store) AddAccount(ctx context.Context, a store.Account) error {
	a = store.Stored(a)
	if err := accountKind.check(&a); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if accountKind.taken(tx, &a) {
			return store.ErrExists
		}
		return accountKind.put(tx, &a)
	})
}

// Account implements store.Store.
func (s *Store) Account(ctx context.Context, id string) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		return accountKind.get(tx, []byte(id))
	})
}

// AccountByEmail implements store.Store.
func (s *Store) AccountByEmail(ctx context.Context, email string) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(accountsByEmail).Get([]byte(email))
		if id == nil {
			return store.Account{}, store.ErrNotFound
		}
		return accountKind.follow(tx, id)
	})
}

// Accounts implements store.Store.
func (s *Store) Accounts(ctx context.Context, after string, n int) ([]store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Account, error) {
		list := []store.Account{}
		c := tx.Bucket(accountsByEmail).Cursor()
		email, id := c.Seek([]byte(after))
		if string(email) == after {
			email, id = c.Next()
		}
		for ; email != nil && len(list) < n; email, id = c.Next() {
			a, err := accountKind.follow(tx, id)
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
		return list, nil
	})
}

// HasAccounts implements store.Store.
func (s *Store) HasAccounts(ctx context.Context) (bool, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (bool, error) { return hasAccounts(tx), nil })
}

func hasAccounts(tx *bbolt.Tx) bool {
	first, _ := tx.Bucket(accounts).Cursor().First()
	return first != nil
}

// PlansInUse implements store.Store. It reads all accounts: plans have no index.
func (s *Store) PlansInUse(ctx context.Context) (map[string]int, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (map[string]int, error) {
		plans := map[string]int{}
		err := tx.Bucket(accounts).ForEach(func(id, _ []byte) error {
			a, err := accountKind.get(tx, id)
			plans[a.Plan]++
			return err
		})
		return plans, err
	})
}

// SetPlan implements store.Store.
func (s *Store) SetPlan(ctx context.Context, id, plan string) error {
	return s.do(ctx, func(tx *bbolt.Tx) error {
		a, err := accountKind.get(tx, []byte(id))
		if err != nil {
			return err
		}
		a.Plan = plan
		s.changed(tx, store.Change{Account: id})
		return put(tx, accounts, []byte(id), a)
	})
}

// RemoveAccount implements store.Store. ErrNotFound: there is no such account.
func (s *Store) RemoveAccount(ctx context.Context, id string) error {
	if err := s.thinAccount(ctx, id); err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		a, err := accountKind.get(tx, []byte(id))
		if err != nil {
			return err
		}
		s.changed(tx, store.Change{Account: id})
		return cmp.Or(
			s.removeKeys(tx, id),
			s.revokeAccess(tx, id),
			removeMonths(tx, id),
			removeUses(tx, id),
			s.removeEndpoints(tx, id),
			removeEvents(tx, id),
			s.removeWatches(tx, id),
			putPassword(tx, id, ""),
			accountKind.remove(tx, &a),
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
