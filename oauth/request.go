package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/page"
	"leadline/internal/session"
)

const (
	// codeLife limits how long a code can be exchanged. Clients exchange it at
	// once.
	codeLife = time.Minute
	// grantLife limits how long an unused connection remains valid. Each use
	// renews it.
	grantLife = 90 * 24 * time.Hour
)

// consents serves the authorization endpoint and the consent page.
type consents struct {
	*site
	clients *clientDirectory
}

// authRequest is a valid authorization request, about which a person can be
// asked.
type authRequest struct {
	client    oauthClient
	redirect  string // one of the client's URIs, as written in the request
	state     string
	challenge string
	scopes    []string
}

// single lists the parameters that may not be repeated. resource may be
// repeated (RFC 8707, section 2).
var single = []string{
	"client_id", "redirect_uri", "response_type", "response_mode", "state", "scope",
	"code_challenge", "code_challenge_method", "prompt",
}

// read parses and checks a request. If it returns an error and the
// authorization has a redirect, the error is an *oauthError for the client.
// Otherwise the error is only for the person.
func (s *consents) read(ctx context.Context, q url.Values) (a authRequest, err error) {
	if len(q["client_id"]) != 1 || len(q["redirect_uri"]) != 1 {
		return a, &page.Fault{
			Status: http.StatusBadRequest, Title: "The app's request is incomplete",
			Text: "It must have client_id and redirect_uri, each once. " +
				"That is a fault of the app, which its makers can fix.",
		}
	}
	if a.client, err = s.clients.get(ctx, session.Address(ctx), q.Get("client_id")); err != nil {
		return a, err
	}
	redirect := q.Get("redirect_uri")
	known := func(registered string) bool { return matches(registered, redirect) }
	if !slices.ContainsFunc(a.client.RedirectURIs, known) {
		return a, &page.Fault{
			Status: http.StatusBadRequest, Title: "The app uses an unknown address",
			Text: "The request came in the name of " + a.client.Name + " and asks for the response " +
				"at an address that is not among those of that app. Somebody may be trying to get " +
				"into your account: go on only from the app itself.",
		}
	}
	a.redirect, a.state = redirect, q.Get("state")
	for _, name := range single {
		if len(q[name]) > 1 {
			return a, badRequest("%s is given more than once", name)
		}
	}
	return a, s.readParameters(&a, q)
}

// readParameters parses the request of a known client.
func (s *consents) readParameters(a *authRequest, q url.Values) error {
	switch kind, mode := q.Get("response_type"), q.Get("response_mode"); {
	case q.Has("request"):
		return &oauthError{http.StatusBadRequest, "request_not_supported",
			"send the parameters in the query"}
	case q.Has("request_uri"):
		return &oauthError{http.StatusBadRequest, "request_uri_not_supported",
			"send the parameters in the query"}
	case kind == "":
		return badRequest("response_type is missing: it must be code")
	case kind != "code":
		return &oauthError{http.StatusBadRequest, "unsupported_response_type",
			"response_type must be code"}
	case mode != "" && mode != "query":
		return badRequest("response_mode must be query, or left out")
	}
	if q.Get("code_challenge_method") != "S256" {
		return badRequest("PKCE is needed, with code_challenge_method=S256")
	}
	if a.challenge = q.Get("code_challenge"); !isChallenge(a.challenge) {
		return badRequest("code_challenge must be the SHA-256 of the verifier in base64url " +
			"without padding: 43 characters")
	}
	if err := s.checkResource(q["resource"]); err != nil {
		return err
	}
	var ok bool
	if a.scopes, ok = parseScopes(q.Get("scope")); !ok {
		return &oauthError{http.StatusBadRequest, "invalid_scope", "there are " +
			strings.Join(scopesKnown, " and ") + ", and " + credential.MCPUse + " is needed"}
	}
	return nil
}

// isChallenge reports whether text has the format of an S256 challenge (RFC
// 7636, section 4.2).
func isChallenge(text string) bool { return len(text) == 43 && isVerifierText(text) }

// isVerifierText reports whether text has only the characters of RFC 7636,
// section 4.1.
func isVerifierText(text string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return strings.Trim(text, allowed) == ""
}
