package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/store"
)

// channel is the channel of notifications. They carry no data: they wake listeners, which then read
// change_log.
const channel = "leadline"

// The times of polling for changes.
const (
	pollTime = time.Second // between polls without notifications; also the limit of a poll

	// overlap is the time before the last poll in which transactions may have recorded changes that
	// the next poll finds: one with a lower sequence number may commit later than one with a higher.
	overlap = 5 * time.Second

	// logRetention is the time for which changes are stored. After a longer gap anything may have
	// changed.
	logRetention = 10 * time.Minute
)

// feed reports changes to the listeners of this instance: those of its own transactions before
// their calls return, those of others once it has read them.
type feed struct {
	target target

	mu        sync.Mutex
	listeners map[*func([]store.Change)]struct{} // guarded by mu
	known     map[int64]time.Time                // changes that were reported; guarded by mu

	asOf atomic.Pointer[time.Time] // when all changes of other instances were last known
}

func newFeed(t target) *feed {
	f := &feed{
		target:    t,
		listeners: map[*func([]store.Change)]struct{}{},
		known:     map[int64]time.Time{},
	}
	f.asOf.Store(new(time.Now()))
	return f
}

// Changes implements store.ChangeFeed.
func (s *Store) Changes(ctx context.Context, notify func([]store.Change)) error {
	s.feed.mu.Lock()
	s.feed.listeners[&notify] = struct{}{}
	s.feed.mu.Unlock()
	defer func() {
		s.feed.mu.Lock()
		delete(s.feed.listeners, &notify)
		s.feed.mu.Unlock()
	}()
	notify([]store.Change{{}})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	}
}

// Behind implements store.RemoteFeed.
func (s *Store) Behind() time.Duration { return time.Since(*s.feed.asOf.Load()) }

// report reports changes to all listeners.
func (f *feed) report(list []store.Change) {
	if len(list) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for notify := range f.listeners {
		(*notify)(list)
	}
}

// record adds the changes of a transaction to change_log. They are known before they are visible.
func (f *feed) record(ctx context.Context, tx *transaction) error {
	if len(tx.changes) == 0 {
		return nil
	}
	var keys, accounts, grants, facts []string
	for _, c := range tx.changes {
		keys, accounts = append(keys, c.Key), append(accounts, c.Account)
		grants, facts = append(grants, c.Grant), append(facts, c.Fact)
	}
	numbers, err := rowsIn(ctx, tx, pgx.RowTo[int64], `insert into change_log
			(key, account, grant_id, fact)
		select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) returning seq`,
		keys, accounts, grants, facts)
	if err != nil {
		return err
	}
	f.mu.Lock()
	for _, n := range numbers {
		f.known[n] = time.Now()
	}
	f.mu.Unlock()
	return tx.run(ctx, "select pg_notify($1, '')", channel)
}

// runFeed reads the changes of other instances until the store is closed.
func (s *Store) runFeed(r *reader) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.closing
		cancel()
	}()
	for failures := 0; ctx.Err() == nil; failures++ {
		began := time.Now()
		err := r.follow(ctx)
		if time.Since(began) > pollTime {
			failures = 0
		}
		if ctx.Err() == nil && failures == 0 {
			s.options.Log.Warn("connection for changes was lost: connecting again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(50*time.Millisecond<<min(failures, 5), pollTime)):
		}
	}
}

// reader reads change_log on a connection of its own.
type reader struct {
	feed   *feed
	conn   *pgx.Conn // nil after it has failed
	last   int64     // the highest number that was read
	polled time.Time // the time of the server at the last poll; zero before the first
	read   time.Time // the same by the clock of this process
}

// newReader returns a reader of the changes from now on.
func newReader(ctx context.Context, f *feed) (*reader, error) {
	r := &reader{feed: f}
	err := r.connect(ctx)
	if err == nil {
		err = r.poll(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// connect connects to the server.
func (r *reader) connect(ctx context.Context) (err error) {
	config := r.feed.target.listen
	if config == nil {
		config = r.feed.target.config.ConnConfig
	}
	if r.conn, err = pgx.ConnectConfig(ctx, config); err != nil || r.feed.target.listen == nil {
		return err
	}
	return limited(ctx, func(ctx context.Context) error {
		_, err := r.conn.Exec(ctx, "listen "+channel)
		return err
	})
}

func (r *reader) close() {
	if r.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.conn.Close(ctx)
	r.conn = nil
}

// follow reads changes until the connection fails.
func (r *reader) follow(ctx context.Context) error {
	defer r.close()
	if r.conn == nil {
		if err := r.connect(ctx); err != nil {
			return err
		}
	}
	for {
		if err := limited(ctx, r.poll); err != nil {
			return err
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
	}
}

// limited calls fn with a context that ends after pollTime.
func limited(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	return fn(ctx)
}

// wait returns after a notification or after pollTime.
func (r *reader) wait(ctx context.Context) error {
	return limited(ctx, func(limit context.Context) error {
		if r.feed.target.listen == nil {
			<-limit.Done()
			return ctx.Err()
		}
		_, err := r.conn.WaitForNotification(limit)
		if limit.Err() != nil && ctx.Err() == nil {
			return nil
		}
		return err
	})
}

// logged is a row of change_log.
type logged struct {
	number int64
	change store.Change
}

// poll reports the changes since the last poll that are not known.
func (r *reader) poll(ctx context.Context) error {
	asked := time.Now()
	var highest int64
	var now time.Time
	err := r.conn.QueryRow(ctx, "select coalesce(max(seq), 0), clock_timestamp() from change_log").
		Scan(&highest, &now)
	if err != nil {
		return err
	}
	if r.polled.IsZero() || now.Sub(r.polled) > logRetention {
		r.feed.report([]store.Change{{}})
		r.advance(asked, highest, now)
		return nil
	}
	list, err := rowsIn(ctx, r.conn, func(row pgx.CollectableRow) (l logged, err error) {
		c := &l.change
		return l, row.Scan(&l.number, &c.Key, &c.Account, &c.Grant, &c.Fact)
	}, `select seq, key, account, grant_id, fact from change_log
		where seq > $1 or at > $2 order by seq`, r.last, r.polled.Add(-overlap))
	if err != nil {
		return err
	}
	r.feed.report(r.unknown(list))
	r.advance(asked, highest, now)
	return nil
}

// unknown returns the changes that were not reported, and marks them as known.
func (r *reader) unknown(list []logged) (fresh []store.Change) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	for _, l := range list {
		if _, ok := r.feed.known[l.number]; !ok {
			r.feed.known[l.number] = time.Now()
			fresh = append(fresh, l.change)
		}
		r.last = max(r.last, l.number)
	}
	return fresh
}

// advance completes a poll. What was known long before the last one cannot be found again.
func (r *reader) advance(asked time.Time, highest int64, now time.Time) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	for number, since := range r.feed.known {
		if since.Before(r.read.Add(-2 * overlap)) {
			delete(r.feed.known, number)
		}
	}
	r.last, r.polled, r.read = max(r.last, highest), now, asked
	r.feed.asOf.Store(&asked)
}
