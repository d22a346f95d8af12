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
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/store"
)

// tokenLife is how long an access token is good. Clients that are handed
// shorter ones ask people to connect again each day.
const tokenLife = time.Hour

// clockLeeway is how far the clocks of those who check a token may differ.
const clockLeeway = 30 * time.Second

// tokenType is the type of an access token (RFC 9068, section 2.1): an ID
// token, or any other that the same keys had signed, is not one.
const tokenType = "at+jwt"

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
type signing struct {
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
func openSigning(ctx context.Context, c Config) (*signing, error) {
	g := &signing{store: c.Store, seal: access.DeriveKey(c.Secret[:], signingFact), now: c.Now, log: c.Log}
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
func (g *signing) replace(ctx context.Context, keys [2]signingKey) error {
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
func (g *signing) key(ctx context.Context) signingKey {
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

func (g *signing) current() (keys [2]signingKey, due time.Time) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.keys, g.due
}

// renew puts a new key in the place of the older, unless somebody has done so
// just now. A store that does not take it is tried again an hour later.
func (g *signing) renew(ctx context.Context, now time.Time) [2]signingKey {
	keys, due := g.current()
	if now.Before(due) {
		return keys
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience) // whoever has asked may go
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
func (g *signing) public() jose.JSONWebKeySet {
	keys, _ := g.current()
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{keys[0].JWK.Public(), keys[1].JWK.Public()}}
}

// claims are what an access token says (RFC 9068, section 2.2).
type claims struct {
	jwt.Claims
	Client string `json:"client_id"`
	Scope  string `json:"scope"`
	Grant  string `json:"gid"` // the family that it belongs to
}

// sign makes an access token of a grant for some of its scopes.
func (s *Server) sign(ctx context.Context, g store.Grant, scopes []string) (string, error) {
	key, now := s.signing.key(ctx), s.c.Now()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key.JWK}, (&jose.SignerOptions{}).WithType(tokenType))
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims{
		Claims: jwt.Claims{
			Issuer: s.issuer, Subject: g.Account, Audience: jwt.Audience{g.Resource}, ID: edge.NewID(now),
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(tokenLife)),
		},
		Client: g.Client, Scope: strings.Join(scopes, " "), Grant: g.ID,
	}).Serialize()
}

// longestToken is how long a text may be that is read as an access token:
// ours have some 700 bytes.
const longestToken = 4096

// read returns what an access token of this server says, be it expired or
// not. A token of anybody else, or for anything else, is an error.
func (s *Server) read(token string) (c claims, err error) {
	if len(token) > longestToken {
		return c, errors.New("too long")
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return c, err
	}
	if kind, _ := parsed.Headers[0].ExtraHeaders[jose.HeaderType].(string); kind != tokenType {
		return c, fmt.Errorf("of type %q", kind)
	}
	if err := parsed.Claims(s.signing.public(), &c); err != nil {
		return c, err
	}
	if c.Issuer != s.issuer || !c.Audience.Contains(s.resource) {
		return c, errors.New("of or for another server")
	}
	return c, nil
}

// Verify returns what an access token stands for: the account as it is now,
// the client, and what it may be used for. access.ErrUnknown: it is none of
// this server, is not meant for its resource, has expired, or the person has
// disconnected the client. Other errors are the store's.
func (s *Server) Verify(ctx context.Context, token string) (access.Token, error) {
	c, err := s.read(token)
	if err == nil {
		err = c.ValidateWithLeeway(jwt.Expected{Time: s.c.Now()}, clockLeeway)
	}
	if err != nil || c.Expiry == nil {
		return access.Token{}, access.ErrUnknown
	}
	g, account, err := s.c.Store.Grant(ctx, c.Grant)
	if errors.Is(err, store.ErrNotFound) {
		return access.Token{}, access.ErrUnknown
	}
	if err != nil {
		return access.Token{}, err
	}
	if g.Account != c.Subject || g.Client != c.Client || !s.c.Now().Before(g.Expires) {
		return access.Token{}, access.ErrUnknown
	}
	return access.Token{Account: account, Client: g.Name, Grant: g.ID, Scopes: strings.Fields(c.Scope), Expires: c.Expiry.Time()}, nil
}
