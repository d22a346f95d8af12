package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"leadline/internal/access"
	"leadline/internal/accounts"
	"leadline/internal/config"
	"leadline/oauth"
)

// signIn is how people sign in. It is empty where nobody can.
type signIn struct {
	token    func(ctx context.Context, token string) (access.Token, error)
	metadata string       // URL of the metadata of proPath
	pages    http.Handler // of the authorization server
}

// newSignIn makes the authorization server. There is none where passwords would cross a
// network in the clear.
func newSignIn(ctx context.Context, c Config, base string, s *Storage, log *slog.Logger) (signIn, error) {
	provider, err := oidcProvider(c.Settings)
	if err != nil || !accounts.CanSignIn(base) {
		return signIn{token: c.Token}, err
	}
	server, err := oauth.New(ctx, oauth.Config{
		Base: base, Store: s.Store, Plans: s.Plans, Secret: s.secret, Signup: c.Settings.Signup,
		Provider: provider, Now: c.Now, Log: log,
	})
	if err != nil {
		return signIn{}, err
	}
	in := signIn{server.Verify, server.Metadata(), server}
	if c.Token != nil {
		in.token = c.Token
	}
	return in, nil
}

// oidcProvider returns the OpenID provider that people sign in with, nil if none is set.
func oidcProvider(c *config.Config) (*oauth.ProviderConfig, error) {
	switch further := c.OIDCClientID + c.OIDCClientSecretFile + c.OIDCPlanClaim; {
	case c.OIDCIssuer == "" && further == "":
		return nil, nil
	case c.OIDCIssuer == "" || c.OIDCClientID == "":
		return nil, errors.New("an OpenID provider needs both --oidc-issuer and --oidc-client-id")
	case !accounts.CanSignIn(c.OIDCIssuer):
		return nil, fmt.Errorf("invalid --oidc-issuer %q: must be an https address, such as https://id.example.org", c.OIDCIssuer)
	}
	p := &oauth.ProviderConfig{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, PlanClaim: c.OIDCPlanClaim}
	if c.OIDCClientSecretFile == "" {
		return p, nil
	}
	text, err := os.ReadFile(c.OIDCClientSecretFile)
	if err != nil {
		return nil, fmt.Errorf("read --oidc-client-secret-file: %w", err)
	}
	if p.ClientSecret = strings.TrimSpace(string(text)); p.ClientSecret == "" {
		return nil, fmt.Errorf("invalid --oidc-client-secret-file: %s is empty", c.OIDCClientSecretFile)
	}
	return p, nil
}
