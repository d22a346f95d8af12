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

	"leadline/internal/access"
	"leadline/store"
)

// The grants that there are.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// refreshGrace is for how long a refresh token that was replaced still gets
// the answer that replaced it. Clients share one among several processes, and
// lose answers on the way; without a grace they would be signed out for it.
const refreshGrace = time.Minute

// tokens are the answer of the token endpoint (RFC 6749, section 5.1).
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	text, err := s.exchange(w, r)
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	writeOAuth(w, http.StatusOK, json.RawMessage(text))
}

// exchange turns a code or a refresh token into tokens, as JSON.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	form, err := s.endpointForm(w, r)
	if err != nil {
		return nil, err
	}
	who, err := s.authenticateClient(r.Context(), r)
	if err != nil {
		return nil, err
	}
	if err := s.checkResource(form["resource"]); err != nil {
		return nil, err
	}
	switch form.Get("grant_type") {
	case grantCode:
		return s.redeem(r, who, form)
	case grantRefresh:
		return s.refresh(r, who, form)
	case "":
		return nil, badRequest("grant_type is missing: %s or %s", grantCode, grantRefresh)
	}
	return nil, &oauthError{http.StatusBadRequest, "unsupported_grant_type", "grant_type must be " + grantCode + " or " + grantRefresh}
}

// noGrant says that a code or a refresh token is no good.
func noGrant(why string) error {
	return &oauthError{http.StatusBadRequest, "invalid_grant", why + ": ask the person to connect again"}
}

// redeem turns a code into the first tokens of a grant.
func (s *Server) redeem(r *http.Request, who asker, form url.Values) ([]byte, error) {
	ctx, hash := r.Context(), access.HashSecret(form.Get("code"))
	code, err := s.c.Store.Code(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return nil, noGrant("the code is unknown")
	}
	if err != nil {
		return nil, err
	}
	if !code.Redeemed { // one that comes again does so to its end, whoever brings it
		if err := s.checkCode(code, who, form); err != nil {
			return nil, err
		}
	}
	refresh := s.newRefresh(code.Grant.ID)
	text, err := s.tokens(ctx, code.Grant, code.Grant.Scopes, refresh)
	if err != nil {
		return nil, err
	}
	first, err := s.c.Store.RedeemCode(ctx, hash, access.HashSecret(refresh), s.c.Now())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, noGrant("the code is unknown")
	case err != nil:
		return nil, err
	case !first:
		s.c.Log.Warn("a code came a second time: what came of it is revoked", "grant", code.Grant.ID)
		return nil, noGrant("the code was used before")
	}
	s.c.Log.Info("an app is connected", "grant", code.Grant.ID, "account", code.Grant.Account)
	return text, nil
}

// checkCode returns an error where a code is not what this client may redeem now.
func (s *Server) checkCode(code store.Code, who asker, form url.Values) error {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	switch {
	case !s.c.Now().Before(code.Expires):
		return noGrant("the code has expired")
	case form.Has("redirect_uri") && form.Get("redirect_uri") != code.Grant.RedirectURI:
		return noGrant("redirect_uri is not the one that the code was sent to")
	case len(verifier) < 43 || len(verifier) > 128 || !isVerifierText(verifier):
		return badRequest("code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~")
	case !hmac.Equal([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(code.Challenge)):
		return noGrant("code_verifier does not belong to the code")
	}
	return s.owns(who, code.Grant, noGrant("the code is another client's"))
}

// tokens makes the answer of the token endpoint.
func (s *Server) tokens(ctx context.Context, g store.Grant, scopes []string, refresh string) ([]byte, error) {
	access, err := s.sign(ctx, g, scopes)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tokens{access, "Bearer", int(tokenLife / time.Second), refresh, strings.Join(scopes, " ")})
}

// refresh replaces a refresh token and makes a new access token.
func (s *Server) refresh(r *http.Request, who asker, form url.Values) ([]byte, error) {
	ctx, old := r.Context(), form.Get("refresh_token")
	id, ok := s.grantOf(old)
	if !ok {
		return nil, noGrant("the refresh token is not one of this server")
	}
	g, _, err := s.c.Store.Grant(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.c.Now().Before(g.Expires) {
		return nil, noGrant("the connection has ended")
	}
	if err != nil {
		return nil, err
	}
	if err := s.owns(who, g, noGrant("the refresh token is another client's")); err != nil {
		return nil, err
	}
	if g.Resource != s.resource { // the server has got another address since
		return nil, noGrant("the connection was made to " + g.Resource)
	}
	scopes, err := narrowed(g.Scopes, form.Get("scope"))
	if err != nil {
		return nil, err
	}
	next := s.newRefresh(g.ID)
	text, err := s.tokens(ctx, g, scopes, next)
	if err != nil {
		return nil, err
	}
	return s.rotate(ctx, g, old, next, text)
}

// rotate puts a refresh token in the place of another and returns the answer
// that the other gets: this one, or that of whoever was first. The answer lies
// in the store under a key that follows from the old token and from the
// server's secret, neither of which is there.
func (s *Server) rotate(ctx context.Context, g store.Grant, old, next string, text []byte) ([]byte, error) {
	key, now := access.DeriveKey(s.c.Secret[:], "the answer to "+old), s.c.Now()
	sealed, err := s.c.Store.Rotate(ctx, store.Rotation{
		Grant: g.ID, From: access.HashSecret(old), To: access.HashSecret(next), Sealed: seal(key, text),
		At: now, Grace: refreshGrace, Expires: now.Add(grantLife),
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, noGrant("the connection has ended")
	case err != nil:
		return nil, err
	case sealed == nil:
		s.c.Log.Warn("a refresh token came again long after it was replaced: its connection is revoked", "grant", g.ID, "account", g.Account)
		return nil, noGrant("the refresh token was replaced before, so one of two that had it has stolen it")
	}
	return unseal(key, sealed)
}

// narrowed are the scopes that a refresh asks for: no more than were granted
// (RFC 6749, section 6).
func narrowed(granted []string, text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return granted, nil
	}
	asked := strings.Fields(text)
	for _, s := range asked {
		if !slices.Contains(granted, s) {
			return nil, &oauthError{http.StatusBadRequest, "invalid_scope", "granted were " + strings.Join(granted, " ")}
		}
	}
	if !slices.Contains(asked, access.MCPUse) {
		return nil, &oauthError{http.StatusBadRequest, "invalid_scope", access.MCPUse + " is needed"}
	}
	return asked, nil
}

// newRefresh makes a refresh token of a grant: the grant's id, 256 random
// bits, and a sum by which the server knows its own, so that one that was
// replaced long ago is found out without being kept.
func (s *Server) newRefresh(grant string) string {
	body := access.NewSecret(refreshPrefix + grant + ".")
	return body + "." + s.refreshSum(body)
}

func (s *Server) refreshSum(body string) string {
	h := hmac.New(sha256.New, s.refreshKey[:])
	h.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// grantOf returns the grant of a refresh token that this server has made, be
// it replaced long ago.
func (s *Server) grantOf(token string) (grant string, ok bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(s.refreshSum(token[:end])), []byte(token[end+1:])) {
		return "", false
	}
	grant, _, ok = strings.Cut(strings.TrimPrefix(token, refreshPrefix), ".")
	return grant, ok
}
