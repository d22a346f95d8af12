package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"leadline/internal/access"
	"leadline/internal/session"
	"leadline/store"
)

// Two keys are published at any time. A new one takes the place of the older
// when it is due, and signs once whoever keeps a copy of the list has had a
// day to read it again; the older has then not signed for so long that no
// token of it is left.
const (
	keyLife  = 30 * 24 * time.Hour
	keyReady = 24 * time.Hour
)

// signingFact is the fact of the store that holds the keys, sealed.
const signingFact = "signing-keys"

// signingKey is one of the keys that access tokens are signed with.
type signingKey struct {
	JWK     jose.JSONWebKey `json:"jwk"`
	Created time.Time       `json:"created"`
}

// signing are the signing keys, the older first.
type signingKeys struct {
	store store.Meta
	seal  [32]byte
	now   func() time.Time
	log   *slog.Logger

	making sync.Mutex // held by who makes a new key, while others sign with what there is
	mu     sync.RWMutex
	keys   [2]signingKey
	due    time.Time // for a new key
}

// openSigning reads the keys of the store, and makes them where there are none.
func openSigning(ctx context.Context, c Config) (*signingKeys, error) {
	g := &signingKeys{store: c.Store, seal: access.DeriveKey(c.Secret[:], signingFact), now: c.Now, log: c.Log}
	sealed, err := c.Store.Meta(ctx, signingFact)
	if errors.Is(err, store.ErrNotFound) {
		return g, g.replace(ctx, [2]signingKey{newSigningKey(c.Now()), newSigningKey(c.Now())})
	}
	if err != nil {
		return nil, err
	}
	text, err := unseal(g.seal, sealed)
	if err == nil {
		err = json.Unmarshal(text, &g.keys)
	}
	if err != nil {
		return nil, fmt.Errorf("the signing keys in the store cannot be read with the secret of the data folder: %w", err)
	}
	g.due = g.keys[1].Created.Add(keyLife)
	return g, nil
}

// newSigningKey makes a key for ES256.
func newSigningKey(now time.Time) signingKey {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the system has no randomness, and does not say so
	}
	var id [8]byte
	rand.Read(id[:])
	return signingKey{jose.JSONWebKey{Key: private, KeyID: hex.EncodeToString(id[:]), Algorithm: string(jose.ES256), Use: "sig"}, now.UTC().Truncate(time.Second)}
}

// replace stores keys and goes by them.
func (g *signingKeys) replace(ctx context.Context, keys [2]signingKey) error {
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	if err := g.store.SetMeta(ctx, signingFact, seal(g.seal, text)); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys, g.due = keys, keys[1].Created.Add(keyLife)
	return nil
}

// key is the key to sign with now. Where a new one is due it is made first.
func (g *signingKeys) key(ctx context.Context) signingKey {
	now := g.now()
	keys, due := g.current()
	if !now.Before(due) && g.making.TryLock() {
		defer g.making.Unlock()
		keys = g.renew(ctx, now)
	}
	if now.Before(keys[1].Created.Add(keyReady)) {
		return keys[0]
	}
	return keys[1]
}

func (g *signingKeys) current() (keys [2]signingKey, due time.Time) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.keys, g.due
}

// renew puts a new key in the place of the older, unless somebody has done so
// just now. A store that does not take it is tried again an hour later.
func (g *signingKeys) renew(ctx context.Context, now time.Time) [2]signingKey {
	keys, due := g.current()
	if now.Before(due) {
		return keys
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), session.Timeout) // whoever has asked may go
	defer cancel()
	if err := g.replace(ctx, [2]signingKey{keys[1], newSigningKey(now)}); err != nil {
		g.log.Warn("making a new signing key", "error", err)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.due = now.Add(time.Hour)
		return g.keys
	}
	keys, _ = g.current()
	return keys
}

// public is the list that others check tokens with (RFC 7517).
func (g *signingKeys) public() jose.JSONWebKeySet {
	keys, _ := g.current()
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{keys[0].JWK.Public(), keys[1].JWK.Public()}}
}
