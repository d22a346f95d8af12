package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/session"
	"leadline/store"
)

// How often accounts may be made from an address where anybody may.
const joinEvery, joinBurst = 10 * time.Minute, 5

// What forms are for. Those of the pages of an account share one.
const forLogin, forJoin, forPassword, forAccount = "login", "join", "password", "account"

// What people are told.
const (
	staleForm    = "The form was too old, or the browser keeps no cookies. Please send it again."
	wrongSignIn  = "The e-mail address or the password is not right."
	noAddress    = "That is no e-mail address, such as captain@example.org."
	addressTaken = "There is an account with this address. Sign in to it; whoever runs this server can give it a new password."
)

// Address returns the e-mail address that an account is named by, in lower
// case, and false where the text is none, or something beside it. Addresses in
// other characters than ASCII are none: many of them look like others.
func Address(text string) (string, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	a, err := mail.ParseAddress(text)
	return text, err == nil && coast.Redact(text) == text && a.Name == "" && a.Address == text && asciiOnly(text) == text && strings.Count(text, "@") == 1 && len(text) <= 254
}

// form completes what a page has on which one can sign in, for a purpose: the
// caller says what is known of the person.
func (s *Server) form(w http.ResponseWriter, r *http.Request, purpose string, f signInForm) signInForm {
	f.Token, f.Password, f.SignUp = s.sessions.FormToken(w, r, purpose), true, s.c.Signup == Open
	if s.provider != nil {
		f.Provider = s.provider.host
	}
	return f
}

// typed is what a form has that is shown again, with what was wrong with it.
func typed(r *http.Request, fault string) signInForm {
	return signInForm{Email: strings.TrimSpace(r.PostFormValue("email")), Fault: fault}
}

// providerTargets are where a form may lead that goes on at the provider: it
// may pass a browser through hosts that nobody here knows.
func (s *Server) providerTargets() []string {
	if s.provider == nil {
		return nil
	}
	return []string{"https:", s.provider.Issuer}
}

// signInWith checks the e-mail address and the password of a form. Where they
// are not right, or were tried too often, fault says so to the person, in the
// same words whether there is such an account or not, and status is the
// answer's; else the browser is signed in. The error is the store's.
func (s *Server) signInWith(w http.ResponseWriter, r *http.Request) (account store.Account, fault string, status int, err error) {
	email, ok := Address(r.PostFormValue("email"))
	if !ok {
		return account, wrongSignIn, http.StatusUnprocessableEntity, nil
	}
	attempt, wait := s.attempts.Begin(r, email)
	if wait > 0 {
		return account, tooMany(w, wait), http.StatusTooManyRequests, nil
	}
	who := party{email, session.Address(r.Context()), attempt.Known}
	account, kept, right, err := s.accountWith(r.Context(), who, r.PostFormValue("password"))
	attempt.End(right, err)
	if err != nil {
		return store.Account{}, "", 0, err
	}
	if !right {
		return store.Account{}, wrongSignIn, http.StatusUnprocessableEntity, nil
	}
	s.attempts.Mark(w, email)
	if err := s.sessions.Begin(w, r, account.ID); err != nil {
		return store.Account{}, "", 0, err
	}
	return s.unchanged(r.Context(), account, kept)
}

// unchanged answers as signInWith does, once the session has begun: not where
// the account has got another password since the one that was checked was read.
// That has ended all sessions, of which this may not have been one yet.
func (s *Server) unchanged(ctx context.Context, account store.Account, kept string) (store.Account, string, int, error) {
	now, err := s.c.Store.Password(ctx, account.ID)
	if err == nil && now == kept {
		return account, "", 0, nil
	}
	if ended := s.c.Store.RemoveSessions(ctx, account.ID); ended != nil || err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Account{}, "", 0, cmp.Or(ended, err)
	}
	return store.Account{}, wrongSignIn, http.StatusUnprocessableEntity, nil
}

// accountWith returns the account of a party, what is kept of its password,
// and whether a password is that.
func (s *Server) accountWith(ctx context.Context, who party, password string) (account store.Account, kept string, right bool, err error) {
	if account, err = s.c.Store.AccountByEmail(ctx, who.account); err == nil {
		kept, err = s.c.Store.Password(ctx, account.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return account, "", false, err
	}
	right, err = s.passwords.check(ctx, who, kept, password)
	return account, kept, right, err
}

// tooMany tells a program how long to wait, and returns what tells a person.
func tooMany(w http.ResponseWriter, wait time.Duration) string {
	after := session.Seconds(wait)
	w.Header().Set("Retry-After", strconv.Itoa(after))
	return fmt.Sprintf("That was tried too often. Please try again in %d seconds.", after)
}

// nextPath returns a path on this server to go on to, appsPath where none
// is given or a browser could read it as a way to elsewhere.
func nextPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return appsPath
	}
	return text
}

// login signs in for this server's own pages.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.postLogin(w, r)
		return
	}
	s.askLogin(w, r, nextPath(given(r, "next")), "", http.StatusOK)
}

// askLogin sends who is signed in on, perhaps since in another tab, and shows
// others the page, with a fault or none.
func (s *Server) askLogin(w http.ResponseWriter, r *http.Request, next, fault string, status int) {
	_, in, err := s.sessions.Person(r)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case in:
		sendOn(w, r, next)
	default:
		s.showLogin(w, r, next, fault, status)
	}
}

func (s *Server) postLogin(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	next := nextPath(r.PostFormValue("next"))
	if !s.sessions.CheckForm(r, forLogin) {
		s.askLogin(w, r, next, staleForm, http.StatusForbidden)
		return
	}
	if s.leaves(w, r, journey{Next: next}) {
		return
	}
	_, fault, status, err := s.signInWith(w, r)
	switch {
	case fault != "":
		s.showLogin(w, r, next, fault, status)
	case err != nil:
		s.fail(w, r, err)
	default:
		sendOn(w, r, next)
	}
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, next, fault string, status int) {
	signInView.Write(w, status, signInPage{next, s.form(w, r, forLogin, typed(r, fault))}, s.providerTargets()...)
}

// leaves sends who chose so to the provider, and reports whether that was so.
func (s *Server) leaves(w http.ResponseWriter, r *http.Request, j journey) bool {
	if r.PostFormValue("decision") != "provider" {
		return false
	}
	if err := s.depart(w, r, j); err != nil {
		s.fail(w, r, err)
	}
	return true
}

// goOn signs an account in and sends the browser on. err is what was met on the
// way here.
func (s *Server) goOn(w http.ResponseWriter, r *http.Request, account store.Account, next string, err error) {
	if err == nil {
		err = s.sessions.Begin(w, r, account.ID)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sendOn(w, r, next)
}

// sendOn sends a browser on, by GET: a form with a password is not sent along.
func sendOn(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// logout signs out, by the form of a page that says who is signed in.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	if !s.sessions.CheckForm(r, forAccount) {
		s.stale(w, r)
		return
	}
	if err := s.sessions.End(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	sendOn(w, r, nextPath(r.PostFormValue("next")))
}
