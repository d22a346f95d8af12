package page

import "net/http"

// Fault is an error with the text of the page that shows it.
type Fault struct {
	Status      int // HTTP status of the response
	Title, Text string
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

// Write responds with a page about the fault.
func (f *Fault) Write(w http.ResponseWriter) { Error(w, f.Status, f.Title, f.Text) }

// ErrStale is the fault for a form that this browser was not shown, or that was shown while another
// person was signed in.
var ErrStale = &Fault{
	Status: http.StatusForbidden, Title: "This page has expired",
	Text: "It was opened in another browser, or somebody has signed in or out since. " +
		"Nothing was done. Go back to where you came from and begin again; " +
		"cookies must be allowed here.",
}

// Redirect redirects a browser to another address by GET, so that it does not
// resend a form with a password.
func Redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
}
