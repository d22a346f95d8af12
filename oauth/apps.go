package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"leadline/store"
)

// apps lists the clients that a person has connected, and disconnects
// them.
func (s *Server) apps(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !readForm(w, r) {
		return
	}
	account, in, err := s.sessions.Person(r)
	if err == nil && !in {
		sendOn(w, r, loginPath+"?"+url.Values{"next": {appsPath}}.Encode())
		return
	}
	var grants []store.Grant
	if err == nil {
		grants, err = s.connected(r.Context(), account.ID)
	}
	switch {
	case err != nil:
		s.fail(w, r, err)
	case posted:
		s.removeApp(w, r, grants)
	default:
		s.showApps(w, r, account, grants)
	}
}

// connected are the grants of an account that have not expired.
func (s *Server) connected(ctx context.Context, account string) ([]store.Grant, error) {
	grants, err := s.c.Store.GrantsOf(ctx, account)
	now := s.c.Now()
	return slices.DeleteFunc(grants, func(g store.Grant) bool { return !now.Before(g.Expires) }), err
}

func (s *Server) showApps(w http.ResponseWriter, r *http.Request, account store.Account, grants []store.Grant) {
	token := s.sessions.FormToken(w, r, forAccount)
	p := appsPage{Token: token, Person: account.Email, Endpoint: s.c.Base + Path, SignOut: signOut{token, appsPath}}
	for _, g := range grants {
		target, _ := redirectTarget(g.RedirectURI)
		p.Apps = append(p.Apps, app{g.ID, g.Name, target, allowed(g.Scopes), day(g.Created), day(g.Used)})
	}
	appsView.Write(w, http.StatusOK, p)
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// removeApp removes one of a person's grants, with all its tokens. One that is
// gone, or is not theirs, is not in the list that is shown next either.
func (s *Server) removeApp(w http.ResponseWriter, r *http.Request, grants []store.Grant) {
	if !s.sessions.CheckForm(r, forAccount) {
		s.stale(w, r)
		return
	}
	id := r.PostFormValue("grant")
	if slices.ContainsFunc(grants, func(g store.Grant) bool { return g.ID == id }) {
		if err := s.c.Store.RemoveGrant(r.Context(), id); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	sendOn(w, r, appsPath)
}

// toApps sends a person on to all that an account has to show.
func toApps(w http.ResponseWriter, r *http.Request) { sendOn(w, r, appsPath) }
