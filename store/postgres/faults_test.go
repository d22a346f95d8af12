package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/store"
	"leadline/store/postgres/postgrestest"
	"leadline/store/storetest"
)

// gateTime limits the time for which requests wait for the store.
const gateTime = 250 * time.Millisecond

// load runs callers that use a store as requests do, and remembers what was acknowledged.
type load struct {
	store   *Store
	stop    chan struct{}
	halt    func() // closes stop and waits for the callers
	callers sync.WaitGroup

	mu       sync.Mutex
	accounts []int         // added
	granted  uint64        // units that Reserve has returned
	longest  time.Duration // of a call
	first    time.Time     // of the first success after mark

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
	for range 16 {
		l.callers.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				case <-time.After(2 * time.Millisecond):
				}
				l.call(t)
			}
		})
	}
	return l
}

// call makes a read, a reservation and a write.
func (l *load) call(t *testing.T) {
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
}

// timed makes a call with the deadline of a request, and reports whether it succeeded.
func (l *load) timed(t *testing.T, call func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), gateTime)
	defer cancel()
	began := time.Now()
	err := call(ctx)
	took := time.Since(began)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, took)
	if err != nil {
		l.failed.Add(1)
		if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call failed with %v", err)
		}
		return false
	}
	l.done.Add(1)
	if l.first.IsZero() {
		l.first = time.Now()
	}
	return true
}

// mark begins a new measurement and returns its time.
func (l *load) mark() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.longest = time.Time{}, 0
	l.done.Store(0)
	l.failed.Store(0)
	return time.Now()
}

// recover waits for a success after a time and logs what happened since the last mark.
func (l *load) recover(t *testing.T, what string, since time.Time) {
	t.Helper()
	l.mu.Lock()
	l.first = time.Time{}
	l.mu.Unlock()
	for {
		l.mu.Lock()
		first, longest := l.first, l.longest
		l.mu.Unlock()
		if !first.IsZero() {
			t.Logf("%s: first success after %v, %d calls failed, the longest call took %v", what,
				first.Sub(since).Round(time.Millisecond), l.failed.Load(), longest.Round(time.Millisecond))
			return
		}
		time.Sleep(time.Millisecond)
	}
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
	for want := l.done.Load() + calls; l.done.Load() < want; {
		time.Sleep(time.Millisecond)
	}
}

// TestServerKilled kills the server with all its processes while callers use it. What was
// acknowledged is there after its recovery, and the store works again by itself.
func TestServerKilled(t *testing.T) {
	c := postgrestest.Own(t, postgrestest.Durable()...)
	o := Options{URL: c.URL(), Migrate: true}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := begin(t, s)
	for _, end := range []struct {
		what string
		stop func() error
	}{{"kill -9", c.Kill}, {"immediate shutdown", c.Halt}, {"kill -9 again", c.Kill}} {
		l.pause(t, 300)
		l.mark()
		if err := end.stop(); err != nil {
			t.Fatal(err)
		}
		for l.failed.Load() < 50 {
			time.Sleep(time.Millisecond)
		}
		if err := c.Run(); err != nil {
			t.Fatal(err)
		}
		l.recover(t, end.what, time.Now())
	}
	l.pause(t, 300)
	l.end(t)
}

// TestNetworkFaults cuts, holds back and delays the connections of callers.
func TestNetworkFaults(t *testing.T) {
	c := postgrestest.Own(t, postgrestest.Durable()...)
	p := postgrestest.NewProxy(t, c.Address())
	o := Options{
		URL:     fmt.Sprintf("postgres://leadline@%s/postgres?sslmode=disable", p.Address()),
		Migrate: true,
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := begin(t, s)
	l.pause(t, 300)
	for range 5 {
		l.mark()
		p.Reset()
		l.recover(t, "connections reset", time.Now())
		l.pause(t, 100)
	}
	l.mark()
	p.Down()
	for l.failed.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	p.Up()
	l.recover(t, "connections refused", time.Now())
	l.pause(t, 100)

	l.mark()
	p.Drop(true)
	for l.failed.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(2 * time.Second) // the listener must notice, too
	p.Drop(false)
	l.recover(t, "nothing arrives for 2 s", time.Now())
	l.pause(t, 100)

	l.mark()
	p.Delay(20 * time.Millisecond)
	l.pause(t, 200)
	l.recover(t, "20 ms of delay", time.Now())
	p.Delay(0)
	l.pause(t, 100)
	direct := openStore(t, c.URL())
	arrives(t, direct, s)
	l.end(t)
}

// TestSlowStatements checks that the server aborts late statements, so that their connections
// remain, and that a lock which is held does not block callers for long.
func TestSlowStatements(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s, err := Open(t.Context(), Options{URL: url, Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.AddAccount(t.Context(), anAccount(0)); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
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
	holder, err := s.work.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(ctx, "select from account for update"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPlan(ctx, accountID(0), "pro"); code(err) != "55P03" {
		t.Errorf("a call that waits for a lock = %v, want it aborted", err)
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPlan(ctx, accountID(0), "pro"); err != nil {
		t.Errorf("the call after the lock: %v", err)
	}
}

// TestMethodsWithoutServer checks that every method fails while the server is down, and that the
// contents are the same when it runs again.
func TestMethodsWithoutServer(t *testing.T) {
	c := postgrestest.Own(t, postgrestest.Durable()...)
	s := openStore(t, c.URL())
	storetest.Fill(t, s)
	before := storetest.Dump(t, s)
	if err := c.Kill(); err != nil {
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
	for s.Ready(t.Context()) != nil {
		time.Sleep(time.Millisecond)
	}
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
	url := postgrestest.Schema(t)
	s, other := openStore(t, url), openStore(t, url)
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
		for {
			mu.Lock()
			found := slices.Contains(got, store.Change{Account: accountID(n)})
			mu.Unlock()
			if found {
				return
			}
			time.Sleep(time.Millisecond)
		}
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
	s := openStore(t, postgrestest.Schema(t))
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
			if err := tx.run(ctx, insertAccount, accountArgs(anAccount(1))...); err != nil {
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
