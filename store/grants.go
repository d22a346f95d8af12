package store

import (
	"context"
	"time"
)

// Client is an OAuth client that has registered itself (RFC 7591).
type Client struct {
	ID           string    `json:"id"`
	Secret       Digest    `json:"secret,omitzero"` // SHA-256 of its secret; zero for a public client
	Method       string    `json:"method"`          // at the token endpoint: none, client_secret_basic or _post
	Name         string    `json:"name"`
	RedirectURIs []string  `json:"redirectURIs"`
	Created      time.Time `json:"created"`
	Expires      time.Time `json:"expires"` // removed from then on; a grant extends it
}

// Grant is the access that the owner of an account has given to a client: the
// family of the tokens of one consent.
type Grant struct {
	ID          string    `json:"id"` // a UUID
	Account     string    `json:"account"`
	Client      string    `json:"client"`      // the client's id, registered or not
	Method      string    `json:"method"`      // minimal authentication at the token endpoint; "" for none
	Name        string    `json:"name"`        // the client's name, as it was shown
	RedirectURI string    `json:"redirectURI"` // the URI that received the code
	Scopes      []string  `json:"scopes"`
	Resource    string    `json:"resource"`
	Created     time.Time `json:"created"`
	Used        time.Time `json:"used"`    // when tokens were last issued
	Expires     time.Time `json:"expires"` // expired from then on
}

// Code is an authorization code. The code itself is not stored, only its Hash.
type Code struct {
	Hash      [32]byte  `json:"-"`
	Grant     Grant     `json:"grant"`     // the grant that it creates
	Challenge string    `json:"challenge"` // of PKCE, S256
	Expires   time.Time `json:"expires,omitzero"`
	Redeemed  bool      `json:"redeemed,omitzero"`
}

// Rotation replaces a refresh token with a new one.
type Rotation struct {
	Grant    string
	From, To [32]byte      // hashes of the tokens
	Sealed   []byte        // the response to From, now and during the grace period; not empty
	At       time.Time     // now
	Grace    time.Duration // time for which From still gets that response
	Expires  time.Time     // expiry of the grant, from now on
}

// ClientYouth is the time for which a new client is not removed in favor of others:
// a person may be about to give it access.
const ClientYouth = 10 * time.Minute

// MostGrants limits the grants of an account.
const MostGrants = 100

// Remembered limits the refresh tokens of a grant that are stored after they were
// replaced, during the grace period.
const Remembered = 16

// Grants stores the clients that people have connected, and their tokens.
type Grants interface {
	// AddClient stores a client. If there are most or more already, those that
	// expire first are removed; their grants stay. ErrExists: the id is taken.
	// ErrTooMany: one of those was created less than ClientYouth before c.
	AddClient(ctx context.Context, c Client, most int) error
	// Client returns a client, expired or not, or ErrNotFound.
	Client(ctx context.Context, id string) (Client, error)
	// AddCode stores a code. ErrExists: its hash or its grant's id is taken.
	// ErrNotFound: there is no such account.
	AddCode(ctx context.Context, c Code) error
	// Code returns a code, expired or not, redeemed or not, or ErrNotFound. The grant
	// in it has the values that it had when the code was created.
	Code(ctx context.Context, hash [32]byte) (Code, error)
	// RedeemCode creates the grant of a code, expired or not, with its first refresh
	// token, used at the time at. A registered client then expires no earlier than the
	// grant. It returns true. If the account has MostGrants already, the least recently
	// used one is removed. If the code was redeemed before, one of its two holders has
	// stolen it: its grant is removed, if it still exists, and false is returned.
	// ErrNotFound: there is no such code.
	RedeemCode(ctx context.Context, hash, refresh [32]byte, at time.Time) (bool, error)
	// Grant returns a grant, expired or not, with its account, or ErrNotFound.
	Grant(ctx context.Context, id string) (Grant, Account, error)
	// GrantsOf returns the grants of an account, the newest first, then in
	// order of their ids.
	GrantsOf(ctx context.Context, account string) ([]Grant, error)
	// Rotate replaces the refresh token of a grant, expired or not. If From is the
	// grant's token, To replaces it, the grant is used at At and expires at Expires, a
	// registered client expires no earlier, and Sealed is returned. If From was
	// replaced less than Grace before At, both to the second, nothing changes, and the
	// Sealed of that rotation is returned, even if its successor was replaced too. Only
	// the newest Remembered tokens of this kind are stored. For any other From, a token
	// was stolen: the grant is removed and nil returned. ErrNotFound: there is no such
	// grant.
	Rotate(ctx context.Context, r Rotation) (sealed []byte, err error)
	// RemoveGrant removes a grant. It is not an error if there is none.
	RemoveGrant(ctx context.Context, id string) error
}
