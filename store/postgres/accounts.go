package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// AddAccount implements store.Store.
func (s *Store) AddAccount(ctx context.Context, a store.Account) error {
	if err := checkNames(a.ID, a.Email); err != nil {
		return err
	}
	_, err := s.exec(ctx, "AddAccount", accountTable.insert, accountTable.args(a)...)
	return err
}

// Account implements store.Store.
func (s *Store) Account(ctx context.Context, id string) (store.Account, error) {
	return row(ctx, s, "Account", accountTable.scan, accountTable.read+"where id = $1", name(id))
}

// AccountByEmail implements store.Store.
func (s *Store) AccountByEmail(ctx context.Context, email string) (store.Account, error) {
	return row(ctx, s, "AccountByEmail", accountTable.scan, accountByEmail, name(email))
}

var accountByEmail = accountTable.read + "where email = $1"

// Accounts implements store.Store.
func (s *Store) Accounts(ctx context.Context, after string, n int) ([]store.Account, error) {
	return rows(ctx, s, s.work, "Accounts", accountTable.scan,
		accountTable.read+"where email > $1 order by email limit $2",
		plain(after), n)
}

// HasAccounts implements store.Store.
func (s *Store) HasAccounts(ctx context.Context) (bool, error) {
	return row(ctx, s, "HasAccounts", pgx.RowTo[bool], hasAccounts)
}

const hasAccounts = "select exists (select from account)"

// PlansInUse implements store.Store.
func (s *Store) PlansInUse(ctx context.Context) (map[string]int, error) {
	return counts(ctx, s, "PlansInUse", "select plan, count(*) from account group by plan")
}

// counts returns the numbers by the names that a statement selects.
func counts(ctx context.Context, s *Store, call, sql string) (map[string]int, error) {
	type count struct {
		name string
		n    int
	}
	list, err := rows(ctx, s, s.work, call, func(r pgx.CollectableRow) (c count, err error) {
		return c, r.Scan(&c.name, &c.n)
	}, sql)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, c := range list {
		out[c.name] = c.n
	}
	return out, nil
}

// SetPlan implements store.Store.
func (s *Store) SetPlan(ctx context.Context, id, plan string) error {
	return s.transact(ctx, s.hot, "SetPlan", func(tx *transaction) error {
		return tx.setPlan(ctx, name(id), plan)
	})
}

func (tx *transaction) setPlan(ctx context.Context, id, plan string) error {
	n, err := tx.affects(ctx, "update account set plan = $2 where id = $1", id, plain(plan))
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	tx.changed(store.Change{Account: id})
	return err
}

// The locks of an account. Each of them prevents that the account is removed.
const (
	lockShared = "for key share"     // others may add to the account too
	lockAlone  = "for no key update" // nobody else with this lock
	lockRemove = "for update"
)

// lock locks an account, before any row that refers to it. ErrNotFound: there is no such account.
func (tx *transaction) lock(ctx context.Context, account, how string) error {
	_, err := rowIn(ctx, tx, pgx.RowTo[string],
		"select id from account where id = $1 "+how, name(account))
	return err
}

// RemoveAccount implements store.Store. Most deliveries and events are removed before, in
// transactions of their own.
func (s *Store) RemoveAccount(ctx context.Context, id string) error {
	id = name(id)
	if err := s.thinAccount(ctx, id); err != nil {
		return err
	}
	return s.transact(ctx, s.work, "RemoveAccount", func(tx *transaction) error {
		if err := tx.lock(ctx, id, lockRemove); err != nil {
			return err
		}
		// The endpoints first: see the order of locks.
		if err := errors.Join(
			tx.run(ctx, "select from endpoint where account = $1 order by id for update", id),
			tx.run(ctx, `delete from delivery
				where endpoint in (select id from endpoint where account = $1)`, id),
			tx.run(ctx, "delete from event where account = $1", id),
		); err != nil {
			return err
		}
		if err := tx.removeKeys(ctx, "account = $1", id); err != nil {
			return err
		}
		if err := tx.removeGrants(ctx, "account = $1", id); err != nil {
			return err
		}
		tx.changed(store.Change{Account: id})
		return tx.run(ctx, "delete from account where id = $1", id)
	})
}

// revokeAccess removes the sessions, identities, codes and grants of an account, but not its
// password and its keys.
func (tx *transaction) revokeAccess(ctx context.Context, account string) error {
	for _, table := range []string{"session", "identity", "code"} {
		if err := tx.run(ctx, "delete from "+table+" where account = $1", account); err != nil {
			return err
		}
	}
	return tx.removeGrants(ctx, "account = $1", account)
}
