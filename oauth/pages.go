package oauth

import (
	"embed"

	"leadline/internal/access"
	"leadline/internal/page"
)

//go:embed pages/*.html
var pageFiles embed.FS

// parts.html has what several pages show: fields, faults, signing out.
const parts = "pages/parts.html"

// The pages. All of their forms are sent by POST, with a token.
//
// Who writes the consent page names as targets where its answer may lead: the
// client's redirect URI, and where people sign in at a provider the address
// that they are sent to there. Chromium drops a redirect after a form whose
// target is not named, and with it those that follow elsewhere; "https:" names
// all that a provider or a client on the web may pass through.
var (
	consentView  = page.New[consentPage](pageFiles, "pages/consent.html", parts)
	signInView   = page.New[signInPage](pageFiles, "pages/signin.html", parts)
	joinView     = page.New[joinPage](pageFiles, "pages/join.html", parts)
	passwordView = page.New[passwordPage](pageFiles, "pages/password.html", parts)
	appsView     = page.New[appsPage](pageFiles, "pages/apps.html", parts)
	refusedView  = page.New[refusedPage](pageFiles, "pages/refused.html")
)

// consentPage asks a person whether a client may act for them. Where nobody is
// signed in its form signs in too.
type consentPage struct {
	Client   string // its name, as it says
	ClientID string // the host that describes it, "" of one that registered itself
	Target   string // where the answer goes, in words: a host, "this computer", "an app that opens cursor: links"
	Local    bool   // it goes to this computer: any program here may have asked
	Grants   scopes // what is granted, not what was asked for
	Request  string // the authorization request, to come back with the form
	SignOut  signOut
	signInForm
}

// refusedPage tells of a request that came to nothing before anybody was asked.
type refusedPage struct {
	Client string // its name, as it says
	Reason string
	Target string // the host of Back
	Back   string // the client's address, with the answer
}

// signInForm is what pages have on which one can sign in.
type signInForm struct {
	Token    string // against forms of other sites
	Person   string // the e-mail address of who is signed in, "" for nobody
	Email    string // as typed before
	Fault    string // why it was not done, "" at first
	Provider string // host of the OpenID provider, "" for none
	Password bool   // whether one can sign in with a password
	SignUp   bool   // whether anybody may make an account, at /oauth/join
}

// signOut is the form of who is signed in and does not want to be.
type signOut struct {
	Token string // a form of its own has a token of its own
	Next  string // path and query on this server to come back to
}

// signInPage signs in for this server's own pages.
type signInPage struct {
	Next string // path on this server
	signInForm
}

// joinPage makes an account, by an invitation or, where all may, without.
type joinPage struct {
	Ticket string // the invitation, or ""
	Next   string // path on this server to go on to
	Owner  bool   // it is the first account
	Fixed  bool   // the invitation says the address
	Least  int    // characters that a password has at least
	signInForm
}

// passwordPage sets a new password, by a link. Email is whose it is.
type passwordPage struct {
	Ticket string
	Least  int // characters that a password has at least
	signInForm
}

// appsPage lists the clients that a person has connected.
type appsPage struct {
	Token    string
	Person   string
	Endpoint string // address that a client is given to connect to
	Apps     []app
	SignOut  signOut
}

// app is a connected client.
type app struct {
	ID        string // of the grant
	Name      string
	Target    string
	Grants    scopes
	Connected string // dates, in words
	Used      string
}

// scopes are what a client may do.
type scopes []string

// Words says what the scopes allow, in plain words, one text a scope. A scope
// that it has no words for stands as it is: nothing is granted unseen.
func (s scopes) Words() []string {
	words := make([]string, len(s))
	for i, scope := range s {
		switch scope {
		case access.MCPUse:
			words[i] = "Ask tides, currents, weather, sun and moon, with your account’s allowance"
		case offline:
			words[i] = "Stay connected until you disconnect it"
		default:
			words[i] = scope
		}
	}
	return words
}
