package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"sync"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// maxConcurrent limits the requests that are served at the same time.
const maxConcurrent = 32

// ServeStdio serves the messages of in, one per line, and writes only responses to out. It
// returns when in ends and the last response is written, or when ctx is done. Here a client
// can cancel calls with notifications/cancelled.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &console{server: s, out: out, slots: make(chan struct{}, maxConcurrent)}
	defer c.running.Wait()
	lines := make(chan line)
	go readLines(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return nil
		case l := <-lines:
			if l.err == io.EOF {
				return nil
			}
			if l.err != nil && l.err != errLong {
				return l.err
			}
			c.serve(ctx, l)
		}
	}
}

// line is a line of input. err is errLong if it is longer than maxMessage.
type line struct {
	text []byte
	err  error
}

var errLong = errors.New("line too long")

// readLines sends the lines of in until it ends or ctx is done. The last line holds
// the error that ended it.
func readLines(ctx context.Context, in io.Reader, lines chan<- line) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l := readLine(r)
		select {
		case lines <- l:
		case <-ctx.Done():
			return
		}
		if l.err != nil && l.err != errLong {
			return
		}
	}
}

// readLine reads a line to its end. It returns errLong if the line is longer than
// maxMessage.
func readLine(r *bufio.Reader) line {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxMessage; !long {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case long:
			return line{err: errLong}
		case err == io.EOF && len(bytes.TrimSpace(text)) > 0: // a last line without \n
			return line{text: text}
		default:
			return line{text: text, err: err}
		}
	}
}

// console is a connection over standard input and output.
type console struct {
	server  *Server
	slots   chan struct{}
	running sync.WaitGroup
	writing sync.Mutex
	out     io.Writer
}

// serve serves a line. Requests run concurrently, so a slow one does not delay the
// others.
func (c *console) serve(ctx context.Context, l line) {
	if l.err == errLong {
		f := faultf(protocol.INVALID_REQUEST, "the message is longer than %d bytes", maxMessage)
		c.write(f.reply(nil))
		return
	}
	if len(bytes.TrimSpace(l.text)) == 0 {
		return
	}
	m, f := parse(l.text)
	m.tools = c.server.guard.offer.usual
	switch {
	case f != nil:
		c.write(f.reply(m.id))
	case m.method == "": // a response, although the server sends no requests
	case m.id == nil:
		c.server.reply(ctx, &m, l.text)
	default:
		c.slots <- struct{}{}
		c.running.Go(func() {
			c.write(c.server.reply(ctx, &m, l.text))
			<-c.slots
		})
	}
}

func (c *console) write(reply []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	// If the client has exited, the write fails. Then the input ends as well.
	c.out.Write(reply)
}

// reply returns the response to a message, or nil for a notification. Calls go
// through mcp-go, so that a client can cancel them by id. A panic is an internal
// error without its text.
func (s *Server) reply(ctx context.Context, m *message, body []byte) (reply []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("message panicked",
				"method", m.method, "panic", p, "stack", string(debug.Stack()))
			reply = faultf(protocol.INTERNAL_ERROR, "internal error").reply(m.id)
		}
	}()
	if modern, plain := m.era(nil); plain && m.id != nil {
		if modern && m.method == string(protocol.MethodSubscriptionsListen) {
			events := s.guard.subscription(m)
			return []byte(events[0] + "\n" + events[1] + "\n")
		}
		parts, f := s.guard.list(ctx, m, modern)
		if f == nil && parts == nil {
			f = s.refuse(ctx, m, modern)
		}
		if f != nil {
			return f.reply(m.id)
		}
		if parts != nil {
			return bytes.Join(parts, nil)
		}
	}
	answer := s.guard.mcp.HandleMessage(ctx, body)
	if answer == nil {
		return nil
	}
	b, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("encode response", "method", m.method, "error", err)
		return faultf(protocol.INTERNAL_ERROR, "internal error").reply(m.id)
	}
	return append(b, '\n')
}
