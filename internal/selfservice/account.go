// Package selfservice has the operations of an account on itself: its keys, usage, webhooks and
// watches, for REST and the pages of the account. They are not part of the versioned contract.
package selfservice

import (
	"context"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/quota"
	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/operation"
)

// This file holds the operations on an account's own keys and usage. They are not
// part of the versioned contract.

// storeTimeout is the deadline of store requests.
const storeTimeout = 5 * time.Second

// accountCaller returns the caller, who must have an account, and a context with the
// deadline for the store.
func accountCaller(
	ctx context.Context,
) (access.Caller, context.Context, context.CancelFunc, error) {
	caller, _ := access.CallerFrom(ctx)
	if caller.Account == "" {
		return caller, ctx, func() {}, coast.Errorf(
			coast.CredentialRequired,
			"Only an account has keys and usage: send a key, or sign in at /oauth/login.",
		)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	return caller, ctx, cancel, nil
}

// UsageInput is empty.
type UsageInput struct{}

// Usage reports what an account has used and what its limits still allow.
type Usage struct {
	Account string      `json:"account" doc:"The account's e-mail address."`
	Plan    access.Tier `json:"plan" doc:"Name of the plan, which sets the limits. The operator chooses the names of plans."`
	Minute  MinuteUsage `json:"minute" doc:"Rate limit of REST and what remains of it. MCP has a limit of its own."`
	Month   MonthUsage  `json:"month" doc:"Monthly quota of the current UTC calendar month."`
	Months  []PastMonth `json:"months" doc:"The months with requests, the newest first, at most the last 14."`
}

// MinuteUsage reports the rate limit and the requests that remain in the window.
type MinuteUsage struct {
	Limit     int       `json:"limit" doc:"Requests that are allowed in any 60 seconds."`
	Remaining int       `json:"remaining" doc:"Requests that remain in the window."`
	ResetsAt  time.Time `json:"resetsAt" doc:"When one more request is allowed."`
}

// MonthUsage is the monthly quota, with the units used and the units remaining.
type MonthUsage struct {
	Month     string        `json:"month" doc:"UTC calendar month, such as 2026-11." example:"2026-11"`
	Limit     int           `json:"limit" doc:"Units of the month that the plan allows."`
	Used      int           `json:"used" doc:"Units that are used."`
	Remaining int           `json:"remaining" doc:"Units that remain. While the store does not respond: the units that this server can still grant."`
	ResetsAt  time.Time     `json:"resetsAt" doc:"When the next month begins."`
	Warning   quota.Warning `json:"warning" doc:"How much is used: approaching from 80 % on, critical from 95 % on."`
}

// PastMonth reports the usage of one month. Months without requests are not listed.
type PastMonth struct {
	Month string `json:"month" doc:"UTC calendar month, such as 2026-11." example:"2026-11"`
	Used  int    `json:"used" doc:"Units that were used."`
}

// monthLayout is the time layout of months.
const monthLayout = "2006-01"

// Usage returns the usage of the caller's account.
func (s Operations) Usage(ctx context.Context, _ UsageInput) (Usage, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return Usage{}, err
	}
	months, err := s.accounts.Months(ctx, caller.Account)
	if err != nil {
		return Usage{}, err
	}
	left, _ := access.StandingFrom(ctx)
	out := Usage{
		Account: caller.Email, Plan: caller.Tier,
		Minute: MinuteUsage{left.MinuteLimit, left.MinuteRemaining, left.MinuteReset.UTC()},
		Month: MonthUsage{
			left.MonthReset.AddDate(0, -1, 0).Format(monthLayout), left.MonthLimit, left.MonthUsed,
			left.MonthRemaining, left.MonthReset, left.Warning,
		},
		Months: []PastMonth{},
	}
	for _, m := range months {
		out.Months = append(out.Months, PastMonth{m.Month.Start().Format(monthLayout), int(m.Units)})
	}
	return out, nil
}

// ListKeysInput is empty.
type ListKeysInput struct{}

// KeyList lists the keys of an account.
type KeyList struct {
	Account string   `json:"account" doc:"The account's e-mail address."`
	Keys    []APIKey `json:"keys" doc:"Keys in order of creation, with those that are revoked or expired."`
}

// APIKey describes a key. The key itself is not stored.
type APIKey struct {
	ID          string              `json:"id" doc:"Id of the key, which is a part of the key itself." example:"7LqQBDD"`
	Name        string              `json:"name" doc:"Name that the account gave the key; may be empty."`
	Scopes      []credential.Scope  `json:"scopes" doc:"What the key may be used for."`
	State       credential.KeyState `json:"state" doc:"State of the key. Only active keys are accepted."`
	Current     bool                `json:"current" doc:"Whether this request was made with it."`
	CreatedAt   time.Time           `json:"createdAt" doc:"When the key was created."`
	ExpiresAt   *time.Time          `json:"expiresAt" doc:"When the key expires or expired; null: never."`
	RevokedAt   *time.Time          `json:"revokedAt" doc:"When the key was revoked; null: it was not."`
	LastUsedOn  string              `json:"lastUsedOn,omitempty" format:"date" doc:"UTC day of the last use; left out of a key that was not used."`
	LastNetwork string              `json:"lastNetwork,omitempty" doc:"Network of the last use, not the whole address; left out of a key that was not used."`
	Replaces    string              `json:"replaces,omitempty" doc:"Id of the key that this one replaces; left out of a key that does not replace another."`
}

// ListKeys returns the keys of the caller's account.
func (s Operations) ListKeys(ctx context.Context, _ ListKeysInput) (KeyList, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return KeyList{}, err
	}
	keys, err := s.accounts.OwnKeys(ctx, caller)
	if err != nil {
		return KeyList{}, err
	}
	out := KeyList{Account: caller.Email, Keys: []APIKey{}}
	for _, k := range keys {
		out.Keys = append(out.Keys, s.apiKey(k, caller))
	}
	return out, nil
}

func (s Operations) apiKey(k credential.KeyRecord, caller access.Caller) APIKey {
	out := APIKey{
		ID: k.ID, Name: k.Name, Scopes: operation.Typed[credential.Scope](k.Scopes),
		State:   credential.State(k, s.now()),
		Current: k.ID == caller.Key, CreatedAt: k.Created, LastNetwork: k.LastAddress,
		Replaces: k.From,
	}
	if !k.Expires.IsZero() {
		out.ExpiresAt = &k.Expires
	}
	if !k.Revoked.IsZero() {
		out.RevokedAt = &k.Revoked
	}
	if !k.LastUsed.IsZero() {
		out.LastUsedOn = k.LastUsed.Format(time.DateOnly)
	}
	return out
}

// CreateKeyInput describes the key to create.
type CreateKeyInput struct {
	Name   string             `json:"name" doc:"Name of the key." default:""`
	Scopes []credential.Scope `json:"scopes" doc:"What the key may be used for." minItems:"1" maxItems:"6"`
	Days   int                `json:"days" doc:"Days after which the key expires; 0: never." default:"0" min:"0" max:"3650"`
}

// MadeKey is a new key. It is returned only once.
type MadeKey struct {
	Key    string `json:"key" doc:"The key itself. It is not stored and cannot be shown again."`
	Record APIKey `json:"record" doc:"Description of the key, as the list of keys has it."`
}

// CreateKey creates a key for the caller's account.
func (s Operations) CreateKey(ctx context.Context, in CreateKeyInput) (MadeKey, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return MadeKey{}, err
	}
	n := credential.NewKey{Name: in.Name, Scopes: coast.Strings(in.Scopes...)}
	if in.Days > 0 {
		n.Expires = s.now().UTC().Truncate(time.Second).AddDate(0, 0, in.Days)
	}
	secret, made, err := s.accounts.CreateOwnKey(ctx, caller, n)
	if err != nil {
		return MadeKey{}, err
	}
	return MadeKey{secret, s.apiKey(made, caller)}, nil
}

// ReplaceKeyInput names a key and how long it remains valid.
type ReplaceKeyInput struct {
	ID    string      `json:"id" doc:"Id of the key to replace." pattern:"^[0-9A-Za-z]{7}$" form:"text of 7 letters and digits" example:"7LqQBDD"`
	Grace GracePeriod `json:"grace" doc:"Time for which the replaced key is still accepted." default:"24h"`
}

// ReplaceKey creates a key that replaces an existing key of the caller's account.
func (s Operations) ReplaceKey(ctx context.Context, in ReplaceKeyInput) (MadeKey, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return MadeKey{}, err
	}
	grace, _ := time.ParseDuration(string(in.Grace)) // the enum lists only valid durations
	secret, made, err := s.accounts.ReplaceOwnKey(ctx, caller, in.ID, grace)
	if err != nil {
		return MadeKey{}, err
	}
	return MadeKey{secret, s.apiKey(made, caller)}, nil
}

// RevokeKeyInput names a key.
type RevokeKeyInput struct {
	ID string `json:"id" doc:"Id of the key to revoke." pattern:"^[0-9A-Za-z]{7}$" form:"text of 7 letters and digits" example:"7LqQBDD"`
}

// RevokeKey revokes a key of the caller's account. A browser session can revoke any of the
// account's keys; a caller with a key can revoke only that key.
func (s Operations) RevokeKey(ctx context.Context, in RevokeKeyInput) (APIKey, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return APIKey{}, err
	}
	key, err := s.accounts.RevokeOwnKey(ctx, caller, in.ID)
	if err != nil {
		return APIKey{}, err
	}
	return s.apiKey(key, caller), nil
}

// GracePeriod names a time for which a replaced secret remains valid.
type GracePeriod string

// Values returns all values.
func (GracePeriod) Values() []string { return []string{"0s", "1h", "24h", "168h"} }

// Operations has the operations on the keys and the usage of the caller's account.
type Operations struct {
	accounts *accounts.Service
	now      func() time.Time
}

// New returns the operations.
func New(s *accounts.Service, now func() time.Time) Operations {
	return Operations{s, now}
}
