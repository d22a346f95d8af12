package login

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// SecurityPath is the path of the page on which people change how they sign in, end sessions,
// export their data and delete their account.
const SecurityPath = page.AccountPath + "/security"

// The decisions of the forms on the page.
const (
	decidePassword   = "password"   // change or set the password
	decideLink       = "link"       // link the provider
	decideUnlink     = "unlink"     // unlink a provider
	decideAgain      = "again"      // sign in at the provider again
	decideEnd        = "end"        // end a session
	decideEverywhere = "everywhere" // end all sessions
	decideDelete     = "delete"     // delete the account
)

// security handles the page. It responds to every accepted form with a redirect.
func (p *pages) security(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !ReadForm(w, r) {
		return
	}
	account, in, err := p.c.Sessions.Person(r)
	switch {
	case err != nil:
		p.Fail(w, r, err)
	case !in && !posted && p.takeDone(w, r) == decideDelete:
		deletedView.Write(w, http.StatusOK, struct{}{})
	case !in:
		page.Redirect(w, r, toSecurity)
	case posted:
		p.postSecurity(w, r, account)
	default:
		p.showSecurity(w, r, account, "", nil)
	}
}

// toSecurity leads to the page by way of the sign-in.
var toSecurity = Path + "?" + url.Values{"next": {SecurityPath}}.Encode()

// postSecurity does what a form asks for. A refused form is shown again, with the reason.
func (p *pages) postSecurity(w http.ResponseWriter, r *http.Request, account store.Account) {
	if !p.c.Sessions.CheckForm(r, session.ForAccount) {
		p.Fail(w, r, page.ErrStale)
		return
	}
	decision := r.PostFormValue("decision")
	err := p.decide(w, r, account, decision)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		p.showSecurity(w, r, account, decision, refusal)
	} else if err != nil {
		p.Fail(w, r, err)
	}
}

// decide carries out a decision. Unless there is an error, it responds with a redirect.
func (p *pages) decide(
	w http.ResponseWriter, r *http.Request, account store.Account, decision string,
) error {
	switch decision {
	case decidePassword:
		return p.changePassword(w, r, account)
	case decideLink:
		return p.startLink(w, r, account)
	case decideUnlink:
		return p.unlink(w, r, account)
	case decideAgain:
		return p.flows.start(w, r, Flow{Next: SecurityPath})
	case decideEnd:
		return p.endSession(w, r, account)
	case decideEverywhere:
		return p.endSessions(w, r, account)
	case decideDelete:
		return p.deleteAccount(w, r, account)
	}
	return &page.Fault{
		Status: http.StatusBadRequest, Title: "The form cannot be read",
		Text: "It names nothing that this page can do. Nothing was changed.",
	}
}

// recentFor is the time after a sign-in at the provider in which a person without a password may
// change how they sign in, or delete the account. It is our choice.
const recentFor = 10 * time.Minute

// confirm returns nil if the form proves that it comes from the owner of the account, and not only
// from a browser that was left open. The proof is the current password; its hash is returned. If
// the account does not have a password, the hash is "" and the proof is that the session began a
// short time ago: only the provider can have begun it. If there is no proof, the error is a
// *Refusal.
func (p *pages) confirm(
	w http.ResponseWriter, r *http.Request, account store.Account,
) (hash string, err error) {
	_, err = p.c.Store.Password(r.Context(), account.ID)
	if errors.Is(err, store.ErrNotFound) {
		return "", p.confirmRecent(r, account)
	}
	if err != nil {
		return "", err
	}
	attempt, wait := p.attempts.Begin(r, account.Email)
	if wait > 0 {
		return "", tooMany(w, wait)
	}
	of := party{account.Email, session.Address(r.Context()), attempt.Known}
	owner, hash, right, err := p.check(r.Context(), of, r.PostFormValue("current"))
	right = right && owner.ID == account.ID
	attempt.End(right, err)
	if err == nil && !right {
		err = unprocessable("The current password is not right. Nothing was changed.")
	}
	return hash, err
}

// confirmRecent returns a *Refusal unless the browser's session began a short time ago.
func (p *pages) confirmRecent(r *http.Request, account store.Account) error {
	list, err := p.c.Sessions.List(r, account.ID)
	if err == nil && !p.recent(list) {
		err = unprocessable("Your last sign-in is more than 10 minutes ago. Nothing was changed. " +
			"Sign in again first.")
	}
	return err
}

// recent reports whether the browser's session, one of a list, began a short time ago.
func (p *pages) recent(list []session.Open) bool {
	return slices.ContainsFunc(list, func(o session.Open) bool {
		return o.This && p.c.Now().Sub(o.Created) < recentFor
	})
}

// doneCookie holds the last decision until the next page has confirmed that it was carried out. It
// is not in the address, where anybody could put it.
const (
	doneCookie = "leadline-done"
	doneLife   = time.Minute
)

// finish redirects the browser to the page, which confirms the decision.
func (p *pages) finish(w http.ResponseWriter, r *http.Request, decision string) {
	p.c.Sessions.SetCookie(w, doneCookie, decision, doneLife)
	page.Redirect(w, r, SecurityPath)
}

// takeDone returns the decision that finish stored, or "", and removes it.
func (p *pages) takeDone(w http.ResponseWriter, r *http.Request) string {
	decision := p.c.Sessions.Cookie(r, doneCookie)
	if decision != "" {
		p.c.Sessions.RemoveCookie(w, doneCookie)
	}
	return decision
}
