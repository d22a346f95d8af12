package bolt

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

// marking returns a migration that stores a fact.
func marking(name string) migration {
	return func(tx *bbolt.Tx) error { return tx.Bucket(facts).Put([]byte(name), []byte("done")) }
}

// later returns the migrations of a later program.
func later(more ...migration) []migration { return append(slices.Clone(migrations), more...) }

// TestMigrate migrates a file to a later schema: its rows remain, a copy of the old file remains,
// and the older program refuses the new one.
func TestMigrate(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := open(s.path, Options{}, later(marking("four"), marking("five")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"four", "five"} {
		if got, err := s.Meta(t.Context(), name); string(got) != "done" {
			t.Errorf("the fact of migration %s = %q, %v, want \"done\"", name, got, err)
		}
	}
	if now := storetest.Dump(t, s); withoutFacts(now) != withoutFacts(before) {
		t.Errorf("the store has changed to\n%s\nfrom\n%s", now, before)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Open":   func() error { _, err := Open(s.path, Options{}); return err }(),
		"Verify": func() error { _, err := Verify(s.path); return err }(),
	} {
		const want = "schema is 5, want at most 3"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s of a later schema = %v, want %s", what, err, want)
		}
	}
	names := files(t, filepath.Dir(s.path))
	if len(names) != 2 || !strings.HasPrefix(names[1], "leadline.db.schema-3-") {
		t.Fatalf("files in the folder of the store: %v, want a copy of schema 3", names)
	}
	copied := filepath.Join(filepath.Dir(s.path), names[1])
	if r, err := Verify(copied); err != nil || r.Schema != 3 {
		t.Errorf("Verify() of the copy = %+v, %v", r, err)
	}
	recovered(t, openStore(t, copied), before)
}

// TestMigrateFrom1 migrates a file of the first schema to the current one. Its rows remain, and the
// copy of the old file can be verified and restored.
func TestMigrateFrom1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	db, file, err := openFile(path, &bbolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(db, path, migrations[:1]); err != nil {
		t.Fatal(err)
	}
	session := store.Session{Hash: [32]byte{1}, Account: accountID(0), Created: noon, Expires: noon}
	s := serve(db, path, file, Options{})
	if err := cmp.Or(
		s.AddAccount(t.Context(), anAccount(0)),
		s.AddKey(t.Context(), aKey(0)),
		s.AddSession(t.Context(), session),
		s.Close(),
	); err != nil {
		t.Fatal(err)
	}
	want := store.Report{Schema: 1, Accounts: 1, Keys: 1, Sessions: 1}
	if got, err := verified(path); err != nil || got != want {
		t.Errorf("Verify() of schema 1 = %+v, %v, want %+v", got, err, want)
	}
	s = openStore(t, path)
	before := storetest.Dump(t, s)
	if got, err := s.Account(t.Context(), accountID(0)); err != nil || got != anAccount(0) {
		t.Errorf("Account() = %+v, %v, want %+v", got, err, anAccount(0))
	}
	if err := cmp.Or(
		s.SetPassword(t.Context(), accountID(0), "hash", nil),
		s.AddClient(t.Context(), store.Client{ID: "client"}, 10),
		s.Close(),
	); err != nil {
		t.Fatal(err)
	}
	want = store.Report{Schema: 3, Accounts: 1, Keys: 1, Clients: 1}
	if got, err := verified(path); err != nil || got != want {
		t.Errorf("Verify() = %+v, %v, want %+v", got, err, want)
	}
	names := files(t, filepath.Dir(path))
	if len(names) != 2 || !strings.HasPrefix(names[1], "leadline.db.schema-1-") {
		t.Fatalf("files in the folder of the store: %v, want a copy of schema 1", names)
	}
	restored := filepath.Join(t.TempDir(), "leadline.db")
	copied := filepath.Join(filepath.Dir(path), names[1])
	if _, err := Restore(copied, restored, inspected); err != nil {
		t.Fatal(err)
	}
	if now := storetest.Dump(t, openStore(t, restored)); now != before {
		t.Errorf("contents of the restored file:\n%s\nwant\n%s", now, before)
	}
}

// verified returns the report of Verify without the length of the file.
func verified(path string) (store.Report, error) {
	r, err := Verify(path)
	r.Bytes = 0
	return r, err
}

// TestMigrateOnce checks that a migration runs once, and that a new or current file is not copied.
func TestMigrateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leadline.db")
	runs := 0
	schema := later(func(*bbolt.Tx) error { runs++; return nil })
	for range 3 {
		s, err := open(path, Options{}, schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 1 {
		t.Errorf("the migration ran %d times, want once", runs)
	}
	if got := files(t, filepath.Dir(path)); !slices.Equal(got, []string{"leadline.db"}) {
		t.Errorf("files in the folder of the store: %v", got)
	}
}

// TestMigrateFails checks that a failed migration changes nothing.
func TestMigrateFails(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fail := errors.New("migration failed")
	_, err := open(s.path, Options{}, later(func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket(keys); err != nil {
			return err
		}
		return fail
	}))
	if !errors.Is(err, fail) || !strings.Contains(err.Error(), "schema 4") {
		t.Errorf("open() = %v, want %v", err, fail)
	}
	recovered(t, openStore(t, s.path), before)
}

// TestIncomplete checks that a file without one of its buckets or its schema is refused.
func TestIncomplete(t *testing.T) {
	for name, spoil := range map[string]func(*bbolt.Tx) error{
		"no bucket":    func(tx *bbolt.Tx) error { return tx.DeleteBucket(sessionsByEnd) },
		"no grants":    func(tx *bbolt.Tx) error { return tx.DeleteBucket(grants) },
		"no schema":    func(tx *bbolt.Tx) error { return tx.Bucket(engine).Delete(schemaKey) },
		"a bad schema": func(tx *bbolt.Tx) error { return tx.Bucket(engine).Put(schemaKey, []byte("0")) },
		"no engine":    func(tx *bbolt.Tx) error { return tx.DeleteBucket(engine) },
	} {
		s := filled(t)
		if err := s.db.Update(spoil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(s.path, Options{}); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: Open() = %v, want %v", name, err, store.ErrDamaged)
		}
		if _, err := Verify(s.path); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: Verify() = %v, want %v", name, err, store.ErrDamaged)
		}
	}
}
