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
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"leadline/internal/access/credential"
	"leadline/internal/session"
	"leadline/store"
)

// Two keys are published at any time. When a new key is due, it replaces the
// older one. It starts to sign a day later, when all cached copies of the list
// have been refreshed. By then all tokens signed with the replaced key have
// expired.
const (
	keyLife  = 30 * 24 * time.Hour
	keyReady = 24 * time.Hour
)

// signingFact is the name under which the store holds the encrypted keys.
const signingFact = "signing-keys"

// signingKey is a key that signs access tokens.
type signingKey struct {
	JWK     jose.JSONWebKey `json:"jwk"`
	Created time.Time       `json:"created"`
}

// signingKeys holds the two keys for signing access tokens, the older one
// first. It is safe for concurrent use.
type signingKeys struct {
	store store.Meta
	seal  [32]byte
	now   func() time.Time
	log   *slog.Logger

	stale atomic.Bool // another process may have replaced the keys

	making sync.Mutex // held while a key is created; other callers sign with the current keys
	mu     sync.RWMutex
	sealed []byte // the keys as the store holds them
	keys   [2]signingKey
	due    time.Time // when a new key is due
	asked  time.Time // when the keys were last read for an unknown key
}

// invalidate makes the keys be read again before their next use if one of the changes may concern
// them. It does not call the store.
func (g *signingKeys) invalidate(list []store.Change) {
	for _, c := range list {
		if c == (store.Change{}) || c.Fact == signingFact {
			g.stale.Store(true)
		}
	}
}

// refresh reads the keys again if they are stale. If the store fails, the next use tries again.
func (g *signingKeys) refresh(ctx context.Context) {
	if !g.stale.CompareAndSwap(true, false) {
		return
	}
	if err := g.reread(ctx); err != nil {
		g.stale.Store(true)
	}
}

// reread reads the keys of the store. The caller may close its connection.
func (g *signingKeys) reread(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), session.Timeout)
	defer cancel()
	err := g.read(ctx)
	if err != nil {
		g.log.Warn("reading the signing keys", "error", err)
	}
	return err
}

// unknownEvery is the time between two reads of the keys for tokens whose key is unknown.
const unknownEvery = time.Second

// find makes the key with an id known if the store has it: another process may have replaced
// the keys just before.
func (g *signingKeys) find(ctx context.Context, id string) {
	g.refresh(ctx)
	keys, _ := g.current()
	if keys[0].JWK.KeyID == id || keys[1].JWK.KeyID == id {
		return
	}
	now := time.Now()
	g.mu.Lock()
	recent := !g.asked.IsZero() && now.Sub(g.asked) < unknownEvery
	if !recent {
		g.asked = now
	}
	g.mu.Unlock()
	if !recent {
		g.reread(ctx)
	}
}

// openSigning reads the keys of the store, and creates them if there are none.
func openSigning(ctx context.Context, c Config) (*signingKeys, error) {
	key := credential.DeriveKey(c.Secret[:], signingFact)
	g := &signingKeys{store: c.Store, seal: key, now: c.Now, log: c.Log}
	err := g.read(ctx)
	if errors.Is(err, store.ErrNotFound) {
		err = g.replace(ctx, [2]signingKey{newSigningKey(c.Now()), newSigningKey(c.Now())})
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// read reads the keys of the store and uses them from now on.
func (g *signingKeys) read(ctx context.Context) error {
	sealed, err := g.store.Meta(ctx, signingFact)
	if err != nil {
		return err
	}
	var keys [2]signingKey
	text, err := unseal(g.seal, sealed)
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	if err != nil {
		return fmt.Errorf("decrypt with the secret of the data folder: %w", err)
	}
	g.use(sealed, keys)
	return nil
}

// use makes keys the current ones.
func (g *signingKeys) use(sealed []byte, keys [2]signingKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sealed, g.keys, g.due = sealed, keys, keys[1].Created.Add(keyLife)
}

// newSigningKey returns a new ES256 key.
func newSigningKey(now time.Time) signingKey {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the system has no source of randomness
	}
	var id [8]byte
	rand.Read(id[:])
	return signingKey{jose.JSONWebKey{
		Key: private, KeyID: hex.EncodeToString(id[:]), Algorithm: string(jose.ES256), Use: "sig",
	}, now.UTC().Truncate(time.Second)}
}

// replace stores keys and uses them from now on. If another process has replaced them first, it
// uses the keys of that process: the store holds only those.
func (g *signingKeys) replace(ctx context.Context, keys [2]signingKey) error {
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	sealed := seal(g.seal, text)
	err = g.store.SwapMeta(ctx, signingFact, g.stored(), sealed)
	switch {
	case errors.Is(err, store.ErrConflict):
		return g.read(ctx)
	case err == nil:
		g.use(sealed, keys)
	}
	return err
}

// stored returns the keys as the store held them when they were last read, nil if there were none.
func (g *signingKeys) stored() []byte {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.sealed
}

// key returns the key to sign with now. If a new key is due, it is created
// first.
func (g *signingKeys) key(ctx context.Context) signingKey {
	g.refresh(ctx)
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

// renew replaces the older key with a new one, unless another caller has just
// done so. If the store fails, renew tries again an hour later.
func (g *signingKeys) renew(ctx context.Context, now time.Time) [2]signingKey {
	keys, due := g.current()
	if now.Before(due) {
		return keys
	}
	// The caller may close its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), session.Timeout)
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

// public returns the list of keys for verifying tokens (RFC 7517).
func (g *signingKeys) public() jose.JSONWebKeySet {
	keys, _ := g.current()
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{keys[0].JWK.Public(), keys[1].JWK.Public()}}
}
