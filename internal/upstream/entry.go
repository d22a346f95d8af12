package upstream

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"leadline/internal/coast"
)

const (
	// neverUsable is the age of an entry that must not be used.
	neverUsable = time.Duration(math.MaxInt64)
	// clockSlack limits how far the clock may have been set back. The age of an entry from
	// further in the future is unknown.
	clockSlack = time.Minute
)

// entry is a cache entry. Only its parsed value changes.
type entry struct {
	response   Response
	receivedAt time.Time     // wall clock only, so that a suspended machine counts the time
	expiry     time.Duration // of the class of the request, for the file
	etag       string        // validators as received
	modified   string
	read       atomic.Pointer[outcome]
}

// outcome is the result of a reader: a *T, or a nil *T and the error that says that there is no
// data.
type outcome struct {
	data any
	none *coast.Error
}

// age returns the age of an entry by the wall clock.
func (a *entry) age(now time.Time) time.Duration {
	switch age := now.Sub(a.receivedAt); {
	case age >= 0:
		return age
	case age >= -clockSlack:
		return 0
	}
	return neverUsable
}

// validators reports whether the entry can be revalidated with the provider.
func (a *entry) validators() bool {
	return a != nil && a.response.Status == 200 && (a.etag != "" || a.modified != "")
}

// renewed returns a copy of an entry that was revalidated at a later time.
func (a *entry) renewed(date, at time.Time, expiry time.Duration) *entry {
	n := &entry{
		response: a.response, receivedAt: at, expiry: expiry, etag: a.etag, modified: a.modified,
	}
	n.response.Date = date
	n.read.Store(a.read.Load())
	return n
}

// weigh estimates the bytes of memory of an entry: its body, as much again for the parsed value,
// and overhead.
func weigh(k key, a *entry) uint32 {
	const rest = 512
	return uint32(min(len(k.url)+len(k.accept)+2*len(a.response.Body)+rest, math.MaxUint32))
}

// typedEntry is an entry parsed to a T.
type typedEntry[T any] struct {
	*entry
	data *T
	none *coast.Error
}

// parsed returns the value of an entry that was parsed to a T before.
func parsed[T any](a *entry) (typedEntry[T], bool) {
	o := a.read.Load()
	if o == nil {
		return typedEntry[T]{}, false
	}
	data, ok := o.data.(*T)
	return typedEntry[T]{a, data, o.none}, ok
}

// parse parses an entry to a T, once. An entry that was parsed to another type is parsed again.
func parse[T any](a *entry, read func(Response) (*outcome, error)) (typedEntry[T], error) {
	if v, ok := parsed[T](a); ok {
		return v, nil
	}
	o, err := read(a.response)
	if err != nil {
		return typedEntry[T]{}, unknownFormat(err)
	}
	a.read.Store(o)
	data, _ := o.data.(*T) // read makes nothing else
	return typedEntry[T]{a, data, o.none}, nil
}

// fresh returns the age up to which an entry is served without a request.
func (v typedEntry[T]) fresh(c Class) time.Duration {
	if v.none != nil {
		return c.negative()
	}
	return c.Fresh
}

// value returns the value for a caller. An error is a copy, so that a caller cannot change the
// cached one.
func (v typedEntry[T]) value(stale bool) (Value[T], error) {
	if v.none != nil {
		e := *v.none
		e.Issues = slices.Clone(e.Issues)
		return Value[T]{}, &e
	}
	return Value[T]{*v.data, v.response.Date, v.receivedAt, stale}, nil
}

// query is a request that is being served.
type query struct {
	key
	address *url.URL
	class   Class
	caller  string // whose turn the fetch takes; callers that join it add theirs
	old     *entry // the cache entry, or nil
	read    func(Response) (*outcome, error)
}

func newQuery(
	r Request, caller string, old *entry, read func(Response) (*outcome, error),
) (*query, error) {
	address, err := url.Parse(r.URL)
	if err != nil {
		return nil, fmt.Errorf("parse a provider URL: %w", err)
	}
	return &query{r.key(), address, r.Class, caller, old, read}, nil
}
