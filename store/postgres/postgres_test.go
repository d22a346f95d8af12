package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) func() storetest.Engine {
		p := newPlace(t)
		return func() storetest.Engine { return p.open(t) }
	})
}

// slow returns the options of a store whose statements may take long, on a busy machine.
func slow(url string) Options {
	return Options{URL: url, Migrate: true, Timeout: 20 * time.Second, Connections: 7}
}

// openStore opens a store. It is closed at the end of the test; a test may close it earlier.
func openStore(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), slow(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// tables lists the tables whose rows belong to the contract. The others coordinate instances.
var tables = []string{
	"account", "api_key", "client", "code", "component_day", "delivery", "endpoint", "event", "fact",
	"identity", "incident", "oauth_grant", "once", "password", "quota_month", "replaced_token",
	"session", "ticket", "use_day", "watch",
}

// coordinating lists the other tables.
var coordinating = []string{
	"change_log", "guard", "instance", "job", "rate_share", "schema_version",
}

// TestTables checks that a dump includes every table of the contract.
func TestTables(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	got, err := rows(t.Context(), s, s.work, "Tables", pgx.RowTo[string], `select table_name::text
		from information_schema.tables where table_schema = current_schema() order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(slices.Concat(tables, coordinating)))
	if !slices.Equal(got, want) {
		t.Errorf("tables = %v, want %v", got, want)
	}
}

// TestNoticeAfterWait checks that a notice which becomes due while a reservation waits for another
// transaction is posted.
func TestNoticeAfterWait(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	ctx := t.Context()
	const limit, notice = 1000, 800
	if err := s.AddAccount(ctx, anAccount(0)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddEndpoint(ctx, anEndpoint(0), 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Reserve(ctx, accountID(0), 202611, 1, limit); err != nil {
		t.Fatal(err)
	}
	other, err := s.work.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(ctx, "update quota_month set reserved = $1", notice-2); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, reserved, err := s.Reserve(ctx, accountID(0), 202611, 5, limit, store.Notice{
			At: notice, Event: func() (store.Event, error) { return anEvent(1, 0), nil },
		})
		if err == nil && reserved != notice+3 {
			err = fmt.Errorf("%d units are reserved, want %d", reserved, notice+3)
		}
		done <- err
	}()
	const waits = "select count(*) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))"
	trials.WaitFor(t, "a reservation that waits", func() bool {
		var n int
		if err := s.work.QueryRow(ctx, waits, other.Conn().PgConn().PID()).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n > 0
	})
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Event(ctx, anEvent(1, 0).ID); err != nil {
		t.Errorf("the event of the notice: %v", err)
	}
}

// TestPrune checks that Sweep removes changes, jobs and shares that are past their time, and no
// others.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	ctx := t.Context()
	use := func(name string) {
		t.Helper()
		var list []store.ShareRequest
		for n := range 3 {
			subject := keyHash(n)
			copy(subject[:], name)
			list = append(list, store.ShareRequest{Subject: subject, Share: 1, Limit: 5})
		}
		if _, err := s.Enroll(ctx, store.Instance{ID: name}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Shares(ctx, name, list); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Hold(ctx, name, "job of "+name, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := s.AddAccount(ctx, store.Account{ID: name, Email: name}); err != nil {
			t.Fatal(err)
		}
		if err := s.SetPlan(ctx, name, "pro"); err != nil {
			t.Fatal(err)
		}
	}
	left := func(want string) {
		t.Helper()
		got, err := row(ctx, s, "Left", pgx.RowTo[string], `select concat_ws(' ',
			(select count(*) from change_log), (select count(*) from job),
			(select count(*) from rate_share))`)
		if err != nil || got != want {
			t.Errorf("changes, jobs and shares that remain: %s, %v, want %s", got, err, want)
		}
	}
	sweep := func(want bool) {
		t.Helper()
		if more, err := s.Sweep(ctx, noon, 2); err != nil || more != want {
			t.Errorf("Sweep() = %v, %v, want %v", more, err, want)
		}
	}
	use("old")
	sweep(false)
	left("1 1 3")
	if err := s.Age(ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := s.exec(ctx, "Age", "update change_log set at = at - interval '1 h'"); err != nil {
		t.Fatal(err)
	}
	use("new")
	left("2 2 6")
	sweep(true)
	sweep(false)
	left("1 1 3")
}

// Rows implements storetest.Engine. Claims of endpoints and watches do not count, nor numbers of
// rows.
func (s *Store) Rows(ctx context.Context, row func(table, row string)) error {
	type named struct{ Table, Row string }
	list, err := rows(ctx, s, s.work, "Rows", pgx.RowToStructByPos[named], allRows)
	for _, one := range list {
		row(one.Table, one.Row)
	}
	return err
}

// allRows selects the rows of all tables of the contract.
var allRows = func() string {
	var parts []string
	for _, table := range tables {
		parts = append(parts, fmt.Sprintf("select '%s', "+
			"(to_jsonb(t) - 'owner' - 'owned_until' - 'seq')::text from %[1]s t", table))
	}
	return strings.Join(parts, " union all ") + " order by 1, 2"
}()

// Age implements storetest.Engine.
func (s *Store) Age(ctx context.Context, d time.Duration) error {
	for _, sql := range []string{
		"update instance set seen = seen - $1::interval, left_at = left_at - $1::interval",
		"update job set until = until - $1::interval",
		`update rate_share set until = array(
			select t - $1::interval from unnest(until) with ordinality u(t, n) order by n)`,
	} {
		if _, err := s.exec(ctx, "Age", sql, d); err != nil {
			return err
		}
	}
	return nil
}
