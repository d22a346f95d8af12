package bolt

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets, as the package paragraph draws them.
var (
	accounts          = []byte("accounts")
	accountsByEmail   = []byte("accounts-by-email")
	keys              = []byte("keys")
	keysByID          = []byte("keys-by-id")
	keysOfAccount     = []byte("keys-of-account")
	quota             = []byte("quota")
	sessions          = []byte("sessions")
	sessionsOfAccount = []byte("sessions-of-account")
	sessionsByEnd     = []byte("sessions-by-end")
	incidents         = []byte("incidents")
	facts             = []byte("facts")
	engine            = []byte("engine")
)

// buckets1 are those of schema 1. Later ones come by migrations of their own.
var buckets1 = [][]byte{
	accounts, accountsByEmail, keys, keysByID, keysOfAccount, quota,
	sessions, sessionsOfAccount, sessionsByEnd, incidents, facts, engine,
}

// buckets are those of the newest schema.
var buckets = buckets1

var schemaKey = []byte("schema") // in engine

// migration brings a file from one version of the schema to the next.
type migration func(*bbolt.Tx) error

// migrations lead to the newest version, which is how many they are. One that
// has been released is never changed: a later one puts right what it did.
var migrations = []migration{create}

// create makes the buckets of a new file.
func create(tx *bbolt.Tx) error {
	for _, name := range buckets1 {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// migrate brings a file to the newest version, each step in a transaction. A
// file that is not new is copied first, and the copy stays.
func migrate(db *bbolt.DB, path string, steps []migration) error {
	from, err := schemaIn(db, len(steps))
	if err != nil {
		return err
	}
	if 0 < from && from < len(steps) {
		name := fmt.Sprintf("%s.schema-%d-%s", path, from, fileTime(time.Now()))
		if err := newFile(name, func(w io.Writer) error {
			return db.View(func(tx *bbolt.Tx) error { return writeTo(context.Background(), tx, w) })
		}); err != nil {
			return fmt.Errorf("copying it before it is brought up to date: %w", err)
		}
	}
	for i := from; i < len(steps); i++ {
		if err := db.Update(func(tx *bbolt.Tx) error { return step(tx, steps[i], i+1) }); err != nil {
			return fmt.Errorf("bringing it to schema %d: %w", i+1, err)
		}
	}
	return nil
}

func step(tx *bbolt.Tx, do migration, version int) error {
	if err := do(tx); err != nil {
		return err
	}
	return tx.Bucket(engine).Put(schemaKey, strconv.AppendInt(nil, int64(version), 10))
}

// schemaIn is the version that a file is at, at most newest.
func schemaIn(db *bbolt.DB, newest int) (version int, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		version, err = schemaOf(tx)
		return err
	})
	if err == nil && version > newest {
		err = fmt.Errorf("it has schema %d, and this program knows up to %d: a newer program wrote it", version, newest)
	}
	return version, err
}

// schemaOf is the version that a file says; 0 where it is new.
func schemaOf(tx *bbolt.Tx) (int, error) {
	b := tx.Bucket(engine)
	if first, _ := tx.Cursor().First(); first == nil {
		return 0, nil
	}
	if b == nil {
		return 0, damaged("it is a file of another program")
	}
	version, err := strconv.Atoi(string(b.Get(schemaKey)))
	if err != nil || version < 1 {
		return 0, damaged("it has schema %q", b.Get(schemaKey))
	}
	return version, nil
}

// complete fails where a bucket of the newest version is missing.
func complete(tx *bbolt.Tx) error {
	for _, name := range buckets {
		if tx.Bucket(name) == nil {
			return damaged("it has no %s", name)
		}
	}
	return nil
}
