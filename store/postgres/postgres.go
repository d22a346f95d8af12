// Package postgres implements the store contract in a PostgreSQL database, 14 or newer, which
// several instances of the program use at the same time. A call that returns nil is committed.
// The package does not cache records: instances learn of each other's changes by Changes.
//
// The statements are plain SQL in READ COMMITTED transactions with row locks, without triggers,
// procedures, advisory locks and extensions, so that compatible databases can be used too.
//
// Transactions lock rows in the order account, month, watch, endpoint, event, delivery; rows of one
// kind in the order of their ids. A statement that locks several rows sorts them first.
//
// There are two pools of connections. The hot one serves requests: the server aborts its statements
// early, so that a connection outlives a late statement. The other one serves jobs and lists.
//
// The sources:
//
//	postgres.go  Options, Open and Close
//	pool.go      pools and connections
//	call.go      calls: retries, transactions, errors
//	migrate.go   schema and migrations
//	changes.go   Changes
//	kinds.go     tables with a column for each field; table.go: what follows from them
//	record.go    columns: times, hashes, units, texts
//	export.go    Export and Tally; import.go: Import
//	queues.go    due times and counts of pending deliveries
//	sweep.go     Sweep; thin.go: large removals
//
// Each of the other files implements one concern of the contract.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"leadline/store"
)

// Options configure an engine. URL is required.
type Options struct {
	// URL names the database, as postgres://user@host/database?sslmode=verify-full. The names of
	// its parameters are those of libpq; default_query_exec_mode=cache_describe is for PgBouncer.
	URL string
	// PasswordFile is a file with the password; "" if the URL, PGPASSFILE or the server's rules do
	// without it.
	PasswordFile string
	// Listen is the URL of the server itself, if URL names a pooler that does not forward
	// notifications. Without it such an instance learns of changes by polling every second.
	Listen string
	// Connections limits the connections to the database, besides one for changes. 0 means 16.
	Connections int
	// Instance names this process in the list of connections of the server.
	Instance string
	// Migrate permits Open to create or migrate the schema. Otherwise an older schema is an error.
	Migrate bool
	// Observe is called after every call with the name of its method, the time that it took, and the
	// error if it failed. Refusals are not failures. Observe must not block. It may be nil.
	Observe func(call string, took time.Duration, err error)
	// Posted is called with the type of each event that was stored, once it is committed. It must
	// not block. It may be nil.
	Posted func(kind string)
	// Log receives warnings about the server and lost connections. It may be nil.
	Log *slog.Logger
	// Now is the clock that is compared with that of the database. nil means time.Now.
	Now func() time.Time
	// Timeout limits a statement that serves a request. 0 means 200 ms, which is less than callers
	// wait for the store.
	Timeout time.Duration
}

// The defaults of Options.
const (
	defaultConnections = 16
	defaultTimeout     = 200 * time.Millisecond
)

// Store is an open database. It implements store.Store and its optional interfaces RemoteFeed and
// Porter.
type Store struct {
	options    Options
	hot, work  *pgxpool.Pool
	feed       *feed
	reserve    chan *reservation
	turns      *store.Turns // of the accounts whose watches are claimed
	disconnect func()       // closes the pools

	running sync.RWMutex  // held for reading by calls
	closing chan struct{} // closed by Close
	idle    chan struct{} // closed when no call runs any more
	once    sync.Once
	ended   sync.WaitGroup // goroutines of the store
}

var (
	_ store.Store      = (*Store)(nil)
	_ store.RemoteFeed = (*Store)(nil)
)

// Open connects to a database and creates or migrates its schema if the options permit it. It
// refuses, without a change, a database of another program, a newer schema, a server that cannot be
// written to, and a server whose clock differs by more than MostClockDifference.
func Open(ctx context.Context, o Options) (*Store, error) {
	return open(ctx, o, migrations())
}

func open(ctx context.Context, o Options, steps []string) (*Store, error) {
	o = o.withDefaults()
	target, err := newTarget(o)
	if err != nil {
		return nil, err
	}
	work, err := target.workPool(ctx, o)
	if err != nil {
		return nil, err
	}
	feed := newFeed(target)
	reader, err := connect(ctx, work, feed, o, steps)
	if err != nil {
		work.Close()
		return nil, err
	}
	hot, err := target.hotPool(ctx, o)
	if err != nil {
		reader.close()
		work.Close()
		return nil, err
	}
	s := newStore(o, hot, work, feed, func() {
		hot.Close()
		work.Close()
	})
	s.ended.Go(func() { s.runFeed(reader) })
	return s, nil
}

// connect checks a server, migrates its schema and begins to listen for changes.
func connect(
	ctx context.Context, work *pgxpool.Pool, f *feed, o Options, steps []string,
) (*reader, error) {
	if err := prepare(ctx, work, f.target, o, steps); err != nil {
		return nil, err
	}
	r, err := newReader(ctx, f)
	if code(err) == undefinedTable {
		err = refusal("--store-listen names another database than --store: name the same one")
	}
	if err != nil {
		return nil, fmt.Errorf("listening for changes of the store: %w", explain(err))
	}
	return r, nil
}

// newStore returns a store that uses open pools, and a feed that another goroutine runs. Close
// calls disconnect.
func newStore(o Options, hot, work *pgxpool.Pool, f *feed, disconnect func()) *Store {
	s := &Store{
		options:    o,
		hot:        hot,
		work:       work,
		feed:       f,
		reserve:    make(chan *reservation, mostReservations),
		turns:      store.NewTurns(),
		disconnect: disconnect,
		closing:    make(chan struct{}),
		idle:       make(chan struct{}),
	}
	for range reservers {
		s.ended.Go(s.runReserver)
	}
	return s
}

func (o Options) withDefaults() Options {
	if o.Connections == 0 {
		o.Connections = defaultConnections
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.Posted == nil {
		o.Posted = func(string) {}
	}
	return o
}

var errClosed = fmt.Errorf("%w: store is closed", store.ErrUnavailable)

// Close waits for running calls and closes the connections. Afterwards every method fails,
// including Close.
func (s *Store) Close() error {
	err := errClosed
	s.once.Do(func() {
		close(s.closing)
		s.running.Lock()
		close(s.idle)
		s.running.Unlock()
		s.ended.Wait()
		s.disconnect()
		err = nil
	})
	return err
}
