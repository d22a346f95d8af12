package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// workConnections is the number of connections for jobs and lists.
const workConnections = 4

// The limits of what serves jobs and lists, and of transactions that wait for this program.
const (
	workTimeout = 10 * time.Second
	idleTimeout = 5 * time.Second
)

// target is a parsed URL.
type target struct {
	config *pgxpool.Config
	listen *pgx.ConnConfig // for changes; nil if this pooler does not forward notifications
	shown  string          // the URL without its password
	pooled bool            // behind a pooler, which refuses parameters of sessions
}

// newTarget parses the URLs of options. Errors do not contain passwords.
func newTarget(o Options) (target, error) {
	t := target{shown: Masked(o.URL)}
	least := workConnections + 2
	if o.Connections < least {
		return t, fmt.Errorf("invalid number of connections %d: must be at least %d",
			o.Connections, least)
	}
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return t, fmt.Errorf("invalid store URL %s: %s", t.shown, reason(err, o.URL))
	}
	password, err := readPassword(o.PasswordFile)
	if err != nil {
		return t, err
	}
	t.config = config
	t.pooled = config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
	setUp(config.ConnConfig, o, password)
	switch {
	case o.Listen != "":
		if t.listen, err = pgx.ParseConfig(o.Listen); err != nil {
			return t, fmt.Errorf("invalid listen URL %s: %s", Masked(o.Listen), reason(err, o.Listen))
		}
		setUp(t.listen, o, password)
	case !t.pooled:
		t.listen = config.ConnConfig.Copy()
	}
	return t, nil
}

// setUp completes the configuration of a connection.
func setUp(c *pgx.ConnConfig, o Options, password string) {
	if password != "" {
		c.Password = password
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 2 * time.Second
	}
	if _, ok := c.RuntimeParams["application_name"]; !ok {
		c.RuntimeParams["application_name"] = strings.TrimSpace("leadline " + o.Instance)
	}
	c.DialFunc = dialer().DialContext
}

// dialer connects to servers, and finds out within seconds that one is gone.
func dialer() *net.Dialer {
	return &net.Dialer{KeepAlive: 15 * time.Second, Control: limitUnacknowledged}
}

func readPassword(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the password of the store: %w", err)
	}
	password := strings.TrimRight(string(content), "\r\n")
	if password == "" {
		return "", fmt.Errorf("the password file %s is empty: write the password into it", file)
	}
	return password, nil
}

// hotPool opens the pool for requests.
func (t target) hotPool(ctx context.Context, o Options) (*pgxpool.Pool, error) {
	return t.pool(ctx, o.Connections-workConnections, o.Timeout, o.Timeout*3/4)
}

// workPool opens the pool for jobs and lists.
func (t target) workPool(ctx context.Context, o Options) (*pgxpool.Pool, error) {
	return t.pool(ctx, workConnections, max(workTimeout, o.Timeout), workTimeout)
}

// pool opens a pool. It does not wait for a connection.
func (t target) pool(
	ctx context.Context, most int, statement, lock time.Duration,
) (*pgxpool.Pool, error) {
	c := t.config.Copy()
	c.MaxConns = int32(most)
	c.MinConns = 2
	c.MaxConnLifetime = 30 * time.Minute
	c.MaxConnLifetimeJitter = 5 * time.Minute
	c.MaxConnIdleTime = 5 * time.Minute
	c.HealthCheckPeriod = 5 * time.Second
	if !t.pooled {
		for name, limit := range map[string]time.Duration{
			"statement_timeout":                   statement,
			"lock_timeout":                        lock,
			"idle_in_transaction_session_timeout": idleTimeout,
		} {
			c.ConnConfig.RuntimeParams[name] = strconv.FormatInt(limit.Milliseconds(), 10)
		}
	}
	return pgxpool.NewWithConfig(ctx, c)
}

// Masked returns a URL or a libpq connection string without its password.
func Masked(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		text = regexp.MustCompile(`(://[^:@/]*:)[^@]*@`).ReplaceAllString(text, "${1}xxxxx@")
		return regexp.MustCompile(`(password\s*=\s*)('[^']*'|\S+)`).ReplaceAllString(text, "${1}xxxxx")
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// reason returns why a URL is invalid. pgx's own text repeats the URL, of which it masks only the
// passwords that it can find. What it quotes of the user and the password is left out.
func reason(err error, address string) string {
	secret := address[:strings.LastIndex(address, "@")+1]
	quotes := regexp.MustCompile(`"[^"]+"`)
	return quotes.ReplaceAllStringFunc(reasonOf(err), func(quoted string) string {
		if strings.Contains(secret, strings.Trim(quoted, `"`)) {
			return "the user or the password"
		}
		return quoted
	})
}

// reasonOf returns the innermost reason of an error.
func reasonOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	if _, last, ok := strings.Cut(err.Error(), "`: "); ok {
		return last
	}
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err.Error()
	}
	return err.Error()
}
