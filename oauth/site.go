package oauth

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access/outage"
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
	Base     string // scheme and host as browsers and clients see them; https, or http on loopback
	Store    Store
	Accounts *accounts.Service
	Sessions *session.Sessions
	Login    *login.Login
	Site     page.Site
	Secret   [32]byte // encrypts the secrets in the store; must be the same at every start
	Now      func() time.Time
	Log      *slog.Logger

	// Documents fetches client ID metadata documents and the keys that they
	// name. If it is nil, a client is used that connects only to public
	// addresses.
	Documents *http.Client
}

// Path is the path of the protected resource. Base and Path together identify
// both the resource and the issuer.
const Path = "/pro/mcp"

// clockLeeway is the tolerated difference from the clock of a client or a
// resource.
const clockLeeway = 30 * time.Second

// site holds the parts that all endpoints share.
type site struct {
	c        Config
	issuer   string // also the resource identifier: each server has one issuer and one resource
	resource string
}

// checkResource returns an error if a token is requested for a resource other
// than the only one. A request without a resource means that one.
func (s *site) checkResource(resources []string) error {
	for _, r := range resources {
		if canonical(r) != canonical(s.resource) {
			return &oauthError{http.StatusBadRequest, "invalid_target",
				"tokens of this server are for " + s.resource + " alone"}
		}
	}
	return nil
}

// canonical returns a resource in its normal form for comparison: scheme and
// host in lower case, without a trailing slash. The query is dropped, because
// it only selects tools (/pro/mcp?toolsets=planning) and some clients send it.
func canonical(resource string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Fragment != "" || strings.Contains(resource, "#") || u.User != nil {
		return resource
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.RawQuery, u.ForceQuery = "", false
	return strings.TrimSuffix(u.String(), "/")
}

// fail shows a person a page about an error.
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
		w.Header().Set("Retry-After", strconv.Itoa(outage.Retry))
	}
	writeOAuthError(w, refused)
}

// parseForm parses the form of a client. It refuses parameters in the URL,
// since proxies log URLs, and repeated parameters (RFC 6749, section 3.2).
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
