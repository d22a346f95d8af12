// Package edge provides the middleware around all HTTP responses: an access
// line in the log, and a response even if a handler panics (AccessLog). It also
// has what front ends use for some of their responses:
//
//	edge.go      AccessLog: access line, panics
//	id.go        ids of requests
//	scrub.go     no credential in any line of the log
//	cors.go      access for pages in a browser
//	json.go      bodies of JSON, and 304 if the client has the facts already
//	compress.go  zstd and gzip
//	linger.go    refusals that reach clients which still send
//	listener.go  limits of connections
//	load.go      limits of requests in flight and of their bodies
//	secure.go    headers that protect browsers
//	loopback.go  hosts that are this computer
package edge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"leadline/internal/coast"
)

// Config configures AccessLog.
type Config struct {
	Log *slog.Logger

	// ID returns the id of a request in the log, by its context.
	ID func(context.Context) string

	// Who returns the attributes of the caller for the access line. It gets the
	// context that the request had before AccessLog. An inner handler can pass
	// data to it only through a value that this context already holds. If Who
	// is nil, no attributes are added.
	Who func(context.Context) []slog.Attr

	// Observe is called for every response, for metrics. The status is 0 if the
	// connection was closed before there was a status. Observe may be nil.
	Observe func(r *http.Request, status int, took time.Duration)
}

// AccessLog writes an access line for every response of next, at level info.
// The line has the id, the method, the path without the query, the status, the
// bytes of the body and the milliseconds taken. It also has the client's own
// X-Request-Id if that is well-formed. A panic is logged with its stack, and
// the response is an internal error without the panic's text. If the response
// has begun, the connection is closed instead, so that the client does not
// mistake a partial response for a complete one.
func AccessLog(c Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		a := &answer{ResponseWriter: w}
		defer c.log(a, r, start)
		defer c.recoverPanic(a, r)
		next.ServeHTTP(a, r)
	})
}

// recoverPanic responds for a handler that panicked. It passes on
// http.ErrAbortHandler, which handlers use to abort a connection.
func (c Config) recoverPanic(a *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		c.Log.Error("panic",
			"id", c.ID(r.Context()), "path", pathOf(r), "panic", p, "stack", string(debug.Stack()))
		if a.status == 0 {
			a.dropHeaders()
			coast.WriteError(a, fmt.Errorf("panic: %v", p))
			return
		}
	}
	a.cut = true
	panic(http.ErrAbortHandler)
}

// log writes the access line and calls Observe.
func (c Config) log(a *answer, r *http.Request, start time.Time) {
	took := time.Since(start)
	if a.status == 0 && !a.cut {
		a.status = http.StatusOK // as net/http does for a handler that sets no status
	}
	if c.Observe != nil {
		c.Observe(r, a.status, took)
	}
	ctx := r.Context()
	if !c.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	if r.Method == http.MethodHead {
		a.bytes = 0 // net/http accepts these bytes and does not send them
	}
	line := make([]slog.Attr, 0, 16) // up to 16 stay off the heap
	line = append(line, slog.String("id", c.ID(ctx)), slog.String("method", r.Method),
		slog.String("path", pathOf(r)), slog.Int("status", a.status), slog.Int("bytes", a.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000))
	if a.cut {
		line = append(line, slog.Bool("cut", true))
	}
	if theirs := r.Header.Get("X-Request-Id"); clientID().MatchString(theirs) {
		line = append(line, slog.String("client_request_id", theirs))
	}
	if c.Who != nil {
		line = append(line, c.Who(ctx)...)
	}
	// Without the source position, which is always this line, a record costs a
	// third less.
	record := slog.NewRecord(start.Add(took), slog.LevelInfo, "request", 0)
	record.AddAttrs(line...)
	c.Log.Handler().Handle(ctx, record)
}

// clientID matches the request ids of clients that are logged.
var clientID = coast.Pattern(`^[\w-]{1,64}$`)

// pathOf returns the path of a request for the log: without keys and hidden characters,
// and at most 256 bytes long.
func pathOf(r *http.Request) string {
	path := coast.Clean(coast.Redact(r.URL.Path))
	return path[:min(len(path), 256)]
}

// answer records the status and the length of a response.
type answer struct {
	http.ResponseWriter
	status int // 0 until it is set
	bytes  int
	cut    bool // the connection was aborted
}

func (a *answer) begin(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// WriteHeader passes on informational responses such as 103. The response
// begins with the status after them.
func (a *answer) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	n, err := a.ResponseWriter.Write(b)
	a.bytes += n
	return n, err
}

// FlushError sends what is buffered. http.ResponseController calls it.
func (a *answer) FlushError() error {
	a.begin(http.StatusOK)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// dropHeaders deletes the headers that describe a body that is not sent.
func (a *answer) dropHeaders() {
	for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Last-Modified"} {
		a.Header().Del(name)
	}
}
