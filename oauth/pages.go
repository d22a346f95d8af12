package oauth

import (
	"embed"

	"leadline/internal/login"
	"leadline/internal/page"
)

//go:embed pages/*.html
var pageFiles embed.FS

// All forms of these pages are sent by POST, with a token.
//
// The consent page names the addresses where its response may lead: the
// client's redirect URI, and the address of the provider if people sign in
// there. Chromium blocks a redirect after a form unless its target is named,
// and the redirects that follow it; "https:" names all hosts of the web that a
// provider or a client may pass through.
var (
	consentView = page.New[consentPage](pageFiles, "pages/consent.html")
	appsView    = page.NewAccount[appsPage](pageFiles, page.Options{}, "pages/apps.html")
	refusedView = page.New[refusedPage](pageFiles, "pages/refused.html")
)

// consentPage asks a person whether a client may act on their behalf. If nobody
// is signed in, its form also signs the person in.
type consentPage struct {
	Client   string // name that the client gave itself
	ClientID string // host of its metadata document, "" for a registered client
	Target   string // description of where the response goes: a host or "this computer"
	Local    bool   // the response goes to this computer: any program here may have asked
	Grants   scopes // granted scopes, which may differ from the requested ones
	Request  string // authorization request, which the form sends back
	SignOut  login.SignOut
	login.Form
}

// refusedPage describes a request that was refused before the person was asked.
type refusedPage struct {
	Client string // name that the client gave itself
	Reason string
	Target string // the host of Back
	Back   string // redirect URI of the client, with the error
}

// appsPage lists the clients that a person has connected.
type appsPage struct {
	page.AccountFrame
	Endpoint string // URL that people enter in a client to connect it
	Apps     []connectedApp
}

// connectedApp is a connected client.
type connectedApp struct {
	ID        string // of the grant
	Name      string
	Target    string
	Grants    scopes
	Connected string // dates in words
	Used      string
}
