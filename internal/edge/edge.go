// Package edge is what every HTTP answer wears, whichever door it leaves by:
// a request id, one line in the log (at level debug), and an answer even where
// a handler panics.
package edge

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"leadline/internal/coast"
)

// clientID is what a client's own request id may look like to be logged.
var clientID = regexp.MustCompile(`^[\w-]{1,64}$`)

// Wear gives every answer of next an X-Request-Id of ours, a UUID, and writes
// one access line with it, at level debug. The client's own id is logged
// beside it. A panic is logged with its stack and answered as internal,
// without its text.
func Wear(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := NewID(start)
		w.Header().Set("X-Request-Id", id)
		if !log.Enabled(r.Context(), slog.LevelDebug) {
			serve(log, id, next, w, r)
			return
		}
		seen := &answer{ResponseWriter: w, status: http.StatusOK}
		serve(log, id, next, seen, r)
		line := []any{"id", id, "method", r.Method, "path", r.URL.Path, "status", seen.status, "bytes", seen.bytes, "took", time.Since(start)}
		if theirs := r.Header.Get("X-Request-Id"); clientID.MatchString(theirs) {
			line = append(line, "client_request_id", theirs)
		}
		log.Debug("request", line...)
	})
}

// serve calls next and answers for it where it panics. http.ErrAbortHandler
// goes on: it is how a handler ends a connection.
func serve(log *slog.Logger, id string, next http.Handler, w http.ResponseWriter, r *http.Request) {
	defer func() {
		p := recover()
		if p == http.ErrAbortHandler {
			panic(p)
		}
		if p != nil {
			log.Error("panic", "id", id, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			coast.WriteError(w, fmt.Errorf("panic: %v", p))
		}
	}()
	next.ServeHTTP(w, r)
}

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	n, err := a.ResponseWriter.Write(b)
	a.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// NewID returns a UUID of version 7 (RFC 9562, section 5.7) made at t: 48 bits
// of milliseconds, then random bits.
func NewID(t time.Time) string {
	var u [16]byte
	rand.Read(u[:])
	ms := t.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], u[0:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:36], u[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
