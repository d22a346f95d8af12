package store

import (
	"context"
	"errors"
	"io"
	"time"
)

// The reasons why an engine cannot open or use a store.
var (
	ErrInUse   = errors.New("another process has it open")
	ErrDamaged = errors.New("it is damaged")
	ErrMoved   = errors.New("its path names another file or none")
)

// Backuper is implemented by engines that can copy the store while it is in use.
type Backuper interface {
	// Backup writes the store as it is now to w. A slow w does not delay other calls.
	Backup(ctx context.Context, w io.Writer) error
	// BackupFile writes the store as it is now to a new file, atomically, and returns when the
	// file is on disk. If the name is taken, the error wraps fs.ErrExist.
	BackupFile(ctx context.Context, name string) error
}

// Checker is implemented by engines that can check the integrity of the store while it is in use.
type Checker interface {
	// Check reads the whole store and counts its rows. If it finds faults the error wraps
	// ErrDamaged and names the first of them.
	Check(ctx context.Context) (Report, error)
}

// Report counts what a store contains.
type Report struct {
	Schema    int   `json:"schema"`
	Bytes     int64 `json:"bytes"` // size of a backup
	Accounts  int   `json:"accounts"`
	Keys      int   `json:"keys"`
	Sessions  int   `json:"sessions"`
	Months    int   `json:"months"` // of all accounts
	Clients   int   `json:"clients"`
	Grants    int   `json:"grants"`
	Incidents int   `json:"incidents"`

	Endpoints  int `json:"endpoints"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Watches    int `json:"watches"`
}

// Change names what a commit has changed: one of its fields is set. The zero Change means that
// anything may have changed, as after a connection was lost.
type Change struct {
	Key     string // id of a key that was revoked, replaced or removed
	Account string // id of an account that was moved to another plan or removed
	Grant   string // id of a grant that was removed
	Fact    string // name of a fact that was replaced
	Posted  bool   // deliveries were added, or events that wait for Spread
}

// ChangeFeed is implemented by engines that report changes, so that callers may cache credentials
// and need not ask for deliveries.
type ChangeFeed interface {
	// Changes calls notify once with the zero Change when it begins to listen, and then with the
	// changes of each commit. A commit of this process is reported before the call that made it
	// returns. notify must neither block nor call the store; calls may be concurrent. Changes
	// blocks until ctx ends or the store is closed, and returns the reason.
	Changes(ctx context.Context, notify func([]Change)) error
}

// RemoteFeed is implemented by change feeds of stores that other processes change, too.
type RemoteFeed interface {
	ChangeFeed
	// Behind returns how long ago all changes up to then had been reported. It is about a second,
	// unless the store cannot be reached.
	Behind() time.Duration
}
