package upstream

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
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

// fault is one way in which a provider fails.
type fault struct {
	name   string
	reason string // what callers are told
	fail   http.HandlerFunc
	down   bool // nobody listens
	late   bool // only the deadline ends it
}

// raw writes bytes to the connection and breaks it off.
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

// drip sends a byte now and then, for as long as anybody listens.
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

// hundredMegabytes come without announcement.
func hundredMegabytes(w http.ResponseWriter, _ *http.Request) {
	for range 100 {
		if _, err := w.Write(mebibyte); err != nil {
			return
		}
	}
}

// bomb is a hundred megabytes in a hundred kilobytes.
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
		{name: "reset before the answer", reason: "broke the connection off", fail: raw("", true)},
		{name: "reset amid the body", reason: "broke the connection off", fail: raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n4", true)},
		{name: "truncated", reason: "broke the connection off", fail: raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n42", false)},
		{name: "no HTTP", reason: "sent what could not be read", fail: raw("220 welcome to the mail server\r\n\r\n", false)},
		{name: "429", reason: "answered 429", fail: status(429)},
		{name: "429 with Retry-After", reason: "429", fail: with("Retry-After", "7", status(429))},
		{name: "500", reason: "answered 500", fail: status(500)},
		{name: "503 page", reason: "answered 503", fail: page(503)},
		{name: "504", reason: "answered 504", fail: status(504)},
		{name: "200 page", reason: "answered with a web page instead of data", fail: page(200)},
		{name: "403 page", reason: "blocks this server", fail: page(403)},
		{name: "100 MB", reason: "answered with more than", fail: hundredMegabytes},
		{name: "100 MB announced", reason: "answered with more than", fail: with("Content-Length", big, hundredMegabytes)},
		{name: "100 MB squeezed", reason: "answered with more than", fail: bomb()},
		{name: "broken gzip", reason: "sent what could not be read", fail: with("Content-Encoding", "gzip", body("this is not gzip"))},
		{name: "unknown encoding", reason: "in a form that is not known", fail: with("Content-Encoding", "br", body("42"))},
		{name: "garbage", reason: "in a form that is not known", fail: body("\x00\xff{{{")},
		{name: "empty", reason: "in a form that is not known", fail: body("")},
		{name: "wrong content type", reason: "in a form that is not known", fail: with("Content-Type", "image/png", body("\x89PNG"))},
		{name: "304 that was not asked", reason: "in a form that is not known", fail: status(304)},
		{name: "redirect to nowhere", reason: "in a form that is not known", fail: status(302)},
		{name: "redirect elsewhere", reason: "sent the question to another address", fail: redirect("http://localhost.invalid/")},
		{name: "redirect loop", reason: "sent the question in circles", fail: redirect("/again")},
	}
}

// begin puts a provider in a state: warm answers once before it fails. The
// client makes no second attempt, and has little time where only that ends it.
func (f fault) begin(t *testing.T, warm bool) (*Client, Request, Value[int], func()) {
	t.Helper()
	p := &provider{}
	p.set(number)
	s := httptest.NewServer(p)
	p.url = s.URL
	c := newClient(t, Config{})
	c.budget = &budget{floor: rate.NewLimiter(0, 0)}
	r := p.request("/n?key=secret", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
	var first Value[int]
	if warm {
		var err error
		if first, err = Get(t.Context(), c, r, readNumber); err != nil || first.Data != 42 || first.Stale {
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
			_, err := Get(t.Context(), c, r, readNumber)
			e := unavailable(t, err, f.reason)
			if f.name == "429 with Retry-After" && e.RetryAfterSeconds != 7 {
				t.Errorf("RetryAfterSeconds = %d, want the provider's 7", e.RetryAfterSeconds)
			}
			if h := c.Health(); h.Status != Degraded || h.CheckedAt.IsZero() || !strings.Contains(h.Message, f.reason) {
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
				v, err := Get(t.Context(), c, r, readNumber)
				if err != nil || v.Data != 42 || !v.Stale || !v.ReceivedAt.Equal(first.ReceivedAt) || !v.Date.Equal(first.Date) {
					t.Errorf("Get %d = %+v, %v, want the kept %+v, stale", i, v, err, first)
				}
			}
			end()
			waitGoroutines(t, before)
		})
	}
}

// TestFaultsPastKeep holds that what is too old is not answered.
func TestFaultsExpired(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c, r, _, end := f.begin(t, true)
			defer end()
			r.Class.Expiry = time.Nanosecond
			_, err := Get(t.Context(), c, r, readNumber)
			unavailable(t, err, f.reason)
		})
	}
}

// TestMemory holds that a long answer takes less than 16 MB, client and server
// together.
func TestMemory(t *testing.T) {
	for _, f := range faults() {
		if !strings.HasPrefix(f.name, "100 MB") {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			c, r, _, end := f.begin(t, false)
			defer end()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Get(t.Context(), c, r, readNumber)
			runtime.ReadMemStats(&after)
			unavailable(t, err, fmt.Sprintf("more than %d bytes", 8<<20))
			if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
				t.Errorf("%d bytes allocated, want at most 16 MiB", got)
			}
		})
	}
}

// TestBodies holds bodies of all sizes about the steps in which they are read.
func TestBodies(t *testing.T) {
	const limit = 3 << 20
	p, _ := loopback(t)
	c := newClient(t, Config{MaxBody: limit})
	length := func(r Response) (int, error) { return len(r.Body), nil }
	for _, n := range []int{0, 1, 8<<10 - 1, 8 << 10, 8<<10 + 1, 24 << 10, 1 << 20, limit - 1, limit, limit + 1} {
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
	unavailable(t, err, "in a form that is not known")
}

// TestCertificate holds that who cannot prove to be the provider is not heard.
func TestCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(number))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := newClient(t, Config{})
	_, err := Get(t.Context(), c, Request{URL: s.URL, Class: minutes}, readNumber)
	unavailable(t, err, "could not prove who it is")
}

// TestBroken holds the plain words for errors of the network.
func TestBroken(t *testing.T) {
	for want, err := range map[string]error{
		"did not answer in time":         &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded},
		"could not be found by its name": &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "provider.test"}},
		"refused the connection":         &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"could not be reached":           &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		"broke the connection off":       &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"sent what could not be read":    gzip.ErrChecksum,
	} {
		if got := networkReason(&url.Error{Op: "Get", Err: err}); got != want {
			t.Errorf("broken(%v) = %q, want %q", err, got, want)
		}
	}
}
