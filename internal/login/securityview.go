package login

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

var (
	securityView = page.NewAccount[securityPage](pageFiles, page.Options{}, "pages/security.html")
	deletedView  = page.New[struct{}](pageFiles, "pages/deleted.html")
)

// securityPage shows how a person signs in, and where they are signed in.
type securityPage struct {
	page.AccountFrame
	Done     string // sentence about the last decision, "" for none
	Refused  string // decision of the refused form, "" for none
	Fault    string // why it was refused
	Email    string // address as typed in the form for deleting the account
	Password bool   // the account has a password
	Recent   bool   // the session began a short time ago, see confirm
	Provider string // host of the OpenID provider, "" for none
	Linkable bool   // the account can be linked to the provider
	Linked   []linkedProvider
	Sessions []openSession
}

// linkedProvider is a provider at which the person can sign in.
type linkedProvider struct {
	Issuer, Host string
	Retired      bool // this server does not use the provider any more
	Last         bool // it is the last way to sign in
}

// openSession is a session in words.
type openSession struct {
	ID, Agent, Since, Seen string
	This                   bool
}

// securityForm is a form of the page that needs the current password.
type securityForm struct {
	ID       string // decision of the form, and prefix of the ids of its fields
	Fault    string // why the form was refused, "" for a new form
	Least    int    // minimum number of characters in a password
	Password bool   // the current password is asked for
}

// Form returns the form with a decision.
func (p securityPage) Form(decision string) securityForm {
	return securityForm{decision, p.FaultOf(decision), minCharacters, p.Password}
}

// FaultOf returns why the form with a decision was refused, or "".
func (p securityPage) FaultOf(decision string) string {
	if p.Refused != decision {
		return ""
	}
	return p.Fault
}

// Confirmed reports whether the person can prove now that the account is theirs: with the password,
// or by a recent sign-in.
func (p securityPage) Confirmed() bool { return p.Password || p.Recent }

// doneTexts confirm decisions on the next page.
var doneTexts = map[string]string{
	decidePassword: "The password is set. All other sessions and all connected apps have ended.",
	decideLink:     "The provider is linked. You can sign in there from now on.",
	decideUnlink:   "The provider is unlinked. Nobody can sign in there to this account any more.",
	decideEnd:      "The session has ended.",
}

// showSecurity shows the page, with the reason if a form was refused.
func (p *pages) showSecurity(
	w http.ResponseWriter, r *http.Request, account store.Account, decision string, why *Refusal,
) {
	data, err := p.securityPage(r, account)
	if err != nil {
		p.Fail(w, r, err)
		return
	}
	token := p.c.Sessions.FormToken(w, r, session.ForAccount)
	data.AccountFrame = p.c.Site.Account(SecurityPath, account.Email, token)
	if why == nil {
		data.Done = doneTexts[p.takeDone(w, r)]
	} else {
		data.Refused, data.Fault = decision, why.Text
		data.Email = typed(r, why).Email // only the form for deleting the account sends it
	}
	securityView.Write(w, status(why), data, p.FormTargets()...)
}

// securityPage returns the page of an account, without its frame and messages.
func (p *pages) securityPage(r *http.Request, account store.Account) (securityPage, error) {
	var data securityPage
	_, err := p.c.Store.Password(r.Context(), account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return data, err
	}
	data.Password = err == nil
	identities, err := p.c.Store.IdentitiesOf(r.Context(), account.ID)
	if err != nil {
		return data, err
	}
	if p.provider != nil {
		data.Provider, data.Linkable = p.provider.host, true
	}
	for _, i := range identities {
		retired := !p.uses(i)
		data.Linkable = data.Linkable && retired
		last := p.isLast(i, identities, data.Password)
		data.Linked = append(data.Linked, linkedProvider{i.Issuer, hostOf(i.Issuer), retired, last})
	}
	list, err := p.c.Sessions.List(r, account.ID)
	data.Recent = p.recent(list)
	for _, o := range list {
		data.Sessions = append(data.Sessions, inWords(o))
	}
	return data, err
}

func inWords(o session.Open) openSession {
	seen := ""
	if o.Seen != 0 {
		seen = inDays(o.Seen.Start())
	}
	return openSession{
		o.ID, cmp.Or(o.Agent, "Unknown browser"), inDays(o.Created), seen, o.This,
	}
}

func inDays(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// hostOf returns the host of an issuer, which newProvider has checked.
func hostOf(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return issuer
	}
	return u.Host
}
