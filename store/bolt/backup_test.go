package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"leadline/store"
	"leadline/store/storetest"
)

// files returns the names of the files in a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// TestBackupFile copies a store during writes: the copy has everything that was acknowledged
// before.
func TestBackupFile(t *testing.T) {
	s := filled(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	began := make(chan struct{}, 8)
	for g := range 8 {
		writers.Go(func() {
			for n := 1000 * (g + 1); ctx.Err() == nil; n++ {
				if err := s.AddAccount(t.Context(), anAccount(n)); err != nil {
					t.Errorf("AddAccount during a backup: %v", err)
				}
				if n%1000 == 20 {
					began <- struct{}{}
				}
			}
		})
	}
	for range 8 {
		<-began
	}
	before, err := s.Accounts(t.Context(), "", math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "backup.db")
	if err := s.BackupFile(t.Context(), name); err != nil {
		t.Errorf("BackupFile() = %v", err)
	}
	stop()
	writers.Wait()
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the backup = %v, %v, want 0600", info.Mode(), err)
	}
	if _, err := Verify(name); err != nil {
		t.Errorf("Verify() = %v", err)
	}
	after, err := openStore(t, name).Accounts(t.Context(), "", math.MaxInt)
	if err != nil || len(after) < len(before) {
		t.Fatalf("%d accounts in the backup, %v, want %d and more", len(after), err, len(before))
	}
	for _, a := range before {
		if !slices.Contains(after, a) {
			t.Errorf("account %+v is missing from the backup", a)
		}
	}
	if got := files(t, filepath.Dir(name)); !slices.Equal(got, []string{"backup.db"}) {
		t.Errorf("files in the folder of the backup: %v", got)
	}
}

func TestBackupFileTaken(t *testing.T) {
	s := filled(t)
	name := filepath.Join(t.TempDir(), "backup.db")
	for _, taken := range []string{name, part(name)} {
		if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := s.BackupFile(t.Context(), name)
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), taken) {
			t.Errorf("BackupFile() over %s = %v, want %v and the name", taken, err, fs.ErrExist)
		}
		if got, err := os.ReadFile(taken); err != nil || string(got) != "mine" {
			t.Errorf("%s contains %q, %v, want \"mine\"", taken, got, err)
		}
		if got := files(t, filepath.Dir(name)); !slices.Equal(got, []string{filepath.Base(taken)}) {
			t.Errorf("files in the folder of the backup: %v", got)
		}
		if err := os.Remove(taken); err != nil {
			t.Fatal(err)
		}
	}
	err := s.BackupFile(t.Context(), filepath.Join(name, "none", "backup.db"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("BackupFile() into a missing folder = %v, want %v", err, fs.ErrNotExist)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.BackupFile(ended, name); !errors.Is(err, context.Canceled) {
		t.Errorf("BackupFile() = %v, want %v", err, context.Canceled)
	}
	if got := files(t, filepath.Dir(name)); got != nil {
		t.Errorf("files after a canceled backup: %v", got)
	}
}

// slowWriter is a writer that blocks until resume is closed.
type slowWriter struct {
	bytes.Buffer
	began  chan struct{} // receives a value at the first write
	resume chan struct{}
}

func (w *slowWriter) Write(b []byte) (int, error) {
	select {
	case w.began <- struct{}{}:
	default:
	}
	<-w.resume
	return w.Buffer.Write(b)
}

// TestBackupSlowly checks that a slow backup blocks no writes, even those that make the file grow.
func TestBackupSlowly(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	w := &slowWriter{began: make(chan struct{}, 1), resume: make(chan struct{})}
	done := make(chan error)
	go func() { done <- s.Backup(t.Context(), w) }()
	<-w.began
	for n := range 3 {
		if err := s.SwapMeta(t.Context(), accountID(n), nil, make([]byte, 2*growth)); err != nil {
			t.Errorf("SwapMeta() = %v", err)
		}
	}
	if err := s.Backup(soon(t), &bytes.Buffer{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second backup = %v, want %v", err, context.DeadlineExceeded)
	}
	close(w.resume)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(name, w.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if now := storetest.Dump(t, openStore(t, name)); now != before {
		t.Errorf("contents of the backup:\n%s\nwant\n%s", now, before)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files in the folder of the store: %v", got)
	}
}

// cancelingWriter is a writer that cancels a context at each write.
type cancelingWriter struct{ cancel func() }

func (w cancelingWriter) Write(b []byte) (int, error) {
	w.cancel()
	return len(b), nil
}

func TestBackupCanceled(t *testing.T) {
	s := filled(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Backup(ctx, cancelingWriter{cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("Backup() = %v, want %v", err, context.Canceled)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files in the folder of the store: %v", got)
	}
}

// brokenWriter is a writer whose writes fail.
type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestBackupBroken checks that a copy that cannot be written is not reported as a failure of the
// store, and that the leftover file of a killed process does not block a backup.
func TestBackupBroken(t *testing.T) {
	s, r := openRecorded(t)
	err := s.Backup(t.Context(), brokenWriter{})
	if !errors.Is(err, errBroken) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Backup() = %v, want %v", err, errBroken)
	}
	err = s.copyTo(t.Context(), brokenWriter{})
	if !errors.Is(err, errBroken) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("copyTo() = %v, want %v", err, errBroken)
	}
	if _, errs := r.take(); errs != nil {
		t.Errorf("observed %v, want no failure", errs)
	}
	if err := os.WriteFile(s.path+".copy", []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), &bytes.Buffer{}); err != nil {
		t.Errorf("Backup() = %v", err)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files in the folder of the store: %v", got)
	}
}

// TestRestoreNotRegular checks that only regular files are restored: reading others may never end.
func TestRestoreNotRegular(t *testing.T) {
	folder := t.TempDir()
	for _, from := range []string{"/dev/zero", folder, filepath.Join(folder, "nothing")} {
		to := filepath.Join(folder, "leadline.db")
		if _, err := Restore(from, to, inspected); err == nil {
			t.Errorf("Restore(%s) succeeded, want an error", from)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
			t.Errorf("files after restoring %s: %v, %v", from, files, err)
		}
	}
}

func TestRestore(t *testing.T) {
	s := filled(t)
	want := storetest.Dump(t, s)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := s.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveAccount(t.Context(), accountID(0)); err != nil {
		t.Fatal(err)
	}
	later := storetest.Dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part(s.path), []byte("left by a killed process"), 0o600); err != nil {
		t.Fatal(err)
	}
	replaced, err := Restore(backup, s.path, inspected)
	if err != nil || !strings.HasPrefix(replaced, s.path+".replaced-") {
		t.Fatalf("Restore() = %q, %v, want the name of the replaced file", replaced, err)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the restored file = %v, %v, want 0600", info.Mode(), err)
	}
	names := []string{"leadline.db", filepath.Base(replaced)}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, names) {
		t.Errorf("files in the folder of the store = %v, want %v", got, names)
	}
	recovered(t, openStore(t, s.path), want)
	if now := storetest.Dump(t, openStore(t, replaced)); now != later {
		t.Errorf("contents of the replaced file:\n%s\nwant\n%s", now, later)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if replaced, err := Restore(backup, fresh, inspected); err != nil || replaced != "" {
		t.Errorf("Restore() to a missing file = %q, %v", replaced, err)
	}
	recovered(t, openStore(t, fresh), want)
}

// TestRestoreOverDamage checks that a damaged file can be replaced.
func TestRestoreOverDamage(t *testing.T) {
	s := filled(t)
	want := storetest.Dump(t, s)
	backup := s.path + ".backup"
	if err := s.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	replaced, err := Restore(backup, path, inspected)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(replaced); err != nil || string(got) != "garbage" {
		t.Errorf("the replaced file contains %q, %v, want \"garbage\"", got, err)
	}
	recovered(t, openStore(t, path), want)
}

// TestRestoreRefused checks that a damaged or missing backup leaves the store unchanged.
func TestRestoreRefused(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	var whole bytes.Buffer
	if err := cmp.Or(s.Backup(t.Context(), &whole), s.Close()); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	for name, content := range map[string][]byte{
		"an empty backup":    nil,
		"garbage":            []byte("garbage"),
		"a truncated backup": whole.Bytes()[:whole.Len()/2],
	} {
		if err := os.WriteFile(backup, content, 0o600); err != nil {
			t.Fatal(err)
		}
		replaced, err := Restore(backup, s.path, inspected)
		if !errors.Is(err, store.ErrDamaged) || replaced != "" {
			t.Errorf("Restore() of %s = %q, %v, want %v", name, replaced, err, store.ErrDamaged)
		}
	}
	if _, err := Restore(backup+".none", s.path, inspected); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Restore() of a missing file = %v, want %v", err, fs.ErrNotExist)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files in the folder of the store: %v", got)
	}
	recovered(t, openStore(t, s.path), before)
}
