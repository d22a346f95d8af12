package login

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"leadline/internal/accounts"
	"leadline/internal/page"
)

// Both timeouts are our choice.
const (
	providerTimeout = 5 * time.Second // timeout of a response of the provider
	discoveryPause  = 5 * time.Second // pause after a failed discovery
)

// Provider configures the OpenID provider with which people can sign in.
type Provider struct {
	Issuer       string
	ClientID     string
	ClientSecret string // "" for a public client
	PlanClaim    string // claim in the ID token or UserInfo response that names a plan; "" for none
}

// provider is a client of an OpenID provider. It is safe for concurrent use.
type provider struct {
	Provider
	host     string
	callback string // URL to which the provider redirects browsers
	client   *http.Client
	now      func() time.Time

	mu     sync.Mutex
	found  *discovery
	failed error
	at     time.Time // time of the failed discovery
}

// discovery holds the metadata of a provider.
type discovery struct {
	*oidc.Provider
	oauth2.Config
	verifier *oidc.IDTokenVerifier
	sendsISS bool // each authorization response names its issuer (RFC 9207)
}

// maxResponse is the maximum size of a provider response in bytes. Legitimate
// responses have a few thousand.
const maxResponse = 1 << 20

// limited limits the size of response bodies.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxResponse)
	}
	return response, err
}

// newProvider returns a client of a provider. It does not send requests yet.
func newProvider(c Provider, callback string, now func() time.Time) (*provider, error) {
	u, err := url.Parse(c.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" ||
		!accounts.CanSignIn(c.Issuer) {
		return nil, fmt.Errorf("invalid issuer %q: must be an https address, "+
			"or an http address of this computer", c.Issuer)
	}
	client := &http.Client{Timeout: providerTimeout, Transport: limited{http.DefaultTransport}}
	return &provider{Provider: c, host: u.Host, callback: callback, client: client, now: now}, nil
}

// authURL returns the URL at which a person signs in. It contains the S256
// challenge of the verifier (RFC 7636).
func (p *provider) authURL(state, nonce, verifier string) (string, error) {
	d, err := p.discover()
	if err != nil {
		return "", p.down(err)
	}
	return d.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// check returns an error unless an authorization response comes from the
// provider.
func (p *provider) check(response url.Values) error {
	d, err := p.discover()
	if err != nil {
		return p.down(err)
	}
	if iss := response.Get("iss"); iss != p.Issuer && (iss != "" || d.sendsISS) {
		return p.untrusted(fmt.Errorf("the response says it is from %q", iss))
	}
	if response.Get("code") == "" && !response.Has("error") {
		return p.untrusted(errors.New("the response has neither a code nor an error"))
	}
	return nil
}

// profile describes a person according to the provider.
type profile struct {
	subject, email, plan string
	verified             bool // the provider has verified the address
}

// redeem exchanges an authorization code for the profile of the person, and
// discards the provider's tokens.
func (p *provider) redeem(ctx context.Context, code, nonce, verifier string) (profile, error) {
	d, err := p.discover()
	if err != nil {
		return profile{}, p.down(err)
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := d.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return profile{}, p.fault(err)
	}
	claims, err := d.claims(ctx, token, nonce)
	if err != nil {
		return profile{}, p.fault(err)
	}
	return p.profile(claims), nil
}

// profile reads a profile from claims. Some providers write true as a string.
func (p *provider) profile(claims map[string]any) profile {
	verified := claims["email_verified"]
	who := profile{verified: verified == true || verified == "true"}
	who.subject, _ = claims["sub"].(string)
	who.email, _ = claims["email"].(string)
	if p.PlanClaim != "" {
		who.plan, _ = claims[p.PlanClaim].(string)
	}
	return who
}

// discover returns the metadata that the provider publishes. It is fetched on
// first use, and again after a failure. Concurrent callers share one fetch.
func (p *provider) discover() (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failed != nil && p.now().Sub(p.at) < discoveryPause {
		return nil, p.failed
	}
	found, err := p.fetch()
	if p.found, p.failed, p.at = found, err, p.now(); err != nil {
		return nil, err
	}
	return p.found, nil
}

// fetch does not use a request's context: others wait for the result too, and
// go-oidc uses the context for as long as it fetches keys.
func (p *provider) fetch() (*discovery, error) {
	known, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		Keys        string   `json:"jwks_uri"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		SendsISS    bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := known.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := known.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, more.Keys} {
		if !accounts.CanSignIn(address) {
			return nil, fmt.Errorf("%q of the provider is neither https nor on this computer", address)
		}
	}
	endpoint.AuthStyle = p.authStyle(more.AuthMethods)
	return &discovery{
		Provider: known,
		Config: oauth2.Config{
			ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: endpoint,
			RedirectURL: p.callback, Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
		},
		verifier: known.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.now}),
		sendsISS: more.SendsISS,
	}, nil
}

// authStyle returns the authentication method for the token endpoint:
// client_secret_basic unless the provider publishes others (OpenID Connect
// Discovery, section 3).
func (p *provider) authStyle(methods []string) oauth2.AuthStyle {
	basic := methods == nil || slices.Contains(methods, "client_secret_basic")
	if p.ClientSecret != "" && basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// claims returns the claims of the ID token after all checks of OpenID Connect
// Core, section 3.1.3.7. If they do not include the e-mail address, it adds the
// claims of the UserInfo endpoint.
func (d *discovery) claims(
	ctx context.Context, token *oauth2.Token, nonce string,
) (map[string]any, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := d.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if id.Nonce != nonce {
		return nil, errors.New("the ID token is of another sign-in: its nonce is not ours")
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return nil, err
	}
	authorized, given := claims["azp"]
	if given && authorized != d.ClientID || !given && len(id.Audience) > 1 {
		return nil, fmt.Errorf("the ID token was made for %q", authorized)
	}
	if id.Subject == "" {
		return nil, errors.New("the ID token has no subject")
	}
	if claims["email"] != nil || d.UserInfoEndpoint() == "" {
		return claims, nil
	}
	return claims, d.addUserInfo(ctx, token, claims)
}

// addUserInfo adds the claims of the UserInfo endpoint if they describe the
// same person.
func (d *discovery) addUserInfo(
	ctx context.Context, token *oauth2.Token, claims map[string]any,
) error {
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != claims["sub"] {
		return errors.New("the UserInfo endpoint describes another subject")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	// email_verified refers only to the address from the same source.
	delete(claims, "email")
	delete(claims, "email_verified")
	maps.Copy(more, claims) // signed claims take precedence
	maps.Copy(claims, more)
	return nil
}

// providerError is an error of the provider, with the page to show and the
// cause to log.
type providerError struct {
	page  *page.Fault
	cause error
}

// Error returns the cause.
func (e *providerError) Error() string { return e.cause.Error() }

// Unwrap returns the page.
func (e *providerError) Unwrap() error { return e.page }

// down returns the error for a provider that cannot be reached.
func (p *provider) down(cause error) error {
	return &providerError{&page.Fault{
		Status: http.StatusServiceUnavailable, Title: p.host + " does not respond",
		Text: "People sign in there, and it cannot be reached at the moment. " +
			"Those who are signed in stay so. Try again in a minute.",
	}, cause}
}

// untrusted returns the error for a response that the provider should not have
// sent.
func (p *provider) untrusted(cause error) error {
	return &providerError{&page.Fault{
		Status: http.StatusBadGateway, Title: "The response of " + p.host + " cannot be trusted",
		Text: "You are not signed in. Go back to where you came from and begin again; " +
			"if that does not help, ask the operator of this server.",
	}, cause}
}

// fault classifies an error as down or untrusted. From a response of the token
// endpoint it includes only the error code, because the text could contain
// secrets.
func (p *provider) fault(err error) error {
	var unreached *url.Error
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return p.untrusted(fmt.Errorf("the token endpoint responds %s %q",
			refused.Response.Status, refused.ErrorCode))
	case errors.As(err, &refused):
		return p.down(fmt.Errorf("the token endpoint responds %s", refused.Response.Status))
	case errors.As(err, &unreached):
		return p.down(err)
	}
	return p.untrusted(err)
}
