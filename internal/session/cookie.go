package session

import (
	"net/http"
	"time"
)

// Cookies sets and reads cookies that scripts cannot read and other sites
// cannot send with their forms. With https the cookie names bind them to the
// host and to https.
type Cookies struct {
	secure bool // browsers use https
}

// SetCookie sets a cookie in the browser. With a lifetime of 0 it is a session
// cookie, which ends when the browser closes.
func (c Cookies) SetCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	c.set(w, c.name(name), value, life)
}

// RemoveCookie removes a cookie from the browser.
func (c Cookies) RemoveCookie(w http.ResponseWriter, name string) {
	c.set(w, c.name(name), "", -time.Second)
}

// Cookie returns the value of a cookie, or "" if there is none.
func (c Cookies) Cookie(r *http.Request, name string) string { return value(r, c.name(name)) }

func (c Cookies) name(name string) string {
	if c.secure {
		return "__Host-" + name
	}
	return name
}

func (c Cookies) set(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second),
		Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func value(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
