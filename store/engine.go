package store

import (
	"context"
	"errors"
	"io"
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
}

// ChangeFeed is implemented by engines that report changes of credentials, so that callers may
// cache them.
type ChangeFeed interface {
	// Changes calls notify once when it begins to listen, and then after each commit that
	// revoked or replaced a key, moved an account to another plan, or removed an account or a
	// grant. A commit of this process is reported before the call that made it returns. notify
	// must neither block nor call the store; calls may be concurrent. Changes blocks until ctx
	// ends or the store is closed, and returns the reason.
	Changes(ctx context.Context, notify func()) error
}
