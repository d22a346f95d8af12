package accounts

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/store"
)

// DefaultScopes returns the scopes of a key if none are requested.
func DefaultScopes() []string {
	return []string{credential.RawRead, credential.MCPUse, credential.DecisionRead,
		credential.UsageRead}
}

// parseExpiry parses the expiry of a key: a duration (720h), a day (2027-01-31, meaning 00:00
// UTC), a time (RFC 3339), or never. For never and for empty text it returns the zero time.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" || text == "never" {
		return time.Time{}, nil
	}
	if after, err := time.ParseDuration(text); err == nil {
		return store.Second(now).Add(after), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, invalid("invalid expiry %q: must be a duration such as 720h, a day such as "+
		"2027-01-31, a time such as 2027-01-31T12:00:00Z, or never", text)
}

// parseGrace parses how long a replaced key stays active: 0, 1h, 24h or 7d.
func parseGrace(text string) (time.Duration, error) {
	grace, err := time.ParseDuration(strings.Replace(text, "7d", "168h", 1))
	if err != nil || !slices.Contains(credential.Graces, grace) {
		return 0, invalid("invalid grace %q: must be 0, 1h, 24h or 7d", text)
	}
	return grace, nil
}

// Keyring is the part of a Service that manages API keys.
type Keyring struct{ rules }

// Key describes an API key.
type Key struct {
	ID          string              `json:"id"`
	Email       string              `json:"account"`
	Plan        string              `json:"plan"`
	Name        string              `json:"name"`
	Scopes      []string            `json:"scopes"`
	State       credential.KeyState `json:"state"` // active, expired, revoked
	CreatedAt   time.Time           `json:"createdAt"`
	ExpiresAt   *time.Time          `json:"expiresAt"` // null if it never expires
	RevokedAt   *time.Time          `json:"revokedAt"` // null if it is not revoked
	LastUsedOn  string              `json:"lastUsedOn,omitempty"`
	LastNetwork string              `json:"lastNetwork,omitempty"`
	Replaces    string              `json:"replaces,omitempty"`
}

// Shown returns the key in its printable form: its prefix and its id.
func (k Key) Shown() string { return credential.Shown(k.ID) }

// describe returns the description of a key, with the account that owns it.
func (s *Keyring) describe(k store.Key, owner store.Account) Key {
	out := Key{
		ID: k.ID, Email: owner.Email, Plan: owner.Plan, Name: k.Name, Scopes: k.Scopes,
		State: credential.State(k, s.c.Now()), CreatedAt: k.Created, ExpiresAt: coast.Known(k.Expires),
		RevokedAt: coast.Known(k.Revoked), LastNetwork: k.LastAddress, Replaces: k.From,
	}
	if !k.LastUsed.IsZero() {
		out.LastUsedOn = k.LastUsed.Format(time.DateOnly)
	}
	return out
}

// NewKey describes a key to create.
type NewKey struct {
	Email   string   `json:"account"`        // the account is created if it does not exist
	Plan    string   `json:"plan,omitempty"` // "" keeps the current plan, or is free for a new account
	Name    string   `json:"name,omitempty"`
	Scopes  []string `json:"scopes"`
	Expires string   `json:"expires,omitempty"` // 720h, 2027-01-31, RFC 3339 or never
}

// CreatedKey describes a new key. Secret is the key itself; it is not stored.
type CreatedKey struct {
	Secret     string `json:"secret"`
	Key        Key    `json:"key"`
	NewAccount bool   `json:"newAccount"` // the account was created with the key
	PlanBefore string `json:"planBefore"` // plan of the account, "" if it is new
}

// CreateKey creates a key, and its account if it does not exist.
func (s *Keyring) CreateKey(ctx context.Context, n NewKey) (CreatedKey, error) {
	expires, err := parseExpiry(n.Expires, s.c.Now())
	if err != nil {
		return CreatedKey{}, err
	}
	a, err := s.newAccount(NewAccount{n.Email, n.Plan})
	if err != nil {
		return CreatedKey{}, err
	}
	secret, key, was, err := s.c.Keys.CreateFor(ctx, a, n.Plan != "",
		credential.NewKey{Name: n.Name, Scopes: n.Scopes, Expires: expires})
	if err != nil {
		return CreatedKey{}, err
	}
	if was.ID != "" && n.Plan == "" {
		a.Plan = was.Plan
	}
	return CreatedKey{secret, s.describe(key, a), was.ID == "", was.Plan}, nil
}

// Keys returns the keys of the account with an address, or of all accounts if the address is
// "". It includes inactive keys.
func (s *Keyring) Keys(ctx context.Context, email string) ([]Key, error) {
	list := []Key{}
	for a, err := range s.owners(ctx, email) {
		if err != nil {
			return nil, err
		}
		keys, err := s.c.Keys.List(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			list = append(list, s.describe(k, a))
		}
	}
	return list, nil
}

// owners yields the account with an address, or all accounts if the address is "".
func (s *Keyring) owners(ctx context.Context, email string) iter.Seq2[store.Account, error] {
	if email == "" {
		return s.all(ctx)
	}
	return func(yield func(store.Account, error) bool) { yield(s.Account(ctx, email)) }
}

// find returns a key and its account. text is a public id or a whole key. The error does not
// repeat the text, which may be a key with a typing error.
func (s *Keyring) find(ctx context.Context, text string) (k store.Key, a store.Account, err error) {
	id, ok := credential.KeyID(text)
	if !ok {
		return k, a, invalid("invalid key id: must be the 7 letters and digits after %s, "+
			"as leadline keys list prints them, or the whole key", credential.Prefix)
	}
	if k, err = s.c.Keys.Key(ctx, id); err != nil {
		return k, a, err
	}
	a, err = s.c.Store.Account(ctx, k.Account)
	return k, a, err
}

// RevokedKey describes a revoked key.
type RevokedKey struct {
	Key    Key  `json:"key"`
	Before bool `json:"before"` // it had already been revoked
}

// RevokeKey revokes a key, given its public id or the whole key.
func (s *Keyring) RevokeKey(ctx context.Context, id string) (RevokedKey, error) {
	k, a, err := s.find(ctx, id)
	if err != nil {
		return RevokedKey{}, err
	}
	before := !k.Revoked.IsZero()
	if !before {
		if err := s.c.Keys.Revoke(ctx, k.ID); err != nil {
			return RevokedKey{}, err
		}
		k, err = s.c.Keys.Key(ctx, k.ID)
	}
	return RevokedKey{s.describe(k, a), before}, err
}

// ReplacedKey describes a new key that replaces an old one.
type ReplacedKey struct {
	Secret string `json:"secret"`
	Key    Key    `json:"key"`
	Old    Key    `json:"old"` // it expires after the grace period
}

// ReplaceKey replaces a key, given its public id or the whole key, by a new one with its name,
// scopes and expiry. The old key stays active for the grace period: 0, 1h, 24h or 7d.
func (s *Keyring) ReplaceKey(ctx context.Context, id, grace string) (ReplacedKey, error) {
	lasts, err := parseGrace(grace)
	if err != nil {
		return ReplacedKey{}, err
	}
	old, a, err := s.find(ctx, id)
	if err != nil {
		return ReplacedKey{}, err
	}
	secret, made, err := s.c.Keys.Reroll(ctx, old.ID, lasts)
	if err != nil {
		return ReplacedKey{}, err
	}
	old, err = s.c.Keys.Key(ctx, old.ID)
	return ReplacedKey{secret, s.describe(made, a), s.describe(old, a)}, err
}
