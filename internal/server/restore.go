package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"leadline/store"
	"leadline/store/bolt"
)

// Restore replaces the store in the data folder with a backup and prints what it did to out.
// The old store is renamed. No process may have the store open. If a server cannot start on the
// result, for example because the pepper belongs to another store, Restore reports that on
// Stderr.
func Restore(ctx context.Context, c Config, backup string, out io.Writer) error {
	c = c.withDefaults()
	if c.Settings.Shared() {
		return errNoBackup
	}
	folder, err := createFolder(c.Settings.Data)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, StoreFile)
	replaced, err := bolt.Restore(backup, file, bolt.Options{Inspect: c.Inspect})
	if errors.Is(err, store.ErrInUse) {
		return fmt.Errorf("the store must not be open: stop the server first: %w", err)
	}
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	fmt.Fprintf(out, "%s contains the backup %s\n", file, backup)
	if replaced != "" {
		fmt.Fprintf(out, "the replaced store is %s\n", replaced)
	}
	storage, err := openStorage(ctx, c, observers{}, slog.New(slog.DiscardHandler))
	if err != nil {
		_, err = fmt.Fprintf(c.Stderr, "no server can start on it yet: %v\n", err)
		return err
	}
	return storage.Close()
}

// InspectStore is the program behind Config.Inspect: it examines the file named in args and
// writes its findings to stdout. It ends the process when stdin is closed.
func InspectStore(args []string, stdin io.Reader, stdout io.Writer) error {
	return bolt.Inspect(args, stdin, stdout)
}
