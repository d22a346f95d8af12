package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/config"
	"leadline/internal/login"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/oauth"
	"leadline/store"
)

// signIn holds the parts for people who sign in. It is empty if sign-in is not available.
type signIn struct {
	token    func(ctx context.Context, token string) (credential.Token, error)
	metadata string // URL of the metadata of proPath
	sessions *session.Sessions
	logins   *login.Login
	server   *oauth.Server
}

// invalidate makes the authorization server read its signing keys again after changes of the store.
func (s signIn) invalidate(list []store.Change) {
	if s.server != nil {
		s.server.Invalidate(list)
	}
}

// pages returns the handlers of sign-in and of the authorization server by path, nil if sign-in is
// not available. people reports the usage of accounts as the gate counts it.
func (s signIn) pages(people *accounts.Service) map[string]http.Handler {
	if s.logins == nil {
		return nil
	}
	pages := s.logins.Routes(s.server.Resume, people.Export)
	maps.Copy(pages, s.server.Routes())
	return pages
}

// newSignIn creates the authorization server. It creates none if passwords would cross a
// network unencrypted.
func newSignIn(
	ctx context.Context, c Config, base string, site page.Site, s *Storage, seen *credential.Seen,
	log *slog.Logger,
) (signIn, error) {
	provider, err := oidcProvider(c.Settings)
	if err != nil || !site.Accounts {
		return signIn{token: c.Token}, err
	}
	sessions, err := session.New(session.Config{
		Base: base, Store: s.Store, Seen: seen, Secret: s.secret, Now: c.Now,
	})
	if err != nil {
		return signIn{}, err
	}
	// The gate's usage is not known yet, and sign-in does not need it.
	people := s.accounts(c, s.Store.Months, func() (string, error) { return base, nil })
	logins, err := login.New(login.Config{
		Base: base, Store: s.Store, Accounts: people, Sessions: sessions, Site: site,
		Provider: provider, Now: c.Now, Log: log,
	})
	if err != nil {
		return signIn{}, err
	}
	server, err := oauth.New(ctx, oauth.Config{
		Base: base, Store: s.Store, Accounts: people, Sessions: sessions, Login: logins,
		Site: site, Secret: s.secret, Now: c.Now, Log: log,
	})
	if err != nil {
		return signIn{}, err
	}
	in := signIn{server.Verify, server.Metadata(), sessions, logins, server}
	if c.Token != nil {
		in.token = c.Token
	}
	return in, nil
}

// oidcProvider returns the OpenID provider for sign-in, or nil if none is configured.
func oidcProvider(c *config.Config) (*login.Provider, error) {
	switch further := c.OIDCClientID + c.OIDCClientSecretFile + c.OIDCPlanClaim; {
	case c.OIDCIssuer == "" && further == "":
		return nil, nil
	case c.OIDCIssuer == "" || c.OIDCClientID == "":
		return nil, errors.New("an OpenID provider needs both --oidc-issuer and --oidc-client-id")
	case !accounts.CanSignIn(c.OIDCIssuer):
		return nil, fmt.Errorf("invalid --oidc-issuer %q: must be an https address, "+
			"such as https://id.example.org", c.OIDCIssuer)
	}
	if c.OIDCClientSecretFile == "" {
		return newProvider(c, ""), nil
	}
	text, err := os.ReadFile(c.OIDCClientSecretFile)
	if err != nil {
		return nil, fmt.Errorf("read --oidc-client-secret-file: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return nil, fmt.Errorf("invalid --oidc-client-secret-file: %s is empty", c.OIDCClientSecretFile)
	}
	return newProvider(c, secret), nil
}

// newProvider returns the configured OpenID provider, with the client's secret.
func newProvider(c *config.Config, secret string) *login.Provider {
	return &login.Provider{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: secret, PlanClaim: c.OIDCPlanClaim,
	}
}
