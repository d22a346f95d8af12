package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"leadline/internal/session"
)

const (
	assertionType    = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	longestAssertion = 16 << 10  // bytes
	assertionLife    = time.Hour // maximum; our choice, because clients start at one minute
	maxAssertions    = 100_000   // maximum number remembered, in about 10 MB
)

// assertions reads and checks the assertions of clients. It remembers used
// assertions until they expire, so that they cannot be replayed. A restart
// clears them, but the code or the refresh token sent with an assertion is
// single-use by itself. It is safe for concurrent use.
type assertions struct {
	*site
	clients *clientDirectory

	mu    sync.Mutex
	used  map[[32]byte]time.Time // by hash, the time until which the assertion could be replayed
	swept time.Time
}

func newAssertions(s *site, c *clientDirectory) *assertions {
	return &assertions{site: s, clients: c, used: map[[32]byte]time.Time{}}
}

// assertion is a JWT with which a client authenticates (RFC 7523, section 3).
// Do not trust it until its signature has been checked.
type assertion struct {
	jwt.Claims
	jws    *jose.JSONWebSignature
	header jose.Header
}

// asserts reports whether a form contains an assertion. An empty parameter
// counts as absent (RFC 6749, section 3.2).
func asserts(form url.Values) bool {
	return form.Get("client_assertion") != "" || form.Get("client_assertion_type") != ""
}

// read returns the checked assertion of a form. All checks that do not need the
// client's keys run before anything is fetched. The assertion is not marked as
// used yet.
func (s *assertions) read(ctx context.Context, r *http.Request) (a assertion, err error) {
	a, err = readAssertion(r.PostForm)
	if err != nil {
		return a, err
	}
	if err := s.checkClaims(a, r); err != nil {
		return a, err
	}
	c, err := s.clients.get(ctx, session.Address(ctx), a.Subject)
	if err != nil {
		return a, unproven(err)
	}
	if !slices.Contains(c.Signs.algorithms, jose.SignatureAlgorithm(a.header.Algorithm)) {
		return a, invalidClient(
			"the metadata of the client does not list the algorithm of client_assertion")
	}
	if err := s.checkSignature(ctx, c, a); err != nil {
		return a, err
	}
	return a, nil
}

// readAssertion parses the assertion of a form.
func readAssertion(form url.Values) (a assertion, err error) {
	text := form.Get("client_assertion")
	switch {
	case form.Get("client_assertion_type") != assertionType:
		return a, invalidClient("client_assertion_type must be " + assertionType)
	case len(text) > longestAssertion:
		return a, invalidClient("client_assertion is longer than 16 KiB")
	}
	if a.jws, err = jose.ParseSignedCompact(text, assertionAlgorithms); err != nil {
		return a, invalidClient("client_assertion is not a JWT signed with RS256 or ES256")
	}
	a.header = a.jws.Signatures[0].Header
	if _, critical := a.header.ExtraHeaders["crit"]; critical {
		return a, invalidClient(
			"client_assertion has crit in its header: no critical extensions are supported")
	}
	if err := json.Unmarshal(a.jws.UnsafePayloadWithoutVerification(), &a.Claims); err != nil {
		return a, invalidClient("the claims of client_assertion cannot be read")
	}
	return a, nil
}

// checkClaims returns an error unless the claims of an assertion name the
// client of the request and this server or endpoint, and are valid now.
func (s *assertions) checkClaims(a assertion, r *http.Request) error {
	now, form := s.c.Now(), r.PostForm
	ours := []string{s.issuer, s.c.Base + tokenPath, s.c.Base + r.URL.Path}
	forUs := func(audience string) bool { return slices.Contains(ours, audience) }
	switch {
	case a.Issuer != a.Subject ||
		form.Get("client_id") != "" && form.Get("client_id") != a.Subject:
		return invalidClient("iss and sub of client_assertion must both be the client_id")
	case !strings.Contains(a.Subject, ":") || describedFault(a.Subject) != "":
		return invalidClient(
			"client_assertion is for clients with a public https address for their id")
	case !slices.ContainsFunc(a.Audience, forUs):
		return invalidClient("client_assertion is not for this server: aud must have " + s.issuer)
	case a.Expiry == nil || a.Expiry.Time().After(now.Add(assertionLife+clockLeeway)):
		return invalidClient("client_assertion must expire, at most an hour from now")
	case a.ValidateWithLeeway(jwt.Expected{Time: now}, clockLeeway) != nil:
		return invalidClient(
			"client_assertion has expired, or begins in the future: make a new one each time")
	}
	return nil
}

// unproven returns the error for an assertion whose keys cannot be read: the
// client's published data is missing, unusable or temporarily unavailable.
func unproven(err error) error {
	fault, ok := errors.AsType[unknownClient](err)
	switch {
	case !ok:
		return err
	case fault.temporary:
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", fault.why}
	}
	return invalidClient(fault.why)
}

// checkSignature returns an error unless an assertion was signed with one of
// the client's keys. If no cached key matches, it fetches the client and its
// keys again, because the client may change or move them at any time.
func (s *assertions) checkSignature(ctx context.Context, c oauthClient, a assertion) error {
	keys, err := s.clients.keysOf(ctx, c, time.Time{})
	if err == nil && a.madeWith(keys) {
		return nil
	}
	after := s.c.Now().Add(-renewAfter)
	c, err = s.clients.documents.of(ctx, s.clients.fetches, session.Address(ctx), c.ID, after)
	if err != nil {
		return unproven(err)
	}
	if keys, err = s.clients.keysOf(ctx, c, after); err != nil {
		return unproven(err)
	}
	if !a.madeWith(keys) {
		return invalidClient(
			"client_assertion was not signed with a key that the client publishes now")
	}
	return nil
}

// madeWith reports whether an assertion was signed with the client's key that
// it names. If it does not name a key, the client must have exactly one key for
// its algorithm.
func (a assertion) madeWith(keys []clientKey) bool {
	named := slices.DeleteFunc(slices.Clone(keys), func(k clientKey) bool {
		return k.algorithm != jose.SignatureAlgorithm(a.header.Algorithm) ||
			a.header.KeyID != "" && k.id != a.header.KeyID
	})
	if len(named) != 1 {
		return false
	}
	_, err := a.jws.Verify(named[0].public)
	return err == nil
}

// use marks an assertion as used. It returns an error if the assertion was used
// before.
func (s *assertions) use(a assertion) error {
	now, name := s.c.Now(), a.name()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.swept) >= time.Minute {
		s.sweep(now)
	}
	if _, again := s.used[name]; again {
		return invalidClient("client_assertion was used before: make a new one each time")
	}
	if len(s.used) >= maxAssertions {
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable",
			"too many clients have signed in: try again in a minute"}
	}
	s.used[name] = a.Expiry.Time().Add(clockLeeway)
	return nil
}

// sweep removes assertions that have expired.
func (s *assertions) sweep(now time.Time) {
	s.swept = now
	for name, until := range s.used {
		if now.After(until) {
			delete(s.used, name)
		}
	}
}

// name returns the identifier of an assertion: its jti, or all its claims if it
// does not have one. The signature cannot serve as an identifier, since every
// ES256 signature has a second valid form.
func (a assertion) name() [32]byte {
	if a.ID != "" {
		return sha256.Sum256([]byte("jti\x00" + a.Subject + "\x00" + a.ID))
	}
	claims := string(a.jws.UnsafePayloadWithoutVerification())
	return sha256.Sum256([]byte("claims\x00" + a.Subject + "\x00" + claims))
}
