// Package login signs people in: with a password, with a single-use link that
// creates an account or sets a password, or at an OpenID provider. Requests of
// browsers come in; pages, redirects and sessions go out. People who are signed
// in change how they sign in, and delete their account. Package session keeps
// the sessions, package accounts has the rules about who may have an account.
//
// Passwords are stored as Argon2id hashes. The authorization server puts the
// form to sign in on its consent page, see Form, SignIn and StartFlow.
//
//	login.go     Config, New, signing in with a password, handlers by path
//	password.go  hashes and rules of passwords; turns.go limits hashes at once
//	provider.go  client of an OpenID provider
//	flow.go      browsers that leave for the provider and come back
//	identity.go  accounts of people whom the provider describes
//	form.go      forms, their errors, pages; page.go paths of pages
//	signin.go    handlers of signing in and out; join.go of links, callback.go of
//	             browsers that come back from the provider
//	security.go  forms of the page for security, securityview.go the page itself;
//	             change.go passwords, sessions and the end of accounts, link.go
//	             the link to the provider, export.go downloads
package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
	"leadline/internal/accounts"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// Store is the part of the store that signing in needs.
type Store interface {
	store.Accounts
	store.SignIn
	store.Sessions
}

// Config configures Login.
type Config struct {
	Base     string // scheme and host as browsers see them, without a path
	Store    Store
	Accounts *accounts.Service
	Sessions *session.Sessions
	Site     page.Site
	Provider *Provider // another way to sign in besides passwords, nil for none
	Now      func() time.Time
	Log      *slog.Logger
}

// Login signs people in. It is safe for concurrent use.
type Login struct {
	c          Config
	passwords  *hasher
	attempts   *session.Attempts
	joins      *session.Throttle // limits accounts created without an invitation, by network
	provider   *provider         // nil if there is none
	flows      *flows
	identities *identities
}

// How often one network may create accounts without an invitation.
const joinEvery, joinBurst = 10 * time.Minute, 5

// New returns a Login. The error concerns Config.Provider.
func New(c Config) (*Login, error) {
	l := &Login{
		c: c, passwords: newHasher(), attempts: session.NewAttempts(c.Sessions),
		joins: session.NewThrottle(joinEvery, joinBurst, c.Now),
	}
	if c.Provider != nil {
		var err error
		if l.provider, err = newProvider(*c.Provider, c.Base+callbackPath, c.Now); err != nil {
			return nil, fmt.Errorf("OpenID provider: %w", err)
		}
	}
	limit := session.NewThrottle(flowEvery, flowBurst, c.Now)
	l.flows = &flows{l.provider, c.Sessions, c.Store, limit, c.Now}
	l.identities = &identities{l.provider, c.Sessions, c.Accounts, c.Store, c.Log}
	return l, nil
}

// errWrong is the same whether the account exists or not.
var errWrong = &Refusal{
	http.StatusUnprocessableEntity, "The e-mail address or the password is not right.",
}

// SignIn checks the e-mail address and the password of a form and begins a
// session. If they are wrong, or after too many attempts, the error is a
// *Refusal. Other errors are the store's.
func (l *Login) SignIn(w http.ResponseWriter, r *http.Request) (store.Account, error) {
	email, ok := accounts.Address(r.PostFormValue("email"))
	if !ok {
		return store.Account{}, errWrong
	}
	attempt, wait := l.attempts.Begin(r, email)
	if wait > 0 {
		return store.Account{}, tooMany(w, wait)
	}
	of := party{email, session.Address(r.Context()), attempt.Known}
	account, hash, right, err := l.check(r.Context(), of, r.PostFormValue("password"))
	attempt.End(right, err)
	if err != nil {
		return store.Account{}, err
	}
	if !right {
		return store.Account{}, errWrong
	}
	l.attempts.Mark(w, email)
	if err := l.c.Sessions.Begin(w, r, account.ID); err != nil {
		return store.Account{}, err
	}
	return account, l.checkUnchanged(r.Context(), account, hash)
}

// check returns the account of a party, its password hash, and whether the
// password matches the hash.
func (l *Login) check(
	ctx context.Context, of party, password string,
) (account store.Account, hash string, right bool, err error) {
	if account, err = l.c.Store.AccountByEmail(ctx, of.account); err == nil {
		hash, err = l.c.Store.Password(ctx, account.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return account, "", false, err
	}
	right, err = l.passwords.check(ctx, of, hash, password)
	return account, hash, right, err
}

// checkUnchanged ends a session that has just begun and returns errWrong if the
// password was changed after its hash was read. The change ended all sessions,
// but this one may have begun later.
func (l *Login) checkUnchanged(ctx context.Context, account store.Account, hash string) error {
	now, err := l.c.Store.Password(ctx, account.ID)
	if err == nil && now == hash {
		return nil
	}
	ended := l.c.Store.RemoveSessions(ctx, account.ID)
	if ended != nil || err != nil && !errors.Is(err, store.ErrNotFound) {
		return cmp.Or(ended, err)
	}
	return errWrong
}

// Form creates the form of a page for a purpose. The caller fills in the known
// details of the person.
func (l *Login) Form(w http.ResponseWriter, r *http.Request, purpose string, f Form) Form {
	f.Token = l.c.Sessions.FormToken(w, r, purpose)
	f.Password, f.SignUp = true, l.c.Accounts.OpenSignup()
	if l.provider != nil {
		f.Provider = l.provider.host
	}
	return f
}

// FormTargets returns the possible targets of a form that can lead to the
// provider, see page.Page.Write. The provider may redirect a browser through
// any hosts.
func (l *Login) FormTargets() []string {
	if l.provider == nil {
		return nil
	}
	return []string{"https:", l.provider.Issuer}
}

// SignOut returns the form for signing out.
func (l *Login) SignOut(w http.ResponseWriter, r *http.Request, next string) SignOut {
	return SignOut{l.c.Sessions.FormToken(w, r, session.ForAccount), next}
}

// StartFlow redirects a browser to the OpenID provider to sign in. If that is
// not possible, it responds with an error page.
func (l *Login) StartFlow(w http.ResponseWriter, r *http.Request, flow Flow) {
	if err := l.flows.start(w, r, flow); err != nil {
		l.Fail(w, r, err)
	}
}

// Fail responds with an error page: for a *page.Fault with its text, for other
// errors with a request to try again. It logs the other errors and does not
// show them.
func (l *Login) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if fault, ok := errors.AsType[*providerError](err); ok && !hungUp(r) {
		l.c.Log.Warn("signing in at the provider", "error", fault.cause)
	}
	if fault, ok := errors.AsType[*page.Fault](err); ok {
		fault.Write(w)
		return
	}
	l.LogError(r, err)
	w.Header().Set("Retry-After", strconv.Itoa(outage.Retry))
	page.Error(w, http.StatusServiceUnavailable, "Accounts cannot be reached at the moment",
		"Nothing was changed. Try again in a minute.")
}

// LogError logs an error that is not shown to the client, unless the client has
// closed the connection.
func (l *Login) LogError(r *http.Request, err error) {
	if !hungUp(r) {
		l.c.Log.Error("signing in",
			"request", access.RequestID(r.Context()), "path", r.URL.Path, "error", err)
	}
}

// hungUp reports whether the client has closed the connection.
func hungUp(r *http.Request) bool { return errors.Is(r.Context().Err(), context.Canceled) }

// Resume continues an authorization request, given as a query, that a person
// agreed to before leaving for the provider. If nobody signed in there, refused
// is the reason and person is empty.
type Resume func(
	w http.ResponseWriter, r *http.Request, request string, person store.Account, refused string,
)

// pages has the handlers of the pages.
type pages struct {
	*Login
	resume Resume
}

// Routes returns the handlers by path. They continue authorization requests with
// resume, and write downloads with export.
func (l *Login) Routes(resume Resume, export Export) map[string]http.Handler {
	p := &pages{l, resume}
	e := &exports{l, export, session.NewThrottle(exportEvery, exportBurst, l.c.Now)}
	const get, head, post = http.MethodGet, http.MethodHead, http.MethodPost
	return map[string]http.Handler{
		Path:         Page(p.signIn, get, head, post),
		LogoutPath:   Page(p.signOut, post),
		joinPath:     Page(p.join, get, head, post),
		passwordPath: Page(p.password, get, head, post),
		callbackPath: Page(p.callback, get), // HEAD would use up the response
		SecurityPath: Page(p.security, get, head, post),
		ExportPath:   accept(e.serve, get),
	}
}
