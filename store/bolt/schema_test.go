package bolt

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// oldFile writes a file of an older schema with an account, a session and three keys: one that
// expires, one that was revoked and one that never ends.
func oldFile(t *testing.T, schema int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "leadline.db")
	db, _, err := openFile(path, &bbolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(db, path, migrations[:schema]); err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) (err error) {
		put := func(bucket []byte, key []byte, value string) {
			err = cmp.Or(err, tx.Bucket(bucket).Put(key, []byte(value)))
		}
		put(accounts, []byte("me"), `{"id":"me","email":"me@example.org","plan":"free",`+
			`"created":"2025-01-01T00:00:00Z"}`)
		put(accountsByEmail, []byte("me@example.org"), "me")
		for id, rest := range map[string]string{
			"expires": `,"expires":"2025-06-01T00:00:00Z"`,
			"revoked": `,"expires":"2027-01-01T00:00:00Z","revoked":"2025-07-01T00:00:00Z"`,
			"endless": ``,
		} {
			hash := oldHash(id)
			put(keys, hash, `{"id":"`+id+`","account":"me","name":"","scopes":["raw:read"],`+
				`"created":"2025-01-01T00:00:00Z"`+rest+`}`)
			put(keysByID, []byte(id), string(hash))
			put(keysOfAccount, owned("me", stamp(time.Unix(1735689600, 0)), []byte(id)), string(hash))
		}
		hash := oldHash("session")
		put(sessions, hash, `{"account":"me","created":"2025-01-01T00:00:00Z",`+
			`"expires":"2025-01-15T00:00:00Z"}`)
		put(sessionsOfAccount, owned("me", hash), string(hash))
		put(sessionsByEnd, byEnd(time.Unix(1736899200, 0), hash), string(hash))
		return err
	})
	if err := cmp.Or(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func oldHash(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

// TestMigrateOld migrates files of all older schemas. Their rows remain, keys that have ended are
// swept, and the copy of the old file can be verified and restored.
func TestMigrateOld(t *testing.T) {
	for schema := 1; schema < len(migrations); schema++ {
		path := oldFile(t, schema)
		want := store.Report{Schema: schema, Accounts: 1, Keys: 3, Sessions: 1}
		if got, err := verified(path); err != nil || got != want {
			t.Errorf("Verify() of schema %d = %+v, %v, want %+v", schema, got, err, want)
		}
		s := openStore(t, path)
		before := storetest.Dump(t, s)
		if list, err := s.KeysOf(t.Context(), "me"); err != nil || len(list) != 3 {
			t.Errorf("KeysOf() = %+v, %v, want 3 keys", list, err)
		}
		useOld(t, s)
		want = store.Report{Schema: len(migrations), Accounts: 1, Keys: 1, Clients: 1}
		if got, err := verified(path); err != nil || got != want {
			t.Errorf("Verify() = %+v, %v, want %+v", got, err, want)
		}
		names := files(t, filepath.Dir(path))
		prefix := fmt.Sprintf("leadline.db.schema-%d-", schema)
		if len(names) != 2 || !strings.HasPrefix(names[1], prefix) {
			t.Fatalf("files in the folder of the store: %v, want a copy of schema %d", names, schema)
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
}

// useOld uses a migrated store, checks that the keys that have ended are swept, and closes it.
func useOld(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	for _, step := range []struct {
		at   time.Time
		left int
	}{
		{time.Date(2025, time.June, 1, 0, 0, 0, 0, time.UTC), 3},
		{time.Date(2025, time.June, 1, 0, 0, 0, 0, time.UTC).Add(store.KeyRetention), 2},
		{time.Date(2025, time.July, 1, 0, 0, 0, 0, time.UTC).Add(store.KeyRetention), 1},
		{time.Date(2035, time.January, 1, 0, 0, 0, 0, time.UTC), 1},
	} {
		_, err := s.Sweep(ctx, step.at, 100)
		if list, listErr := s.KeysOf(ctx, "me"); len(list) != step.left || err != nil || listErr != nil {
			t.Errorf("keys after Sweep(%v): %+v, %v, %v, want %d", step.at, list, err, listErr, step.left)
		}
	}
	if err := cmp.Or(
		s.SetPassword(ctx, "me", "hash", nil),
		s.AddClient(ctx, store.Client{ID: "client"}, 10),
		s.Close(),
	); err != nil {
		t.Fatal(err)
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

// TestSchemaOf checks the version of files of all schemas, and that reading it changes nothing.
func TestSchemaOf(t *testing.T) {
	t.Parallel() // it waits for locks
	path := filepath.Join(t.TempDir(), "leadline.db")
	is := func(want int) {
		t.Helper()
		at, newest, err := SchemaOf(path)
		if err != nil || at != want || newest != len(migrations) {
			t.Errorf("SchemaOf() = %d, %d, %v, want %d, %d", at, newest, err, want, len(migrations))
		}
	}
	if _, _, err := SchemaOf(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SchemaOf() of no file = %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	is(0)
	for version := 1; version <= len(migrations); version++ {
		s, err := open(path, Options{}, migrations[:version])
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := SchemaOf(path); !errors.Is(err, store.ErrInUse) {
			t.Errorf("SchemaOf() of an open file = %v, want %v", err, store.ErrInUse)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		is(version)
		is(version)
	}
	s, err := open(path, Options{}, later(marking("four")))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := SchemaOf(path); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("SchemaOf() of a later schema = %v", err)
	}
}
