package bolt

import (
	"cmp"
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
	patience = 2 * time.Second // how long a file that is in use is waited for
	growth   = 1 << 20         // bytes by which a file grows

	// room is the span of addresses that a file may grow into (files do not
	// become so long). Past it bbolt maps the file anew, for which it waits
	// for all reads to end, and a backup is a long one.
	room = 1 << 30
)

// openFile opens a file with bbolt, with the options that all files have in common.
func openFile(path string, o *bbolt.Options) (db *bbolt.DB, file os.FileInfo, err error) {
	defer func() {
		if p := recover(); p != nil { // the file stays open: the process cannot use it again
			db, file, err = nil, nil, damaged("bbolt cannot open it: %v", p)
		}
	}()
	o.Timeout = patience
	o.FreelistType = bbolt.FreelistMapType
	o.NoFreelistSync = true // else every commit writes the whole list
	o.NoStatistics = true   // else reads meet at its lock
	o.InitialMmapSize = room
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
	if err := same(path, file); err != nil { // while it was waited for
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

func damaged(format string, of ...any) error {
	return fmt.Errorf("%w: %w", store.ErrDamaged, fmt.Errorf(format, of...))
}

// same fails where a path no longer names a file.
func same(path string, file os.FileInfo) error {
	now, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed", path)
	case err != nil:
		return err
	case !os.SameFile(now, file):
		return fmt.Errorf("%s was replaced by another file", path)
	}
	return nil
}

// syncFolder makes what was made or renamed in a folder outlast a power cut.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// part is what a file is called until it is whole.
func part(name string) string { return name + ".part" }

// newFile makes a file that is readable by its owner alone, whole or not at
// all, and takes no other's place.
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
	if err := alias(part(name), name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// alias gives a file a second name. Unlike a rename that never takes the place
// of another; but it is a rename where the file system knows no second names.
func alias(name, other string) error {
	err := os.Link(name, other)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(name, other)
}

// writeFile writes a file that is not there yet, and leaves none behind where
// that fails.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = cmp.Or(write(f), f.Sync(), f.Close()) // all three happen, in this order
	if err != nil {
		os.Remove(name)
	}
	return err
}

// replace gives a file the name of another.
func replace(name, by string) error {
	if err := os.Rename(by, name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// fileTime is a time in the name of a file.
func fileTime(t time.Time) string { return t.UTC().Format("20060102T150405Z") }
