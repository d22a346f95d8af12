package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// forge returns claims signed with the given algorithm, key and type.
func forge(t testing.TB, algorithm jose.SignatureAlgorithm, key any, kind string, c any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key},
		(&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(c).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCase40TokensOfOthers(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	good := b.connect(a).Access
	said, err := b.accessTokens.parse(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	ours := b.accessTokens.keys.keys[0].JWK
	stranger, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(b.Now().Add(d)) }
	with := func(change func(*tokenClaims)) string {
		c := said
		change(&c)
		return forge(t, jose.ES256, ours, tokenType, c)
	}
	b.wantGood("signed again", with(func(*tokenClaims) {}))
	public, err := x509.MarshalPKIXPublicKey(ours.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	unsigned := base64.RawURLEncoding.EncodeToString(
		[]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + parts[1] + "."
	for what, token := range map[string]string{
		"wrong audience": with(
			func(c *tokenClaims) { c.Audience = jwt.Audience{b.Site.Base + "/mcp"} }),
		"no audience":     with(func(c *tokenClaims) { c.Audience = nil }),
		"wrong issuer":    with(func(c *tokenClaims) { c.Issuer = b.Site.Base }),
		"expired":         with(func(c *tokenClaims) { c.Expiry = at(-time.Minute) }),
		"without an end":  with(func(c *tokenClaims) { c.Expiry = nil }),
		"not before":      with(func(c *tokenClaims) { c.NotBefore = at(time.Minute) }),
		"of the future":   with(func(c *tokenClaims) { c.IssuedAt = at(time.Minute) }),
		"another account": with(func(c *tokenClaims) { c.Subject = "x" }),
		"another client":  with(func(c *tokenClaims) { c.Client = "x" }),
		"unknown grant":   with(func(c *tokenClaims) { c.Grant = "x" }),
		"no grant":        with(func(c *tokenClaims) { c.Grant = "" }),
		"an ID token":     forge(t, jose.ES256, ours, "JWT", said),
		"no type":         forge(t, jose.ES256, ours, "", said),
		"a stranger's key": forge(t, jose.ES256, jose.JSONWebKey{Key: stranger, KeyID: ours.KeyID},
			tokenType, said),
		"unknown key": forge(t, jose.ES256, jose.JSONWebKey{Key: stranger, KeyID: "x"}, tokenType,
			said),
		"no key id": forge(t, jose.ES256, ours.Key, tokenType, said),
		"HS256 with our key": forge(t, jose.HS256, jose.JSONWebKey{Key: public, KeyID: ours.KeyID},
			tokenType, said),
		"alg none":        unsigned,
		"no signature":    parts[0] + "." + parts[1] + ".",
		"changed":         parts[0] + "." + parts[1][1:] + "." + parts[2],
		"nothing":         "",
		"much":            good + strings.Repeat("A", longestToken),
		"a refresh token": b.tokens.refreshTokens.create("x"),
	} {
		b.wantInactive(what, token)
	}
	if err := b.Site.Store.RemoveGrant(t.Context(), said.Grant); err != nil {
		t.Fatal(err)
	}
	b.wantInactive("of a revoked grant", good)
}

// TestAccessTokenEnds checks that an access token expires after an hour, within
// the tolerance for clock differences.
func TestAccessTokenEnds(t *testing.T) {
	b := newBench(t)
	got := b.connect(b.register("app"))
	b.Pass(tokenLife)
	b.wantGood("within the leeway", got.Access)
	b.Pass(clockLeeway + time.Second)
	b.wantInactive("an hour later", got.Access)
}

// published returns the ids of the published keys.
func (b *bench) published() []string {
	b.Helper()
	var set jose.JSONWebKeySet
	got := b.browser().Get(keysPath)
	if err := json.Unmarshal([]byte(got.Text), &set); err != nil || got.StatusCode != http.StatusOK {
		b.Fatalf("the keys: %d %s", got.StatusCode, got.Text)
	}
	var ids []string
	for _, k := range set.Keys {
		if !k.IsPublic() || !k.Valid() || k.Algorithm != "ES256" || k.Use != "sig" {
			b.Errorf("the list has %+v", k)
		}
		ids = append(ids, k.KeyID)
	}
	return ids
}

// TestKeysRotate checks that two keys are published at any time. The key of
// each token must be published until the token expires, and a new key for a day
// before it signs.
func TestKeysRotate(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	signers := map[string]bool{}
	announced := map[string]time.Time{}
	step := 12 * time.Hour
	if trials.Thorough() {
		step = 6 * time.Hour
	}
	for range 100 * 24 * time.Hour / step { // a hundred days
		parsed, err := jwt.ParseSigned(got.Access, []jose.SignatureAlgorithm{jose.ES256})
		if err != nil {
			t.Fatal(err)
		}
		signer := parsed.Headers[0].KeyID
		signers[signer] = true
		ids := b.published()
		if len(ids) != 2 || ids[0] == ids[1] || signer != ids[0] && signer != ids[1] {
			t.Fatalf("published are %v, the token is of %s", ids, signer)
		}
		for _, id := range ids {
			if announced[id].IsZero() {
				announced[id] = b.Now()
			}
		}
		if since := b.Now().Sub(announced[signer]); len(signers) > 1 && since < 24*time.Hour {
			t.Errorf("a key signs that was announced %v before, want a day", since)
		}
		b.wantGood("now", got.Access)
		before := got.Access
		b.Pass(tokenLife)
		next := b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
		b.wantGood("after an hour in which a key may have gone", before)
		b.Pass(step - tokenLife)
		got = b.tokensOf(b.post(tokenPath, a.refreshing(b, next.Refresh)))
	}
	if len(signers) != 5 { // one from the start, then one every thirty days
		t.Errorf("%d keys have signed in a hundred days, want 5", len(signers))
	}
}

// TestKeysStay checks that a restarted server uses the same keys, and does not
// start with another secret.
func TestKeysStay(t *testing.T) {
	b := newBench(t)
	a := b.register("app")
	got := b.connect(a)
	ids := strings.Join(b.published(), " ")
	again, err := New(t.Context(), b.c)
	if err != nil {
		t.Fatal(err)
	}
	b.Server = again
	if now := strings.Join(b.published(), " "); now != ids {
		t.Errorf("the keys are %s, want %s", now, ids)
	}
	b.wantGood("after a restart", got.Access)
	b.tokensOf(b.post(tokenPath, a.refreshing(b, got.Refresh)))
	other := b.c
	other.Secret = [32]byte{2}
	if _, err := New(t.Context(), other); err == nil {
		t.Error("the keys can be read with another secret")
	}
}

// FuzzRead checks that a token that this server did not sign has no claims. The
// processes of a fuzzer do not share random values, so the key is constant.
func FuzzRead(f *testing.F) {
	raw := credential.DeriveKey([]byte("a secret"), "a signing key")
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw[:])
	if err != nil {
		f.Fatal(err)
	}
	key := jose.JSONWebKey{Key: private, KeyID: "1", Algorithm: string(jose.ES256), Use: "sig"}
	const issuer = "https://tides.example.org/pro/mcp"
	empty, err := bolt.Open(filepath.Join(f.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { empty.Close() })
	s := &accessTokens{
		&site{issuer: issuer, resource: issuer},
		&signingKeys{
			store: empty, log: slog.New(slog.DiscardHandler), keys: [2]signingKey{{JWK: key}, {JWK: key}},
		},
	}
	want := tokenClaims{Claims: jwt.Claims{Issuer: s.issuer, Audience: jwt.Audience{s.resource},
		Subject: "account", Expiry: jwt.NewNumericDate(logintest.Start)}, Client: "client",
		Scope: "mcp:use", Grant: "grant"}
	good := forge(f, jose.ES256, key, tokenType, want)
	if got, err := s.parse(f.Context(), good); err != nil || !reflect.DeepEqual(got, want) {
		f.Fatalf("read(%s) = %+v, %v, want %+v", good, got, err, want)
	}
	head, rest, _ := strings.Cut(good, ".")
	other := want
	other.Subject = "another"
	_, of, _ := strings.Cut(forge(f, jose.ES256, key, tokenType, other), ".")
	claimed, _, _ := strings.Cut(of, ".")
	f.Add(good)
	f.Add(rest)
	f.Add(head + "." + claimed + good[strings.LastIndex(good, "."):])
	f.Add(head + "." + strings.Repeat(rest, 3))
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + rest)
	f.Fuzz(func(t *testing.T, token string) {
		if got, err := s.parse(t.Context(), token); err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q says %+v", token, got)
		}
	})
}

// meeting is a store in which two callers read the same signing keys, or miss them, before one of
// them stores new ones.
type meeting struct {
	store.Store
	both *sync.WaitGroup
}

func (s *meeting) expect() {
	s.both = new(sync.WaitGroup)
	s.both.Add(2)
}

func (s *meeting) SwapMeta(
	ctx context.Context, name string, old, value []byte, events ...store.Event,
) error {
	s.both.Done()
	s.both.Wait()
	return s.Store.SwapMeta(ctx, name, old, value, events...)
}

// TestKeysTogether checks that two processes that create or renew the keys at the same time use the
// same ones, which are those of the store.
func TestKeysTogether(t *testing.T) {
	b := newBench(t)
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, shared := b.c, &meeting{Store: s}
	c.Store = shared
	var processes [2]*signingKeys
	both := func(do func(i int) error) {
		t.Helper()
		shared.expect()
		var running sync.WaitGroup
		for i := range processes {
			running.Go(func() {
				if err := do(i); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
	check := func(what string) (ids []string) {
		t.Helper()
		stored, err := openSigning(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := stored.current()
		for i, p := range processes {
			got, due := p.current()
			if got[0].JWK.KeyID != want[0].JWK.KeyID || got[1].JWK.KeyID != want[1].JWK.KeyID ||
				!due.Equal(want[1].Created.Add(keyLife)) {
				t.Errorf("%s: process %d has the keys %v, want %v", what, i, got, want)
			}
		}
		return []string{want[0].JWK.KeyID, want[1].JWK.KeyID}
	}
	both(func(i int) (err error) {
		processes[i], err = openSigning(t.Context(), c)
		return err
	})
	first := check("created")
	for range 2 {
		b.Pass(keyLife)
		both(func(i int) error {
			processes[i].key(t.Context())
			return nil
		})
		if next := check("renewed"); next[0] != first[1] || next[1] == first[0] {
			t.Errorf("the keys %v were renewed as %v", first, next)
		} else {
			first = next
		}
	}
}

// counted counts the reads of facts.
type counted struct {
	store.Store
	reads atomic.Int64
}

func (s *counted) Meta(ctx context.Context, name string) ([]byte, error) {
	s.reads.Add(1)
	return s.Store.Meta(ctx, name)
}

// TestKeysOfOthers checks that a process learns of keys that another one has made: from the change
// of the store, or from a token with an unknown key, for which it reads them once a second at most.
func TestKeysOfOthers(t *testing.T) {
	b := newBench(t)
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	shared := &counted{Store: s}
	c := b.c
	c.Store = shared
	var processes [3]*signingKeys
	for i := range processes {
		if processes[i], err = openSigning(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	b.Pass(keyLife)
	processes[0].key(t.Context())
	keys, _ := processes[0].current()
	newest := keys[1].JWK.KeyID
	knows := func(g *signingKeys) bool {
		keys, _ := g.current()
		return keys[1].JWK.KeyID == newest
	}
	processes[1].invalidate([]store.Change{{Key: "another"}})
	processes[1].refresh(t.Context())
	if knows(processes[1]) {
		t.Error("the keys were read for a change of something else")
	}
	processes[1].invalidate([]store.Change{{Key: "another"}, {Fact: signingFact}})
	processes[1].refresh(t.Context())
	if !knows(processes[1]) {
		t.Error("the keys were not read after their change")
	}
	processes[2].find(t.Context(), newest)
	if !knows(processes[2]) {
		t.Error("the keys were not read for an unknown key")
	}
	before := shared.reads.Load()
	for range 100 {
		processes[2].find(t.Context(), "nobody's")
	}
	if n := shared.reads.Load() - before; n > 20 { // of a machine that took seconds for this
		t.Errorf("the keys were read %d times for 100 tokens of others", n)
	}
}
