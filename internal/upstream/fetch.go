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

	"leadline/internal/coast"
)

// fetch asks until there is an answer, or no use in asking again.
func (c *Client) fetch(ctx context.Context, q *question, h *host, own *flight) (*answer, *failure) {
	c.budget.earn()
	var last *failure
	for n := 0; ; n++ {
		if n > 0 {
			own.ticket.Store(h.line.join(q.caller))
		}
		a, f := c.attempt(ctx, q, h, own.ticket.Load())
		if f == nil {
			return a, nil
		}
		if f.ours && last != nil {
			return nil, last // what the provider did says more
		}
		last = f
		if !f.again || n == maxRetries || !c.pause(ctx, n, f) {
			return nil, f
		}
	}
}

// attempt asks once, when the host has a slot free, and counts for its breaker.
// Waiting for the slot does not count: it is no fault of the provider.
func (c *Client) attempt(ctx context.Context, q *question, h *host, t *ticket) (*answer, *failure) {
	leave, f := h.enter(ctx, t)
	switch {
	case f != nil && c.life.Err() != nil:
		return nil, closing(f.cause)
	case f != nil:
		return nil, f
	}
	defer leave()
	a, err := h.breaker.Execute(func() (*answer, error) {
		began := time.Now()
		a, f := c.exchange(ctx, q)
		if f != nil && f.ours {
			return nil, f
		}
		c.record(began, time.Since(began), f)
		if f != nil {
			h.heed(f, time.Now())
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
	if f := h.rests(time.Now()); f != nil {
		return nil, f
	}
	return nil, probed(err)
}

// exchange is one request and its answer, read.
func (c *Client) exchange(ctx context.Context, q *question) (*answer, *failure) {
	req := (&http.Request{Method: http.MethodGet, URL: q.address, Host: q.address.Host, Header: c.header(q)}).WithContext(ctx)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreached(ctx, err)
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
		return nil, &failure{said: fmt.Sprintf("answered with more than %d bytes", c.config.MaxBody), cause: err}
	}
	if err != nil {
		return nil, c.unreached(ctx, err)
	}
	if c.config.Provider == coast.NWS && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, blocked(res.StatusCode, retryAfter(res.Header, at))
	}
	return understand(q, newAnswer(q, res, body, at))
}

func (c *Client) header(q *question) http.Header {
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

// refused is what is wrong with an answer whose body need not be read.
func (c *Client) refused(res *http.Response, at time.Time) *failure {
	page := mediaType(res.Header) == "text/html"
	switch status := res.StatusCode; {
	case status == http.StatusTooManyRequests:
		return &failure{said: "answered 429 (it is asked too often)", again: true, crowd: true, after: retryAfter(res.Header, at)}
	case status >= 500:
		return &failure{said: fmt.Sprintf("answered %d", status), again: true, after: retryAfter(res.Header, at)}
	case status >= 300 && status < 400:
		return strange(fmt.Errorf("status %d with nowhere to go", status))
	case status == http.StatusForbidden, page && c.config.Provider == coast.NWS:
		return blocked(status, retryAfter(res.Header, at))
	case page:
		return &failure{said: "answered with a web page instead of data"}
	case res.Header.Get("Content-Encoding") != "":
		return strange(errors.New("an encoding that was not asked for"))
	}
	return nil
}

// unchanged renews what is kept, where the provider was asked about it.
func unchanged(q *question, res *http.Response, at time.Time) (*answer, *failure) {
	if !q.old.validators() {
		return nil, strange(errors.New("not modified, which was not asked"))
	}
	return q.old.renewed(date(res.Header, at), at, q.class.keep()), nil
}

func newAnswer(q *question, res *http.Response, body []byte, at time.Time) *answer {
	h := res.Header
	modified, _ := http.ParseTime(h.Get("Last-Modified")) // zero where there is none
	return &answer{
		response: Response{
			Status: res.StatusCode, Type: mediaType(h), Body: body,
			Date: date(h, at), LastModified: modified.UTC(),
		},
		receivedAt: at,
		keep:       q.class.keep(),
		etag:       h.Get("ETag"),
		modified:   h.Get("Last-Modified"),
	}
}

// understand reads an answer before it counts as one.
func understand(q *question, a *answer) (*answer, *failure) {
	o, err := q.read(a.response)
	if err != nil {
		return nil, strange(err)
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

var errTooLarge = errors.New("body larger than the bound")

// readBody reads a body of up to limit bytes, decoded, in steps that grow with
// what has come: neither a long answer nor one that announces itself as long
// takes more memory than the bound. What is cut off does not keep its
// connection.
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

// fill reads until b is full. Unlike io.ReadFull it leaves the reader's error
// as it is: the end of a body differs from a body cut short.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}

const (
	// maxFlights bounds the fetches under way: callers may leave theirs behind.
	maxFlights = 512
	// maxTroubles bounds the memory of failures.
	maxTroubles = 4096
	// After a failure an address is left alone for firstPause, twice as long
	// after each further one, up to lastPause.
	firstPause = 2 * time.Second
	lastPause  = 30 * time.Second
)

// flight is one fetch, for all who ask meanwhile.
type flight struct {
	ticket  atomic.Pointer[ticket] // place in the host's line
	done    chan struct{}          // closed when the rest is set
	answer  *answer
	failure *failure
}

// landed is the flight that ended before it was asked for.
func landed(a *answer) *flight {
	f := &flight{done: make(chan struct{}), answer: a}
	close(f.done)
	return f
}

// trouble is what failed at one address, and since when it is left alone.
type trouble struct {
	times   int
	until   time.Time
	failure *failure
}

// recent reports whether the provider, asked again, would probably fail again.
func (t *trouble) recent(now time.Time) bool { return now.Before(t.until.Add(lastPause)) }

// await waits for the answer to a question, as long as ctx does. The error is
// a *failure, or says that ctx was cancelled.
func (c *Client) await(ctx context.Context, q *question) (*answer, error) {
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
		return nil, c.ended(ctx)
	}
	if f.failure != nil {
		return nil, f.failure
	}
	return f.answer, nil
}

func (c *Client) ended(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return tooLate(ctx.Err())
	}
	return fmt.Errorf("asking %s: %w", c.config.Provider, ctx.Err())
}

// join finds the flight of a question or starts one, unless the provider
// should not be asked now.
func (c *Client) join(q *question) (*flight, *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(q.address)
	if f := c.flights[q.key]; f != nil {
		h.line.share(f.ticket.Load(), q.caller)
		return f, nil
	}
	// One may have landed since the caller looked.
	if a, ok := c.kept.GetIfPresent(q.key); ok && a != q.old {
		return landed(a), nil
	}
	if refused := c.refusal(q, h, time.Now()); refused != nil {
		return nil, refused
	}
	f := &flight{done: make(chan struct{})}
	f.ticket.Store(h.line.join(q.caller))
	c.flights[q.key] = f
	c.running.Go(func() { c.fly(q, h, f) })
	return f, nil
}

// refusal is why the provider should not be asked now, or nil.
func (c *Client) refusal(q *question, h *host, now time.Time) *failure {
	switch t := c.troubles[q.key]; {
	case c.config.Offline:
		return &failure{said: "is not asked, because this server was started with --offline", ours: true}
	case c.closed:
		return closing(nil)
	case len(c.flights) >= maxFlights:
		return crowded(nil)
	case t != nil && now.Before(t.until):
		return t.failure.later(t.until.Sub(now))
	}
	if f := h.rests(now); f != nil {
		return f
	}
	if h.line.full(q.caller) {
		return ownCrowd()
	}
	return nil
}

func (c *Client) fly(q *question, h *host, f *flight) {
	ctx, cancel := context.WithTimeout(c.life, c.config.Deadline)
	defer cancel()
	f.answer, f.failure = c.fetch(ctx, q, h, f)
	c.land(q, f)
	c.noteOutcome(q, f.failure)
	close(f.done)
}

// land keeps what a flight brought: the answer, or how long to leave the
// address alone.
func (c *Client) land(q *question, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, q.key)
	switch {
	case f.failure == nil:
		delete(c.troubles, q.key)
		c.kept.Set(q.key, f.answer)
		c.changes.Add(1)
	case !f.failure.ours:
		c.note(q.key, f.failure, time.Now())
	}
}

func (c *Client) note(k key, f *failure, now time.Time) {
	t := c.troubles[k]
	if t == nil {
		c.makeRoom(now)
		t = &trouble{}
		c.troubles[k] = t
	}
	pause := min(firstPause<<min(t.times, 10), lastPause)
	t.times++
	t.failure = f
	t.until = now.Add(max(pause, min(f.after, longestPause)))
}

// makeRoom drops the troubles that are over where there are many, and then any
// quarter of them: without its trouble an address is asked once too often.
func (c *Client) makeRoom(now time.Time) {
	if len(c.troubles) < maxTroubles {
		return
	}
	for k, t := range c.troubles {
		if !t.recent(now) {
			delete(c.troubles, k)
		}
	}
	for k := range c.troubles {
		if len(c.troubles) < maxTroubles*3/4 {
			return
		}
		delete(c.troubles, k)
	}
}

// troubled reports whether an address failed a moment ago, so that waiting for
// it would probably be in vain.
func (c *Client) troubled(k key, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.troubles[k]
	return t != nil && t.recent(now)
}
