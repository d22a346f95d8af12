package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/metrics"
	"leadline/store"
	"leadline/store/bolt"
)

// The files of the data folder that belong to accounts.
const (
	storeFile  = "leadline.db"
	pepperFile = "pepper"
)

// keep is the data folder's part that belongs to accounts: the store, the
// keys in it, and the plans that accounts are on.
type keep struct {
	store store.Store
	feed  store.ChangeFeed // of store
	keys  *access.Keys
	plans access.Plans
	gate  *access.Gate // nil where nothing is served

	secret [32]byte // that seals what the sign-in keeps in the store
}

// openKeep opens the store in the data folder, which no other process may
// have open. m counts its commits; nil counts nothing.
func openKeep(ctx context.Context, c *config.Config, now func() time.Time, m *metrics.Metrics) (*keep, error) {
	plans, err := readPlans(c.Plans)
	if err != nil {
		return nil, err
	}
	folder, err := dataFolder(c.Data)
	if err != nil {
		return nil, err
	}
	if err := checkOrphaned(folder); err != nil {
		return nil, err
	}
	s, err := bolt.Open(filepath.Join(folder, storeFile), bolt.Options{Observe: m.Commit})
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w: one server runs on a data folder, and -data names another", err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	k := &keep{store: s, feed: s, plans: plans}
	if err := k.openKeys(ctx, folder, now); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return k, nil
}

// errNoBackup and errNoCheck are returned if the engine of the store lacks the capability.
var (
	errNoBackup = errors.New("the engine of this store makes no backups: use the tools of its database")
	errNoCheck  = errors.New("the engine of this store has no check: use the tools of its database")
)

// restoreStore puts a backup in the place of the store in a folder, which no process may have open.
// It returns the new name of the store that was there, "" if there was none.
func restoreStore(from, folder string) (kept string, err error) {
	return bolt.Restore(from, filepath.Join(folder, storeFile))
}

// openKeys makes the keys of the store ready, with the pepper of the folder.
func (k *keep) openKeys(ctx context.Context, folder string, now func() time.Time) error {
	file := filepath.Join(folder, pepperFile)
	pepper, settled, err := k.pepper(ctx, file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	k.keys, k.secret = access.NewKeys(k.store, pepper, now), pepper.Derive("signing in")
	if err := k.keys.Check(ctx); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if settled {
		return nil
	}
	return settlePepper(file)
}

// pepper returns the pepper of the store, and false if it is not in its file yet. A new one waits in
// a file of another name until the store knows it. So a pepper in its file always belongs to a store
// that knows it, and a kill at any moment leaves a folder on which the next start succeeds.
func (k *keep) pepper(ctx context.Context, file string) (p access.Pepper, settled bool, err error) {
	known, err := access.Peppered(ctx, k.store)
	if err != nil {
		return p, false, err
	}
	text, err := os.ReadFile(file)
	switch {
	case err == nil && !known:
		return p, false, errOrphaned(filepath.Dir(file))
	case err == nil:
		p, err = access.ReadPepper(string(text))
		return p, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return p, false, err
	case !known:
		p = access.NewPepper()
		return p, false, writePepper(file, p)
	}
	if text, err = os.ReadFile(file + newPepper); err == nil {
		p, err = access.ReadPepper(string(text))
	}
	if err != nil {
		err = errors.New("the file is gone with which the keys in the store were made: put it back, or no key is let in")
	}
	return p, false, err
}

// newPepper ends the name of a pepper that the store may not know yet.
const newPepper = ".part"

// errOrphaned is the error of a pepper that belongs to another store than the one in its folder.
func errOrphaned(folder string) error {
	return fmt.Errorf("%s is missing or empty in %s, but the pepper of a store with keys is there: "+
		"restore a backup with leadline restore FILE; to begin a new store, move the file %s away",
		storeFile, folder, pepperFile)
}

// checkOrphaned returns an error if a folder has a pepper and no store. A store would be created
// there that looks like one whose accounts were lost.
func checkOrphaned(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, pepperFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(filepath.Join(folder, storeFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return errOrphaned(folder)
	}
	return nil
}

// writePepper writes a new pepper, readable by its owner alone, which settlePepper brings to its
// name.
func writePepper(file string, p access.Pepper) error {
	part := file + newPepper
	os.Remove(part) // of a process that was killed
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(p.Text())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return syncFolder(filepath.Dir(file))
}

func settlePepper(file string) error {
	if err := os.Rename(file+newPepper, file); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(file))
}

func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// readPlans reads the file of the plans; no file, the built-in ones.
func readPlans(file string) (access.Plans, error) {
	if file == "" {
		return access.BuiltIn(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return access.Plans{}, fmt.Errorf("reading the plans: %w", err)
	}
	defer f.Close()
	plans, err := access.ReadPlans(f)
	if err != nil {
		return plans, fmt.Errorf("reading the plans of %s: %w", file, err)
	}
	return plans, nil
}

// readGroups reads the file of shared clients, or returns the built-in groups without one.
func readGroups(file string) (access.Groups, error) {
	if file == "" {
		return access.BuiltInGroups(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return access.Groups{}, fmt.Errorf("reading --shared-clients: %w", err)
	}
	defer f.Close()
	groups, err := access.ReadGroups(f)
	if err != nil {
		return groups, fmt.Errorf("reading --shared-clients %s: %w", file, err)
	}
	return groups, nil
}

// warn tells the log of what is legal and yet seldom meant.
func (k *keep) warn(ctx context.Context, folder string, log *slog.Logger) error {
	for _, name := range []string{folder, filepath.Join(folder, pepperFile)} {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
			log.Warn("others may read it: chmod go= takes that away", "file", name, "mode", info.Mode().Perm().String())
		}
	}
	accounts, err := k.store.Accounts(ctx)
	for _, a := range accounts {
		if _, ok := k.plans.Of(access.Tier(a.Plan)); !ok {
			log.Warn("an account is on a plan that there is not: its keys are refused until it is moved or -plans has the plan", "account", a.ID, "plan", a.Plan)
		}
	}
	return err
}

// sweepEvery is how often the store is rid of what has had its time.
const sweepEvery = time.Hour

// follow sweeps the store at intervals, and listens to its changes, until the function that it
// returns is called.
func (k *keep) follow(ctx context.Context, now func() time.Time, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweeping sync.WaitGroup
	sweeping.Go(func() { k.sweep(ctx, now, log) })
	quiet := k.listen(ctx)
	return func() {
		cancel()
		sweeping.Wait()
		quiet()
	}
}

// listen drops all cached credentials when some of them change in the store, from its return until
// ctx ends or the store is closed. The function that it returns waits for that end.
func (k *keep) listen(ctx context.Context) (wait func()) {
	var listener sync.WaitGroup
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	listener.Go(func() {
		defer begin()
		_ = k.feed.Changes(ctx, func() { // the error is ctx's, or every call of the store returns it
			k.keys.Forget()
			k.gate.Forget()
			begin()
		})
	})
	<-begun
	return listener.Wait
}

// sweep removes what has ended from the store, at once and every sweepEvery, until ctx ends.
func (k *keep) sweep(ctx context.Context, now func() time.Time, log *slog.Logger) {
	ticks := time.NewTicker(sweepEvery)
	defer ticks.Stop()
	for {
		if err := k.store.Sweep(ctx, now()); err != nil && ctx.Err() == nil {
			log.Warn("sweeping the store", "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// close returns what is left of the leases and closes the store.
func (k *keep) close() error {
	var err error
	if k.gate != nil {
		err = k.gate.Close()
	}
	return errors.Join(err, k.store.Close())
}

// serveBackup sends a copy of the store to the operator. It goes into a file
// first: a slow reader must not hold up the store.
func (k *keep) serveBackup(w http.ResponseWriter, r *http.Request, log *slog.Logger) {
	engine, ok := k.store.(store.Backuper)
	if !ok {
		coast.WriteError(w, coast.Errorf(coast.NotFound, "%v", errNoBackup))
		return
	}
	if err := k.store.Ready(r.Context()); err != nil {
		coast.WriteError(w, coast.Errorf(coast.StoreUnavailable, "%v", err))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+storeFile+`"`)
	if err := engine.Backup(r.Context(), w); err != nil {
		log.Error("sending a backup", "error", err)
		panic(http.ErrAbortHandler) // what was sent is no backup: the client must not take it for one
	}
}
