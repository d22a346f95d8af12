package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// door lets bbolt have a file once nobody else has it and its pages may be
// trusted.
type door struct {
	file os.FileInfo // what was opened
}

// open opens a file with bbolt, with the options that all files have in common.
func (d *door) open(path string, o *bbolt.Options) (*bbolt.DB, error) {
	o.Timeout = patience
	o.FreelistType = bbolt.FreelistMapType
	o.NoFreelistSync = true // else every commit writes the whole list
	o.NoStatistics = true   // else reads meet at its lock
	o.InitialMmapSize = room
	o.OpenFile = d.openFile
	db, err := bbolt.Open(path, 0o600, o)
	if errors.Is(err, boltErrors.ErrTimeout) { // where there is no lock of ours
		err = store.ErrInUse
	}
	if err != nil {
		return nil, err
	}
	db.AllocSize = growth
	return db, nil
}

// openFile is bbolt's way to open a file. The lock stays with the file: bbolt
// takes the same one once more.
func (d *door) openFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	if err := d.enter(f, name, flag&os.O_RDWR != 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d *door) enter(f *os.File, name string, writes bool) (err error) {
	if err := lock(f, writes, patience); err != nil {
		return err
	}
	if d.file, err = f.Stat(); err != nil {
		return err
	}
	if err := same(name, d.file); err != nil { // while it was waited for
		return err
	}
	if d.file.Size() == 0 && writes {
		return nil // a new one
	}
	return inspect(f, d.file.Size())
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
