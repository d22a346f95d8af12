package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"leadline/internal/access/credential"
	"leadline/internal/edge"
	"leadline/internal/login"
	"leadline/internal/page"
	"leadline/store"
)

// authorize is the authorization endpoint, where clients send people. A form
// posted by a client's page carries no cookies, so the browser is redirected to
// the same request by GET, which carries them.
func (s *consents) authorize(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.authorizeByGET(w, r)
		return
	}
	q := r.URL.Query()
	a, err := s.read(r.Context(), q)
	if err != nil {
		s.refuseUnasked(w, r, a, err)
		return
	}
	person, signedIn, err := s.c.Sessions.Person(r)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case q.Get("prompt") == "none" && signedIn:
		s.refuseUnasked(w, r, a, &oauthError{
			http.StatusBadRequest, "consent_required", "people are asked each time"})
	case q.Get("prompt") == "none":
		s.refuseUnasked(w, r, a, &oauthError{
			http.StatusBadRequest, "login_required", "nobody is signed in"})
	default:
		s.ask(w, r, http.StatusOK, a, q.Encode(), login.Form{Person: person.Email})
	}
}

// longestRequest is the maximum length in bytes of an authorization request in
// a URL: some proxies accept only 8 KiB of headers.
const longestRequest = 6 << 10

func (s *consents) authorizeByGET(w http.ResponseWriter, r *http.Request) {
	if !login.ReadForm(w, r) {
		return
	}
	request := r.PostForm.Encode()
	if len(request) > longestRequest {
		s.fail(w, r, &page.Fault{
			Status: http.StatusRequestEntityTooLarge, Title: "The app's request is too long",
			Text: "That is a fault of the app, which its makers can fix.",
		})
		return
	}
	page.Redirect(w, r, authorizePath+"?"+request)
}

// consentPurpose returns the purpose of the token in a consent form. The token
// is valid for this request only.
func consentPurpose(request string) string { return "consent\x00" + request }

// ask shows a request to the person. form holds the known details of the
// person.
func (s *consents) ask(
	w http.ResponseWriter, r *http.Request, status int, a authRequest, request string,
	form login.Form,
) {
	target, local := redirectTarget(a.redirect)
	consentView.Write(w, status, consentPage{
		Client: a.client.Name, ClientID: a.client.host(), Target: target, Local: local,
		Grants: allowed(a.scopes), Request: request,
		SignOut: s.c.Login.SignOut(w, r, authorizePath+"?"+request),
		Form:    s.c.Login.Form(w, r, consentPurpose(request), form),
	}, append(s.c.Login.FormTargets(), formTarget(a.redirect))...)
}

// consent handles the decision that the person makes on the consent page.
func (s *consents) consent(w http.ResponseWriter, r *http.Request) {
	if !login.ReadForm(w, r) {
		return
	}
	request := r.PostFormValue("request")
	q, err := url.ParseQuery(request)
	if err != nil || !s.c.Sessions.CheckForm(r, consentPurpose(request)) {
		s.fail(w, r, page.ErrStale)
		return
	}
	a, err := s.read(r.Context(), q)
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	switch r.PostFormValue("decision") {
	case "allow":
		s.allow(w, r, a, request)
	case "provider":
		s.c.Login.StartFlow(w, r, login.Flow{Request: request})
	default:
		s.refuse(w, r, a, &oauthError{
			http.StatusForbidden, "access_denied", "the user denied access"})
	}
}

// allow grants a request to the client for the person who is signed in or who
// signs in with this form.
func (s *consents) allow(
	w http.ResponseWriter, r *http.Request, a authRequest, request string,
) {
	person, signedIn, err := s.c.Sessions.Person(r)
	if err == nil && !signedIn && !r.PostForm.Has("email") {
		s.ask(w, r, http.StatusUnprocessableEntity, a, request,
			login.Form{Fault: "You are not signed in any more. Sign in to allow it."})
		return
	}
	if err == nil && !signedIn {
		person, err = s.c.Login.SignIn(w, r)
	}
	if refusal, ok := errors.AsType[*login.Refusal](err); ok {
		s.ask(w, r, refusal.Status, a, request,
			login.Form{Email: r.PostFormValue("email"), Fault: refusal.Text})
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.issue(w, r, person, a)
}

// resume grants a request that the person agreed to before signing in at the
// provider, or refuses it if that sign-in failed. The request is validated
// again, because the client may have changed.
func (s *consents) resume(
	w http.ResponseWriter, r *http.Request, request string, person store.Account, refused string,
) {
	q, err := url.ParseQuery(request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	a, err := s.read(r.Context(), q)
	if err == nil && refused != "" {
		err = &oauthError{http.StatusForbidden, "access_denied", refused}
	}
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	s.issue(w, r, person, a)
}

// issue creates an authorization code and redirects the browser to the client
// with it.
func (s *consents) issue(
	w http.ResponseWriter, r *http.Request, person store.Account, a authRequest,
) {
	code, now := credential.NewSecret(codePrefix), s.c.Now()
	err := s.c.Store.AddCode(r.Context(), store.Code{
		Hash: credential.HashSecret(code), Challenge: a.challenge, Expires: now.Add(codeLife),
		Grant: store.Grant{
			ID: edge.NewID(now), Account: person.ID,
			Client: a.client.ID, Method: a.client.Method, Name: a.client.Name,
			RedirectURI: a.redirect, Scopes: a.scopes, Resource: s.resource,
			Created: now, Used: now, Expires: now.Add(grantLife),
		},
	})
	if errors.Is(err, store.ErrNotFound) {
		err = &page.Fault{
			Status: http.StatusForbidden, Title: "Your account no longer exists",
			Text: "It has just been removed. The operator of this server can explain why.",
		}
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.respond(w, r, a, url.Values{"code": {code}})
}

// respond redirects the browser to the client with an authorization response.
func (s *consents) respond(
	w http.ResponseWriter, r *http.Request, a authRequest, values url.Values,
) {
	page.Redirect(w, r, s.responseURL(a, values))
}

// responseURL returns the redirect URI of a request with a response.
func (s *consents) responseURL(a authRequest, values url.Values) string {
	values.Set("iss", s.issuer)
	if a.state != "" {
		values.Set("state", a.state)
	}
	to := a.redirect
	switch {
	case !strings.Contains(to, "?"):
		to += "?"
	case !strings.HasSuffix(to, "?") && !strings.HasSuffix(to, "&"):
		to += "&"
	}
	return to + values.Encode()
}

// refuse sends an error to the client if the request is known to come from it.
// Otherwise it shows the error to the person.
func (s *consents) refuse(w http.ResponseWriter, r *http.Request, a authRequest, err error) {
	if refused, ok := errors.AsType[*oauthError](err); ok && a.redirect != "" {
		s.respond(w, r, a, refused.values())
		return
	}
	s.fail(w, r, err)
}

// refuseUnasked refuses a request before the person was asked. Anybody can
// register a client with any redirect URI, so an automatic redirect would make
// this server an open redirector (RFC 9700, section 4.11.2). The person must
// press a button to continue.
func (s *consents) refuseUnasked(
	w http.ResponseWriter, r *http.Request, a authRequest, err error,
) {
	target, local := "", true
	if a.redirect != "" {
		target, local = redirectTarget(a.redirect)
	}
	refused, ok := errors.AsType[*oauthError](err)
	if local || !ok {
		s.refuse(w, r, a, err)
		return
	}
	refusedView.Write(w, http.StatusBadRequest, refusedPage{
		a.client.Name, refused.Description, target, s.responseURL(a, refused.values()),
	})
}
