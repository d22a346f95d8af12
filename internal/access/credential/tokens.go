package credential

import (
	"context"
	"sync/atomic"
	"time"

	"leadline/store"
)

// Token describes a verified access token: the access that an account has granted to an app.
type Token struct {
	Account store.Account // current; the token itself has no tier
	Client  string        // name of the app, as shown when access was granted
	Grant   string        // id of the grant
	Scopes  []string
	Expires time.Time // time from which it is refused
}

// mostTokens is the number of verified tokens that are cached.
const mostTokens = 10_000

// TokenEntry is the cache entry of a token.
type TokenEntry struct {
	Token
	Kept atomic.Value // what the user of the entry keeps with it
}

func (e *TokenEntry) names() [2]name {
	return [2]name{{byGrantID, e.Grant}, {byAccountID, e.Account.ID}}
}

// Tokens verifies access tokens, each once. It is safe for concurrent use.
type Tokens struct {
	verify func(ctx context.Context, token string) (Token, error)
	cached *cache[*TokenEntry]
}

// NewTokens returns the tokens that verify accepts. It must return ErrUnknown for an invalid,
// revoked or expired token.
func NewTokens(verify func(ctx context.Context, token string) (Token, error)) *Tokens {
	return &Tokens{verify, newCache[*TokenEntry](mostTokens)}
}

// Find returns the cache entry of a token that has not expired at now. If the cache is not trusted,
// the token is verified again, within the timeout. Errors are ErrUnknown and those of verify.
func (t *Tokens) Find(
	ctx context.Context, text string, now time.Time, trusted bool, timeout time.Duration,
) (*TokenEntry, error) {
	sum := sumOf(text)
	known, age, ok := t.cached.get(sum)
	if !ok || !trusted {
		var err error
		known, err = t.cached.read(ctx, sum, age, timeout,
			func(ctx context.Context) (*TokenEntry, error) {
				token, err := t.verify(ctx, text)
				return &TokenEntry{Token: token}, err
			})
		if err != nil {
			return nil, err
		}
	}
	if !now.Before(known.Expires) {
		t.cached.remove(sum)
		return nil, ErrUnknown
	}
	return known, nil
}

// Invalidate makes tokens be verified again that depend on changes of the store.
func (t *Tokens) Invalidate(list []store.Change) { t.cached.invalidate(list) }
