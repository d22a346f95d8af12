package oauth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// sessionLife is how long a browser stays signed in. It is ours: long enough
// that people who come back each week sign in seldom.
const sessionLife = 14 * 24 * time.Hour

// What the secrets of the server begin with, so that they can be recognised
// wherever they should not be.
const (
	refreshPrefix = "ldr_"
	codePrefix    = "ldc_"
	secretPrefix  = "lds_" // of clients
	ticketPrefix  = "ldt_"
)

// newSecret returns 256 random bits as text behind a prefix.
func newSecret(prefix string) string {
	var b [32]byte
	rand.Read(b[:])
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// hashOf is all that is kept of a secret that newSecret has made: it is long
// and random, so a slow hash would add nothing.
func hashOf(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// secure reports whether browsers reach the server by https.
func (s *Server) secure() bool { return strings.HasPrefix(s.c.Base, "https:") }

// cookieName binds a cookie to this host and to https, where there is https.
func (s *Server) cookieName(name string) string {
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// setCookie gives the browser a cookie that no script reads and that pages of
// other sites send along only when a person follows their links. life 0 ends
// with the browser.
func (s *Server) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second),
		Secure: s.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// dropCookie takes a cookie from the browser.
func (s *Server) dropCookie(w http.ResponseWriter, name string) {
	s.setCookie(w, name, "", -time.Second)
}

// cookie is the value of a cookie, "" where the browser has none.
func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// person returns the account of who is signed in with the browser; false where
// nobody is. The error is the store's.
func (s *Server) person(r *http.Request) (store.Account, bool, error) {
	secret := cookie(r, access.SessionCookie(s.secure()))
	if secret == "" {
		return store.Account{}, false, nil
	}
	return access.InSession(r.Context(), s.c.Store, secret, s.c.Now())
}

// begin signs an account in with the browser, in a session with a secret of
// its own: one that was there before, perhaps put there by somebody else, ends.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, account string) error {
	if err := s.endSession(r); err != nil {
		return err
	}
	secret, now := newSecret(""), s.c.Now()
	if err := s.c.Store.AddSession(r.Context(), store.Session{Hash: hashOf(secret), Account: account, Created: now, Expires: now.Add(sessionLife)}); err != nil {
		return err
	}
	s.setCookie(w, access.SessionCookie(s.secure()), secret, sessionLife)
	return nil
}

// end signs the browser out.
func (s *Server) end(w http.ResponseWriter, r *http.Request) error {
	if err := s.endSession(r); err != nil {
		return err
	}
	s.dropCookie(w, access.SessionCookie(s.secure()))
	return nil
}

// endSession ends the session of the browser, where there is one.
func (s *Server) endSession(r *http.Request) error {
	secret := cookie(r, access.SessionCookie(s.secure()))
	if secret == "" {
		return nil
	}
	return s.c.Store.RemoveSession(r.Context(), hashOf(secret))
}

// formToken is what a form of this browser carries, so that no other site can
// send it: it follows from a cookie, from who is signed in, and from what the
// form is for.
func (s *Server) formToken(w http.ResponseWriter, r *http.Request, purpose string) string {
	name := s.cookieName("leadline-browser")
	browser := cookie(r, name)
	if browser == "" {
		browser = newSecret("")
		s.setCookie(w, name, browser, 0)
		r.AddCookie(&http.Cookie{Name: name, Value: browser}) // for another form on the same page
	}
	return s.tokenFor(browser, r, purpose)
}

func (s *Server) tokenFor(browser string, r *http.Request, purpose string) string {
	h := hmac.New(sha256.New, []byte(browser))
	h.Write([]byte(purpose + "\x00" + cookie(r, access.SessionCookie(s.secure()))))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// ours reports whether a form was sent from a page of this server that was
// shown to this browser for the purpose. The token says so. What the browser
// says of the sender comes on top; older ones say "null" of pages that keep
// their address to themselves, as all of ours do.
func (s *Server) ours(r *http.Request, purpose string) bool {
	browser := cookie(r, s.cookieName("leadline-browser"))
	silent := r.Header.Get("Origin") == "null" && r.Header.Get("Sec-Fetch-Site") == ""
	return browser != "" && (silent || s.origin.Check(r) == nil) &&
		hmac.Equal([]byte(r.PostFormValue("token")), []byte(s.tokenFor(browser, r, purpose)))
}
