package edge

import (
	"io"
	"net/http"
	"time"
)

const (
	// lingerAtOnce limits the number of connections that linger at a time. The
	// figure is ours.
	lingerAtOnce = 64

	// lingerFor limits how long one connection lingers, and lingerBytes how
	// much is discarded meanwhile. With these limits, 36 of 36 HTTP clients
	// that write a body of some megabytes before they read got the response.
	// The figures are ours.
	lingerFor   = 3 * time.Second
	lingerBytes = 32 << 20

	// smallBody is the announced length up to which net/http reads the rest of
	// a body before it sends the response, so that the connection can be
	// reused. It is the maximum length of a body that an operation accepts.
	smallBody = 64 << 10

	// smallFor limits how long that takes, and overloadedFor how long it takes
	// while the server is overloaded. A short body usually arrives with its
	// header. The figures are ours.
	smallFor      = time.Second
	overloadedFor = 100 * time.Millisecond
)

// Linger returns a handler that lets refusals reach clients that write a whole
// body before they read. If next refuses a request (status 400 and above)
// without reading its body, the response is sent at once. What the client still
// sends is discarded for a while before the connection is closed. If it were
// closed earlier, the client's kernel would drop the response. At most
// lingerAtOnce connections linger; further ones are closed at once.
//
// Linger belongs around everything that accounts for a request, so that a
// connection that lingers holds neither a place nor memory for a body. HTTP/2
// does not need it: there the response and the body are independent.
func Linger(next http.Handler) http.Handler {
	slots := make(chan struct{}, lingerAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 || !hasBody(r) {
			next.ServeHTTP(w, r)
			return
		}
		d := &discarding{ResponseWriter: w, r: r, body: r.Body}
		r = r.WithContext(r.Context()) // a copy: the server drains the original's body
		r.Body = readEnd{d}
		next.ServeHTTP(d, r)
		if d.refused {
			d.linger(slots)
		}
	})
}

// discarding is the response to a request whose body may have to be discarded.
type discarding struct {
	http.ResponseWriter
	r       *http.Request
	body    io.ReadCloser
	begun   bool // reading the body has begun
	ended   bool // the body was read to the end
	refused bool // the response was sent before a long body was read
}

// WriteHeader sends a status. For a refusal it decides what happens to the rest
// of the body.
func (d *discarding) WriteHeader(status int) {
	if status >= http.StatusBadRequest && !d.ended && !d.refused {
		switch small := d.r.ContentLength > 0 && d.r.ContentLength <= smallBody; {
		case !small:
			d.refused = true
			d.Header().Set("Connection", "close")
		case status == http.StatusServiceUnavailable:
			d.expect(overloadedFor)
		default:
			d.expect(smallFor)
		}
	}
	d.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (d *discarding) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// expect sets a deadline for the rest of the body.
func (d *discarding) expect(within time.Duration) {
	http.NewResponseController(d.ResponseWriter).SetReadDeadline(time.Now().Add(within))
}

// linger sends the response and discards what the client still sends. A client
// that waits for 100 Continue sends nothing.
func (d *discarding) linger(slots chan struct{}) {
	if http.NewResponseController(d.ResponseWriter).Flush() != nil {
		return
	}
	if d.r.Header.Get("Expect") == "" || d.begun {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			d.expect(lingerFor)
			io.Copy(io.Discard, io.LimitReader(d.body, lingerBytes))
		default:
		}
	}
	d.expect(-time.Second) // otherwise net/http would read on before it closes the connection
}

// readEnd is the body of a request. It records in discarding how much of it was
// read.
type readEnd struct{ d *discarding }

func (b readEnd) Read(p []byte) (int, error) {
	b.d.begun = true
	n, err := b.d.body.Read(p)
	b.d.ended = b.d.ended || err == io.EOF
	return n, err
}

func (b readEnd) Close() error { return b.d.body.Close() }
