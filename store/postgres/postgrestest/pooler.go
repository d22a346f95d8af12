package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"leadline/internal/trials"
)

// Pooler starts PgBouncer in transaction mode in front of a database of a cluster, and returns the
// URL that leads through it. It is stopped after the test.
func Pooler(t testing.TB, c *Cluster, database string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		Skip(t, fmt.Errorf("PgBouncer not found: apt-get install pgbouncer (%w)", errMissing))
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(c.folder, "pooler")
	if err != nil {
		t.Fatal(err)
	}
	users := filepath.Join(folder, "users")
	config := filepath.Join(folder, "config")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(users, "\"leadline\" \"\"\n")
	write(config, fmt.Sprintf(`[databases]
%s = host=%s port=%d dbname=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = %s
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
`, database, c.folder, c.port, database, port, users))
	if err := c.user.own(folder); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, config)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, c.log, c.log
	c.user.run(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := fmt.Sprintf("postgres://leadline@127.0.0.1:%d/%s?sslmode=disable", port, database)
	trials.WaitFor(t, "a connection through PgBouncer", func() bool {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return false
		}
		return conn.Close(t.Context()) == nil
	})
	return url
}
