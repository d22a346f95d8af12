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

// TestInUse holds that a file belongs to one process: another, and another
// part of the same one, is told so after a while.
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
		t.Errorf("Open() of what this process has open = %v, want %v", err, store.ErrInUse)
	}
	backup := path + ".backup"
	if err := s.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, path, 0)
	if !c.said.Scan() {
		t.Fatal("the other process has not begun")
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
				t.Errorf("%s what another process has open: got error %v, want %v", name, err, store.ErrInUse)
			}
		})
	}
	all.Wait()
	c.kill()
	if err := openStore(t, path).Ready(t.Context()); err != nil {
		t.Errorf("Ready() once it is free: %v", err)
	}
}

func TestOpenNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as a process leaves it that was killed early
		t.Fatal(err)
	}
	s := openStore(t, path)
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready() = %v", err)
	}
	fresh := filepath.Join(t.TempDir(), "leadline.db")
	openStore(t, fresh)
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file: %v, %v, want mode 0600", info.Mode(), err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none", "leadline.db"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open() in no folder = %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil {
		t.Error("Open() of a folder has worked")
	}
}

// TestOpenByLink holds that a path may be a link, and relative.
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

// TestForeign holds that a file of another program is left alone.
func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	db, err := bbolt.Open(path, 0o600, nil) // with a list of free pages, which ours have not
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("photos")); return err }); err != nil {
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
