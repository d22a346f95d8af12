package bolt

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets. The package comment describes their contents.
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

	passwords           = []byte("passwords")
	identities          = []byte("identities")
	identitiesOfAccount = []byte("identities-of-account")
	tickets             = []byte("tickets")
	ticketsByEnd        = []byte("tickets-by-end")
	clients             = []byte("clients")
	clientsByEnd        = []byte("clients-by-end")
	codes               = []byte("codes")
	codesByGrant        = []byte("codes-by-grant")
	codesOfAccount      = []byte("codes-of-account")
	codesByEnd          = []byte("codes-by-end")
	grants              = []byte("grants")
	grantsOfAccount     = []byte("grants-of-account")
	grantsByEnd         = []byte("grants-by-end")

	keysByEnd          = []byte("keys-by-end")
	uses               = []byte("uses")
	componentDays      = []byte("component-days")
	endpoints          = []byte("endpoints")
	endpointsOfAccount = []byte("endpoints-of-account")
	endpointsOfKind    = []byte("endpoints-of-kind")
	endpointsDue       = []byte("endpoints-due")
	queues             = []byte("queues")
	events             = []byte("events")
	eventsOfAccount    = []byte("events-of-account")
	eventsByEnd        = []byte("events-by-end")
	eventsToSpread     = []byte("events-to-spread")
	once               = []byte("once")
	onceByEnd          = []byte("once-by-end")
	deliveries         = []byte("deliveries")
	deliveriesOfEvent  = []byte("deliveries-of-event")
	deliveriesDue      = []byte("deliveries-due")
	watches            = []byte("watches")
	watchesOfAccount   = []byte("watches-of-account")
	watchesByDue       = []byte("watches-by-due")
	watchesByEnd       = []byte("watches-by-end")
)

// added lists the buckets that each schema added to the one before.
var added = [][][]byte{{
	accounts, accountsByEmail, keys, keysByID, keysOfAccount, quota,
	sessions, sessionsOfAccount, sessionsByEnd, incidents, facts, engine,
}, {
	passwords, identities, identitiesOfAccount, tickets, ticketsByEnd, clients, clientsByEnd,
	codes, codesByGrant, codesOfAccount, codesByEnd, grants, grantsOfAccount, grantsByEnd,
}, {
	keysByEnd, uses, componentDays,
	endpoints, endpointsOfAccount, endpointsOfKind, endpointsDue, queues,
	events, eventsOfAccount, eventsByEnd, eventsToSpread, once, onceByEnd,
	deliveries, deliveriesOfEvent, deliveriesDue,
	watches, watchesOfAccount, watchesByDue, watchesByEnd,
}}

// withEvents is the schema that added events, watches, uses and component days.
const withEvents = 3

var schemaKey = []byte("schema") // in engine

// migration migrates a file from one version of the schema to the next.
type migration func(*bbolt.Tx) error

// migrations lead to the newest version, which equals their number. A released migration is never
// changed; a later one corrects it.
var migrations = []migration{creating(added[0]), creating(added[1]), addEvents}

// creating returns a migration that creates buckets.
func creating(names [][]byte) migration {
	return func(tx *bbolt.Tx) error {
		for _, name := range names {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// addEvents creates the buckets of schema 3 and adds the existing keys to their index by end.
func addEvents(tx *bbolt.Tx) error {
	if err := creating(added[withEvents-1])(tx); err != nil {
		return err
	}
	return tx.Bucket(keys).ForEach(func(hash, _ []byte) error {
		k, err := keyKind.get(tx, hash)
		if err != nil || k.End().IsZero() {
			return err
		}
		return tx.Bucket(keysByEnd).Put(byEnd(k.End(), []byte(k.ID)), bytes.Clone(hash))
	})
}

// migrate migrates a file to the newest version, each step in a transaction. An existing store is
// first copied, and the copy remains.
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
			return fmt.Errorf("copying it before migration: %w", err)
		}
	}
	for i := from; i < len(steps); i++ {
		if err := db.Update(func(tx *bbolt.Tx) error { return step(tx, steps[i], i+1) }); err != nil {
			return fmt.Errorf("migrating it to schema %d: %w", i+1, err)
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

// SchemaOf returns the version of the schema of a file that no process writes to, 0 if the file is
// empty, and the version that Open migrates it to. It changes nothing.
func SchemaOf(path string) (at, newest int, err error) {
	newest = len(migrations)
	info, err := os.Stat(path)
	if err == nil && info.Size() > 0 { // bbolt would write to an empty file
		at, err = schemaAt(path, newest)
	}
	if err != nil {
		err = fmt.Errorf("reading the schema of %s: %w", path, err)
	}
	return at, newest, err
}

func schemaAt(path string, newest int) (int, error) {
	db, _, err := openFile(path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return schemaIn(db, newest)
}

// schemaIn returns the schema version of a file, and an error if it is later than newest.
func schemaIn(db *bbolt.DB, newest int) (version int, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		version, err = schemaOf(tx)
		return err
	})
	if err == nil && version > newest {
		err = fmt.Errorf("schema is %d, want at most %d: a newer version of this program wrote it",
			version, newest)
	}
	return version, err
}

// schemaOf returns the schema version of a file, 0 if the file is new.
func schemaOf(tx *bbolt.Tx) (int, error) {
	b := tx.Bucket(engine)
	if first, _ := tx.Cursor().First(); first == nil {
		return 0, nil
	}
	if b == nil {
		return 0, damaged("file of another program")
	}
	version, err := strconv.Atoi(string(b.Get(schemaKey)))
	if err != nil || version < 1 {
		return 0, damaged("invalid schema %q", b.Get(schemaKey))
	}
	return version, nil
}

// complete returns an error if a bucket of a schema version is missing.
func complete(tx *bbolt.Tx, version int) error {
	for _, name := range slices.Concat(added[:min(version, len(added))]...) {
		if tx.Bucket(name) == nil {
			return damaged("bucket %s is missing", name)
		}
	}
	return nil
}
