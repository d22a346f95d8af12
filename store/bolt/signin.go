package bolt

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// AddTicket implements store.Store.
func (s *Store) AddTicket(ctx context.Context, t store.Ticket) error {
	t = store.Stored(t)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if ticketKind.taken(tx, &t) {
			return store.ErrExists
		}
		return ticketKind.put(tx, &t)
	})
}

// Ticket implements store.Store.
func (s *Store) Ticket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Ticket, error) {
		return ticketKind.get(tx, hash[:])
	})
}

// TakeTicket implements store.Store.
func (s *Store) TakeTicket(ctx context.Context, hash [32]byte) (store.Ticket, error) {
	return change(ctx, s, func(tx *bbolt.Tx) (store.Ticket, error) {
		t, err := ticketKind.get(tx, hash[:])
		if err != nil {
			return store.Ticket{}, err
		}
		return t, ticketKind.remove(tx, &t)
	})
}

// ticketHash is the hash of the ticket that a change consumes, nil if it needs none. It is a
// copy of the caller's slice.
type ticketHash []byte

func newTicketHash(ticket *[32]byte) ticketHash {
	if ticket == nil {
		return nil
	}
	return bytes.Clone(ticket[:])
}

// valid reports whether the ticket exists or none is needed.
func (t ticketHash) valid(tx *bbolt.Tx) bool { return t == nil || has(tx, tickets, t) }

// newIdentity is the key of an identity to be added, nil if there is none.
type newIdentity []byte

func asNewIdentity(i *store.Identity) (newIdentity, error) {
	if i == nil {
		return nil, nil
	}
	if err := checkNames(i.Issuer, i.Subject); err != nil {
		return nil, err
	}
	return identityKey(i.Issuer, i.Subject), nil
}

func identityKey(issuer, subject string) []byte { return []byte(issuer + "\x00" + subject) }

// taken reports whether an account already has the identity.
func (n newIdentity) taken(tx *bbolt.Tx) bool { return n != nil && has(tx, identities, n) }

// put assigns the identity to an account.
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
	list := ownedBy(tx, identitiesOfAccount, account)
	return each(tx, list, func(tx *bbolt.Tx, identity []byte) error {
		return removeIdentity(tx, account, identity)
	})
}

func removeIdentity(tx *bbolt.Tx, account string, identity []byte) error {
	return cmp.Or(
		tx.Bucket(identities).Delete(identity),
		tx.Bucket(identitiesOfAccount).Delete(owned(account, identity)),
	)
}

// Join implements store.Store.
func (s *Store) Join(ctx context.Context, j store.Joining) error {
	account := store.Stored(j.Account)
	if err := accountKind.check(&account); err != nil {
		return err
	}
	identity, err := asNewIdentity(j.Identity)
	if err != nil {
		return err
	}
	ticket, first := newTicketHash(j.Ticket), j.First
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !ticket.valid(tx) || first && hasAccounts(tx):
			return store.ErrNotFound
		case accountKind.taken(tx, &account) || identity.taken(tx):
			return store.ErrExists
		}
		return cmp.Or(
			accountKind.put(tx, &account),
			putPassword(tx, j.Account.ID, j.Password),
			identity.put(tx, j.Account.ID),
			ticketKind.removeIfAny(tx, ticket),
		)
	})
}

// SetPassword implements store.Store.
func (s *Store) SetPassword(ctx context.Context, account, hash string, ticket *[32]byte) error {
	used := newTicketHash(ticket)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		if !has(tx, accounts, []byte(account)) || !used.valid(tx) {
			return store.ErrNotFound
		}
		return cmp.Or(
			putPassword(tx, account, hash),
			s.revokeAccess(tx, account),
			ticketKind.removeIfAny(tx, used),
		)
	})
}

// putPassword stores the encoded hash of a password, or removes it if it is "".
func putPassword(tx *bbolt.Tx, account, hash string) error {
	if hash == "" {
		return tx.Bucket(passwords).Delete([]byte(account))
	}
	return tx.Bucket(passwords).Put([]byte(account), []byte(hash))
}

// Password implements store.Store.
func (s *Store) Password(ctx context.Context, account string) (string, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (string, error) {
		hash := tx.Bucket(passwords).Get([]byte(account))
		if hash == nil {
			return "", store.ErrNotFound
		}
		return string(hash), nil
	})
}

// AddIdentity implements store.Store.
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

// AccountByIdentity implements store.Store.
func (s *Store) AccountByIdentity(
	ctx context.Context, issuer, subject string,
) (store.Account, error) {
	return read(ctx, s, func(tx *bbolt.Tx) (store.Account, error) {
		id := tx.Bucket(identities).Get(identityKey(issuer, subject))
		if id == nil {
			return store.Account{}, store.ErrNotFound
		}
		return accountKind.follow(tx, id)
	})
}

// IdentitiesOf implements store.Store.
func (s *Store) IdentitiesOf(ctx context.Context, account string) ([]store.Identity, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.Identity, error) {
		list := []store.Identity{}
		for _, identity := range ownedBy(tx, identitiesOfAccount, account) {
			issuer, subject, ok := strings.Cut(string(identity), "\x00")
			if !ok {
				return nil, damaged("identity %q has no subject", identity)
			}
			list = append(list, store.Identity{Issuer: issuer, Subject: subject, Account: account})
		}
		return list, nil
	})
}

// RemoveIdentity implements store.Store.
func (s *Store) RemoveIdentity(ctx context.Context, i store.Identity) error {
	identity := identityKey(i.Issuer, i.Subject)
	return s.do(ctx, func(tx *bbolt.Tx) error {
		switch {
		case !has(tx, identities, identity) ||
			string(tx.Bucket(identities).Get(identity)) != i.Account:
			return store.ErrNotFound
		case !has(tx, passwords, []byte(i.Account)) &&
			len(ownedBy(tx, identitiesOfAccount, i.Account)) == 1:
			return store.ErrConflict
		}
		return removeIdentity(tx, i.Account, identity)
	})
}
