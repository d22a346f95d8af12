package login

import (
	"errors"
	"net/http"

	"leadline/internal/accounts"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// join creates an account with a password.
func (p *pages) join(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !ReadForm(w, r) {
		return
	}
	ticket := value(r, "ticket")
	i, err := p.c.Accounts.Invitation(r.Context(), ticket)
	switch {
	case err != nil:
		p.refuseLink(w, r, ticket, err)
	case posted:
		p.postJoin(w, r, ticket, i)
	default:
		p.showJoin(w, r, ticket, i, nil)
	}
}

// refuseLink responds to a request with a link that cannot be used.
func (p *pages) refuseLink(w http.ResponseWriter, r *http.Request, ticket string, err error) {
	switch {
	case !errors.Is(err, accounts.ErrLink):
		p.Fail(w, r, err)
	case ticket == "":
		page.Error(w, http.StatusForbidden, "This page needs a link",
			"The operator of this server can make one for you.")
	default:
		page.Error(w, http.StatusForbidden, "This link is no longer valid",
			"It was used, is older than a day, is incomplete, or was replaced by a newer one. "+
				"The link for the first account is valid until there is an account.",
			"The operator of this server can make a new one.")
	}
}

func (p *pages) showJoin(
	w http.ResponseWriter, r *http.Request, ticket string, i accounts.Invitation, why *Refusal,
) {
	form := p.Form(w, r, forJoin, typed(r, why))
	form.Password = p.mayHavePassword(i)
	fixed := i.Email != ""
	if fixed {
		form.Email = i.Email
	}
	next := nextPath(value(r, "next"))
	joinView.Write(w, status(why), joinPage{ticket, next, i.Owner, fixed, minCharacters, form},
		p.FormTargets()...)
}

// mayHavePassword reports whether an account may be created with a password. If
// there is a provider, people without an invitation must sign in there.
func (p *pages) mayHavePassword(i accounts.Invitation) bool {
	return i.Linked() || p.provider == nil
}

func (p *pages) postJoin(
	w http.ResponseWriter, r *http.Request, ticket string, i accounts.Invitation,
) {
	next := nextPath(value(r, "next"))
	if !p.c.Sessions.CheckForm(r, forJoin) {
		p.showJoin(w, r, ticket, i, errStaleForm)
		return
	}
	if leaves(r) {
		p.StartFlow(w, r, Flow{Ticket: ticket, Next: next})
		return
	}
	account, err := p.create(w, r, i)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		p.showJoin(w, r, ticket, i, refusal)
		return
	}
	if errors.Is(err, accounts.ErrLink) { // used in the meantime
		p.refuseLink(w, r, ticket, err)
		return
	}
	p.begin(w, r, account, next, err)
}

// create creates an account with the address and the password of a form. If
// they are invalid, the error is a *Refusal.
func (p *pages) create(
	w http.ResponseWriter, r *http.Request, i accounts.Invitation,
) (store.Account, error) {
	email, err := p.newAddress(r, i)
	if err != nil {
		return store.Account{}, err
	}
	if !i.Linked() {
		if wait, ok := p.joins.Take(session.Address(r.Context())); !ok {
			return store.Account{}, tooMany(w, wait)
		}
	}
	hash, err := p.hash(r, email)
	if err != nil {
		return store.Account{}, err
	}
	person := accounts.Person{Email: email, Password: hash}
	account, err := p.c.Accounts.Join(r.Context(), i, person)
	if errors.Is(err, store.ErrExists) {
		return account, unprocessable("There is an account with this address. Sign in to it; " +
			"the operator of this server can give it a new password.")
	}
	if err == nil {
		p.attempts.Mark(w, account.Email)
	}
	return account, err
}

// newAddress returns the account address in a form, or a *Refusal if the
// address or the password cannot be used.
func (p *pages) newAddress(r *http.Request, i accounts.Invitation) (string, error) {
	email, ok := i.Email, true
	if email == "" {
		email, ok = accounts.Address(r.PostFormValue("email"))
	}
	if !p.mayHavePassword(i) {
		return "", unprocessable("Accounts are created at " + p.provider.host + ".")
	}
	if !ok {
		return "", unprocessable("That is not an e-mail address, such as captain@example.org.")
	}
	if fault := passwordFault(r.PostFormValue("password"), email); fault != "" {
		return "", unprocessable(fault)
	}
	return email, nil
}

// hash returns the hash of the password in a form.
func (p *pages) hash(r *http.Request, email string) (string, error) {
	of := party{email, session.Address(r.Context()), false}
	return p.passwords.hash(r.Context(), of, r.PostFormValue("password"))
}

func unprocessable(text string) *Refusal { return &Refusal{http.StatusUnprocessableEntity, text} }

// password sets a password with a link and signs the person in.
func (p *pages) password(w http.ResponseWriter, r *http.Request) {
	posted := r.Method == http.MethodPost
	if posted && !ReadForm(w, r) {
		return
	}
	ticket := value(r, "ticket")
	account, err := p.c.Accounts.ResetAccount(r.Context(), ticket)
	switch {
	case err != nil:
		p.refuseLink(w, r, ticket, err)
	case posted:
		p.postPassword(w, r, ticket, account)
	default:
		p.showPassword(w, r, ticket, account, nil)
	}
}

func (p *pages) postPassword(
	w http.ResponseWriter, r *http.Request, ticket string, account store.Account,
) {
	if !p.c.Sessions.CheckForm(r, forPassword) {
		p.showPassword(w, r, ticket, account, errStaleForm)
		return
	}
	fault := passwordFault(r.PostFormValue("password"), account.Email)
	if fault != "" {
		p.showPassword(w, r, ticket, account, unprocessable(fault))
		return
	}
	hash, err := p.hash(r, account.Email)
	if err == nil {
		err = p.c.Accounts.ResetPassword(r.Context(), ticket, account.ID, hash)
	}
	if errors.Is(err, accounts.ErrLink) { // used in the meantime, or the account was removed
		p.refuseLink(w, r, ticket, err)
		return
	}
	if err == nil {
		p.attempts.Mark(w, account.Email)
	}
	p.begin(w, r, account, Home, err)
}

func (p *pages) showPassword(
	w http.ResponseWriter, r *http.Request, ticket string, account store.Account, why *Refusal,
) {
	form := Form{Email: account.Email, Fault: typed(r, why).Fault}
	data := passwordPage{ticket, minCharacters, p.Form(w, r, forPassword, form)}
	passwordView.Write(w, status(why), data)
}
