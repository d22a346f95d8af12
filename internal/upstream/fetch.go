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

func date(h http.Header, at time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t.UTC()
	}
	return at
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

var (
	errElsewhere = errors.New("redirect to another host")
	errCircles   = errors.New("too many redirects")
)

// sameHost follows a redirect only where it stays with the provider, at most
// three times.
func sameHost(r *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case r.URL.Scheme != from.Scheme || r.URL.Host != from.Host:
		return errElsewhere
	case len(via) > 3:
		return errCircles
	}
	return nil
}
