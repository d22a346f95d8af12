package accounts

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// DefaultScopes returns the scopes of a key if none are asked for.
func DefaultScopes() []string {
	return []string{access.RawRead, access.MCPUse, access.DecisionRead, access.UsageRead}
}

// ParseExpiry parses when a key expires: after a duration (720h), on a day (2027-01-31, at 00:00
// UTC), at a time (RFC 3339), or never, which is the zero time. An empty text is never.
func ParseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" || text == "never" {
		return time.Time{}, nil
	}
	if after, err := time.ParseDuration(text); err == nil {
		return now.UTC().Truncate(time.Second).Add(after), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, invalid("invalid expiry %q: must be a duration such as 720h, a day such as "+
		"2027-01-31, a time such as 2027-01-31T12:00:00Z, or never", text)
}

// ParseGrace parses how long a replaced key stays active: 0, 1h, 24h or 7d.
func ParseGrace(text string) (time.Duration, error) {
	grace, err := time.ParseDuration(strings.Replace(text, "7d", "168h", 1))
	if err != nil || !slices.Contains(access.Graces, grace) {
		return 0, invalid("invalid grace %q: must be 0, 1h, 24h or 7d", text)
	}
	return grace, nil
}

// Keyring is the part of a Service about API keys.
type Keyring struct{ rules }

// Key is a key with its account.
type Key struct {
	store.Key
	Owner store.Account
}

// NewKey describes a key to create.
type NewKey struct {
	Email   string // of the account, which is created if there is none
	Plan    string // to put the account on; "" leaves it, and is free for a new one
	Name    string
	Scopes  []string
	Expires time.Time // zero: never
}

// CreatedKey is a new key. Secret is the key itself, which is not stored.
type CreatedKey struct {
	Secret string
	Key    Key
	Was    store.Account // the account before, zero if it is new
}

// CreateKey creates a key, and with it the account if there is none.
func (s *Keyring) CreateKey(ctx context.Context, n NewKey) (CreatedKey, error) {
	a, err := s.newAccount(n.Email, n.Plan)
	if err != nil {
		return CreatedKey{}, err
	}
	secret, key, was, err := s.c.Keys.CreateFor(ctx, a, n.Plan != "",
		access.NewKey{Name: n.Name, Scopes: n.Scopes, Expires: n.Expires})
	if err != nil {
		return CreatedKey{}, err
	}
	if was.ID != "" {
		plan := a.Plan
		if a = was; n.Plan != "" {
			a.Plan = plan
		}
	}
	return CreatedKey{secret, Key{key, a}, was}, nil
}

// Keys returns the keys of the account with an address, or of all accounts for "", also those
// that are inactive.
func (s *Keyring) Keys(ctx context.Context, email string) ([]Key, error) {
	owners, err := s.owners(ctx, email)
	if err != nil {
		return nil, err
	}
	list := []Key{}
	for _, a := range owners {
		keys, err := s.c.Keys.List(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			list = append(list, Key{k, a})
		}
	}
	return list, nil
}

func (s *Keyring) owners(ctx context.Context, email string) ([]store.Account, error) {
	if email == "" {
		return s.c.Store.Accounts(ctx)
	}
	a, err := s.Account(ctx, email)
	return []store.Account{a}, err
}

// key returns the key that a text names: a public id, or a whole key. The error does not repeat
// the text, which may be a key with a typing error.
func (s *Keyring) key(ctx context.Context, text string) (k Key, err error) {
	id, ok := access.KeyID(text)
	if !ok {
		return k, invalid("invalid key id: must be the 7 letters and digits after %s, "+
			"as leadline keys list prints them, or the whole key", access.Prefix)
	}
	if k.Key, err = s.c.Keys.Key(ctx, id); err != nil {
		return k, err
	}
	k.Owner, err = s.c.Store.Account(ctx, k.Account)
	return k, err
}

// RevokeKey revokes the key with a public id, or the whole key. It returns the key, and false if
// the key was revoked before.
func (s *Keyring) RevokeKey(ctx context.Context, id string) (k Key, now bool, err error) {
	if k, err = s.key(ctx, id); err != nil || !k.Revoked.IsZero() {
		return k, false, err
	}
	if err := s.c.Keys.Revoke(ctx, k.ID); err != nil {
		return k, false, err
	}
	k.Key, err = s.c.Keys.Key(ctx, k.ID)
	return k, true, err
}

// ReplacedKey is a key that was created in place of another, which expires.
type ReplacedKey struct {
	CreatedKey
	Old Key
}

// ReplaceKey creates a key in place of the one with a public id, or the whole key, with its
// name, scopes and expiry. The old one stays active for the grace.
func (s *Keyring) ReplaceKey(
	ctx context.Context, id string, grace time.Duration,
) (r ReplacedKey, err error) {
	if r.Old, err = s.key(ctx, id); err != nil {
		return r, err
	}
	r.Was, r.Key.Owner = r.Old.Owner, r.Old.Owner
	if r.Secret, r.Key.Key, err = s.c.Keys.Reroll(ctx, r.Old.ID, grace); err != nil {
		return r, err
	}
	r.Old.Key, err = s.c.Keys.Key(ctx, r.Old.ID)
	return r, err
}
