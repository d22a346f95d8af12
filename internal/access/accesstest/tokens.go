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

	"leadline/internal/access/credential"
	"leadline/store"
)

// App is the app name in all tokens.
const App = "Harbour App"

// Tokens issues access tokens and verifies them against a list, instead of with the signing
// keys of an authorization server. Accounts are read from the store each time.
type Tokens struct {
	Asked atomic.Int64 // calls of Verify

	accounts store.Accounts
	now      func() time.Time
	mu       sync.Mutex
	issued   map[string]issued
}

type issued struct {
	credential.Token
	account string
}

// NewTokens returns an issuer for the accounts of a store.
func NewTokens(s store.Accounts, now func() time.Time) *Tokens {
	return &Tokens{accounts: s, now: now, issued: map[string]issued{}}
}

// Token issues an access token of an account that expires in an hour, with the scope mcp:use if
// no scopes are given. It has the form of a signed token.
func (s *Tokens) Token(t testing.TB, account string, scopes ...string) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = []string{credential.MCPUse}
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
		credential.Token{Client: App, Grant: "grant-" + id, Scopes: scopes,
			Expires: s.now().Add(time.Hour)},
		account,
	}
	return token
}

// Withdraw removes a token, as if its grant had been removed.
func (s *Tokens) Withdraw(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.issued, token)
}

// GrantOf returns the id of a token's grant.
func (s *Tokens) GrantOf(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued[token].Grant
}

// Verify implements access.Config.Token.
func (s *Tokens) Verify(ctx context.Context, token string) (credential.Token, error) {
	s.Asked.Add(1)
	s.mu.Lock()
	t, known := s.issued[token]
	s.mu.Unlock()
	if !known {
		return t.Token, credential.ErrUnknown
	}
	var err error
	t.Account, err = s.accounts.Account(ctx, t.account)
	if errors.Is(err, store.ErrNotFound) {
		err = credential.ErrUnknown
	}
	return t.Token, err
}
