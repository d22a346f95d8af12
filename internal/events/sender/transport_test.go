package sender

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a network in memory, for tests whose clock is not that of the machine.
type pipes struct {
	accept chan net.Conn
	once   sync.Once
	dialed atomic.Int64
	silent atomic.Bool // connections deliver nothing more, and none of them ends
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.dialed.Add(1)
	p.accept <- there
	return &pipe{here, p, p.dialed.Load()}, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.accept
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// Close ends Accept. A server closes its listener twice.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.accept) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// pipe is the client's end of a connection. What it writes is lost while its network is silent,
// if it is the first connection.
type pipe struct {
	net.Conn
	network *pipes
	number  int64
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.network.silent.Load() && p.number == 1 {
		return len(b), nil
	}
	return p.Conn.Write(b)
}

// serve starts a server on pipes, and returns a sender that reaches nothing else.
func serve(t *testing.T, config *tls.Config, handler http.HandlerFunc) (*Sender, *pipes) {
	t.Helper()
	network := &pipes{accept: make(chan net.Conn)}
	server := &http.Server{Handler: handler, TLSConfig: config, ErrorLog: silent()}
	s := newSender(t, Config{
		Private: loopback, Roots: selfSigned(t, now).pem, limits: defaultLimits(),
	})
	s.plain.DialContext, s.encrypted.DialContext = network.dial, network.dial
	if config != nil {
		go server.ServeTLS(network, "", "")
	} else {
		go server.Serve(network)
	}
	t.Cleanup(func() {
		s.Close()
		server.Close()
	})
	return s, network
}

// TestConnections checks how many connections one receiver gets, and that idle ones are used
// again.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, network := serve(t, nil, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(time.Second)
		})
		for range 2 {
			var attempts sync.WaitGroup
			for range maxIdlePerHost {
				attempts.Go(func() {
					if got := s.Send(t.Context(), request("http://127.0.0.1/")); got.Outcome != Delivered {
						t.Errorf("%+v", got)
					}
				})
			}
			attempts.Wait()
			if n := network.dialed.Load(); n != 20 {
				t.Errorf("%d connections, want 20", n)
			}
		}
		time.Sleep(31 * time.Second)
		s.Send(t.Context(), request("http://127.0.0.1/"))
		if n := network.dialed.Load(); n != 21 {
			t.Errorf("%d connections after an idle time of 31 s, want 21", n)
		}
	})
}

// serveHTTP2 starts a server of HTTP/2 on pipes. Its certificate is valid at now, for which the
// caller waits.
func serveHTTP2(t *testing.T, handler http.HandlerFunc) (*Sender, *pipes) {
	t.Helper()
	c := selfSigned(t, now.AddDate(1, 0, 0))
	config := &tls.Config{Certificates: []tls.Certificate{c.tls}, NextProtos: []string{"h2"}}
	s, network := serve(t, config, handler)
	s.encrypted.TLSClientConfig.RootCAs, _ = trustedRoots(c.pem)
	s.encrypted.TLSClientConfig.ServerName = "receiver.example.com"
	return s, network
}

// TestHTTP2Window checks how much of a body a receiver can send before it is read.
func TestHTTP2Window(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written atomic.Int64
		time.Sleep(time.Until(now))
		s, _ := serveHTTP2(t, func(w http.ResponseWriter, _ *http.Request) {
			for {
				n, err := w.Write(make([]byte, 1<<10))
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://127.0.0.1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := s.encrypted.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := written.Load(); n < 64<<10 || n > 80<<10 { // with the buffers of the server
			t.Errorf("%d bytes are sent and not read, want 64 KiB", n)
		}
		response.Body.Close()
	})
}

// TestDeadHTTP2 checks that a connection of HTTP/2 is not used for long after the network has
// lost it.
func TestDeadHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		s, network := serveHTTP2(t, func(_ http.ResponseWriter, r *http.Request) {
			if r.Proto != "HTTP/2.0" {
				t.Errorf("%s, want HTTP/2.0", r.Proto)
			}
		})
		send := func() Report { return s.Send(t.Context(), request("https://127.0.0.1/")) }
		if got := send(); got.Outcome != Delivered {
			t.Fatalf("%+v, want delivered", got)
		}
		network.silent.Store(true)
		if got := send(); got.Outcome != Failed {
			t.Fatalf("%+v, want failed", got)
		}
		time.Sleep(time.Second) // the last ping times out at the same instant as the attempt
		if got := send(); got.Outcome != Delivered || network.dialed.Load() != 2 {
			t.Errorf("%+v over %d connections, want a second connection", got, network.dialed.Load())
		}
	})
}
