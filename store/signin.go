package store

import (
	"context"
	"time"
)

// Ticket is single-use: an invitation link, a password reset link, or a sign-in
// that was redirected to an OpenID provider. The ticket's secret is not stored, only
// its Hash.
type Ticket struct {
	Hash    [32]byte  `json:"-"`
	Kind    string    `json:"kind"` // its purpose
	Data    []byte    `json:"data"` // opaque, for the creator of the ticket
	Expires time.Time `json:"expires,omitzero"`
}

// Identity names the person of an account at an OpenID provider.
type Identity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	Account string `json:"account"`
}

// Joining describes a new account and how its person signs in.
type Joining struct {
	Account  Account
	Password string    // in the form that is stored, "" for none
	Identity *Identity // nil for none; its account is ignored: it is the new one
	Ticket   *[32]byte // ticket that is used up; nil if none is needed
	First    bool      // Join fails if there is an account
}

// SignIn stores the credentials that people sign in with.
type SignIn interface {
	// AddTicket stores a ticket. ErrExists: its hash is taken.
	AddTicket(ctx context.Context, t Ticket) error
	// Ticket returns a ticket, expired or not, or ErrNotFound.
	Ticket(ctx context.Context, hash [32]byte) (Ticket, error)
	// TakeTicket returns a ticket, expired or not, and removes it, or returns
	// ErrNotFound. Of concurrent calls, one gets the ticket.
	TakeTicket(ctx context.Context, hash [32]byte) (Ticket, error)
	// Join performs a joining atomically. ErrNotFound: there is no such ticket, or
	// First is set and there is an account; without a ticket, callers do not learn what
	// is taken. ErrExists: the account's id or address, or the identity, is taken.
	Join(ctx context.Context, j Joining) error
	// SetPassword replaces the stored password of an account, "" for none, and uses up
	// the ticket if one is given. It ends all other access: sessions, identities, codes
	// and grants of the account are removed. All of this happens atomically.
	// ErrNotFound: there is no such account or ticket.
	SetPassword(ctx context.Context, account, kept string, ticket *[32]byte) error
	// Password returns the stored form of an account's password. ErrNotFound:
	// there is no password, or no such account.
	Password(ctx context.Context, account string) (kept string, err error)
	// AddIdentity stores an identity. ErrExists: it is taken, or the account has
	// another one of the issuer, which would be another person. ErrNotFound: there
	// is no such account.
	AddIdentity(ctx context.Context, i Identity) error
	// AccountByIdentity returns the account of an identity, or ErrNotFound.
	AccountByIdentity(ctx context.Context, issuer, subject string) (Account, error)
	// IdentitiesOf returns the identities of an account in order of their issuers.
	IdentitiesOf(ctx context.Context, account string) ([]Identity, error)
	// RemoveIdentity removes an identity of an account. ErrNotFound: there is no such
	// identity, or it is of another account. ErrConflict: the account has no password
	// and no other identity, and its person could not sign in any more.
	RemoveIdentity(ctx context.Context, i Identity) error
}
