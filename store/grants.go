package store

import (
	"context"
	"time"
)

// Client is an OAuth client that has registered itself (RFC 7591).
type Client struct {
	ID           string    `json:"id"`
	Secret       [32]byte  `json:"secret"` // SHA-256 of its secret; zero of a public client
	Method       string    `json:"method"` // how it authenticates at the token endpoint: none, client_secret_basic, client_secret_post
	Name         string    `json:"name"`
	RedirectURIs []string  `json:"redirectURIs"`
	Created      time.Time `json:"created"`
	Expires      time.Time `json:"expires"` // forgotten from then on; a grant puts it off
}

// Grant is what the holder of an account has allowed a client: the family of
// the tokens that came of one consent.
type Grant struct {
	ID          string    `json:"id"` // a UUID
	Account     string    `json:"account"`
	Client      string    `json:"client"`      // the client's id, registered or not
	Method      string    `json:"method"`      // how it must authenticate at the token endpoint, at least; "" is none
	Name        string    `json:"name"`        // the client's, as it was shown
	RedirectURI string    `json:"redirectURI"` // where the consent was sent
	Scopes      []string  `json:"scopes"`
	Resource    string    `json:"resource"`
	Created     time.Time `json:"created"`
	Used        time.Time `json:"used"`    // when tokens were made last
	Expires     time.Time `json:"expires"` // gone from then on
}

// Code is an authorization code. The code itself is nowhere: Hash is all that
// is kept of it.
type Code struct {
	Hash      [32]byte  `json:"hash"`
	Grant     Grant     `json:"grant"`     // that it is good for
	Challenge string    `json:"challenge"` // of PKCE, S256
	Expires   time.Time `json:"expires"`
	Redeemed  bool      `json:"redeemed"`
}

// Rotation puts a new refresh token in the place of an old one.
type Rotation struct {
	Grant    string
	From, To [32]byte      // hashes of the tokens
	Sealed   []byte        // the answer that From gets, now and for the grace after; not empty
	At       time.Time     // now
	Grace    time.Duration // for how long From still gets that answer
	Expires  time.Time     // of the grant, from now on
}

// ClientYouth is how long a new client does not make room for others: a person
// may be about to allow it something.
const ClientYouth = 10 * time.Minute

// MostGrants is how many grants an account has at most.
const MostGrants = 100

// Remembered is how many refresh tokens that were replaced within the grace a
// grant remembers.
const Remembered = 16

// Grants are the clients that people have connected, and their tokens.
type Grants interface {
	// AddClient stores a client. Where there are most or more already, those
	// that expire first make room, whose grants stay. ErrExists: the id is taken.
	// ErrTooMany: one of those was created less than ClientYouth before c.
	AddClient(ctx context.Context, c Client, most int) error
	// Client returns a client, expired or not, or ErrNotFound.
	Client(ctx context.Context, id string) (Client, error)
	// AddCode stores a code. ErrExists: its hash or its grant's id is taken.
	// ErrNotFound: there is no such account.
	AddCode(ctx context.Context, c Code) error
	// Code returns a code, expired or not, redeemed or not, or ErrNotFound. The
	// grant in it is as it was when the code was made.
	Code(ctx context.Context, hash [32]byte) (Code, error)
	// RedeemCode makes the grant of a code, expired or not, used at a time, with
	// its first refresh token, and lets a registered client live as long as the
	// grant at least; it returns true. Where the account has MostGrants already,
	// the one that was used longest ago makes room. A code that was redeemed
	// before makes nothing: its grant is removed, where it is still there, for
	// one of the two who had the code has stolen it, and false is returned.
	// ErrNotFound: there is no such code.
	RedeemCode(ctx context.Context, hash, refresh [32]byte, at time.Time) (bool, error)
	// Grant returns a grant, expired or not, with its account, or ErrNotFound.
	Grant(ctx context.Context, id string) (Grant, Account, error)
	// GrantsOf returns the grants of an account, the newest first, then in
	// order of their ids.
	GrantsOf(ctx context.Context, account string) ([]Grant, error)
	// Rotate replaces the refresh token of a grant, expired or not. Where From is
	// the grant's token, To follows it, the grant is used at At and expires at
	// Expires, a registered client not before it, and Sealed is returned. Where
	// From was replaced less than Grace before At, both to the second, nothing
	// changes and what was sealed then is returned, even where its successor was
	// replaced too; of such tokens the Remembered newest are remembered. Any
	// other From was stolen, or its successor was: the grant is removed and nil
	// returned. ErrNotFound: there is no such grant.
	Rotate(ctx context.Context, r Rotation) (sealed []byte, err error)
	// RemoveGrant removes a grant; one that is gone is no error.
	RemoveGrant(ctx context.Context, id string) error
}
