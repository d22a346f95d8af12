// Package postgrestest runs a real PostgreSQL for tests. A cluster lives in a temporary folder and
// listens on a Unix socket and on loopback; each test gets a schema of its own in it. Without
// PostgreSQL tests are skipped, unless LEADLINE_REQUIRE is "all".
//
// LEADLINE_POSTGRES may name the database of a running server instead, as a URL whose user may
// create schemas. Tests that stop the server always start one.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the URL of a database for tests.
const Variable = "LEADLINE_POSTGRES"

// missing is the message of tests without PostgreSQL.
const missing = "PostgreSQL not found: apt-get install postgresql, or set " + Variable

var errMissing = errors.New(missing)

// Cluster is a running server of its own.
type Cluster struct {
	folder string // with the data and the socket
	bin    string
	port   int
	user   *credential // nil for that of this process
	extra  []string    // settings
	server *exec.Cmd
	exited chan struct{} // closed when server has ended
	log    *os.File
}

// Durable makes a cluster survive crashes of its machine, as servers do that are not for tests. The
// other clusters are faster.
func Durable() []string {
	return []string{"fsync=on", "synchronous_commit=on", "full_page_writes=on"}
}

// Start starts a cluster with settings such as "max_connections=50" after those of its own.
func Start(settings ...string) (*Cluster, error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder, bin: bin, extra: settings}
	if err := c.create(); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// create creates the files of the cluster and starts it.
func (c *Cluster) create() (err error) {
	if c.user, err = ordinaryUser(); err != nil {
		return err
	}
	if err := c.user.own(c.folder); err != nil {
		return err
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "--no-sync", "--encoding=UTF8",
		"--locale=C", "--username=leadline", "--auth=trust", "--pgdata="+c.data())
	initdb.Dir = c.folder
	c.user.run(initdb)
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	if c.log, err = os.Create(filepath.Join(c.folder, "log")); err != nil {
		return err
	}
	return c.Run()
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// Run starts the server of a cluster that was stopped, and waits until it accepts connections. Its
// processes that have survived a kill of the first one may prevent that for a moment.
func (c *Cluster) Run() error {
	if err := c.launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		select {
		case <-c.exited:
			if err := c.launch(); err != nil {
				return err
			}
		default:
		}
		conn, err := pgx.Connect(ctx, c.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			output, _ := os.ReadFile(c.log.Name())
			return fmt.Errorf("PostgreSQL does not start: %w: %s", err, output)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// launch starts the server and does not wait for it.
func (c *Cluster) launch() error {
	args := []string{"-D", c.data()}
	for _, setting := range append([]string{
		"port=" + strconv.Itoa(c.port), "unix_socket_directories=" + c.folder,
		"listen_addresses=127.0.0.1", "max_connections=800", "fsync=off",
		"synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB",
		"autovacuum_naptime=5s",
	}, c.extra...) {
		args = append(args, "-c", setting)
	}
	c.server = exec.Command(filepath.Join(c.bin, "postgres"), args...)
	c.server.Dir, c.server.Stdout, c.server.Stderr = c.folder, c.log, c.log
	c.user.run(c.server)
	if err := c.server.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	c.exited = exited
	go func(server *exec.Cmd) {
		_ = server.Wait()
		close(exited)
	}(c.server)
	return nil
}

// Authenticate replaces the lines of pg_hba.conf for connections on loopback, which decide who may
// connect and how. The user of URL may always do so.
func (c *Cluster) Authenticate(t testing.TB, lines ...string) {
	t.Helper()
	name := filepath.Join(c.data(), "pg_hba.conf")
	text := strings.Join(lines, "\n") + "\nlocal all all trust\n" +
		"host all leadline 127.0.0.1/32 trust\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	Exec(t, c.URL(), "select pg_reload_conf()")
}

// URL returns the address of the server's database on its Unix socket.
func (c *Cluster) URL() string {
	return fmt.Sprintf("postgres://leadline@/postgres?host=%s&port=%d&sslmode=disable",
		url.QueryEscape(c.folder), c.port)
}

// Address returns the address of the server on loopback.
func (c *Cluster) Address() string { return "127.0.0.1:" + strconv.Itoa(c.port) }

// Kill kills the first process of the server. The others end when they notice that.
func (c *Cluster) Kill() error {
	if err := c.server.Process.Kill(); err != nil {
		return err
	}
	<-c.exited
	return nil
}

// Halt ends the server at once, as a crash of its software does.
func (c *Cluster) Halt() error {
	if err := c.server.Process.Signal(immediate); err != nil {
		return err
	}
	<-c.exited
	return nil
}

// Stop ends the server and removes its files.
func (c *Cluster) Stop() {
	if c.exited != nil {
		_ = c.Halt() // fails if it has ended
	}
	if c.log != nil {
		c.log.Close()
	}
	os.RemoveAll(c.folder)
}

// findPrograms returns the folder of the newest PostgreSQL programs.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errMissing
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// shared is the cluster of a test binary.
var shared struct {
	once    sync.Once
	cluster *Cluster
	url     string
	err     error
}

// Main runs the tests of a package and then stops the cluster that they have shared. TestMain calls
// it.
func Main(m *testing.M) int {
	defer func() {
		if shared.cluster != nil {
			shared.cluster.Stop()
		}
	}()
	return m.Run()
}

// Skip skips a test without PostgreSQL. It fails if LEADLINE_REQUIRE is "all".
func Skip(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if !errors.Is(err, errMissing) || os.Getenv("LEADLINE_REQUIRE") == "all" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// sameClock skips a test whose clock scripts/clock shifts: that of PostgreSQL stays the machine's,
// and an engine does not start on a database with another clock.
func sameClock(t testing.TB) {
	t.Helper()
	if os.Getenv("CLOCK_SHIFT") != "" {
		t.Skip("the clock of PostgreSQL cannot be shifted")
	}
}

// Own starts a cluster for one test.
func Own(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	sameClock(t)
	c, err := Start(settings...)
	Skip(t, err)
	t.Cleanup(c.Stop)
	return c
}

// Database returns the URL of the database that the tests of a package share.
func Database(t testing.TB) string {
	t.Helper()
	sameClock(t)
	shared.once.Do(func() {
		if shared.url = os.Getenv(Variable); shared.url != "" {
			return
		}
		if shared.cluster, shared.err = Start(); shared.err == nil {
			shared.url = shared.cluster.URL()
		}
	})
	Skip(t, shared.err)
	return shared.url
}

var schemas atomic.Int64

// Schema creates an empty schema in the shared database and returns a URL that leads to it. It is
// removed after the test.
func Schema(t testing.TB) string {
	t.Helper()
	return SchemaIn(t, Database(t))
}

// SchemaIn creates an empty schema in a database.
func SchemaIn(t testing.TB, database string) string {
	t.Helper()
	schema := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	Exec(t, database, "create schema "+schema)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if conn, err := pgx.Connect(ctx, database); err == nil {
			defer conn.Close(ctx)
			_, _ = conn.Exec(ctx, "drop schema "+schema+" cascade")
		}
	})
	return With(t, database, "search_path", schema)
}

// With returns a URL with a parameter.
func With(t testing.TB, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Exec executes statements without parameters.
func Exec(t testing.TB, address string, statements ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
