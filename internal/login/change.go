package login

import (
	"errors"
	"net/http"

	"leadline/internal/accounts"
	"leadline/internal/page"
	"leadline/store"
)

// changePassword replaces the password of an account, or sets its first one. Both end all access
// except API keys, and the browser gets a new session.
func (p *pages) changePassword(
	w http.ResponseWriter, r *http.Request, account store.Account,
) error {
	if fault := passwordFault(r.PostFormValue("password"), account.Email); fault != "" {
		return unprocessable(fault)
	}
	old, err := p.confirm(w, r, account)
	if err != nil {
		return err
	}
	hash, err := p.hash(r, account.Email)
	if err != nil {
		return err
	}
	if err := p.replacePassword(r, account, old, hash); err != nil {
		return err
	}
	p.c.Log.Info("a password is changed by its person", "account", account.ID)
	p.attempts.Mark(w, account.Email)
	if err := p.c.Sessions.Begin(w, r, account.ID); err != nil {
		p.LogError(r, err)
		return errSetOnly
	}
	p.finish(w, r, decidePassword)
	return nil
}

// errSetOnly is the error if the password was set and something after it failed.
var errSetOnly = &page.Fault{
	Status: http.StatusServiceUnavailable, Title: "The password is set",
	Text: "All sessions and connected apps have ended, also the session of this browser. " +
		"Accounts cannot be reached at the moment. Sign in with the new password in a minute.",
}

// replacePassword stores the hash of a new password unless the old hash, which was checked, has
// changed since. The store then removes all identities, because somebody who knew the old password
// could have linked one. If there was no password, the person has just signed in with an identity,
// and the identities are stored again.
func (p *pages) replacePassword(
	r *http.Request, account store.Account, old, hash string,
) error {
	ctx := r.Context()
	now, err := p.c.Store.Password(ctx, account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if now != old {
		return unprocessable("The password was changed in the meantime. Nothing was changed now.")
	}
	identities, err := p.c.Store.IdentitiesOf(ctx, account.ID)
	if err != nil {
		return err
	}
	if err := p.c.Store.SetPassword(ctx, account.ID, hash, nil); err != nil || old != "" {
		return err
	}
	for _, i := range identities {
		if err := p.c.Store.AddIdentity(ctx, i); err != nil {
			p.LogError(r, err)
			return errSetOnly
		}
	}
	return nil
}

// endSession ends one session of an account, perhaps that of the browser.
func (p *pages) endSession(w http.ResponseWriter, r *http.Request, account store.Account) error {
	id := r.PostFormValue("session")
	if id == p.c.Sessions.ID(r) {
		if err := p.c.Sessions.End(w, r); err != nil {
			return err
		}
		page.Redirect(w, r, Path)
		return nil
	}
	if err := p.c.Sessions.EndOne(r.Context(), account.ID, id); err != nil {
		return err
	}
	p.finish(w, r, decideEnd)
	return nil
}

// endSessions ends all sessions of an account.
func (p *pages) endSessions(w http.ResponseWriter, r *http.Request, account store.Account) error {
	if err := p.c.Sessions.EndAll(w, r, account.ID); err != nil {
		return err
	}
	page.Redirect(w, r, Path)
	return nil
}

// deleteAccount deletes an account whose address was typed.
func (p *pages) deleteAccount(
	w http.ResponseWriter, r *http.Request, account store.Account,
) error {
	if email, _ := accounts.Address(r.PostFormValue("email")); email != account.Email {
		return unprocessable("The address is not that of this account. Nothing was deleted.")
	}
	if _, err := p.confirm(w, r, account); err != nil {
		return err
	}
	err := p.c.Accounts.RemoveID(r.Context(), account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // deleted in the meantime
		p.LogError(r, err)
		return errNotDeleted
	}
	p.c.Log.Info("an account is deleted by its person", "account", account.ID)
	if err := p.c.Sessions.End(w, r); err != nil {
		p.LogError(r, err) // the session ended with the account
	}
	p.finish(w, r, decideDelete)
	return nil
}

// errNotDeleted is the error if the store could not remove an account.
var errNotDeleted = &page.Fault{
	Status: http.StatusServiceUnavailable, Title: "The account may not be deleted",
	Text: "Records of its webhooks may be gone already. Try again in a minute: " +
		"if you are signed out then, the account is deleted.",
}
