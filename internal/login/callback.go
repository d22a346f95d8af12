package login

import (
	"net/http"

	"leadline/internal/page"
	"leadline/store"
)

// callback handles browsers that return from the provider.
func (p *pages) callback(w http.ResponseWriter, r *http.Request) {
	response := r.URL.Query()
	flow, browser, err := p.flows.finish(w, r, response)
	if err == nil && response.Has("error") {
		p.unsigned(w, r, flow, response.Get("error"))
		return
	}
	var who profile
	if err == nil {
		who, err = p.flows.redeem(r.Context(), response.Get("code"), browser)
	}
	switch {
	case err != nil:
		p.Fail(w, r, err)
	case flow.Link != "":
		if err := p.finishLink(w, r, flow, who); err != nil {
			p.Fail(w, r, err)
		}
	default:
		p.signInAs(w, r, flow, who)
	}
}

// signInAs signs in the person who signed in at the provider, and continues the
// flow.
func (p *pages) signInAs(w http.ResponseWriter, r *http.Request, flow Flow, who profile) {
	account, err := p.identities.account(r, who, flow.Ticket)
	if err == nil {
		err = p.beginCounted(w, r, account)
	}
	if err == nil && flow.Request != "" {
		p.resume(w, r, flow.Request, account, "")
		return
	}
	p.goOn(w, r, flow.Next, err)
}

// beginCounted signs an account in unless its sign-ins exceed the limit.
func (p *pages) beginCounted(w http.ResponseWriter, r *http.Request, account store.Account) error {
	if wait, ok := p.attempts.Count(account.Email); !ok {
		refusal := tooMany(w, wait)
		return &page.Fault{
			Status: refusal.Status, Title: "Too many sign-ins", Text: refusal.Text,
		}
	}
	return p.c.Sessions.Begin(w, r, account.ID)
}

// unsigned responds if the provider did not sign the person in.
func (p *pages) unsigned(w http.ResponseWriter, r *http.Request, flow Flow, code string) {
	p.c.Log.Info("the provider has refused a sign-in", "error", code)
	if flow.Request != "" {
		p.resume(w, r, flow.Request, store.Account{}, "nobody has signed in at "+p.provider.host)
		return
	}
	if flow.Link != "" {
		p.Fail(w, r, forbidden("Nothing was linked",
			p.provider.host+" did not sign you in. You can go back and try again."))
		return
	}
	p.Fail(w, r, forbidden("You are not signed in",
		p.provider.host+" did not sign you in. You can go back and try again."))
}
