// Package postgrestest runs a real PostgreSQL for tests. A cluster lives in a temporary folder and
// listens on a Unix socket and on loopback; each test gets a schema of its own in it. Without
// PostgreSQL tests are skipped, unless LEADLINE_REQUIRE is "all".
//
// LEADLINE_POSTGRES may name the database of a running server instead, as a URL whose user may
// create schemas. Tests that stop the server always start one.
package postgrestest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"leadline/internal/trials"
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
	ready  chan struct{} // closed when server accepts connections
	exited chan struct{} // closed when server has ended
	silent chan struct{} // closed when the other processes have ended, too
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
	if err := c.copyTemplate(); err != nil {
		return err
	}
	if c.log, err = os.Create(filepath.Join(c.folder, "log")); err != nil {
		return err
	}
	return c.Run()
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// template is a folder with the files of a new cluster, which all clusters of a test binary copy:
// initdb takes much longer.
var template struct {
	once   sync.Once
	folder string
	err    error
}

// RemoveTemplate removes the files that Start has copied. No cluster may be started after that.
func RemoveTemplate() {
	if template.folder != "" {
		os.RemoveAll(template.folder)
	}
}

// copyTemplate copies the files of a new cluster.
func (c *Cluster) copyTemplate() error {
	template.once.Do(func() { template.err = c.createTemplate() })
	if template.err != nil {
		return template.err
	}
	command := exec.Command("cp", "-R", filepath.Join(template.folder, "data"), c.data())
	c.user.run(command)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("copying a cluster: %w: %s", err, output)
	}
	return nil
}

// createTemplate creates the files of a new cluster.
func (c *Cluster) createTemplate() (err error) {
	if template.folder, err = os.MkdirTemp("", "postgres-template"); err != nil {
		return err
	}
	if err := c.user.own(template.folder); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "--no-sync", "--encoding=UTF8",
		"--locale=C", "--username=leadline", "--auth=trust", "--wal-segsize=1",
		"--pgdata="+filepath.Join(template.folder, "data"))
	initdb.Dir = template.folder
	c.user.run(initdb)
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	return nil
}

// Run starts the server of a cluster that was stopped, and waits until it accepts connections. Its
// processes that have survived a kill of the first one end before that.
func (c *Cluster) Run() error {
	if c.silent != nil {
		<-c.silent
	}
	if err := c.launch(); err != nil {
		return err
	}
	select {
	case <-c.ready:
		return nil
	case <-c.exited:
		<-c.silent
		output, _ := os.ReadFile(c.log.Name())
		return fmt.Errorf("PostgreSQL does not start: %s", output)
	}
}

// accepts is the line of the log of a server that is ready.
const accepts = "database system is ready to accept connections"

// launch starts the server and does not wait for it.
func (c *Cluster) launch() error {
	args := []string{"-D", c.data()}
	for _, setting := range append([]string{
		"port=" + strconv.Itoa(c.port), "unix_socket_directories=" + c.folder,
		"listen_addresses=127.0.0.1", "max_connections=800", "fsync=off",
		"synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB",
		"autovacuum=off", "jit=off", "plan_cache_mode=force_generic_plan",
	}, c.extra...) {
		args = append(args, "-c", setting)
	}
	output, log, err := os.Pipe()
	if err != nil {
		return err
	}
	defer log.Close()
	c.server = exec.Command(filepath.Join(c.bin, "postgres"), args...)
	c.server.Dir, c.server.Stdout, c.server.Stderr = c.folder, log, log
	c.user.run(c.server)
	if err := c.server.Start(); err != nil {
		output.Close()
		return err
	}
	ready, exited, silent := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.ready, c.exited, c.silent = ready, exited, silent
	go func() {
		defer close(silent)
		c.keepLog(output, sync.OnceFunc(func() { close(ready) }))
	}()
	go func(server *exec.Cmd) {
		_ = server.Wait()
		close(exited)
	}(c.server)
	return nil
}

// keepLog copies what a server and its processes log until all have ended. It calls ready when the
// server accepts connections.
func (c *Cluster) keepLog(output *os.File, ready func()) {
	defer output.Close()
	for lines := bufio.NewReader(output); ; {
		line, err := lines.ReadString('\n')
		_, _ = c.log.WriteString(line)
		if strings.Contains(line, accepts) {
			ready()
		}
		if err != nil {
			return
		}
	}
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
	return fmt.Sprintf("postgres://leadline@/postgres?host=%s&port=%d&sslmode=disable"+
		"&connect_timeout=60", url.QueryEscape(c.folder), c.port)
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
		<-c.silent
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

// Ports that no system gives to a connection or a listener that asks for any: Linux has those from
// 32768, the others from 49152.
const (
	firstPort = 16384
	lastPort  = 32767
)

// freePort returns a port for a server that is stopped and started again: nobody takes it
// meanwhile.
func freePort() (int, error) {
	for {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return 0, err
		}
		return port, l.Close()
	}
}

// shared is the cluster of a test binary.
var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Main runs the tests of a package and then stops the cluster that they have shared. TestMain calls
// it.
func Main(m *testing.M) int {
	defer func() {
		if shared.cluster != nil {
			shared.cluster.Stop()
		}
		RemoveTemplate()
		if err := dropKept(); err != nil {
			fmt.Fprintln(os.Stderr, "removing schemas of tests:", err)
		}
	}()
	return m.Run()
}

// Skip skips a test without PostgreSQL. It fails if LEADLINE_REQUIRE is "all".
func Skip(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, errMissing):
		trials.Skip(t, err.Error())
	default:
		t.Fatal(err)
	}
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

// Shared returns the cluster that the tests of a package share. A test may set it up for its users
// and databases, which it removes, and must not stop it.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	sameClock(t)
	shared.once.Do(func() { shared.cluster, shared.err = Start() })
	Skip(t, shared.err)
	return shared.cluster
}

// Database returns the URL of the database that the tests of a package share.
func Database(t testing.TB) string {
	t.Helper()
	if url := os.Getenv(Variable); url != "" {
		sameClock(t)
		return url
	}
	return Shared(t).URL()
}

var schemas atomic.Int64

// Schema creates an empty schema in the shared database and returns a URL that leads to it.
func Schema(t testing.TB) string {
	t.Helper()
	return SchemaIn(t, Database(t))
}

// SchemaIn creates an empty schema in a database. It is removed after the test, or with the cluster
// that the tests share.
func SchemaIn(t testing.TB, database string) string {
	t.Helper()
	name, address := newSchema(t, database)
	if database == os.Getenv(Variable) {
		t.Cleanup(func() { Exec(t, database, "drop schema "+name+" cascade") })
	}
	return address
}

// kept are the schemas of KeptSchema.
var kept struct {
	mu    sync.Mutex
	names []string // guarded by mu
}

// KeptSchema creates an empty schema in the shared database which is there until the last test has
// ended.
func KeptSchema(t testing.TB) string {
	t.Helper()
	name, address := newSchema(t, Database(t))
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.names = append(kept.names, name)
	return address
}

// dropKept removes the schemas of KeptSchema from a database that is not only for the tests.
func dropKept() error {
	database := os.Getenv(Variable)
	if database == "" || len(kept.names) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, name := range kept.names {
		if _, err := conn.Exec(ctx, "drop schema "+name+" cascade"); err != nil {
			return err
		}
	}
	return nil
}

func newSchema(t testing.TB, database string) (name, address string) {
	t.Helper()
	name = fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	Exec(t, database, "create schema "+name)
	return name, With(t, database, "search_path", name)
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
