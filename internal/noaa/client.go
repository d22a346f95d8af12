package noaa

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// The services behind the root: of data, of metadata, of derived products.
const (
	datagetter   = "/api/prod/datagetter"
	metadataRoot = "/mdapi/prod/webapi/stations"
	derivedRoot  = "/dpapi/prod/webapi/"
)

// How long answers keep. While the provider fails, what changes every few
// minutes is answered until it is stale by the measure of its product: an
// hour for levels, wind and currents, three for temperatures and salt.
const day = 24 * time.Hour

var (
	settled = upstream.Class{Fresh: day, Expiry: 30 * day, Negative: 5 * time.Minute}
	live    = upstream.Class{Fresh: 3 * time.Minute, Expiry: time.Hour, Negative: 5 * time.Minute}
	slow    = upstream.Class{Fresh: 6 * time.Minute, Expiry: 3 * time.Hour, Negative: 5 * time.Minute}
)

// Client asks CO-OPS. It is safe for use by several goroutines.
type Client struct {
	root       string // scheme://host[:port]
	now        func() time.Time
	up         *upstream.Client
	cachedOnly bool          // nobody is asked
	maxAge     time.Duration // age of an answer that is taken from the cache without asking; 0 for that of its class
}

// New returns a client of the service at root, which is scheme, host and
// perhaps port: https://api.tidesandcurrents.noaa.gov, or a mirror of it. now is the
// clock that separates the past from the future.
func New(root string, up *upstream.Client, now func() time.Time) *Client {
	return &Client{root: strings.TrimSuffix(root, "/"), up: up, now: now}
}

// Kept returns a client that answers from what was kept of earlier answers,
// and asks nobody: what is not there is provider_unavailable.
func (c *Client) Cached() *Client {
	cached := *c
	cached.cachedOnly = true
	return &cached
}

// Recent returns a client that takes nothing older than age from the cache
// without asking for it again. Documents that belong together are asked for
// through one: ReceivedAt says how old an older one is that is returned because
// the service fails.
func (c *Client) Recent(age time.Duration) *Client {
	recent := *c
	recent.maxAge = age
	return &recent
}

// KeptStations lists the ids of the stations of which documents of the
// metadata service were kept, in order.
func (c *Client) CachedStations() []string {
	var ids []string
	prefix := c.root + metadataRoot + "/"
	for _, address := range c.up.Cached(prefix) {
		id, rest, document := strings.Cut(strings.TrimPrefix(address, prefix), "/")
		id, _, _ = strings.Cut(id, "_") // offsets of a current are kept by bin
		if document && rest != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ask puts one question. Equal questions have equal addresses, whatever the
// order in which the query was put together: the cache goes by the address.
func get[T any](ctx context.Context, c *Client, path string, query url.Values, class upstream.Class, read upstream.Reader[T]) (upstream.Value[T], error) {
	if c.maxAge > 0 {
		class.Expiry = max(class.Expiry, class.Fresh)
		class.Fresh = min(class.Fresh, c.maxAge)
	}
	request := c.request(path, query, class)
	if !c.cachedOnly {
		return upstream.Get(ctx, c.up, request, read)
	}
	if v, ok := upstream.Peek(c.up, request, read); ok {
		return v, nil
	}
	return upstream.Value[T]{}, coast.Errorf(coast.ProviderUnavailable, "this was not kept, and nobody is asked")
}

// request returns a question as the provider's client takes it.
func (c *Client) request(path string, query url.Values, class upstream.Class) upstream.Request {
	address := c.root + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return upstream.Request{URL: address, Accept: "application/json", Class: class}
}
