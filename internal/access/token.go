package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"leadline/store"
)

// Token is an access token of the authorization server that was found good:
// what the holder of an account has allowed an app to do.
type Token struct {
	Account store.Account // as of now: the token itself tells no tier
	Client  string        // the app's name, as it was shown to the person
	Grant   string        // id of what was allowed
	Scopes  []string
	Expires time.Time // the gate lets it in no longer
}

// mostTokens is how many tokens are remembered after their first use.
const mostTokens = 10_000

// signed is a token that was verified, with what it stands for.
type signed struct {
	*holding
	expires time.Time
}

// Forget makes every access token be verified again. It follows each change of
// an account or a grant.
func (g *Gate) Forget() { g.tokens.forget() }

// byToken names the person who has connected an app, by its access token.
func (g *Gate) byToken(v *visit, text string) error {
	if v.need.By&SignedIn == 0 {
		return invalid("Access tokens are good at /pro/mcp alone; what counts here is an API key, which begins with " + Prefix + ".")
	}
	sum := sumOf(text)
	known, age := g.tokens.recall(sum)
	if known == nil {
		var err error
		if known, err = g.verify(v, text); err != nil {
			return err
		}
		g.tokens.keep(sum, known, age)
	}
	if !v.now.Before(known.expires) {
		g.tokens.drop(sum)
		return unknown()
	}
	v.holding = known.holding
	return nil
}

// verify asks the authorization server what a token is.
func (g *Gate) verify(v *visit, text string) (*signed, error) {
	if g.c.Token == nil {
		return nil, invalid("Nobody can sign in to this server: what counts here is an API key, which begins with " + Prefix + ".")
	}
	ctx, cancel := context.WithTimeout(v.Context, patience)
	defer cancel()
	t, err := g.c.Token(ctx, text)
	switch {
	case errors.Is(err, ErrUnknown):
		return nil, unknown()
	case err != nil:
		return nil, g.storeDown(v.Context, fmt.Errorf("verifying an access token: %w", err))
	}
	held, err := g.hold(t.Account, Caller{Grant: t.Grant, App: t.Client, Scopes: t.Scopes})
	return &signed{held, t.Expires}, err
}

// sumOf is the SHA-256 of a text of any length, which stays off the heap.
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
