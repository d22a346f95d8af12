package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
