package noaa

import (
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"leadline/internal/upstream"
)

// Client asks CO-OPS. It is safe for use by several goroutines.
type Client struct {
	// Now is the clock that tells the past from the future; time.Now unless
	// a test sets another before the first question.
	Now func() time.Time

	root string // scheme://host[:port]
	up   *upstream.Client
}

// New returns a client of the service at root, which is scheme, host and
// perhaps port: https://api.tidesandcurrents.noaa.gov, or a mirror of it.
func New(root string, up *upstream.Client) *Client {
	return &Client{Now: time.Now, root: strings.TrimSuffix(root, "/"), up: up}
}

// ask puts one question. Equal questions have equal addresses, whatever the
// order in which the query was put together: the cache goes by the address.
func ask[T any](ctx context.Context, c *Client, path string, query url.Values, class upstream.Class, read upstream.Reader[T]) (upstream.Value[T], error) {
	address := c.root + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return upstream.Get(ctx, c.up, upstream.Request{URL: address, Accept: "application/json", Class: class}, read)
}

// utf8Body returns a body as UTF-8. The service announces ISO-8859-1 and
// writes ASCII; where it does not, what is no UTF-8 is taken at its word.
func utf8Body(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, b := range body {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}
