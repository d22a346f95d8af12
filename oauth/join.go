package oauth

import (
	"errors"
	"net/http"
	"time"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// join makes an account.
func (s *Server) join(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !readForm(w, r) {
		return
	}
	ticket := given(r, "ticket")
	i, err := s.invitation(r.Context(), ticket)
	switch {
	case err != nil:
		s.refuseLink(w, r, ticket, err)
	case posted:
		s.postJoin(w, r, ticket, i)
	default:
		s.showJoin(w, r, ticket, i, "", http.StatusOK)
	}
}

// refuseLink answers where there is no invitation, or no account that a link
// gives a password.
func (s *Server) refuseLink(w http.ResponseWriter, r *http.Request, ticket string, err error) {
	switch {
	case !errors.Is(err, errNoTicket):
		s.fail(w, r, err)
	case ticket == "":
		page.Error(w, http.StatusForbidden, "This page takes a link", "Whoever runs this server can make one for you.")
	default:
		page.Error(w, http.StatusForbidden, "This link is no good any more", "It was used, is older than a day, was cut short, or there is another since. The link for the first account is good while there is none.", "Whoever runs this server can make a new one.")
	}
}

func (s *Server) showJoin(w http.ResponseWriter, r *http.Request, ticket string, i invitation, fault string, status int) {
	p := joinPage{ticket, nextPath(given(r, "next")), i.Owner, i.Email != "", leastCharacters, s.form(w, r, forJoin, typed(r, fault))}
	p.Password = s.mayHavePassword(i)
	if p.Fixed {
		p.Email = i.Email
	}
	joinView.Write(w, status, p, s.providerTargets()...)
}

// mayHavePassword reports whether an account may be made with a password: with
// a provider, who comes uninvited comes by the provider.
func (s *Server) mayHavePassword(i invitation) bool { return i.Ticket != nil || s.provider == nil }

func (s *Server) postJoin(w http.ResponseWriter, r *http.Request, ticket string, i invitation) {
	if !s.sessions.CheckForm(r, forJoin) {
		s.showJoin(w, r, ticket, i, staleForm, http.StatusForbidden)
		return
	}
	if s.leaves(w, r, journey{Ticket: ticket, Next: nextPath(given(r, "next"))}) {
		return
	}
	account, fault, status, err := s.joinWith(w, r, i)
	switch {
	case fault != "":
		s.showJoin(w, r, ticket, i, fault, status)
	case errors.Is(err, store.ErrNotFound): // the ticket, by now
		s.refuseLink(w, r, ticket, errNoTicket)
	default:
		s.goOn(w, r, account, nextPath(given(r, "next")), err)
	}
}

// joinWith makes an account with the address and the password of a form. It
// answers as signInWith does.
func (s *Server) joinWith(w http.ResponseWriter, r *http.Request, i invitation) (account store.Account, fault string, status int, err error) {
	account, fault = s.newAccount(r, i)
	if fault != "" {
		return account, fault, http.StatusUnprocessableEntity, nil
	}
	if i.Ticket == nil {
		if wait, ok := s.joins.Take(session.Address(r.Context())); !ok {
			return account, tooMany(w, wait), http.StatusTooManyRequests, nil
		}
	}
	kept, err := s.passwords.hash(r.Context(), party{account.Email, session.Address(r.Context()), false}, r.PostFormValue("password"))
	if err == nil {
		err = s.c.Store.Join(r.Context(), store.Joining{Account: account, Password: kept, Ticket: i.Ticket, First: i.Owner})
	}
	if errors.Is(err, store.ErrExists) {
		return account, addressTaken, http.StatusUnprocessableEntity, nil
	}
	if err == nil {
		s.attempts.Mark(w, account.Email)
	}
	return account, "", 0, err
}

// newAccount is the account that a form asks for, or what is wrong with it.
func (s *Server) newAccount(r *http.Request, i invitation) (a store.Account, fault string) {
	email, ok := i.Email, true
	if email == "" {
		email, ok = Address(r.PostFormValue("email"))
	}
	now := s.c.Now()
	a = store.Account{ID: edge.NewID(now), Email: email, Plan: i.Plan, Created: now.UTC().Truncate(time.Second)}
	switch {
	case !s.mayHavePassword(i):
		return a, "An account is made at " + s.provider.host + "."
	case !ok:
		return a, noAddress
	}
	return a, passwordFault(r.PostFormValue("password"), email)
}

// password sets a new password by a link, and signs in with it.
func (s *Server) password(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !readForm(w, r) {
		return
	}
	ticket := given(r, "ticket")
	account, err := s.forPassword(r.Context(), ticket)
	switch {
	case err != nil:
		s.refuseLink(w, r, ticket, err)
	case posted:
		s.postPassword(w, r, ticket, account)
	default:
		s.showPassword(w, r, ticket, account, "", http.StatusOK)
	}
}

func (s *Server) postPassword(w http.ResponseWriter, r *http.Request, ticket string, account store.Account) {
	if !s.sessions.CheckForm(r, forPassword) {
		s.showPassword(w, r, ticket, account, staleForm, http.StatusForbidden)
		return
	}
	password := r.PostFormValue("password")
	if fault := passwordFault(password, account.Email); fault != "" {
		s.showPassword(w, r, ticket, account, fault, http.StatusUnprocessableEntity)
		return
	}
	kept, err := s.passwords.hash(r.Context(), party{account.Email, session.Address(r.Context()), false}, password)
	if err == nil {
		hash := access.HashSecret(ticket)
		err = s.c.Store.SetPassword(r.Context(), account.ID, kept, &hash)
	}
	if errors.Is(err, store.ErrNotFound) { // the ticket, or the account, by now
		s.refuseLink(w, r, ticket, errNoTicket)
		return
	}
	if err == nil {
		s.attempts.Mark(w, account.Email)
	}
	s.goOn(w, r, account, appsPath, err)
}

func (s *Server) showPassword(w http.ResponseWriter, r *http.Request, ticket string, account store.Account, fault string, status int) {
	f := s.form(w, r, forPassword, signInForm{Email: account.Email, Fault: fault})
	passwordView.Write(w, status, passwordPage{ticket, leastCharacters, f})
}
