// Package session keeps browsers signed in. Requests of browsers come in; the
// account of the signed-in person goes out. It also makes and checks the tokens
// that protect forms against other sites, reads forms, and limits how often
// strangers may try something. It does not check passwords and writes no pages.
//
// A session is a random secret in a cookie. The store holds its SHA-256 hash.
package session

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/store"
)

// Life limits how long a browser stays signed in. We chose it so that people
// who return every week seldom have to sign in.
const Life = 14 * 24 * time.Hour

// Store is the part of the store that sessions need.
type Store interface {
	store.Sessions
	// AddTicket stores a ticket, see store.SignIn. Tickets record forms that were sent.
	AddTicket(ctx context.Context, t store.Ticket) error
}

// Config configures Sessions.
type Config struct {
	Base   string // scheme and host as browsers see them, without a path
	Store  Store
	Seen   *credential.Seen // records the days on which sessions are used; nil for none
	Secret [32]byte         // signs the marks of known browsers; must be the same at every start
	Now    func() time.Time
}

// Sessions manages the browser sessions of one server. It is safe for
// concurrent use.
type Sessions struct {
	Cookies
	c      Config
	origin *http.CrossOriginProtection
	forms  *Throttle // limits forms with an id, by account
}

// New returns the sessions of a server. The error concerns Config.Base.
func New(c Config) (*Sessions, error) {
	s := &Sessions{
		Cookies{strings.HasPrefix(c.Base, "https:")}, c, http.NewCrossOriginProtection(),
		NewThrottle(formEvery, formBurst, c.Now),
	}
	if err := s.origin.AddTrustedOrigin(c.Base); err != nil {
		return nil, fmt.Errorf("base URL %q: %w", c.Base, err)
	}
	return s, nil
}

// Person returns the account that is signed in with the browser, and false if
// there is none. The error is the store's.
func (s *Sessions) Person(r *http.Request) (store.Account, bool, error) {
	secret := s.secret(r)
	if secret == "" {
		return store.Account{}, false, nil
	}
	return credential.InSession(r.Context(), s.c.Store, s.c.Seen, secret, s.c.Now())
}

// Begin signs an account in with the browser. The session has a new secret. The
// browser's previous session ends, because somebody else may have set its
// cookie.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, account string) error {
	if err := s.remove(r); err != nil {
		return err
	}
	secret, now := credential.NewSecret(""), s.c.Now()
	err := s.c.Store.AddSession(r.Context(), store.Session{
		Hash: credential.HashSecret(secret), Account: account, Created: now, Expires: now.Add(Life),
		Agent: agent(r.UserAgent()), Seen: store.DayOf(now),
	})
	if err != nil {
		return err
	}
	s.set(w, credential.SessionCookie(s.secure), secret, Life)
	return nil
}

// End signs the browser out.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) error {
	if err := s.remove(r); err != nil {
		return err
	}
	s.set(w, credential.SessionCookie(s.secure), "", -time.Second)
	return nil
}

// remove ends the session of the browser if there is one.
func (s *Sessions) remove(r *http.Request) error {
	secret := s.secret(r)
	if secret == "" {
		return nil
	}
	return s.c.Store.RemoveSession(r.Context(), credential.HashSecret(secret))
}

// secret returns the secret of the browser's session, or "" if there is none.
func (s *Sessions) secret(r *http.Request) string {
	return value(r, credential.SessionCookie(s.secure))
}

// Address returns the network address of a request's client, which is the key
// of its limits.
func Address(ctx context.Context) string {
	caller, _ := access.CallerFrom(ctx)
	return caller.Address.String()
}
