package oauth

import (
	"net/http"
	"net/url"
	"time"

	"leadline/internal/login"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// connections serves the page that lists the clients that a person has
// connected.
type connections struct{ *site }

// serve lists the connected clients and disconnects them.
func (s *connections) serve(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !login.ReadForm(w, r) {
		return
	}
	account, in, err := s.c.Sessions.Person(r)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case !in:
		page.Redirect(w, r, login.Path+"?"+url.Values{"next": {appsPath}}.Encode())
	case posted:
		s.disconnect(w, r, account)
	default:
		s.show(w, r, account)
	}
}

func (s *connections) show(w http.ResponseWriter, r *http.Request, account store.Account) {
	grants, err := s.c.Accounts.Apps(r.Context(), account.ID)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	token := s.c.Sessions.FormToken(w, r, session.ForAccount)
	p := appsPage{AccountFrame: s.c.Site.Account(appsPath, account.Email, token)}
	p.Endpoint = s.c.Base + Path
	for _, g := range grants {
		target, _ := redirectTarget(g.RedirectURI)
		p.Apps = append(p.Apps,
			connectedApp{g.ID, g.Name, target, allowed(g.Scopes), day(g.Created), day(g.Used)})
	}
	appsView.Write(w, http.StatusOK, p)
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// disconnect removes one of the person's grants with all its tokens, and shows
// the remaining ones.
func (s *connections) disconnect(w http.ResponseWriter, r *http.Request, account store.Account) {
	if !s.c.Sessions.CheckForm(r, session.ForAccount) {
		s.fail(w, r, page.ErrStale)
		return
	}
	err := s.c.Accounts.Disconnect(r.Context(), account.ID, r.PostFormValue("grant"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page.Redirect(w, r, appsPath)
}
