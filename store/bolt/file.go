package bolt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"

	"leadline/store"
)

const (
	lockTimeout = 2 * time.Second // time to wait for a file that another process has open
	growth      = 1 << 20         // bytes by which a file grows

	// mmapSize is the address range reserved for a file; files stay far below it. A longer file
	// must be mapped again, for which bbolt waits until all reads have ended, and a backup is a
	// long read.
	mmapSize = 1 << 30
)

// openFile opens a file with bbolt, with the options that all files have in common.
func openFile(path string, o *bbolt.Options) (db *bbolt.DB, file os.FileInfo, err error) {
	defer func() {
		if p := recover(); p != nil { // the file stays open: this process cannot open it again
			db, file, err = nil, nil, damaged("bbolt cannot open it: %v", p)
		}
	}()
	o.Timeout = lockTimeout
	o.FreelistType = bbolt.FreelistMapType
	o.NoFreelistSync = true // otherwise every commit writes the whole list
	o.NoStatistics = true   // otherwise reads contend for its lock
	o.InitialMmapSize = mmapSize
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if err != nil {
			return nil, err
		}
		file, err = f.Stat()
		return f, err
	}
	db, err = bbolt.Open(path, 0o600, o)
	var system syscall.Errno
	switch {
	case errors.Is(err, boltErrors.ErrTimeout):
		return nil, nil, store.ErrInUse
	case errors.As(err, &system):
		return nil, nil, err
	case err != nil:
		return nil, nil, damaged("%w", err)
	}
	db.AllocSize = growth
	if err := sameFile(path, file); err != nil { // replaced while bbolt waited for the lock
		return nil, nil, errors.Join(err, db.Close())
	}
	// While bbolt waited for the lock, another process may have made the file grow.
	if file, err = os.Stat(path); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

func damaged(format string, of ...any) error {
	return fmt.Errorf("%w: %w", store.ErrDamaged, fmt.Errorf(format, of...))
}

// sameFile returns an error if path no longer names file.
func sameFile(path string, file os.FileInfo) error {
	now, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the file was removed: %w", store.ErrMoved)
	case err != nil:
		return err
	case !os.SameFile(now, file):
		return fmt.Errorf("the file was replaced: %w", store.ErrMoved)
	}
	return nil
}

// syncFolder makes files created or renamed in a folder survive a power failure.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// part returns the name of a file while it is incomplete.
func part(name string) string { return name + ".part" }

// newFile creates a file that only its owner can read, atomically. It does not overwrite a file.
func newFile(name string, write func(io.Writer) error) error {
	switch _, err := os.Lstat(name); {
	case err == nil:
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := writeFile(part(name), write); err != nil {
		return err
	}
	defer os.Remove(part(name))
	if err := link(part(name), name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// link gives a file a second name. Unlike a rename, a link never replaces another file. On file
// systems without hard links it renames the file.
func link(name, other string) error {
	err := os.Link(name, other)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(name, other)
}

// writeFile creates a file, which must not exist, and removes it if writing fails.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}

// rename renames a file, replaces the file that has the new name, and syncs the folder.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// fileTime formats a time for the name of a file.
func fileTime(t time.Time) string { return t.UTC().Format("20060102T150405Z") }
