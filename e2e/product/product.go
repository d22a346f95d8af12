// Package product starts the product under test: a server that server.Build returns, or the command
// line, on loopback with the simulated providers, alone or as several instances behind a balancer.
// It has what the tests of several packages need to use it: callers, browsers, receivers of
// webhooks, the contract. Only tests use it.
package product

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
	"leadline/internal/access/credential"
	"leadline/internal/cli"
	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/server"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
	"leadline/internal/upstream"
	"leadline/store"
)

// Noon is the clock of most tests: Friday 2026-11-20, noon in Boston.
func Noon() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }

// started measures the time since the tests began.
var started = trials.Start()

// Now is the clock of products whose test does not set one. It starts at noon and runs, so that
// every run of the tests is on the same Friday.
func Now() time.Time { return Noon().Add(started.Elapsed()) }

// RoomyPlans returns a file of plans with a rate limit that no test reaches.
func RoomyPlans(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(`{"anonymous": {"perMinute": 65535}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// SimulateForCommands is Simulate for the command line, which has the clock of the machine.
func SimulateForCommands(t testing.TB) (p *provider.Provider, root string) {
	t.Helper()
	return simulate(t, nil)
}

// Simulate serves both providers on one port, by default with the clock Now.
func Simulate(t testing.TB, now func() time.Time) (p *provider.Provider, root string) {
	t.Helper()
	if now == nil {
		now = Now
	}
	return simulate(t, now)
}

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

// Contact is sent to the weather service, which refuses requests without one.
const Contact = "test@example.org"

// Setup configures a product under test.
type Setup struct {
	Root     string           // URL of both providers
	Folder   string           // data folder; "" for a new one
	Base     string           // URL that clients see; "" for the address
	Now      func() time.Time // nil for Now
	Deadline time.Duration    // of one fetch, without a pace; 0 for the usual ones
	Patience time.Duration    // of pages with providers; 0 for the usual one
	Monitor  time.Duration    // between looks at the components; 0 for the usual one
	Offline  bool
	Whole    bool      // runs with its background work
	Broken   bool      // the test closes its store
	Alone    bool      // one instance on the embedded store: see balancer.go
	Log      io.Writer // nil for none
	Token    func(context.Context, string) (credential.Token, error)
	With     func(*config.Config)

	Fetched func() time.Time // the clock of the clients of the providers; nil for Now
}

// Config returns the configuration of a server.
func (s Setup) Config(t testing.TB) server.Config {
	t.Helper()
	c := config.New()
	c.Listen, c.BaseURL, c.Data, c.Contact, c.Offline = "127.0.0.1:0", s.Base,
		s.Folder, Contact, s.Offline
	if c.Data == "" {
		c.Data = t.TempDir()
	}
	if s.Root != "" {
		c.COOPSURL, c.NWSURL = s.Root, s.Root
	}
	c.Plans, c.LogFormat = RoomyPlans(t), "text"
	// Many tests run at once on few cores, and most are not about a slow store.
	c.StoreTimeout = 20 * time.Second
	if s.With != nil {
		s.With(c)
	}
	all := server.Config{
		Settings: c, Version: "0.1.0", Stderr: s.Log, Now: s.Clock(), Token: s.Token,
		Patience: s.Patience, Monitor: s.Monitor,
	}
	if c.Shared() {
		all.Clock = time.Now // the database has the machine's clock
	}
	if s.Deadline != 0 {
		all.Upstream = upstream.Config{
			Deadline:    s.Deadline,
			Concurrency: 64,
			Rate:        1000,
			Burst:       1000,
		}
	}
	all.Upstream.Now = Now
	if s.Fetched != nil {
		all.Upstream.Now = s.Fetched
	}
	return all
}

// Clock returns the clock of the product.
func (s Setup) Clock() func() time.Time {
	if s.Now == nil {
		return Now
	}
	return s.Now
}

// Product is a server under test, or several instances behind a balancer.
type Product struct {
	*server.Server // the first instance
	others         []*server.Server
	clock          func() time.Time
	URL            string
	Stop           func() // stops it before the end of the test; the cache is on disk then
}

// Start serves the product until the test ends, or until Stop is called.
func (s Setup) Start(t testing.TB) *Product {
	t.Helper()
	if n := instanceCount(t); n > 1 && !s.Alone {
		return s.startFleet(t, n)
	}
	p := &Product{clock: s.Clock()}
	p.Server, p.Stop = s.startOne(t)
	p.URL = "http://" + p.Addr().String()
	return p
}

// startOne serves one instance until the test ends, or until stop is called.
func (s Setup) startOne(t testing.TB) (built *server.Server, stop func()) {
	t.Helper()
	built, err := server.Build(t.Context(), s.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	run := built.Serve
	if s.Whole {
		run = built.Run
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		CloseIdle()
		cancel()
		if err := <-done; err != nil && !s.Broken {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return built, stop
}

// Join fetches the lists of stations from the metadata service, as a product does
// when it starts.
func (p *Product) Join(t testing.TB) *Product {
	t.Helper()
	for _, one := range append(p.others, p.Server) {
		if err := one.Tools().Overlay.UpdateLists(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Days returns the date n days after that of noon.
func Days(n int) string { return Noon().AddDate(0, 0, n).Format(time.DateOnly) }

// Journal is a log that can be read while it is written.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *Journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// CloseIdle closes the idle connections of the default client. A server that stops
// waits for connections without a request.
func CloseIdle() { http.DefaultTransport.(*http.Transport).CloseIdleConnections() }

// Running is leadline serve in this process.
type Running struct {
	Base, Folder string
	Log          *Journal
	Stop         func()
}

// ServeOn serves on a data folder until the test ends, or until Stop is called.
func ServeOn(t testing.TB, folder string, flags ...string) *Running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	portFile := filepath.Join(t.TempDir(), "port")
	r := &Running{Folder: folder, Log: &Journal{}}
	args := append([]string{
		"--data", folder, "--listen", "127.0.0.1:0", "--port-file", portFile, "--log-level",
		"debug", "--offline", "--store-timeout", "5s", // for a busy machine
	}, flags...)
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, args, func(string) string { return "" },
			Streams{strings.NewReader(""), io.Discard, r.Log})
	}()
	r.Stop = sync.OnceFunc(func() {
		CloseIdle()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving ended with %v\n%s", err, r.Log)
		}
	})
	r.Base = "http://127.0.0.1:" + PortIn(t, portFile, done)
	t.Cleanup(r.Stop)
	return r
}

// PortIn waits until a server has written its port, and returns it. done gets the error of a
// server that ends; nil if nobody waits for its end.
func PortIn(t testing.TB, file string, done chan error) (port string) {
	t.Helper()
	trials.WaitFor(t, "a port in "+file, func() bool {
		select {
		case err := <-done:
			t.Fatalf("the server has not started: %v", err)
		default:
		}
		text, err := os.ReadFile(file)
		if err != nil || !bytes.HasSuffix(text, []byte("\n")) {
			return false
		}
		port = strings.TrimSpace(string(text))
		return true
	})
	return port
}

// At runs a command on a data folder and returns what it prints.
func At(t testing.TB, folder string, args ...string) string {
	t.Helper()
	out, stderr, err := RunOn(folder, args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr)
	}
	return out
}

// RunOn runs a command on a data folder.
func RunOn(folder string, args ...string) (out, stderr string, err error) {
	var o, e bytes.Buffer
	err = Run(context.Background(), append([]string{"--data", folder}, args...),
		func(string) string { return "" }, Streams{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), err
}

// RunInspecting is RunOn for a store that may be damaged: the command examines it before it opens
// it, as the program does.
func RunInspecting(folder string, args ...string) (out, stderr string, err error) {
	var o, e bytes.Buffer
	err = run(Streams{strings.NewReader(""), &o, &e}, func(s cli.Streams) int {
		return cli.Run(context.Background(), append([]string{"--data", folder}, args...),
			func(string) string { return "" }, nil, s)
	})
	return o.String(), e.String(), err
}

// RunCommand runs a command to its end.
func RunCommand(t *testing.T, env map[string]string,
	args ...string) (out, stderr string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = Run(t.Context(), args, func(name string) string { return env[name] },
		Streams{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), err
}

// RunForCode runs a command to its end and returns what it prints and its exit code.
func RunForCode(t *testing.T, args ...string) (out, stderr string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = cli.RunUninspected(t.Context(), args, func(string) string { return "" },
		cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), e.String(), code
}

// Decode decodes JSON.
func Decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// OverREST returns the response of a route, without what only REST returns.
func OverREST(t *testing.T, url string) string {
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

// OverMCP returns the full structured content of a call.
func OverMCP(t *testing.T, base, tool, args string) string {
	t.Helper()
	return OverMCPAt(t, base+"/mcp?view=full", tool, args)
}

// OverMCPAt is OverMCP for an address that chooses the tools.
func OverMCPAt(t *testing.T, address, tool, args string) string {
	t.Helper()
	var answer struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	Decode(t, PostTo(t, address, CallOf(tool, args)), &answer)
	return string(answer.Result.StructuredContent)
}

// CallOf returns the message of a call of a tool.
func CallOf(tool, args string) string {
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
}

// InRoutes returns an error over MCP with the hints that REST prints in its place: routes instead
// of tools. Other results are the same.
func InRoutes(result string) string {
	if !strings.HasPrefix(result, `{"error":`) {
		return result
	}
	for tool, route := range map[string]string{
		`with noaa_search_stations, for example \{\\"query\\": \\"(\w+)\\"}`: "with GET " +
			"/api/v1/stations?q=$1",
		`with noaa_get_water_levels, for example \{\\"station\\": \\"(\w+)\\"}`: "with GET " +
			"/api/v1/stations/$1/water-levels",
		`with noaa_get_current_predictions, for example \{[^}]*}`: "over MCP: REST has no route for that",
	} {
		result = regexp.MustCompile(tool).ReplaceAllString(result, route)
	}
	return result
}

// Post sends a message to the MCP endpoint and returns the body of the response.
func Post(t *testing.T, base, body string) string {
	t.Helper()
	return PostTo(t, base+"/mcp", body)
}

// PostTo is Post for an address that chooses the tools.
func PostTo(t *testing.T, address, body string) string {
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

// Fetch returns status, headers and body as one text.
func Fetch(t *testing.T, r *http.Request) string {
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

// Query is a request with the expected status.
type Query struct {
	Method, Path, Key, Body string
	Status                  int
}

// AnswerOf sends a query.
func (q Query) AnswerOf(t *testing.T, base string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), q.Method, base+q.Path,
		strings.NewReader(q.Body))
	if err != nil {
		t.Fatal(err)
	}
	if q.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.Key != "" {
		r.Header.Set("Authorization", "Bearer "+q.Key)
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

// NewKey creates a key, by default with all scopes, of a new account on a plan.
func NewKey(t testing.TB, k *server.Storage, plan access.Tier, scopes ...string) string {
	t.Helper()
	a := store.Account{ID: edge.NewID(Noon()), Plan: string(plan), Created: Noon()}
	a.Email = a.ID + "@example.org"
	if err := k.Store.AddAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if len(scopes) == 0 {
		scopes = credential.Scopes()
	}
	key, _, err := k.Keys.Create(t.Context(), credential.NewKey{Account: a.ID, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Streams are the input and the outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run executes a command line, which does not examine the store before it opens it. It returns the
// error that the command prints, and removes it from the stream of errors.
func Run(ctx context.Context, args []string, getenv func(string) string, s Streams) error {
	return run(s, func(s cli.Streams) int { return cli.RunUninspected(ctx, args, getenv, s) })
}

// run executes a command line and returns what Run does.
func run(s Streams, execute func(cli.Streams) int) error {
	stderr := &withoutError{Writer: s.Err}
	code := execute(cli.Streams{In: s.In, Out: s.Out, Err: stderr})
	if (code != 1) != (stderr.failure == nil) { // other codes are results, as of trip
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
