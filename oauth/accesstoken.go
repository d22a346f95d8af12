package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"leadline/internal/access/credential"
	"leadline/internal/edge"
	"leadline/store"
)

// tokenLife limits how long an access token is valid. If it were shorter, some
// clients would ask people to reconnect every day.
const tokenLife = time.Hour

// tokenType is the type of an access token (RFC 9068, section 2.1). It
// distinguishes access tokens from other tokens that the same keys sign.
const tokenType = "at+jwt"

// accessTokens signs and verifies access tokens.
type accessTokens struct {
	*site
	keys *signingKeys
}

// tokenClaims are the claims of an access token (RFC 9068, section 2.2).
type tokenClaims struct {
	jwt.Claims
	Client string `json:"client_id"`
	Scope  string `json:"scope"`
	Grant  string `json:"gid"`
}

// sign returns a new access token for some of the scopes of a grant.
func (s *accessTokens) sign(ctx context.Context, g store.Grant, scopes []string) (string, error) {
	key, now := s.keys.key(ctx), s.c.Now()
	options := (&jose.SignerOptions{}).WithType(tokenType)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key.JWK}, options)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(tokenClaims{
		Claims: jwt.Claims{
			Issuer: s.issuer, Subject: g.Account, Audience: jwt.Audience{g.Resource},
			ID:       edge.NewID(now),
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(tokenLife)),
		},
		Client: g.Client, Scope: strings.Join(scopes, " "), Grant: g.ID,
	}).Serialize()
}

// longestToken is the maximum length of an access token in bytes. Ours have
// about 700.
const longestToken = 4096

// parse returns the claims of an access token that this server signed for its
// resource. The token may have expired.
func (s *accessTokens) parse(ctx context.Context, token string) (c tokenClaims, err error) {
	if len(token) > longestToken {
		return c, errors.New("token too long")
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return c, err
	}
	if kind, _ := parsed.Headers[0].ExtraHeaders[jose.HeaderType].(string); kind != tokenType {
		return c, fmt.Errorf("token of type %q", kind)
	}
	s.keys.find(ctx, parsed.Headers[0].KeyID)
	if err := parsed.Claims(s.keys.public(), &c); err != nil {
		return c, err
	}
	if c.Issuer != s.issuer || !c.Audience.Contains(s.resource) {
		return c, errors.New("token of or for another server")
	}
	return c, nil
}

// verify implements Server.Verify.
func (s *accessTokens) verify(ctx context.Context, token string) (credential.Token, error) {
	c, err := s.parse(ctx, token)
	if err == nil {
		err = c.ValidateWithLeeway(jwt.Expected{Time: s.c.Now()}, clockLeeway)
	}
	if err != nil || c.Expiry == nil {
		return credential.Token{}, credential.ErrUnknown
	}
	g, account, err := s.c.Store.Grant(ctx, c.Grant)
	if errors.Is(err, store.ErrNotFound) {
		return credential.Token{}, credential.ErrUnknown
	}
	if err != nil {
		return credential.Token{}, err
	}
	if g.Account != c.Subject || g.Client != c.Client || !s.c.Now().Before(g.Expires) {
		return credential.Token{}, credential.ErrUnknown
	}
	return credential.Token{
		Account: account, Client: g.Name, Grant: g.ID,
		Scopes: strings.Fields(c.Scope), Expires: c.Expiry.Time(),
	}, nil
}

// serveKeys publishes the signing keys (RFC 7517).
func (s *accessTokens) serveKeys(w http.ResponseWriter, r *http.Request) {
	s.keys.refresh(r.Context())
	edge.WriteJSON(w, r, http.StatusOK, mustJSON(s.keys.public()))
}
