package bolt

import (
	"bytes"
	"cmp"
	"context"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddTicket is the contract's.
func (s *Store) AddTicket(ctx context.Context, t store.Ticket) error {
	t.Expires = second(t.Expires)
	text, err := encode(ticketRecord(t))
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if has(tx, tickets, t.Hash[:]) {
			return store.ErrExists
		}
		return cmp.Or(
			tx.Bucket(tickets).Put(t.Hash[:], text),
			tx.Bucket(ticketsByEnd).Put(byEnd(t.Expires, t.Hash[:]), t.Hash[:]),
		)
	})
}

// Ticket is the contract's.
func (s *Store) Ticket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Ticket, error) {
		r, err := get[ticketRecord](tx, tickets, hash[:])
		if err != nil {
			return store.Ticket{}, err
		}
		return r.under(hash[:]), nil
	})
}

// TakeTicket is the contract's.
func (s *Store) TakeTicket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return change(ctx, s, func(tx *bbolt.Tx) (store.Ticket, error) {
		r, err := get[ticketRecord](tx, tickets, hash[:])
		return r.under(hash[:]), cmp.Or(err, removeTicket(tx, hash[:]))
	})
}

// removeTicket removes a ticket. One that is gone is no error.
func removeTicket(tx *bbolt.Tx, hash []byte) error {
	r, err := get[ticketRecord](tx, tickets, hash)
	if err == store.ErrNotFound {
		return nil
	}
	return cmp.Or(err,
		tx.Bucket(tickets).Delete(hash),
		tx.Bucket(ticketsByEnd).Delete(byEnd(r.Expires, hash)),
	)
}

// spending is a ticket that a change costs, nil where it is free: the hash, in
// memory that the caller has no part of.
type spending []byte

func spend(ticket *[32]byte) spending {
	if ticket == nil {
		return nil
	}
	return bytes.Clone(ticket[:])
}

// possible tells whether the ticket is there.
func (p spending) possible(tx *bbolt.Tx) bool { return p == nil || has(tx, tickets, p) }

// newIdentity is where an identity is to stand, nil where there is none.
type newIdentity []byte

func asNewIdentity(i *store.Identity) (newIdentity, error) {
	if i == nil {
		return nil, nil
	}
	if err := fit(i.Issuer, i.Subject); err != nil {
		return nil, unavailable(err)
	}
	return identityKey(i.Issuer, i.Subject), nil
}

func identityKey(issuer, subject string) []byte { return []byte(issuer + "\x00" + subject) }

// taken tells whether an account has it.
func (n newIdentity) taken(tx *bbolt.Tx) bool { return n != nil && has(tx, identities, n) }

// put makes it an account's.
func (n newIdentity) put(tx *bbolt.Tx, account string) error {
	if n == nil {
		return nil
	}
	return cmp.Or(
		tx.Bucket(identities).Put(n, []byte(account)),
		tx.Bucket(identitiesOfAccount).Put(owned(account, n), n),
	)
}

// removeIdentities removes the identities of an account.
func removeIdentities(tx *bbolt.Tx, account string) error {
	return each(tx, ownedBy(tx, identitiesOfAccount, account), func(tx *bbolt.Tx, identity []byte) error {
		return cmp.Or(
			tx.Bucket(identities).Delete(identity),
			tx.Bucket(identitiesOfAccount).Delete(owned(account, identity)),
		)
	})
}

// Join is the contract's.
func (s *Store) Join(ctx context.Context, j store.Joining) error {
	account, err := asNewAccount(j.Account)
	if err != nil {
		return err
	}
	identity, err := asNewIdentity(j.Identity)
	if err != nil {
		return err
	}
	ticket, first := spend(j.Ticket), j.First
	return s.do(ctx, func(tx *bbolt.Tx) error {
		anybody, _ := tx.Bucket(accounts).Cursor().First()
		switch {
		case !ticket.possible(tx) || first && anybody != nil:
			return store.ErrNotFound
		case account.taken(tx) || identity.taken(tx):
			return store.ErrExists
		}
		return cmp.Or(
			account.put(tx),
			putPassword(tx, j.Account.ID, j.Password),
			identity.put(tx, j.Account.ID),
			removeTicket(tx, ticket),
		)
	})
}

// SetPassword is the contract's.
func (s *Store) SetPassword(ctx context.Context, account, kept string, ticket *[32]byte) error {
	spent := spend(ticket)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if !has(tx, accounts, []byte(account)) || !spent.possible(tx) {
			return store.ErrNotFound
		}
		return cmp.Or(putPassword(tx, account, kept), s.shutOut(tx, account), removeTicket(tx, spent))
	})
}

// putPassword stores what is kept of a password, or removes it for "".
func putPassword(tx *bbolt.Tx, account, kept string) error {
	if kept == "" {
		return tx.Bucket(passwords).Delete([]byte(account))
	}
	return tx.Bucket(passwords).Put([]byte(account), []byte(kept))
}

// Password is the contract's.
func (s *Store) Password(ctx context.Context, account string) (string, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (string, error) {
		kept := tx.Bucket(passwords).Get([]byte(account))
		if kept == nil {
			return "", store.ErrNotFound
		}
		return string(kept), nil
	})
}

// AddIdentity is the contract's.
func (s *Store) AddIdentity(ctx context.Context, i store.Identity) error {
	n, err := asNewIdentity(&i)
	if err != nil {
		return err
	}
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, accounts, []byte(i.Account)):
			return store.ErrNotFound
		case n.taken(tx) || len(ownedBy(tx, identitiesOfAccount, i.Account+"\x00"+i.Issuer)) > 0:
			return store.ErrExists
		}
		return n.put(tx, i.Account)
	})
}

// AccountByIdentity is the contract's.
func (s *Store) AccountByIdentity(ctx context.Context, issuer, subject string) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(identities).Get(identityKey(issuer, subject))
		if id == nil {
			return store.Account{}, store.ErrNotFound
		}
		return follow[store.Account](tx, accounts, id)
	})
}
