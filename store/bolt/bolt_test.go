package bolt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() storetest.Engine {
		path := emptyFile.copy(t, func(*Store) {})
		return func() storetest.Engine { return openStore(t, path) }
	})
}

// openStore opens a store that does not sync its file, which only a crash of the machine would
// need. It is closed at the end of the test; a test may close it earlier.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s := openSynced(t, path)
	s.db.NoSync = true
	return s
}

// openSynced opens a store as the program does.
func openSynced(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// savedFile is a file that tests copy, which takes less time than to make it.
type savedFile struct {
	once    sync.Once
	content []byte
}

var emptyFile, filledFile savedFile

// copy returns a copy of the file, which fill fills the first time.
func (f *savedFile) copy(t *testing.T, fill func(*Store)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "leadline.db")
	f.once.Do(func() {
		s := openStore(t, filepath.Join(t.TempDir(), "first.db"))
		fill(s)
		err := s.Close()
		if err == nil {
			f.content, err = os.ReadFile(s.path)
		}
		if err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(path, f.content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Rows implements storetest.Engine.
func (s *Store) Rows(ctx context.Context, row func(table, row string)) error {
	_, err := read(ctx, s, func(tx *bbolt.Tx) (none struct{}, err error) {
		return none, tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if bytes.Equal(name, engine) {
				return nil
			}
			return rows(string(name), b, row)
		})
	})
	return err
}

// Age implements storetest.Engine.
func (s *Store) Age(_ context.Context, d time.Duration) error {
	f := s.fleet
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, m := range f.instances {
		m.Seen = m.Seen.Add(-d)
		if !m.left.IsZero() {
			m.left = m.left.Add(-d)
		}
		f.instances[id] = m
	}
	for name, c := range f.jobs {
		f.jobs[name] = claim{c.owner, c.until.Add(-d)}
	}
	for _, held := range f.shares {
		for slot, h := range held {
			held[slot] = holder{h.share, h.until.Add(-d)}
		}
	}
	return nil
}

func rows(table string, b *bbolt.Bucket, row func(table, row string)) error {
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return rows(fmt.Sprintf("%s/%x", table, key), b.Bucket(key), row)
		}
		row(table, fmt.Sprintf("%x %q", key, value))
		return nil
	})
}

// TestDumpAll checks that a dump includes rows of each kind that no method lists.
func TestDumpAll(t *testing.T) {
	s := filled(t)
	for _, bucket := range slices.Concat(added...) {
		if bytes.Equal(bucket, engine) || bytes.Equal(bucket, quota) { // quota: below
			continue
		}
		before := storetest.Dump(t, s)
		if err := s.db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket(bucket).Put([]byte("unknown"), []byte("row"))
		}); err != nil {
			t.Fatal(err)
		}
		if storetest.Dump(t, s) == before {
			t.Errorf("a dump does not include a new row of %s", bucket)
		}
	}
	before := storetest.Dump(t, s)
	if _, _, err := s.Reserve(t.Context(), accountID(1), 190001, 1, 1); err != nil {
		t.Fatal(err)
	}
	if storetest.Dump(t, s) == before {
		t.Errorf("a dump does not include a new month")
	}
}
