package oauth

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/login"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// Store is the part of the store that the authorization server needs.
type Store interface {
	store.SignIn
	store.Grants
	store.Meta
}

// Config configures a Server.
type Config struct {
	Base     string // scheme and host that browsers and clients see; https, or http on loopback
	Store    Store
	Accounts *accounts.Service
	Sessions *session.Sessions
	Login    *login.Login
	Secret   [32]byte // encrypts what is secret in the store; the same at every start
	Now      func() time.Time
	Log      *slog.Logger

	// Documents fetches client ID metadata documents and the keys that they
	// name; nil is a client that reaches public addresses only.
	Documents *http.Client
}

// Path is the path of the protected resource. Base and Path are its identifier
// and the issuer of the server.
const Path = "/pro/mcp"

// clockLeeway limits how far the clock of a client or of a resource may be off.
const clockLeeway = 30 * time.Second

// site has the parts that all endpoints share.
type site struct {
	c        Config
	issuer   string // also the identifier of the resource: there is one of each
	resource string
}

// checkResource returns an error if a token is requested for another resource
// than the only one. No resource means that one.
func (s *site) checkResource(resources []string) error {
	for _, r := range resources {
		if canonical(r) != canonical(s.resource) {
			return &oauthError{http.StatusBadRequest, "invalid_target",
				"tokens of this server are for " + s.resource + " alone"}
		}
	}
	return nil
}

// canonical returns a resource in the form in which resources are compared: scheme
// and host in lower case, without a slash at the end. The query is left out: it only
// chooses tools (/pro/mcp?toolsets=planning), and some clients send it.
func canonical(resource string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Fragment != "" || strings.Contains(resource, "#") || u.User != nil {
		return resource
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.RawQuery, u.ForceQuery = "", false
	return strings.TrimSuffix(u.String(), "/")
}

// fail responds to a person with a page about an error.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errUnknownClient) {
		err = &page.Fault{
			Status: http.StatusBadRequest, Title: "This app is not known here", Text: err.Error(),
		}
	}
	if refused, ok := errors.AsType[*oauthError](err); ok {
		err = &page.Fault{
			Status: refused.Status, Title: "The app's request cannot be granted",
			Text: refused.Description,
		}
	}
	s.c.Login.Fail(w, r, err)
}

// failClient responds to a client with an error as JSON.
func (s *site) failClient(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*oauthError](err)
	if !ok {
		s.c.Login.LogError(r, err)
		refused = &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable",
			"the store does not respond: try again in a few seconds"}
		w.Header().Set("Retry-After", "5")
	}
	writeOAuthError(w, refused)
}

// parseForm parses the form of a client. Parameters in the address are refused,
// since proxies log addresses, and so are repeated ones (RFC 6749, section 3.2).
func parseForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, badRequest("send parameters in the body, not in the URL")
	}
	if err := session.ParseForm(w, r); err != nil {
		if full := overloaded(w, err); full != nil {
			return nil, full
		}
		return nil, badRequest("%v", err)
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && name != "resource" {
			return nil, badRequest("%s is given more than once", name)
		}
	}
	return r.PostForm, nil
}
