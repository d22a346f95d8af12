package upstream

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// fault is one kind of failure of a provider.
type fault struct {
	name   string
	reason string // in the error for callers
	fail   http.HandlerFunc
	down   bool // the port is closed
	late   bool // only the deadline ends it
}

// raw writes bytes to the connection and closes or resets it.
func raw(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		buffered.WriteString(text)
		buffered.Flush()
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			tcp.SetLinger(0)
		}
		conn.Close()
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drip sends a byte every few milliseconds until the client disconnects.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		w.Write([]byte("4"))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func slowFirstByte(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
	number(w, r)
}

func page(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		w.Write([]byte("<html><h1>We are sorry</h1></html>"))
	}
}

func with(name, value string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		next(w, r)
	}
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(text)) }
}

var mebibyte = make([]byte, 1<<20)

// hundredMegabytes sends a body of 100 MB without a Content-Length.
func hundredMegabytes(w http.ResponseWriter, _ *http.Request) {
	for range 100 {
		if _, err := w.Write(mebibyte); err != nil {
			return
		}
	}
}

// bomb responds with 100 MB, compressed to 100 kB.
var bomb = sync.OnceValue(func() http.HandlerFunc {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	for range 100 {
		z.Write(mebibyte)
	}
	z.Close()
	return with("Content-Encoding", "gzip", body(small.String()))
})

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func faults() []fault {
	big := strconv.Itoa(100 << 20)
	return []fault{
		{name: "refuse", reason: "refused the connection", down: true},
		{name: "hang", reason: "did not answer in time", fail: hang, late: true},
		{name: "drip", reason: "did not answer in time", fail: drip, late: true},
		{name: "slow first byte", reason: "did not answer in time", fail: slowFirstByte, late: true},
		{name: "reset before the response", reason: "closed the connection early", fail: raw("", true)},
		{name: "reset within the body", reason: "closed the connection early",
			fail: raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n4", true)},
		{name: "truncated", reason: "closed the connection early",
			fail: raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n42", false)},
		{name: "not HTTP", reason: "sent an unreadable response",
			fail: raw("220 welcome to the mail server\r\n\r\n", false)},
		{name: "429", reason: "returned 429", fail: status(429)},
		{name: "429 with Retry-After", reason: "429", fail: with("Retry-After", "7", status(429))},
		{name: "500", reason: "returned 500", fail: status(500)},
		{name: "503 page", reason: "returned 503", fail: page(503)},
		{name: "504", reason: "returned 504", fail: status(504)},
		{name: "200 page", reason: "returned a web page instead of data", fail: page(200)},
		{name: "403 page", reason: "blocks this server", fail: page(403)},
		{name: "100 MB", reason: "returned more than", fail: hundredMegabytes},
		{name: "100 MB announced", reason: "returned more than",
			fail: with("Content-Length", big, hundredMegabytes)},
		{name: "100 MB compressed", reason: "returned more than", fail: bomb()},
		{name: "broken gzip", reason: "sent an unreadable response",
			fail: with("Content-Encoding", "gzip", body("this is not gzip"))},
		{name: "unknown encoding", reason: "an unknown response format",
			fail: with("Content-Encoding", "br", body("42"))},
		{name: "garbage", reason: "an unknown response format", fail: body("\x00\xff{{{")},
		{name: "empty", reason: "an unknown response format", fail: body("")},
		{name: "wrong content type", reason: "an unknown response format",
			fail: with("Content-Type", "image/png", body("\x89PNG"))},
		{name: "unexpected 304", reason: "an unknown response format", fail: status(304)},
		{name: "redirect to nowhere", reason: "an unknown response format", fail: status(302)},
		{name: "redirect elsewhere", reason: "redirected the request to another host",
			fail: redirect("http://localhost.invalid/")},
		{name: "redirect loop", reason: "redirected the request in a loop", fail: redirect("/again")},
	}
}

// begin starts a failing provider and its client; warm: after one success. The client does not
// retry, and has a short deadline if only that ends the fault.
func (f fault) begin(t *testing.T, warm bool) (*Client, Request, Value[int], func()) {
	t.Helper()
	p, s := loopback(t)
	c := newClient(t, Config{})
	c.budget = &budget{floor: rate.NewLimiter(0, 0)}
	r := p.request("/n?key=secret", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
	var first Value[int]
	if warm {
		var err error
		if first, err = getNumber(t.Context(), c, r); err != nil || first.Data != 42 || first.Stale {
			t.Fatalf("warm: %+v, %v", first, err)
		}
	}
	if f.late {
		c.config.Deadline = 100 * time.Millisecond
	}
	if f.down {
		s.CloseClientConnections()
		s.Close()
	} else {
		p.set(f.fail)
	}
	return c, r, first, func() {
		c.Close()
		s.CloseClientConnections()
		s.Close()
	}
}

func TestFaultsCold(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			c, r, _, end := f.begin(t, false)
			_, err := getNumber(t.Context(), c, r)
			e := unavailable(t, err, f.reason)
			if f.name == "429 with Retry-After" && e.RetryAfterSeconds != 7 {
				t.Errorf("RetryAfterSeconds = %d, want the provider's 7", e.RetryAfterSeconds)
			}
			if h := c.Health(); h.Status != Degraded || h.CheckedAt.IsZero() ||
				!strings.Contains(h.Message, f.reason) {
				t.Errorf("Health() = %+v, want degraded because it %s", h, f.reason)
			}
			end()
			waitGoroutines(t, before)
		})
	}
}

func TestFaultsWarm(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			c, r, first, end := f.begin(t, true)
			for i := range 3 {
				v, err := getNumber(t.Context(), c, r)
				if err != nil || v.Data != 42 || !v.Stale || !v.ReceivedAt.Equal(first.ReceivedAt) ||
					!v.Date.Equal(first.Date) {
					t.Errorf("Get %d = %+v, %v, want the stale %+v", i, v, err, first)
				}
			}
			end()
			waitGoroutines(t, before)
		})
	}
}

// TestFaultsExpired checks that expired entries are not served.
func TestFaultsExpired(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c, r, _, end := f.begin(t, true)
			defer end()
			r.Class.Expiry = time.Nanosecond
			_, err := getNumber(t.Context(), c, r)
			unavailable(t, err, f.reason)
		})
	}
}

// TestMemory checks that a long body takes at most 16 MiB of memory, client and server together.
func TestMemory(t *testing.T) {
	for _, f := range faults() {
		if !strings.HasPrefix(f.name, "100 MB") {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			least := uint64(math.MaxUint64) // other goroutines of the process add to single counts
			for range 3 {
				c, r, _, end := f.begin(t, false)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := getNumber(t.Context(), c, r)
				runtime.ReadMemStats(&after)
				end()
				unavailable(t, err, fmt.Sprintf("more than %d bytes", 8<<20))
				if least = min(least, after.TotalAlloc-before.TotalAlloc); least <= 16<<20 {
					return
				}
			}
			t.Errorf("%d bytes allocated, want at most 16 MiB", least)
		})
	}
}

// TestBodies checks bodies with sizes around the sizes of the parts in which they are read.
func TestBodies(t *testing.T) {
	const limit = 3 << 20
	p, _ := loopback(t)
	c := newClient(t, Config{MaxBody: limit})
	length := func(r Response) (int, error) { return len(r.Body), nil }
	for _, n := range []int{0, 1, 8<<10 - 1, 8 << 10, 8<<10 + 1, 24 << 10, 1 << 20, limit - 1, limit,
		limit + 1} {
		for _, announced := range []bool{false, true} {
			p.set(func(w http.ResponseWriter, _ *http.Request) {
				if announced {
					w.Header().Set("Content-Length", strconv.Itoa(n))
				}
				w.Write(make([]byte, n))
				w.(http.Flusher).Flush()
			})
			v, err := Get(t.Context(), c, p.request(fmt.Sprint("/", n, announced), Class{}), length)
			if ok := n <= limit; ok != (err == nil) || ok && v.Data != n {
				t.Errorf("%d bytes, announced %v: got %d, %v", n, announced, v.Data, err)
			}
		}
	}
}

func TestReaderPanics(t *testing.T) {
	p, _ := loopback(t)
	c := newClient(t, Config{})
	_, err := Get(t.Context(), c, p.request("/", Class{}), func(Response) (int, error) {
		var none []int
		return none[3], nil
	})
	unavailable(t, err, "an unknown response format")
}

// TestCertificate checks that a server with an invalid certificate is rejected.
func TestCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(number))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := newClient(t, Config{})
	_, err := getNumber(t.Context(), c, Request{URL: s.URL, Class: minutes})
	unavailable(t, err, "presented an invalid TLS certificate")
}

// TestNoNetwork checks that failures of a server without a network name the cause, also when the
// breaker is open, and what the operator can do.
func TestNoNetwork(t *testing.T) {
	noName := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "provider.test"}}
	noRoute := &net.OpError{Op: "dial", Err: syscall.ENETUNREACH}
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, test := range []struct {
		err     error
		reason  string
		network bool
	}{
		{noName, "could not be found by its host name", true},
		{noRoute, "could not be reached", true},
		{refused, "refused the connection", false},
	} {
		c := newClient(t, Config{})
		h := c.newHost("https://provider.test")
		f := c.networkFailure(t.Context(), test.err)
		for range tripRequests {
			h.breaker.Execute(func() (*entry, error) {
				h.recordFailure(f, noon)
				return nil, f
			})
		}
		for _, f := range []*failure{f, h.refusal(noon), probing(nil, f)} {
			e := unavailable(t, c.callerError(f), test.reason+". No data is invented.")
			if got := strings.Contains(e.Message, "check it, or start with --offline"); got != test.network {
				t.Errorf("%v: the message %q has advice on the network, want %v", test.err, e.Message,
					test.network)
			}
		}
	}
}

// TestNetworkReason checks the descriptions of network errors.
func TestNetworkReason(t *testing.T) {
	for want, err := range map[string]error{
		"did not answer in time": &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded},
		"could not be found by its host name": &net.OpError{
			Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "provider.test"},
		},
		"refused the connection":      &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"could not be reached":        &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		"closed the connection early": &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"sent an unreadable response": gzip.ErrChecksum,
	} {
		if got := networkReason(&url.Error{Op: "Get", Err: err}); got != want {
			t.Errorf("broken(%v) = %q, want %q", err, got, want)
		}
	}
}
