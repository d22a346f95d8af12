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

// What requests and results about accounts, keys and links are made of.
type (
	Account     = accounts.Summary
	NewAccount  = accounts.NewAccount
	PlanChange  = accounts.PlanChange
	Link        = accounts.Link
	Key         = accounts.Key
	NewKey      = accounts.NewKey
	CreatedKey  = accounts.CreatedKey
	RevokedKey  = accounts.RevokedKey
	ReplacedKey = accounts.ReplacedKey
)

// LinkLife limits the time between the creation of a link and its use.
const LinkLife = accounts.LinkLife

// DefaultScopes returns the scopes of a key for which the operator names none.
func DefaultScopes() []string { return accounts.DefaultScopes() }

// Scopes returns all scopes that a key can have.
func Scopes() []string { return access.Scopes() }

// keyID names a key: its public id, or the whole key. It is not part of a path, since paths
// appear in logs and errors.
type keyID struct {
	ID    string `json:"id"`
	Grace string `json:"grace,omitempty"`
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
