package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/session"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	assertionType    = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	longestAssertion = 16 << 10  // bytes
	assertionLife    = time.Hour // at most; ours: clients differ, from one minute on
	mostAssertions   = 100_000   // that are remembered, in some 10 MB
	mostKeys         = 50        // of a client
	leastModulus     = 2048      // bits: RFC 7518, section 3.3
)

// assertionAlgorithms are those that clients may sign with. They need a public
// key each, of its own kind: none, and what takes the key for a shared secret,
// are not among them.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256}

// signer is what a client signs assertions with.
type signer struct {
	at         string // the address of its keys, "" where keys has them
	keys       []clientKey
	algorithms []jose.SignatureAlgorithm // none: it signs nothing
}

// clientKey is a public key of a client.
type clientKey struct {
	id        string // "" for none
	algorithm jose.SignatureAlgorithm
	public    any
}

// newKeys returns the keys that clients publish beside what they say of
// themselves.
func newKeys(f *fetcher) *documents[[]clientKey] {
	return &documents[[]clientKey]{fetcher: f, what: "The list of the app's keys", accept: "application/json, application/jwk-set+json", read: readKeys, found: map[string]fetched[[]clientKey]{}}
}

// readKeys reads a list of keys (RFC 7517, section 5). Keys for other uses are
// left out; one that should be secret spoils the list, for everybody has read
// it.
func readKeys(_ string, text []byte) (keys []clientKey, fault string) {
	var list struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, "it is no JSON of the right form"
	}
	if len(list.Keys) > mostKeys {
		return nil, "it has more than 50 keys"
	}
	for _, text := range list.Keys {
		if isSecret(text) {
			return nil, "it has a key that is not public"
		}
		if key, ok := readKey(text); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, "it has no key for RS256 or ES256"
	}
	return keys, ""
}

// isSecret reports whether a key has members that no public key has (RFC 7518,
// section 6).
func isSecret(text []byte) bool {
	var members map[string]json.RawMessage
	json.Unmarshal(text, &members) // what has no members has no such one
	return slices.ContainsFunc([]string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"}, func(name string) bool {
		_, there := members[name]
		return there
	})
}

// readKey reads a public key, where it is one to verify with.
func readKey(text []byte) (k clientKey, ok bool) {
	var key jose.JSONWebKey
	if key.UnmarshalJSON(text) != nil || key.Use != "" && key.Use != "sig" {
		return k, false
	}
	k = clientKey{id: key.KeyID, public: key.Key}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		k.algorithm, ok = jose.RS256, public.N.BitLen() >= leastModulus // and at most 4096, or it was not read
	case *ecdsa.PublicKey:
		k.algorithm, ok = jose.ES256, public.Curve == elliptic.P256()
	}
	return k, ok && (key.Algorithm == "" || key.Algorithm == string(k.algorithm))
}

// assertion is what a client has signed to say who it is (RFC 7523, section 3),
// or so it says.
type assertion struct {
	jwt.Claims
	jws    *jose.JSONWebSignature
	header jose.Header
}

// asserts reports whether a form comes with an assertion. What is empty is not
// there (RFC 6749, section 3.2).
func asserts(form url.Values) bool {
	return form.Get("client_assertion") != "" || form.Get("client_assertion_type") != ""
}

// readAsserted returns the assertion of a form, which its client has signed. All
// that can be said without its keys is said before anything is fetched. It is
// not spent yet.
func (s *Server) readAsserted(ctx context.Context, r *http.Request) (a assertion, err error) {
	a, err = readAssertion(r.PostForm)
	if err != nil {
		return a, err
	}
	if err := s.checkClaims(a, r); err != nil {
		return a, err
	}
	c, err := s.client(ctx, session.Address(ctx), a.Subject)
	if err != nil {
		return a, unproven(err)
	}
	if !slices.Contains(c.Signs.algorithms, jose.SignatureAlgorithm(a.header.Algorithm)) {
		return a, invalidClient("the client does not say of itself that it signs client_assertion in this way")
	}
	if err := s.checkSignature(ctx, c, a); err != nil {
		return a, err
	}
	return a, nil
}

// readAssertion takes an assertion apart.
func readAssertion(form url.Values) (a assertion, err error) {
	text := form.Get("client_assertion")
	switch {
	case form.Get("client_assertion_type") != assertionType:
		return a, invalidClient("client_assertion_type must be " + assertionType)
	case len(text) > longestAssertion:
		return a, invalidClient("client_assertion is longer than 16 KiB")
	}
	if a.jws, err = jose.ParseSignedCompact(text, assertionAlgorithms); err != nil {
		return a, invalidClient("client_assertion is no JWT that is signed with RS256 or ES256")
	}
	a.header = a.jws.Signatures[0].Header
	if _, critical := a.header.ExtraHeaders["crit"]; critical {
		return a, invalidClient("client_assertion has crit in its header, of which nothing is understood here")
	}
	if err := json.Unmarshal(a.jws.UnsafePayloadWithoutVerification(), &a.Claims); err != nil {
		return a, invalidClient("the claims of client_assertion cannot be read")
	}
	return a, nil
}

// checkClaims returns an error where an assertion does not say what the one of
// a client says that sends it here and now. It is for one of the endpoints, or
// for the server as a whole.
func (s *Server) checkClaims(a assertion, r *http.Request) error {
	now, form := s.c.Now(), r.PostForm
	forUs := func(audience string) bool {
		return slices.Contains([]string{s.issuer, s.c.Base + tokenPath, s.c.Base + r.URL.Path}, audience)
	}
	switch {
	case a.Issuer != a.Subject || form.Get("client_id") != "" && form.Get("client_id") != a.Subject:
		return invalidClient("iss and sub of client_assertion must both be the client_id")
	case !strings.Contains(a.Subject, ":") || describedFault(a.Subject) != "":
		return invalidClient("client_assertion is for clients with a public https address for their id")
	case !slices.ContainsFunc(a.Audience, forUs):
		return invalidClient("client_assertion is not for this server: aud must have " + s.issuer)
	case a.Expiry == nil || a.Expiry.Time().After(now.Add(assertionLife+clockLeeway)):
		return invalidClient("client_assertion must expire, at most an hour from now")
	case a.ValidateWithLeeway(jwt.Expected{Time: now}, clockLeeway) != nil:
		return invalidClient("client_assertion has expired, or begins in the future: make a new one each time")
	}
	return nil
}

// unproven is the error of an assertion that cannot be checked for what the
// client publishes, or does not.
func unproven(err error) error {
	fault, ok := errors.AsType[unknownClient](err)
	switch {
	case !ok:
		return err
	case fault.passing:
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", fault.why}
	}
	return invalidClient(fault.why)
}

// checkSignature returns an error where none of a client's keys has made an
// assertion. Where the keys that are kept have not, the client and its keys are
// looked up anew, for it may change and move them at any time.
func (s *Server) checkSignature(ctx context.Context, c client, a assertion) error {
	keys, err := s.keysOf(ctx, c, time.Time{})
	if err == nil && a.madeWith(keys) {
		return nil
	}
	after := s.c.Now().Add(-renewAfter)
	if c, err = s.documents.of(ctx, s.fetches, session.Address(ctx), c.ID, after); err != nil {
		return unproven(err)
	}
	if keys, err = s.keysOf(ctx, c, after); err != nil {
		return unproven(err)
	}
	if !a.madeWith(keys) {
		return invalidClient("client_assertion was not signed with a key that the client publishes now")
	}
	return nil
}

// keysOf returns the keys of a client, fetched after a time, from where they
// are: at an address of their own or in what it says of itself.
func (s *Server) keysOf(ctx context.Context, c client, after time.Time) ([]clientKey, error) {
	if c.Signs.at == "" {
		return c.Signs.keys, nil
	}
	return s.keys.of(ctx, s.fetches, session.Address(ctx), c.Signs.at, after)
}

// madeWith reports whether an assertion was signed with the key among those of
// its client that it names, or, where it names none, with the only one.
func (a assertion) madeWith(keys []clientKey) bool {
	named := slices.DeleteFunc(slices.Clone(keys), func(k clientKey) bool {
		return k.algorithm != jose.SignatureAlgorithm(a.header.Algorithm) || a.header.KeyID != "" && k.id != a.header.KeyID
	})
	if len(named) != 1 {
		return false
	}
	_, err := a.jws.Verify(named[0].public)
	return err == nil
}

// assertions are those that were spent and could come again. A restart forgets
// them: what they came with, a code or a refresh token, is good once by itself.
type assertions struct {
	now func() time.Time

	mu    sync.Mutex
	spent map[[32]byte]time.Time // until when it could come again
	swept time.Time
}

func newAssertions(now func() time.Time) *assertions {
	return &assertions{now: now, spent: map[[32]byte]time.Time{}}
}

// spend returns an error where an assertion was spent before.
func (s *assertions) spend(a assertion) error {
	now, name := s.now(), a.name()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.swept) >= time.Minute {
		s.sweep(now)
	}
	if _, again := s.spent[name]; again {
		return invalidClient("client_assertion was used before: make a new one each time")
	}
	if len(s.spent) >= mostAssertions {
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", "too many clients have signed in: try again in a minute"}
	}
	s.spent[name] = a.Expiry.Time().Add(clockLeeway)
	return nil
}

// sweep forgets assertions that have expired.
func (s *assertions) sweep(now time.Time) {
	s.swept = now
	for name, until := range s.spent {
		if now.After(until) {
			delete(s.spent, name)
		}
	}
}

// name tells assertions apart: by jti, or by all claims where there is none.
// Signatures do not, for of ES256 each has a second form.
func (a assertion) name() [32]byte {
	if a.ID != "" {
		return sha256.Sum256([]byte("jti\x00" + a.Subject + "\x00" + a.ID))
	}
	return sha256.Sum256([]byte("claims\x00" + a.Subject + "\x00" + string(a.jws.UnsafePayloadWithoutVerification())))
}
