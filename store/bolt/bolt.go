// Package bolt is the embedded engine of the store: one file, which one
// process has open. What comes in are the calls of the contract; what goes out
// is on disk before a write returns. It is no server and no cache.
//
// The file holds these buckets. Records are JSON. Numbers are big-endian, so
// that they sort as they count, with their length in bytes behind them here; a
// time is its second; 0 is the byte.
//
//	bucket                 key                         value
//	accounts               id                          the account
//	accounts-by-email      address                     account id
//	keys                   hash (32)                   the key
//	keys-by-id             id                          hash
//	keys-of-account        account 0 created (8) id    hash
//	quota / month (4)      account                     units reserved (8)
//	passwords              account                     what is kept of it
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
//	incidents              id                          the incident
//	facts                  name                        as it came
//	engine                 schema                      the schema's version, decimal
//	engine                 ready                       nothing; Ready writes it
//
// Writes go through a queue to one goroutine. It takes all that wait, applies
// them in one transaction, and answers them when that is on disk: many share
// an fsync, and a lone one waits for nobody. One that is refused leaves the
// others of its group as they are; a disk that fails them fails them all.
// Before a group is written the path must still name the file that is open:
// nothing is written into a file that nobody will find again.
//
// Reads go beside each other, each in a goroutine, so that a disk that hangs
// holds no caller beyond its context; only so many at once, so that they do
// not pile up. What they read is mapped into memory and was walked through
// when the file was opened. A page that has left memory since and cannot be
// read back holds up the whole process: no goroutine helps against that.
//
// A store that has met what must not be (a page that is gone or is not what
// its place says, a commit that can be seen and was not brought to disk) fails
// every call from then on: it wants a new start, and perhaps a backup.
//
// What may lie beside a file f: f.copy, which a backup or a check is taken
// from, and f.part, which is not whole yet, both worth nothing once the process
// is gone; f.schema-N-TIME, what f was before it left schema N; and
// f.replaced-TIME, what a backup was put in the place of.
//
//	bolt.go      Open and Close, Changes
//	write.go     the queue and the groups
//	read.go      reads
//	backup.go    copies while it serves; Restore
//	inspect.go   check of a file in a child process
//	check.go     Check and Verify
//	schema.go    buckets and migrations
//	rows.go      rows in several buckets
//	record.go    records, keys, times
//	file.go      files: open, write, rename
//
// The other files are the contract, concern by concern.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Options are what an engine may be told.
type Options struct {
	// MaxBytes is how long the file may become, to within a step of its growth
	// (1 MiB); past it the store is full. 0: as long as the disk allows.
	MaxBytes int
	// Observe hears of every group of writes: how many they were, how long
	// they took until they were on disk, and why they failed where they did. A
	// read that failed counts as a group of none. Refusals are no failures. It
	// is called from several goroutines and must not block. It may be nil.
	Observe func(writes int, took time.Duration, err error)
	// Inspect is the command line of a program that calls Inspect with what is appended to it. A
	// file is inspected by it before it is opened or restored, and by Check. Without it files are
	// trusted: a damaged one may end this process.
	Inspect []string
}

// Store is an open file. It implements store.Store and its optional interfaces.
type Store struct {
	db      *bbolt.DB
	path    string      // absolute
	file    os.FileInfo // the file that is open
	observe func(writes int, took time.Duration, err error)
	inspect inspector

	mu        sync.Mutex
	listeners map[*func()]struct{} // of Changes; guarded by mu

	queue   chan *write
	written chan struct{} // closed when the last group is answered
	reads   chan func()
	readers sync.WaitGroup
	closing chan struct{} // closed by Close
	once    sync.Once
	broken  atomic.Pointer[error] // why nothing is served any more

	spooling chan struct{} // holds one while there is a spool
}

var (
	_ store.Store      = (*Store)(nil)
	_ store.Backuper   = (*Store)(nil)
	_ store.Checker    = (*Store)(nil)
	_ store.ChangeFeed = (*Store)(nil)
)

// Open opens the store in a file, which it makes where there is none; its
// folder must be there. A file of an older schema is first copied beside
// itself and then brought up to date. The errors wrap store.ErrInUse (two
// seconds are waited for whoever has it), store.ErrDamaged, or those of the file
// system.
func Open(path string, o Options) (*Store, error) {
	return open(path, o, migrations)
}

func open(path string, o Options, schema []migration) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
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

// prepare makes an open file one of this schema, and a new one stay.
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
		db: db, path: path, file: file, observe: o.Observe, inspect: inspector{o.Inspect}, listeners: map[*func()]struct{}{},

		queue:   make(chan *write, groupSize),
		written: make(chan struct{}),
		reads:   make(chan func()),
		closing: make(chan struct{}),

		spooling: make(chan struct{}, 1),
	}
	if s.observe == nil {
		s.observe = func(int, time.Duration, error) {}
	}
	s.readers.Add(readers)
	for range readers {
		go s.runReader()
	}
	go s.runWriter()
	return s
}

var errClosed = fmt.Errorf("%w: it is closed", store.ErrUnavailable)

// Close writes what is queued, waits for the reads under way, and closes the
// file. Every method fails afterwards, Close too.
func (s *Store) Close() error {
	err := errClosed
	s.once.Do(func() { err = s.shut() })
	return err
}

func (s *Store) shut() error {
	close(s.closing)
	if broken := s.broken.Load(); broken != nil {
		return *broken // who panicked may hold bbolt's locks: the end of the process closes the file
	}
	<-s.written
	s.readers.Wait()
	return s.db.Close()
}

// admit tells whether a call may begin.
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

// stop ends the service: nothing is read or written any more.
func (s *Store) stop(reason error) error {
	err := unavailable(reason)
	s.broken.CompareAndSwap(nil, &err)
	return err
}

// unavailable is a failure as the contract has it.
func unavailable(err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// refused tells a refusal, which is an answer, from a failure.
func refused(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrTooMany)
}

// Changes implements store.ChangeFeed. A commit is reported before the call that made it returns.
func (s *Store) Changes(ctx context.Context, notify func()) error {
	s.mu.Lock()
	s.listeners[&notify] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, &notify)
		s.mu.Unlock()
	}()
	notify()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	}
}

// changed notifies the listeners of Changes.
func (s *Store) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for notify := range s.listeners {
		(*notify)()
	}
}
