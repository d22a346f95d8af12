package oauth

import (
	"errors"
	"net/http"

	"leadline/store"
)

// revoke is the revocation endpoint (RFC 7009). Either token ends the whole
// connection. A token that there is not is revoked enough: 200.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := s.disconnect(w, r); err != nil {
		s.answerError(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
}

func (s *Server) disconnect(w http.ResponseWriter, r *http.Request) error {
	form, err := s.endpointForm(w, r)
	if err != nil {
		return err
	}
	who, err := s.authenticateClient(r.Context(), r)
	if err != nil {
		return err
	}
	token := form.Get("token")
	if token == "" {
		return badRequest("token is missing")
	}
	id, ok := s.grantOf(token)
	if !ok {
		said, err := s.read(token)
		if err != nil {
			return nil
		}
		id = said.Grant
	}
	g, _, err := s.c.Store.Grant(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if err := s.owns(who, g, &oauthError{http.StatusBadRequest, "unauthorized_client", "the token is another client's"}); err != nil {
		return err
	}
	return s.c.Store.RemoveGrant(r.Context(), id)
}
