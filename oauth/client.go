package oauth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/store"
)

// How clients authenticate at the token endpoint.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

const (
	mostName       = 100 // characters of a client's name
	mostID         = 64  // bytes of the id of a registered client
	unnamed        = "An app without a name"
	mostDescribing = 300 // characters of an error's description
)

// client is who asks.
type client struct {
	ID           string
	Name         string // fit to be shown
	Described    bool   // under its own address, which is its ID
	RedirectURIs []string
	Method       string   // how it authenticates, at least: none, client_secret_basic, client_secret_post, private_key_jwt
	Secret       [32]byte // SHA-256 of its secret; zero of a public client
	Signs        signer   // of a described one
}

// host is the host that describes the client, "" of one that has registered.
func (c client) host() string {
	if !c.Described {
		return ""
	}
	u, _ := url.Parse(c.ID) // it was fetched from there
	return strings.ToLower(u.Host)
}

// errUnknownClient is within the error of a client that does not exist, or not
// any more, or cannot be made out. The error's text is for a person.
var errUnknownClient = errors.New("unknown client")

// unknownClient is errUnknownClient with the reason, a sentence.
type unknownClient struct {
	why     string
	passing bool // it may be known in a moment
}

func (u unknownClient) Error() string { return u.why }
func (u unknownClient) Unwrap() error { return errUnknownClient }

func unknownf(format string, args ...any) error {
	return unknownClient{why: fmt.Sprintf(format, args...)}
}

// notNow is unknownf where it may be otherwise in a moment.
func notNow(format string, args ...any) error {
	return unknownClient{fmt.Sprintf(format, args...), true}
}

// client returns the client with an id: what stands under it, where it is an
// https address, or who has registered and got it. address is the network of
// who asks, which may have addresses looked up now and then only. Errors are
// errUnknownClient, the context's or the store's.
func (s *Server) client(ctx context.Context, address, id string) (client, error) {
	if !strings.Contains(id, ":") {
		return s.registeredClient(ctx, id)
	}
	if fault := describedFault(id); fault != "" {
		return client{}, unknownf("The app goes by an address that cannot be used: %s.", fault)
	}
	return s.documents.of(ctx, s.fetches, address, id, time.Time{})
}

// registeredClient returns a client of the store.
func (s *Server) registeredClient(ctx context.Context, id string) (client, error) {
	if id == "" || len(id) > mostID {
		return client{}, unknownf("The app goes by an id that was not given out here.")
	}
	c, err := s.c.Store.Client(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.c.Now().Before(c.Expires) {
		return client{}, unknownf("The app has not registered here, or was not used for so long that it was forgotten. Remove its connection there, and connect it anew.")
	}
	if err != nil {
		return client{}, fmt.Errorf("reading a client: %w", err)
	}
	return client{ID: c.ID, Name: c.Name, RedirectURIs: c.RedirectURIs, Method: c.Method, Secret: c.Secret}, nil
}

// asker is the client that has sent a form to the token or the revocation
// endpoint.
type asker struct {
	id     string
	signed *assertion // that it has proven itself by, nil for none
}

// owns returns an error, other, where a grant is another's, and errUnsigned
// where it is good for a client alone that has signed an assertion, and this one
// has not. That was fixed when the person agreed: a client that may go without
// needs its own host no more from then on. An assertion is spent on a grant, and
// on nothing less: strangers cannot fill the memory of those that were.
func (s *Server) owns(who asker, g store.Grant, other error) error {
	switch {
	case g.Client != who.id:
		return other
	case who.signed != nil:
		return s.assertions.spend(*who.signed)
	case g.Method == methodKey:
		return errUnsigned
	}
	return nil
}

// errUnsigned answers a client that must sign and has not.
var errUnsigned = invalidClient("this connection is for a client that authenticates with private_key_jwt: send client_assertion")

// authenticateClient returns the client that has sent a form: RFC 6749, section
// 2.3. A client that is described under its own address and signs no assertion
// has named itself, no more: it has no secret, nothing is fetched, and its
// grants are bound to its id. An error is an oauthError, the context's or the
// store's.
func (s *Server) authenticateClient(ctx context.Context, r *http.Request) (asker, error) {
	id, secret, err := clientCredentials(r)
	if err != nil {
		return asker{}, err
	}
	if asserts(r.PostForm) {
		a, err := s.readAsserted(ctx, r)
		return asker{a.Subject, &a}, err
	}
	if strings.Contains(id, ":") {
		if describedFault(id) != "" || secret != "" {
			return asker{}, invalidClient("a client with an address for its id has no secret, and a public https address")
		}
		return asker{id: id}, nil
	}
	c, err := s.registeredClient(ctx, id)
	switch {
	case errors.Is(err, errUnknownClient):
		return asker{}, invalidClient("there is no such client; register anew")
	case err != nil:
		return asker{}, err
	case !c.holds(secret):
		return asker{}, invalidClient("the secret is not the one that the client was given; a public client has none")
	}
	return asker{id: id}, nil
}

// holds reports whether a secret is the client's: of a public client, whether
// there is none. Where a secret is sent makes no difference to its worth, so
// client_secret_basic and client_secret_post are taken for each other.
func (c client) holds(secret string) bool {
	if c.Method == methodNone {
		return secret == ""
	}
	sum := access.HashSecret(secret)
	return subtle.ConstantTimeCompare(sum[:], c.Secret[:]) == 1
}

// clientCredentials returns what a client says of itself in its form or, in its
// place, in the header Authorization. An empty secret is none. Beside an
// assertion there is neither a secret nor such a header.
func clientCredentials(r *http.Request) (id, secret string, err error) {
	if err := r.ParseForm(); err != nil {
		return "", "", badRequest("the form cannot be read")
	}
	ids, secrets, headers := r.PostForm["client_id"], r.PostForm["client_secret"], r.Header["Authorization"]
	if len(ids) > 1 || len(secrets) > 1 || len(headers) > 1 {
		return "", "", badRequest("the client says more than once who it is")
	}
	id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if asserts(r.PostForm) {
		if secret != "" || len(headers) > 0 {
			return "", "", badRequest("the client says in two ways who it is")
		}
		return id, "", nil
	}
	if len(headers) == 0 {
		if id == "" {
			return "", "", invalidClient("client_id is missing")
		}
		return id, secret, nil
	}
	named, kept, ok := basicCredentials(r)
	switch {
	case !ok:
		return "", "", invalidClient("the header Authorization is not that of a client: Basic, with its id and its secret")
	case secret != "", id != "" && id != named:
		return "", "", badRequest("the client says in two ways who it is")
	}
	return named, kept, nil
}

// basicCredentials reads HTTP Basic as clients write it: both parts are encoded
// as in a form, RFC 6749, section 2.3.1.
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

// oauthError is an answer of RFC 6749, section 5.2, or RFC 7591, section 3.2.2.
type oauthError struct {
	Status      int
	Code        string
	Description string // for whoever writes the client
}

// Error returns the code with the description.
func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func invalidClient(description string) *oauthError {
	return &oauthError{http.StatusUnauthorized, "invalid_client", description}
}

// writeOAuthError answers with an error as JSON.
func writeOAuthError(w http.ResponseWriter, e *oauthError) {
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="oauth", charset="UTF-8"`)
	}
	writeOAuth(w, e.Status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{e.Code, asciiOnly(coast.Redact(printable(e.Description, mostDescribing)))})
}

// values are the error as an authorization response has it (RFC 6749, section
// 4.1.2.1).
func (e *oauthError) values() url.Values {
	return url.Values{"error": {e.Code}, "error_description": {asciiOnly(e.Description)}}
}

// asciiOnly is a text in the characters that RFC 6749, section 5.2, has for it.
func asciiOnly(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '\\', r < ' ', r > '~':
			return '?'
		}
		return r
	}, text)
}

// writeOAuth answers with JSON that nobody keeps. body is strings, numbers and
// lists of them, or JSON already.
func writeOAuth(w http.ResponseWriter, status int, body any) {
	text, _ := json.Marshal(body) // such a body always can be written
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// cleanName is a client's name as it can be shown, whatever the client says:
// one line of at most 100 characters that can all be seen and stand in the
// order in which they are read.
func cleanName(name string) string {
	if name = printable(name, mostName); name != "" {
		return name
	}
	return unnamed
}

// printable is a text with each blank a space and one alone, without
// characters that cannot be seen or turn others around, cut after so many.
func printable(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == unicode.ReplacementChar, unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), most)]))
}
