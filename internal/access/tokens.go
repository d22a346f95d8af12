package access

import (
	"context"
	"crypto/sha256"
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

// tokenEntry is the cache entry of a token.
type tokenEntry struct {
	Token
	kept atomic.Value // what the user of the entry keeps with it
}

func (e *tokenEntry) names() [2]name {
	return [2]name{{byGrantID, e.Grant}, {byAccountID, e.Account.ID}}
}

// tokens verifies access tokens, each once. It is safe for concurrent use.
type tokens struct {
	verify func(ctx context.Context, token string) (Token, error)
	cached *cache[*tokenEntry]
}

// newTokens returns the tokens that verify accepts. It must return ErrUnknown for an invalid,
// revoked or expired token.
func newTokens(verify func(ctx context.Context, token string) (Token, error)) *tokens {
	return &tokens{verify, newCache[*tokenEntry](mostTokens)}
}

// find returns the cache entry of a token that has not expired at now. If the cache is not trusted,
// the token is verified again, within the timeout. Errors are ErrUnknown and those of verify.
func (t *tokens) find(
	ctx context.Context, text string, now time.Time, trusted bool, timeout time.Duration,
) (*tokenEntry, error) {
	sum := sumOf(text)
	known, age, ok := t.cached.get(sum)
	if !ok || !trusted {
		var err error
		known, err = t.cached.read(ctx, sum, age, timeout,
			func(ctx context.Context) (*tokenEntry, error) {
				token, err := t.verify(ctx, text)
				return &tokenEntry{Token: token}, err
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

// invalidate makes tokens be verified again that depend on changes of the store.
func (t *tokens) invalidate(list []store.Change) { t.cached.invalidate(list) }

// sumOf returns the SHA-256 of a text of any length without a heap allocation.
func sumOf(text string) (sum [32]byte) {
	var piece [512]byte
	h := sha256.New()
	for len(text) > 0 {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
	h.Sum(sum[:0])
	return sum
}
