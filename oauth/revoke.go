package oauth

import (
	"errors"
	"net/http"

	"leadline/store"
)

// revocation serves the revocation endpoint.
type revocation struct {
	*site
	clients       *authenticator
	accessTokens  *accessTokens
	refreshTokens refreshTokens
}

// revoke is the revocation endpoint (RFC 7009). An access token or a refresh
// token revokes its whole grant. An unknown token counts as revoked already:
// the response is 200.
func (s *revocation) revoke(w http.ResponseWriter, r *http.Request) {
	if err := s.revokeGrant(w, r); err != nil {
		s.failClient(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
}

func (s *revocation) revokeGrant(w http.ResponseWriter, r *http.Request) error {
	form, err := parseForm(w, r)
	if err != nil {
		return err
	}
	of, err := s.clients.authenticate(r.Context(), r)
	if err != nil {
		return err
	}
	token := form.Get("token")
	if token == "" {
		return badRequest("token is missing")
	}
	id, ok := s.refreshTokens.grantOf(token)
	if !ok {
		claims, err := s.accessTokens.parse(r.Context(), token)
		if err != nil {
			return nil
		}
		id = claims.Grant
	}
	g, _, err := s.c.Store.Grant(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	other := &oauthError{
		http.StatusBadRequest, "unauthorized_client", "the token is another client's"}
	if err := s.clients.checkOwner(of, g, other); err != nil {
		return err
	}
	return s.c.Store.RemoveGrant(r.Context(), id)
}
