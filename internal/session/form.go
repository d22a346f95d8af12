package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"net/http"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
)

// browserCookie holds the random name of a browser, from which form tokens are
// derived.
const browserCookie = "leadline-browser"

// ForAccount is the purpose of the tokens of all forms on the pages of an account.
const ForAccount = "account"

// LongestForm is the maximum length of a form in bytes. The longest legitimate
// form contains an authorization request.
const LongestForm = 64 << 10

// ParseForm parses the form in the body of a request into r.PostForm. The error
// is a *coast.Error: it describes the invalid form, or it is coast.Overloaded
// if the server has no memory for the form.
func ParseForm(w http.ResponseWriter, r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return coast.Errorf(coast.InvalidRequest,
			"the body must be a form: send Content-Type: application/x-www-form-urlencoded")
	}
	r.Body = http.MaxBytesReader(w, r.Body, LongestForm)
	err = r.ParseForm()
	if full, ok := coast.AsError(err); err != nil && ok {
		return full
	}
	if err != nil {
		return coast.Errorf(coast.InvalidRequest,
			"the form cannot be read, or is longer than %d bytes", LongestForm)
	}
	return nil
}

// FormToken returns the token for a form of this browser, which no other site
// can know. It is derived from a cookie, from the session and from the purpose
// of the form.
func (s *Sessions) FormToken(w http.ResponseWriter, r *http.Request, purpose string) string {
	browser := s.Cookie(r, browserCookie)
	if browser == "" {
		browser = credential.NewSecret("")
		s.SetCookie(w, browserCookie, browser, 0)
		// All forms on a page need the same name.
		r.AddCookie(&http.Cookie{Name: s.name(browserCookie), Value: browser})
	}
	return s.formToken(browser, r, purpose)
}

func (s *Sessions) formToken(browser string, r *http.Request, purpose string) string {
	h := hmac.New(sha256.New, []byte(browser))
	h.Write([]byte(purpose + "\x00" + s.secret(r)))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// CheckForm reports whether a parsed form was sent from a page of this server
// that was shown to this browser for the purpose. The token proves it. The
// Origin and Sec-Fetch headers are checked too, see FromHere.
func (s *Sessions) CheckForm(r *http.Request, purpose string) bool {
	browser := s.Cookie(r, browserCookie)
	return browser != "" && s.FromHere(r) &&
		hmac.Equal([]byte(r.PostFormValue("token")), []byte(s.formToken(browser, r, purpose)))
}

// FromHere reports whether the Origin and Sec-Fetch headers of a request allow that a page of this
// server sent it. Older browsers send "null" for pages without a referrer, and all of our pages are
// such pages.
func (s *Sessions) FromHere(r *http.Request) bool {
	silent := r.Header.Get("Origin") == "null" && r.Header.Get("Sec-Fetch-Site") == ""
	return silent || s.origin.Check(r) == nil
}
