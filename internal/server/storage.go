package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/events/signature"
	"leadline/store"
)

// Storage is the part of the data folder that belongs to accounts: the store, the keys in
// it, and the plans of the accounts.
type Storage struct {
	Store store.Store
	Keys  *credential.Keys
	Plans access.Plans

	feed   store.ChangeFeed  // change feed of Store
	secret [32]byte          // encrypts the secrets of sign-in in the store
	sealer *signature.Sealer // encrypts the secrets of webhooks in the store
}

// errNoBackup is the error for an engine that cannot make backups.
var errNoBackup = errors.New("the store is a PostgreSQL database, which leadline does not " +
	"back up or restore: use pg_dump and pg_restore, or the backups of its provider")

// openStorage opens the store and the pepper that belongs to it.
func openStorage(
	ctx context.Context, c Config, o observers, log *slog.Logger,
) (*Storage, error) {
	plans, err := readPlans(c.Settings.Plans)
	if err != nil {
		return nil, err
	}
	folder, err := createFolder(c.Settings.Data)
	if err != nil {
		return nil, err
	}
	file := PepperPath(c.Settings)
	if !c.Settings.Shared() {
		if err := CheckOrphaned(folder, file); err != nil {
			return nil, err
		}
	}
	engine, err := openEngine(ctx, c, o, log)
	if err != nil {
		return nil, err
	}
	if err := checkComplete(ctx, engine); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	var pepper credential.Pepper
	if c.Settings.Shared() {
		pepper, err = openSharedPepper(ctx, engine, file, c.Now)
	} else {
		pepper, err = openPepper(ctx, engine, folder, file, c.Now)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return &Storage{
		Store: engine, Keys: credential.NewKeys(engine, pepper, c.Now), Plans: plans,
		feed: engine, secret: pepper.Derive("signing in"), sealer: signature.NewSealer(pepper),
	}, nil
}

// watch calls changed with the changes of the store until ctx ends or the store is closed. It
// returns a function that waits for that end.
func (s *Storage) watch(ctx context.Context, changed func([]store.Change)) (wait func()) {
	var watching sync.WaitGroup
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	watching.Go(func() {
		defer begin()
		// The error is that of ctx, or every call of the store returns it.
		_ = s.feed.Changes(ctx, func(list []store.Change) {
			changed(list)
			begin()
		})
	})
	<-begun
	return watching.Wait
}

// accounts returns the account rules for the store. months returns the past usage of an
// account, base the scheme and host of links.
func (s *Storage) accounts(
	c Config, months func(context.Context, string) ([]store.Used, error), base func() (string, error),
) *accounts.Service {
	return accounts.New(accounts.Config{
		Store: s.Store, Keys: s.Keys, Plans: s.Plans, Signup: c.Settings.Signup, Now: c.Now,
		Months: months, Base: base,
	})
}

// Close closes the store.
func (s *Storage) Close() error { return s.Store.Close() }

// createFolder creates the data folder if it does not exist. For "" it does nothing.
func createFolder(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return "", fmt.Errorf("create the data folder: %w; choose another with --data", err)
	}
	return name, nil
}

// warn logs files that other users may read, and accounts whose plan does not exist.
func (s *Storage) warn(ctx context.Context, c *config.Config, log *slog.Logger) error {
	for _, name := range []string{c.Data, PepperPath(c)} {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			log.Warn("other users may read this: chmod go= prevents it",
				"path", name, "mode", info.Mode().Perm())
		}
	}
	plans, err := s.Store.PlansInUse(ctx)
	for _, plan := range slices.Sorted(maps.Keys(plans)) {
		if _, ok := s.Plans.Of(access.Tier(plan)); !ok {
			log.Warn("the plan of accounts does not exist: their keys are refused until they are moved "+
				"or --plans has the plan", "plan", plan, "accounts", plans[plan])
		}
	}
	return err
}

// exchanges is the number of round trips that a request may wait for. About six open a connection
// to a database, and two are the first call on it. It is ours.
const exchanges = 8

// warnSlow logs a store that is so slow that requests may not wait long enough for it.
func (s *Storage) warnSlow(ctx context.Context, timeout time.Duration, log *slog.Logger) {
	trip, err := s.roundTrip(ctx)
	if err != nil || trip <= timeout/exchanges {
		return // the readiness reports errors
	}
	log.Warn("the store is slow: requests with a key that this process does not know may get 503, "+
		"and others wait for quota leases; move the store closer or raise --store-timeout",
		"roundTrip", trip.Round(time.Millisecond), "most", timeout/exchanges, "storeTimeout", timeout,
		"suggested", min((exchanges*trip).Round(100*time.Millisecond), 5*time.Second))
}

// roundTrip returns the time of a small write to the store, the least of three: the first one may
// open a connection.
func (s *Storage) roundTrip(ctx context.Context) (least time.Duration, err error) {
	for n := range 3 {
		began := time.Now()
		if err := s.Store.Ready(ctx); err != nil {
			return 0, err
		}
		if took := time.Since(began); n == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

// readPlans reads the file of plans. Without one it returns the built-in plans.
func readPlans(file string) (access.Plans, error) {
	if file == "" {
		return access.BuiltIn(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return access.Plans{}, fmt.Errorf("read --plans: %w", err)
	}
	defer f.Close()
	plans, err := access.ReadPlans(f)
	if err != nil {
		return plans, fmt.Errorf("read --plans %s: %w", file, err)
	}
	return plans, nil
}

// readGroups reads the file of shared clients. Without one it returns the built-in groups.
func readGroups(file string) (limit.Groups, error) {
	if file == "" {
		return limit.BuiltInGroups(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return limit.Groups{}, fmt.Errorf("read --shared-clients: %w", err)
	}
	defer f.Close()
	groups, err := limit.ReadGroups(f)
	if err != nil {
		return groups, fmt.Errorf("read --shared-clients %s: %w", file, err)
	}
	return groups, nil
}

// backupHandler sends a copy of the store to the operator. The copy is written to a file first,
// so that a slow reader does not block the store.
func backupHandler(s store.Store, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		engine, ok := s.(store.Backuper)
		if !ok {
			coast.WriteError(w, coast.Errorf(coast.NotFound, "%v", errNoBackup))
			return
		}
		if err := s.Ready(r.Context()); err != nil {
			coast.WriteError(w, coast.Errorf(coast.StoreUnavailable, "%v", err))
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="`+StoreFile+`"`)
		if err := engine.Backup(r.Context(), w); err != nil {
			log.Error("sending a backup", "error", err)
			panic(http.ErrAbortHandler) // a partial response must not look complete
		}
	}
}
