package login

import (
	"embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/page"
	"leadline/internal/session"
)

// Form is the sign-in part of a page.
type Form struct {
	Token    string // protects against forms of other sites
	Person   string // e-mail address of the signed-in person, "" for none
	Email    string // e-mail address as typed before
	Fault    string // why the form was refused, "" for a new form
	Provider string // host of the OpenID provider, "" for none
	Password bool   // people can sign in with a password
	SignUp   bool   // everybody may create an account, at /oauth/join
}

// SignOut is the form for signing out. It has a token of its own.
type SignOut struct {
	Token string
	Next  string // path and query on this server to return to
}

//go:embed pages/*.html
var pageFiles embed.FS

// All forms of these pages are sent by POST, with a token.
var (
	signInView   = page.New[signInPage](pageFiles, "pages/signin.html")
	joinView     = page.New[joinPage](pageFiles, "pages/join.html")
	passwordView = page.New[passwordPage](pageFiles, "pages/password.html")
)

// signInPage is the sign-in page of this server.
type signInPage struct {
	Next string // path on this server
	Form
}

// joinPage creates an account, with an invitation or, if signup is open,
// without one.
type joinPage struct {
	Ticket string // ticket of the invitation, or ""
	Next   string // path of the next page on this server
	Owner  bool   // the account will be the first one
	Fixed  bool   // the invitation names the address
	Least  int    // minimum number of characters in a password
	Form
}

// passwordPage sets a password with a link. Email is the account's address.
type passwordPage struct {
	Ticket string
	Least  int // minimum number of characters in a password
	Form
}

// The purposes of form tokens.
const (
	forLogin    = "login"
	forJoin     = "join"
	forPassword = "password"
)

// errStaleForm is page.ErrStale for forms that can be shown again.
var errStaleForm = &Refusal{http.StatusForbidden,
	"The form was too old, or the browser keeps no cookies. Please send it again."}

// ReadForm parses the form of a page. If it cannot, it responds with a page
// that explains why and returns false.
func ReadForm(w http.ResponseWriter, r *http.Request) bool {
	err := session.ParseForm(w, r)
	if err == nil {
		return true
	}
	if e, _ := coast.AsError(err); e.Code == coast.Overloaded {
		e.SetHeaders(w.Header())
		page.Error(w, e.Status(), "The server is busy",
			"Nothing was changed. Go back to the page before, and send it again.")
		return false
	}
	page.Error(w, http.StatusBadRequest, "The form cannot be read",
		"Go back to the page before, and send it again.")
	return false
}

// value returns a value from the URL of a page or from the form that the page
// has sent.
func value(r *http.Request, name string) string {
	if r.Method == http.MethodPost {
		return r.PostFormValue(name)
	}
	return r.URL.Query().Get(name)
}

// Refusal is the error for a form that was refused. The page shows its text
// with the form.
type Refusal struct {
	Status int
	Text   string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// status returns the HTTP status of a page: that of a refused form, or that of
// a new one.
func status(why *Refusal) int {
	if why == nil {
		return http.StatusOK
	}
	return why.Status
}

// tooMany returns the refusal after too many attempts. The Retry-After header
// has the waiting time for programs.
func tooMany(w http.ResponseWriter, wait time.Duration) *Refusal {
	after := session.Seconds(wait)
	w.Header().Set("Retry-After", strconv.Itoa(after))
	return &Refusal{http.StatusTooManyRequests,
		fmt.Sprintf("That was tried too often. Please try again in %d seconds.", after)}
}

// typed returns the part of a submitted form that is shown again with a
// refusal.
func typed(r *http.Request, refusal *Refusal) Form {
	f := Form{Email: strings.TrimSpace(r.PostFormValue("email"))}
	if refusal != nil {
		f.Fault = refusal.Text
	}
	return f
}
