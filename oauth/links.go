package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// LinkLife is how long a link is good, where it is not used before.
const LinkLife = 24 * time.Hour

// What the tickets in links are good for.
const (
	ownerTicket  = "owner"  // the first account
	inviteTicket = "invite" // an account with one address
	resetTicket  = "reset"  // a new password of an account

	journeyTicket = "provider" // no link: a sign-in that has left for the provider
)

// offer is what is kept with the ticket of a link.
type offer struct {
	Email   string `json:"email,omitempty"`
	Plan    string `json:"plan,omitempty"`
	Account string `json:"account,omitempty"`
	Instead string `json:"instead,omitempty"` // passwordMark of the password that there was
}

// Links makes the links that an operator hands to people, since the server
// sends no mail. Each is good once, for LinkLife.
type Links struct {
	Store store.SignIn
	Base  string // as in Config
	Now   func() time.Time
}

// Owner returns a link that makes the first account, on the plan pro: it is
// theirs who runs the server. It is no use once there is an account.
func (l Links) Owner(ctx context.Context) (string, error) {
	return l.add(ctx, joinPath, ownerTicket, offer{Plan: string(access.Pro)})
}

// Invite returns a link that makes an account with an address, on a plan. Both
// have been checked.
func (l Links) Invite(ctx context.Context, email, plan string) (string, error) {
	return l.add(ctx, joinPath, inviteTicket, offer{Email: email, Plan: plan})
}

// Reset returns a link that gives an account a password. It is no use once the
// account has got another, be it by a link like this.
func (l Links) Reset(ctx context.Context, account store.Account) (string, error) {
	instead, err := passwordMark(ctx, l.Store, account.ID)
	if err != nil {
		return "", err
	}
	return l.add(ctx, passwordPath, resetTicket, offer{Account: account.ID, Instead: instead})
}

// passwordMark tells passwords of an account apart, and nothing of them.
func passwordMark(ctx context.Context, s store.SignIn, account string) (string, error) {
	kept, err := s.Password(ctx, account)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	sum := sha256.Sum256([]byte(kept))
	return hex.EncodeToString(sum[:8]), nil
}

func (l Links) add(ctx context.Context, path, kind string, o offer) (string, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	secret := access.NewSecret(ticketPrefix)
	err = l.Store.AddTicket(ctx, store.Ticket{Hash: access.HashSecret(secret), Kind: kind, Data: data, Expires: l.Now().Add(LinkLife)})
	return l.Base + path + "?" + url.Values{"ticket": {secret}}.Encode(), err
}

// errNoTicket is the error of a ticket that is no good, or no good any more.
var errNoTicket = errors.New("the link was used, is too old, or never was one")

// offered returns what was kept with the ticket of a link.
func (s *Server) offered(ctx context.Context, secret string) (kind string, o offer, err error) {
	t, err := s.c.Store.Ticket(ctx, access.HashSecret(secret))
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.c.Now().Before(t.Expires) {
		err = errNoTicket
	}
	if err != nil {
		return "", o, err
	}
	return t.Kind, o, json.Unmarshal(t.Data, &o)
}

// invitation is what lets a person make an account.
type invitation struct {
	Email  string // that the account is to have, "" for any
	Plan   string
	Owner  bool      // it is for the first account
	Ticket *[32]byte // that is spent on it, nil where anybody may
}

// invitation returns the invitation of a link's ticket, or of no ticket that
// which everybody has. Where there is none the error is errNoTicket.
func (s *Server) invitation(ctx context.Context, ticket string) (invitation, error) {
	if ticket == "" && s.c.Signup == Open {
		return invitation{Plan: string(access.Free)}, nil
	}
	kind, o, err := s.offered(ctx, ticket)
	if err != nil {
		return invitation{}, err
	}
	hash := access.HashSecret(ticket)
	i := invitation{Email: o.Email, Plan: o.Plan, Owner: kind == ownerTicket, Ticket: &hash}
	if s.c.Signup == Closed || kind != ownerTicket && kind != inviteTicket {
		return invitation{}, errNoTicket
	}
	if i.Owner {
		return i, s.unowned(ctx)
	}
	return i, nil
}

// unowned is nil while there is no account.
func (s *Server) unowned(ctx context.Context) error {
	accounts, err := s.c.Store.Accounts(ctx)
	if err == nil && len(accounts) > 0 {
		err = errNoTicket
	}
	return err
}

// forPassword returns the account that the ticket of a link gives a password.
// Where there is none the error is errNoTicket.
func (s *Server) forPassword(ctx context.Context, ticket string) (store.Account, error) {
	kind, o, err := s.offered(ctx, ticket)
	if err == nil && kind != resetTicket {
		err = errNoTicket
	}
	if err != nil {
		return store.Account{}, err
	}
	if now, err := passwordMark(ctx, s.c.Store, o.Account); err != nil || now != o.Instead {
		return store.Account{}, cmp.Or(err, errNoTicket)
	}
	account, err := s.c.Store.Account(ctx, o.Account)
	if errors.Is(err, store.ErrNotFound) { // was removed
		err = errNoTicket
	}
	return account, err
}
