package edge

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// limiting serves h behind the limits of a Listener on loopback.
func limiting(t *testing.T, c ListenerConfig, h http.Handler) *Listener {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, c)
	server := &http.Server{Handler: l.Handler(h), ConnState: l.State, ConnContext: l.Context}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l
}

// awaitIdle waits until n connections are idle. A response can arrive before
// the server reports its connection as idle.
func awaitIdle(l *Listener, n int) {
	for idle := -1; idle != n; runtime.Gosched() {
		l.mu.Lock()
		idle = l.idle.len
		l.mu.Unlock()
	}
}

// client is a connection from an address of this machine.
type client struct {
	net.Conn
	read *bufio.Reader
}

func dialFrom(t *testing.T, from string, l *Listener) *client {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

// ask sends a request and reports whether there was a response.
func (c *client) ask(path string) bool {
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	got, err := http.ReadResponse(c.read, nil)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, got.Body)
	return true
}

// stay returns a handler that blocks requests for /stay.
func stay(entered chan<- bool, leave <-chan bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stay" {
			entered <- true
			<-leave
		}
	}
}

// busy opens a connection with a request in progress.
func busy(t *testing.T, from string, l *Listener, entered <-chan bool) *client {
	t.Helper()
	c := dialFrom(t, from, l)
	io.WriteString(c, "GET /stay HTTP/1.1\r\nHost: x\r\n\r\n")
	<-entered
	return c
}

// TestPerAddress checks that a connection of an address with the maximum number waits until another
// one of it closes, that its response says so, and that other addresses are not affected.
func TestPerAddress(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	l := limiting(t, ListenerConfig{Most: 9, PerAddress: 2}, stay(entered, leave))
	first := busy(t, "127.0.0.2", l, entered)
	busy(t, "127.0.0.2", l, entered)
	third := dialFrom(t, "127.0.0.2", l)
	io.WriteString(third, "GET /stay HTTP/1.1\r\nHost: x\r\n\r\n")
	if !dialFrom(t, "127.0.0.3", l).ask("/") {
		t.Error("another address was not served")
	}
	select {
	case <-entered:
		t.Error("the third connection of an address is served, want it to wait")
	default:
	}
	first.Close()
	leave <- true
	leave <- true
	<-entered
	leave <- true
	if got, err := http.ReadResponse(third.read, nil); err != nil || got.StatusCode != 200 {
		t.Errorf("the third connection: got %v, %v", got, err)
	}
}

// TestCrowded checks that responses close their connection while others of the address wait, and
// only then.
func TestCrowded(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	l := limiting(t, ListenerConfig{Most: 9, PerAddress: 1}, stay(entered, leave))
	first := busy(t, "127.0.0.2", l, entered)
	leave <- true
	if got, err := http.ReadResponse(first.read, nil); err != nil || got.Close {
		t.Errorf("alone: got %v, %v, want an open connection", got, err)
	}
	second := dialFrom(t, "127.0.0.2", l)
	io.WriteString(second, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	for !l.crowded(netip.MustParsePrefix("127.0.0.2/32")) {
		runtime.Gosched()
	}
	io.WriteString(first, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, err := http.ReadResponse(first.read, nil); err != nil || !got.Close {
		t.Errorf("while another one waits: got %v, %v, want a closed connection", got, err)
	}
	if got, err := http.ReadResponse(second.read, nil); err != nil || got.Close {
		t.Errorf("the one that waited: got %v, %v, want an open connection", got, err)
	}
}

// TestMostWaiting checks that connections beyond those that may wait are closed at once, and
// reported.
func TestMostWaiting(t *testing.T) {
	refused := make(chan netip.Addr, 1)
	l := limiting(t, ListenerConfig{
		Most: 2 * mostWaiting, PerAddress: 1, Refused: func(a netip.Addr) { refused <- a },
	}, http.NotFoundHandler())
	for range 1 + mostWaiting {
		dialFrom(t, "127.0.0.2", l)
	}
	last := dialFrom(t, "127.0.0.2", l)
	if got := <-refused; got.String() != "127.0.0.2" {
		t.Errorf("refused %v, want 127.0.0.2", got)
	}
	if _, err := last.read.ReadByte(); err == nil {
		t.Error("a connection beyond those that wait is open")
	}
}

// TestYoung checks that a silent connection is closed for one that waits only after two seconds,
// and that none waits longer than a header may take.
func TestYoung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewListener(nil, ListenerConfig{Most: 9, PerAddress: 1})
		admitted := func() (*conn, net.Conn) {
			near, far := net.Pipe()
			c, ok := l.admit(near, netip.MustParseAddr("192.0.2.1"))
			if !ok {
				t.Fatal("a connection was refused")
			}
			return c, far
		}
		_, silent := admitted()
		start := time.Now()
		second, far := admitted()
		go io.WriteString(far, "x")
		if _, err := second.Read(make([]byte, 1)); err != nil || time.Since(start) != young {
			t.Errorf("the second is read after %v, error %v, want after %v", time.Since(start), err, young)
		}
		if _, err := silent.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the silent one: error %v, want it closed", err)
		}
		l.State(second, http.StateActive)
		third, _ := admitted()
		start = time.Now()
		if _, err := third.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) ||
			time.Since(start) != patience {
			t.Errorf("the third fails after %v with %v, want after %v", time.Since(start), err, patience)
		}
	})
}

// TestStateAllocates checks that a change of state allocates nothing: it holds the mutex that new
// connections need, and the garbage collector can stop what allocates.
func TestStateAllocates(t *testing.T) {
	l := NewListener(nil, ListenerConfig{Most: 99, PerAddress: 99})
	near, _ := net.Pipe()
	c, _ := l.admit(near, netip.MustParseAddr("192.0.2.1"))
	if n := testing.AllocsPerRun(100, func() {
		l.State(c, http.StateActive)
		l.State(c, http.StateIdle)
		l.crowded(c.from)
	}); n > 0 {
		t.Errorf("a change of state allocates %v times, want 0", n)
	}
}

// TestExempt checks that trusted proxies do not have a limit of their own.
func TestExempt(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
	l := limiting(t, ListenerConfig{Most: 9, PerAddress: 1, Exempt: proxies}, stay(entered, leave))
	for range 3 {
		busy(t, "127.0.0.2", l, entered)
	}
	close(leave)
}

// TestLongestIdleGoes checks that at the limit on all connections the longest
// idle one is closed for a new one from any address.
func TestLongestIdleGoes(t *testing.T) {
	l := limiting(t, ListenerConfig{Most: 3, PerAddress: 3}, http.NotFoundHandler())
	clients := []*client{
		dialFrom(t, "127.0.0.2", l),
		dialFrom(t, "127.0.0.3", l),
		dialFrom(t, "127.0.0.4", l),
	}
	awaitIdle(l, len(clients))
	for _, i := range []int{1, 2, 0} {
		clients[i].ask("/")
		awaitIdle(l, len(clients))
	}
	if !dialFrom(t, "127.0.0.5", l).ask("/") {
		t.Error("a new connection was not served")
	}
	if clients[1].ask("/") {
		t.Error("the longest idle connection is open, want it closed")
	}
	if !clients[2].ask("/") || !clients[0].ask("/") {
		t.Error("a connection was closed that was not idle for the longest time")
	}
}

// TestAllBusy checks that a new connection waits while all others are busy, and
// is served when one becomes idle.
func TestAllBusy(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	l := limiting(t, ListenerConfig{Most: 2, PerAddress: 2}, stay(entered, leave))
	busy(t, "127.0.0.2", l, entered)
	busy(t, "127.0.0.3", l, entered)
	waiting := dialFrom(t, "127.0.0.4", l)
	io.WriteString(waiting, "GET /stay HTTP/1.1\r\nHost: x\r\n\r\n")
	leave <- true
	<-entered
	close(leave)
	if got, err := http.ReadResponse(waiting.read, nil); err != nil || got.StatusCode != 200 {
		t.Errorf("got %v, %v, want 200", got, err)
	}
}

// TestAcceptEnds checks that Accept returns when a full Listener is closed.
func TestAcceptEnds(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, ListenerConfig{})
	done := make(chan error)
	go func() {
		_, err := l.Accept()
		done <- err
	}()
	l.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept = %v, want %v", err, net.ErrClosed)
	}
}

// without is a listener that cannot open files for a while.
type without struct {
	net.Listener
	files bool
}

func (w *without) Accept() (net.Conn, error) {
	if w.files {
		w.files = false
		return nil, os.NewSyscallError("accept", syscall.EMFILE)
	}
	return w.Listener.Accept()
}

// TestOutOfFiles checks that an idle connection is closed if the process has no
// file descriptor for a new one.
func TestOutOfFiles(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scarce := &without{Listener: inner}
	l := NewListener(scarce, ListenerConfig{Most: 9, PerAddress: 9})
	defer l.Close()
	idle := dialFrom(t, "127.0.0.2", l)
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	scarce.files = true
	dialFrom(t, "127.0.0.3", l)
	if _, err := l.Accept(); err != nil {
		t.Errorf("Accept = %v, want a connection", err)
	}
	if _, err := idle.read.ReadByte(); err == nil {
		t.Error("the idle connection is open, want it closed")
	}
}

// TestUnfinishedHandshake checks that a connection that has not finished its
// TLS handshake counts, and that it is closed.
func TestUnfinishedHandshake(t *testing.T) {
	backend := httptest.NewUnstartedServer(http.NotFoundHandler())
	l := NewListener(backend.Listener, ListenerConfig{Most: 9, PerAddress: 2})
	backend.Listener = l
	backend.Config.ConnState = l.State
	backend.Config.ConnContext = l.Context
	backend.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	backend.Config.ReadHeaderTimeout = 100 * time.Millisecond
	backend.StartTLS()
	defer backend.Close()
	silent := []*client{
		dialFrom(t, "127.0.0.2", l), dialFrom(t, "127.0.0.2", l), dialFrom(t, "127.0.0.2", l),
	}
	for !l.crowded(netip.MustParsePrefix("127.0.0.2/32")) { // the third one waits
		runtime.Gosched()
	}
	for _, c := range silent {
		if _, err := c.read.ReadByte(); err == nil {
			t.Error("a connection without a handshake is open, want it closed")
		}
	}
	secure := tls.Client(dialFrom(t, "127.0.0.2", l), &tls.Config{InsecureSkipVerify: true})
	if err := secure.Handshake(); err != nil {
		t.Errorf("the fourth connection: %v", err)
	}
}

// TestNetworks checks which addresses count as one client.
func TestNetworks(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80":              "192.0.2.1/32",
		"[::ffff:192.0.2.1]:80":     "192.0.2.1/32",
		"[2001:db8:1:2:3::4%lo]:80": "2001:db8:1:2::/64",
		"[2001:db8:1:2:ff::]:80":    "2001:db8:1:2::/64",
		"[2001:db8:1:3::]:80":       "2001:db8:1:3::/64",
		"@":                         "invalid Prefix",
	} {
		got := networkOf(addressOf(addressed(address))).String()
		if got != want {
			t.Errorf("networkOf(%s) = %s, want %s", address, got, want)
		}
	}
}

// addressed is a net.Addr with any text.
type addressed string

func (a addressed) Network() string { return "tcp" }
func (a addressed) String() string  { return string(a) }

// TestWriteDeadlines checks that a client that reads nothing for 5 seconds is
// disconnected, and that a client that reads 16 KiB within 5 seconds is not.
// The server's own deadline must apply too.
func TestWriteDeadlines(t *testing.T) {
	for name, test := range map[string]struct {
		pause    time.Duration // pause of the client before each 16 KiB
		deadline time.Duration // deadline of the server, 0 for none
		took     time.Duration
		err      error
	}{
		"nothing is read": {time.Hour, 0, writeWithin, os.ErrDeadlineExceeded},
		"slow":            {4 * time.Second, 0, 16 * time.Second, nil},
		"too slow":        {6 * time.Second, 0, writeWithin, os.ErrDeadlineExceeded},
		"server's deadline": {
			4 * time.Second, 10 * time.Second, 10 * time.Second, os.ErrDeadlineExceeded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				c := &conn{Conn: near}
				done := make(chan bool)
				defer func() {
					near.Close()
					<-done
				}()
				start := time.Now()
				if test.deadline > 0 {
					c.SetWriteDeadline(start.Add(test.deadline))
				}
				go func() {
					defer close(done)
					for taken := make([]byte, writeStep); ; {
						time.Sleep(test.pause)
						if _, err := io.ReadFull(far, taken); err != nil {
							return
						}
					}
				}()
				n, err := c.Write(make([]byte, 4*writeStep))
				if took := time.Since(start); !errors.Is(err, test.err) || took != test.took {
					t.Errorf("Write = %d, %v after %v, want %v after %v", n, err, took, test.err, test.took)
				}
			})
		})
	}
}
