package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"leadline/store"
	"leadline/store/storetest"
)

// swap puts another file behind the descriptor by which a store writes, and
// returns what undoes that: what the disk would do, the other file does.
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

// descriptors are those by which this process has a file open.
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

// TestReplacedMeanwhile checks that Open refuses a file that lost its name while Open waited for it.
func TestReplacedMeanwhile(t *testing.T) {
	for says, replace := range map[string]func(path string) error{
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
		for len(descriptors(t, s.path)) < 2 {
			time.Sleep(time.Millisecond)
		}
		rename(t, s.path, s.path+".away")
		if err := replace(s.path); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := <-opened; err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Open() = %v, want %s", err, says)
		}
	}
}

// TestDiskFails fails the calls by which a commit reaches the disk.
func TestDiskFails(t *testing.T) {
	for name, c := range map[string]struct {
		by   string // empty: the file itself
		flag int
		says string
	}{
		"no write is taken": {"", syscall.O_RDONLY, "bad file descriptor"},
		"the disk is full":  {"/dev/full", syscall.O_RDWR, "no space left on device"},
		"no sync succeeds":  {"/dev/null", syscall.O_RDWR, "invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			before := storetest.Dump(t, s)
			if c.by == "" {
				c.by = s.path
			}
			undo := swap(t, s, c.by, c.flag)
			if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Ready() = %v, want %s", err, c.says)
			}
			suffer(t, s, before, "") // a device has no size: some meet that first
			undo()
			recovered(t, s, before)
		})
	}
}

// TestCutShort cuts a file short under a store. The pages that are gone are
// faults of memory: they end the service, not the process, and nobody hangs.
func TestCutShort(t *testing.T) {
	for _, size := range []int64{0, 1, 2 * int64(os.Getpagesize())} {
		for _, first := range []string{"KeyByHash", "AddKey"} {
			s := filled(t)
			if err := os.Truncate(s.path, size); err != nil {
				t.Fatal(err)
			}
			for _, m := range storetest.Methods() {
				if m.Name == first {
					if err := m.Call(soon(t), s); !errors.Is(err, store.ErrUnavailable) {
						t.Errorf("%s of a file of %d bytes: got error %v, want %v", m.Name, size, err, store.ErrUnavailable)
					}
				}
			}
			for _, m := range storetest.Methods() {
				err := m.Call(t.Context(), s)
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "cannot go on") {
					t.Errorf("%s after that: got error %v, want %v and the reason", m.Name, err, store.ErrUnavailable)
				}
			}
			if err := s.Close(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Close() = %v, want %v", err, store.ErrUnavailable)
			}
		}
	}
}
