package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/store"
)

// tokenEndpoint exchanges codes and refresh tokens for tokens.
type tokenEndpoint struct {
	*site
	clients       *authenticator
	accessTokens  *accessTokens
	refreshTokens refreshTokens
}

// tokenResponse is a response of the token endpoint (RFC 6749, section 5.1).
type tokenResponse struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// token is the token endpoint.
func (s *tokenEndpoint) token(w http.ResponseWriter, r *http.Request) {
	text, err := s.exchange(w, r)
	if err != nil {
		s.failClient(w, r, err)
		return
	}
	writeOAuth(w, http.StatusOK, json.RawMessage(text))
}

// exchange exchanges a code or a refresh token for tokens, as JSON.
func (s *tokenEndpoint) exchange(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	form, err := parseForm(w, r)
	if err != nil {
		return nil, err
	}
	of, err := s.clients.authenticate(r.Context(), r)
	if err != nil {
		return nil, err
	}
	if err := s.checkResource(form["resource"]); err != nil {
		return nil, err
	}
	switch form.Get("grant_type") {
	case grantCode:
		return s.redeem(r, of, form)
	case grantRefresh:
		return s.refresh(r, of, form)
	case "":
		return nil, badRequest("grant_type is missing: %s or %s", grantCode, grantRefresh)
	}
	return nil, &oauthError{http.StatusBadRequest, "unsupported_grant_type",
		"grant_type must be " + grantCode + " or " + grantRefresh}
}

// invalidGrant returns the error for a code or a refresh token that cannot be
// exchanged.
func invalidGrant(why string) error {
	return &oauthError{http.StatusBadRequest, "invalid_grant",
		why + ": ask the person to connect again"}
}

// redeem exchanges a code for the first tokens of a grant.
func (s *tokenEndpoint) redeem(r *http.Request, of caller, form url.Values) ([]byte, error) {
	ctx, hash := r.Context(), credential.HashSecret(form.Get("code"))
	code, err := s.c.Store.Code(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return nil, invalidGrant("the code is unknown")
	}
	if err != nil {
		return nil, err
	}
	if !code.Redeemed { // a used code revokes its grant, no matter which client sends it
		if err := s.checkCode(code, of, form); err != nil {
			return nil, err
		}
	}
	refresh := s.refreshTokens.create(code.Grant.ID)
	text, err := s.tokens(ctx, code.Grant, code.Grant.Scopes, refresh)
	if err != nil {
		return nil, err
	}
	first, err := s.c.Store.RedeemCode(ctx, hash, credential.HashSecret(refresh), s.c.Now())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, invalidGrant("the code is unknown")
	case err != nil:
		return nil, err
	case !first:
		s.c.Log.Warn("a code was used twice: the tokens issued for it are revoked",
			"grant", code.Grant.ID)
		return nil, invalidGrant("the code was used before")
	}
	s.c.Log.Info("an app is connected", "grant", code.Grant.ID, "account", code.Grant.Account)
	return text, nil
}

// checkCode returns an error if a client may not exchange a code now.
func (s *tokenEndpoint) checkCode(code store.Code, of caller, form url.Values) error {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case !s.c.Now().Before(code.Expires):
		return invalidGrant("the code has expired")
	case form.Has("redirect_uri") && form.Get("redirect_uri") != code.Grant.RedirectURI:
		return invalidGrant("redirect_uri is not the one that the code was sent to")
	case len(verifier) < 43 || len(verifier) > 128 || !isVerifierText(verifier):
		return badRequest("code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~")
	case !hmac.Equal([]byte(challenge), []byte(code.Challenge)):
		return invalidGrant("code_verifier does not belong to the code")
	}
	return s.clients.checkOwner(of, code.Grant, invalidGrant("the code is another client's"))
}

// tokens returns a response of the token endpoint as JSON.
func (s *tokenEndpoint) tokens(
	ctx context.Context, g store.Grant, scopes []string, refresh string,
) ([]byte, error) {
	text, err := s.accessTokens.sign(ctx, g, scopes)
	if err != nil {
		return nil, err
	}
	expires := int(tokenLife / time.Second)
	return json.Marshal(tokenResponse{text, "Bearer", expires, refresh, strings.Join(scopes, " ")})
}

// refreshGrace limits how long a refresh token that was already replaced still
// gets the response of its replacement. Clients share a token among processes
// and lose responses; without this grace period people would have to reconnect.
const refreshGrace = time.Minute

// refresh replaces a refresh token and returns the new one with a new access
// token.
func (s *tokenEndpoint) refresh(r *http.Request, of caller, form url.Values) ([]byte, error) {
	ctx, old := r.Context(), form.Get("refresh_token")
	id, ok := s.refreshTokens.grantOf(old)
	if !ok {
		return nil, invalidGrant("the refresh token is not one of this server")
	}
	g, _, err := s.c.Store.Grant(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.c.Now().Before(g.Expires) {
		return nil, invalidGrant("the connection has ended")
	}
	if err != nil {
		return nil, err
	}
	other := invalidGrant("the refresh token is another client's")
	if err := s.clients.checkOwner(of, g, other); err != nil {
		return nil, err
	}
	if g.Resource != s.resource { // the server's address has changed since
		return nil, invalidGrant("the connection was made to " + g.Resource)
	}
	scopes, err := narrow(g.Scopes, form.Get("scope"))
	if err != nil {
		return nil, err
	}
	next := s.refreshTokens.create(g.ID)
	text, err := s.tokens(ctx, g, scopes, next)
	if err != nil {
		return nil, err
	}
	return s.rotate(ctx, g, old, next, text)
}

// rotate replaces a refresh token and returns the response for it. If another
// request has replaced the token already, that is the response to the first
// such request; a refresh token that is used twice later than that revokes the
// grant (Store.Rotate). Responses are stored encrypted with a key derived from the old
// token and the server's secret. The store holds neither of them.
func (s *tokenEndpoint) rotate(
	ctx context.Context, g store.Grant, old, next string, text []byte,
) ([]byte, error) {
	key, now := credential.DeriveKey(s.c.Secret[:], "the answer to "+old), s.c.Now()
	sealed, err := s.c.Store.Rotate(ctx, store.Rotation{
		Grant: g.ID, From: credential.HashSecret(old), To: credential.HashSecret(next),
		Sealed: seal(key, text),
		At:     now, Grace: refreshGrace, Expires: now.Add(grantLife),
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, invalidGrant("the connection has ended")
	case err != nil:
		return nil, err
	case sealed == nil:
		s.c.Log.Warn("a refresh token was used long after it was replaced: "+
			"its connection is revoked", "grant", g.ID, "account", g.Account)
		return nil, invalidGrant("the refresh token was replaced before, " +
			"so one of two that had it has stolen it")
	}
	return unseal(key, sealed)
}

// narrow returns the scopes that a refresh requests. They must not exceed the
// granted scopes (RFC 6749, section 6).
func narrow(granted []string, text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return granted, nil
	}
	asked := strings.Fields(text)
	for _, s := range asked {
		if !slices.Contains(granted, s) {
			return nil, &oauthError{http.StatusBadRequest, "invalid_scope",
				"granted were " + strings.Join(granted, " ")}
		}
	}
	if !slices.Contains(asked, credential.MCPUse) {
		return nil, &oauthError{http.StatusBadRequest, "invalid_scope", credential.MCPUse + " is needed"}
	}
	return asked, nil
}
