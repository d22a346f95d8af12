package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/page"
	"leadline/internal/session"
)

// overloaded returns the error of a body that could not be read because the
// server has no room for it, nil for all others.
func overloaded(w http.ResponseWriter, err error) *oauthError {
	e, known := coast.AsError(err)
	if err == nil || !known || e.Code != coast.Overloaded {
		return nil
	}
	e.SetHeaders(w.Header())
	return &oauthError{e.Status(), "temporarily_unavailable", e.Message}
}

// readForm reads the form of a page, or answers that there is none.
func readForm(w http.ResponseWriter, r *http.Request) bool {
	err := session.ParseForm(w, r)
	if full := overloaded(w, err); full != nil {
		page.Error(w, full.Status, "Too many people are here at the moment", "Nothing was changed. Go back to the page before, and send it again.")
		return false
	}
	if err != nil {
		page.Error(w, http.StatusBadRequest, "That is no form of ours", "Go back to the page before, and send it again.")
		return false
	}
	return true
}

// given is a value that came with the address of a page, or with the form that
// the page has sent.
func given(r *http.Request, name string) string {
	if r.Method == http.MethodPost {
		return r.PostFormValue(name)
	}
	return r.URL.Query().Get(name)
}

// endpointForm reads the form of a client. Parameters in the address are
// refused, since addresses are written down on the way, and so are those that
// come twice (RFC 6749, section 3.2).
func (s *Server) endpointForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, badRequest("parameters belong into the body, not into the address")
	}
	if err := session.ParseForm(w, r); err != nil {
		if full := overloaded(w, err); full != nil {
			return nil, full
		}
		return nil, badRequest("%v", err)
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && name != "resource" {
			return nil, badRequest("%s stands more than once", name)
		}
	}
	return r.PostForm, nil
}

// badRequest is the error of a request that does not keep the rules.
func badRequest(format string, args ...any) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

// pageError is why a person's request came to nothing, as a page tells it.
type pageError struct {
	status      int
	title, text string
}

// Error is the text.
func (f *pageError) Error() string { return f.text }

// fail shows a person why there is no answer.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var told *pageError
	var refused *oauthError
	switch {
	case errors.As(err, &told):
		page.Error(w, told.status, told.title, told.text)
	case errors.Is(err, errUnknownClient):
		page.Error(w, http.StatusBadRequest, "This app is not known here", err.Error())
	case errors.As(err, &refused):
		page.Error(w, refused.Status, "The app's request cannot be granted", refused.Description)
	default:
		s.complain(r, err)
		page.Error(w, http.StatusServiceUnavailable, "Accounts cannot be reached at the moment", "Nothing was changed. Try again in a minute.")
	}
}

// answerError tells a client why there is no answer.
func (s *Server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var told *oauthError
	if !errors.As(err, &told) {
		s.complain(r, err)
		told = &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", "the store does not answer: try again in a few seconds"}
		w.Header().Set("Retry-After", "5")
	}
	writeOAuthError(w, told)
}

// complain tells the log of what no caller is told, unless the caller has gone
// away.
func (s *Server) complain(r *http.Request, err error) {
	if !gone(r) {
		s.c.Log.Error("signing in", "request", access.RequestID(r.Context()), "path", r.URL.Path, "error", err)
	}
}

// gone reports whether the caller has hung up: that is nobody's fault here.
func gone(r *http.Request) bool { return errors.Is(r.Context().Err(), context.Canceled) }

// stale answers a form that this browser was not shown, or not by who is
// signed in now.
func (s *Server) stale(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, &pageError{http.StatusForbidden, "This page is no longer good", "It was opened in another browser, or somebody has signed in or out since. Nothing was done. Go back to where you came from and begin again; cookies must be allowed here."})
}
