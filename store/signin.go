package store

import (
	"context"
	"time"
)

// Ticket is good once: an invitation, a link to set a password, a sign-in that
// has left for another provider and is awaited back. The ticket's secret is
// nowhere: Hash is all that is kept of it.
type Ticket struct {
	Hash    [32]byte  `json:"hash"`
	Kind    string    `json:"kind"` // what it is good for
	Data    []byte    `json:"data"` // whatever who made it wants back
	Expires time.Time `json:"expires"`
}

// Identity is how another provider names the person of an account.
type Identity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	Account string `json:"account"`
}

// Joining is a new account with the way to sign in to it.
type Joining struct {
	Account  Account
	Password string    // what is kept of it, "" for none
	Identity *Identity // nil for none; its account is the new one whatever it says
	Ticket   *[32]byte // that is spent on it; nil where none is needed
	First    bool      // it may be the first account alone
}

// SignIn is what people sign in with.
type SignIn interface {
	// AddTicket stores a ticket. ErrExists: its hash is taken.
	AddTicket(ctx context.Context, t Ticket) error
	// Ticket returns a ticket, ended or not, or ErrNotFound.
	Ticket(ctx context.Context, hash [32]byte) (Ticket, error)
	// TakeTicket returns a ticket, ended or not, and removes it, or ErrNotFound:
	// of many that take one, one gets it.
	TakeTicket(ctx context.Context, hash [32]byte) (Ticket, error)
	// Join does all of a joining or nothing. ErrNotFound: there is no such
	// ticket, or First and an account; who has no ticket does not learn what is
	// taken. ErrExists: the account's id or address, or the identity, is taken.
	Join(ctx context.Context, j Joining) error
	// SetPassword keeps a password of an account in place of the one before, ""
	// for none, spends a ticket where one is given, and shuts out whoever was let
	// in otherwise: sessions, identities, codes and grants of the account are
	// removed, all or nothing. ErrNotFound: there is no such account, or ticket.
	SetPassword(ctx context.Context, account, kept string, ticket *[32]byte) error
	// Password returns what is kept of an account's password. ErrNotFound: it
	// has none, or there is no such account.
	Password(ctx context.Context, account string) (kept string, err error)
	// AddIdentity stores an identity. ErrExists: it is taken, or the account has
	// another of the issuer, who would be another person. ErrNotFound: there is
	// no such account.
	AddIdentity(ctx context.Context, i Identity) error
	// AccountByIdentity returns the account of an identity, or ErrNotFound.
	AccountByIdentity(ctx context.Context, issuer, subject string) (Account, error)
}
