package credential

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/store"
)

// mostWarm is the number of keys that are cached.
const mostWarm = 50_000

// Graces are the grace periods for which a replaced key remains valid.
var Graces = []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// KeyStore is the part of the store that Keys needs.
type KeyStore interface {
	store.Accounts
	store.Keys
	store.Meta
}

// Keys creates, finds and revokes API keys. It is safe for concurrent use.
type Keys struct {
	store  KeyStore
	pepper Pepper
	now    func() time.Time

	cached *cache[*KeyEntry] // cache by SHA-256, which is cheaper than the peppered hash
}

// KeyEntry is the cache entry of a key, with its account.
type KeyEntry struct {
	Key     store.Key
	Owner   store.Account
	touched atomic.Pointer[touch]
	Kept    atomic.Value // what the user of the entry keeps with it
}

func (h *KeyEntry) names() [2]name {
	return [2]name{{byKeyID, h.Key.ID}, {byAccountID, h.Owner.ID}}
}

// touch is a use of a key.
type touch struct {
	day     time.Time
	network string
	at      time.Time
}

// NewKeys returns the keys of a store.
func NewKeys(s KeyStore, p Pepper, now func() time.Time) *Keys {
	return &Keys{store: s, pepper: p, now: now, cached: newCache[*KeyEntry](mostWarm)}
}

// pepperFact is the store's metadata entry that detects a wrong pepper.
const pepperFact = "pepper"

// Check returns an error if the keys in the store were hashed with another pepper, which would
// make all of them invalid.
func (k *Keys) Check(ctx context.Context) error {
	want := k.pepper.hash(pepperFact)
	have, err := k.store.Meta(ctx, pepperFact)
	if errors.Is(err, store.ErrNotFound) {
		err = k.store.SwapMeta(ctx, pepperFact, nil, want[:])
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		have, err = k.store.Meta(ctx, pepperFact) // another start was first
	}
	if err == nil && string(have) != string(want[:]) {
		return errors.New("the pepper is not the one that the keys in the store were hashed with: " +
			"restore its file")
	}
	return err
}

// Peppered reports whether the store has metadata about the pepper.
func Peppered(ctx context.Context, s store.Meta) (bool, error) {
	_, err := s.Meta(ctx, pepperFact)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// NewKey describes a key to create.
type NewKey struct {
	Account string // id of the account
	Name    string // for people, up to 64 characters; invisible ones are removed
	Scopes  []string
	Expires time.Time // zero if it does not expire
}

// Create creates a key and returns its secret, which is not stored. An invalid n is a
// coast.Error; other errors are those of the store.
func (k *Keys) Create(ctx context.Context, n NewKey) (secret string, made store.Key, err error) {
	if err := n.Check(k.now()); err != nil {
		return "", made, err
	}
	secret, made = k.mint(n)
	return secret, made, storeError(k.store.AddKey(ctx, made), "account", n.Account)
}

// CreateFor creates a key for the account with the email address of a. In the same transaction
// it creates the account if it does not exist. If it exists and move is true, its plan is
// changed to a's plan. CreateFor returns the secret, which is not stored, and the account as it
// was before, or the zero value if it is new. The errors are those of Create.
func (k *Keys) CreateFor(
	ctx context.Context, a store.Account, move bool, n NewKey,
) (secret string, made store.Key, before store.Account, err error) {
	if err := n.Check(k.now()); err != nil {
		return "", made, before, err
	}
	secret, made = k.mint(n)
	before, err = k.store.AddAccountKey(ctx, a, move, made)
	if made.Account = a.ID; before.ID != "" {
		made.Account = before.ID
	}
	return secret, made, before, storeError(err, "account", a.Email)
}

// mint returns a new secret and its record.
func (k *Keys) mint(n NewKey) (secret string, made store.Key) {
	secret = mint()
	return secret, store.Key{
		ID: publicID(secret), Hash: k.pepper.hash(secret), Account: n.Account,
		Name: coast.Clean(n.Name), Scopes: n.Scopes,
		Created: store.Second(k.now()), Expires: n.Expires,
	}
}

// Check returns a coast.Error if no key can be created from n at now. It does not check the
// account.
func (n NewKey) Check(now time.Time) error {
	if len(n.Scopes) == 0 {
		return coast.Errorf(coast.InvalidRequest, "a key needs a scope: one or more of %s",
			strings.Join(Scopes(), ", "))
	}
	for i, s := range n.Scopes {
		if !slices.Contains(Scopes(), s) {
			return coast.Errorf(coast.InvalidRequest, "there is no scope %q; there are %s", s,
				strings.Join(Scopes(), ", "))
		}
		if slices.Contains(n.Scopes[:i], s) {
			return coast.Errorf(coast.InvalidRequest, "duplicate scope %s", s)
		}
	}
	if name := coast.Clean(n.Name); coast.Redact(name) != name {
		return coast.Errorf(coast.InvalidRequest, "a key's name is not secret: it must not contain a key")
	}
	if utf8.RuneCountInString(n.Name) > 64 || strings.ContainsFunc(n.Name, unicode.IsControl) {
		return coast.Errorf(coast.InvalidRequest, "a key's name has up to 64 characters, on one line")
	}
	if !n.Expires.IsZero() && !n.Expires.After(now) {
		return coast.Errorf(coast.InvalidRequest, "the expiry %s has passed: it must be in the future, "+
			"such as 720h, %s or never", n.Expires.UTC().Format(time.RFC3339),
			now.AddDate(1, 0, 0).UTC().Format(time.DateOnly))
	}
	return nil
}

// storeError converts errors of the store to errors that a caller can act on.
func storeError(err error, what, id string) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return coast.Errorf(coast.NotFound, "there is no %s %q", what, id)
	case errors.Is(err, store.ErrTooMany):
		return coast.Errorf(coast.InvalidRequest,
			"The account has %d active keys, the maximum: revoke one, or replace one with a grace of 0s.",
			store.MostKeys)
	case err != nil:
		return outage.Down(err)
	}
	return nil
}

// List returns the keys of an account, including revoked and expired ones.
func (k *Keys) List(ctx context.Context, account string) ([]store.Key, error) {
	keys, err := k.store.KeysOf(ctx, account)
	return keys, storeError(err, "account", account)
}

// Key returns the key with a public id, or a coast.Error if there is none.
func (k *Keys) Key(ctx context.Context, id string) (store.Key, error) {
	key, err := k.store.Key(ctx, id)
	return key, storeError(err, "key", id)
}

// Revoke revokes a key: its next request is refused.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	err := k.store.RevokeKey(ctx, id, store.Second(k.now()))
	k.Invalidate([]store.Change{{Key: id}})
	return storeError(err, "key", id)
}

// Reroll replaces a key by a new one with the same name, scopes and expiry. The old key remains
// valid for the grace period, one of Graces. Only active keys can be replaced.
func (k *Keys) Reroll(
	ctx context.Context, id string, grace time.Duration,
) (secret string, made store.Key, err error) {
	if !slices.Contains(Graces, grace) {
		return "", made, coast.Errorf(coast.InvalidRequest,
			"invalid grace %v: must be 0s, 1h, 24h or 168h", grace)
	}
	old, err := k.Key(ctx, id)
	if err != nil {
		return "", made, err
	}
	if state := State(old, k.now()); state != Active {
		return "", made, inactive(id, state)
	}
	secret, made = k.mint(NewKey{
		Account: old.Account, Name: old.Name, Scopes: old.Scopes, Expires: old.Expires,
	})
	made.From = old.ID
	err = k.store.ReplaceKey(ctx, old.ID, made.Created.Add(grace), made)
	k.Invalidate([]store.Change{{Key: id}})
	if errors.Is(err, store.ErrConflict) {
		return "", store.Key{}, k.conflict(ctx, id)
	}
	return secret, made, storeError(err, "key", id)
}

// conflict returns the error for a key that is revoked or that another key replaces.
func (k *Keys) conflict(ctx context.Context, id string) error {
	old, err := k.Key(ctx, id)
	if err != nil {
		return err
	}
	if !old.Revoked.IsZero() {
		return inactive(id, Revoked)
	}
	list, err := k.List(ctx, old.Account)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(next store.Key) bool { return next.From == id })
	if i < 0 { // the key that replaced it was removed in the meantime
		return coast.Errorf(coast.InvalidRequest, "the key %s has been replaced already", Shown(id))
	}
	return coast.Errorf(coast.InvalidRequest,
		"the key %s has been replaced by %s already, and expires on %s: replace that one", Shown(id),
		Shown(list[i].ID), old.Expires.Format(time.RFC3339))
}

// inactive returns the error for a key that cannot be replaced because of its state.
func inactive(id string, state KeyState) error {
	return coast.Errorf(coast.InvalidRequest, "the key %s is %s: make a new one", Shown(id), state)
}

// KeyRecord is the stored record of a key.
type KeyRecord = store.Key

// KeyState is the state of a key. Only active keys are accepted.
type KeyState string

// The states of a key.
const (
	Active  KeyState = "active"
	Expired KeyState = "expired"
	Revoked KeyState = "revoked"
)

// Values returns all states.
func (KeyState) Values() []string { return coast.Strings(Active, Expired, Revoked) }

// State returns the state of a key at now: Active, Expired or Revoked.
func State(key KeyRecord, now time.Time) KeyState {
	switch {
	case !key.Revoked.IsZero():
		return Revoked
	case !key.Expires.IsZero() && !now.Before(key.Expires):
		return Expired
	}
	return Active
}

// Invalidate removes the keys from the cache that depend on changes of the store. Call it after
// each change of an account or a key that was not made by a method of Keys.
func (k *Keys) Invalidate(list []store.Change) { k.cached.invalidate(list) }

// Find returns the cache entry of a key that is active at now. If the cache is not trusted, it
// reads the key from the store, within the timeout. Malformed, revoked and expired keys return
// ErrUnknown; other errors are those of the store.
func (k *Keys) Find(
	ctx context.Context, secret string, now time.Time, trusted bool, timeout time.Duration,
) (*KeyEntry, error) {
	if !wellFormed(secret) {
		return nil, ErrUnknown
	}
	sum := sumOf(secret)
	h, age, ok := k.cached.get(sum)
	if !ok || !trusted {
		var err error
		h, err = k.cached.read(ctx, sum, age, timeout, func(ctx context.Context) (*KeyEntry, error) {
			return k.read(ctx, secret)
		})
		if err != nil {
			return nil, err
		}
	}
	if State(h.Key, now) != Active {
		return nil, ErrUnknown
	}
	return h, nil
}

// read returns a new cache entry of a key from the store.
func (k *Keys) read(ctx context.Context, secret string) (*KeyEntry, error) {
	key, owner, err := k.store.KeyByHash(ctx, k.pepper.hash(secret))
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("find key: %w", err)
	}
	h := &KeyEntry{Key: key, Owner: owner}
	h.touched.Store(&touch{day: key.LastUsed, network: key.LastAddress})
	return h, nil
}

// touchEvery is the minimum time between two records of the use of a key.
const touchEvery = time.Minute

// Touch calls record with a use of the key if its day or network differs from the store. If record
// returns false, it is called again for a use a minute later.
func (h *KeyEntry) Touch(
	now time.Time, network func() string, record func(store.Touch) bool,
) {
	last := h.touched.Load()
	if now.Sub(last.at) < touchEvery {
		return
	}
	next := &touch{now.UTC().Truncate(24 * time.Hour), network(), now}
	changed := !next.day.Equal(last.day) || next.network != last.network
	if !h.touched.CompareAndSwap(last, next) || !changed {
		return
	}
	if !record(store.Touch{Key: h.Key.ID, Day: next.day, Address: next.network}) {
		h.touched.CompareAndSwap(next, &touch{last.day, last.network, now})
	}
}
