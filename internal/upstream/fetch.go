package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// fetch sends requests until one succeeds or a retry is not worthwhile.
func (c *Client) fetch(ctx context.Context, q *query, h *host, own *flight) (*entry, *failure) {
	c.budget.earn()
	var last *failure
	for n := 0; ; n++ {
		if n > 0 {
			t := h.queue.join(q.caller)
			t.retry = true
			own.ticket.Store(t)
		}
		a, f := c.attempt(ctx, q, h, own.ticket.Load())
		if f == nil {
			return a, nil
		}
		if f.local && last != nil {
			return nil, last // the failure of the provider is more informative
		}
		last = f
		if !f.retryable || n == maxRetries || !c.pause(ctx, n, f) {
			return nil, f
		}
	}
}

// attempt sends one request when the host has a free slot, and reports the result to its breaker.
// Waiting for the slot does not count: it is not a fault of the provider.
func (c *Client) attempt(ctx context.Context, q *query, h *host, t *ticket) (*entry, *failure) {
	leave, f := h.enter(ctx, t)
	switch {
	case f != nil && c.ctx.Err() != nil:
		return nil, shuttingDown(f.cause)
	case f != nil:
		return nil, f
	}
	defer leave()
	a, err := h.breaker.Execute(func() (*entry, error) {
		at, began := c.config.Now(), time.Now()
		a, f := c.exchange(ctx, q)
		if f != nil && f.local {
			return nil, f
		}
		c.record(at, time.Since(began), f)
		if f != nil {
			h.recordFailure(f, time.Now())
			return nil, f
		}
		return a, nil
	})
	if err == nil {
		return a, nil
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return nil, f
	}
	if f := h.refusal(time.Now()); f != nil {
		return nil, f
	}
	return nil, probing(err, h.last.Load())
}

// exchange sends one request and parses the response.
func (c *Client) exchange(ctx context.Context, q *query) (*entry, *failure) {
	req := &http.Request{
		Method: http.MethodGet, URL: q.address, Host: q.address.Host, Header: c.header(q),
	}
	res, err := c.http.Do(req.WithContext(ctx))
	if err != nil {
		return nil, c.networkFailure(ctx, err)
	}
	defer res.Body.Close()
	at := c.config.Now().UTC().Round(0)
	if res.StatusCode == http.StatusNotModified {
		return unchanged(q, res, at)
	}
	if f := c.refused(res, at); f != nil {
		return nil, f
	}
	body, err := readBody(res.Body, res.ContentLength, c.config.MaxBody)
	if err == errTooLarge {
		reason := fmt.Sprintf("returned more than %d bytes", c.config.MaxBody)
		return nil, &failure{reason: reason, cause: err}
	}
	if err != nil {
		return nil, c.networkFailure(ctx, err)
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff")) // a byte-order mark, which no format here has
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, webPage()
	}
	a, f := understand(q, newEntry(q, res, body, at))
	if f != nil {
		c.config.Unread(f.cause)
	}
	return a, f
}

func (c *Client) header(q *query) http.Header {
	h := http.Header{"User-Agent": {c.config.UserAgent}}
	if q.accept != "" {
		h.Set("Accept", q.accept)
	}
	if !q.old.validators() {
		return h
	}
	if q.old.etag != "" {
		h.Set("If-None-Match", q.old.etag)
	}
	if q.old.modified != "" {
		h.Set("If-Modified-Since", q.old.modified)
	}
	return h
}

// refused returns the failure that the status and headers of a response show, or nil.
func (c *Client) refused(res *http.Response, at time.Time) *failure {
	switch status := res.StatusCode; {
	case status == http.StatusTooManyRequests:
		return &failure{reason: "returned 429 (too many requests)", retryable: true,
			rateLimited: true, after: retryAfter(res.Header, at)}
	case status >= 500:
		return &failure{reason: fmt.Sprintf("returned %d", status), retryable: true,
			after: retryAfter(res.Header, at)}
	case status >= 300 && status < 400:
		return unknownFormat(fmt.Errorf("status %d without a Location", status))
	case status == http.StatusForbidden:
		return blocked(status, retryAfter(res.Header, at))
	case mediaType(res.Header) == "text/html":
		return webPage()
	case res.Header.Get("Content-Encoding") != "":
		return unknownFormat(errors.New("a Content-Encoding that was not requested"))
	}
	return nil
}

// unchanged renews the cache entry that the request revalidated.
func unchanged(q *query, res *http.Response, at time.Time) (*entry, *failure) {
	if !q.old.validators() {
		return nil, unknownFormat(errors.New("status 304 for an unconditional request"))
	}
	return q.old.renewed(date(res.Header, at), at, q.class.expiry()), nil
}

func newEntry(q *query, res *http.Response, body []byte, at time.Time) *entry {
	h := res.Header
	modified, _ := http.ParseTime(h.Get("Last-Modified")) // zero if there is none
	return &entry{
		response: Response{
			Status: res.StatusCode, Type: mediaType(h), Body: body,
			Date: date(h, at), LastModified: modified.UTC(),
		},
		receivedAt: at,
		expiry:     q.class.expiry(),
		etag:       h.Get("ETag"),
		modified:   h.Get("Last-Modified"),
	}
}

// understand parses a new entry; a response that the reader rejects is a failure.
func understand(q *query, a *entry) (*entry, *failure) {
	o, err := q.read(a.response)
	if err != nil {
		return nil, unknownFormat(err)
	}
	a.read.Store(o)
	return a, nil
}

func mediaType(h http.Header) string {
	text := h.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(text); err == nil {
		return name
	}
	name, _, _ := strings.Cut(text, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

var errTooLarge = errors.New("body larger than the limit")

// readBody reads a decoded body of up to limit bytes in parts of growing size. Neither a long body
// nor a large Content-Length takes more memory than the limit. Unlike io.ReadAll with
// http.MaxBytesReader it does not copy the parts of a body that is too large. The connection of
// such a body is not reused.
func readBody(r io.Reader, announced int64, limit int) ([]byte, error) {
	if announced > int64(limit) {
		return nil, errTooLarge
	}
	const firstStep, lastStep = 8 << 10, 1 << 20
	var parts [][]byte
	for size, step := 0, firstStep; ; step = min(2*step, lastStep) {
		part := make([]byte, min(step, limit+1-size))
		n, err := fill(r, part)
		parts = append(parts, part[:n])
		size += n
		switch {
		case size > limit:
			return nil, errTooLarge
		case err == io.EOF:
			return slices.Concat(parts...), nil
		case err != nil:
			return nil, err
		}
	}
}

// fill reads until b is full. Unlike io.ReadFull it returns the reader's error unchanged: the end
// of a body differs from a truncated body.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}

const (
	// maxFlights limits the fetches in progress: callers may leave before theirs end (ours).
	maxFlights = 512
	// maxBackoffs limits the URLs whose failures are remembered (ours).
	maxBackoffs = 4096
	// After a failure a URL is not requested for firstPause, twice as long after each further
	// failure, up to lastPause (ours).
	firstPause = 2 * time.Second
	lastPause  = 30 * time.Second
)

// flight is one fetch for all concurrent lookups of its key. It runs to its own deadline even if
// every caller leaves, so that the cache gets the response. singleflight.Group cannot replace it:
// a lookup must find the running fetch to share its place in the queue, and check limits and
// shutdown under the same lock.
type flight struct {
	ticket  atomic.Pointer[ticket] // place in the queue of the host
	done    chan struct{}          // closed when the fields below are set
	entry   *entry
	failure *failure
}

// finished returns a flight that has ended with an entry.
func finished(a *entry) *flight {
	f := &flight{done: make(chan struct{}), entry: a}
	close(f.done)
	return f
}

// backoff is the last failure of one URL and the time until which it is not requested.
type backoff struct {
	times   int
	until   time.Time
	failure *failure
}

// recent reports whether another request would probably fail too.
func (t *backoff) recent(now time.Time) bool { return now.Before(t.until.Add(lastPause)) }

// await waits for the entry of a query until ctx ends. The error is a *failure, or that ctx was
// canceled.
func (c *Client) await(ctx context.Context, q *query) (*entry, error) {
	if ctx.Err() != nil {
		return nil, c.ended(ctx)
	}
	f, refused := c.join(q)
	if refused != nil {
		return nil, refused
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		if t := f.ticket.Load(); t != nil && t.unasked() && ctx.Err() == context.DeadlineExceeded {
			return nil, notAsked(ctx.Err())
		}
		return nil, c.ended(ctx)
	}
	if f.failure != nil {
		return nil, f.failure
	}
	return f.entry, nil
}

func (c *Client) ended(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return timedOut(ctx.Err())
	}
	return fmt.Errorf("request to %s: %w", c.config.Provider, ctx.Err())
}

// join returns the flight of a query. It starts one if there is none, unless the provider must not
// get a request now.
func (c *Client) join(q *query) (*flight, *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(q.address)
	if f := c.flights[q.key]; f != nil {
		h.queue.share(f.ticket.Load(), q.caller)
		return f, nil
	}
	// A flight may have finished since the caller looked into the cache.
	if a, ok := c.cache.GetIfPresent(q.key); ok && a != q.old {
		return finished(a), nil
	}
	if refused := c.refusal(q, h, time.Now()); refused != nil {
		return nil, refused
	}
	f := &flight{done: make(chan struct{})}
	f.ticket.Store(h.queue.join(q.caller))
	c.flights[q.key] = f
	c.running.Go(func() { c.run(q, h, f) })
	return f, nil
}

// refusal returns why the provider must not get a request now, or nil. c.mu is held.
func (c *Client) refusal(q *query, h *host, now time.Time) *failure {
	switch t := c.backoffs[q.key]; {
	case c.config.Offline:
		reason := "gets no requests, because this server was started with --offline"
		return &failure{reason: reason, local: true, lasting: true}
	case c.closed:
		return shuttingDown(nil)
	case len(c.flights) >= maxFlights:
		return tooManyFetches(nil)
	case t != nil && now.Before(t.until):
		return t.failure.remaining(t.until.Sub(now))
	}
	if f := h.refusal(now); f != nil {
		return f
	}
	if h.queue.full(q.caller) {
		return callerLimit()
	}
	return nil
}

func (c *Client) run(q *query, h *host, f *flight) {
	ctx, cancel := context.WithTimeout(c.ctx, c.config.Deadline)
	defer cancel()
	f.entry, f.failure = c.fetch(ctx, q, h, f)
	c.finish(q, f)
	c.logOutcome(q, f.failure)
	close(f.done)
}

// finish records the result of a flight: a cache entry, or a backoff of the URL.
func (c *Client) finish(q *query, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, q.key)
	switch {
	case f.failure == nil:
		delete(c.backoffs, q.key)
		c.cache.Set(q.key, f.entry)
		c.changes.Add(1)
	case !f.failure.local:
		c.noteFailure(q.key, f.failure, time.Now())
	}
}

func (c *Client) noteFailure(k key, f *failure, now time.Time) {
	t := c.backoffs[k]
	if t == nil {
		c.evictBackoffs(now)
		t = &backoff{}
		c.backoffs[k] = t
	}
	pause := min(firstPause<<min(t.times, 10), lastPause)
	t.times++
	t.failure = f
	t.until = now.Add(max(pause, min(f.after, maxPause)))
}

// evictBackoffs drops the expired backoffs if there are many, and then a quarter of all. A
// URL without its backoff is requested once more than it should be.
func (c *Client) evictBackoffs(now time.Time) {
	if len(c.backoffs) < maxBackoffs {
		return
	}
	for k, t := range c.backoffs {
		if !t.recent(now) {
			delete(c.backoffs, k)
		}
	}
	for k := range c.backoffs {
		if len(c.backoffs) < maxBackoffs*3/4 {
			return
		}
		delete(c.backoffs, k)
	}
}

// failedRecently reports whether a URL failed so recently that it would probably fail again.
func (c *Client) failedRecently(k key, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.backoffs[k]
	return t != nil && t.recent(now)
}
