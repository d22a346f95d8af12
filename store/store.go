// Package store defines the data that must survive a restart: accounts and their keys,
// their monthly usage, sign-in credentials and browser sessions, the clients that
// people have connected, endpoints with the events that they receive, watches,
// incidents and maintenance, days of use and of components, and a few facts about the
// store itself. The package contains the contract and its types. Each folder below is an
// engine, except store/storetest, the conformance suite that all engines pass
// unchanged.
//
// The contract of an engine: when a method returns nil, its changes are on disk,
// complete. When it returns an error it has changed nothing. The exception is a context
// that ends first or a disk that fails during a commit: the changes may then still
// happen. A name that no key can have (empty, over 1,024 bytes, with a zero byte, not
// UTF-8: see CheckName) returns ErrUnavailable: callers check user input. Errors are
// ErrNotFound, ErrExists, ErrTooMany, ErrConflict, those of the context, or wrap
// ErrUnavailable. Times are stored
// to the second, in UTC; the zero time is "never". All methods are safe for concurrent
// use.
package store

import (
	"context"
	"errors"
	"time"
)

// The errors of the contract.
var (
	ErrNotFound    = errors.New("not found")
	ErrExists      = errors.New("exists already")
	ErrTooMany     = errors.New("too many")
	ErrConflict    = errors.New("changed by another call")
	ErrUnavailable = errors.New("the store is unavailable") // gone, full, read-only, closed
)

// Store is implemented by engines.
type Store interface {
	Accounts
	Keys
	Quota
	SignIn
	Sessions
	Grants
	Incidents
	Meta
	Uses
	Uptime
	Endpoints
	Events
	Watches
	Instances

	// Ready writes something and returns nil if that succeeded.
	Ready(ctx context.Context) error
	// Sweep removes what has ended, at most n rows of each kind, and reports whether
	// there is more: sessions, tickets, clients, grants and events (with their
	// deliveries) that have expired at now, names of events whose time is over, the
	// events of an account beyond MostEvents, codes that expired an hour before (until
	// then a second use is detected), watches that ended WatchRetention before, keys
	// that were inactive for KeyRetention, and months of usage that ended more than 13
	// months before, with their days of use and of components.
	Sweep(ctx context.Context, now time.Time, n int) (more bool, err error)
	// Close waits for running calls. Every method fails afterwards, Close too.
	Close() error
}

// Account is the billing subject: all its keys share one monthly quota.
type Account struct {
	ID      string    `json:"id"`    // a UUID
	Email   string    `json:"email"` // in lower case, one account each
	Plan    string    `json:"plan"`
	Created time.Time `json:"created"`
}

// Accounts stores the accounts.
type Accounts interface {
	// AddAccount stores an account. ErrExists: the id or the address is taken.
	AddAccount(ctx context.Context, a Account) error
	// Account returns the account with the id, or ErrNotFound.
	Account(ctx context.Context, id string) (Account, error)
	// AccountByEmail returns the account with the address, or ErrNotFound.
	AccountByEmail(ctx context.Context, email string) (Account, error)
	// Accounts returns up to n accounts in order of their addresses, those after the
	// address after, "" for the first.
	Accounts(ctx context.Context, after string, n int) ([]Account, error)
	// HasAccounts reports whether there is an account.
	HasAccounts(ctx context.Context) (bool, error)
	// PlansInUse returns the number of accounts of each plan that has any.
	PlansInUse(ctx context.Context) (map[string]int, error)
	// SetPlan moves an account to a plan. ErrNotFound: there is no such account.
	SetPlan(ctx context.Context, id, plan string) error
	// RemoveAccount removes an account with its keys, sessions, months, days of use,
	// password, identities, codes, grants, endpoints, events, deliveries and watches.
	// Engines may use several transactions: if the call fails, some deliveries and events
	// may be removed. ErrNotFound: there is no such account.
	RemoveAccount(ctx context.Context, id string) error
}

// Key is an API key. The key itself is not stored, only its Hash.
type Key struct {
	ID      string    `json:"id"` // public; part of the key
	Hash    [32]byte  `json:"-"`
	Account string    `json:"account"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // inactive from then on
	Revoked time.Time `json:"revoked,omitzero"` // inactive from then on
	From    string    `json:"from,omitzero"`    // the id of the key that this one replaces, or ""

	LastUsed    time.Time `json:"lastUsed,omitzero"`    // a day
	LastAddress string    `json:"lastAddress,omitzero"` // the network it was used from, shortened
}

// End returns when the key becomes or became inactive; the zero time means never.
func (k Key) End() time.Time { return Earlier(k.Expires, k.Revoked) }

// Active reports whether the key is neither revoked nor expired at a time.
func (k Key) Active(at time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || at.Before(k.Expires))
}

// KeyRetention is the time for which a key is stored after it was revoked or expired.
const KeyRetention = 90 * 24 * time.Hour

// Touch records that a key was used.
type Touch struct {
	Key     string    // id
	Day     time.Time // of its last use
	Address string    // the network that it was used from, shortened
}

// MostKeys limits the active keys of an account, neither revoked nor expired.
// MostKeyRows limits its keys in all; the oldest inactive ones are removed first.
const (
	MostKeys    = 50
	MostKeyRows = 1_000
)

// Keys stores the API keys.
type Keys interface {
	// AddKey stores a new key. ErrExists: its id or hash is taken.
	// ErrNotFound: there is no such account. ErrTooMany: the account has MostKeys
	// keys that are active when k is created.
	AddKey(ctx context.Context, k Key) error
	// AddAccountKey stores a key of the account with the address of a. If there is no such
	// account it stores a; if there is one and move is true, it moves that account to the
	// plan of a. All of this happens atomically. It returns the account as it was before, or
	// the zero Account if it is new, and ignores the account of k. ErrExists: the id of a,
	// or the id or hash of k, is taken. ErrTooMany: see AddKey.
	AddAccountKey(ctx context.Context, a Account, move bool, k Key) (before Account, err error)
	// Key returns the key with the id, or ErrNotFound.
	Key(ctx context.Context, id string) (Key, error)
	// KeyByHash returns a key, active or not, with its account, or ErrNotFound.
	KeyByHash(ctx context.Context, hash [32]byte) (Key, Account, error)
	// KeysOf returns the keys of an account, inactive ones too, in order of
	// creation, then of id.
	KeysOf(ctx context.Context, account string) ([]Key, error)
	// RevokeKey revokes a key. A key that is already revoked does not change.
	// ErrNotFound: there is no such key.
	RevokeKey(ctx context.Context, id string, at time.Time) error
	// ReplaceKey stores next and makes the key old expire, atomically, at the
	// earlier of its expiry and expires. ErrNotFound: there is no key old.
	// ErrConflict: it is revoked, or another key replaces it already. Other errors
	// are those of AddKey; old counts as active unless it has expired by then.
	ReplaceKey(ctx context.Context, old string, expires time.Time, next Key) error
	// TouchKeys records uses of keys. It ignores keys that do not exist.
	TouchKeys(ctx context.Context, list []Touch) error
}

// Month is a UTC calendar month as the number YYYYMM.
type Month uint32

// MonthOf returns the month of t.
func MonthOf(t time.Time) Month {
	t = t.UTC()
	return Month(t.Year()*100 + int(t.Month()))
}

// Start returns the first instant of the month.
func (m Month) Start() time.Time {
	return time.Date(int(m/100), time.Month(m%100), 1, 0, 0, 0, 0, time.UTC)
}

// Next returns the month after m.
func (m Month) Next() Month { return MonthOf(m.Start().AddDate(0, 1, 0)) }

// Used is the usage of an account in a month: units reserved less units returned.
type Used struct {
	Month Month  `json:"month"`
	Units uint64 `json:"units"`
}

// Quota counts the units of accounts by month. A unit is served only after it was
// reserved, so a crash can lose units but never serve one twice.
type Quota interface {
	// Reserve reserves up to n units, as many as limit allows, and returns their
	// number and the number of all reserved units. It posts the notices whose At it
	// reaches. ErrNotFound: there is no such account.
	Reserve(
		ctx context.Context, account string, month Month, n, limit uint64, notices ...Notice,
	) (granted, reserved uint64, err error)
	// Return returns n units that were reserved and not served. If fewer are
	// reserved, none is reserved afterwards.
	Return(ctx context.Context, account string, month Month, n uint64) error
	// Usage returns the number of reserved units, 0 for an unknown account.
	Usage(ctx context.Context, account string, month Month) (reserved uint64, err error)
	// Months returns the months of an account in which units were reserved, the
	// newest first, including those in which all were returned.
	Months(ctx context.Context, account string) ([]Used, error)
}

// Session is a browser session of a person who has signed in. The session's secret
// is not stored, only its Hash.
type Session struct {
	Hash    [32]byte  `json:"-"`
	Account string    `json:"account"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // expired from then on
	Agent   string    `json:"agent,omitzero"`   // browser and system at sign-in
	Seen    Day       `json:"seen,omitzero"`    // last day of use
}

// MostSessions limits the sessions of an account.
const MostSessions = 20

// Sessions stores the browser sessions.
type Sessions interface {
	// AddSession stores a session. If the account has MostSessions or more
	// already, the oldest ones are removed until there is room.
	// ErrExists: its hash is taken. ErrNotFound: there is no such account.
	AddSession(ctx context.Context, s Session) error
	// Session returns a session, expired or not, with its account, or ErrNotFound.
	Session(ctx context.Context, hash [32]byte) (Session, Account, error)
	// SessionsOf returns the sessions of an account, expired ones too, the newest first.
	SessionsOf(ctx context.Context, account string) ([]Session, error)
	// TouchSession records the last day of use of a session. It is not an error if
	// there is none.
	TouchSession(ctx context.Context, hash [32]byte, day Day) error
	// RemoveSession ends a session. It is not an error if there is none.
	RemoveSession(ctx context.Context, hash [32]byte) error
	// RemoveSessions ends all sessions of an account.
	RemoveSessions(ctx context.Context, account string) error
}

// Incident is an incident or maintenance that the operator announces.
type Incident struct {
	ID          string    `json:"id"` // a UUID
	Maintenance bool      `json:"maintenance"`
	Title       string    `json:"title"`
	Status      string    `json:"status"`
	Message     string    `json:"message"`
	From        time.Time `json:"from"`
	Until       time.Time `json:"until"` // zero if unknown
	Created     time.Time `json:"created"`
	Updated     time.Time `json:"updated"`

	// Updates holds what it said since it was announced, the oldest first. Empty in
	// incidents of earlier versions of this program.
	Updates []IncidentUpdate `json:"updates,omitempty"`
}

// IncidentUpdate is the state and the message of an incident from a time on.
type IncidentUpdate struct {
	At      time.Time `json:"at"`
	Status  string    `json:"status"`
	Message string    `json:"message"`
}

// Incidents stores incidents and maintenance.
type Incidents interface {
	// PutIncident stores an incident, replacing any incident with the same id, and
	// posts events, in one transaction.
	PutIncident(ctx context.Context, i Incident, events ...Event) error
	// Incident returns the incident with the id, or ErrNotFound.
	Incident(ctx context.Context, id string) (Incident, error)
	// Incidents returns up to n incidents and maintenance that had not ended by since,
	// the newest From first.
	Incidents(ctx context.Context, since time.Time, n int) ([]Incident, error)
}

// Meta stores facts about the store itself, by name.
type Meta interface {
	// Meta returns a fact, or ErrNotFound.
	Meta(ctx context.Context, name string) ([]byte, error)
	// SwapMeta replaces a fact that is old by new and posts events, in one
	// transaction. With old nil the fact must not exist. ErrConflict: it is another.
	SwapMeta(ctx context.Context, name string, old, new []byte, events ...Event) error
}
