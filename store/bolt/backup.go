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

// BackupFile writes the store as it is now into a new file, whole or not at
// all, and returns when that is on disk. The store serves meanwhile. Where the
// name is taken the error wraps fs.ErrExist, and what has it is left alone.
func (s *Store) BackupFile(ctx context.Context, name string) error {
	return newFile(name, func(w io.Writer) error { return s.copyTo(ctx, w) })
}

// Backup writes the store as it is now to w. It does so by way of a file beside
// the store, so that a w that is slow holds up nobody.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	return s.spool(ctx, func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(&heeding{ctx: ctx, w: w}, f)
		return err
	})
}

// spool calls use with a copy of the store that is gone afterwards. There is
// one at a time.
func (s *Store) spool(ctx context.Context, use func(name string) error) error {
	select {
	case s.spooling <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.spooling }()
	name := s.path + ".copy"
	os.Remove(name) // of a process that was killed
	if err := writeFile(name, func(w io.Writer) error { return s.copyTo(ctx, w) }); err != nil {
		return err
	}
	defer os.Remove(name)
	return use(name)
}

// copyTo writes the store to w, in one read.
func (s *Store) copyTo(ctx context.Context, w io.Writer) error {
	failed, err := read(ctx, s, func(tx *bbolt.Tx) (error, error) {
		return writeTo(ctx, tx, w), nil // where it fails the store does not
	})
	return cmp.Or(err, failed)
}

func writeTo(ctx context.Context, tx *bbolt.Tx, w io.Writer) error {
	h := &heeding{ctx: ctx, w: w}
	_, err := tx.WriteTo(h)
	return cmp.Or(h.failed, err) // bbolt wraps only some
}

// heeding is a writer that ends with a context.
type heeding struct {
	ctx    context.Context
	w      io.Writer
	failed error
}

func (h *heeding) Write(b []byte) (n int, err error) {
	if h.failed = h.ctx.Err(); h.failed == nil {
		n, h.failed = h.w.Write(b)
	}
	return n, h.failed
}

// Restore puts a backup in the place of a store that no process has open. The
// backup stays; so does what was at to, under the name that is returned, empty
// where there was nothing. Where Restore fails the store is as it was. The
// errors wrap store.ErrDamaged, store.ErrInUse or those of the file system.
func Restore(from, to string, o Options) (kept string, err error) {
	if info, err := os.Stat(from); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() { // a device has no end, and a pipe perhaps no beginning
		return "", fmt.Errorf("restoring %s: it is no regular file", from)
	}
	whole := part(to)
	os.Remove(whole) // of a process that was killed
	if err := writeFile(whole, func(w io.Writer) error { return pour(w, from) }); err != nil {
		return "", err
	}
	defer os.Remove(whole)
	if _, err := (inspector{o.Inspect}).records(context.Background(), whole); err != nil {
		return "", fmt.Errorf("restoring %s: %w", from, err)
	}
	old, err := os.OpenFile(to, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", replace(to, whole)
	}
	if err != nil {
		return "", err
	}
	defer old.Close()
	if err := lock(old, true, patience); err != nil {
		return "", fmt.Errorf("replacing %s: %w", to, err)
	}
	kept = to + ".replaced-" + fileTime(time.Now())
	if err := alias(to, kept); err != nil { // so that to is never without a store
		return "", err
	}
	return kept, replace(to, whole)
}

// pour writes a file that nobody writes to.
func pour(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f, false, patience); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	_, err = io.Copy(w, f)
	return err
}
