package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// AddTicket implements store.Store.
func (s *Store) AddTicket(ctx context.Context, t store.Ticket) error {
	_, err := s.exec(ctx, "AddTicket", ticketTable.insert, ticketTable.args(t)...)
	return err
}

// Ticket implements store.Store.
func (s *Store) Ticket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return row(ctx, s, "Ticket", ticketTable.scan, ticketTable.read+"where hash = $1", hash[:])
}

// TakeTicket implements store.Store.
func (s *Store) TakeTicket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return row(ctx, s, "TakeTicket", ticketTable.scan,
		"delete from ticket where hash = $1 returning "+ticketTable.list, hash[:])
}

// useUp removes the ticket that a call needs, if any. ErrNotFound: there is no such ticket.
func (tx *transaction) useUp(ctx context.Context, ticket *[32]byte) error {
	if ticket == nil {
		return nil
	}
	n, err := tx.affects(ctx, "delete from ticket where hash = $1", ticket[:])
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// Join implements store.Store. With First it locks the table: no other account appears meanwhile.
func (s *Store) Join(ctx context.Context, j store.Joining) error {
	if err := checkNames(j.Account.ID, j.Account.Email); err != nil {
		return err
	}
	if i := j.Identity; i != nil {
		if err := checkNames(i.Issuer, i.Subject); err != nil {
			return err
		}
	}
	return s.transact(ctx, s.hot, "Join", func(tx *transaction) error {
		if err := tx.useUp(ctx, j.Ticket); err != nil {
			return err
		}
		if j.First {
			if err := tx.first(ctx); err != nil {
				return err
			}
		}
		if err := tx.run(ctx, accountTable.insert, accountTable.args(j.Account)...); err != nil {
			return err
		}
		if err := tx.setPassword(ctx, j.Account.ID, j.Password); err != nil || j.Identity == nil {
			return err
		}
		identity := *j.Identity
		identity.Account = j.Account.ID
		return tx.run(ctx, identityTable.insert, identityTable.args(identity)...)
	})
}

// first returns ErrNotFound if there is an account. Otherwise there will be none until the end of
// the transaction, except its own.
func (tx *transaction) first(ctx context.Context) error {
	some, err := tx.has(ctx, hasAccounts)
	if err == nil && !some {
		if err = tx.run(ctx, "lock table account in share row exclusive mode"); err == nil {
			some, err = tx.has(ctx, hasAccounts)
		}
	}
	if err == nil && some {
		err = store.ErrNotFound
	}
	return err
}

// SetPassword implements store.Store.
func (s *Store) SetPassword(ctx context.Context, account, kept string, ticket *[32]byte) error {
	return s.transact(ctx, s.hot, "SetPassword", func(tx *transaction) error {
		if err := tx.lock(ctx, account, lockAlone); err != nil {
			return err
		}
		if err := tx.useUp(ctx, ticket); err != nil {
			return err
		}
		if err := tx.setPassword(ctx, account, kept); err != nil {
			return err
		}
		return tx.revokeAccess(ctx, account)
	})
}

// setPassword stores the encoded hash of a password, or removes it if it is "".
func (tx *transaction) setPassword(ctx context.Context, account, kept string) error {
	if kept == "" {
		return tx.run(ctx, "delete from password where account = $1", account)
	}
	return tx.run(ctx, `insert into password (account, kept) values ($1, $2)
		on conflict (account) do update set kept = excluded.kept`, account, plain(kept))
}

// Password implements store.Store.
func (s *Store) Password(ctx context.Context, account string) (string, error) {
	return row(ctx, s, "Password", pgx.RowTo[string],
		"select kept from password where account = $1", name(account))
}

// AddIdentity implements store.Store.
func (s *Store) AddIdentity(ctx context.Context, i store.Identity) error {
	if err := checkNames(i.Issuer, i.Subject); err != nil {
		return err
	}
	return s.transact(ctx, s.hot, "AddIdentity", func(tx *transaction) error {
		if err := tx.lock(ctx, i.Account, lockShared); err != nil {
			return err
		}
		return tx.run(ctx, identityTable.insert, identityTable.args(i)...)
	})
}

// AccountByIdentity implements store.Store.
func (s *Store) AccountByIdentity(
	ctx context.Context, issuer, subject string,
) (store.Account, error) {
	return row(ctx, s, "AccountByIdentity", accountTable.scan, "select "+accountTable.list+`
		from identity i join account on account.id = i.account where i.issuer = $1 and i.subject = $2`,
		name(issuer), name(subject))
}

// IdentitiesOf implements store.Store.
func (s *Store) IdentitiesOf(ctx context.Context, account string) ([]store.Identity, error) {
	return rows(ctx, s, s.hot, "IdentitiesOf", identityTable.scan,
		identityTable.read+"where account = $1 order by issuer, subject", name(account))
}

// RemoveIdentity implements store.Store.
func (s *Store) RemoveIdentity(ctx context.Context, i store.Identity) error {
	return s.transact(ctx, s.hot, "RemoveIdentity", func(tx *transaction) error {
		if err := tx.lock(ctx, i.Account, lockAlone); err != nil {
			return err
		}
		n, err := tx.affects(ctx,
			"delete from identity where issuer = $1 and subject = $2 and account = $3",
			name(i.Issuer), name(i.Subject), i.Account)
		if err != nil {
			return err
		}
		if n == 0 {
			return store.ErrNotFound
		}
		other, err := tx.has(ctx, `select exists (select from password where account = $1)
			or exists (select from identity where account = $1)`, i.Account)
		if err == nil && !other {
			err = store.ErrConflict
		}
		return err
	})
}
