// Package oauth is the authorization server of one protected resource, the MCP
// endpoint for people who sign in. Requests of OAuth clients and of browsers
// come in; pages, codes and tokens go out. It does not sign people in: package
// login does.
//
// It implements OAuth 2.1 as MCP requires it: authorization code with PKCE S256
// and refresh tokens, nothing else. Clients publish metadata under their own
// address (client ID metadata documents), and may then sign assertions (RFC
// 7523), or they register (RFC 7591). It supports resource indicators (RFC
// 8707), iss in every authorization response (RFC 9207), revocation (RFC 7009)
// and access tokens of RFC 9068.
//
// A client sends the browser to /oauth/authorize. A page shows which client
// asks, where the response goes and what is granted. The person agrees there,
// again each time, and signs in on the same page if necessary. The client gets a
// code and exchanges it for tokens.
//
// Codes, refresh tokens and the secrets of clients are stored as SHA-256 hashes:
// they are long and random. Signing keys are stored encrypted with a key from
// the data folder.
//
//	oauth.go         Server, New, paths
//	metadata.go      what the server publishes about itself
//	request.go       authorization requests; consent.go the pages that answer them
//	token.go         codes and refresh tokens to tokens; revoke.go their end
//	accesstoken.go   access tokens; signing.go the keys that sign them
//	refreshtoken.go  refresh tokens
//	client.go        a client; clients.go finds it, register.go registers it,
//	                 description.go reads what it publishes, fetch.go fetches that
//	                 from public.go's addresses
//	authenticate.go  authentication of clients; assertion.go with signatures
//	apps.go          the page of connected apps
//	site.go          Config, and what all endpoints share
//	redirect.go      redirect URIs; scope.go scopes, error.go errors
package oauth

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/login"
	"leadline/internal/session"
	"leadline/store"
)

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	*site
	accessTokens  *accessTokens
	tokens        *tokenEndpoint
	revocation    *revocation
	registrations *registrations
	consents      *consents
	connections   *connections
}

// How often one network may cause documents of clients to be fetched.
const fetchEvery, fetchBurst = 10 * time.Second, 20

// New returns a server. It reads the signing keys from the store and creates
// them if there are none. The error is the store's.
func New(ctx context.Context, c Config) (*Server, error) {
	s := &site{c, c.Base + Path, c.Base + Path}
	keys, err := openSigning(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("opening the signing keys: %w", err)
	}
	fetcher := newFetcher(c.Documents, c.Now)
	clients := &clientDirectory{
		store: c.Store, now: c.Now, documents: newDescriptions(fetcher), keys: newKeys(fetcher),
		fetches: session.NewThrottle(fetchEvery, fetchBurst, c.Now),
	}
	accessTokens := &accessTokens{s, keys}
	refreshTokens := refreshTokens{credential.DeriveKey(c.Secret[:], "refresh tokens")}
	authenticator := &authenticator{clients, newAssertions(s, clients)}
	return &Server{
		site: s, accessTokens: accessTokens,
		tokens:     &tokenEndpoint{s, authenticator, accessTokens, refreshTokens},
		revocation: &revocation{s, authenticator, accessTokens, refreshTokens},
		registrations: &registrations{
			s, session.NewThrottle(registerEvery, registerBurst, c.Now),
			session.NewThrottle(registerAllEvery, registerAllBurst, c.Now),
		},
		consents:    &consents{s, clients},
		connections: &connections{s},
	}, nil
}

// Verify returns the current account of an access token, with the token's
// client and scopes. It returns access.ErrUnknown if the token has expired, was
// revoked, or was issued by another server or for another resource. Other
// errors are the store's.
func (s *Server) Verify(ctx context.Context, token string) (credential.Token, error) {
	return s.accessTokens.verify(ctx, token)
}

// Invalidate makes the server read its signing keys again before their next use if another process
// may have replaced them. Call it after each change of the store; it does not call the store.
func (s *Server) Invalidate(list []store.Change) { s.accessTokens.keys.invalidate(list) }

// Resume continues an authorization request after a sign-in at the provider. It
// implements login.Resume.
func (s *Server) Resume(
	w http.ResponseWriter, r *http.Request, request string, person store.Account, refused string,
) {
	s.consents.resume(w, r, request, person, refused)
}

// Metadata returns the URL of the protected resource metadata, for use in
// challenges.
func (s *Server) Metadata() string { return s.c.Base + resourceMetadata }

// Routes returns the handlers by path. They ignore API keys and access tokens
// in the headers.
func (s *Server) Routes() map[string]http.Handler {
	const get, head, post = http.MethodGet, http.MethodHead, http.MethodPost
	server := endpoint(serveDocument(s.serverDocument()), get, head)
	return map[string]http.Handler{
		serverMetadata: server, openidMetadata: server, openidAppended: server,
		resourceMetadata: endpoint(serveDocument(s.resourceDocument()), get, head),
		keysPath:         endpoint(s.accessTokens.serveKeys, get, head),
		tokenPath:        endpoint(s.tokens.token, post),
		registerPath:     endpoint(s.registrations.register, post),
		revokePath:       endpoint(s.revocation.revoke, post),

		authorizePath: login.Page(s.consents.authorize, get, head, post),
		consentPath:   login.Page(s.consents.consent, post),
		appsPath:      login.Page(s.connections.serve, get, head, post),
	}
}

// endpoint returns the handler of a path for programs, which pages of any
// origin may call. It accepts only the given methods.
func endpoint(serve http.HandlerFunc, methods ...string) http.Handler {
	return session.Bound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case edge.Public(w, r, methods...):
		case slices.Contains(methods, r.Method):
			serve(w, r)
		default:
			w.Header().Set("Allow", strings.Join(methods, ", ")+", OPTIONS")
			coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed, "%s is not allowed here", r.Method))
		}
	}))
}

// NotPublished responds at paths where clients look for the metadata of other
// resources.
func NotPublished(w http.ResponseWriter, r *http.Request) {
	if edge.Public(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	coast.WriteError(w, coast.Errorf(coast.NotFound,
		"nothing is published here: sign-in is for %s alone, and its metadata is at %s. "+
			"/mcp needs no sign-in.", Path, resourceMetadata))
}
