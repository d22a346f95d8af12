package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
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

const (
	// young is the age up to which an idle connection is not closed for another one of its address:
	// its request may be on its way. mostWaiting is the number of connections of an address that wait
	// for one of its others, and patience how long each waits, as long as a header may take. A
	// program that sends 1,000 requests at once opens as many connections. The figures are ours.
	young       = 2 * time.Second
	mostWaiting = 1024
	patience    = 5 * time.Second
)

// ListenerConfig configures a Listener.
type ListenerConfig struct {
	Most       int              // maximum number of open connections
	PerAddress int              // maximum for one client address, for IPv6 for one /64
	Exempt     []netip.Prefix   // addresses without that maximum: proxies for many clients
	Refused    func(netip.Addr) // called for each connection that is closed at once; may be nil
}

// Listener is a listener that limits connections. If an address has as many as it may, further ones
// wait until one of them closes or has been idle for two seconds. Beyond 1,024 that wait, new ones
// are closed at once. If there are as many as all clients may have together, the one that has been
// idle for the longest time is closed for a new one. If none is idle, new connections wait in the
// kernel's queue.
//
// A connection is idle between requests, and after it is accepted until the
// header of a request has arrived. The http.Server that serves the Listener
// must report that: its ConnState must be State. TLS belongs around the
// Listener, so that a handshake that does not finish counts too. With Context and Handler, the
// responses to an address whose connections wait close their connections.
//
// A client that stops reading is disconnected: each 16 KiB written must be
// accepted by the client's side within 5 seconds.
type Listener struct {
	net.Listener
	c ListenerConfig

	mu     sync.Mutex // nothing is allocated while it is held: the collector could stop all clients
	room   sync.Cond  // signaled when a connection closes or becomes idle
	closed bool
	open   int
	idle   queue
	peers  map[netip.Prefix]*peer
}

// peer is a client address with connections.
type peer struct {
	open    int   // without those that wait
	idle    queue // without those that wait
	waiting queue
}

// NewListener returns a Listener that accepts connections from l.
func NewListener(l net.Listener, c ListenerConfig) *Listener {
	limited := &Listener{Listener: l, c: c, idle: queue{of: ofAll},
		peers: make(map[netip.Prefix]*peer, c.Most)}
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
		address := addressOf(accepted.RemoteAddr())
		if c, ok := l.admit(accepted, address); ok {
			return c, nil
		}
		accepted.Close()
		if l.c.Refused != nil {
			l.c.Refused(address)
		}
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
	for l.open >= l.c.Most && l.idle.len == 0 && !l.closed {
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
	c := l.idle.first
	l.mu.Unlock()
	if c != nil {
		c.Close()
	}
	return c != nil
}

// admit counts a new connection. It returns false if as many connections of its address wait as
// may.
func (l *Listener) admit(accepted net.Conn, address netip.Addr) (*conn, bool) {
	c := &conn{
		Conn: accepted, of: l, from: networkOf(address), since: time.Now(), turn: make(chan struct{}),
	}
	fresh := &peer{idle: queue{of: ofPeer}, waiting: queue{of: ofPeer}}
	exempt := l.exempt(address)
	l.mu.Lock()
	p := l.peers[c.from]
	if p == nil {
		p = fresh
		l.peers[c.from] = p
	}
	full := p.open >= l.c.PerAddress && !exempt
	if full && p.waiting.len >= mostWaiting {
		l.mu.Unlock()
		return nil, false
	}
	var surplus *conn
	if l.open >= l.c.Most {
		surplus = l.idle.first
	}
	l.open++
	l.idle.add(c)
	if full {
		p.waiting.add(c)
	} else {
		p.begin(c)
	}
	l.room.Signal()
	l.mu.Unlock()
	if surplus != nil {
		surplus.Close()
	}
	return c, true
}

// begin lets a connection be read. The callers of the methods of peer must hold the mutex of the
// Listener.
func (p *peer) begin(c *conn) {
	p.waiting.remove(c)
	p.open++
	p.idle.add(c)
	close(c.turn)
}

// await waits until a connection may be read. It returns an error if that takes too long.
func (l *Listener) await(c *conn) error {
	select {
	case <-c.turn: // no timer is needed
		return nil
	default:
	}
	end := time.NewTimer(patience - time.Since(c.since))
	defer end.Stop()
	next := time.NewTicker(young)
	defer next.Stop()
	for {
		select {
		case <-c.turn:
			return nil
		case <-end.C:
			return os.ErrDeadlineExceeded
		case <-next.C:
			l.closeOld(c.from)
		}
	}
}

// closeOld closes the longest idle connection of an address for one that waits, if it is not young.
func (l *Listener) closeOld(from netip.Prefix) {
	l.mu.Lock()
	var old *conn
	if p := l.peers[from]; p != nil && p.idle.first != nil && time.Since(p.idle.first.since) >= young {
		old = p.idle.first
	}
	l.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// connKey is the key of a connection in the context of its requests.
type connKey struct{}

// Context returns the context of the requests of a connection. It is the ConnContext of the server
// that serves the Listener.
func (l *Listener) Context(ctx context.Context, nc net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, counted(nc))
}

// Handler returns a handler whose responses close their connection if others of the address wait:
// a client would keep it, and its other requests would wait for it.
func (l *Listener) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, _ := r.Context().Value(connKey{}).(*conn); c != nil && l.crowded(c.from) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// crowded reports whether connections of an address wait.
func (l *Listener) crowded(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.peers[from]
	return p != nil && p.waiting.len > 0
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
	c := counted(nc)
	if c == nil {
		return
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.peers[c.from]
	switch {
	case c.closed:
	case state == http.StateIdle:
		c.since = now
		l.idle.add(c)
		p.idle.add(c)
		l.room.Signal()
	case state == http.StateActive:
		l.idle.remove(c)
		p.idle.remove(c)
	}
}

// counted returns the connection of the Listener that a server has, or nil.
func counted(nc net.Conn) *conn {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	c, _ := nc.(*conn)
	return c
}

// release removes a closed connection from the counts, and lets the next one of its address be
// read.
func (l *Listener) release(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	p := l.peers[c.from]
	l.open--
	l.idle.remove(c)
	if p.waiting.remove(c) {
		close(c.turn) // reading it returns an error
	} else {
		p.idle.remove(c)
		p.open--
	}
	if next := p.waiting.first; next != nil && p.open < l.c.PerAddress {
		p.begin(next)
	}
	if p.open+p.waiting.len == 0 {
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
	turn chan struct{} // closed when the connection may be read

	// The following fields are guarded by of.mu.
	since  time.Time // when it was accepted or became idle
	links  [2]link
	closed bool

	writing  sync.Mutex // guards deadline
	deadline time.Time  // write deadline that the server has set
}

// queue is a list of connections, the first added first. A connection can be in one queue of all
// clients and in one of its address. Its links are part of it, so adding does not allocate.
type queue struct {
	of          int // ofAll or ofPeer
	first, last *conn
	len         int
}

const (
	ofAll = iota
	ofPeer
)

// link is the place of a connection in a queue.
type link struct {
	in         *queue // nil if it is in none
	prev, next *conn
}

// add appends a connection, unless it is in the queue.
func (q *queue) add(c *conn) {
	if c.links[q.of].in != nil {
		return
	}
	c.links[q.of] = link{in: q, prev: q.last}
	if q.last == nil {
		q.first = c
	} else {
		q.last.links[q.of].next = c
	}
	q.last = c
	q.len++
}

// remove removes a connection, and reports whether it was in the queue.
func (q *queue) remove(c *conn) bool {
	l := c.links[q.of]
	if l.in != q {
		return false
	}
	if l.prev == nil {
		q.first = l.next
	} else {
		l.prev.links[q.of].next = l.next
	}
	if l.next == nil {
		q.last = l.prev
	} else {
		l.next.links[q.of].prev = l.prev
	}
	c.links[q.of] = link{}
	q.len--
	return true
}

// Read reads when the address of the connection may have another one that is read.
func (c *conn) Read(b []byte) (int, error) {
	if err := c.of.await(c); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
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
// that is written. A step that is being written keeps its own deadline, unless t has passed.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.deadline = t
	if !t.IsZero() && t.Before(time.Now()) {
		return c.Conn.SetWriteDeadline(t)
	}
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
