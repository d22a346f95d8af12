package login

import (
	"net/http"

	"leadline/store"
)

// Resume continues an authorization request, a query, to which a person agreed
// before they left for the provider. If nobody signed in there, refused says so
// and person is empty.
type Resume func(
	w http.ResponseWriter, r *http.Request, request string, person store.Account, refused string,
)

// pages are the handlers of the pages.
type pages struct {
	*Login
	resume Resume
}

// Routes returns the handlers by path.
func (l *Login) Routes(resume Resume) map[string]http.Handler {
	p := &pages{l, resume}
	const get, head, post = http.MethodGet, http.MethodHead, http.MethodPost
	return map[string]http.Handler{
		Path:         Page(p.signIn, get, head, post),
		LogoutPath:   Page(p.signOut, post),
		joinPath:     Page(p.join, get, head, post),
		passwordPath: Page(p.password, get, head, post),
		callbackPath: Page(p.callback, get), // a HEAD would use up the authorization response
	}
}
