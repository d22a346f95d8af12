package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/internal/session"
	"leadline/store"
)

// All three are ours.
const (
	journeyLife      = 10 * time.Minute // for a person to sign in at the provider
	providerPatience = 5 * time.Second  // for an answer of the provider
	providerRest     = 5 * time.Second  // after discovery has failed, until it is tried again
)

// How often a network may leave for the provider.
const departureEvery, departureBurst = 10 * time.Second, 30

// statePrefix tells the states of sign-ins from the tickets in links, which
// lie in the same place: nobody may spend one as the other.
const statePrefix = "ldp_"

// journey is what a person was about when they left for the provider: one of
// the first two, or the page alone.
type journey struct {
	Request string // the authorization request that they have agreed to, a query
	Ticket  string // of an invitation
	Next    string // the page of this server to go on to
}

// departed is what is kept of a journey until the browser is back. Of Browser,
// a cookie, it is the hash: all that is secret about a journey, an invitation's
// ticket too, is in that cookie or follows from it, and is not here.
type departed struct {
	Request, Next string
	Browser       [32]byte
}

// nonceOf and verifierOf are what the provider is to repeat, and what proves to
// it that its code has come to who asked: RFC 7636, section 4.1. They follow
// from the cookie of a journey.
func nonceOf(browser string) string    { return follow(browser, "nonce") }
func verifierOf(browser string) string { return follow(browser, "verifier") }

func follow(browser, purpose string) string {
	key := access.DeriveKey([]byte(browser), purpose)
	return base64.RawURLEncoding.EncodeToString(key[:])
}

// noProvider is what a person is told where there is none.
var noProvider = &pageError{http.StatusNotFound, "There is no such page", "People sign in to this server with a password."}

const journeyCookie = "leadline-signin"

// depart sends a browser to the provider to sign in there. A journey with a
// request is for who has agreed to it alone: the cookie that lets the browser
// come back is proof of that. Where the provider is down, or the network leaves too often, a page says
// so. The error is the store's.
func (s *Server) depart(w http.ResponseWriter, r *http.Request, j journey) error {
	if s.provider == nil {
		s.fail(w, r, noProvider)
		return nil
	}
	if wait, ok := s.departures.Take(session.Address(r.Context())); !ok {
		w.Header().Set("Retry-After", strconv.Itoa(session.Seconds(wait)))
		s.fail(w, r, &pageError{http.StatusTooManyRequests, "Too many have gone to sign in from here", "Try again in a minute."})
		return nil
	}
	up, err := s.provider.discover()
	if err != nil {
		s.broken(w, r, s.provider.down(err))
		return nil
	}
	state, browser := access.NewSecret(statePrefix), access.NewSecret("")+"."+j.Ticket
	d := departed{j.Request, j.Next, access.HashSecret(browser)}
	if err := s.remember(r.Context(), state, d); err != nil {
		return err
	}
	s.sessions.SetCookie(w, journeyCookie, browser, journeyLife)
	sendOn(w, r, up.AuthCodeURL(state, oidc.Nonce(nonceOf(browser)), oauth2.S256ChallengeOption(verifierOf(browser))))
	return nil
}

func (s *Server) remember(ctx context.Context, state string, d departed) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return s.c.Store.AddTicket(ctx, store.Ticket{Hash: access.HashSecret(state), Kind: journeyTicket, Data: data, Expires: s.c.Now().Add(journeyLife)})
}

// callback is where the provider sends browsers back to.
func (s *Server) callback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d, browser, err := s.comeBack(w, r, q)
	if err == nil && q.Has("error") {
		s.unsigned(w, r, d, q.Get("error"))
		return
	}
	var account store.Account
	if err == nil {
		account, err = s.arrive(r, q, browser)
	}
	if err == nil {
		err = s.beginCounted(w, r, account)
	}
	switch {
	case err != nil:
		s.broken(w, r, err)
	case d.Request != "":
		s.allow(w, r, account, d.Request)
	default:
		sendOn(w, r, d.Next)
	}
}

// beginCounted signs an account in unless that was done too often.
func (s *Server) beginCounted(w http.ResponseWriter, r *http.Request, account store.Account) error {
	if wait, ok := s.attempts.Count(account.Email); !ok {
		return &pageError{http.StatusTooManyRequests, "Signed in too often", tooMany(w, wait)}
	}
	return s.sessions.Begin(w, r, account.ID)
}

// comeBack returns what was kept of the journey that the browser comes back
// from, with its cookie. A state is good once, and in the browser that has left
// with it.
func (s *Server) comeBack(w http.ResponseWriter, r *http.Request, q url.Values) (d departed, browser string, err error) {
	if s.provider == nil {
		return d, "", noProvider
	}
	unknown := &pageError{http.StatusBadRequest, "This sign-in is not known", "It was begun in another browser or more than ten minutes ago, or is done with. Go back to where you came from and begin again; cookies must be allowed here."}
	browser, state := s.sessions.Cookie(r, journeyCookie), q.Get("state")
	if browser == "" || !strings.HasPrefix(state, statePrefix) || twice(q) {
		return d, "", unknown
	}
	s.sessions.RemoveCookie(w, journeyCookie)
	t, err := s.c.Store.TakeTicket(r.Context(), access.HashSecret(state))
	if errors.Is(err, store.ErrNotFound) {
		return d, "", unknown
	}
	if err == nil {
		err = json.Unmarshal(t.Data, &d)
	}
	if err != nil {
		return d, "", err
	}
	if d.Browser != access.HashSecret(browser) || !s.c.Now().Before(t.Expires) {
		return departed{}, "", unknown
	}
	return d, browser, s.provider.sent(q)
}

// twice reports whether a parameter of an authorization response stands more
// than once (RFC 6749, section 3.1).
func twice(q url.Values) bool {
	return slices.ContainsFunc([]string{"state", "code", "iss", "error"}, func(name string) bool { return len(q[name]) > 1 })
}

// unsigned answers where the provider has not let a person in.
func (s *Server) unsigned(w http.ResponseWriter, r *http.Request, d departed, code string) {
	s.c.Log.Info("a sign-in at the provider came to nothing", "error", code)
	if d.Request != "" {
		s.deny(w, r, d.Request, "access_denied", "nobody has signed in at "+s.provider.host)
		return
	}
	s.fail(w, r, &pageError{http.StatusForbidden, "You are not signed in", s.provider.host + " has not let you in. You can go back and try again."})
}

// arrive returns the account of who has signed in at the provider, which is
// made where there is none and who asks may have one.
func (s *Server) arrive(r *http.Request, q url.Values, browser string) (store.Account, error) {
	_, ticket, _ := strings.Cut(browser, ".")
	who, err := s.provider.redeem(r.Context(), q.Get("code"), browser)
	if err != nil {
		return store.Account{}, err
	}
	account, err := s.known(r.Context(), who)
	if errors.Is(err, store.ErrNotFound) {
		account, err = s.welcome(r, who, ticket)
	}
	if errors.Is(err, store.ErrExists) {
		account, err = s.settled(r.Context(), who)
	}
	if err != nil {
		return store.Account{}, err
	}
	return account, s.followPlan(r.Context(), account, who)
}

// settled returns the account of who was to get one that is taken: their own,
// where they have come twice at once.
func (s *Server) settled(ctx context.Context, who visitor) (store.Account, error) {
	account, err := s.known(ctx, who)
	if errors.Is(err, store.ErrNotFound) {
		err = &pageError{http.StatusForbidden, "Somebody else has this address here", "The account with your e-mail address belongs to another person at " + s.provider.host + ", perhaps to who had the address before. Whoever runs this server can help."}
	}
	return account, err
}

func (s *Server) known(ctx context.Context, who visitor) (store.Account, error) {
	return s.c.Store.AccountByIdentity(ctx, s.provider.Issuer, who.subject)
}

// welcome returns the account of a person who was not here before by the
// provider: the one with their address, or a new one.
func (s *Server) welcome(r *http.Request, who visitor, ticket string) (store.Account, error) {
	email, ok := Address(who.email)
	switch {
	case !ok:
		return store.Account{}, &pageError{http.StatusForbidden, "Your e-mail address is not known", s.provider.host + " has not said which address is yours, and accounts here are named by one. Allow it to, or sign in with another account there."}
	case !who.verified:
		return store.Account{}, &pageError{http.StatusForbidden, "Your e-mail address is not verified", s.provider.host + " has not verified that " + email + " is yours. Have it do so, and sign in again."}
	}
	account, err := s.c.Store.AccountByEmail(r.Context(), email)
	if errors.Is(err, store.ErrNotFound) {
		return s.joinBy(r.Context(), who, email, ticket)
	}
	if err != nil {
		return store.Account{}, err
	}
	return account, s.link(r, account, who)
}

// link lets a person into an account with their address. Whoever has set a
// password need not have owned the address, and would share the account from
// then on: there the person must have signed in with it.
func (s *Server) link(r *http.Request, account store.Account, who visitor) error {
	_, err := s.c.Store.Password(r.Context(), account.ID)
	if err == nil {
		in, signedIn, err := s.sessions.Person(r)
		if err != nil {
			return err
		}
		if !signedIn || in.ID != account.ID {
			return &pageError{http.StatusForbidden, "This account has a password", "There is an account with the address " + account.Email + ", which is entered with a password. Sign in with that. If it is not yours, or is forgotten, whoever runs this server can help."}
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	err = s.c.Store.AddIdentity(r.Context(), store.Identity{Issuer: s.provider.Issuer, Subject: who.subject, Account: account.ID})
	if err == nil {
		s.c.Log.Info("an account is linked to the provider", "account", account.ID)
	}
	return err
}

// joinBy makes an account where the person is invited or anybody may.
func (s *Server) joinBy(ctx context.Context, who visitor, email, ticket string) (store.Account, error) {
	uninvited := &pageError{http.StatusForbidden, "You need an invitation", "There is no account here for " + email + ". Whoever runs this server can invite that address."}
	i, err := s.invitation(ctx, ticket)
	if errors.Is(err, errNoTicket) || err == nil && i.Email != "" && i.Email != email {
		return store.Account{}, uninvited
	}
	if err != nil {
		return store.Account{}, err
	}
	now := s.c.Now()
	account := store.Account{ID: edge.NewID(now), Email: email, Plan: i.Plan, Created: now}
	err = s.c.Store.Join(ctx, store.Joining{Account: account, Identity: &store.Identity{Issuer: s.provider.Issuer, Subject: who.subject}, Ticket: i.Ticket, First: i.Owner})
	if errors.Is(err, store.ErrNotFound) { // the ticket, by now
		return store.Account{}, uninvited
	}
	if err == nil {
		s.c.Log.Info("somebody has joined by the provider", "account", account.ID, "plan", account.Plan)
	}
	return account, err
}

// followPlan puts an account on the plan that the provider names, where there
// is such a plan.
func (s *Server) followPlan(ctx context.Context, account store.Account, who visitor) error {
	switch {
	case who.plan == "" || who.plan == account.Plan:
		return nil
	case !slices.Contains(s.c.Plans.Named(), who.plan):
		s.c.Log.Warn("the provider names a plan that there is not", "account", account.ID, "plan", who.plan)
		return nil
	}
	s.c.Log.Info("the provider has moved an account", "account", account.ID, "plan", who.plan)
	return s.c.Store.SetPlan(ctx, account.ID, who.plan)
}

// provider is the OpenID provider that people sign in with. It is safe for
// concurrent use.
type provider struct {
	ProviderConfig
	host     string
	callback string // where it sends browsers back to
	client   *http.Client
	now      func() time.Time

	mu     sync.Mutex
	found  *upstream
	failed error
	at     time.Time // when discovery failed
}

// mostAnswer is how many bytes an answer of the provider may have: honest ones
// have some thousand.
const mostAnswer = 1 << 20

// bounded bounds the bodies of answers.
type bounded struct{ http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, mostAnswer)
	}
	return answer, err
}

// upstream is what the provider publishes of itself.
type upstream struct {
	*oidc.Provider
	oauth2.Config
	verifier *oidc.IDTokenVerifier
	saysSelf bool // each of its answers says whose it is (RFC 9207)
}

// newProvider returns a provider, of which it asks nothing yet.
func newProvider(c ProviderConfig, callback string, now func() time.Time) (*provider, error) {
	u, err := url.Parse(c.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || !session.SafeBase(c.Issuer) {
		return nil, fmt.Errorf("%q is no issuer: an https address is needed, or an http one of this computer", c.Issuer)
	}
	return &provider{ProviderConfig: c, host: u.Host, callback: callback, client: &http.Client{Timeout: providerPatience, Transport: bounded{http.DefaultTransport}}, now: now}, nil
}

// providerError is a fault of the provider: what a person is told of it, and
// for the log why.
type providerError struct {
	told *pageError
	why  error
}

// Error is for the log.
func (e *providerError) Error() string { return e.why.Error() }

// Unwrap is what a person is told.
func (e *providerError) Unwrap() error { return e.told }

// broken shows a person why there is no answer, and tells the log where that
// is the provider's fault.
func (s *Server) broken(w http.ResponseWriter, r *http.Request, err error) {
	var fault *providerError
	if errors.As(err, &fault) && !gone(r) {
		s.c.Log.Warn("signing in at the provider", "error", fault.why)
	}
	s.fail(w, r, err)
}

// down says that the provider cannot be reached.
func (p *provider) down(why error) error {
	return &providerError{&pageError{http.StatusServiceUnavailable, p.host + " does not answer", "People sign in there, and it cannot be reached at the moment. Whoever is signed in stays so. Try again in a minute."}, why}
}

// untrusted says that the provider has given an answer that it should not have
// given.
func (p *provider) untrusted(why error) error {
	return &providerError{&pageError{http.StatusBadGateway, "The answer of " + p.host + " is no good", "You are not signed in. Go back to where you came from and begin again; if that does not help, tell whoever runs this server."}, why}
}

// fault says which of the two it was. What the token endpoint writes is not
// repeated but for its code: who knows what it echoes.
func (p *provider) fault(err error) error {
	var unreached *url.Error
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return p.untrusted(fmt.Errorf("the token endpoint answers %s %q", refused.Response.Status, refused.ErrorCode))
	case errors.As(err, &refused):
		return p.down(fmt.Errorf("the token endpoint answers %s", refused.Response.Status))
	case errors.As(err, &unreached):
		return p.down(err)
	}
	return p.untrusted(err)
}

// discover returns what the provider publishes. It is asked at the first need,
// and again after it has failed, for all who wait together.
func (p *provider) discover() (*upstream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failed != nil && p.now().Sub(p.at) < providerRest {
		return nil, p.failed
	}
	found, err := p.ask()
	if p.found, p.failed, p.at = found, err, p.now(); err != nil {
		return nil, err
	}
	return p.found, nil
}

// ask goes by no request's context: others wait for the answer too, and go-oidc
// keeps the context for as long as it fetches keys.
func (p *provider) ask() (*upstream, error) {
	known, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		Keys        string   `json:"jwks_uri"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		SaysSelf    bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := known.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := known.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, more.Keys} {
		if !session.SafeBase(address) {
			return nil, fmt.Errorf("%q of the provider is neither https nor on this computer", address)
		}
	}
	endpoint.AuthStyle = p.style(more.AuthMethods)
	return &upstream{
		Provider: known,
		Config: oauth2.Config{
			ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: endpoint, RedirectURL: p.callback, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
		},
		verifier: known.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.now}), saysSelf: more.SaysSelf,
	}, nil
}

// style is how the token endpoint learns who asks; client_secret_basic where
// the provider does not say (OpenID Connect Discovery, section 3).
func (p *provider) style(methods []string) oauth2.AuthStyle {
	if p.ClientSecret != "" && (methods == nil || slices.Contains(methods, "client_secret_basic")) {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// sent returns an error where an authorization response is not the provider's,
// or does not say so though the provider's do.
func (p *provider) sent(q url.Values) error {
	up, err := p.discover()
	if err != nil {
		return p.down(err)
	}
	if iss := q.Get("iss"); iss != p.Issuer && (iss != "" || up.saysSelf) {
		return p.untrusted(fmt.Errorf("the response says it is from %q", iss))
	}
	if q.Get("code") == "" && !q.Has("error") {
		return p.untrusted(errors.New("the response has neither a code nor an error"))
	}
	return nil
}

// visitor is who has signed in at the provider, as far as it says.
type visitor struct {
	subject, email, plan string
	verified             bool
}

// redeem turns a code of the provider into who has signed in, and lets the
// provider's tokens go.
func (p *provider) redeem(ctx context.Context, code, browser string) (visitor, error) {
	up, err := p.discover()
	if err != nil {
		return visitor{}, p.down(err)
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := up.Exchange(ctx, code, oauth2.VerifierOption(verifierOf(browser)))
	if err != nil {
		return visitor{}, p.fault(err)
	}
	claims, err := up.claims(ctx, token, nonceOf(browser))
	if err != nil {
		return visitor{}, p.fault(err)
	}
	return p.visitorOf(claims), nil
}

// claims returns what the ID token says, after all checks of OpenID Connect
// Core, section 3.1.3.7. A provider that keeps the e-mail address out of it is
// asked for the rest at its other place.
func (up *upstream) claims(ctx context.Context, token *oauth2.Token, nonce string) (map[string]any, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := up.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if id.Nonce != nonce {
		return nil, errors.New("the ID token was made for another sign-in: its nonce is not ours")
	}
	said := map[string]any{}
	if err := id.Claims(&said); err != nil {
		return nil, err
	}
	if party, given := said["azp"]; given && party != up.ClientID || !given && len(id.Audience) > 1 {
		return nil, fmt.Errorf("the ID token was made for %q", party)
	}
	if id.Subject == "" {
		return nil, errors.New("the ID token names nobody")
	}
	if said["email"] != nil || up.UserInfoEndpoint() == "" {
		return said, nil
	}
	return said, up.addUserInfo(ctx, token, said)
}

// addUserInfo adds what the provider says at its UserInfo endpoint, where it
// says it of the same person.
func (up *upstream) addUserInfo(ctx context.Context, token *oauth2.Token, said map[string]any) error {
	info, err := up.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != said["sub"] {
		return errors.New("the UserInfo endpoint speaks of somebody else")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	// Whether an address is verified is known of the address that the same source names.
	delete(said, "email")
	delete(said, "email_verified")
	maps.Copy(more, said) // what is signed goes before
	maps.Copy(said, more)
	return nil
}

// visitorOf reads who it is. Some providers write true as a text.
func (p *provider) visitorOf(claims map[string]any) visitor {
	who := visitor{verified: claims["email_verified"] == true || claims["email_verified"] == "true"}
	who.subject, _ = claims["sub"].(string)
	who.email, _ = claims["email"].(string)
	if p.PlanClaim != "" {
		who.plan, _ = claims[p.PlanClaim].(string)
	}
	return who
}
