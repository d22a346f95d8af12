package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/storetest"
)

// filled opens a store that has rows of every kind.
func filled(t *testing.T) *Store {
	t.Helper()
	return openStore(t, filledFile.copy(t, func(s *Store) { storetest.Fill(t, s) }))
}

// writesFail checks that all writes to a store fail for the given reason, that reads succeed, and
// that the store is unchanged.
func writesFail(t *testing.T, s *Store, before, reason string) {
	t.Helper()
	for _, m := range storetest.Methods() {
		err := m.Call(t.Context(), s)
		if m.Writes && (!errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), reason)) {
			t.Errorf("%s: got error %v, want %v: %s", m.Name, err, store.ErrUnavailable, reason)
		}
		if !m.Writes && err != nil {
			t.Errorf("%s: got error %v, want none", m.Name, err)
		}
	}
	if now := storetest.Dump(t, s); now != before {
		t.Errorf("the store has changed to\n%s\nfrom\n%s", now, before)
	}
}

// recovered checks that a store is unchanged, that every method works and that its file is intact.
func recovered(t *testing.T, s *Store, before string) {
	t.Helper()
	if now := storetest.Dump(t, s); now != before {
		t.Errorf("the store has changed to\n%s\nfrom\n%s", now, before)
	}
	for _, m := range storetest.Methods() {
		if err := m.Call(t.Context(), s); err != nil {
			t.Errorf("%s afterwards: %v", m.Name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, err := Verify(s.path); err != nil {
		t.Errorf("Verify() = %v", err)
	}
}

// move renames a file or ends the test.
func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestRemoved(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	move(t, s.path, s.path+".away")
	writesFail(t, s, before, "was removed")
	move(t, s.path+".away", s.path)
	recovered(t, s, before)
}

// TestDeleted checks that a store whose file was deleted refuses writes and does not create the
// file again.
func TestDeleted(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	writesFail(t, s, before, "was removed")
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, err := os.Stat(s.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat() = %v, want no file", err)
	}
}

func TestReplaced(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	if err := s.BackupFile(t.Context(), s.path+".other"); err != nil {
		t.Fatal(err)
	}
	move(t, s.path, s.path+".away")
	move(t, s.path+".other", s.path)
	other, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	writesFail(t, s, before, "was replaced")
	if now, err := os.ReadFile(s.path); err != nil || string(now) != string(other) {
		t.Errorf("the other file was written to: %v", err)
	}
	move(t, s.path+".away", s.path)
	recovered(t, s, before)
}

// TestReadOnly serves a file that is open for reading only.
func TestReadOnly(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, file, err := openFile(s.path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	s = serve(db, s.path, file, Options{})
	writesFail(t, s, before, "read-only")
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	recovered(t, openStore(t, s.path), before)
}

// withoutFacts returns a dump without its facts.
func withoutFacts(dump string) string {
	return regexp.MustCompile(`(?m)^row of facts: .*\n`).ReplaceAllString(dump, "")
}

// TestFull checks that a full store retains its rows and accepts more once it may grow.
func TestFull(t *testing.T) {
	const limit = 4 * growth
	path := filepath.Join(t.TempDir(), "leadline.db")
	s, err := Open(path, Options{MaxBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Fill(t, s)
	before := storetest.Dump(t, s)
	value := make([]byte, 100<<10)
	err = nil
	n := 0
	for ; err == nil && n < 100; n++ {
		err = s.SwapMeta(t.Context(), accountID(n), nil, value)
	}
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "maximum") {
		t.Fatalf("SwapMeta %d: got error %v, want %v", n, err, store.ErrUnavailable)
	}
	if got := storetest.Dump(t, s); withoutFacts(got) != withoutFacts(before) {
		t.Errorf("the store has changed to\n%s\nfrom\n%s", got, before)
	}
	if _, err := s.Meta(t.Context(), accountID(n-1)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Meta() of a refused value: got error %v, want %v", err, store.ErrNotFound)
	}
	if _, _, err := s.Reserve(t.Context(), accountID(0), 202611, 1, 10_000); err != nil {
		t.Errorf("Reserve, which needs no more space: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > limit+growth {
		t.Errorf("the file has %d bytes, want at most %d: %v", info.Size(), limit+growth, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if err := s.SwapMeta(t.Context(), accountID(n), nil, value); err != nil {
		t.Errorf("SwapMeta without a limit: %v", err)
	}
	if value, err := s.Meta(t.Context(), accountID(n-2)); err != nil || len(value) != 100<<10 {
		t.Errorf("the last accepted value: %d bytes, %v", len(value), err)
	}
}

// soon returns a context that ends before a hanging operation does.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// TestWriterHangs checks that no call waits beyond its context for a disk that hangs,
// regardless of their number, and that canceled writes are not applied later.
func TestWriterHangs(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	hung, err := s.db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	ctx := soon(t)
	var all sync.WaitGroup
	for n := range 3 * groupSize {
		all.Go(func() {
			if err := s.AddAccount(ctx, anAccount(100+n)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("AddAccount: got error %v, want %v", err, context.DeadlineExceeded)
			}
		})
	}
	all.Wait()
	for _, m := range storetest.Methods() {
		ctx := t.Context()
		if m.Writes {
			ctx = soon(t)
		}
		if err := m.Call(ctx, s); m.Writes != errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got error %v", m.Name, err)
		}
	}
	if err := hung.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil { // queued behind all of them
		t.Fatal(err)
	}
	for n := range 3 * groupSize {
		if _, err := s.Account(t.Context(), accountID(100+n)); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("account %d of a canceled write: got error %v, want %v", n, err, store.ErrNotFound)
		}
	}
	recovered(t, s, before)
}

// inMemory reports whether a method uses claims or instances alone, which are in memory.
func inMemory(method string) bool {
	return slices.Contains([]string{
		"RenewEndpoints", "ReleaseEndpoints", "Enroll", "Heartbeat", "Leave", "Hold", "Shares",
	}, method)
}

// TestReadersHang checks the same for reads, and that blocked reads do not accumulate.
func TestReadersHang(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	release := make(chan struct{})
	var all sync.WaitGroup
	began := make(chan struct{})
	for range readers {
		all.Go(func() {
			_, err := read(t.Context(), s, func(*bbolt.Tx) (int, error) {
				began <- struct{}{}
				<-release
				return 0, nil
			})
			if err != nil {
				t.Errorf("a read that was blocked for a while: %v", err)
			}
		})
		<-began
	}
	grows, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.SwapMeta(grows, "long", nil, make([]byte, 2*growth)); err != nil {
		t.Errorf("a write that makes the file grow while reads hang: %v", err)
	}
	goroutines := runtime.NumGoroutine()
	for range 3 {
		for _, m := range storetest.Methods() {
			err := m.Call(soon(t), s)
			if !m.Writes && !inMemory(m.Name) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got error %v, want %v", m.Name, err, context.DeadlineExceeded)
			}
		}
	}
	trials.WaitFor(t, fmt.Sprint("at most 10 goroutines more than ", goroutines), func() bool {
		return runtime.NumGoroutine() <= goroutines+10
	})
	close(release)
	all.Wait()
	if now := storetest.Dump(t, s); now == before {
		t.Error("writes waited for reads")
	}
}

// TestCanceledWhileApplied checks that a write that is canceled while it is applied returns, and
// may still be committed.
func TestCanceledWhileApplied(t *testing.T) {
	s := filled(t)
	ctx, cancel := context.WithCancel(t.Context())
	applying, release := make(chan struct{}), make(chan struct{})
	go func() {
		<-applying
		cancel()
	}()
	err := s.do(ctx, func(tx *bbolt.Tx) error {
		close(applying)
		<-release
		return tx.Bucket(facts).Put([]byte("late"), nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	close(release)
	if err := s.Ready(t.Context()); err != nil { // queued behind it
		t.Fatal(err)
	}
	if _, err := s.Meta(t.Context(), "late"); err != nil {
		t.Errorf("Meta() of the canceled write: %v", err)
	}
}

// queued makes calls that are written in one group, in order. They are queued while the writer is
// busy; then is called before the writer continues.
func queued(t *testing.T, s *Store, calls []func() error, then func()) []error {
	t.Helper()
	busy, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_ = s.do(t.Context(), func(*bbolt.Tx) error {
			close(busy)
			<-release
			return store.ErrNotFound
		})
	})
	<-busy
	errs := make([]error, len(calls))
	for i, call := range calls {
		all.Go(func() { errs[i] = call() })
		trials.WaitFor(t, "a queued call", func() bool { return len(s.queue) == i+1 })
	}
	then()
	close(release)
	all.Wait()
	return errs
}

// TestCloseWithQueue checks that writes that are queued when a store is closed are still committed.
func TestCloseWithQueue(t *testing.T) {
	for round := range 8 { // the writer may receive from the queue or from closing first
		s := filled(t)
		closed := make(chan error)
		add := func(n int) func() error {
			return func() error { return s.AddAccount(t.Context(), anAccount(n)) }
		}
		for n, err := range queued(t, s, []func() error{add(50), add(51)}, func() {
			go func() { closed <- s.Close() }()
			<-s.closing
		}) {
			if err != nil {
				t.Errorf("round %d, write %d: %v", round, n, err)
			}
		}
		if err := <-closed; err != nil {
			t.Errorf("Close() = %v", err)
		}
		s = openStore(t, s.path)
		for n := 50; n < 52; n++ {
			if _, err := s.Account(t.Context(), accountID(n)); err != nil {
				t.Errorf("round %d, account %d: %v", round, n, err)
			}
		}
	}
}

// TestStopped checks that after a fault every call fails and reports the fault.
func TestStopped(t *testing.T) {
	const reason = "whether the commit is on disk is not known"
	for name, fail := range map[string]func(*Store) error{
		"a commit that failed and is visible": func(s *Store) error {
			tx, err := s.db.Begin(true)
			if err != nil {
				return err
			}
			if err := tx.Commit(); err != nil {
				return err
			}
			return s.commit(tx)
		},
		"a panic in a write": func(s *Store) error {
			return s.do(context.Background(), func(*bbolt.Tx) error { panic(reason) })
		},
		"a panic in a read": func(s *Store) error {
			_, err := read(context.Background(), s, func(*bbolt.Tx) (int, error) { panic(reason) })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			before := storetest.Dump(t, s)
			err := fail(s)
			if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), reason) {
				t.Errorf("got error %v, want %v and the reason", err, store.ErrUnavailable)
			}
			for _, m := range storetest.Methods() {
				err := m.Call(t.Context(), s)
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), reason) {
					t.Errorf("%s: got error %v, want %v and the reason", m.Name, err, store.ErrUnavailable)
				}
			}
			if err := s.BackupFile(t.Context(), s.path+".backup"); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("BackupFile: got error %v, want %v", err, store.ErrUnavailable)
			}
			if err := s.Close(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Close() = %v, want %v", err, store.ErrUnavailable)
			}
			copyOf := filepath.Join(t.TempDir(), "copy") // the file stays locked
			if err := writeFile(copyOf, func(w io.Writer) error {
				f, err := os.Open(s.path)
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = io.Copy(w, f)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			recovered(t, openStore(t, copyOf), before)
		})
	}
}
