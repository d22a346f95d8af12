package accesstest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// App is the name of the app that tokens are issued to.
const App = "Harbour App"

// Tokens issues access tokens and knows them again, as an authorization server
// does, by a list where that has signing keys. Accounts are read from the
// store each time.
type Tokens struct {
	Asked atomic.Int64 // how often Verify was

	accounts store.Accounts
	now      func() time.Time
	mu       sync.Mutex
	issued   map[string]issued
}

type issued struct {
	access.Token
	account string
}

// NewTokens returns an issuer for the accounts of a store.
func NewTokens(s store.Accounts, now func() time.Time) *Tokens {
	return &Tokens{accounts: s, now: now, issued: map[string]issued{}}
}

// Token issues an access token of an account that lives for an hour, with
// mcp:use where no scopes are named. Its form is that of a signed one.
func (s *Tokens) Token(t testing.TB, account string, scopes ...string) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = []string{access.MCPUse}
	}
	var jti [12]byte
	var signature [64]byte
	rand.Read(jti[:])
	rand.Read(signature[:])
	id, encode := base64.RawURLEncoding.EncodeToString(jti[:]), base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"ES256","typ":"at+jwt"}`)) + "." +
		encode([]byte(`{"aud":"https://tides.example.org/pro/mcp","jti":"`+id+`"}`)) + "." +
		encode(signature[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued[token] = issued{
		access.Token{Client: App, Grant: "grant-" + id, Scopes: scopes, Expires: s.now().Add(time.Hour)},
		account,
	}
	return token
}

// Withdraw makes a token unknown, as when its grant was removed.
func (s *Tokens) Withdraw(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.issued, token)
}

// GrantOf is the id of a token's grant.
func (s *Tokens) GrantOf(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued[token].Grant
}

// Verify is what access.Config.Token asks for.
func (s *Tokens) Verify(ctx context.Context, token string) (access.Token, error) {
	s.Asked.Add(1)
	s.mu.Lock()
	t, known := s.issued[token]
	s.mu.Unlock()
	if !known {
		return t.Token, access.ErrUnknown
	}
	var err error
	t.Account, err = s.accounts.Account(ctx, t.account)
	if errors.Is(err, store.ErrNotFound) {
		err = access.ErrUnknown
	}
	return t.Token, err
}
