package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/postgres/postgrestest"
	"leadline/store/storetest"
)

// gateTime limits the time for which the callers wait for the store.
const gateTime = time.Second

// load runs callers that use a store as requests do, and remembers what was acknowledged.
type load struct {
	store   *Store
	stop    chan struct{}
	halt    func() // closes stop and waits for the callers
	callers sync.WaitGroup

	mu       sync.Mutex
	accounts []int            // added
	granted  uint64           // units that Reserve has returned
	longest  time.Duration    // of a call
	watch    trials.Stopwatch // since the last mark
	first    time.Duration    // of the first success by watch, 0 without one

	done, failed atomic.Int64
	numbers      atomic.Int64
}

// begin starts the callers. Account 0 exists.
func begin(t *testing.T, s *Store) *load {
	t.Helper()
	if err := s.AddAccount(t.Context(), anAccount(0)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddKey(t.Context(), aKey(0)); err != nil {
		t.Fatal(err)
	}
	l := &load{store: s, stop: make(chan struct{})}
	l.halt = sync.OnceFunc(func() {
		close(l.stop)
		l.callers.Wait()
	})
	t.Cleanup(l.halt)
	for range 6 {
		l.callers.Go(func() {
			for pause := time.Millisecond; ; {
				select {
				case <-l.stop:
					return
				case <-time.After(pause):
				}
				if pause = 5 * time.Millisecond; !l.call(t) {
					pause = 50 * time.Millisecond // each connection is a process of the server
				}
			}
		})
	}
	return l
}

// call makes a read, a reservation and a write, and reports whether the last one succeeded.
func (l *load) call(t *testing.T) bool {
	n := int(l.numbers.Add(1))
	var granted uint64
	l.timed(t, func(ctx context.Context) error {
		_, _, err := l.store.KeyByHash(ctx, keyHash(0))
		return err
	})
	l.timed(t, func(ctx context.Context) (err error) {
		granted, _, err = l.store.Reserve(ctx, accountID(0), 202611, 3, 1<<40)
		return err
	})
	added := l.timed(t, func(ctx context.Context) error {
		return l.store.AddAccount(ctx, anAccount(n))
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.granted += granted
	if added {
		l.accounts = append(l.accounts, n)
	}
	return added
}

// timed makes a call with the deadline of a request, and reports whether it succeeded.
func (l *load) timed(t *testing.T, call func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), gateTime)
	defer cancel()
	watch := trials.Start()
	err := call(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, watch.Elapsed())
	if err != nil {
		l.failed.Add(1)
		if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call failed with %v", err)
		}
		return false
	}
	l.done.Add(1)
	if l.first == 0 {
		l.first = l.watch.Elapsed()
	}
	return true
}

// mark begins a new measurement.
func (l *load) mark() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch, l.first, l.longest = trials.Start(), 0, 0
	l.done.Store(0)
	l.failed.Store(0)
}

// recover waits for a success from now on and logs what happened since the last mark.
func (l *load) recover(t *testing.T, what string) {
	t.Helper()
	l.mu.Lock()
	l.watch, l.first = trials.Start(), 0
	l.mu.Unlock()
	trials.WaitFor(t, "a successful call", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.first > 0
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("%s: first success after %v, %d calls failed, the longest call took %v", what,
		l.first.Round(time.Millisecond), l.failed.Load(), l.longest.Round(time.Millisecond))
}

// fail waits until some calls have failed since the last mark.
func (l *load) fail(t *testing.T) {
	t.Helper()
	trials.WaitFor(t, "failed calls", func() bool { return l.failed.Load() >= 20 })
}

// end stops the callers and checks that everything that was acknowledged is stored.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.halt()
	list, err := l.store.Accounts(t.Context(), "", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]bool{}
	for _, a := range list {
		stored[a.ID] = true
	}
	for _, n := range l.accounts {
		if !stored[accountID(n)] {
			t.Errorf("account %d was added and is lost", n)
		}
	}
	used, err := l.store.Usage(t.Context(), accountID(0), 202611)
	if err != nil {
		t.Fatal(err)
	}
	if used < l.granted {
		t.Errorf("%d units were granted, %d are reserved", l.granted, used)
	}
	t.Logf("%d accounts and %d units were acknowledged", len(l.accounts), l.granted)
}

// pause lets the callers work.
func (l *load) pause(t *testing.T, calls int64) {
	t.Helper()
	want := l.done.Load() + calls
	trials.WaitFor(t, "successful calls", func() bool { return l.done.Load() >= want })
}

// TestServerKilled kills the server with all its processes while callers use it. What was
// acknowledged is there after its recovery, and the store works again by itself.
func TestServerKilled(t *testing.T) {
	c := postgrestest.Own(t, postgrestest.Durable()...)
	s, err := Open(t.Context(), Options{URL: c.URL(), Migrate: true, Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := begin(t, s)
	for n := range max(1, trials.Kills()/3) {
		what, stop := "kill -9", c.Kill
		if n%2 == 1 {
			what, stop = "immediate shutdown", c.Halt
		}
		l.pause(t, 100)
		l.mark()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		l.fail(t)
		if err := c.Run(); err != nil {
			t.Fatal(err)
		}
		l.recover(t, what)
	}
	l.pause(t, 100)
	l.end(t)
}

// through returns the URL that leads to a schema through a proxy.
func through(t *testing.T, p *postgrestest.Proxy, direct string) string {
	t.Helper()
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("postgres://leadline@%s/postgres?sslmode=disable&search_path=%s", p.Address(),
		u.Query().Get("search_path"))
}

// TestNetworkFaults cuts, holds back and delays the connections of callers.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	c := postgrestest.Shared(t)
	p := postgrestest.NewProxy(t, c.Address())
	direct := postgrestest.SchemaIn(t, c.URL())
	o := Options{URL: through(t, p, direct), Migrate: true, Connections: 8}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := begin(t, s)
	l.pause(t, 100)
	for range min(5, 1+trials.Kills()) {
		l.mark()
		p.Reset()
		l.recover(t, "connections reset")
		l.pause(t, 50)
	}
	l.mark()
	p.Down()
	l.fail(t)
	p.Up()
	l.recover(t, "connections refused")
	l.pause(t, 50)

	l.mark()
	p.Drop(true)
	l.fail(t)
	trials.WaitFor(t, "a listener that has noticed it", func() bool {
		return s.Behind() > 2*time.Second
	})
	p.Drop(false)
	l.recover(t, "nothing arrives for 2 s")
	l.pause(t, 50)

	l.mark()
	p.Delay(20 * time.Millisecond)
	l.pause(t, 50)
	l.recover(t, "20 ms of delay")
	p.Delay(0)
	l.pause(t, 50)
	arrives(t, openStore(t, direct), s)
	l.end(t)
}

// TestFarAway checks that reservations succeed if the server is 200 ms away and the connections are
// new.
func TestFarAway(t *testing.T) {
	t.Parallel()
	c := postgrestest.Shared(t)
	p := postgrestest.NewProxy(t, c.Address())
	direct := postgrestest.SchemaIn(t, c.URL())
	near := openStore(t, direct)
	const accounts = 8
	for i := range accounts {
		id := anAccount(i).ID
		if err := near.AddAccount(t.Context(), anAccount(i)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := near.Reserve(t.Context(), id, 202611, 1, 100); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), Options{URL: through(t, p, direct)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p.Delay(100 * time.Millisecond)
	var callers sync.WaitGroup
	for i := range accounts {
		callers.Go(func() {
			granted, reserved, err := s.Reserve(t.Context(), anAccount(i).ID, 202611, 6, 100)
			if err != nil || granted != 6 || reserved != 7 {
				t.Errorf("Reserve for account %d = %d, %d, %v, want 6, 7", i, granted, reserved, err)
			}
		})
	}
	callers.Wait()
	p.Delay(0)
}

// TestSlowStatements checks that the server aborts late statements, so that their connections
// remain, and that a lock which is held does not block callers for long.
func TestSlowStatements(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	patient := p.open(t)
	s, err := Open(t.Context(), Options{URL: p.url, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := patient.AddAccount(t.Context(), anAccount(0)); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	trials.WaitFor(t, "the first connections", func() bool { return s.hot.Stat().TotalConns() >= 2 })
	before := s.hot.Stat().NewConnsCount()
	for range 20 {
		_, err := s.exec(ctx, "Sleep", "select pg_sleep(10)")
		if code(err) != "57014" || !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("a late statement = %v, want it aborted", err)
		}
	}
	if opened := s.hot.Stat().NewConnsCount() - before; opened > 2 {
		t.Errorf("20 late statements have opened %d connections", opened)
	}
	holder, err := patient.work.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(ctx, "select from account for update"); err != nil {
		t.Fatal(err)
	}
	// The limit of the lock comes first, unless the machine is slow to begin the wait.
	err = s.SetPlan(ctx, accountID(0), "pro")
	if c := code(err); c != "55P03" && c != "57014" || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a call that waits for a lock = %v, want it aborted", err)
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	trials.WaitFor(t, "success of a call after the lock", func() bool {
		return s.SetPlan(ctx, accountID(0), "pro") == nil
	})
}

// TestMethodsWithoutServer checks that every method fails while the server is down, and that the
// contents are the same when it runs again.
func TestMethodsWithoutServer(t *testing.T) {
	c := postgrestest.Own(t, postgrestest.Durable()...)
	s := openStore(t, c.URL())
	storetest.Fill(t, s)
	before := storetest.Dump(t, s)
	// After Kill, the processes that serve connections might still answer for a moment.
	if err := c.Halt(); err != nil {
		t.Fatal(err)
	}
	for _, m := range storetest.Methods() {
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := m.Call(ctx, s)
			cancel()
			if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s without a server = %v, want %v", m.Name, err, store.ErrUnavailable)
			}
		}
	}
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	trials.WaitFor(t, "a store that is ready", func() bool { return s.Ready(t.Context()) == nil })
	if got := storetest.Dump(t, s); got != before {
		t.Error("the contents have changed")
	}
}

// TestMasked checks that passwords are not shown.
func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://u@h/d":                          "postgres://u@h/d",
		"postgres://u:secret@h/d?sslmode=disable":   "postgres://u:xxxxx@h/d?sslmode=disable",
		"postgres://u@h/d?password=secret":          "postgres://u@h/d?password=xxxxx",
		"postgres://u:se%cret@h:port/d":             "postgres://u:xxxxx@h:port/d",
		"host=h user=u password=secret dbname=d":    "host=h user=u password=xxxxx dbname=d",
		"host=h password='my secret' dbname=d":      "host=h password=xxxxx dbname=d",
		"postgres://u:secret@h:1,i:2/d?sslmode=off": "postgres://u:xxxxx@h:1,i:2/d?sslmode=off",
	} {
		if got := Masked(text); got != want || strings.Contains(got, "secret") {
			t.Errorf("Masked(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestChangesOverlap checks that a change of a transaction that commits late is reported, although
// a later one was reported before, and that none is reported twice.
func TestChangesOverlap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(t), p.open(t)
	for n := range 2 {
		if err := s.AddAccount(t.Context(), anAccount(n)); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var got []store.Change
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() {
		_ = other.Changes(ctx, func(list []store.Change) {
			begin()
			mu.Lock()
			defer mu.Unlock()
			got = append(got, list...)
		})
	})
	<-begun
	has := func(n int) {
		t.Helper()
		trials.WaitFor(t, fmt.Sprint("the change of account ", n), func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Contains(got, store.Change{Account: accountID(n)})
		})
	}
	err := s.transact(t.Context(), s.work, "late", func(tx *transaction) error {
		if err := tx.setPlan(t.Context(), accountID(0), "pro"); err != nil {
			return err
		}
		if err := s.feed.record(t.Context(), tx); err != nil {
			return err
		}
		tx.changes = nil
		if err := s.SetPlan(t.Context(), accountID(1), "pro"); err != nil {
			return err
		}
		has(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(0)
	cancel()
	listening.Wait()
	seen := map[store.Change]int{}
	for _, c := range got {
		if seen[c]++; seen[c] > 1 {
			t.Errorf("%+v was reported %d times", c, seen[c])
		}
	}
}

// TestAborted checks that a transaction with a failed statement is not reported as committed, even
// if the error of the statement was ignored.
func TestAborted(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	ctx := t.Context()
	for what, apply := range map[string]func(tx *transaction) error{
		"ignored": func(tx *transaction) error {
			_, _ = tx.affects(ctx, "select 1/0")
			return nil
		},
		"not yet sent": func(tx *transaction) error { return tx.run(ctx, "select 1/0") },
		"many": func(tx *transaction) error {
			for n := range 3 * mostUnsent {
				if err := tx.run(ctx, "select 1/$1::int", n); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		err := s.transact(ctx, s.hot, what, func(tx *transaction) error {
			if err := tx.run(ctx, accountTable.insert, accountTable.args(anAccount(1))...); err != nil {
				return err
			}
			return apply(tx)
		})
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a transaction with a failed statement (%s) = %v, want %v", what, err,
				store.ErrUnavailable)
		}
	}
	if some, err := s.HasAccounts(ctx); err != nil || some {
		t.Errorf("HasAccounts() = %v, %v, want none", some, err)
	}
	if err := s.AddAccount(ctx, anAccount(1)); err != nil {
		t.Error(err)
	}
}
