// Package oauth is the authorization server of one resource, the MCP endpoint
// for people who sign in, and the sign-in behind it. What comes in are
// browsers and OAuth clients; what goes out are pages, codes and tokens. It
// speaks OAuth 2.1 as MCP asks for it: authorization code with PKCE S256 and
// refresh tokens, nothing else; clients that publish what they are under their
// own address (client ID metadata documents), some of which sign who they are
// (RFC 7523), or register themselves (RFC 7591); resource indicators (RFC 8707),
// iss in every authorization response (RFC 9207), revocation (RFC 7009), access
// tokens of RFC 9068.
//
// The way of a person: a client sends the browser to /oauth/authorize, where a
// page shows who asks, where the answer goes and what is granted. Nothing
// leaves before the person has agreed there, and agreed again each time. Who is
// not signed in signs in on the same page, with a password or at an OpenID
// provider. A code goes back to the client, which turns it into tokens.
//
// Secrets are kept as hashes: codes, refresh tokens and sessions by SHA-256,
// for they are long and random, passwords by Argon2id. Signing keys lie sealed
// in the store under a key from the data folder.
//
//	oauth.go      Config, New, routes
//	metadata.go   what is published of the server
//	authorize.go  requests for a consent, and its answers
//	client.go     who asks: clients, registered (register.go) or described
//	              under their own address (document.go); redirect.go their redirect URIs
//	assertion.go  clients that sign who they are, and the keys they publish
//	token.go      codes and refresh tokens to tokens; revoke.go
//	signing.go    access tokens: signing keys, signing, verifying
//	signin.go     signing in and out; join.go by a link, links.go the links,
//	              password.go what is kept of a password
//	provider.go   signing in at an OpenID provider
//	apps.go       what a person has connected
//	pages.go      the pages; form.go what they and clients send
//	seal.go       what lies encrypted in the store
//	turns.go      how many passwords are checked at once
package oauth

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

// Store is what the authorization server keeps.
type Store interface {
	store.Accounts
	store.SignIn
	store.Sessions
	store.Grants
	store.Meta
}

// Config is what a Server is made of.
type Config struct {
	Base     string // scheme and host that browsers and clients see, without a path; https, or http on loopback
	Store    Store
	Plans    access.Plans
	Secret   [32]byte        // seals what lies in the store; from the data folder, the same at each start
	Signup   string          // who may make an account: Closed, Invite or Open
	Provider *ProviderConfig // that people can sign in with beside passwords; nil for none
	Now      func() time.Time
	Log      *slog.Logger

	// Documents fetches client ID metadata documents and the keys that they
	// name; nil is a client that reaches public addresses alone.
	Documents *http.Client
}

// ProviderConfig is the OpenID provider that people sign in with.
type ProviderConfig struct {
	Issuer       string
	ClientID     string
	ClientSecret string // "" for a public client
	PlanClaim    string // that names a plan, in the ID token or at the UserInfo endpoint; "" for none
}

// Who may make an account without an invitation: nobody, though invitations
// hold (Invite), or not even with one (Closed), or anybody (Open).
const (
	Closed = "closed"
	Invite = "invite"
	Open   = "open"
)

// Path is where the protected resource is: Base with Path is its identifier
// and the server's issuer.
const Path = "/pro/mcp"

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	c        Config
	issuer   string // the resource's identifier too: there is one of each
	resource string
	routes   map[string]route

	signing    *signing
	refreshKey [32]byte // by which refresh tokens are known
	sessions   *session.Sessions
	attempts   *session.Attempts
	documents  *documents[client]
	keys       *documents[[]clientKey]
	assertions *assertions
	provider   *provider // nil for none
	passwords  *passwords

	registrations     *session.Throttle // by wide network
	allRegistrations  *session.Throttle // of all networks
	fetches           *session.Throttle // by network
	joins, departures *session.Throttle // by network
}

// New returns a server. It reads the signing keys from the store, and makes
// them where there are none; the errors are the store's.
func New(ctx context.Context, c Config) (*Server, error) {
	sessions, err := session.New(session.Config{Base: c.Base, Store: c.Store, Secret: c.Secret, Now: c.Now})
	if err != nil {
		return nil, err
	}
	fetcher := newFetcher(c.Documents, c.Now)
	s := &Server{
		c: c, issuer: c.Base + Path, resource: c.Base + Path, refreshKey: access.DeriveKey(c.Secret[:], "refresh tokens"),
		sessions: sessions, attempts: session.NewAttempts(sessions), documents: newDocuments(fetcher), keys: newKeys(fetcher),
		registrations:    session.NewThrottle(registerEvery, registerBurst, c.Now),
		allRegistrations: session.NewThrottle(registerAllEvery, registerAllBurst, c.Now), fetches: session.NewThrottle(10*time.Second, 20, c.Now),
		joins: session.NewThrottle(joinEvery, joinBurst, c.Now), departures: session.NewThrottle(departureEvery, departureBurst, c.Now),
		passwords: newPasswords(), assertions: newAssertions(c.Now),
	}
	if c.Provider != nil {
		if s.provider, err = newProvider(*c.Provider, c.Base+callbackPath, c.Now); err != nil {
			return nil, fmt.Errorf("the OpenID provider: %w", err)
		}
	}
	if s.signing, err = openSigning(ctx, c); err != nil {
		return nil, fmt.Errorf("opening the signing keys: %w", err)
	}
	s.routes = s.table()
	return s, nil
}

// patience is how long an answer may take, those of the store, of an OpenID
// provider and of a client's own address included. It is ours: people wait no
// longer.
const patience = 15 * time.Second

// The places of the endpoints.
const (
	authorizePath = "/oauth/authorize"
	consentPath   = "/oauth/consent"
	callbackPath  = "/oauth/callback"
	tokenPath     = "/oauth/token"
	registerPath  = "/oauth/register"
	revokePath    = "/oauth/revoke"
	keysPath      = "/oauth/jwks"
	loginPath     = "/oauth/login"
	logoutPath    = "/oauth/logout"
	joinPath      = "/oauth/join"
	passwordPath  = "/oauth/password"
	appsPath      = "/account/apps"
	accountPath   = "/account"
)

// route is what is served at a path.
type route struct {
	handle  http.HandlerFunc
	methods []string
	public  bool // programs ask it, also pages of any origin; else people do
}

func (s *Server) table() map[string]route {
	get, post := []string{http.MethodGet, http.MethodHead}, []string{http.MethodPost}
	both := slices.Concat(get, post)
	server := route{serveDocument(s.serverDocument()), get, true}
	return map[string]route{
		serverMetadata: server, openidMetadata: server, openidAppended: server,
		resourceMetadata: {serveDocument(s.resourceDocument()), get, true},
		keysPath:         {s.serveKeys, get, true},
		tokenPath:        {s.token, post, true},
		registerPath:     {s.register, post, true},
		revokePath:       {s.revoke, post, true},

		authorizePath: {s.authorize, both, false},
		consentPath:   {s.consent, post, false},
		callbackPath:  {s.callback, get[:1], false}, // a HEAD would spend what it comes back with
		loginPath:     {s.login, both, false},
		logoutPath:    {s.logout, post, false},
		joinPath:      {s.join, both, false},
		passwordPath:  {s.password, both, false},
		appsPath:      {s.apps, both, false},
		accountPath:   {toApps, get, false},
	}
}

// ServeHTTP serves the endpoints, the pages and the metadata. It looks at no
// API key and no access token in the headers. What takes longer than patience
// ends as 503.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if r = r.WithContext(ctx); r.Method != http.MethodPost {
		r.Body = http.NoBody // reading a form value would write a long body to the disk
	}
	at, known := s.routes[r.URL.Path]
	switch {
	case known && at.public && edge.Public(w, r, at.methods...):
	case known && slices.Contains(at.methods, r.Method):
		at.handle(w, r)
	case known && at.public:
		w.Header().Set("Allow", strings.Join(at.methods, ", ")+", OPTIONS")
		coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed, "%s is not allowed here", r.Method))
	case known:
		w.Header().Set("Allow", strings.Join(at.methods, ", "))
		page.Error(w, http.StatusMethodNotAllowed, "That does not go here", "This page takes "+strings.Join(at.methods, ", ")+" alone.")
	case strings.HasPrefix(r.URL.Path, "/account/") || strings.HasPrefix(r.URL.Path, "/oauth/"):
		page.NotFound(w)
	default:
		notPublished(w, r)
	}
}
