package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/storetest"
)

// swap replaces the file behind the descriptor by which a store writes, in order to simulate a
// failing disk. The returned function undoes that.
func swap(t *testing.T, s *Store, by string, flag int) (undo func()) {
	t.Helper()
	open := descriptors(t, s.path)
	if len(open) != 1 {
		t.Fatalf("%s is open %d times", s.path, len(open))
	}
	fd := open[0]
	saved, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	other, err := syscall.Open(by, flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Dup3(other, fd, 0); err != nil {
		t.Fatal(err)
	}
	syscall.Close(other)
	return func() {
		if err := syscall.Dup3(saved, fd, 0); err != nil {
			t.Fatal(err)
		}
		syscall.Close(saved)
	}
}

// descriptors returns the descriptors by which this process has a file open.
func descriptors(t *testing.T, path string) (open []int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if name, _ := os.Readlink(filepath.Join("/proc/self/fd", f.Name())); name == path {
			fd, _ := strconv.Atoi(f.Name())
			open = append(open, fd)
		}
	}
	return open
}

// TestOpenReplaced checks that Open refuses a file that lost its name while Open waited for it.
func TestOpenReplaced(t *testing.T) {
	for want, replace := range map[string]func(path string) error{
		"was removed":  func(string) error { return nil },
		"was replaced": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		s := filled(t)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(s.path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock(f, true, 0); err != nil {
			t.Fatal(err)
		}
		opened := make(chan error)
		go func() {
			_, err := Open(s.path, Options{})
			opened <- err
		}()
		trials.WaitFor(t, "an Open that waits for the lock", func() bool {
			return len(descriptors(t, s.path)) == 2
		})
		move(t, s.path, s.path+".away")
		if err := replace(s.path); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := <-opened; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open() = %v, want %s", err, want)
		}
	}
}

// TestDiskFails makes the system calls of a commit fail.
func TestDiskFails(t *testing.T) {
	for name, c := range map[string]struct {
		by   string // empty: the file itself
		flag int
		want string
	}{
		"no write succeeds": {"", syscall.O_RDONLY, "bad file descriptor"},
		"the disk is full":  {"/dev/full", syscall.O_RDWR, "no space left on device"},
		"no sync succeeds":  {"/dev/null", syscall.O_RDWR, "invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			before := storetest.Dump(t, s)
			if c.by == "" {
				c.by = s.path
			}
			s.db.NoSync = false
			undo := swap(t, s, c.by, c.flag)
			if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Ready() = %v, want %s", err, c.want)
			} else if !strings.Contains(err.Error(), "write the store "+s.path+": ") {
				t.Errorf("Ready() = %v, want the name of the file", err)
			}
			writesFail(t, s, before, "") // the reason varies: a device has no size
			undo()
			recovered(t, s, before)
		})
	}
}

// TestTruncated truncates the file of an open store. Reading the missing pages causes memory
// faults: they stop the store, but not the process, and no call hangs.
func TestTruncated(t *testing.T) {
	for _, size := range []int64{0, 1, 2 * int64(os.Getpagesize())} {
		for _, first := range []string{"KeyByHash", "AddKey"} {
			s := filled(t)
			if err := os.Truncate(s.path, size); err != nil {
				t.Fatal(err)
			}
			for _, m := range storetest.Methods() {
				if m.Name != first {
					continue
				}
				if err := m.Call(t.Context(), s); !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s of a file of %d bytes: got error %v, want %v",
						m.Name, size, err, store.ErrUnavailable)
				}
			}
			for _, m := range storetest.Methods() {
				err := m.Call(t.Context(), s)
				if !errors.Is(err, store.ErrUnavailable) ||
					!strings.Contains(err.Error(), "bbolt panicked") {
					t.Errorf("%s after that: got error %v, want %v and the reason",
						m.Name, err, store.ErrUnavailable)
				}
			}
			if err := s.Close(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Close() = %v, want %v", err, store.ErrUnavailable)
			}
		}
	}
}

// TestVerifyAfterGrowth checks that a file which grows while an inspection waits for its lock
// is not reported as damaged.
func TestVerifyAfterGrowth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openStore(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	verified := make(chan error)
	go func() {
		_, err := Verify(path)
		verified <- err
	}()
	trials.WaitFor(t, "an inspection that waits for the lock", func() bool {
		return len(descriptors(t, path)) == 2
	})
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("growth"))
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), make([]byte, 4<<20))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-verified; err != nil {
		t.Errorf("a file that grew: %v", err)
	}
}
