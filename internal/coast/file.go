package coast

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file that only its owner can read, all or not at all: after a crash or a
// power cut the name has either content. It writes to name.new first, and overwrites what a
// process that was killed left there.
func ReplaceFile(name string, write func(io.Writer) error) error {
	part := name + ".new"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = cmp.Or(write(f), f.Sync(), f.Close()) // all three are called, in this order
	if err == nil {
		err = RenameFile(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

// RenameFile renames a file within its folder, and returns when a power cut cannot undo that.
func RenameFile(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
