package coast

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile atomically writes a file that only its owner can read: after a crash or a power
// failure, the file has either the old or the new content. It first writes to name.new, and
// overwrites any file that a killed process left there.
func ReplaceFile(name string, write func(io.Writer) error) error {
	part := name + ".new"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = RenameFile(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

// RenameFile renames a file within its folder. When it returns, a power failure can no longer
// undo the change.
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
