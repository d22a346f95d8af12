// Package bolt implements the store contract in one embedded database file, which one process opens
// at a time. Every write is on disk before its call returns. The package does not cache records and
// does not serve other processes.
//
// The file has these buckets. Records are JSON. Numbers are big-endian, so that keys sort by value;
// their length in bytes is in parentheses. A time is in seconds. 0 is a zero byte.
//
//	bucket                 key                         value
//	accounts               id                          the account
//	accounts-by-email      address                     account id
//	keys                   hash (32)                   the key
//	keys-by-id             id                          hash
//	keys-of-account        account 0 created (8) id    hash
//	quota / month (4)      account                     units reserved (8)
//	passwords              account                     encoded password hash
//	identities             issuer 0 subject            account id
//	identities-of-account  account 0 issuer 0 subject  issuer 0 subject
//	tickets                hash (32)                   the ticket
//	tickets-by-end         expires (8) hash (32)       hash
//	sessions               hash (32)                   the session
//	sessions-of-account    account 0 hash (32)         hash
//	sessions-by-end        expires (8) hash (32)       hash
//	clients                id                          the client
//	clients-by-end         expires (8) id              id
//	codes                  hash (32)                   the code
//	codes-by-grant         grant id                    hash
//	codes-of-account       account 0 hash (32)         hash
//	codes-by-end           expires (8) hash (32)       hash
//	grants                 id                          the grant and its refresh tokens
//	grants-of-account      account 0 id                id
//	grants-by-end          expires (8) id              id
//	keys-by-end            ends (8) id                 hash; revoked keys and those that expire
//	uses / month (4)       account 0 day (4) surface   served (4) refused (4)
//	component-days         component 0 day (4)         the day of the component
//	endpoints              id                          the endpoint, without its pending count
//	endpoints-of-account   account 0 created (8) id    state
//	endpoints-of-kind      kind 0 id                   empty; in all states, kinds and "*"
//	endpoints-due          due (8) id                  empty; the first due time of its queue
//	queues                 endpoint                    pending deliveries (8) due (8)
//	events                 id                          the event
//	events-of-account      account 0 id                type; account is "" for all accounts
//	events-by-end          expires (8) id              id
//	events-to-spread       id                          the last endpoint that has its delivery
//	once                   name                        until (8)
//	once-by-end            until (8) name              name
//	deliveries             endpoint 0 event            the delivery
//	deliveries-of-event    event 0 endpoint            empty
//	deliveries-due         endpoint 0 class (1) due (8) event
//	                                                   empty; pending ones, class 0 if direct
//	watches                id                          the watch
//	watches-of-account     account 0 created (8) id    state
//	watches-by-due         due (8) at (8) station 0 id
//	                                                   account; watches that have not ended
//	watches-by-end         ends (8) id                 id
//	incidents              id                          the incident
//	facts                  name                        bytes, unchanged
//	engine                 schema                      the schema's version, decimal
//	engine                 ready                       empty; Ready writes it
//
// Writes go through a queue to one goroutine. It applies all queued writes in one transaction and
// reports their results once it is on disk. Many writes share an fsync, and a single write does not
// wait for others. A refused write does not affect the others of its group; a disk error fails the
// whole group. Before each commit the path must still name the open file, so that nothing is
// written to a file that has been removed or replaced.
//
// Reads run concurrently in a fixed number of goroutines. A disk that hangs therefore blocks no
// caller beyond its context, and blocked reads do not accumulate. The file is mapped into memory
// and was read completely when it was opened. A page that was evicted since and cannot be read
// back blocks the whole process; goroutines cannot prevent that.
//
// A store fails every call after one of two faults: a page is missing or has the wrong content, or
// a failed commit is visible. It must then be opened again, and perhaps restored from a backup.
//
// A file f may have these files next to it:
//
//	f.copy           source of a backup or a check; worthless once the process has ended
//	f.part           an incomplete file; worthless once the process has ended
//	f.schema-N-TIME  f before it was migrated from schema N
//	f.replaced-TIME  f before a backup was restored over it
//
// The sources:
//
//	bolt.go      Open and Close
//	changes.go   Changes
//	write.go     the write queue and its groups
//	read.go      reads
//	backup.go    backups of an open store; Restore
//	inspect.go   check of a file in a child process; pages.go: of its pages
//	check.go     Check and Verify; checkoutbox.go: of endpoints, events, deliveries and watches
//	export.go    records for another engine; import.go: of another engine
//	sweep.go     Sweep; thin.go large removals
//	queues.go    due times and counts of pending deliveries
//	claims.go    claims of endpoints and watches, in memory
//	instances.go instances with their jobs and shares, in memory
//	schema.go    buckets and migrations
//	kinds.go     the kinds of records with their indexes; kind.go: what follows from them
//	record.go    JSON of records; keys, times
//	file.go      files: open, write, rename
//
// Each of the other files implements one concern of the contract.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Options configure an engine.
type Options struct {
	// MaxBytes limits the size of the file, to within one growth step (1 MiB); beyond it the
	// store is full. 0 means that only the disk limits it.
	MaxBytes int
	// Observe is called after every group of writes with their number, the time until they were on
	// disk, and the error if they failed. A failed read is reported as a group of 0 writes. Refusals
	// are not failures. Observe is called from several goroutines and must not block. It may be nil.
	Observe func(writes int, took time.Duration, err error)
	// Posted is called with the type of each event that was stored, once its transaction is on disk.
	// It must not block. It may be nil.
	Posted func(kind string)
	// Inspect is the command line of a program that calls Inspect with the arguments appended to
	// it. It inspects files before they are opened or restored, and for Check. Without it files are
	// trusted: a damaged file may crash this process.
	Inspect []string
}

// Store is an open file. It implements store.Store and its optional interfaces.
type Store struct {
	db      *bbolt.DB
	path    string      // absolute
	file    os.FileInfo // the file that is open
	observe func(writes int, took time.Duration, err error)
	posted  func(kind string)
	inspect inspector

	mu        sync.Mutex
	listeners map[*func([]store.Change)]struct{} // of Changes; guarded by mu

	changes []store.Change // of the running transaction; used by the writer alone

	endpointClaims, watchClaims *claims
	watchTurns                  *store.Turns // of the accounts whose watches are claimed
	fleet                       *fleet       // the instances

	queue   chan *write
	written chan struct{} // closed when the results of the last group are reported
	reads   chan func()
	readers sync.WaitGroup
	closing chan struct{} // closed by Close
	once    sync.Once
	broken  atomic.Pointer[error] // the fault after which every call fails

	spooling chan struct{} // semaphore of spool
}

var (
	_ store.Store      = (*Store)(nil)
	_ store.Backuper   = (*Store)(nil)
	_ store.Checker    = (*Store)(nil)
	_ store.ChangeFeed = (*Store)(nil)
	_ store.Porter     = (*Store)(nil)
)

// Open opens the store in a file and creates the file if necessary; its folder must exist. A file
// of an older schema is first copied to a file next to it and then migrated. Errors wrap
// store.ErrInUse if another process has the file open for more than two seconds, store.ErrDamaged,
// or an error of the file system.
func Open(path string, o Options) (*Store, error) {
	return open(path, o, migrations)
}

func open(path string, o Options, schema []migration) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("opening %s: it is a directory, not the file of a store: rename it", path)
	}
	i := inspector{o.Inspect}
	if err := i.pages(path); err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	db, file, err := openFile(path, &bbolt.Options{MaxSize: o.MaxBytes})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if err := prepare(db, path, schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return serve(db, path, file, o), nil
}

// prepare migrates an open file to the newest schema and syncs its folder, which makes a new file
// durable.
func prepare(db *bbolt.DB, path string, schema []migration) error {
	if err := migrate(db, path, schema); err != nil {
		return err
	}
	if err := db.View(func(tx *bbolt.Tx) error { return complete(tx, len(schema)) }); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// serve starts the engine on an open file.
func serve(db *bbolt.DB, path string, file os.FileInfo, o Options) *Store {
	s := &Store{
		db:             db,
		path:           path,
		file:           file,
		observe:        o.Observe,
		posted:         o.Posted,
		inspect:        inspector{o.Inspect},
		listeners:      map[*func([]store.Change)]struct{}{},
		endpointClaims: newClaims(),
		watchClaims:    newClaims(),
		watchTurns:     store.NewTurns(),
		fleet:          newFleet(),
		queue:          make(chan *write, groupSize),
		written:        make(chan struct{}),
		reads:          make(chan func()),
		closing:        make(chan struct{}),
		spooling:       make(chan struct{}, 1),
	}
	if s.observe == nil {
		s.observe = func(int, time.Duration, error) {}
	}
	if s.posted == nil {
		s.posted = func(string) {}
	}
	s.readers.Add(readers)
	for range readers {
		go s.runReader()
	}
	go s.runWriter()
	return s
}

var errClosed = fmt.Errorf("%w: store is closed", store.ErrUnavailable)

// Close writes what is queued, waits for running reads and closes the file. Afterwards every method
// fails, including Close.
func (s *Store) Close() error {
	err := errClosed
	s.once.Do(func() { err = s.shut() })
	return err
}

func (s *Store) shut() error {
	close(s.closing)
	if broken := s.broken.Load(); broken != nil {
		return *broken // a panic may have left bbolt locked: the end of the process closes the file
	}
	<-s.written
	s.readers.Wait()
	return s.db.Close()
}

// admit returns an error if a call may not begin.
func (s *Store) admit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if broken := s.broken.Load(); broken != nil {
		return *broken
	}
	select {
	case <-s.closing:
		return errClosed
	default:
		return nil
	}
}

// stop makes every later call fail with reason.
func (s *Store) stop(reason error) error {
	err := s.failure("use", reason)
	s.broken.CompareAndSwap(nil, &err)
	return err
}

// unavailable returns an error that also wraps store.ErrUnavailable, as the contract requires
// of failures.
func unavailable(err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// failure is unavailable for a failed use of the file. The error also wraps an fs.PathError with
// the operation and the name of the file.
func (s *Store) failure(op string, err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == s.path {
		err = e.Err // do not repeat the name
	}
	return unavailable(&fs.PathError{Op: op + " the store", Path: s.path, Err: err})
}

// refused reports whether an error is a refusal by the contract, as opposed to a failure.
func refused(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) ||
		errors.Is(err, store.ErrTooMany) || errors.Is(err, store.ErrConflict)
}
