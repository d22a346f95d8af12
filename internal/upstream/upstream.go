// Package upstream is the HTTP client for providers: it caches, retries, limits its rate and
// shares requests. The input is a URL, a caching class and a function that parses the response.
// The result is the parsed value, when it was received, and whether it is stale. The package
// does not know any provider's format.
//
// The age of the cache entry decides how a lookup is served:
//
//	no entry, or expired  the caller waits for the provider
//	up to Fresh           the entry; no request
//	up to twice Fresh     the entry, stale; one refresh runs in the background
//	up to Expiry          the caller waits for the provider; if it fails, or failed
//	                      recently, the entry, stale
//
// So no caller waits for a provider that is down while there is an entry, and no caller gets an
// hour-old value of a three-minute class while the provider is up. An entry that says that there
// is no data is valid for Negative and is never served stale.
//
//	upstream.go  Get and Peek
//	client.go    configuration and construction of a client
//	fetch.go     one fetch for all concurrent lookups: attempts, headers, the body limit
//	health.go    health of the provider, and the log of its outages
//	file.go      the cache file
//	host.go      breaker and pauses of one host
//	observe.go   outcomes of lookups and requests, for metrics
//	failure.go   failures, their errors for callers, and retries
//	entry.go     cache entries and their age
//	queue.go     the order of fetches to a host: slots, rate, fairness between callers
//	request.go   requests, caching classes, readers
package upstream

import (
	"context"
	"fmt"
	"time"

	"leadline/internal/coast"
)

// Get returns the value of a request from the cache or the provider. Errors are the reader's
// coast.Error, or ProviderUnavailable with RetryAfterSeconds. At the deadline of ctx Get returns
// at once, with a usable cache entry or ProviderUnavailable; if ctx is canceled, with its error.
// The fetch continues for other callers and for the cache.
func Get[T any](ctx context.Context, c *Client, r Request, read Reader[T]) (Value[T], error) {
	if a, ok := c.cache.GetIfPresent(r.key()); ok {
		if v, ok := parsed[T](a); ok && a.age(c.config.Now()) < v.fresh(r.Class) {
			c.config.Observe(lookupHit, 0)
			return v.value(false)
		}
	}
	return ask(ctx, c, r, read)
}

// Peek returns the value of a cache entry that has not expired and has data. It sends no request.
func Peek[T any](c *Client, r Request, read Reader[T]) (Value[T], bool) {
	v, ok := lookUp(c, r.key(), read)
	if !ok || v.none != nil {
		return Value[T]{}, false
	}
	age := v.age(c.config.Now())
	if age >= r.Class.expiry() {
		return Value[T]{}, false
	}
	value, _ := v.value(age >= r.Class.Fresh)
	return value, true
}

// ask serves a lookup for which there is no fresh, parsed entry.
func ask[T any](ctx context.Context, c *Client, r Request, read Reader[T]) (Value[T], error) {
	v, found := lookUp(c, r.key(), read)
	q, err := newQuery(r, c.config.Caller(ctx), v.entry, untyped(read))
	if err != nil {
		return Value[T]{}, err
	}
	began := time.Now()
	age := neverUsable
	if found {
		age = v.age(c.config.Now())
	}
	if found && age < v.fresh(r.Class) {
		c.config.Observe(lookupHit, 0)
		return v.value(false)
	}
	usable := found && v.none == nil && age < r.Class.expiry()
	if usable && (age < 2*r.Class.Fresh || c.failedRecently(q.key, began)) {
		q.caller = refreshes
		c.join(q) // if it is refused, a later call refreshes the entry
		c.config.Observe(lookupStale, 0)
		return v.value(true)
	}
	fresh, err := awaitTyped[T](ctx, c, q)
	took := time.Since(began)
	switch {
	case err == nil:
		c.config.Observe(lookupFetched, took)
		return fresh.value(false)
	case usable && ctx.Err() != context.Canceled:
		c.config.Observe(lookupStale, took)
		return v.value(true)
	}
	c.config.Observe(lookupOutcome(err), took)
	return Value[T]{}, c.callerError(err)
}

// awaitTyped waits for the fetch of a query and returns its parsed entry.
func awaitTyped[T any](ctx context.Context, c *Client, q *query) (typedEntry[T], error) {
	a, err := c.await(ctx, q)
	if err != nil {
		return typedEntry[T]{}, err
	}
	return parse[T](a, q.read)
}

// lookUp returns the parsed cache entry of a key. An entry that read rejects, such as one that
// an older build stored, is dropped.
func lookUp[T any](c *Client, k key, read Reader[T]) (typedEntry[T], bool) {
	a, ok := c.cache.GetIfPresent(k)
	if !ok {
		return typedEntry[T]{}, false
	}
	v, err := parse[T](a, untyped(read))
	if err != nil {
		c.drop(k, a)
		return typedEntry[T]{}, false
	}
	return v, true
}

// untyped returns a reader without its type. A panic of the reader counts as an unknown format:
// the fetch runs in a goroutine of its own, where no other code recovers it.
func untyped[T any](read Reader[T]) func(Response) (*outcome, error) {
	return func(r Response) (o *outcome, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("reader panicked: %v", p)
			}
		}()
		data, err := read(r)
		if err == nil {
			return &outcome{data: &data}, nil
		}
		if none, ok := asNoData(err); ok {
			return &outcome{data: (*T)(nil), none: none}, nil
		}
		return nil, err
	}
}

// asNoData returns err as the statement of the provider that there is no data, if it is one.
func asNoData(err error) (*coast.Error, bool) {
	e, ok := coast.AsError(err)
	return e, ok && e.Code != coast.ProviderUnavailable
}
