package login

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// signIn handles the sign-in page of this server.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		p.postSignIn(w, r)
		return
	}
	p.askSignIn(w, r, nextPath(value(r, "next")), nil)
}

// askSignIn shows the page. A person who is already signed in, for example in
// another tab, is redirected to the next page.
func (p *pages) askSignIn(w http.ResponseWriter, r *http.Request, next string, why *Refusal) {
	_, in, err := p.c.Sessions.Person(r)
	switch {
	case err != nil:
		p.Fail(w, r, err)
	case in:
		page.Redirect(w, r, next)
	default:
		p.showSignIn(w, r, next, why)
	}
}

func (p *pages) postSignIn(w http.ResponseWriter, r *http.Request) {
	if !ReadForm(w, r) {
		return
	}
	if !p.c.Sessions.FromHere(r) {
		p.Fail(w, r, page.ErrStale)
		return
	}
	next := nextPath(r.PostFormValue("next"))
	if !p.c.Sessions.CheckForm(r, forLogin) {
		p.askSignIn(w, r, next, errStaleForm)
		return
	}
	if leaves(r) {
		p.StartFlow(w, r, Flow{Next: next})
		return
	}
	_, err := p.SignIn(w, r)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		p.showSignIn(w, r, next, refusal)
		return
	}
	p.goOn(w, r, next, err)
}

func (p *pages) showSignIn(w http.ResponseWriter, r *http.Request, next string, why *Refusal) {
	form := p.Form(w, r, forLogin, typed(r, why))
	signInView.Write(w, status(why), signInPage{next, form}, p.FormTargets()...)
}

// leaves reports whether a person chose to sign in at the provider.
func leaves(r *http.Request) bool { return r.PostFormValue("decision") == "provider" }

// begin signs an account in unless there was an error, and redirects the
// browser to the next page.
func (p *pages) begin(
	w http.ResponseWriter, r *http.Request, account store.Account, next string, err error,
) {
	if err == nil {
		err = p.c.Sessions.Begin(w, r, account.ID)
	}
	p.goOn(w, r, next, err)
}

// goOn redirects the browser to the next page unless there was an error.
func (p *pages) goOn(w http.ResponseWriter, r *http.Request, next string, err error) {
	if err != nil {
		p.Fail(w, r, err)
		return
	}
	page.Redirect(w, r, next)
}

// signOut signs out with the form of a page that shows who is signed in.
func (p *pages) signOut(w http.ResponseWriter, r *http.Request) {
	if !ReadForm(w, r) {
		return
	}
	if !p.c.Sessions.CheckForm(r, session.ForAccount) {
		p.Fail(w, r, page.ErrStale)
		return
	}
	p.goOn(w, r, nextPath(r.PostFormValue("next")), p.c.Sessions.End(w, r))
}

// nextPath returns the path of the next page on this server. It returns Home if
// text is empty or if a browser could interpret it as a URL of another site.
func nextPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return Home
	}
	return text
}
