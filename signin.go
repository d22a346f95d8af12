package main

import (
	"context"
	"log/slog"
	"time"

	"leadline/internal/config"
	"leadline/internal/session"
	"leadline/oauth"
)

// openSignIn makes the authorization server: none where what people type would
// cross a network in the clear.
func openSignIn(ctx context.Context, c *config.Config, base string, k *keep, now func() time.Time, log *slog.Logger) (signIn, error) {
	provider, err := oidcProvider(c)
	if err != nil || !session.SafeBase(base) {
		return signIn{}, err
	}
	s, err := oauth.New(ctx, oauth.Config{
		Base: base, Store: k.store, Plans: k.plans, Secret: k.secret, Signup: c.Signup, Provider: provider, Now: now, Log: log,
	})
	if err != nil {
		return signIn{}, err
	}
	return signIn{s.Verify, s.Metadata(), s}, nil
}
