// Package upstream is the one way in which Leadline asks a provider: a polite
// HTTP getter. What comes in is an address, how long its answer keeps, and a
// function that reads the body; what goes out is what was read, when it was
// obtained, and whether it is older than it should be. It knows no provider's
// format.
//
// A question goes down this ladder and stops at the first step that answers:
//
//	age of the kept answer   what happens
//	none, or past Keep       the caller waits for the provider
//	up to Fresh              the kept answer, nothing is asked
//	up to twice Fresh        the kept answer, stale; one refresh runs behind it
//	up to Keep               the caller waits for the provider; where it fails,
//	                         or failed a moment ago, the kept answer, stale
//
// So nobody waits for a provider that is down while something is kept, and
// nobody is told an hour-old value of a three-minute class while it is up.
// An answer that there is nothing keeps for its class's Negative and is never
// stale.
//
//	upstream.go  Get and Peek
//	client.go    configuration and construction of a client
//	fetch.go     one fetch a question, however many ask: attempts, headers, the bounded body
//	health.go    health of the provider, and what is logged of outages
//	keep.go      the file that survives a restart
//	host.go      breaker and pauses of one host
//	observe.go   how look-ups and requests end, for metrics
//	failure.go   failures, what callers get of them, and retries
//	answer.go    what is kept, and its age
//	line.go      whose fetch a host gets next: slots, pace, turns of callers
//	request.go   requests, classes of responses, readers
package upstream

import (
	"context"
	"fmt"
	"time"

	"leadline/internal/coast"
)

// Get answers a request out of the cache or from the provider. Errors are
// the reader's coast.Error, or ProviderUnavailable with RetryAfterSeconds.
// Where ctx reaches its deadline Get returns at once, with the kept answer or
// ProviderUnavailable; where it is cancelled, with its error. What was asked
// for others, or for the cache, goes on.
func Get[T any](ctx context.Context, c *Client, r Request, read Reader[T]) (Value[T], error) {
	if a, ok := c.cache.GetIfPresent(r.key()); ok {
		if v, ok := parsed[T](a); ok && a.age(c.config.Now()) < v.fresh(r.Class) {
			c.config.Observe(lookupHit, 0)
			return v.value(false)
		}
	}
	return ask(ctx, c, r, read)
}

// Peek answers from the cache alone: what is kept and not past its class's
// Keep, never an answer that there is nothing. It asks nobody.
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

// ask goes down the ladder from where nothing fresh has been read yet.
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
		c.join(q) // where it may not be asked now, a later call will
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

// await waits for the provider's answer, read.
func awaitTyped[T any](ctx context.Context, c *Client, q *query) (typedEntry[T], error) {
	a, err := c.await(ctx, q)
	if err != nil {
		return typedEntry[T]{}, err
	}
	return parse[T](a, q.read)
}

// look finds the kept answer of a question and what read makes of it. An
// answer that cannot be read, such as one that an older build kept, counts as
// none, and is forgotten.
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

// untyped returns a reader without its type. A reader that panics has met a
// form that it does not know: the goroutine is not the caller's, and nobody
// else would catch it.
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

// asNone is the provider's word that there is nothing, where err is one.
func asNoData(err error) (*coast.Error, bool) {
	e, ok := coast.AsError(err)
	return e, ok && e.Code != coast.ProviderUnavailable
}
