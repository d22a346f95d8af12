package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

// TestInUse checks that only one process can open a file: another process, or a second Open in the
// same process, gets store.ErrInUse after a while.
func TestInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := openStore(t, path)
	for n := range workers / 2 {
		if err := s.AddAccount(t.Context(), anAccount(n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(path, Options{}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("Open() of a file that this process has open = %v, want %v", err, store.ErrInUse)
	}
	backup := path + ".backup"
	if err := s.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, path, 0)
	if !c.output.Scan() {
		t.Fatal("the other process has not started")
	}
	var all sync.WaitGroup
	for name, try := range map[string]func() error{
		"Open":         func() error { _, err := Open(path, Options{}); return err },
		"Verify":       func() error { _, err := Verify(path); return err },
		"Restore from": func() error { _, err := Restore(path, path+".new", inspected); return err },
		"Restore to":   func() error { _, err := Restore(backup, path, inspected); return err },
	} {
		all.Go(func() {
			if err := try(); !errors.Is(err, store.ErrInUse) {
				t.Errorf("%s a file that another process has open: got error %v, want %v",
					name, err, store.ErrInUse)
			}
		})
	}
	all.Wait()
	c.kill()
	if err := openStore(t, path).Ready(t.Context()); err != nil {
		t.Errorf("Ready() after the other process has ended: %v", err)
	}
}

func TestOpenNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as left by a process killed early
		t.Fatal(err)
	}
	s := openStore(t, path)
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready() = %v", err)
	}
	fresh := filepath.Join(t.TempDir(), "leadline.db")
	openStore(t, fresh)
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a new file = %v, %v, want 0600", info.Mode(), err)
	}
	_, err := Open(filepath.Join(t.TempDir(), "none", "leadline.db"), Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open() in a missing folder = %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil {
		t.Error("Open() of a folder succeeded, want an error")
	}
}

// TestOpenByLink checks that a path may be a symbolic link, and relative.
func TestOpenByLink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("real.db", "link.db"); err != nil {
		t.Skip(err)
	}
	s := openStore(t, "link.db")
	t.Chdir(t.TempDir())
	storetest.Fill(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
}

// TestForeign checks that a file of another program is refused and not changed.
func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	db, err := bbolt.Open(path, 0o600, nil) // with a free list, which our files do not have
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("photos"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Open() = %v, want %v", err, store.ErrDamaged)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, %v", err)
	}
}
