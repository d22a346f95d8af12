package postgrestest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy passes connections on to a server and disturbs them.
type Proxy struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	changed *sync.Cond            // dropping or closed has changed
	conns   map[net.Conn]struct{} // guarded by mu
	down    bool                  // guarded by mu
	drop    bool                  // guarded by mu
	delay   time.Duration         // guarded by mu
	closed  bool                  // guarded by mu
	running sync.WaitGroup
}

// NewProxy starts a proxy in front of a server. It is closed after the test.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	p, err := StartProxy(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// StartProxy starts a proxy in front of a server. The caller must close it.
func StartProxy(server string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, server: server, conns: map[net.Conn]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	return p, nil
}

// Address returns the address of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Reset closes all connections. New ones are accepted.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, not an end
		}
		c.Close()
	}
}

// Down closes all connections and refuses new ones until Up is called.
func (p *Proxy) Down() {
	p.set(func() { p.down = true })
	p.Reset()
}

// Up accepts connections again.
func (p *Proxy) Up() { p.set(func() { p.down = false }) }

// Drop holds back everything that is sent, as a network does that loses all packets, until it is
// called with false.
func (p *Proxy) Drop(drop bool) { p.set(func() { p.drop = drop }) }

// Delay delays everything that is sent in either direction.
func (p *Proxy) Delay(d time.Duration) { p.set(func() { p.delay = d }) }

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

// Close closes the listener and all connections.
func (p *Proxy) Close() {
	p.listener.Close()
	p.set(func() { p.closed = true })
	p.Reset()
	p.running.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.connect(client) })
	}
}

// connect connects a client to the server.
func (p *Proxy) connect(client net.Conn) {
	if !p.track(client) {
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		p.end(client)
		return
	}
	if !p.track(server) {
		p.end(client)
		return
	}
	p.running.Go(func() { p.pass(client, server) })
	p.pass(server, client)
}

// track remembers a connection, or closes it if there must not be one.
func (p *Proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down || p.closed {
		c.Close()
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *Proxy) end(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	c.Close()
}

// pass copies what a connection sends to another one, and then closes both.
func (p *Proxy) pass(to, from net.Conn) {
	defer p.end(to)
	defer p.end(from)
	part := make([]byte, 32<<10)
	for {
		n, err := from.Read(part)
		time.Sleep(p.hold())
		if _, failed := to.Write(part[:n]); failed != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// hold waits while everything is held back, and returns the delay.
func (p *Proxy) hold() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.drop && !p.closed {
		p.changed.Wait()
	}
	return p.delay
}
