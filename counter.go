package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// socketFile is where a server that runs on a data folder hears of orders.
// Whoever may write to it may do all that the command line can, so it is its
// owner's alone.
const socketFile = "leadline.sock"

// mostSocketName is how many bytes the name of a socket may have on every
// system. Linux allows a few more.
const mostSocketName = 103

// A server may take so long to begin with an order, and where it ends orders
// have a moment to come to their own end, and one to be stopped.
const (
	patient = 10 * time.Second
	moment  = 2 * time.Second
)

// message is an order on its way to the server.
type message struct {
	Verb  string            `json:"verb"`
	Flags map[string]string `json:"flags"`
	Words []string          `json:"words"`
}

// frame is a piece of what comes back: output as it is made, and at last, once,
// how the order ended.
type frame struct {
	Out   []byte `json:"out,omitempty"`
	Err   []byte `json:"err,omitempty"`
	Done  bool   `json:"done,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// socketIn is the socket of a data folder.
func socketIn(folder string) (name string, err error) {
	name = filepath.Join(folder, socketFile)
	if len(name) > mostSocketName {
		return "", fmt.Errorf("the name of the socket %s has %d bytes, and may have %d: a shorter -data helps, such as one that begins at the working directory", name, len(name), mostSocketName)
	}
	return name, nil
}

// knock connects to the server that runs on a data folder. The error says why
// none answers.
func knock(ctx context.Context, folder string) (net.Conn, error) {
	name, err := socketIn(folder)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", name)
}

// send gives an order to the server at the other end of a connection, and
// writes what comes back.
func (o *order) send(ctx context.Context, conn net.Conn, s streams) error {
	m := message{Verb: o.name, Flags: map[string]string{}, Words: o.words}
	o.own.Visit(func(f *flag.Flag) { m.Flags[f.Name] = f.Value.String() })
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://leadline/", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	transport := &http.Transport{
		DialContext:           func(context.Context, string, string) (net.Conn, error) { return conn, nil },
		ResponseHeaderTimeout: patient,
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("the server that runs on the data folder does not answer: %w", err)
	}
	defer answer.Body.Close()
	return receive(json.NewDecoder(answer.Body), s)
}

// receive writes what comes back and returns how it ended.
func receive(from *json.Decoder, s streams) error {
	for {
		var f frame
		if err := from.Decode(&f); err != nil {
			return fmt.Errorf("the server broke off, and the command may have taken effect or not: %w", err)
		}
		if _, err := s.out.Write(f.Out); err != nil {
			return err
		}
		if _, err := s.err.Write(f.Err); err != nil {
			return err
		}
		if f.Fault != "" {
			return errors.New(f.Fault)
		}
		if f.Done {
			return nil
		}
	}
}

// counter is where a server takes orders from command lines.
type counter struct {
	desk  *desk
	verbs []verb
	log   *slog.Logger
}

var errEnding = errors.New("the server is ending: give the command again when it has")

// open takes orders until the function that it returns is called, which waits
// for those under way. Where there can be no socket the server serves without.
func (c *counter) open(folder string) (shut func()) {
	listener, err := listenIn(folder)
	if err != nil {
		c.log.Warn("while this server runs no command that needs the store can be given", "error", err)
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	server := &http.Server{
		Handler: c, ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelError),
		ReadHeaderTimeout: patient, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	return func() {
		os.Remove(filepath.Join(folder, socketFile))
		within(moment, server.Shutdown)
		cancel(errEnding)
		within(moment, server.Shutdown)
		server.Close() // on whoever does not read what comes
		serving.Wait()
	}
}

// within calls f with so much time.
func within(t time.Duration, f func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), t)
	defer cancel()
	f(ctx)
}

// listenIn listens on the socket of a data folder, in the place of one that a
// process has left which was killed: who holds the store has the folder. The
// socket is bound where nobody else may go, and comes to its place with its mode.
func listenIn(folder string) (net.Listener, error) {
	name, err := socketIn(folder)
	if err != nil {
		return nil, err
	}
	private := filepath.Join(folder, ".s") // so short that the name below is no longer than the other
	if err := os.RemoveAll(private); err != nil {
		return nil, err
	}
	if err := os.Mkdir(private, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	bound := filepath.Join(private, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: bound, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // it will be elsewhere
	if err := settle(bound, name); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

// settle gives a socket its mode, and then its place.
func settle(bound, name string) error {
	if err := os.Chmod(bound, 0o600); err != nil {
		return err
	}
	return os.Rename(bound, name)
}

// mostMessage is how many bytes an order may have.
const mostMessage = 1 << 20

// ServeHTTP carries out an order.
func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostMessage)) // to its end: before, it is not noticed that a client goes away
	if err != nil {
		return
	}
	back := &wire{to: json.NewEncoder(w), flush: http.NewResponseController(w).Flush}
	back.send(frame{}) // somebody is there
	back.end(c.take(r.Context(), body, back))
}

// take carries out what a message says.
func (c *counter) take(ctx context.Context, body []byte, back *wire) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("reading the order: %w", err)
	}
	o, err := m.order(c.verbs)
	if err != nil {
		return fmt.Errorf("the server does not understand the command line, which may be of another version: %w", err)
	}
	if o.with == closed {
		return fmt.Errorf("stop the server first: %s wants nobody to have the store open", o.name)
	}
	began := time.Now()
	err = o.do(ctx, c.desk, o.words, streams{strings.NewReader(""), writing(back.out), writing(back.err)})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	c.log.Info("command", "verb", o.name, "done", err == nil, "took", time.Since(began)) // neither words nor error: who types may type a key
	return err
}

// order is what a message asks for.
func (m message) order(verbs []verb) (*order, error) {
	v, err := verbNamed(verbs, m.Verb)
	if err != nil {
		return nil, err
	}
	o := v.order()
	for name, value := range m.Flags {
		if err := o.own.Set(name, value); err != nil {
			return nil, err
		}
	}
	o.words = m.Words
	return o, o.complete()
}

// wire carries frames to a client, each at once.
type wire struct {
	mu    sync.Mutex
	to    *json.Encoder
	flush func() error
}

func (w *wire) send(f frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.to.Encode(f); err != nil {
		return err
	}
	return w.flush()
}

func (w *wire) out(b []byte) error { return w.send(frame{Out: b}) }
func (w *wire) err(b []byte) error { return w.send(frame{Err: b}) }

// end tells how an order ended. Where the client has gone nobody hears it.
func (w *wire) end(err error) {
	f := frame{Done: true}
	if err != nil {
		f.Fault = err.Error()
	}
	w.send(f)
}

// writing is a function as a writer.
type writing func([]byte) error

func (f writing) Write(b []byte) (int, error) {
	if err := f(b); err != nil {
		return 0, err
	}
	return len(b), nil
}
