package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"leadline/internal/access/credential"
	"leadline/store"
)

// authenticator authenticates clients at the token and revocation endpoints. It
// is safe for concurrent use.
type authenticator struct {
	clients    *clientDirectory
	assertions *assertions
}

// caller is the client that sent a form to the token or revocation endpoint.
type caller struct {
	id     string
	signed *assertion // the assertion that authenticated the client, or nil
}

// authenticate returns the client that sent a form (RFC 6749, section 2.3). A
// client with metadata under its own address that does not sign assertions is
// only identified: it has no secret, nothing is fetched, and its grants are
// bound to its id. The error is an *oauthError, the context's error or the
// store's.
func (s *authenticator) authenticate(ctx context.Context, r *http.Request) (caller, error) {
	id, secret, err := clientCredentials(r)
	if err != nil {
		return caller{}, err
	}
	if asserts(r.PostForm) {
		a, err := s.assertions.read(ctx, r)
		return caller{a.Subject, &a}, err
	}
	if strings.Contains(id, ":") {
		if describedFault(id) != "" || secret != "" {
			return caller{}, invalidClient("a client whose id is a URL has a public https URL " +
				"and no secret")
		}
		return caller{id: id}, nil
	}
	c, err := s.clients.registered(ctx, id)
	switch {
	case errors.Is(err, errUnknownClient):
		return caller{}, invalidClient("there is no such client; register again")
	case err != nil:
		return caller{}, err
	case !c.holds(secret):
		return caller{}, invalidClient("the secret is not the one that the client received; " +
			"a public client does not have one")
	}
	return caller{id: id}, nil
}

// checkOwner returns the error other if a grant belongs to another client. It
// returns errUnsigned if the grant requires a signed assertion and the caller
// did not send one. What a grant requires was fixed when the person agreed, so
// a client that may omit the assertion does not depend on its own host
// afterwards. An assertion is marked as used only for a grant of its client, so
// that strangers cannot fill the list of used assertions.
func (s *authenticator) checkOwner(of caller, g store.Grant, other error) error {
	switch {
	case g.Client != of.id:
		return other
	case of.signed != nil:
		return s.assertions.use(*of.signed)
	case g.Method == methodKey:
		return errUnsigned
	}
	return nil
}

// errUnsigned is the error for a client that must sign an assertion and did
// not.
var errUnsigned = invalidClient("this connection is for a client that authenticates with " +
	"private_key_jwt: send client_assertion")

// holds reports whether a secret belongs to the client. For a public client it
// reports whether the secret is absent. The location of the secret does not
// matter: client_secret_basic and client_secret_post are interchangeable.
func (c oauthClient) holds(secret string) bool {
	if c.Method == methodNone {
		return secret == ""
	}
	sum := credential.HashSecret(secret)
	return subtle.ConstantTimeCompare(sum[:], c.Secret[:]) == 1
}

// clientCredentials returns the id and the secret from a client's form or its
// Authorization header. An empty secret counts as absent. A request with an
// assertion may contain neither a secret nor that header.
func clientCredentials(r *http.Request) (id, secret string, err error) {
	if err := r.ParseForm(); err != nil {
		return "", "", badRequest("the form cannot be read")
	}
	headers := r.Header["Authorization"]
	ids, secrets := r.PostForm["client_id"], r.PostForm["client_secret"]
	if len(ids) > 1 || len(secrets) > 1 || len(headers) > 1 {
		return "", "", badRequest("the client says more than once who it is")
	}
	id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if asserts(r.PostForm) {
		if secret != "" || len(headers) > 0 {
			return "", "", badRequest("the client authenticates in more than one way")
		}
		return id, "", nil
	}
	if len(headers) == 0 {
		if id == "" {
			return "", "", invalidClient("client_id is missing")
		}
		return id, secret, nil
	}
	named, basicSecret, ok := basicCredentials(r)
	switch {
	case !ok:
		return "", "", invalidClient("the Authorization header is invalid: " +
			"must be Basic, with the id and the secret of the client")
	case secret != "", id != "" && id != named:
		return "", "", badRequest("the client authenticates in more than one way")
	}
	return named, basicSecret, nil
}

// basicCredentials returns the credentials of HTTP Basic. Clients form-encode
// both values (RFC 6749, section 2.3.1).
func basicCredentials(r *http.Request) (id, secret string, ok bool) {
	id, secret, ok = r.BasicAuth()
	if !ok {
		return "", "", false
	}
	id, err := url.QueryUnescape(id)
	if err != nil {
		return "", "", false
	}
	secret, err = url.QueryUnescape(secret)
	return id, secret, err == nil && id != ""
}
