// Package store is what must survive a restart: accounts and their keys, what
// their months have used, what people sign in with and their browser sessions,
// the clients that they have connected, what the operator tells of incidents,
// and a few facts about the store itself. It holds the contract and its types;
// an engine is a folder below, and store/storetest is the suite that every
// engine passes unchanged.
//
// What an engine promises: a method that has returned nil is on disk, whole;
// one that has returned an error has changed nothing, or, where the context
// ended first or the disk failed amid a commit, may yet come to pass. A name
// that no key can have (empty, over 1,024 bytes, with a zero byte, not UTF-8)
// is ErrUnavailable: callers check what people type. Errors are ErrNotFound, ErrExists, ErrTooMany,
// those of the context, or wrap ErrUnavailable. Times are kept to the second, in
// UTC; the zero time is "never". All methods are safe for concurrent use.
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
	ErrUnavailable = errors.New("the store is unavailable") // gone, full, read-only, closed
)

// Store is what an engine offers.
type Store interface {
	Accounts
	Keys
	Quota
	SignIn
	Sessions
	Grants
	Incidents
	Meta

	// Ready writes something and returns nil where that worked.
	Ready(ctx context.Context) error
	// Sweep removes sessions, tickets, clients and grants that have ended at
	// now, codes that ended an hour before (who brings one again is found out
	// until then), and months that ended more than 13 months before.
	Sweep(ctx context.Context, now time.Time) error
	// Close waits for what is under way. Every method fails afterwards, Close too.
	Close() error
}

// Account is who an allowance belongs to: all its keys share the one.
type Account struct {
	ID      string    `json:"id"`    // a UUID
	Email   string    `json:"email"` // in lower case, one account each
	Plan    string    `json:"plan"`
	Created time.Time `json:"created"`
}

// Accounts are the accounts.
type Accounts interface {
	// AddAccount fails with ErrExists where the id or the address is taken.
	AddAccount(ctx context.Context, a Account) error
	// Account returns the account with the id, or ErrNotFound.
	Account(ctx context.Context, id string) (Account, error)
	// AccountByEmail returns the account with the address, or ErrNotFound.
	AccountByEmail(ctx context.Context, email string) (Account, error)
	// Accounts returns all accounts in order of their addresses.
	Accounts(ctx context.Context) ([]Account, error)
	// SetPlan moves an account to a plan. ErrNotFound: there is no such account.
	SetPlan(ctx context.Context, id, plan string) error
	// RemoveAccount removes an account with its keys, sessions, months,
	// password, identities, codes and grants. ErrNotFound: there is no such
	// account.
	RemoveAccount(ctx context.Context, id string) error
}

// Key is an API key. The key itself is nowhere: Hash is all that is kept of it.
type Key struct {
	ID      string    `json:"id"` // public, part of the key
	Hash    [32]byte  `json:"hash"`
	Account string    `json:"account"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"` // dead from then on
	Revoked time.Time `json:"revoked"` // dead from then on
	From    string    `json:"from"`    // the id of the key that this one replaces, or ""

	LastUsed    time.Time `json:"lastUsed"`    // a day
	LastAddress string    `json:"lastAddress"` // the network that it was used from, coarse
}

// MostKeys is how many keys of an account may be active: neither revoked nor expired. MostKeyRows is
// how many are kept in all; of those that are not active the first created make room.
const (
	MostKeys    = 50
	MostKeyRows = 1_000
)

// Keys are the API keys.
type Keys interface {
	// AddKey stores a new key. ErrExists: its id or hash is taken.
	// ErrNotFound: there is no such account. ErrTooMany: the account has MostKeys
	// keys that are active when k is created.
	AddKey(ctx context.Context, k Key) error
	// AddAccountKey stores a key of the account with the address of a, which it
	// stores where there is none; where move is true and there is one, that goes
	// to the plan of a. It does all of this or nothing. It returns the account as
	// it was before, the zero one where it is new. The account of k is set by it.
	// ErrExists: the id of a, or the id or hash of k, is taken. ErrTooMany: as AddKey.
	AddAccountKey(ctx context.Context, a Account, move bool, k Key) (before Account, err error)
	// Key returns the key with the id, or ErrNotFound.
	Key(ctx context.Context, id string) (Key, error)
	// KeyByHash returns a key, dead or alive, with its account, or ErrNotFound.
	KeyByHash(ctx context.Context, hash [32]byte) (Key, Account, error)
	// KeysOf returns the keys of an account, dead ones too, in order of
	// creation, then of id.
	KeysOf(ctx context.Context, account string) ([]Key, error)
	// RevokeKey kills a key; one that is revoked stays as it is. ErrNotFound:
	// there is no such key.
	RevokeKey(ctx context.Context, id string, at time.Time) error
	// ReplaceKey stores next and lets the key old expire, in one: the earlier
	// of its expiry and expires counts. ErrNotFound: there is no old. Else as
	// AddKey; old counts among the active ones unless it has expired by then.
	ReplaceKey(ctx context.Context, old string, expires time.Time, next Key) error
	// TouchKey notes that a key was used on a day from a network. ErrNotFound:
	// there is no such key.
	TouchKey(ctx context.Context, id string, day time.Time, address string) error
}

// Month is a UTC calendar month as the number YYYYMM.
type Month uint32

// MonthOf returns the month that t lies in.
func MonthOf(t time.Time) Month {
	t = t.UTC()
	return Month(t.Year()*100 + int(t.Month()))
}

// Start is the first moment of the month.
func (m Month) Start() time.Time {
	return time.Date(int(m/100), time.Month(m%100), 1, 0, 0, 0, 0, time.UTC)
}

// Next is the month after m.
func (m Month) Next() Month { return MonthOf(m.Start().AddDate(0, 1, 0)) }

// Used is what a month of an account has used: units reserved less units
// returned.
type Used struct {
	Month Month  `json:"month"`
	Units uint64 `json:"units"`
}

// Quota counts the units of accounts' months. A unit is served only after it
// was reserved: what a crash loses was never served twice.
type Quota interface {
	// Reserve takes up to n units, as many as limit leaves, and returns how
	// many those are, and how many are reserved now. ErrNotFound: there is
	// no such account.
	Reserve(ctx context.Context, account string, month Month, n, limit uint64) (granted, reserved uint64, err error)
	// Return gives n units back that were reserved and not served. What was
	// not reserved cannot be given back: then nothing is left reserved.
	Return(ctx context.Context, account string, month Month, n uint64) error
	// Usage returns how many units are reserved; none of an unknown account.
	Usage(ctx context.Context, account string, month Month) (reserved uint64, err error)
	// Months returns the months of an account in which units were reserved,
	// the newest first; also those of which all were given back.
	Months(ctx context.Context, account string) ([]Used, error)
}

// Session is a person who has signed in with a browser. The session's secret
// is nowhere: Hash is all that is kept of it.
type Session struct {
	Hash    [32]byte  `json:"hash"`
	Account string    `json:"account"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"` // ended from then on
}

// MostSessions is how many sessions an account has at most.
const MostSessions = 20

// Sessions are the browser sessions.
type Sessions interface {
	// AddSession stores a session. Where the account has MostSessions or more
	// already, those that were created first are removed until there is room.
	// ErrExists: its hash is taken. ErrNotFound: there is no such account.
	AddSession(ctx context.Context, s Session) error
	// Session returns a session, ended or not, with its account, or ErrNotFound.
	Session(ctx context.Context, hash [32]byte) (Session, Account, error)
	// RemoveSession ends a session; one that is gone is no error.
	RemoveSession(ctx context.Context, hash [32]byte) error
	// RemoveSessions ends all sessions of an account.
	RemoveSessions(ctx context.Context, account string) error
}

// Incident is a fault, or a piece of maintenance, that the operator tells of.
type Incident struct {
	ID          string    `json:"id"` // a UUID
	Maintenance bool      `json:"maintenance"`
	Title       string    `json:"title"`
	Status      string    `json:"status"`
	Message     string    `json:"message"`
	From        time.Time `json:"from"`
	Until       time.Time `json:"until"` // zero: not known
	Created     time.Time `json:"created"`
	Updated     time.Time `json:"updated"`
}

// Incidents are what the operator tells of.
type Incidents interface {
	// PutIncident stores an incident, in place of the one with its id.
	PutIncident(ctx context.Context, i Incident) error
	// Incident returns the incident with the id, or ErrNotFound.
	Incident(ctx context.Context, id string) (Incident, error)
	// Incidents returns all incidents and maintenance, the newest From first.
	Incidents(ctx context.Context) ([]Incident, error)
}

// Meta are facts about the store itself, by name.
type Meta interface {
	// Meta returns a fact, or ErrNotFound.
	Meta(ctx context.Context, name string) ([]byte, error)
	// SetMeta stores a fact.
	SetMeta(ctx context.Context, name string, value []byte) error
}
