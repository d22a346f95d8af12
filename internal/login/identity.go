package login

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"leadline/internal/accounts"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// identities finds and creates the accounts of people who sign in at the
// provider. An identity is a subject of the provider; it belongs to exactly one
// account.
type identities struct {
	provider *provider
	sessions *session.Sessions
	accounts *accounts.Service
	store    identityStore
	log      *slog.Logger
}

// identityStore is the part of the store that identities need.
type identityStore interface {
	store.Accounts
	store.SignIn
}

// account returns the account of a person. If there is none, it creates one if
// the ticket of an invitation, or open signup, permits it.
func (i *identities) account(
	r *http.Request, who profile, ticket string,
) (store.Account, error) {
	account, err := i.known(r.Context(), who)
	if errors.Is(err, store.ErrNotFound) {
		account, err = i.add(r, who, ticket)
	}
	if errors.Is(err, store.ErrExists) {
		account, err = i.added(r.Context(), who)
	}
	if err != nil {
		return store.Account{}, err
	}
	return account, i.followPlan(r.Context(), account, who)
}

func (i *identities) known(ctx context.Context, who profile) (store.Account, error) {
	return i.store.AccountByIdentity(ctx, i.provider.Issuer, who.subject)
}

// add returns the account for a new identity: the existing account with the
// person's address, or a new one.
func (i *identities) add(r *http.Request, who profile, ticket string) (store.Account, error) {
	email, ok := accounts.Address(who.email)
	switch {
	case !ok:
		return store.Account{}, forbidden("Your e-mail address is not known",
			i.provider.host+" has not said which address is yours, and accounts here are named by "+
				"one. Allow it to, or sign in with another account there.")
	case !who.verified:
		return store.Account{}, forbidden("Your e-mail address is not verified",
			i.provider.host+" has not verified that "+email+" is yours. Have it do so, "+
				"and sign in again.")
	}
	account, err := i.store.AccountByEmail(r.Context(), email)
	if errors.Is(err, store.ErrNotFound) {
		return i.join(r.Context(), who, email, ticket)
	}
	if err != nil {
		return store.Account{}, err
	}
	return account, i.link(r, account, who)
}

// link links an identity to the existing account with the person's address. The
// person who set the account's password may not be the owner of the address,
// and would share the account from then on. If the account has a password, the
// browser must therefore be signed in to it already.
func (i *identities) link(r *http.Request, account store.Account, who profile) error {
	_, err := i.store.Password(r.Context(), account.ID)
	if err == nil {
		in, signedIn, err := i.sessions.Person(r)
		if err != nil {
			return err
		}
		if !signedIn || in.ID != account.ID {
			return forbidden("This account has a password", "There is an account with the address "+
				account.Email+", which is entered with a password. Sign in with that. If it is not "+
				"yours, or is forgotten, the operator of this server can help.")
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	err = i.store.AddIdentity(r.Context(), i.identity(who, account.ID))
	if err == nil {
		i.log.Info("an account is linked to the provider", "account", account.ID)
	}
	return err
}

func (i *identities) identity(who profile, account string) store.Identity {
	return store.Identity{Issuer: i.provider.Issuer, Subject: who.subject, Account: account}
}

// join creates an account if the person is invited or signup is open.
func (i *identities) join(
	ctx context.Context, who profile, email, ticket string,
) (store.Account, error) {
	var account store.Account
	invitation, err := i.accounts.Invitation(ctx, ticket)
	if err == nil {
		identity := i.identity(who, "")
		person := accounts.Person{Email: email, Identity: &identity}
		account, err = i.accounts.Join(ctx, invitation, person)
	}
	if errors.Is(err, accounts.ErrLink) {
		return store.Account{}, forbidden("You need an invitation",
			"There is no account here for "+email+". The operator of this server can invite "+
				"that address.")
	}
	if err == nil {
		i.log.Info("an account is created by the provider",
			"account", account.ID, "plan", account.Plan)
	}
	return account, err
}

// added returns the account of a person whose address or identity was added in
// the meantime. This is their own account if they signed in twice at once.
func (i *identities) added(ctx context.Context, who profile) (store.Account, error) {
	account, err := i.known(ctx, who)
	if errors.Is(err, store.ErrNotFound) {
		err = forbidden("Another person has this address",
			"The account with your e-mail address belongs to another person at "+i.provider.host+
				", perhaps to one who had the address before. The operator of this server can help.")
	}
	return account, err
}

// followPlan moves an account to the plan that the provider names, if that plan
// exists.
func (i *identities) followPlan(ctx context.Context, account store.Account, who profile) error {
	switch {
	case who.plan == "" || who.plan == account.Plan:
		return nil
	case !i.accounts.HasPlan(who.plan):
		i.log.Warn("the provider names an unknown plan", "account", account.ID, "plan", who.plan)
		return nil
	}
	i.log.Info("the provider has moved an account", "account", account.ID, "plan", who.plan)
	return i.accounts.Move(ctx, account, who.plan)
}

// forbidden returns the error for a sign-in that is refused.
func forbidden(title, text string) error {
	return &page.Fault{Status: http.StatusForbidden, Title: title, Text: text}
}
