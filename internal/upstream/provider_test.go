package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// provider is a real server whose handler can be replaced.
type provider struct {
	url      string
	requests atomic.Int64
	now      atomic.Pointer[http.HandlerFunc]

	clock func() time.Time
	mu    sync.Mutex
	times []time.Time // of the requests
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	p.mu.Lock()
	p.times = append(p.times, p.clock())
	p.mu.Unlock()
	(*p.now.Load())(w, r)
}

func (p *provider) set(h http.HandlerFunc) { p.now.Store(&h) }

func (p *provider) request(path string, class Class) Request {
	return Request{URL: p.url + path, Accept: "text/plain", Class: class}
}

// number responds with 42.
func number(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprint(w, "42")
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// readNumber is a Reader of numbers. A 404 says that there is no such number.
func readNumber(r Response) (int, error) {
	if r.Status == http.StatusNotFound {
		return 0, coast.Errorf(coast.NotFound, "no such number")
	}
	if r.Status != http.StatusOK {
		return 0, fmt.Errorf("status %d", r.Status)
	}
	return strconv.Atoi(strings.TrimSpace(string(r.Body)))
}

// getNumber calls Get with readNumber.
func getNumber(ctx context.Context, c *Client, r Request) (Value[int], error) {
	return Get(ctx, c, r, readNumber)
}

// newClient returns a client that gives fetches a minute, unless the configuration says otherwise:
// a busy machine may need more than usual.
func newClient(t testing.TB, config Config) *Client {
	t.Helper()
	config.Deadline = cmp.Or(config.Deadline, time.Minute)
	return newUsual(t, config)
}

// newUsual returns a client with the usual deadline.
func newUsual(t testing.TB, config Config) *Client {
	t.Helper()
	config.Provider = coast.COOPS
	config.UserAgent = "test (nobody@example.org)"
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixed is a clock that stands still.
func fixed() time.Time { return noon }

// loopback starts a provider on a loopback port.
func loopback(t testing.TB) (*provider, *httptest.Server) {
	p := &provider{clock: fixed}
	p.set(number)
	s := httptest.NewServer(p)
	p.url = s.URL
	t.Cleanup(s.Close)
	return p, s
}

// pipes is a network inside a synctest bubble, where time advances only while all goroutines are
// blocked.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	local, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return local, nil
	case <-p.closed:
		return nil, syscall.ECONNREFUSED
	}
}

// inBubble runs f with a provider and its client in a synctest bubble.
func inBubble(t *testing.T, config Config, f func(t *testing.T, p *provider, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		p := &provider{url: "http://provider.test", clock: time.Now}
		p.set(number)
		network := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: p}
		go server.Serve(network)
		defer server.Shutdown(context.Background())
		c := newUsual(t, config)
		c.http.Transport.(*http.Transport).DialContext = network.dial
		defer c.Close()
		f(t, p, c)
	})
}

// unavailable checks that err is the error for callers of a failing provider.
func unavailable(t *testing.T, err error, reason string) *coast.Error {
	t.Helper()
	e, ok := errors.AsType[*coast.Error](err)
	if !ok {
		t.Fatalf("error = %v, want a coast.Error", err)
	}
	lasting := strings.Contains(e.Message, "started with --offline")
	if e.Code != coast.ProviderUnavailable || (e.RetryAfterSeconds <= 0) != lasting {
		t.Errorf("code %s, retry after %d s, want %s and a time", e.Code, e.RetryAfterSeconds,
			coast.ProviderUnavailable)
	}
	for _, part := range []string{coast.COOPS, reason, "No data is invented."} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("message %q does not contain %q", e.Message, part)
		}
	}
	for _, part := range []string{"?", "http:", "127.0.0.1", "*", "EOF", "secret"} {
		if strings.Contains(e.Message, part) {
			t.Errorf("message %q contains %q", e.Message, part)
		}
	}
	return e
}

// waitGoroutines waits until no more goroutines run than before.
func waitGoroutines(t *testing.T, before int) {
	t.Helper()
	defer func() {
		if n := runtime.NumGoroutine(); n > before {
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines, want %d:\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
		}
	}()
	trials.WaitFor(t, "the number of goroutines as before", func() bool {
		return runtime.NumGoroutine() <= before
	})
}
