package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/cli"
	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/server"
	"leadline/internal/simulator/provider"
	"leadline/internal/upstream"
	"leadline/store"
)

// noon is the clock of the tests: Friday 2026-11-20, noon in Boston.
func noon() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }

// mount starts a server without providers and without sign-in, with the clock at
// noon and a rate limit for anonymous callers that no test reaches.
func mount(t testing.TB) *product {
	t.Helper()
	return mounted().start(t)
}

// mountAlone is mount for tests of what one instance has for itself.
func mountAlone(t testing.TB) *product {
	t.Helper()
	s := mounted()
	s.alone = true
	return s.start(t)
}

func mounted() setup {
	return setup{now: noon, offline: true, base: "http://tides.example.org",
		with: func(c *config.Config) {
			c.AllowHosts = []string{"127.0.0.1"}
		}}
}

// roomyPlans returns a file of plans with a rate limit that no test reaches.
func roomyPlans(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(`{"anonymous": {"perMinute": 65535}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// simulate serves both providers on one port.
func simulate(t testing.TB, now func() time.Time) (p *provider.Provider, root string) {
	t.Helper()
	p, err := provider.New(provider.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

// contact is sent to the weather service, which refuses requests without one.
const contact = "test@example.org"

// setup configures a product under test.
type setup struct {
	root     string           // URL of both providers
	folder   string           // data folder; "" for a new one
	base     string           // URL that clients see; "" for the address
	now      func() time.Time // nil for the real clock
	deadline time.Duration    // of one fetch, without a pace; 0 for the usual ones
	patience time.Duration    // of pages with providers; 0 for the usual one
	monitor  time.Duration    // between looks at the components; 0 for the usual one
	offline  bool
	whole    bool      // runs with its background work
	broken   bool      // the test closes its store
	alone    bool      // one instance on the embedded store: see balanced_test.go
	log      io.Writer // nil for none
	token    func(context.Context, string) (access.Token, error)
	with     func(*config.Config)

	sameClock bool // the clients of the providers use now, too
}

// config returns the configuration of a server.
func (s setup) config(t testing.TB) server.Config {
	t.Helper()
	c := config.New()
	c.Listen, c.BaseURL, c.Data, c.Contact, c.Offline = "127.0.0.1:0", s.base,
		s.folder, contact, s.offline
	if c.Data == "" {
		c.Data = t.TempDir()
	}
	if s.root != "" {
		c.COOPSURL, c.NWSURL = s.root, s.root
	}
	c.Plans, c.LogFormat = roomyPlans(t), "text"
	if s.with != nil {
		s.with(c)
	}
	all := server.Config{
		Settings: c, Version: "0.1.0", Stderr: s.log, Now: s.now, Token: s.token, Patience: s.patience,
	}
	all.Monitor = s.monitor
	if c.Shared() {
		all.Clock = time.Now // the database has the machine's clock
	}
	if s.deadline != 0 {
		all.Upstream = upstream.Config{Deadline: s.deadline, Concurrency: 64, Rate: 1000, Burst: 1000}
	}
	if s.sameClock {
		all.Upstream.Now = s.now
	}
	return all
}

// clock returns the clock of the product.
func (s setup) clock() func() time.Time {
	if s.now == nil {
		return time.Now
	}
	return s.now
}

// product is a server under test, or several instances behind a balancer.
type product struct {
	*server.Server // the first instance
	others         []*server.Server
	url            string
	stop           func() // stops it before the end of the test; the cache is on disk then
}

// start serves the product until the test ends, or stop.
func (s setup) start(t testing.TB) *product {
	t.Helper()
	if n := instanceCount(t); n > 1 && !s.alone {
		return s.startFleet(t, n)
	}
	p := &product{}
	p.Server, p.stop = s.startOne(t)
	p.url = "http://" + p.Addr().String()
	return p
}

// startOne serves one instance until the test ends, or stop.
func (s setup) startOne(t testing.TB) (built *server.Server, stop func()) {
	t.Helper()
	built, err := server.Build(t.Context(), s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	run := built.Serve
	if s.whole {
		run = built.Run
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		closeIdle()
		cancel()
		if err := <-done; err != nil && !s.broken {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return built, stop
}

// join fetches the lists of stations from the metadata service, as a product does
// when it starts.
func (p *product) join(t testing.TB) *product {
	t.Helper()
	for _, one := range append(p.others, p.Server) {
		if err := one.Tools().Overlay.UpdateLists(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// days returns the date n days after that of noon.
func days(n int) string { return noon().AddDate(0, 0, n).Format(time.DateOnly) }

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// closeIdle closes the idle connections of the default client. A server that stops
// waits for connections without a request.
func closeIdle() { http.DefaultTransport.(*http.Transport).CloseIdleConnections() }

// running is leadline serve in this process.
type running struct {
	base, folder string
	log          *journal
	stop         func()
}

// serveOn serves on a data folder until the test ends, or stop.
func serveOn(t testing.TB, folder string, flags ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	portFile := filepath.Join(t.TempDir(), "port")
	r := &running{folder: folder, log: &journal{}}
	args := append([]string{
		"--data", folder, "--listen", "127.0.0.1:0", "--port-file", portFile, "--log-level",
		"debug", "--offline",
	}, flags...)
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, args, func(string) string { return "" },
			streams{strings.NewReader(""), io.Discard, r.log})
	}()
	r.stop = sync.OnceFunc(func() {
		closeIdle()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving ended with %v\n%s", err, r.log)
		}
	})
	r.base = "http://127.0.0.1:" + portIn(t, portFile, done)
	t.Cleanup(r.stop)
	return r
}

// portIn waits for a port, or for the end of the server that should write it.
func portIn(t testing.TB, file string, done chan error) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-done:
			t.Fatalf("the server has not started: %v", err)
		default:
		}
		if b, err := os.ReadFile(file); err == nil && bytes.HasSuffix(b, []byte("\n")) {
			return strings.TrimSpace(string(b))
		}
	}
	t.Fatal("no port after a minute")
	return ""
}

// at runs a command on a data folder and returns what it prints.
func at(t testing.TB, folder string, args ...string) string {
	t.Helper()
	out, stderr, err := runOn(folder, args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr)
	}
	return out
}

func runOn(folder string, args ...string) (out, stderr string, err error) {
	var o, e bytes.Buffer
	err = run(context.Background(), append([]string{"--data", folder}, args...),
		func(string) string { return "" }, streams{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), err
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, env map[string]string,
	args ...string) (out, stderr string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = run(t.Context(), args, func(name string) string { return env[name] },
		streams{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), err
}

func waitFor(t *testing.T, portFile string) string {
	t.Helper()
	for range 6000 {
		if b, err := os.ReadFile(portFile); err == nil && len(b) > 0 {
			return strings.TrimSpace(string(b))
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no port after a minute")
	return ""
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// overREST returns the response of a route, without what only REST returns.
func overREST(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return operations.ReplaceAllString(strings.TrimSpace(string(body)), "")
}

// operations matches what only REST returns of a station: the operations that have its data.
var operations = regexp.MustCompile(`,"operations":\[[^]]*\]`)

// overMCP returns the structured content of a call.
func overMCP(t *testing.T, base, tool, args string) string {
	t.Helper()
	return overMCPAt(t, base+"/mcp", tool, args)
}

// overMCPAt is overMCP for an address that chooses the tools.
func overMCPAt(t *testing.T, address, tool, args string) string {
	t.Helper()
	var answer struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	decode(t,
		postTo(t, address,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
				tool, args)), &answer)
	return string(answer.Result.StructuredContent)
}

// inRoutes returns an error over MCP with the hints that REST prints in its place: routes instead
// of tools. Other results are the same.
func inRoutes(result string) string {
	if !strings.HasPrefix(result, `{"error":`) {
		return result
	}
	for tool, route := range map[string]string{
		`with noaa_search_stations, for example \{\\"query\\": \\"(\w+)\\"}`: "with GET /api/v1/stations?q=$1",
		`with noaa_get_water_levels, for example \{\\"station\\": \\"(\w+)\\"}`: "with GET " +
			"/api/v1/stations/$1/water-levels",
		`with noaa_get_current_predictions, for example \{[^}]*}`: "over MCP: REST has no route for that",
	} {
		result = regexp.MustCompile(tool).ReplaceAllString(result, route)
	}
	return result
}

func post(t *testing.T, base, body string) string {
	t.Helper()
	return postTo(t, base+"/mcp", body)
}

func postTo(t *testing.T, address, body string) string {
	t.Helper()
	answer, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fetch returns status, headers and body as one text.
func fetch(t *testing.T, r *http.Request) string {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var b bytes.Buffer
	fmt.Fprintln(&b, answer.StatusCode)
	answer.Header.Write(&b)
	if _, err := io.Copy(&b, answer.Body); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// query is a request with the expected status.
type query struct {
	method, path, key, body string
	status                  int
}

// answerOf sends a query.
func (q query) answerOf(t *testing.T, base string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), q.method, base+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		r.Header.Set("Authorization", "Bearer "+q.key)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// newKey creates a key, by default with all scopes, of a new account on a plan.
func newKey(t testing.TB, k *server.Storage, plan access.Tier, scopes ...string) string {
	t.Helper()
	a := store.Account{ID: edge.NewID(noon()), Plan: string(plan), Created: noon()}
	a.Email = a.ID + "@example.org"
	if err := k.Store.AddAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if len(scopes) == 0 {
		scopes = access.Scopes()
	}
	key, _, err := k.Keys.Create(t.Context(), access.NewKey{Account: a.ID, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// streams are the input and the outputs of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes a command line. It returns the error that the command prints, and
// removes it from the stream of errors.
func run(ctx context.Context, args []string, getenv func(string) string, s streams) error {
	stderr := &withoutError{Writer: s.err}
	code := cli.Run(ctx, args, getenv, nil, cli.Streams{In: s.in, Out: s.out, Err: stderr})
	if (code == 0) != (stderr.failure == nil) {
		return errors.Join(stderr.failure, errors.New("the exit code does not fit"))
	}
	return stderr.failure
}

// withoutError passes on everything except the error that ends a command.
type withoutError struct {
	io.Writer
	failure error
}

func (w *withoutError) Write(b []byte) (int, error) {
	if text, ok := strings.CutPrefix(string(b), "leadline: "); ok {
		w.failure = errors.New(strings.TrimSuffix(text, "\n"))
		return len(b), nil
	}
	return w.Writer.Write(b)
}
