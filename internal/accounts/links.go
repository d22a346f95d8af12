package accounts

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
	"leadline/internal/access/credential"
	"leadline/internal/edge"
	"leadline/store"
)

// The paths of links.
const (
	JoinPath     = "/oauth/join"
	PasswordPath = "/oauth/password"
)

// LinkLife is the time between the creation of a link and its expiry.
const LinkLife = 24 * time.Hour

// The kinds of tickets in links.
const (
	ownerTicket  = "owner"  // creates the first account
	inviteTicket = "invite" // creates an account with one address
	resetTicket  = "reset"  // sets the password of an account
)

// ticketPrefix is the prefix of the secret in a link.
const ticketPrefix = "ldt_"

// ErrLink is the error for a link that was used, has expired, was replaced or never existed.
var ErrLink = errors.New("the link was used, has expired, or is not one")

// offer is stored with the ticket of a link.
type offer struct {
	Email   string `json:"email,omitempty"`
	Plan    string `json:"plan,omitempty"`
	Account string `json:"account,omitempty"`
	Instead string `json:"instead,omitempty"` // passwordMark when the link was created
}

// Links is the part of a Service that creates single-use links.
type Links struct{ rules }

// Link is a single-use link that the operator gives to a person; the server sends no mail.
type Link struct {
	URL       string    `json:"url"`
	Email     string    `json:"account"` // "" for the owner's link
	Plan      string    `json:"plan"`    // of the account
	ExpiresAt time.Time `json:"expiresAt"`
}

// CanSignIn reports whether people can sign in to a server that browsers reach at base. The
// secrets that they send must not cross a network unencrypted.
func CanSignIn(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && edge.Loopback(u.Hostname()))
}

// OwnerLink returns a link that creates the first account, on the plan pro. It returns false if
// an account exists or signup is closed.
func (s *Links) OwnerLink(ctx context.Context) (l Link, ok bool, err error) {
	if has, err := s.c.Store.HasAccounts(ctx); err != nil || has || s.c.Signup == Closed {
		return l, false, err
	}
	plan := string(access.Pro)
	l, err = s.link(ctx, JoinPath, ownerTicket, offer{Plan: plan}, Link{Plan: plan})
	return l, err == nil, err
}

// WithoutPassword returns the address of the first account if no account has a password, else
// "". In that case nobody can sign in without an OpenID provider.
func (s *Links) WithoutPassword(ctx context.Context) (email string, err error) {
	for a, err := range s.all(ctx) {
		if err != nil {
			return "", err
		}
		if _, err := s.c.Store.Password(ctx, a.ID); !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		email = cmp.Or(email, a.Email)
	}
	return email, nil
}

// InvitationLink returns a link that creates an account.
func (s *Links) InvitationLink(ctx context.Context, n NewAccount) (Link, error) {
	if s.c.Signup == Closed {
		return Link{}, invalid("signup is closed, so invitations cannot be used; create the account " +
			"with leadline accounts add, then let its person in with leadline accounts reset")
	}
	a, err := s.newAccount(n)
	if err != nil {
		return Link{}, err
	}
	_, err = s.c.Store.AccountByEmail(ctx, a.Email)
	switch {
	case err == nil:
		return Link{}, invalid("account %s exists already; leadline accounts reset makes a link "+
			"that sets its password", a.Email)
	case !errors.Is(err, store.ErrNotFound):
		return Link{}, err
	}
	o := offer{Email: a.Email, Plan: a.Plan}
	return s.link(ctx, JoinPath, inviteTicket, o, Link{Email: a.Email, Plan: a.Plan})
}

// ResetLink returns a link that sets the password of an account. The link becomes invalid when
// the password changes, even through another link.
func (s *Links) ResetLink(ctx context.Context, email string) (Link, error) {
	a, err := s.Account(ctx, email)
	if err != nil {
		return Link{}, err
	}
	mark, err := s.passwordMark(ctx, a.ID)
	if err != nil {
		return Link{}, err
	}
	o := offer{Account: a.ID, Instead: mark}
	return s.link(ctx, PasswordPath, resetTicket, o, Link{Email: a.Email, Plan: a.Plan})
}

// link completes a link. Its secret is only in the URL; the store holds the hash.
func (s *Links) link(
	ctx context.Context, path, kind string, o offer, l Link,
) (Link, error) {
	base, err := s.c.Base()
	if err != nil {
		return Link{}, err
	}
	if !CanSignIn(base) {
		return Link{}, invalid("nobody can sign in at %s, where passwords cross the network in the "+
			"clear: set --base-url to an https address and serve it with --tls-cert or --acme-domain", base)
	}
	data, err := json.Marshal(o)
	if err != nil {
		return Link{}, err
	}
	secret := credential.NewSecret(ticketPrefix)
	l.URL = base + path + "?" + url.Values{"ticket": {secret}}.Encode()
	l.ExpiresAt = s.c.Now().Add(LinkLife)
	return l, s.c.Store.AddTicket(ctx, store.Ticket{
		Hash: credential.HashSecret(secret), Kind: kind, Data: data, Expires: l.ExpiresAt,
	})
}

// passwordMark returns a mark that differs for successive passwords of an account and reveals
// nothing about them.
func (s *Links) passwordMark(ctx context.Context, account string) (string, error) {
	stored, err := s.c.Store.Password(ctx, account)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	sum := sha256.Sum256([]byte(stored))
	return hex.EncodeToString(sum[:8]), nil
}
