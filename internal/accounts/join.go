package accounts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/store"
)

// ticket returns the store's record for the ticket of a link, or ErrLink.
func (s *Links) ticket(ctx context.Context, secret string) (kind string, o offer, err error) {
	t, err := s.c.Store.Ticket(ctx, credential.HashSecret(secret))
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
	Email string // required address of the account, "" for any
	Plan  string
	Owner bool // the account must be the first one

	ticket *[32]byte // ticket to use up, nil if there is no link
}

// OpenSignup reports whether everybody may create an account.
func (s *Service) OpenSignup() bool { return s.c.Signup == Open }

// Linked reports whether the invitation came with a link. Without a link anybody may join.
func (i Invitation) Linked() bool { return i.ticket != nil }

// Invitation returns the invitation for a link's ticket. Without a ticket it returns the
// invitation that is open to everybody while signup is open. If there is no invitation, the
// error is ErrLink.
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
	sum := credential.HashSecret(ticket)
	i := Invitation{Email: o.Email, Plan: o.Plan, Owner: kind == ownerTicket, ticket: &sum}
	if !i.Owner {
		return i, nil
	}
	has, err := s.c.Store.HasAccounts(ctx)
	if err == nil && has {
		err = ErrLink
	}
	return i, err
}

// Person describes the owner of a new account. The person signs in with a password, whose hash
// is in Password, or at an OpenID provider.
type Person struct {
	Email    string // as Address returned it
	Password string
	Identity *store.Identity
}

// Join creates an account from an invitation and uses up its link. It returns ErrLink if the
// link was used in the meantime or is for another address, and store.ErrExists if the address
// or the identity is taken.
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

// ResetAccount returns the account whose password can be set with a link's ticket, or ErrLink.
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

// ResetPassword sets the password of the account that ResetAccount returned and uses up the
// link. hashed is the hash of the new password. It ends the account's sessions, connected apps
// and identities. If the link was used in the meantime, the error is ErrLink.
func (s *Links) ResetPassword(ctx context.Context, ticket, account, hashed string) error {
	sum := credential.HashSecret(ticket)
	return usedUp(s.c.Store.SetPassword(ctx, account, hashed, &sum))
}

// usedUp converts the store's ErrNotFound to ErrLink.
func usedUp(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrLink
	}
	return err
}
