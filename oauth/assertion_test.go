package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/login/logintest"
	"leadline/internal/session"

	"github.com/go-jose/go-jose/v4"
)

// Metadata members that declare that a client signs assertions, as in ChatGPT's
// metadata.
const (
	keysID   = "https://app.example.com/keys.json"
	mustSign = `,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_signing_alg":"RS256","jwks_uri":"` + keysID + `"`
	maySign  = mustSign + `,"token_endpoint_auth_methods_supported":["none","private_key_jwt"]`
)

// rsaKey and otherKey are created once, because creating them takes long.
var rsaKey, otherKey = sync.OnceValue(newRSAKey), sync.OnceValue(newRSAKey)

func newRSAKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func newECKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signs is a bench with a client that signs assertions, and the host of that
// client.
type signs struct {
	*bench
	registered
	asked atomic.Int64 // requests that the host received

	serving sync.Mutex
	files   map[string]http.HandlerFunc
	jtis    int
}

// newSigns starts a host that serves the metadata of a client with the
// additional members more, and creates the client's RSA key.
func newSigns(t *testing.T, more string) *signs {
	t.Helper()
	s := &signs{registered: registered{paperID, paperBack, strings.Repeat("v", 43)}}
	s.files = map[string]http.HandlerFunc{"/client.json": paper(paperID, more),
		"/keys.json": keyFile(t, publicKey("a", &rsaKey().PublicKey))}
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.serving.Lock()
		serve := s.files[r.URL.Path]
		s.serving.Unlock()
		if serve == nil {
			panic(http.ErrAbortHandler)
		}
		serve(w, r)
	}))
	t.Cleanup(host.Close)
	// as in production: a request on a reused connection may be retried
	host.Client().Transport.(*http.Transport).DisableKeepAlives = true
	s.bench = newBench(t, func(c *setup) { c.Documents = host.Client() })
	s.clients.fetches = session.NewThrottle(time.Hour, 1_000_000, s.Now)
	s.clients.documents.within, s.clients.keys.within = time.Minute, time.Minute
	return s
}

// serve replaces the handler of the host; a nil handler closes connections.
func (s *signs) serve(path string, serve http.HandlerFunc) {
	s.serving.Lock()
	defer s.serving.Unlock()
	s.files[path] = serve
}

func publicKey(id string, key any) jose.JSONWebKey {
	return jose.JSONWebKey{KeyID: id, Key: key, Use: "sig"}
}

// keyList returns a list of keys.
func keyList(t *testing.T, keys ...jose.JSONWebKey) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func keyFile(t *testing.T, keys ...jose.JSONWebKey) http.HandlerFunc {
	return paperText(keyList(t, keys...), "Content-Type", "application/jwk-set+json")
}

// claims returns the claims of a valid assertion with changes applied: names
// and values in pairs, where nil removes the claim.
func (s *signs) claims(changes ...any) map[string]any {
	s.jtis++
	now := s.Now().Unix()
	c := map[string]any{"iss": s.id, "sub": s.id, "aud": s.c.Base + tokenPath, "iat": now,
		"exp": now + 60, "jti": fmt.Sprint("jti", s.jtis)}
	for i := 0; i < len(changes); i += 2 {
		if c[changes[i].(string)] = changes[i+1]; changes[i+1] == nil {
			delete(c, changes[i].(string))
		}
	}
	return c
}

// sign returns signed claims; headers are names and values in pairs.
func sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, claims map[string]any,
	headers ...string) string {
	t.Helper()
	o := &jose.SignerOptions{}
	for i := 0; i < len(headers); i += 2 {
		o.WithHeader(jose.HeaderKey(headers[i]), headers[i+1])
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// good returns a valid assertion of the client.
func (s *signs) good(t *testing.T, changes ...any) string {
	t.Helper()
	return sign(t, jose.RS256, rsaKey(), s.claims(changes...), "kid", "a")
}

// with returns a form that includes an assertion.
func with(form url.Values, assertion string, changes ...string) url.Values {
	form = logintest.Changed(cloned(form), "client_assertion", assertion, "client_assertion_type",
		assertionType)
	return logintest.Changed(form, changes...)
}

// link connects the client to the account.
func (s *signs) link(t *testing.T) tokenResponse {
	t.Helper()
	return s.tokensOf(s.post(tokenPath,
		with(s.redemption(s.bench, s.browser().agree(s.registered)), s.good(t))))
}

// TestCase37SignedAssertions connects a client that must sign and one that may
// sign, with keys published at a URL and in the metadata.
func TestCase37SignedAssertions(t *testing.T) {
	inline := `,"token_endpoint_auth_method":"private_key_jwt","jwks":` + keyList(t,
		publicKey("a", &rsaKey().PublicKey))
	for name, test := range map[string]struct {
		more string
		must bool
	}{"must": {mustSign, true}, "may": {maySign, false}, "inline": {inline, true},
		"by the list": {strings.Replace(inline, `method":"private_key_jwt"`,
			`methods_supported":["private_key_jwt"]`, 1), true}} {
		t.Run(name, func(t *testing.T) {
			s := newSigns(t, test.more)
			unsigned := func(what, path string, form url.Values) {
				t.Helper()
				if test.must {
					s.wantError(what, s.post(path, form), http.StatusUnauthorized, "invalid_client")
				}
			}
			form := s.redemption(s.bench, s.browser().agree(s.registered))
			unsigned("code", tokenPath, form)
			first := s.tokensOf(s.post(tokenPath, with(form, s.good(t))))
			s.wantGood("signed", first.Access)
			unsigned("refresh", tokenPath, s.refreshing(s.bench, first.Refresh))
			second := s.tokensOf(s.post(tokenPath,
				with(s.refreshing(s.bench, first.Refresh),
					s.good(t, "aud", []string{"https://elsewhere.example/", s.issuer}), "client_id", "")))
			end := url.Values{"token": {second.Refresh}, "client_id": {s.id}}
			unsigned("revocation", revokePath, end)
			s.wantError("revocation, signed by another",
				s.post(revokePath, with(end, sign(t, jose.RS256, otherKey(), s.claims(), "kid", "a"))),
				http.StatusUnauthorized, "invalid_client")
			s.wantGood("before revocation", second.Access)
			if got := s.post(revokePath,
				with(end, s.good(t, "aud", s.c.Base+revokePath))); got.StatusCode != http.StatusOK {
				t.Errorf("revocation: %d %s", got.StatusCode, got.Text)
			}
			s.wantInactive("after revocation", second.Access)
			if strings.Contains(s.Logged.String(), "eyJ") {
				t.Errorf("the log has an assertion:\n%s", s.Logged)
			}
		})
	}
}

// TestCase37EitherWay checks that a client that may sign can choose each time
// whether to sign, and can continue while its own host is down. Whether it must
// sign was fixed when the person agreed.
func TestCase37EitherWay(t *testing.T) {
	s := newSigns(t, maySign)
	got := s.tokensOf(s.post(tokenPath, s.redemption(s.bench, s.browser().agree(s.registered))))
	asked := s.asked.Load()
	s.Pass(longestAge)
	s.serve("/client.json", nil)
	got = s.tokensOf(s.post(tokenPath, s.refreshing(s.bench, got.Refresh)))
	if now := s.asked.Load(); now != asked {
		t.Errorf("the host of a client that signs nothing received %d requests, want none", now-asked)
	}
	s.wantError("signed while the host is down",
		s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), s.good(t))),
		http.StatusServiceUnavailable, "temporarily_unavailable")
	s.Pass(time.Minute)
	s.serve("/client.json", paper(paperID, mustSign))
	got = s.tokensOf(s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), s.good(t))))
	got = s.tokensOf(s.post(tokenPath, s.refreshing(s.bench, got.Refresh)))
	s.wantGood("either way", got.Access)
	s.wantError("a code of the client with its present metadata",
		s.post(tokenPath, s.redemption(s.bench, s.browser().agree(s.registered))),
		http.StatusUnauthorized, "invalid_client")
	s.serve("/client.json", paper(paperID, ""))
	s.Pass(longestAge)
	s.wantError("signed by a client that no longer signs",
		s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), s.good(t))), http.StatusUnauthorized,
		"invalid_client")
}

// TestCase37BadAssertions checks that assertions from another client, for
// another server or for another time are refused and not marked as used.
func TestCase37BadAssertions(t *testing.T) {
	s := newSigns(t, mustSign)
	ec := newECKey(t)
	s.serve("/keys.json",
		keyFile(t, publicKey("a", &rsaKey().PublicKey), publicKey("ec", &ec.PublicKey),
			jose.JSONWebKey{KeyID: "enc", Key: &otherKey().PublicKey, Use: "enc"},
			jose.JSONWebKey{KeyID: "ps", Key: &otherKey().PublicKey, Algorithm: "PS256"}))
	got := s.link(t)
	now := s.Now().Unix()
	rs := func(changes ...any) string { return s.good(t, changes...) }
	other := func(key any,
		headers ...string) string {
		return sign(t, jose.RS256, key, s.claims(), headers...)
	}
	header := func(text string) string {
		_, rest, _ := strings.Cut(rs(), ".")
		return base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + rest
	}
	shared, _ := json.Marshal(publicKey("a", &rsaKey().PublicKey))
	for what, assertion := range map[string]string{
		"no JWT": "x", "two parts": "eyJhbGciOiJSUzI1NiJ9.e30",
		"too long":   rs("x", strings.Repeat("x", longestAssertion)),
		"a list":     sign(t, jose.RS256, rsaKey(), nil, "kid", "a"),
		"for nobody": rs("aud", nil), "for another": rs("aud", "https://elsewhere.example/oauth/token"),
		"for the base": rs("aud", s.c.Base), "for revocation": rs("aud", s.c.Base+revokePath),
		"for a longer one":      rs("aud", s.c.Base+tokenPath+"/"),
		"for the authorization": rs("aud", s.c.Base+authorizePath),
		"of nobody":             rs("iss", nil), "of another": rs("iss", "https://app.example.com/other.json"),
		"about nobody": rs("sub", nil), "about another": rs("sub", "https://app.example.com/other.json"),
		"of and about another": rs("iss", "https://app.example.com/other.json", "sub",
			"https://app.example.com/other.json"), "of and about nobody": rs("iss", nil, "sub", nil),
		"about a number": rs("sub", 1),
		"without an end": rs("exp", nil), "expired": rs("exp", now-31), "long": rs("exp", now+3631),
		"ends never": rs("exp", 1e300), "ends in words": rs("exp", "soon"),
		"made in the future": rs("iat", now+31), "not yet": rs("nbf", now+31),
		"HS256 with the public key": sign(t, jose.HS256, shared, s.claims(), "kid", "a"),
		"alg none":                  header(`{"alg":"none","kid":"a"}`), "no alg": header(`{"kid":"a"}`),
		"another header": header(`{"alg":"RS256","kid":"ec"}`),
		"another's key":  other(otherKey(), "kid", "a"),
		"another's key that it brings": other(jose.JSONWebKey{Key: otherKey()}, "kid", "a", "jku",
			"https://app.example.com/other.json"),
		"unknown key":                 other(rsaKey(), "kid", "b"),
		"a key for encryption":        other(otherKey(), "kid", "enc"),
		"a key for PS256":             other(otherKey(), "kid", "ps"),
		"RS512":                       sign(t, jose.RS512, rsaKey(), s.claims(), "kid", "a"),
		"PS256":                       sign(t, jose.PS256, rsaKey(), s.claims(), "kid", "a"),
		"ES256 of who has said RS256": sign(t, jose.ES256, ec, s.claims(), "kid", "ec"),
		"crit":                        header(`{"alg":"RS256","kid":"a","crit":["exp"]}`),
		"an access token":             got.Access,
		"a signature cut off": strings.TrimRight(rs(),
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
	} {
		s.wantError(what, s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), assertion)),
			http.StatusUnauthorized, "invalid_client")
	}
	for what, assertion := range map[string]string{
		"about to end": rs("exp", now-30), "long enough": rs("exp", now+3630),
		"a clock ahead":                 rs("iat", now+30, "nbf", now+30),
		"without a name or a beginning": rs("jti", nil, "iat", nil),
		"for the server":                rs("aud", s.issuer),
		"without a key's name":          sign(t, jose.RS256, rsaKey(), s.claims()),
		"of a type": sign(t, jose.RS256, rsaKey(), s.claims(), "kid", "a", "typ",
			"client-authentication+jwt"),
	} {
		got := s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), assertion))
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", what, got.StatusCode, got.Text)
		}
	}
}

// TestCase37CriticalHeader checks that a valid signature is refused for a critical
// header.
func TestCase37CriticalHeader(t *testing.T) {
	text := sign(t, jose.RS256, rsaKey(), map[string]any{"sub": paperID})
	_, rest, _ := strings.Cut(text, ".")
	for header, want := range map[string]string{`{"alg":"RS256"}`: "",
		`{"alg":"RS256","crit":["b64"],"b64":true}`: "crit", `{"alg":"RS256","crit":[]}`: "crit"} {
		compact := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + rest
		_, err := readAssertion(url.Values{"client_assertion": {compact},
			"client_assertion_type": {assertionType}})
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("readAssertion with %s: %v, want %q", header, err, want)
		}
	}
}

// TestCase37OneWay checks that an assertion must be complete, must be the only
// authentication, and must come from a client with metadata.
func TestCase37OneWay(t *testing.T) {
	s := newSigns(t, mustSign)
	got := s.link(t)
	form := s.refreshing(s.bench, got.Refresh)
	app := s.register("app")
	for what, test := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"with a secret": {with(form, s.good(t), "client_secret", "x"), 400,
			"invalid_request"},
		"twice": {url.Values{"client_assertion": {"x", "y"}}, 400,
			"invalid_request"},
		"without its type": {with(form, s.good(t), "client_assertion_type", ""), 401,
			"invalid_client"},
		"of another type": {with(form, s.good(t), "client_assertion_type",
			"urn:ietf:params:oauth:client-assertion-type:saml2-bearer"), 401, "invalid_client"},
		"the type alone":    {with(form, ""), 401, "invalid_client"},
		"of another client": {with(form, s.good(t), "client_id", app.id), 401, "invalid_client"},
		"of one that has registered": {with(app.refreshing(s.bench, got.Refresh),
			s.good(t, "iss", app.id, "sub", app.id)), 401, "invalid_client"},
		"for a grant of another": {with(form, s.good(t), "refresh_token", s.connect(app).Refresh),
			400, "invalid_grant"},
	} {
		s.wantError(what, s.post(tokenPath, test.form), test.status, test.code)
	}
	w := s.browser()
	r := w.Request(http.MethodPost, tokenPath, with(form, s.good(t)).Encode())
	r.SetBasicAuth(url.QueryEscape(s.id), "")
	s.wantError("with Basic", w.Do(r), http.StatusBadRequest, "invalid_request")
	s.wantError("empty, so absent", s.post(tokenPath, changedTo(form, "client_assertion", "")),
		http.StatusUnauthorized, "invalid_client")
	s.tokensOf(s.post(tokenPath, with(form, s.good(t))))
}

// changedTo returns a form with one value replaced; the new value may be empty.
func changedTo(form url.Values, name, value string) url.Values {
	form = cloned(form)
	form.Set(name, value)
	return form
}

// TestCase37AssertionsAreGoodOnce checks that an assertion is single-use across
// all endpoints, with or without a jti, and in both forms of its signature.
func TestCase37AssertionsAreGoodOnce(t *testing.T) {
	key := newECKey(t)
	s := newSigns(t, strings.Replace(mustSign, "RS256", "ES256", 1))
	s.serve("/keys.json", keyFile(t, publicKey("a", &key.PublicKey)))
	es := func(changes ...any) string {
		return sign(t, jose.ES256, key, s.claims(append(changes, "aud", s.issuer)...), "kid", "a")
	}
	got := s.tokensOf(s.post(tokenPath,
		with(s.redemption(s.bench, s.browser().agree(s.registered)), es())))
	form := s.refreshing(s.bench, got.Refresh)
	for what, assertion := range map[string]string{"named": es(), "nameless": es("jti", nil, "x", 1),
		"to the end": es("exp", s.Now().Unix()-30)} {
		s.tokensOf(s.post(tokenPath, with(form, assertion)))
		s.wantError(what+" again", s.post(tokenPath, with(form, assertion)), http.StatusUnauthorized,
			"invalid_client")
		s.wantError(what+", for the other form of its signature",
			s.post(tokenPath, with(form, turned(t, assertion))), http.StatusUnauthorized, "invalid_client")
		s.wantError(what+" elsewhere",
			s.post(revokePath, with(url.Values{"token": {got.Refresh}}, assertion)), http.StatusUnauthorized,
			"invalid_client")
	}
	s.wantError("a name that was used", s.post(tokenPath, with(form, es("jti", "jti1"))),
		http.StatusUnauthorized, "invalid_client")
	long := es("exp", s.Now().Unix()+3600)
	s.tokensOf(s.post(tokenPath, with(form, long)))
	s.Pass(refreshGrace - time.Second)
	next := s.tokensOf(s.post(tokenPath, with(form, es())))
	s.Pass(assertionLife - refreshGrace)
	s.wantError("again, much later", s.post(tokenPath, with(form, long)), http.StatusUnauthorized,
		"invalid_client")
	answers := func(assertion string) (won int) {
		for _, got := range together(20,
			func() logintest.Reply {
				return s.post(tokenPath,
					with(s.refreshing(s.bench, next.Refresh), assertion))
			}) {
			if got.StatusCode == http.StatusOK {
				won++
			}
		}
		return won
	}
	late := es()
	if won := answers(late); won != 1 {
		t.Errorf("%d of 20 concurrent uses succeeded, want 1", won)
	}
	s.Pass(time.Minute + clockLeeway)
	if won := answers(late); won != 0 {
		t.Errorf("%d uses in the last second succeeded, want none", won)
	}
}

// turned returns an assertion with the other valid form of its ES256 signature.
func turned(t *testing.T, assertion string) string {
	t.Helper()
	end := strings.LastIndexByte(assertion, '.') + 1
	signature, err := base64.RawURLEncoding.DecodeString(assertion[end:])
	if err != nil || len(signature) != 64 {
		t.Fatalf("a signature of %d bytes, %v", len(signature), err)
	}
	s := new(big.Int).SetBytes(signature[32:])
	s.Sub(elliptic.P256().Params().N, s).FillBytes(signature[32:])
	return assertion[:end] + base64.RawURLEncoding.EncodeToString(signature)
}

// TestCase37AssertionsAreForgotten checks that assertions are removed after
// they expire, and that their number is limited.
func TestCase37AssertionsAreForgotten(t *testing.T) {
	s := newSigns(t, mustSign)
	got := s.link(t)
	until := s.Now().Add(time.Hour)
	for i := range maxAssertions - 1 {
		s.assertions.used[[32]byte{1, byte(i), byte(i >> 8), byte(i >> 16)}] = until
	}
	form := s.refreshing(s.bench, got.Refresh)
	s.wantError("full", s.post(tokenPath, with(form, s.good(t))), http.StatusServiceUnavailable,
		"temporarily_unavailable")
	s.Pass(time.Hour + time.Second)
	s.tokensOf(s.post(tokenPath, with(form, s.good(t))))
	if n := len(s.assertions.used); n != 1 {
		t.Errorf("%d assertions are remembered, want only the newest", n)
	}
}

// TestCase37KeysChange checks that an unknown key is looked up at most once a
// minute, and that cached keys remain valid while the host is down.
func TestCase37KeysChange(t *testing.T) {
	for name, inline := range map[string]bool{"at an address": false, "inline": true} {
		t.Run(name, func(t *testing.T) {
			keys := func(id string, key any) (path string, serve http.HandlerFunc) {
				if inline {
					return "/client.json",
						paper(paperID,
							`,"token_endpoint_auth_method":"private_key_jwt","jwks":`+keyList(t, publicKey(id, key)))
				}
				return "/keys.json", keyFile(t, publicKey(id, key))
			}
			looked := int64(2) // the metadata, which may name another URL, and the keys
			if inline {
				looked = 1
			}
			s := newSigns(t, mustSign)
			path, serve := keys("a", &rsaKey().PublicKey)
			s.serve(path, serve)
			got := s.link(t)
			ask := func(what, kid string, key any, status int, fetched int64) {
				t.Helper()
				before := s.asked.Load()
				got := s.post(revokePath,
					with(url.Values{"token": {"x"}},
						sign(t, jose.RS256, key, s.claims("aud", s.issuer), "kid", kid)))
				if now := s.asked.Load() - before; got.StatusCode != status || now != fetched {
					t.Errorf("%s: got %d %s after %d fetches, want %d after %d", what, got.StatusCode, got.Text,
						now, status, fetched)
				}
			}
			ask("the old key", "a", rsaKey(), 200, 0)
			s.serve(keys("b", &otherKey().PublicKey))
			ask("the new key at once", "b", otherKey(), 401, 0)
			s.Pass(renewAfter)
			ask("the old key, later", "a", rsaKey(), 200, 0)
			s.serve(path, nil)
			ask("the new key while the host is down", "b", otherKey(), 503, looked)
			ask("the new key after that", "b", otherKey(), 401, 0)
			ask("the old key while the host is down", "a", rsaKey(), 200, 0)
			s.Pass(renewAfter)
			s.serve(keys("b", &otherKey().PublicKey))
			ask("the new key, later", "b", otherKey(), 200, looked)
			ask("the old key after the change", "a", rsaKey(), 401, 0)
			s.serve(keys("b", &rsaKey().PublicKey))
			s.Pass(renewAfter)
			ask("another key by the same name", "b", rsaKey(), 200, looked)
			s.wantGood("meanwhile", got.Access)
		})
	}
}

// TestCase49KeysAreFetchedAlike checks that keys and metadata are fetched under
// the same rules.
func TestCase49KeysAreFetchedAlike(t *testing.T) {
	good := keyList(t, publicKey("a", &rsaKey().PublicKey))
	private := keyList(t, publicKey("a", &rsaKey().PublicKey), publicKey("b", otherKey()))
	many := strings.Repeat(strings.TrimSuffix(strings.TrimPrefix(keyList(t,
		publicKey("x", &newECKey(t).PublicKey)), `{"keys":[`), `]}`)+",", maxKeys)
	for name, test := range map[string]struct {
		serve  http.HandlerFunc
		status int
	}{
		"JSON": {paperText(good), 200},
		"keys of other types": {paperText(strings.Replace(good, "[",
			`[5,{"kty":"new","kid":"a"},{"kty":"RSA","kid":"a"},`, 1)), 200},
		"down":      {nil, 503},
		"error":     {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, 503},
		"too often": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(429) }, 503},
		"slow":      {paperStuck(`{"keys":`), 503},
		"not found": {http.NotFound, 401},
		"redirect": {func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, "/good.json", http.StatusFound)
		}, 401},
		"page":          {paperText(good, "Content-Type", "text/html"), 401},
		"compressed":    {paperText(good, "Content-Encoding", "gzip"), 401},
		"64 KiB more":   {paperText(good + strings.Repeat(" ", 64<<10)), 401},
		"no JSON":       {paperText("keys"), 401},
		"no list":       {paperText("{}"), 401},
		"none":          {paperText(`{"keys":[]}`), 401},
		"a description": {paper(paperID, mustSign), 401},
		"private":       {paperText(private), 401},
		"shared": {paperText(strings.Replace(good, "[", `[{"kty":"oct","k":"c2VjcmV0"},`, 1)),
			401},
		"too many": {paperText(strings.Replace(good, "[", "["+many, 1)), 401},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSigns(t, mustSign)
			s.serve("/keys.json", test.serve)
			s.serve("/good.json", paperText(good))
			form := s.redemption(s.bench, s.browser().agree(s.registered))
			if name == "slow" {
				s.clients.keys.within = 300 * time.Millisecond
			}
			code := map[int]string{401: "invalid_client", 503: "temporarily_unavailable"}[test.status]
			for range 2 {
				if got := s.post(tokenPath, with(form, s.good(t))); test.status != 200 {
					s.wantError("tokens", got, test.status, code)
				} else if got.StatusCode == 200 {
					s.wantGood("tokens", s.tokensOf(got).Access)
					return
				} else {
					t.Fatalf("tokens: %d %s", got.StatusCode, got.Text)
				}
			}
			if asked := s.asked.Load(); asked > 2 { // one for the metadata and one failed request
				t.Errorf("%d requests, want 2", asked)
			}
			s.Pass(faultKept)
			s.serve("/keys.json", paperText(good))
			s.post(tokenPath, with(form, s.good(t)))
			if asked := s.asked.Load(); asked > 3 {
				t.Errorf("%d requests, want 3", asked)
			}
		})
	}
}

// TestCase49KeysOfPrivateAddresses checks that keys are not fetched from private
// addresses, nor for a network with too many look-ups.
func TestCase49KeysOfPrivateAddresses(t *testing.T) {
	dialer := publicDialer()
	dialer.Resolver = zone(t, []string{"127.0.0.1", "10.0.0.1"})
	s := newSigns(t, mustSign)
	if s.clients.keys.fetcher != s.clients.documents.fetcher {
		t.Error("keys and metadata are fetched by two fetchers that do not share limits")
	}
	form := with(s.redemption(s.bench, s.browser().agree(s.registered)), s.good(t))
	s.clients.fetches = session.NewThrottle(time.Hour, 0, s.Now)
	s.wantError("too many look-ups", s.post(tokenPath, form), http.StatusServiceUnavailable,
		"temporarily_unavailable")
	s.clients.fetches = session.NewThrottle(time.Hour, 1, s.Now)
	s.clients.keys = newKeys(newFetcher(&http.Client{Transport: publicTransport(dialer)}, s.Now))
	got := s.post(tokenPath, form)
	s.wantError("inside", got, http.StatusUnauthorized, "invalid_client")
	if !strings.Contains(got.Text, "not on the public internet") || strings.Contains(got.Text, "127") {
		t.Errorf("inside: got %s", got.Text)
	}
}

// TestCase48Keys checks which keys metadata may contain.
func TestCase48Keys(t *testing.T) {
	p := newPapers(t)
	inline := keyList(t, publicKey("a", &rsaKey().PublicKey))
	method := `,"token_endpoint_auth_method":"private_key_jwt"`
	at := func(address string) string { return method + `,"jwks_uri":"` + address + `"` }
	for more, want := range map[string]string{
		mustSign: methodKey, maySign: methodNone, method + `,"jwks":` + inline: methodKey,
		at(keysID) + `,"jwks":null`: methodKey, at("https://keys.example.org/x"): methodKey,
		`,"token_endpoint_auth_methods_supported":["private_key_jwt"],"jwks_uri":"` + keysID +
			`"`: methodKey,
		`,"token_endpoint_auth_methods_supported":["tls_client_auth","none"]`: methodNone,
		`,"token_endpoint_auth_method":"none","jwks_uri":"http://x/"`:         methodNone,
		`,"jwks":5`: methodNone,
		`,"token_endpoint_auth_method":"tls_client_auth","token_endpoint_auth_methods_supported":["none"]`: methodNone,
		method: "", method + `,"jwks":null`: "", at(keysID) + `,"jwks":` + inline: "",
		maySign + `,"jwks":` + inline:                                         methodNone,
		`,"token_endpoint_auth_methods_supported":["none","private_key_jwt"]`: methodNone,
		at("http://app.example.com/keys.json"):                                "", at("https://app.example.com:8443/keys.json"): "",
		at("https://app.example.com/keys.json?x"): "", at("https://app.example.com/keys.json#x"): "",
		at("https://app.example.com/"):    "",
		at("https://127.0.0.1/keys.json"): "", at("https://10.0.0.1/keys.json"): "",
		at("https://localhost/keys.json"): "", at("https://[::1]/keys.json"): "",
		at("https://u:p@app.example.com/keys.json"):  "",
		at("https://app.example.com/a/../keys.json"): "", at("file:///keys.json"): "",
		method + `,"jwks":` + keyList(t, publicKey("a", rsaKey())):    "",
		method + `,"jwks":` + keyList(t, publicKey("a", newECKey(t))): "",
		method + `,"jwks":{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`:    "", method + `,"jwks":[]`: "",
		method + `,"jwks":{"keys":[]}`:                                 "",
		strings.Replace(mustSign, "RS256", "HS256", 1):                 "",
		strings.Replace(mustSign, "RS256", "none", 1):                  "",
		strings.Replace(mustSign, "RS256", "PS256", 1):                 "",
		`,"token_endpoint_auth_methods_supported":["tls_client_auth"]`: "",
		`,"token_endpoint_auth_methods_supported":[]`:                  "",
	} {
		p.serve = paper(paperID, more)
		p.now = p.now.Add(longestAge)
		c, err := p.ask(t, paperID)
		if want == "" && !errors.Is(err, errUnknownClient) || want != "" &&
			(err != nil || c.Method != want) {
			t.Errorf("%s: got %q, %v, want %q", more, c.Method, err, want)
		}
	}
}

// TestCase37KeysThatFit checks which keys in a list are used for which
// algorithm.
func TestCase37KeysThatFit(t *testing.T) {
	ec := newECKey(t)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short := &rsa.PublicKey{N: new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 1023), big.NewInt(1)),
		E: 65537}
	huge := &rsa.PublicKey{N: new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 4096), big.NewInt(1)),
		E: 65537}
	for name, test := range map[string]struct {
		key  jose.JSONWebKey
		want jose.SignatureAlgorithm
	}{
		"RSA": {jose.JSONWebKey{Key: &rsaKey().PublicKey}, jose.RS256},
		"for RS256": {jose.JSONWebKey{Key: &rsaKey().PublicKey, Algorithm: "RS256", Use: "sig"},
			jose.RS256}, "P-256": {jose.JSONWebKey{Key: &ec.PublicKey}, jose.ES256},
		"for encryption":  {jose.JSONWebKey{Key: &rsaKey().PublicKey, Use: "enc"}, ""},
		"for PS256":       {jose.JSONWebKey{Key: &rsaKey().PublicKey, Algorithm: "PS256"}, ""},
		"for HS256":       {jose.JSONWebKey{Key: &rsaKey().PublicKey, Algorithm: "HS256"}, ""},
		"P-256 for RS256": {jose.JSONWebKey{Key: &ec.PublicKey, Algorithm: "RS256"}, ""},
		"P-384":           {jose.JSONWebKey{Key: &p384.PublicKey}, ""},
		"short":           {jose.JSONWebKey{Key: short}, ""},
		"huge":            {jose.JSONWebKey{Key: huge}, ""},
	} {
		keys, fault := readKeys("", []byte(keyList(t, test.key)))
		if test.want == "" && fault == "" || test.want != "" &&
			(len(keys) != 1 || keys[0].algorithm != test.want) {
			t.Errorf("%s: got %v, %q, want %q", name, keys, fault, test.want)
		}
	}
}

// TestCase37NamelessKeys checks that an assertion without a key id is accepted
// only if the client has exactly one key for its algorithm.
func TestCase37NamelessKeys(t *testing.T) {
	rsa, other := clientKey{"", jose.RS256, &rsaKey().PublicKey},
		clientKey{"b", jose.RS256, &otherKey().PublicKey}
	ec := clientKey{"ec", jose.ES256, &newECKey(t).PublicKey}
	a, err := readAssertion(with(nil, sign(t, jose.RS256, rsaKey(), map[string]any{"sub": paperID})))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		keys []clientKey
		want bool
	}{"one": {[]clientKey{rsa}, true}, "one of its kind": {[]clientKey{ec, rsa}, true},
		"two": {[]clientKey{rsa, other}, false}, "another": {[]clientKey{other}, false},
		"none": {nil, false}} {
		if got := a.madeWith(test.keys); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func FuzzReadKeys(f *testing.F) {
	f.Add([]byte(
		`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"","y":""}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, fault := readKeys("", text)
		if (len(keys) > 0) == (fault != "") {
			t.Errorf("readKeys(%q) = %v, %q", text, keys, fault)
		}
	})
}

func FuzzReadAssertion(f *testing.F) {
	f.Add("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readAssertion(url.Values{"client_assertion": {text},
			"client_assertion_type": {assertionType}})
		if err == nil && a.madeWith(nil) {
			t.Errorf("readAssertion(%q): verified without a key", text)
		}
	})
}

// BenchmarkAssertion measures the authentication of a client by its assertion,
// with a cached key.
func BenchmarkAssertion(b *testing.B) {
	keys := []clientKey{{"a", jose.RS256, &rsaKey().PublicKey}}
	form := with(nil,
		sign(b, jose.RS256, rsaKey(), map[string]any{"iss": paperID, "sub": paperID}, "kid", "a"))
	for b.Loop() {
		if a, err := readAssertion(form); err != nil || !a.madeWith(keys) {
			b.Fatal(err)
		}
	}
}

// TestCase37StrangersSpendNothing checks that an assertion from a client
// without a grant is not remembered, and cannot displace others.
func TestCase37StrangersSpendNothing(t *testing.T) {
	s := newSigns(t, mustSign)
	got := s.link(t)
	before := len(s.assertions.used)
	assertion := s.good(t)
	for range 3 {
		s.wantError("no such token", s.post(tokenPath, with(s.refreshing(s.bench, "x"), assertion)),
			http.StatusBadRequest, "invalid_grant")
	}
	if now := len(s.assertions.used); now != before {
		t.Errorf("%d assertions are remembered, want %d", now, before)
	}
	s.tokensOf(s.post(tokenPath, with(s.refreshing(s.bench, got.Refresh), assertion)))
}

// TestCase37KeysMove checks that after a client moves its keys to another URL,
// the new keys are used at once, although the metadata is cached.
func TestCase37KeysMove(t *testing.T) {
	s := newSigns(t, mustSign)
	got := s.link(t)
	s.serve("/other.json", keyFile(t, publicKey("b", &otherKey().PublicKey)))
	s.serve("/client.json", paper(paperID, strings.Replace(mustSign, "/keys.json", "/other.json", 1)))
	s.Pass(renewAfter)
	form := s.refreshing(s.bench, got.Refresh)
	s.tokensOf(s.post(tokenPath,
		with(form, sign(t, jose.RS256, otherKey(), s.claims("aud", s.issuer), "kid", "b"))))
}
