package page

import "net/http"

// Fault is an error with the words of the page that shows it.
type Fault struct {
	Status      int // of the response
	Title, Text string
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

// Write responds with a page about the fault.
func (f *Fault) Write(w http.ResponseWriter) { Error(w, f.Status, f.Title, f.Text) }

// Redirect sends a browser to another address by GET, so that it does not send
// a form with a password along.
func Redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
}
