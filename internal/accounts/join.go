package accounts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"leadline/internal/access"
	"leadline/store"
)

// ticket returns what the store holds with the ticket of a link, or ErrLink.
func (s *Links) ticket(ctx context.Context, secret string) (kind string, o offer, err error) {
	t, err := s.c.Store.Ticket(ctx, access.HashSecret(secret))
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.c.Now().Before(t.Expires) {
		err = ErrLink
	}
	if err != nil {
		return "", o, err
	}
	return t.Kind, o, json.Unmarshal(t.Data, &o)
}

// Invitation permits a person to create an account.
type Invitation struct {
	Email string // that the account must have, "" for any
	Plan  string
	Owner bool // the account must be the first

	ticket *[32]byte // that is used up, nil if there is no link
}

// OpenSignup reports whether everybody may create an account.
func (s *Service) OpenSignup() bool { return s.c.Signup == Open }

// Linked reports whether the invitation came with a link. Without one, anybody may join.
func (i Invitation) Linked() bool { return i.ticket != nil }

// Invitation returns the invitation of a link's ticket, or without a ticket the one that
// everybody has while signup is open. If there is none the error is ErrLink.
func (s *Links) Invitation(ctx context.Context, ticket string) (Invitation, error) {
	if ticket == "" && s.c.Signup == Open {
		return Invitation{Plan: string(access.Free)}, nil
	}
	kind, o, err := s.ticket(ctx, ticket)
	if err != nil {
		return Invitation{}, err
	}
	if s.c.Signup == Closed || kind != ownerTicket && kind != inviteTicket {
		return Invitation{}, ErrLink
	}
	sum := access.HashSecret(ticket)
	i := Invitation{Email: o.Email, Plan: o.Plan, Owner: kind == ownerTicket, ticket: &sum}
	if !i.Owner {
		return i, nil
	}
	all, err := s.c.Store.Accounts(ctx)
	if err == nil && len(all) > 0 {
		err = ErrLink
	}
	return i, err
}

// Person describes the person of a new account, who signs in with a password, of which Password
// is the hash, or at an OpenID provider.
type Person struct {
	Email    string // as Address returned it
	Password string
	Identity *store.Identity
}

// Join creates an account by an invitation and uses its link up. ErrLink: the link was used
// meanwhile, or is for another address. store.ErrExists: the address or the identity is taken.
func (s *Links) Join(ctx context.Context, i Invitation, p Person) (store.Account, error) {
	if i.Email != "" && i.Email != p.Email {
		return store.Account{}, ErrLink
	}
	a := s.account(p.Email, i.Plan)
	err := s.c.Store.Join(ctx, store.Joining{
		Account: a, Password: p.Password, Identity: p.Identity, Ticket: i.ticket, First: i.Owner,
	})
	return a, usedUp(err)
}

// ResetAccount returns the account whose password a link's ticket sets, or ErrLink.
func (s *Links) ResetAccount(ctx context.Context, ticket string) (store.Account, error) {
	kind, o, err := s.ticket(ctx, ticket)
	if err == nil && kind != resetTicket {
		err = ErrLink
	}
	if err != nil {
		return store.Account{}, err
	}
	if mark, err := s.passwordMark(ctx, o.Account); err != nil || mark != o.Instead {
		return store.Account{}, cmp.Or(err, ErrLink)
	}
	a, err := s.c.Store.Account(ctx, o.Account)
	return a, usedUp(err) // the account may have been removed
}

// ResetPassword sets the password of the account that ResetAccount returned, of which hashed is
// the hash, and uses the link up. It ends the sessions of the account, its connected apps and its
// identities. If the link was used meanwhile the error is ErrLink.
func (s *Links) ResetPassword(ctx context.Context, ticket, account, hashed string) error {
	sum := access.HashSecret(ticket)
	return usedUp(s.c.Store.SetPassword(ctx, account, hashed, &sum))
}

// usedUp turns the store's ErrNotFound into ErrLink.
func usedUp(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrLink
	}
	return err
}
