package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"leadline/internal/config"
	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/postgres"
)

// observers receive what the store does. Each may be nil.
type observers struct {
	commit func(size int, took time.Duration, err error)
	posted func(kind string) // of an event that was stored
}

// changingStore is an open store that reports its changes.
type changingStore interface {
	store.Store
	store.ChangeFeed
}

// openEngine opens the store that the settings name: the database of --store, or the file in the
// data folder, which is created if there is none. It does not check that the pepper belongs to it.
func openEngine(
	ctx context.Context, c Config, o observers, log *slog.Logger,
) (changingStore, error) {
	if err := checkStoreSettings(c.Settings); err != nil {
		return nil, err
	}
	if c.Settings.Shared() {
		return openDatabase(ctx, c, o, log)
	}
	return openFile(c, o)
}

// sharedFile is a file in the data folder of an instance whose store is a database.
const sharedFile = "store-is-a-database"

// markShared writes sharedFile, so that no command without --store creates a store in the folder.
func markShared(folder string) error {
	return os.WriteFile(filepath.Join(folder, sharedFile), nil, 0o600)
}

// CheckShared returns an error if a server with --store has used the folder, and no store was
// copied to it since.
func CheckShared(folder string) error {
	_, missing := os.Stat(filepath.Join(folder, StoreFile))
	_, unmarked := os.Stat(filepath.Join(folder, sharedFile))
	if errors.Is(missing, fs.ErrNotExist) && unmarked == nil {
		return fmt.Errorf("%s is the data folder of a server whose store is a database: name it with "+
			"--store, or choose another folder with --data", folder)
	}
	return nil
}

// openFile opens the file in the data folder. No other process may have it open.
func openFile(c Config, o observers) (changingStore, error) {
	folder, err := createFolder(c.Settings.Data)
	if err != nil {
		return nil, err
	}
	if err := CheckShared(folder); err != nil {
		return nil, err
	}
	options := bolt.Options{Observe: o.commit, Posted: o.posted, Inspect: c.Inspect}
	engine, err := bolt.Open(filepath.Join(folder, StoreFile), options)
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w: a data folder belongs to one server; choose another with --data", err)
	}
	if errors.Is(err, store.ErrDamaged) {
		err = fmt.Errorf("%w; restore a backup with leadline restore FILE", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return engine, nil
}

// openDatabase connects to the database of --store.
func openDatabase(
	ctx context.Context, c Config, o observers, log *slog.Logger,
) (changingStore, error) {
	s := c.Settings
	engine, err := postgres.Open(ctx, postgres.Options{
		URL: s.Store, PasswordFile: s.StorePasswordFile, Listen: s.StoreListen,
		Connections: s.StoreConnections, Instance: instanceName(s), Migrate: s.StoreMigrate,
		// The server aborts a late statement a little before its caller gives up.
		Timeout: s.StoreTimeout * 4 / 5,
		Posted:  o.posted, Log: log, Now: c.Clock,
		Observe: func(_ string, took time.Duration, err error) {
			if o.commit != nil {
				o.commit(calls(err), took, err)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return engine, nil
}

// calls returns the number of writes that a call of the database counts as. A call that failed is
// not a failed write: one late statement does not mean that the database cannot be written, which
// heartbeats show.
func calls(err error) int {
	if err != nil {
		return 0
	}
	return 1
}

// instanceName returns the name of this process among the instances of the store.
func instanceName(c *config.Config) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return cmp.Or(c.Instance, host, "leadline")
}

// checkStoreSettings returns an error for settings that do not fit the store.
func checkStoreSettings(c *config.Config) error {
	switch {
	case c.Shared() && c.ACMEDomain != "":
		return errors.New("--acme-domain cannot be used with --store: several instances cannot order " +
			"certificates for one name; end TLS at the load balancer, or set --tls-cert and --tls-key")
	case !c.Shared() && c.RateLimits == config.RateLimitsShared:
		return errors.New("--rate-limits shared needs a database, with --store: one process uses the " +
			"file in the data folder")
	case !c.Shared() && c.StorePasswordFile+c.StoreListen != "":
		return errors.New("--store-password-file and --store-listen belong to a database: set --store")
	}
	return nil
}
