package login

import (
	"net/http"
	"slices"
	"strings"

	"leadline/internal/accounts"
	"leadline/internal/page"
	"leadline/internal/session"
)

// Paths of this package's pages.
const (
	Path         = "/oauth/login" // where people sign in
	LogoutPath   = "/oauth/logout"
	callbackPath = "/oauth/callback"
	joinPath     = accounts.JoinPath
	passwordPath = accounts.PasswordPath
)

// Home is the path of the page after a sign-in that did not start from another
// page.
const Home = page.AccountPath

// Page returns the handler of a page that accepts the given methods. It
// responds to other methods with an error page.
func Page(serve http.HandlerFunc, methods ...string) http.Handler {
	return session.Bound(accept(serve, methods...))
}

// accept is like Page without the limit of time.
func accept(serve http.HandlerFunc, methods ...string) http.Handler {
	allowed := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", allowed)
			page.Error(w, http.StatusMethodNotAllowed, "Method not allowed",
				"This page accepts only "+allowed+".")
			return
		}
		serve(w, r)
	})
}
