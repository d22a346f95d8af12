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

// The paths of the data, metadata and derived-product services.
const (
	datagetter   = "/api/prod/datagetter"
	metadataRoot = "/mdapi/prod/webapi/stations"
	derivedRoot  = "/dpapi/prod/webapi/"
)

// The caching classes. While the provider fails, values that change every few minutes are served
// until they are stale for their product: one hour for levels, wind and currents, three hours for
// temperatures and salinity.
const day = 24 * time.Hour

var (
	settled = upstream.Class{Fresh: day, Expiry: 30 * day, Negative: 5 * time.Minute}
	live    = upstream.Class{Fresh: 3 * time.Minute, Expiry: time.Hour, Negative: 5 * time.Minute}
	slow    = upstream.Class{Fresh: 6 * time.Minute, Expiry: 3 * time.Hour, Negative: 5 * time.Minute}
)

// Client is a client of CO-OPS. It is safe for concurrent use.
type Client struct {
	root       string // scheme://host[:port]
	now        func() time.Time
	up         *upstream.Client
	cachedOnly bool          // send no requests
	maxAge     time.Duration // of a fresh response; 0 for the age of its class
}

// New returns a client of the service at root, a scheme and host with an optional port:
// https://api.tidesandcurrents.noaa.gov, or a mirror of it. now is the clock that separates the
// past from the future.
func New(root string, up *upstream.Client, now func() time.Time) *Client {
	return &Client{root: strings.TrimSuffix(root, "/"), up: up, now: now}
}

// Cached returns a client that only reads the cache and sends no requests. If there is no cache
// entry, the error is provider_unavailable.
func (c *Client) Cached() *Client {
	cached := *c
	cached.cachedOnly = true
	return &cached
}

// Recent returns a client that repeats requests whose cache entries are older than age. It suits
// documents that belong together. If the service fails, an older document is returned, whose age
// ReceivedAt shows.
func (c *Client) Recent(age time.Duration) *Client {
	recent := *c
	recent.maxAge = age
	return &recent
}

// CachedStations returns the ids of the stations that have cached documents of the metadata
// service, in order.
func (c *Client) CachedStations() []string {
	var ids []string
	prefix := c.root + metadataRoot + "/"
	for _, address := range c.up.Cached(prefix) {
		id, rest, document := strings.Cut(strings.TrimPrefix(address, prefix), "/")
		id, _, _ = strings.Cut(id, "_") // offsets of a current are cached by bin
		if document && rest != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// get sends one request. Equal queries have equal URLs, in any order in which their parameters were
// set: the URL is the key of the cache.
func get[T any](ctx context.Context, c *Client, path string, query url.Values, class upstream.Class,
	read upstream.Reader[T]) (upstream.Value[T], error) {
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
	return upstream.Value[T]{}, coast.Errorf(coast.ProviderUnavailable,
		"this is not cached, and no request is sent")
}

// request returns a request for package upstream.
func (c *Client) request(path string, query url.Values, class upstream.Class) upstream.Request {
	address := c.root + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return upstream.Request{URL: address, Accept: "application/json", Class: class}
}
