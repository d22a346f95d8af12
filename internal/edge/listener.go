package edge

import (
	"container/list"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// DefaultPerAddress is the default limit on connections per client address. A
// browser opens 6 connections to a host and an AI client 1 or 2, so there is
// room for an office behind one address. The figure is ours.
const DefaultPerAddress = 128

const (
	// writeStep is the number of bytes written with one deadline, and
	// writeWithin limits how long they take: 16 KiB in 5 s are 26 kbit/s. The
	// figures are ours.
	writeStep   = 16 << 10
	writeWithin = 5 * time.Second
)

// ListenerConfig configures a Listener.
type ListenerConfig struct {
	Most       int            // maximum number of open connections
	PerAddress int            // maximum for one client address, for IPv6 for one /64
	Exempt     []netip.Prefix // addresses without that maximum: proxies for many clients
}

// Listener is a listener that limits connections. If there are as many as
// allowed, of all clients or of one address, the one that has been idle for the
// longest time is closed for a new one. If none is idle, a new connection of
// that address is closed at once, and new connections of other addresses wait
// in the kernel's queue until there is room.
//
// A connection is idle between requests, and after it is accepted until the
// header of a request has arrived. The http.Server that serves the Listener
// must report that: its ConnState must be State. TLS belongs around the
// Listener, so that a handshake that does not finish counts too.
//
// A client that stops reading is disconnected: each 16 KiB written must be
// accepted by the client's side within 5 seconds.
type Listener struct {
	net.Listener
	c ListenerConfig

	mu     sync.Mutex
	room   sync.Cond // signaled when a connection closes or becomes idle
	closed bool
	open   int
	idle   list.List // of *conn, longest idle first
	peers  map[netip.Prefix]*peer
}

// peer is a client address with connections.
type peer struct {
	open int
	idle list.List // of *conn, longest idle first
}

// NewListener returns a Listener that accepts connections from l.
func NewListener(l net.Listener, c ListenerConfig) *Listener {
	limited := &Listener{Listener: l, c: c, peers: map[netip.Prefix]*peer{}}
	limited.room.L = &limited.mu
	return limited
}

// Accept returns the next connection that is within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		if err := l.awaitRoom(); err != nil {
			return nil, err
		}
		accepted, err := l.Listener.Accept()
		if outOfFiles(err) && l.closeIdle() {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c, ok := l.admit(accepted); ok {
			return c, nil
		}
		accepted.Close()
	}
}

// outOfFiles reports whether a connection could not be accepted because the
// process or the machine has reached its limit of open files.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// awaitRoom waits until a connection can be accepted: there is room for it, or
// another one is idle and can be closed.
func (l *Listener) awaitRoom() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= l.c.Most && l.idle.Len() == 0 && !l.closed {
		l.room.Wait()
	}
	if l.closed {
		return net.ErrClosed
	}
	return nil
}

// Close closes the listener. Connections stay open.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// closeIdle closes the connection that has been idle for the longest time, and
// reports whether there was one.
func (l *Listener) closeIdle() bool {
	l.mu.Lock()
	c := longest(&l.idle)
	l.mu.Unlock()
	if c != nil {
		c.Close()
	}
	return c != nil
}

// longest returns the first connection of a list, or nil.
func longest(idle *list.List) *conn {
	if first := idle.Front(); first != nil {
		return first.Value.(*conn)
	}
	return nil
}

// admit counts a new connection. It returns false if its address has the
// maximum number of connections and none of them is idle.
func (l *Listener) admit(accepted net.Conn) (*conn, bool) {
	address := addressOf(accepted.RemoteAddr())
	from := networkOf(address)
	l.mu.Lock()
	p := l.peers[from]
	if p == nil {
		p = &peer{}
		l.peers[from] = p
	}
	var surplus []*conn
	if p.open >= l.c.PerAddress && !l.exempt(address) {
		oldest := longest(&p.idle)
		if oldest == nil {
			l.mu.Unlock()
			return nil, false
		}
		surplus = append(surplus, oldest)
	} else if l.open >= l.c.Most {
		if oldest := longest(&l.idle); oldest != nil {
			surplus = append(surplus, oldest)
		}
	}
	c := &conn{Conn: accepted, of: l, from: from}
	l.open++
	p.open++
	l.setIdle(c, p)
	l.mu.Unlock()
	for _, oldest := range surplus {
		oldest.Close()
	}
	return c, true
}

// exempt reports whether an address may have any number of connections.
func (l *Listener) exempt(a netip.Addr) bool {
	for _, p := range l.c.Exempt {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// State records the state of a connection. It is the ConnState of the server
// that serves the Listener.
func (l *Listener) State(nc net.Conn, state http.ConnState) {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed {
		return
	}
	switch state {
	case http.StateIdle:
		l.setIdle(c, l.peers[c.from])
	case http.StateActive:
		l.setBusy(c, l.peers[c.from])
	}
}

// setIdle marks a connection as idle. The callers of setIdle and setBusy must
// hold l.mu.
func (l *Listener) setIdle(c *conn, p *peer) {
	if c.idle == nil {
		c.idle, c.idleOfPeer = l.idle.PushBack(c), p.idle.PushBack(c)
		l.room.Signal()
	}
}

func (l *Listener) setBusy(c *conn, p *peer) {
	if c.idle != nil {
		l.idle.Remove(c.idle)
		p.idle.Remove(c.idleOfPeer)
		c.idle, c.idleOfPeer = nil, nil
	}
}

// release removes a closed connection from the counts.
func (l *Listener) release(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	p := l.peers[c.from]
	l.setBusy(c, p)
	l.open--
	if p.open--; p.open == 0 {
		delete(l.peers, c.from)
	}
	l.room.Signal()
}

// addressOf returns the address of the client, or the zero Addr if there is none.
func addressOf(a net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// networkOf returns the range of addresses that counts as one client: a single
// IPv4 address, or an IPv6 /64, which usually belongs to one client.
func networkOf(a netip.Addr) netip.Prefix {
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.Prefix(bits) // the zero Prefix for the zero address
	return p
}

// conn is a connection that a Listener counts.
type conn struct {
	net.Conn
	of   *Listener
	from netip.Prefix

	// The following fields are guarded by of.mu.
	idle, idleOfPeer *list.Element // nil while a request is in progress
	closed           bool

	writing  sync.Mutex // guards deadline
	deadline time.Time  // write deadline that the server has set
}

// Close closes the connection and makes room for another.
func (c *conn) Close() error {
	defer c.of.release(c)
	return c.Conn.Close()
}

// CloseWrite signals to the client that no more data follows. net/http calls it
// before it closes a connection on which the client may still be sending.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// SetWriteDeadline sets the time by which the client must have accepted all
// that is written. A step that is being written keeps its own deadline.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.deadline = t
	return nil
}

// SetDeadline sets the deadline of reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Write writes in steps, each with a deadline of its own.
func (c *conn) Write(b []byte) (written int, err error) {
	for first := true; err == nil && (len(b) > 0 || first); first = false {
		step := b[:min(len(b), writeStep)]
		if err := c.begin(time.Now().Add(writeWithin)); err != nil {
			return written, err
		}
		var n int
		n, err = c.Conn.Write(step)
		written += n
		b = b[n:]
	}
	return written, err
}

// begin sets the deadline of a step, never later than the server's
// deadline.
func (c *conn) begin(step time.Time) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if !c.deadline.IsZero() && c.deadline.Before(step) {
		step = c.deadline
	}
	return c.Conn.SetWriteDeadline(step)
}
