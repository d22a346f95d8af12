package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/internal/session"
	"leadline/store"
)

const (
	// codeLife is how long a code is good: clients redeem it at once.
	codeLife = time.Minute
	// grantLife is how long a connection lasts that is not used. Each use
	// begins it anew.
	grantLife = 90 * 24 * time.Hour
)

// authorization is a request for a consent that can be asked for.
type authorization struct {
	client    client
	redirect  string // one of the client's, as the request has it
	state     string
	challenge string
	scopes    []string
}

// single are the parameters that may come once alone. resource may come more
// often (RFC 8707, section 2).
var single = []string{"client_id", "redirect_uri", "response_type", "response_mode", "state", "scope", "code_challenge", "code_challenge_method", "prompt"}

// readAuthorization reads a request. Where it returns an error and the
// authorization has a redirect, the error is an *oauthError that the client is
// to hear of; else the person alone is.
func (s *Server) readAuthorization(ctx context.Context, q url.Values) (a authorization, err error) {
	if len(q["client_id"]) != 1 || len(q["redirect_uri"]) != 1 {
		return a, &pageError{http.StatusBadRequest, "The app's request is incomplete", "It must have client_id and redirect_uri, each once. That is a fault of the app: whoever made it can mend it."}
	}
	if a.client, err = s.client(ctx, session.Address(ctx), q.Get("client_id")); err != nil {
		return a, err
	}
	redirect := q.Get("redirect_uri")
	if !slices.ContainsFunc(a.client.RedirectURIs, func(registered string) bool { return matches(registered, redirect) }) {
		return a, &pageError{http.StatusBadRequest, "The app wants its answer somewhere else", "The request came in the name of " + a.client.Name + " and asks for the answer at an address that is not among those of that app. Somebody may be trying to get into your account: go on only from the app itself."}
	}
	a.redirect, a.state = redirect, q.Get("state")
	for _, name := range single {
		if len(q[name]) > 1 {
			return a, badRequest("%s stands more than once", name)
		}
	}
	return a, s.readParameters(&a, q)
}

// readParameters reads what a known client asks for.
func (s *Server) readParameters(a *authorization, q url.Values) (err error) {
	switch kind, mode := q.Get("response_type"), q.Get("response_mode"); {
	case q.Has("request"):
		return &oauthError{http.StatusBadRequest, "request_not_supported", "parameters stand in the query here"}
	case q.Has("request_uri"):
		return &oauthError{http.StatusBadRequest, "request_uri_not_supported", "parameters stand in the query here"}
	case kind == "":
		return badRequest("response_type is missing: it must be code")
	case kind != "code":
		return &oauthError{http.StatusBadRequest, "unsupported_response_type", "response_type must be code"}
	case mode != "" && mode != "query":
		return badRequest("response_mode must be query, or left out")
	}
	if q.Get("code_challenge_method") != "S256" {
		return badRequest("PKCE is needed, with code_challenge_method=S256")
	}
	if a.challenge = q.Get("code_challenge"); !isChallenge(a.challenge) {
		return badRequest("code_challenge must be the SHA-256 of the verifier in base64url without padding: 43 characters")
	}
	if err := s.checkResource(q["resource"]); err != nil {
		return err
	}
	a.scopes, err = scopesOf(q.Get("scope"))
	return err
}

// isChallenge reports whether text can be an S256 challenge (RFC 7636,
// section 4.2).
func isChallenge(text string) bool { return len(text) == 43 && isVerifierText(text) }

// isVerifierText reports whether text has the characters of RFC 7636, section
// 4.1, alone.
func isVerifierText(text string) bool {
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") == ""
}

// checkResource returns an error where a token is asked for anything but the one
// resource. None named is that one.
func (s *Server) checkResource(resources []string) error {
	for _, r := range resources {
		if canonical(r) != canonical(s.resource) {
			return &oauthError{http.StatusBadRequest, "invalid_target", "tokens of this server are for " + s.resource + " alone"}
		}
	}
	return nil
}

// canonical is how addresses of a resource are compared: scheme and host in
// any case, with or without a slash at the end.
func canonical(resource string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Fragment != "" || strings.Contains(resource, "#") || u.User != nil {
		return resource
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return strings.TrimSuffix(u.String(), "/")
}

// scopesOf are the scopes of a request that there are here. Clients ask for
// more than they need: what is unknown is left out, and the answer says what
// was granted (RFC 6749, section 3.3). Without the one that the resource wants
// a token would be good for nothing.
func scopesOf(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return []string{access.MCPUse}, nil
	}
	var scopes []string
	asked := strings.Fields(text)
	for _, s := range scopesKnown {
		if slices.Contains(asked, s) {
			scopes = append(scopes, s)
		}
	}
	if !slices.Contains(scopes, access.MCPUse) {
		return nil, &oauthError{http.StatusBadRequest, "invalid_scope", "there are " + strings.Join(scopesKnown, " and ") + ", and " + access.MCPUse + " is needed"}
	}
	return scopes, nil
}

// authorize is where clients send people to. A form of a client's brings no
// cookies along: the same is asked again by GET, which does.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.authorizeByGET(w, r)
		return
	}
	q := r.URL.Query()
	a, err := s.readAuthorization(r.Context(), q)
	if err != nil {
		s.turnBack(w, r, a, err)
		return
	}
	person, signedIn, err := s.sessions.Person(r)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case q.Get("prompt") == "none" && signedIn:
		s.turnBack(w, r, a, &oauthError{http.StatusBadRequest, "consent_required", "people are asked each time"})
	case q.Get("prompt") == "none":
		s.turnBack(w, r, a, &oauthError{http.StatusBadRequest, "login_required", "nobody is signed in"})
	default:
		s.askConsent(w, r, http.StatusOK, a, q.Encode(), signInForm{Person: person.Email})
	}
}

// longestRequest is how many bytes an authorization request may have in an
// address: some proxies take 8 KiB of headers.
const longestRequest = 6 << 10

func (s *Server) authorizeByGET(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	request := r.PostForm.Encode()
	if len(request) > longestRequest {
		s.fail(w, r, &pageError{http.StatusRequestEntityTooLarge, "The app's request is too long", "That is a fault of the app: whoever made it can mend it."})
		return
	}
	sendOn(w, r, authorizePath+"?"+request)
}

// consentPurpose is what the token of a consent form is for: this request and
// no other.
func consentPurpose(request string) string { return "consent\x00" + request }

// askConsent shows who asks for what. form has what is known of the person.
func (s *Server) askConsent(w http.ResponseWriter, r *http.Request, status int, a authorization, request string, form signInForm) {
	target, local := redirectTarget(a.redirect)
	consentView.Write(w, status, consentPage{
		Client: a.client.Name, ClientID: a.client.host(), Target: target, Local: local, Grants: allowed(a.scopes), Request: request,
		SignOut:    signOut{s.sessions.FormToken(w, r, forAccount), authorizePath + "?" + request},
		signInForm: s.form(w, r, consentPurpose(request), form),
	}, append(s.providerTargets(), formTarget(a.redirect))...)
}

// consent takes the answer of the consent page.
func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	request := r.PostFormValue("request")
	q, err := url.ParseQuery(request)
	if err != nil || !s.sessions.CheckForm(r, consentPurpose(request)) {
		s.stale(w, r)
		return
	}
	a, err := s.readAuthorization(r.Context(), q)
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	switch r.PostFormValue("decision") {
	case "allow":
		s.consented(w, r, a, request)
	case "provider":
		if err := s.depart(w, r, journey{Request: request}); err != nil {
			s.fail(w, r, err)
		}
	default:
		s.refuse(w, r, a, &oauthError{http.StatusForbidden, "access_denied", "the person has said no"})
	}
}

// consented lets a client act for whoever is signed in, or signs in with the
// form.
func (s *Server) consented(w http.ResponseWriter, r *http.Request, a authorization, request string) {
	person, signedIn, err := s.sessions.Person(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !signedIn && !r.PostForm.Has("email") {
		s.askConsent(w, r, http.StatusUnprocessableEntity, a, request, signInForm{Fault: "You are not signed in any more. Sign in to allow it."})
		return
	}
	if !signedIn {
		account, fault, status, err := s.signInWith(w, r)
		if err == nil && fault != "" {
			s.askConsent(w, r, status, a, request, signInForm{Email: r.PostFormValue("email"), Fault: fault})
			return
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		person = account
	}
	s.issue(w, r, person, a)
}

// allow answers an authorization request that a person has agreed to before
// they signed in elsewhere.
func (s *Server) allow(w http.ResponseWriter, r *http.Request, person store.Account, request string) {
	s.resume(w, r, request, func(a authorization) { s.issue(w, r, person, a) })
}

// deny tells the client that a request has come to nothing that a person has
// agreed to before they were to sign in elsewhere.
func (s *Server) deny(w http.ResponseWriter, r *http.Request, request, code, description string) {
	s.resume(w, r, request, func(a authorization) {
		s.refuse(w, r, a, &oauthError{http.StatusForbidden, code, description})
	})
}

// resume goes on with a request as it is good now.
func (s *Server) resume(w http.ResponseWriter, r *http.Request, request string, do func(authorization)) {
	q, err := url.ParseQuery(request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	a, err := s.readAuthorization(r.Context(), q)
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	do(a)
}

// issue makes a code and sends the browser back to the client with it.
func (s *Server) issue(w http.ResponseWriter, r *http.Request, person store.Account, a authorization) {
	code, now := access.NewSecret(codePrefix), s.c.Now()
	err := s.c.Store.AddCode(r.Context(), store.Code{
		Hash: access.HashSecret(code), Challenge: a.challenge, Expires: now.Add(codeLife),
		Grant: store.Grant{
			ID: edge.NewID(now), Account: person.ID, Client: a.client.ID, Method: a.client.Method, Name: a.client.Name, RedirectURI: a.redirect,
			Scopes: a.scopes, Resource: s.resource, Created: now, Used: now, Expires: now.Add(grantLife),
		},
	})
	if errors.Is(err, store.ErrNotFound) {
		err = &pageError{http.StatusForbidden, "Your account is gone", "It was removed just now. Whoever runs this server can say why."}
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, a, url.Values{"code": {code}})
}

// answer sends the browser back to the client: by 303, so that nothing that
// was typed goes along.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, a authorization, values url.Values) {
	sendOn(w, r, s.answerAt(a, values))
}

// answerAt is the client's address with an answer.
func (s *Server) answerAt(a authorization, values url.Values) string {
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

// refuse tells of a request that came to nothing: the client where it is known
// that it is the client, else the person.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, a authorization, err error) {
	var told *oauthError
	if a.redirect != "" && errors.As(err, &told) {
		s.answer(w, r, a, told.values())
		return
	}
	s.fail(w, r, err)
}

// turnBack is refuse where nobody was asked yet. Anybody can register a client
// with any address of the web, and this server would be a way there that nobody
// sees through (RFC 9700, section 4.11.2): the person goes there by a button.
func (s *Server) turnBack(w http.ResponseWriter, r *http.Request, a authorization, err error) {
	var told *oauthError
	target, local := "", true
	if a.redirect != "" {
		target, local = redirectTarget(a.redirect)
	}
	if local || !errors.As(err, &told) {
		s.refuse(w, r, a, err)
		return
	}
	refusedView.Write(w, http.StatusBadRequest, refusedPage{a.client.Name, told.Description, target, s.answerAt(a, told.values())})
}
