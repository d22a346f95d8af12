package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/internal/trials"
	"leadline/store/postgres/postgrestest"
	"leadline/store/storetest"
)

// steps are migrations of an invented schema with three versions.
var steps = []string{
	"create table one (n int); insert into one values (1)",
	"alter table one add text text not null default 'old'",
	"create table three (n int)",
}

// migrateTo migrates a schema to a version of steps.
func migrateTo(ctx context.Context, url string, version int) error {
	o := slow(url).withDefaults()
	t, err := newTarget(o)
	if err != nil {
		return err
	}
	work, err := t.workPool(ctx, o)
	if err != nil {
		return err
	}
	defer work.Close()
	return prepare(ctx, work, t, o, steps[:version])
}

// observer reads the schema of a database on a connection of its own.
type observer struct{ conn *pgx.Conn }

func observe(t *testing.T, url string) observer {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return observer{conn}
}

// contents returns the columns of all tables of a schema, and the rows of schema_version.
func (o observer) contents(t *testing.T) string {
	t.Helper()
	list, err := rowsIn(t.Context(), o.conn, pgx.RowTo[string], `select
			table_name || '.' || column_name || ' ' || data_type from information_schema.columns
		where table_schema = current_schema() order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := rowsIn(t.Context(), o.conn, pgx.RowTo[string], `select
		t::text from schema_version t order by version`)
	if err != nil && code(err) != "42P01" && code(err) != "42703" {
		t.Fatal(err)
	}
	return strings.Join(append(list, versions...), "\n")
}

// clock returns a clock that differs from that of the server.
func (o observer) clock(t *testing.T, difference time.Duration) func() time.Time {
	t.Helper()
	now, err := rowIn(t.Context(), o.conn, pgx.RowTo[time.Time], "select clock_timestamp()")
	if err != nil {
		t.Fatal(err)
	}
	watch := trials.Start()
	return func() time.Time { return now.Add(watch.Elapsed() + difference) }
}

// contents returns those of a schema.
func contents(t *testing.T, url string) string {
	t.Helper()
	return observe(t, url).contents(t)
}

// TestStepwise checks that steps made one at a time lead to the same schema as all at once, and
// that nothing is done twice.
func TestStepwise(t *testing.T) {
	t.Parallel()
	stepwise, once := postgrestest.Schema(t), postgrestest.Schema(t)
	for version := range len(steps) + 1 {
		for range 2 {
			if err := migrateTo(t.Context(), stepwise, version); err != nil {
				t.Fatalf("migrating to %d: %v", version, err)
			}
		}
	}
	if err := migrateTo(t.Context(), once, len(steps)); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(contents(t, stepwise), "\n(")
	want, _, _ := strings.Cut(contents(t, once), "\n(")
	if got != want || !strings.Contains(got, "one.text") || !strings.Contains(got, "three.n") {
		t.Errorf("step by step:\n%s\nat once:\n%s", got, want)
	}
}

// TestMigrateTogether checks that instances that start together migrate once and all open.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	for range max(1, trials.Kills()/3) {
		url := postgrestest.Schema(t)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := migrateTo(t.Context(), url, len(steps)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := contents(t, url); strings.Count(got, ",leadline)") != len(steps) {
			t.Errorf("after migrations of four instances:\n%s", got)
		}
	}
}

// TestMigrationFails checks that a step that fails leaves the version before it.
func TestMigrationFails(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	if err := migrateTo(t.Context(), url, 1); err != nil {
		t.Fatal(err)
	}
	before := contents(t, url)
	broken := []string{steps[0], "create table two (n int); select 1/0"}
	_, err := open(t.Context(), slow(url), broken)
	if err == nil || !strings.Contains(err.Error(), "migrating it") {
		t.Errorf("Open() = %v, want an error of the migration", err)
	}
	if got := contents(t, url); got != before {
		t.Errorf("after a failed migration:\n%s\nwant\n%s", got, before)
	}
}

// TestRealMigrations checks that the real migrations make an equal schema step by step, and that
// what the store contained before is there afterwards.
func TestRealMigrations(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := openStore(t, url)
	if at, newest, err := SchemaOf(t.Context(), slow(url)); err != nil || at != newest {
		t.Errorf("SchemaOf() = %d, %d, %v, want the newest", at, newest, err)
	}
	storetest.Fill(t, s)
	dump := storetest.Dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := contents(t, url)
	s = openStore(t, url)
	if got := storetest.Dump(t, s); got != dump {
		t.Error("the store has changed after it was opened again")
	}
	if got := contents(t, url); got != before {
		t.Errorf("the schema has changed after it was opened again to\n%s\nfrom\n%s", got, before)
	}
}

// refuses checks that a store is not opened, with an error that has some words and no others, and
// that nothing was written.
func refuses(t *testing.T, what string, o Options, at observer, words ...string) {
	t.Helper()
	before := at.contents(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := Open(ctx, o)
	if err == nil {
		s.Close()
		t.Errorf("%s: the store was opened", what)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: got error %q, want it to contain %q", what, err, word)
		}
	}
	if strings.Contains(err.Error(), secretPassword) {
		t.Errorf("%s: the error contains the password: %v", what, err)
	}
	if got := at.contents(t); got != before {
		t.Errorf("%s: the database has changed to\n%s\nfrom\n%s", what, got, before)
	}
	t.Logf("%s: %v", what, err)
}

const secretPassword = "correct-horse"

// TestRefusedSchemas checks that databases of other programs and of newer versions are refused.
func TestRefusedSchemas(t *testing.T) {
	t.Parallel()
	other := postgrestest.Schema(t)
	postgrestest.Exec(t, other, "create table users (id int)")
	refuses(t, "another program", slow(other), observe(t, other),
		"belongs to another program (tables: 1)", "create a database")

	flyway := postgrestest.Schema(t)
	postgrestest.Exec(t, flyway, "create table schema_version (version_rank int, script text)")
	refuses(t, "another schema_version", slow(flyway), observe(t, flyway), "another program")

	alike := postgrestest.Schema(t)
	postgrestest.Exec(t, alike,
		"create table schema_version (version int primary key, at timestamptz, program text)",
		"insert into schema_version values (1, now(), 'other')")
	refuses(t, "a schema_version of another program", slow(alike), observe(t, alike),
		"another program")

	newest := len(migrations())
	newer := postgrestest.Schema(t)
	openStore(t, newer).Close()
	postgrestest.Exec(t, newer, fmt.Sprintf(
		"insert into schema_version (version, program) values (%d, 'leadline')", newest+1))
	refuses(t, "a newer schema", slow(newer), observe(t, newer),
		fmt.Sprintf("its schema is %d, want at most %d", newest+1, newest), "newer version")

	unversioned := newer
	postgrestest.Exec(t, unversioned, "delete from schema_version")
	refuses(t, "tables without a version", slow(unversioned), observe(t, unversioned),
		"another program")

	empty := postgrestest.Schema(t)
	if at, to, err := SchemaOf(t.Context(), slow(empty)); err != nil || at != 0 || to != newest {
		t.Errorf("SchemaOf() of an empty database = %d, %d, %v, want 0, %d", at, to, err, newest)
	}
	if _, _, err := SchemaOf(t.Context(), slow(other)); err == nil {
		t.Error("SchemaOf() of another program's database has succeeded")
	}
	manual := slow(empty)
	manual.Migrate = false
	refuses(t, "an empty database without migration", manual, observe(t, empty),
		fmt.Sprintf("its schema is 0, want %d", newest), "migrate")
	missing := postgrestest.With(t, empty, "search_path", "nowhere")
	refuses(t, "a schema that does not exist", slow(missing), observe(t, empty), "search_path")
}

// TestRefusedServers checks the errors of servers that cannot be used as they are.
func TestRefusedServers(t *testing.T) {
	t.Parallel()
	c := postgrestest.Shared(t)
	database := observe(t, c.URL())
	t.Cleanup(func() {
		for _, role := range []string{"locked", "encrypted", "plain"} {
			postgrestest.Exec(t, c.URL(), "drop owned by "+role, "drop role "+role)
		}
	})
	postgrestest.Exec(t, c.URL(), "create role locked login password '"+secretPassword+"'",
		"create role encrypted login", "create role plain login")
	c.Authenticate(t, "host all locked 127.0.0.1/32 scram-sha-256",
		"hostssl all encrypted 127.0.0.1/32 trust", "host all plain 127.0.0.1/32 trust")
	at := func(user, rest string) Options {
		return slow("postgres://" + user + "@" + c.Address() + "/" + rest)
	}
	refuses(t, "a wrong password", at("locked:"+secretPassword+"x", "postgres?sslmode=disable"),
		database, "password authentication failed", "--store-password-file", "xxxxx")
	refuses(t, "an unknown role", at("nobody", "postgres?sslmode=disable"), database, "nobody",
		"pg_hba.conf")
	refuses(t, "an unknown database", at("plain", "nowhere?sslmode=disable"), database,
		`database "nowhere" does not exist`, "createdb")
	refuses(t, "TLS that the server refuses", at("plain", "postgres?sslmode=require"), database,
		"server refused TLS", "sslmode=disable")
	refuses(t, "TLS that the server requires", at("encrypted", "postgres?sslmode=disable"), database,
		"no encryption", "pg_hba.conf")
	refuses(t, "a role without rights", at("plain", "postgres?sslmode=disable"), database,
		"permission denied", "grant")
	reading := postgrestest.SchemaIn(t, c.URL())
	openStore(t, reading).Close()
	u, err := url.Parse(reading)
	if err != nil {
		t.Fatal(err)
	}
	schema := u.Query().Get("search_path")
	postgrestest.Exec(t, reading, "grant usage on schema "+schema+" to plain",
		"grant select on all tables in schema "+schema+" to plain")
	refuses(t, "a role that may only read",
		at("plain", "postgres?sslmode=disable&search_path="+schema), observe(t, reading),
		"may not read and write the table account", "grant it select, insert, update and delete")
	readOnly := postgrestest.With(t, c.URL(), "default_transaction_read_only", "on")
	refuses(t, "a read-only server", slow(readOnly), database, "read-only", "primary")
	late := slow(c.URL())
	late.Now = database.clock(t, time.Hour)
	refuses(t, "a clock that is an hour ahead", late, database, "clock", "1h0m0s", "at most 5s")
	late.Now = database.clock(t, -6*time.Second)
	refuses(t, "a clock that is 6 s behind", late, database, "clock", "6s")
	few := slow(c.URL())
	few.Connections = 3
	refuses(t, "too few connections", few, database, "connections 3", "at least")
	refuses(t, "a URL that is none", slow("postgres://u:"+secretPassword+"@h:port/x"), database,
		"invalid store URL")
	refuses(t, "a password with a space and a slash",
		slow("postgres://u:"+secretPassword+" pass/word@h/x"), database, "invalid store URL", "spaces")
	refuses(t, "a parameter that is none", at("plain", "postgres?sslmod=disable"), database, "sslmod",
		"check the parameters of the URL")
	refuses(t, "a mode of TLS that is none",
		slow("postgres://u:"+secretPassword+"@h/x?sslmode=perhaps"), database, "invalid store URL",
		"sslmode")
	file := slow(c.URL())
	file.PasswordFile = t.TempDir() + "/missing"
	refuses(t, "a password file that is missing", file, database, "missing")
	listen := slow(postgrestest.SchemaIn(t, c.URL()))
	listen.Listen = "postgres://locked@" + c.Address() + "/postgres?sslmode=disable"
	if s, err := Open(t.Context(), listen); err == nil {
		s.Close()
		t.Error("a store was opened whose listen URL cannot be used")
	} else if !strings.Contains(err.Error(), "listening for changes") {
		t.Errorf("a listen URL that cannot be used: %v", err)
	}
	listen.Listen = postgrestest.SchemaIn(t, c.URL())
	if s, err := Open(t.Context(), listen); err == nil {
		s.Close()
		t.Error("a store was opened whose listen URL names another database")
	} else if !strings.Contains(err.Error(), "--store-listen names another database") {
		t.Errorf("a listen URL of another database: %v", err)
	}

	unreachable := "postgres://u:" + secretPassword + "@127.0.0.1:1/x?sslmode=disable"
	refuses(t, "a server that does not run", slow(unreachable), database, "connection refused",
		"check that the server runs", "xxxxx")
	silent := postgrestest.NewProxy(t, c.Address())
	silent.Drop(true)
	refuses(t, "a server that does not respond",
		slow("postgres://plain@"+silent.Address()+"/postgres?sslmode=disable"), database,
		"does not respond", "firewall")
}

// TestClock checks that a small difference of the clocks is accepted.
func TestClock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.open(t)
	o := slow(p.url)
	o.Now = observe(t, p.url).clock(t, 4*time.Second)
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
