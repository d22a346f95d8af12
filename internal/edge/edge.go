// Package edge is what every HTTP answer wears, whichever door it leaves by:
// one line in the log, and an answer even where a handler panics (Wear); and
// what a door gives to those of its answers that want it:
//
//	edge.go      Wear: access line, panics
//	id.go        ids for requests
//	scrub.go     no credential in any line of the log
//	cors.go      who may read from a browser
//	json.go      bodies of JSON, and 304 where their facts are known already
//	compress.go  zstd and gzip
//	loopback.go  which hosts are this very computer
package edge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"leadline/internal/coast"
)

// Config is what Wear needs to know.
type Config struct {
	Log *slog.Logger

	// ID is the name of a request in the log, by its context.
	ID func(context.Context) string

	// Who is asked what to add to the access line. It gets the context that
	// the request came to Wear with: what a handler further in finds out
	// reaches it only through something that this context holds already.
	// nil adds nothing.
	Who func(context.Context) []slog.Attr

	// Observe is told of every answer, for metrics. The status is 0 where the
	// connection was cut before there was one. nil tells nobody.
	Observe func(r *http.Request, status int, took time.Duration)
}

// Wear writes an access line for every answer of next, at level info: id, method, path without the query,
// status, bytes of the body, milliseconds taken, and the client's own X-Request-Id
// where it is well-formed. A panic is logged with its stack and answered as
// internal, without its text; where an answer has begun the connection is cut
// instead, so that the client does not take a part for the whole.
func Wear(c Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		a := &answer{ResponseWriter: w}
		defer c.tell(a, r, start)
		defer c.survive(a, r)
		next.ServeHTTP(a, r)
	})
}

// survive answers for a handler that panicked. http.ErrAbortHandler goes on:
// it is how a handler ends a connection.
func (c Config) survive(a *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		c.Log.Error("panic", "id", c.ID(r.Context()), "path", pathOf(r), "panic", p, "stack", string(debug.Stack()))
		if a.status == 0 {
			a.forget()
			coast.WriteError(a, fmt.Errorf("panic: %v", p))
			return
		}
	}
	a.cut = true
	panic(http.ErrAbortHandler)
}

// tell writes the access line and feeds the metrics.
func (c Config) tell(a *answer, r *http.Request, start time.Time) {
	took := time.Since(start)
	if a.status == 0 && !a.cut {
		a.status = http.StatusOK // as net/http does for a handler that says nothing
	}
	if c.Observe != nil {
		c.Observe(r, a.status, took)
	}
	ctx := r.Context()
	if !c.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	if r.Method == http.MethodHead {
		a.bytes = 0 // net/http takes them and sends none
	}
	line := make([]slog.Attr, 0, 16) // so many stay off the heap
	line = append(line, slog.String("id", c.ID(ctx)), slog.String("method", r.Method), slog.String("path", pathOf(r)),
		slog.Int("status", a.status), slog.Int("bytes", a.bytes), slog.Float64("ms", float64(took.Microseconds())/1000))
	if a.cut {
		line = append(line, slog.Bool("cut", true))
	}
	if theirs := r.Header.Get("X-Request-Id"); clientID.MatchString(theirs) {
		line = append(line, slog.String("client_request_id", theirs))
	}
	if c.Who != nil {
		line = append(line, c.Who(ctx)...)
	}
	c.Log.LogAttrs(ctx, slog.LevelInfo, "request", line...)
}

// clientID is what a client's own request id may look like to be logged.
var clientID = regexp.MustCompile(`^[\w-]{1,64}$`)

// pathOf is the path of a request as the log has it: without a key, and not as
// long as a client pleases.
func pathOf(r *http.Request) string {
	path := coast.Redact(r.URL.Path)
	return path[:min(len(path), 256)]
}

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status int // 0 until there is one
	bytes  int
	cut    bool // the connection was given up
}

func (a *answer) begin(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// WriteHeader passes on what is said before the answer, such as 103: the
// answer begins with the status after it.
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

// FlushError is what http.ResponseController calls to flush.
func (a *answer) FlushError() error {
	a.begin(http.StatusOK)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// forget drops the headers that describe a body which will not come.
func (a *answer) forget() {
	for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Last-Modified"} {
		a.Header().Del(name)
	}
}
