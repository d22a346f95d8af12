package login

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"leadline/store"
)

// startLink redirects a browser to the provider, to link the person there to the account.
func (p *pages) startLink(w http.ResponseWriter, r *http.Request, account store.Account) error {
	if p.provider == nil {
		return errNoProvider
	}
	if _, err := p.confirm(w, r, account); err != nil {
		return err
	}
	return p.flows.start(w, r, Flow{Link: p.c.Sessions.ID(r)})
}

// finishLink links the person who signed in at the provider to the account of the session that
// started the flow. It begins no session.
func (p *pages) finishLink(w http.ResponseWriter, r *http.Request, flow Flow, who profile) error {
	account, in, err := p.c.Sessions.Person(r)
	if err != nil {
		return err
	}
	if !in || p.c.Sessions.ID(r) != flow.Link {
		return forbidden("Nothing was linked", "The session that asked for it has ended, or somebody "+
			"else has signed in. Sign in to your account, and link "+p.provider.host+" again.")
	}
	if err := p.identities.addTo(r.Context(), account, who); err != nil {
		return err
	}
	p.finish(w, r, decideLink)
	return nil
}

// addTo links an identity to an account whose person is signed in. The identity of another account
// is refused, and the error does not name that account.
func (i *identities) addTo(ctx context.Context, account store.Account, who profile) error {
	err := i.store.AddIdentity(ctx, i.identity(who, account.ID))
	if err == nil {
		i.log.Info("an account is linked to the provider", "account", account.ID)
	}
	if !errors.Is(err, store.ErrExists) {
		return err
	}
	owner, err := i.known(ctx, who)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return forbidden("Nothing was linked", "Your account is linked to another person at "+
			i.provider.host+". Unlink that one first.")
	case err == nil && owner.ID != account.ID:
		return forbidden("Nothing was linked", "The person who has signed in at "+i.provider.host+
			" is linked to another account here. Sign in there as somebody else, or unlink "+
			"that account first.")
	}
	return err
}

// unlink unlinks a provider from an account, unless nobody could sign in to the account any more.
func (p *pages) unlink(w http.ResponseWriter, r *http.Request, account store.Account) error {
	ctx := r.Context()
	identities, err := p.c.Store.IdentitiesOf(ctx, account.ID)
	if err != nil {
		return err
	}
	_, err = p.c.Store.Password(ctx, account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	password := err == nil
	at := slices.IndexFunc(identities, func(i store.Identity) bool {
		return i.Issuer == r.PostFormValue("issuer")
	})
	if at >= 0 {
		err = store.ErrConflict
		if !p.isLast(identities[at], identities, password) {
			err = p.c.Store.RemoveIdentity(ctx, identities[at])
		}
		switch {
		case errors.Is(err, store.ErrConflict):
			return &Refusal{http.StatusConflict, "This is the last way to sign in to your account. " +
				"Set a password first."}
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		}
		p.c.Log.Info("an account is unlinked from a provider", "account", account.ID)
	}
	p.finish(w, r, decideUnlink)
	return nil
}

// isLast reports whether nobody could sign in to an account without one of its identities. The
// store would let another identity remain that this server cannot use.
func (p *pages) isLast(one store.Identity, all []store.Identity, password bool) bool {
	return !password && (p.uses(one) || len(all) == 1)
}

// uses reports whether an identity is of the provider that this server uses.
func (p *pages) uses(i store.Identity) bool {
	return p.provider != nil && i.Issuer == p.provider.Issuer
}
