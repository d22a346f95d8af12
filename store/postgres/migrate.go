package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"leadline/store"
)

//go:embed migrations/*.sql
var files embed.FS

// migrations returns the statements that lead to the newest version of the schema, which equals
// their number. A released migration is never changed; a later one corrects it.
func migrations() []string {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		panic(err) // the pattern is valid
	}
	var list []string
	for _, n := range names {
		content, err := files.ReadFile(n)
		if err != nil {
			panic(err) // it is embedded
		}
		list = append(list, string(content))
	}
	return list
}

const (
	// MostClockDifference is the difference between the clocks of this machine and the server above
	// which a store is not opened: rotations of tokens compare times of several instances.
	MostClockDifference = 5 * time.Second

	oldestServer  = 14_00_00 // server_version_num
	migrationWait = 30 * time.Second
	program       = "leadline"
)

// server describes a server before Open writes anything.
type server struct {
	version  int
	now      time.Time
	readOnly bool
	schema   string // that new tables are created in; "" if there is none
	ours     bool   // the schema has a table schema_version of this program
	others   int    // number of tables, if it is not ours
	at       int    // version of our schema
	standbys int
	standby  string // synchronous_standby_names
	secure   bool   // the connection is encrypted
	denied   string // a table that the role may not write, "" if it may write all
}

// prepare checks a server and migrates its schema.
func prepare(
	ctx context.Context, pool *pgxpool.Pool, t target, o Options, steps []string,
) error {
	fail := func(err error) error { return fmt.Errorf("opening the store %s: %w", t.shown, err) }
	found, err := inspect(ctx, pool, o.Now)
	if err != nil {
		return fail(explain(err))
	}
	if err := found.refuse(len(steps), o.Migrate); err != nil {
		return fail(err)
	}
	for found.at < len(steps) {
		if err := step(ctx, pool, steps); err != nil {
			return fail(fmt.Errorf("migrating it: %w", explain(err)))
		}
		if found, err = inspect(ctx, pool, o.Now); err != nil {
			return fail(explain(err))
		}
		if err := found.refuse(len(steps), o.Migrate); err != nil {
			return fail(err)
		}
	}
	found.warn(t, o)
	return nil
}

// SchemaOf returns the version of the schema of a database, 0 if it is empty, and the version that
// Open migrates it to. It refuses what Open refuses, and writes nothing.
func SchemaOf(ctx context.Context, o Options) (at, newest int, err error) {
	o = o.withDefaults()
	t, err := newTarget(o)
	if err != nil {
		return 0, 0, err
	}
	work, err := t.workPool(ctx, o)
	if err != nil {
		return 0, 0, err
	}
	defer work.Close()
	newest = len(migrations())
	found, err := inspect(ctx, work, o.Now)
	if err != nil {
		err = explain(err)
	} else {
		err = found.refuse(newest, true)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("reading the schema of the store %s: %w", t.shown, err)
	}
	return found.at, newest, nil
}

// inspect reads what a server is. It writes nothing.
func inspect(
	ctx context.Context, pool *pgxpool.Pool, clock func() time.Time,
) (s server, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return s, err
	}
	defer conn.Release()
	// The statement before the clock: the first on a connection takes longer.
	var tables, columns int
	if err := conn.QueryRow(ctx, `select current_setting('server_version_num')::int,
			current_setting('transaction_read_only') = 'on' or pg_is_in_recovery(),
			coalesce(current_schema(), ''),
			(select count(*) from information_schema.tables
				where table_schema = current_schema()),
			(select count(*) from information_schema.columns
				where table_schema = current_schema() and table_name = 'schema_version'
					and column_name in ('version', 'at', 'program')),
			(select count(*) from pg_stat_replication),
			current_setting('synchronous_standby_names')`,
	).Scan(
		&s.version, &s.readOnly, &s.schema, &tables, &columns, &s.standbys, &s.standby,
	); err != nil {
		return s, err
	}
	began := clock()
	if err := conn.QueryRow(ctx, "select clock_timestamp()").Scan(&s.now); err != nil {
		return s, err
	}
	ended := clock()
	s.secure = secure(conn.Conn())
	if columns != 3 {
		s.others = tables
		return s, clockDifference(s.now, began, ended)
	}
	var owner string
	err = conn.QueryRow(ctx, `select coalesce(max(version), 0),
		coalesce(min(program), $1) from schema_version`, program).Scan(&s.at, &owner)
	// Every version is recorded together with the tables that it makes.
	if s.ours = owner == program && (s.at > 0 || tables == 1); !s.ours {
		s.others = tables
	}
	if err == nil && s.ours {
		err = conn.QueryRow(ctx, deniedTable).Scan(&s.denied)
	}
	if err != nil {
		return s, err
	}
	return s, clockDifference(s.now, began, ended)
}

// deniedTable selects a table of the schema that the role may not use as the store does.
const deniedTable = `select coalesce(min(relname), '') from pg_class
	where relnamespace = current_schema()::regnamespace and relkind = 'r'
		and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
			and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))`

// clockDifference returns an error if the time of the server is too far from an interval of this
// machine.
func clockDifference(now, began, ended time.Time) error {
	difference := max(began.Sub(now), now.Sub(ended))
	if difference <= MostClockDifference {
		return nil
	}
	return refusal(fmt.Sprintf("the clock of this machine (%s) differs from that of the server (%s) "+
		"by %s: synchronize both clocks, the difference may be at most %s",
		ended.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339),
		difference.Round(time.Second), MostClockDifference))
}

// refusal is an error that explains itself.
type refusal string

func (r refusal) Error() string { return string(r) }

// refuse returns an error if the store must not be opened.
func (s server) refuse(newest int, migrate bool) error {
	switch {
	case s.version < oldestServer:
		return refusal(fmt.Sprintf("the server is PostgreSQL %d: version %d or newer is required",
			s.version/10_000, oldestServer/10_000))
	case s.schema == "":
		return refusal("the search_path names no schema that exists: " +
			"create it, or remove search_path from the URL and the role")
	case !s.ours && s.others > 0:
		return refusal(fmt.Sprintf("schema %q belongs to another program (tables: %d): "+
			"create a database for this one", s.schema, s.others))
	case s.at > newest:
		return refusal(fmt.Sprintf("its schema is %d, want at most %d: "+
			"a newer version of this program wrote it: install that version", s.at, newest))
	case s.readOnly:
		return refusal("the server is read-only or a standby: name the primary, " +
			"or several hosts with target_session_attrs=read-write")
	case s.denied != "":
		return refusal(fmt.Sprintf("the role may not read and write the table %s: grant it select, "+
			"insert, update and delete on all tables of schema %q", s.denied, s.schema))
	case s.at < newest && !migrate:
		return refusal(fmt.Sprintf("its schema is %d, want %d: run leadline store migrate", s.at, newest))
	}
	return nil
}

// warn logs what weakens the promises of the store.
func (s server) warn(t target, o Options) {
	if s.standbys > 0 && s.standby == "" {
		o.Log.Warn("a standby streams but synchronous_standby_names is empty: " +
			"after a failover units may be served twice and recent changes be lost")
	}
	if host := t.config.ConnConfig.Host; !s.secure && !local(host) {
		o.Log.Warn("the connection to the store is not verified: use sslmode=verify-full",
			"host", host)
	}
}

// local reports whether a host is this machine.
func local(host string) bool {
	return strings.HasPrefix(host, "/") || host == "localhost" ||
		strings.HasPrefix(host, "127.") || host == "::1"
}

// secure reports whether a connection is encrypted and the name of the server verified.
func secure(c *pgx.Conn) bool {
	tls := c.Config().TLSConfig
	return tls != nil && !tls.InsecureSkipVerify
}

// step makes the next migration in a transaction. Several instances that start together make it
// once: the table is locked.
func step(ctx context.Context, pool *pgxpool.Pool, steps []string) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		wait := fmt.Sprintf("set local lock_timeout = %d; set local statement_timeout = 0",
			migrationWait.Milliseconds())
		if _, err := tx.Exec(ctx, wait, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `create table if not exists schema_version (
			version int primary key, at timestamptz not null default now(), program text not null)`,
		); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "lock table schema_version in access exclusive mode"); err != nil {
			return err
		}
		var at int
		if err := tx.QueryRow(ctx, "select coalesce(max(version), 0) from schema_version").
			Scan(&at); err != nil {
			return err
		}
		if at >= len(steps) {
			return nil // another instance has made it
		}
		if _, err := tx.Exec(ctx, steps[at], pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "insert into schema_version (version, program) values ($1, $2)",
			at+1, program)
		return err
	})
	switch code(err) {
	case uniqueViolation, "42P07", "42710": // another instance has created the table meanwhile
		return nil
	}
	return err
}

// explain returns the reason why a server cannot be used, and how to change that.
func explain(err error) error {
	var refused refusal
	if errors.As(err, &refused) {
		return refused
	}
	hint := ""
	switch c := code(err); {
	case c == "28P01" || c == "28000":
		hint = "check the user, the password (--store-password-file) and pg_hba.conf"
	case c == "3D000":
		hint = "create it with createdb"
	case c == "42501":
		hint = "grant the role all privileges on the schema"
	case c == "42704":
		hint = "check the parameters of the URL"
	case c == "53300":
		hint = "raise max_connections or lower --store-connections"
	case c == "53100":
		hint = "the disk of the server is full: make room"
	case c == readOnlyTransaction:
		hint = "name the primary server"
	case c == "08P01":
		hint = "a pooler refuses parameters of sessions: add default_query_exec_mode=cache_describe"
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		hint = "the server does not respond: check the address and the firewall"
	case strings.Contains(err.Error(), "server refused TLS"):
		hint = "switch TLS on at the server (ssl = on), or use sslmode=disable on a trusted network"
	case c == "":
		hint = "check that the server runs and that the address is right"
	}
	text := connectReason(err)
	if hint != "" {
		text += ": " + hint
	}
	return fmt.Errorf("%w: %s", store.ErrUnavailable, text)
}

// connectReason returns the last reason of an error, without the parameters of the connection.
func connectReason(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Message
	}
	text := err.Error()
	if _, reasons, ok := strings.Cut(text, ": "); ok &&
		strings.HasPrefix(text, "failed to connect to") {
		text = strings.Join(strings.Fields(reasons), " ")
	}
	return text
}
