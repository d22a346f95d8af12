package edge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// clock is a clock that a test sets.
type clock struct{ elapsed atomic.Int64 }

func (c *clock) now() time.Time          { return noon.Add(time.Duration(c.elapsed.Load())) }
func (c *clock) advance(d time.Duration) { c.elapsed.Add(int64(d)) }

// served serves h until the connections of the test are closed.
func served(t *testing.T, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// read is a handler that reads the whole body of a request.
func read(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		coast.WriteError(w, err)
		return
	}
	io.WriteString(w, "whole")
}

// waiting returns the number of requests that wait for their clients.
func waiting(l *Load) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slow.Len()
}

// announce sends the header of a POST and part of its body.
func announce(
	t *testing.T, server *httptest.Server, path string, length int, part string,
) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		path, length, part)
	return conn
}

// wantOverloaded checks that a response is the refusal of an overloaded server.
func wantOverloaded(t *testing.T, what, got string) {
	t.Helper()
	wants := []string{"HTTP/1.1 503", "Retry-After: 1\r\n", `"code":"overloaded"`}
	if what == "no free place" {
		wants = append(wants, "Access-Control-Allow-Origin: *")
	}
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %s", what, got, want)
		}
	}
}

// get requests a page on a connection of its own.
func get(t *testing.T, server *httptest.Server) string {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /get HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	return all(t, conn)
}

// all reads from a connection until the server closes it.
func all(t *testing.T, conn net.Conn) string {
	t.Helper()
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestInFlight checks that requests beyond the limit are refused, and that
// places are free again when requests end, even by a panic.
func TestInFlight(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/get" {
			return
		}
		entered <- true
		<-leave
		panic(http.ErrAbortHandler)
	})
	server := served(t, NewLoad(LoadConfig{InFlight: 2, Bodies: BodyBudget}, new(clock).now).Limit(h))
	for range 3 { // a place that is never released would be missing in the second round
		for range 2 {
			announce(t, server, "/stay", 0, "")
			<-entered
		}
		wantOverloaded(t, "no free place", get(t, server))
		leave <- true
		leave <- true
		trials.WaitFor(t, "a free place, as the handlers have returned", func() bool {
			return strings.HasPrefix(get(t, server), "HTTP/1.1 200")
		})
	}
}

// TestSlowBodyLosesItsPlace checks that a request whose body arrives slowly
// keeps its place for a second, and afterwards until another request needs it.
func TestSlowBodyLosesItsPlace(t *testing.T) {
	c := &clock{}
	load := NewLoad(LoadConfig{InFlight: 2, Bodies: BodyBudget}, c.now)
	server := served(t, Linger(load.Limit(http.HandlerFunc(read))))
	first := announce(t, server, "/first", 100, "half")
	trials.WaitFor(t, "one body", func() bool { return waiting(load) == 1 })
	second := announce(t, server, "/second", 100, "half")
	trials.WaitFor(t, "two bodies", func() bool { return waiting(load) == 2 })
	wantOverloaded(t, "within the grace", get(t, server))
	c.advance(grace + time.Millisecond)
	if got := get(t, server); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("after the grace: got %q, want 200", got)
	}
	wantOverloaded(t, "the first body", all(t, first))
	io.WriteString(second, strings.Repeat("x", 96))
	second.(*net.TCPConn).CloseWrite()
	if got := all(t, second); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("the second body: got %q, want 200", got)
	}
}

// TestBodyBudget checks that the budget is charged for the bytes that arrive,
// not for the announced length, and that it is released afterwards.
func TestBodyBudget(t *testing.T) {
	load := NewLoad(LoadConfig{InFlight: 9, Bodies: 1000}, new(clock).now)
	server := served(t, Linger(load.Limit(http.HandlerFunc(read))))
	for range 5 {
		announce(t, server, "/slow", 900, strings.Repeat("x", 100))
	}
	trials.WaitFor(t, "500 bytes of bodies", func() bool {
		room := load.bodies.TryAcquire(501)
		if room {
			load.bodies.Release(501)
		}
		return !room
	})
	wantOverloaded(t, "beyond the budget",
		all(t, announce(t, server, "/big", 60_000, strings.Repeat("x", 501))))
	small := announce(t, server, "/small", 100, strings.Repeat("x", 100))
	small.(*net.TCPConn).CloseWrite()
	if got := all(t, small); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("within the budget: got %q, want 200", got)
	}
}

// unread requests a response of n bytes and reads nothing of it.
func unread(t *testing.T, server *httptest.Server, n int) net.Conn {
	t.Helper()
	conn := announce(t, server, fmt.Sprintf("/%d", n), 0, "")
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	return conn
}

// lengthy writes a response of as many bytes as its path says, more than the kernel holds.
func lengthy(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	w.Header().Set("Content-Length", strconv.Itoa(n))
	w.Write(make([]byte, n))
}

// TestSlowReaderLosesItsPlace checks that a request whose response is read slowly keeps its place
// for a second, and afterwards until another request needs it.
func TestSlowReaderLosesItsPlace(t *testing.T) {
	c, ended := &clock{}, make(chan error, 1)
	load := NewLoad(LoadConfig{InFlight: 1, Responses: ResponseBudget}, c.now)
	server := httptest.NewUnstartedServer(load.Limit(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/get" {
				return
			}
			_, err := w.Write(make([]byte, 16<<20))
			ended <- err
		})))
	l := NewListener(server.Listener, ListenerConfig{Most: 9, PerAddress: 9})
	server.Listener, server.Config.ConnState = l, l.State
	server.Start()
	t.Cleanup(server.Close)
	unread(t, server, 16<<20)
	trials.WaitFor(t, "a response", func() bool { return waiting(load) == 1 })
	wantOverloaded(t, "within the grace", get(t, server))
	c.advance(grace + time.Millisecond)
	if got := get(t, server); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("after the grace: got %q, want 200", got)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the response to the slow client ends with %v, want %v", err, os.ErrDeadlineExceeded)
	}
}

// TestResponseBudget checks that a long response beyond the budget is refused, that the slowest
// client makes room for the next, and that short responses are not charged.
func TestResponseBudget(t *testing.T) {
	c := &clock{}
	load := NewLoad(LoadConfig{InFlight: 9, Responses: 20 << 20}, c.now)
	server := served(t, load.Limit(http.HandlerFunc(lengthy)))
	ask := func(n int) string {
		conn := announce(t, server, fmt.Sprintf("/%d", n), 0, "")
		conn.(*net.TCPConn).CloseWrite()
		return all(t, conn)
	}
	unread(t, server, 16<<20)
	trials.WaitFor(t, "a response", func() bool { return waiting(load) == 1 })
	wantOverloaded(t, "beyond the budget", ask(16<<20))
	if got := ask(longResponse - 1); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("a short response: got %.99q, want 200", got)
	}
	c.advance(grace + time.Millisecond)
	wantOverloaded(t, "while the slowest is interrupted", ask(16<<20))
	trials.WaitFor(t, "room", func() bool {
		room := load.responses.TryAcquire(16 << 20)
		if room {
			load.responses.Release(16 << 20)
		}
		return room
	})
	if got := ask(16 << 20); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("with room: got %.99q, want 200", got)
	}
}
