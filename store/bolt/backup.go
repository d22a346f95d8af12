package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// BackupFile writes the current state of the store to a new file, atomically, and returns when the
// file is on disk. Calls continue to be served. If the name exists, the error wraps fs.ErrExist and
// nothing is overwritten.
func (s *Store) BackupFile(ctx context.Context, name string) error {
	return newFile(name, func(w io.Writer) error { return s.copyTo(ctx, w) })
}

// Backup writes the current state of the store to w. It copies the store to a temporary file first,
// so that a slow w does not hold a transaction open.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	return s.spool(ctx, func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(&contextWriter{ctx: ctx, w: w}, f)
		return err
	})
}

// spool copies the store to a temporary file, calls use with its name and removes it. Only one copy
// exists at a time.
func (s *Store) spool(ctx context.Context, use func(name string) error) error {
	select {
	case s.spooling <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.spooling }()
	name := s.path + ".copy"
	os.Remove(name) // a killed process may have left one
	if err := writeFile(name, func(w io.Writer) error { return s.copyTo(ctx, w) }); err != nil {
		return err
	}
	defer os.Remove(name)
	return use(name)
}

// copyTo writes the store to w in one read transaction.
func (s *Store) copyTo(ctx context.Context, w io.Writer) error {
	failed, err := read(ctx, s, func(tx *bbolt.Tx) (error, error) {
		return writeTo(ctx, tx, w), nil // a failure of w is not a failure of the store
	})
	return cmp.Or(err, failed)
}

func writeTo(ctx context.Context, tx *bbolt.Tx, w io.Writer) error {
	c := &contextWriter{ctx: ctx, w: w}
	_, err := tx.WriteTo(c)
	return cmp.Or(c.err, err) // bbolt does not wrap every error of the writer
}

// contextWriter is a writer that fails once its context has ended. It records its last error.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
	err error
}

func (c *contextWriter) Write(b []byte) (n int, err error) {
	if c.err = c.ctx.Err(); c.err == nil {
		n, c.err = c.w.Write(b)
	}
	return n, c.err
}

// Restore replaces the store at to, which no process may have open, with the backup at from. The
// backup remains. The old store is renamed; its new name is returned, or "" if there was none. If
// Restore fails, the store is unchanged. Errors wrap store.ErrDamaged, store.ErrInUse or an error
// of the file system.
func Restore(from, to string, o Options) (replaced string, err error) {
	if info, err := os.Stat(from); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() { // reading a device or a pipe might never end
		return "", fmt.Errorf("restoring %s: not a regular file", from)
	}
	whole := part(to)
	os.Remove(whole) // a killed process may have left one
	if err := writeFile(whole, func(w io.Writer) error { return copyLocked(w, from) }); err != nil {
		return "", err
	}
	defer os.Remove(whole)
	if _, err := (inspector{o.Inspect}).records(context.Background(), whole); err != nil {
		return "", fmt.Errorf("restoring %s: %w", from, err)
	}
	old, err := os.OpenFile(to, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", rename(whole, to)
	}
	if err != nil {
		return "", err
	}
	defer old.Close()
	if err := lock(old, true, lockTimeout); err != nil {
		return "", fmt.Errorf("replacing %s: %w", to, err)
	}
	replaced = to + ".replaced-" + fileTime(time.Now())
	if err := link(to, replaced); err != nil { // a link, so that a store exists at to at all times
		return "", err
	}
	return replaced, rename(whole, to)
}

// copyLocked copies a file to w while it holds the read lock of the file.
func copyLocked(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f, false, lockTimeout); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	_, err = io.Copy(w, f)
	return err
}
