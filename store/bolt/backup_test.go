package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"leadline/store"
	"leadline/store/storetest"
)

// files are the names in a folder.
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

// TestBackupFile copies a store while it is written to: everything that was
// acknowledged before is in the copy.
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
	before, err := s.Accounts(t.Context())
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
		t.Errorf("the backup: %v, %v, want mode 0600", info.Mode(), err)
	}
	if _, err := Verify(name); err != nil {
		t.Errorf("Verify() = %v", err)
	}
	after, err := openStore(t, name).Accounts(t.Context())
	if err != nil || len(after) < len(before) {
		t.Fatalf("%d accounts in the backup, %v, want %d and more", len(after), err, len(before))
	}
	for _, a := range before {
		if !slices.Contains(after, a) {
			t.Errorf("the backup lacks %+v", a)
		}
	}
	if got := files(t, filepath.Dir(name)); !slices.Equal(got, []string{"backup.db"}) {
		t.Errorf("files beside the backup: %v", got)
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
			t.Errorf("%s holds %q, %v", taken, got, err)
		}
		if got := files(t, filepath.Dir(name)); !slices.Equal(got, []string{filepath.Base(taken)}) {
			t.Errorf("files beside the backup: %v", got)
		}
		if err := os.Remove(taken); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.BackupFile(t.Context(), filepath.Join(name, "none", "backup.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("BackupFile() into no folder = %v, want %v", err, fs.ErrNotExist)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.BackupFile(ended, name); !errors.Is(err, context.Canceled) {
		t.Errorf("BackupFile() = %v, want %v", err, context.Canceled)
	}
	if got := files(t, filepath.Dir(name)); got != nil {
		t.Errorf("files after a backup that was given up: %v", got)
	}
}

// slow is a writer that goes on when it is told to.
type slow struct {
	bytes.Buffer
	began chan struct{} // gets one at the first write
	goOn  chan struct{} // closed when it may
}

func (w *slow) Write(b []byte) (int, error) {
	select {
	case w.began <- struct{}{}:
	default:
	}
	<-w.goOn
	return w.Buffer.Write(b)
}

// TestBackupSlowly holds that who takes a backup slowly holds up nobody, not
// even where the file grows meanwhile.
func TestBackupSlowly(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	w := &slow{began: make(chan struct{}, 1), goOn: make(chan struct{})}
	done := make(chan error)
	go func() { done <- s.Backup(t.Context(), w) }()
	<-w.began
	for n := range 3 {
		if err := s.SetMeta(t.Context(), accountID(n), make([]byte, 2*growth)); err != nil {
			t.Errorf("SetMeta() = %v", err)
		}
	}
	if err := s.Backup(soon(t), &bytes.Buffer{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second backup = %v, want %v", err, context.DeadlineExceeded)
	}
	close(w.goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(name, w.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if now := storetest.Dump(t, openStore(t, name)); now != before {
		t.Errorf("the backup holds\n%s\nwant\n%s", now, before)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files beside the store: %v", got)
	}
}

// cancelling is a writer that ends a context when it is first written to.
type cancelling struct{ cancel func() }

func (w cancelling) Write(b []byte) (int, error) {
	w.cancel()
	return len(b), nil
}

func TestBackupGivenUp(t *testing.T) {
	s := filled(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Backup(ctx, cancelling{cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("Backup() = %v, want %v", err, context.Canceled)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files beside the store: %v", got)
	}
}

// broken is a writer that nobody listens to any more.
type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestBackupBroken holds that a copy that cannot be written is no failure of
// the store, and that what a killed process left is in nobody's way.
func TestBackupBroken(t *testing.T) {
	s, h := openHeard(t)
	if err := s.Backup(t.Context(), broken{}); !errors.Is(err, errBroken) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Backup() = %v, want %v", err, errBroken)
	}
	if err := s.copyTo(t.Context(), broken{}); !errors.Is(err, errBroken) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("copyTo() = %v, want %v", err, errBroken)
	}
	if _, errs := h.take(); errs != nil {
		t.Errorf("heard of %v", errs)
	}
	if err := os.WriteFile(s.path+".copy", []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), &bytes.Buffer{}); err != nil {
		t.Errorf("Backup() = %v", err)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files beside the store: %v", got)
	}
}

// TestRestoreFromNoFile: what is no regular file may have no end, or no
// beginning.
func TestRestoreFromNoFile(t *testing.T) {
	folder := t.TempDir()
	for _, from := range []string{"/dev/zero", folder, filepath.Join(folder, "nothing")} {
		to := filepath.Join(folder, "leadline.db")
		if _, err := Restore(from, to, inspected); err == nil {
			t.Errorf("%s was restored", from)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
			t.Errorf("restoring %s has left %v, %v", from, files, err)
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
	if err := os.WriteFile(part(s.path), []byte("of a process that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := Restore(backup, s.path, inspected)
	if err != nil || !strings.HasPrefix(kept, s.path+".replaced-") {
		t.Fatalf("Restore() = %q, %v, want what was replaced", kept, err)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("what was restored: %v, %v, want mode 0600", info.Mode(), err)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db", filepath.Base(kept)}) {
		t.Errorf("files beside the store: %v", got)
	}
	recovered(t, openStore(t, s.path), want)
	if now := storetest.Dump(t, openStore(t, kept)); now != later {
		t.Errorf("what was replaced is\n%s\nwant\n%s", now, later)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if kept, err := Restore(backup, fresh, inspected); err != nil || kept != "" {
		t.Errorf("Restore() where nothing was = %q, %v", kept, err)
	}
	recovered(t, openStore(t, fresh), want)
}

// TestRestoreOverDamage holds that it is no matter what is wrong with the file
// that is replaced.
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
	kept, err := Restore(backup, path, inspected)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(kept); err != nil || string(got) != "garbage" {
		t.Errorf("what was replaced holds %q, %v", got, err)
	}
	recovered(t, openStore(t, path), want)
}

// TestRestoreRefused holds that a store stays as it is where the backup is no
// good.
func TestRestoreRefused(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	var whole bytes.Buffer
	if err := cmp.Or(s.Backup(t.Context(), &whole), s.Close()); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	for name, content := range map[string][]byte{"empty": nil, "garbage": []byte("garbage"), "cut off": whole.Bytes()[:whole.Len()/2]} {
		if err := os.WriteFile(backup, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if kept, err := Restore(backup, s.path, inspected); !errors.Is(err, store.ErrDamaged) || kept != "" {
			t.Errorf("Restore() of what is %s = %q, %v, want %v", name, kept, err, store.ErrDamaged)
		}
	}
	if _, err := Restore(backup+".none", s.path, inspected); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Restore() of nothing = %v, want %v", err, fs.ErrNotExist)
	}
	if got := files(t, filepath.Dir(s.path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files beside the store: %v", got)
	}
	recovered(t, openStore(t, s.path), before)
}
