package admin

import (
	"time"

	"leadline/internal/access"
	"leadline/internal/accounts"
	"leadline/internal/status"
	"leadline/store"
)

// Health describes the process that answers.
type Health struct {
	Version    string             `json:"version"`
	URL        string             `json:"url"`    // that clients see, "" if nothing is served
	Status     string             `json:"status"` // operational, degraded, down
	Components []status.Component `json:"components"`
}

// Account is an account.
type Account struct {
	ID         string    `json:"id"`
	Email      string    `json:"account"`
	Plan       string    `json:"plan"`
	ActiveKeys int       `json:"activeKeys"`
	Used       uint64    `json:"usedThisMonth"` // units, in this UTC month
	CreatedAt  time.Time `json:"createdAt"`
}

// NewAccount describes an account to create or to invite.
type NewAccount struct {
	Email string `json:"account"`
	Plan  string `json:"plan,omitempty"` // "" is the free plan
}

// PlanChange is an account that was moved to a plan.
type PlanChange struct {
	Email string `json:"account"`
	From  string `json:"from"` // equal to To if nothing changed
	To    string `json:"to"`
}

// Link is a single-use link for a person.
type Link struct {
	URL       string    `json:"url"`
	Email     string    `json:"account"`
	Plan      string    `json:"plan"` // of the account
	ExpiresAt time.Time `json:"expiresAt"`
}

// LinkLife is how long a link can be used.
const LinkLife = accounts.LinkLife

// Key is an API key without its secret.
type Key struct {
	ID          string     `json:"id"`
	Email       string     `json:"account"`
	Plan        string     `json:"plan"`
	Name        string     `json:"name"`
	Scopes      []string   `json:"scopes"`
	State       string     `json:"state"` // active, expired, revoked
	CreatedAt   time.Time  `json:"createdAt"`
	ExpiresAt   *time.Time `json:"expiresAt"` // null: never
	RevokedAt   *time.Time `json:"revokedAt"` // null: it was not
	LastUsedOn  string     `json:"lastUsedOn,omitempty"`
	LastNetwork string     `json:"lastNetwork,omitempty"`
	Replaces    string     `json:"replaces,omitempty"`
}

// Shown returns the key as it may be printed: its prefix and its id.
func (k Key) Shown() string { return access.Shown(k.ID) }

// NewKey describes a key to create.
type NewKey struct {
	Email   string   `json:"account"`        // the account is created if there is none
	Plan    string   `json:"plan,omitempty"` // for the account; "" leaves it, free for a new one
	Name    string   `json:"name,omitempty"`
	Scopes  []string `json:"scopes"`
	Expires string   `json:"expires,omitempty"` // 720h, 2027-01-31, RFC 3339, or never
}

// DefaultScopes returns the scopes of a key for which the operator names none.
func DefaultScopes() []string { return accounts.DefaultScopes() }

// Scopes returns all scopes that a key can have.
func Scopes() []string { return access.Scopes() }

// CreatedKey is a new key. Secret is the key itself; it is not stored.
type CreatedKey struct {
	Secret     string `json:"secret"`
	Key        Key    `json:"key"`
	NewAccount bool   `json:"newAccount"` // the account was created with the key
	PlanBefore string `json:"planBefore"` // of the account, "" if it is new
}

// RevokedKey is a key that is revoked.
type RevokedKey struct {
	Key    Key  `json:"key"`
	Before bool `json:"before"` // it was revoked before this request
}

// keyID names a key: its public id, or the whole key. It is not part of an address, since
// addresses appear in logs and errors.
type keyID struct {
	ID    string `json:"id"`
	Grace string `json:"grace,omitempty"`
}

// ReplacedKey is a new key in place of an old one.
type ReplacedKey struct {
	Secret string `json:"secret"`
	Key    Key    `json:"key"`
	Old    Key    `json:"old"` // it expires after the grace
}

// Kind is a kind of notices: Incidents or Maintenance.
type Kind = status.Kind

// The kinds of notices.
const (
	Incidents   = status.Incidents
	Maintenance = status.Maintenance
)

// Notice is an incident or maintenance as the status page shows it.
type Notice = status.Incident

// NoticeDraft describes a notice to create, or the changes of one: fields that are empty stay as
// they are.
type NoticeDraft struct {
	Title   string    `json:"title,omitempty"`
	Message string    `json:"message,omitempty"`
	Status  string    `json:"status,omitempty"`
	From    time.Time `json:"from,omitzero"`
	Until   time.Time `json:"until,omitzero"`
}

// Backup is a copy of the store in a file.
type Backup struct {
	File  string `json:"file"` // an absolute path
	Bytes int64  `json:"bytes"`
}

// Report counts what the store contains.
type Report = store.Report

// stationList names stations; none are all.
type stationList struct {
	Stations []string `json:"stations"`
}

// Refreshed reports a refresh of the stations' constants.
type Refreshed struct {
	Stations int      `json:"stations"` // that were asked for
	Renewed  int      `json:"renewed"`
	Seconds  float64  `json:"seconds"`
	Failed   []string `json:"failed"` // why, one text for each station
}

// planName names a plan.
type planName struct {
	Plan string `json:"plan"`
}
