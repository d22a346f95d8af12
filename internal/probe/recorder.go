package probe

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"leadline/internal/upstream"
)

// maxBody is the number of bytes of a body that are kept. The longest list of stations has about
// three million (ours).
const maxBody = 4 << 20

// Recorder keeps the responses of the clients that it is attached to, until they are taken.
type Recorder struct {
	Now func() time.Time

	mu     sync.Mutex
	list   []*exchange
	agents []string
	unread error
}

// exchange is one request and its response, as received and decompressed.
type exchange struct {
	path   string // and query; the host may be a mirror of the owner's
	at     time.Time
	status int // 0: there was no response
	header http.Header
	body   []byte
	size   int
	whole  bool // the body was read to its end
}

// Attach makes the configuration of a client record its responses.
func (r *Recorder) Attach(c *upstream.Config) {
	c.Transport = func(usual http.RoundTripper) http.RoundTripper { return transport{usual, r} }
	c.Unread = func(why error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unread = why
	}
}

// take returns the exchanges since the last call, and why the last response could not be read.
func (r *Recorder) take() ([]*exchange, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, unread := r.list, r.unread
	r.list, r.unread = nil, nil
	return list, unread
}

// userAgents returns the User-Agent headers that were sent.
func (r *Recorder) userAgents() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.agents)
}

// transport records what passes through another one.
type transport struct {
	http.RoundTripper
	recorder *Recorder
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	r := t.recorder
	x := &exchange{path: req.URL.RequestURI(), at: r.Now().UTC()}
	r.mu.Lock()
	r.list = append(r.list, x)
	if agent := req.UserAgent(); !slices.Contains(r.agents, agent) {
		r.agents = append(r.agents, agent)
	}
	r.mu.Unlock()
	response, err := t.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x.status, x.header = response.StatusCode, keptHeaders(response.Header)
	response.Body = &tee{response.Body, r, x}
	return response, nil
}

// CloseIdleConnections is called by http.Client.
func (t transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// keptHeaders returns the headers of a response that matter to clients. Others may name the owner:
// cookies, the address as the provider sees it.
func keptHeaders(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{
		"Cache-Control", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Retry-After",
	} {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// tee keeps a copy of what is read of a body.
type tee struct {
	io.ReadCloser
	recorder *Recorder
	exchange *exchange
}

// Read implements io.Reader.
func (t *tee) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.recorder.mu.Lock()
	defer t.recorder.mu.Unlock()
	x := t.exchange
	x.body = append(x.body, b[:min(n, maxBody-min(len(x.body), maxBody))]...)
	x.size += n
	x.whole = x.whole || err == io.EOF
	return n, err
}

// maxRest is the number of bytes that are kept of a body that the client does not read, such as a
// page about an error (ours).
const maxRest = 64 << 10

// Close implements io.Closer.
func (t *tee) Close() error {
	io.CopyN(io.Discard, t, maxRest) // the archive has what there is
	return t.ReadCloser.Close()
}

// bodyType returns the ending of a file with the body.
func (x *exchange) bodyType() string {
	switch kind := []byte(x.header.Get("Content-Type")); {
	case bytes.Contains(kind, []byte("json")):
		return ".json"
	case bytes.Contains(kind, []byte("html")):
		return ".html"
	}
	return ".txt"
}
