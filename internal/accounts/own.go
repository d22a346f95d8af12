package accounts

import (
	"context"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/store"
)

// The methods of this file serve a caller who has an account, such as a REST or page request.
// They concern only the keys of that account. While the store is unavailable they return
// StoreUnavailable.

// OwnKeys returns the keys of the caller's account, including inactive ones.
func (s *Keyring) OwnKeys(ctx context.Context, c access.Caller) (_ []store.Key, err error) {
	defer outage.Failure(&err)
	return s.c.Keys.List(ctx, c.Account)
}

// CreateOwnKey creates a key for the caller's account and returns it with its secret, which is
// not stored.
func (s *Keyring) CreateOwnKey(
	ctx context.Context, c access.Caller, n credential.NewKey,
) (secret string, made store.Key, err error) {
	defer outage.Failure(&err)
	n.Account = c.Account
	return s.c.Keys.Create(ctx, n)
}

// ReplaceOwnKey replaces a key of the caller's account by a new one. The old key stays active
// for the grace period.
func (s *Keyring) ReplaceOwnKey(
	ctx context.Context, c access.Caller, id string, grace time.Duration,
) (secret string, made store.Key, err error) {
	defer outage.Failure(&err)
	if _, err := s.ownKey(ctx, c, id); err != nil {
		return "", made, err
	}
	return s.c.Keys.Reroll(ctx, id, grace)
}

// RevokeOwnKey revokes a key of the caller's account and returns it. A browser session may
// revoke any of them; a key may revoke only itself.
func (s *Keyring) RevokeOwnKey(
	ctx context.Context, c access.Caller, id string,
) (_ store.Key, err error) {
	defer outage.Failure(&err)
	if c.Key != "" && c.Key != id {
		return store.Key{}, coast.Errorf(coast.InsufficientScope, "A key can revoke "+
			"itself alone, which is %q. Others are revoked in a browser session or by the command line, "+
			"leadline keys revoke.", c.Key)
	}
	if _, err := s.ownKey(ctx, c, id); err != nil {
		return store.Key{}, err
	}
	if err := s.c.Keys.Revoke(ctx, id); err != nil {
		return store.Key{}, err
	}
	return s.c.Keys.Key(ctx, id)
}

// ownKey returns a key of the caller's account. For another account's key it returns the same
// error as for a key that does not exist, so that nobody learns which ids exist.
func (s *Keyring) ownKey(ctx context.Context, c access.Caller, id string) (store.Key, error) {
	k, err := s.c.Keys.Key(ctx, id)
	if err == nil && k.Account != c.Account {
		return store.Key{}, coast.Errorf(coast.NotFound, "there is no key %q", id)
	}
	return k, err
}
