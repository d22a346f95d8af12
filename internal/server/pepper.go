package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/store"
)

// StoreFile is the name of the store in the data folder.
const StoreFile = "leadline.db"

// PepperFile is the name of the pepper in the data folder, unless a setting places it elsewhere.
// Without it no key in the store is accepted.
const PepperFile = "pepper"

// PepperPath returns the path of the pepper.
func PepperPath(c *config.Config) string {
	return cmp.Or(c.PepperFile, filepath.Join(c.Data, PepperFile))
}

// newPepper is the suffix of the name of a pepper that the store may not know yet.
const newPepper = ".part"

// pepperStore stores keys and a mark of their pepper.
type pepperStore interface {
	credential.KeyStore
	store.Meta
}

// openPepper returns the pepper in a file, which it creates for a new store in a folder.
func openPepper(
	ctx context.Context, s pepperStore, folder, file string, now func() time.Time,
) (credential.Pepper, error) {
	pepper, settled, err := readPepper(ctx, s, folder, file)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == file {
		err = wrong.Err // avoids naming the file twice
	}
	if err != nil {
		return pepper, fmt.Errorf("read %s: %w", file, err)
	}
	if err := credential.NewKeys(s, pepper, now).Check(ctx); err != nil {
		return pepper, fmt.Errorf("%s: %w", file, err)
	}
	if settled {
		return pepper, nil
	}
	return pepper, settlePepper(file)
}

// readPepper returns the pepper of the store, and false if it is not in its file yet. A new
// one waits in a file of another name until the store knows it. So a pepper in its file
// always belongs to a store that knows it, and a kill at any moment leaves a folder on
// which the next start succeeds.
func readPepper(
	ctx context.Context, s store.Meta, folder, file string,
) (p credential.Pepper, settled bool, err error) {
	known, err := credential.Peppered(ctx, s)
	if err != nil {
		return p, false, err
	}
	text, err := os.ReadFile(file)
	switch {
	case err == nil && !known:
		return p, false, errOrphaned(folder, file)
	case err == nil:
		p, err = credential.ReadPepper(string(text))
		return p, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return p, false, err
	case !known:
		p = credential.NewPepper()
		return p, false, writePepper(file, p)
	}
	if text, err = os.ReadFile(file + newPepper); err == nil {
		p, err = credential.ReadPepper(string(text))
	}
	if err != nil {
		err = errors.New("the file with which the keys in the store were made is missing: " +
			"put it back, or no key is accepted")
	}
	return p, false, err
}

// writePepper writes a new pepper, which settlePepper renames.
func writePepper(file string, p credential.Pepper) error {
	return coast.ReplaceFile(file+newPepper, func(w io.Writer) error {
		_, err := io.WriteString(w, p.Text())
		return err
	})
}

func settlePepper(file string) error { return coast.RenameFile(file+newPepper, file) }

// errOrphaned returns the error for a folder whose pepper belongs to another store.
func errOrphaned(folder, pepper string) error {
	where := "is there"
	if filepath.Dir(pepper) != filepath.Clean(folder) {
		where = "is in " + filepath.Dir(pepper)
	}
	return fmt.Errorf("%s is missing or empty in %s, but the pepper of a store with keys %s: "+
		"restore a backup with leadline restore FILE; to begin a new store, move the file %s away",
		StoreFile, folder, where, filepath.Base(pepper))
}

// CheckOrphaned returns an error if there is a pepper but no store in the folder. A new store there
// would look like one that has lost its accounts.
func CheckOrphaned(folder, pepper string) error {
	if _, err := os.Stat(pepper); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(filepath.Join(folder, StoreFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return errOrphaned(folder, pepper)
	}
	return nil
}

// openSharedPepper returns the pepper in a file, which all instances of a store must have. For
// a new store the operator may have provided the file; if it does not exist, it is created.
func openSharedPepper(
	ctx context.Context, s pepperStore, file string, now func() time.Time,
) (p credential.Pepper, err error) {
	known, err := credential.Peppered(ctx, s)
	if err != nil {
		return p, err
	}
	if !known {
		if err := createPepper(file); err != nil {
			return p, err
		}
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("%s does not exist: all instances of a store need the same pepper; copy "+
			"the file of another instance, or name it with --pepper-file", file)
	}
	if err == nil {
		p, err = credential.ReadPepper(string(text))
	}
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == file {
		err = wrong.Err // avoids naming the file twice
	}
	if err != nil {
		return p, fmt.Errorf("read %s: %w", file, err)
	}
	if err := credential.NewKeys(s, p, now).Check(ctx); err != nil {
		return p, fmt.Errorf("%s: %w; all instances of a store need the same pepper", file, err)
	}
	return p, nil
}

// createPepper writes a new pepper to a file, completely, unless it exists.
func createPepper(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*"+newPepper)
	if err != nil {
		return fmt.Errorf("create the pepper: %w", err)
	}
	defer os.Remove(part.Name())
	_, err = io.WriteString(part, credential.NewPepper().Text())
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Link(part.Name(), file)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // another instance was first
	}
	return err
}
