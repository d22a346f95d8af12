// Package logintest has what tests of signing in share: a site with a real
// store and a clock that the test sets, browsers, an OpenID provider, and checks
// of pages.
package logintest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/edge"
	"leadline/internal/session"
	"leadline/store"
	"leadline/store/bolt"
)

// Start is the time on the clock of a new site.
var Start = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// Secret is the secret of all sites.
var Secret = [32]byte{1}

// The account that every site has: its address, its password, and the hash of
// the password at a low cost.
const (
	Somebody = "somebody@example.org"
	Password = "spring tide at new moon"
	Hash     = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$" +
		"iRNCgnG7A8kea8jIjnAIsXjVIZgzLOXDchti3IjmfsQ"
)

// Site is a server on a loopback port.
type Site struct {
	testing.TB
	Base   string
	Store  *bolt.Store
	Logged *Log

	server *httptest.Server

	mu  sync.Mutex
	now time.Time
}

// New returns a site that does not serve yet.
func New(t testing.TB) *Site {
	t.Helper()
	content, err := prepared()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	base := "http://" + server.Listener.Addr().String()
	return &Site{TB: t, Base: base, Store: s, Logged: &Log{}, server: server, now: Start}
}

// prepared returns the content of a store that has the account of every site. Making one takes
// several transactions, copying it none.
var prepared = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "store")
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		return nil, err
	}
	err = join(context.Background(), s, store.Account{
		ID: edge.NewID(Start), Email: Somebody, Plan: "pro", Created: Start,
	})
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// join adds an account with Password to a store.
func join(ctx context.Context, s *bolt.Store, a store.Account) error {
	return s.Join(ctx, store.Joining{Account: a, Password: Hash})
}

// Serve serves the handlers of routes by path, and other at all other paths.
func (s *Site) Serve(routes map[string]http.Handler, other http.HandlerFunc) {
	s.server.Config.Handler = Handler(routes, other)
	s.server.Start()
}

// Handler returns a handler that dispatches to routes by path, and to other at
// all other paths.
func Handler(routes map[string]http.Handler, other http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := routes[r.URL.Path]; ok {
			h.ServeHTTP(w, r)
			return
		}
		other(w, r)
	})
}

// Now returns the time on the clock.
func (s *Site) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Pass advances the clock.
func (s *Site) Pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Logger returns a logger that writes everything to Logged.
func (s *Site) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.Logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Accounts returns the account rules with a signup policy.
func (s *Site) Accounts(signup string) *accounts.Service {
	return accounts.New(accounts.Config{
		Store: s.Store, Keys: credential.NewKeys(s.Store, credential.Pepper{1}, s.Now),
		Plans: access.BuiltIn(), Signup: signup, Now: s.Now, Months: s.Store.Months,
		Base: func() (string, error) { return s.Base, nil },
	})
}

// Sessions returns the browser sessions in a store.
func (s *Site) Sessions(base string, in session.Store) *session.Sessions {
	s.Helper()
	sessions, err := session.New(session.Config{Base: base, Store: in, Secret: Secret, Now: s.Now})
	if err != nil {
		s.Fatal(err)
	}
	return sessions
}

// Join creates an account with Password.
func (s *Site) Join(email, plan string) store.Account {
	s.Helper()
	now := s.Now()
	a := store.Account{ID: edge.NewID(now), Email: email, Plan: plan, Created: now}
	if err := join(s.Context(), s.Store, a); err != nil {
		s.Fatal(err)
	}
	return a
}

// Remove removes an account.
func (s *Site) Remove(email string) {
	s.Helper()
	a, err := s.Store.AccountByEmail(s.Context(), email)
	if err == nil {
		err = s.Store.RemoveAccount(s.Context(), a.ID)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// Path returns the path of an account link.
func (s *Site) Path(link accounts.Link, err error) string {
	s.Helper()
	path, ok := strings.CutPrefix(link.URL, s.Base)
	if err != nil || !ok {
		s.Fatalf("the link is %q, %v, want one to %s", link.URL, err, s.Base)
	}
	return path
}

// OwnerLink returns the path of a link that creates the first account.
func (s *Site) OwnerLink() string {
	s.Helper()
	link, _, err := s.Accounts(accounts.Invite).OwnerLink(s.Context())
	return s.Path(link, err)
}

// InvitationLink returns the path of a link that creates an account.
func (s *Site) InvitationLink(email, plan string) string {
	s.Helper()
	return s.Path(s.Accounts(accounts.Invite).InvitationLink(s.Context(),
		accounts.NewAccount{Email: email, Plan: plan}))
}

// ResetLink returns the path of a link that sets the password of an account.
func (s *Site) ResetLink(email string) string {
	s.Helper()
	return s.Path(s.Accounts(accounts.Invite).ResetLink(s.Context(), email))
}

// Log is a log in memory.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

var _ io.Writer = (*Log)(nil)

// Write adds to the log.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns the log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
