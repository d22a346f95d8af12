package admin

import (
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/accounts"
	"leadline/internal/status"
	"leadline/store"
)

// Health describes the process that responds.
type Health struct {
	Version    string             `json:"version"`
	URL        string             `json:"url"`    // as clients see it, "" if nothing is served
	Status     string             `json:"status"` // operational, degraded, down
	Components []status.Component `json:"components"`
	NotReady   string             `json:"notReady,omitempty"` // why no requests should be sent to it

	WebhooksOff bool `json:"webhooksOff,omitempty"` // events are stored and not sent

	Instance  string   `json:"instance,omitempty"`  // name of the process
	Instances []string `json:"instances,omitempty"` // names of all live processes on its store
}

// The types in requests and results about accounts, keys and links.
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

// LinkLife is the time between the creation of a link and its expiry.
const LinkLife = accounts.LinkLife

// DefaultScopes returns the scopes of a key if the operator does not name any.
func DefaultScopes() []string { return accounts.DefaultScopes() }

// Scopes returns all scopes that a key can have.
func Scopes() []string { return credential.Scopes() }

// keyID identifies a key by its public id or the whole key. It is not part of a path, since
// paths appear in logs and errors.
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

// NoticeReport is a notice with its updates.
type NoticeReport = status.Report

// NoticeDraft describes a notice to create, or changes to a notice. In a change, empty fields
// keep their values.
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

// stationList names stations; an empty list means all.
type stationList struct {
	Stations []string `json:"stations"`
}

// Refreshed reports a refresh of the stations' constants.
type Refreshed struct {
	Stations int      `json:"stations"` // number of stations requested
	Renewed  int      `json:"renewed"`
	Seconds  float64  `json:"seconds"`
	Failed   []string `json:"failed"` // one error text for each station that failed
}

// planName names a plan.
type planName struct {
	Plan string `json:"plan"`
}
