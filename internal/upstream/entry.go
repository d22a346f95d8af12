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
	// forever is the age of what must not be used.
	neverUsable = time.Duration(math.MaxInt64)
	// slack is how far the clock may be set back under an answer's feet. What
	// comes from further in the future has an age that nobody knows.
	clockSlack = time.Minute
)

// answer is what is kept of a provider's answer. Nothing in it changes but
// what was read of it.
type entry struct {
	response   Response
	receivedAt time.Time     // wall clock only: a machine that slept has aged
	expiry     time.Duration // of the class that asked, for the file
	etag       string        // validators as the provider wrote them
	modified   string
	read       atomic.Pointer[outcome]
}

// outcome is what a reader made of an answer: a *T, or a word that there is
// nothing and a nil *T.
type outcome struct {
	data any
	none *coast.Error
}

// age counts by the wall clock.
func (a *entry) age(now time.Time) time.Duration {
	switch age := now.Sub(a.receivedAt); {
	case age >= 0:
		return age
	case age >= -clockSlack:
		return 0
	}
	return neverUsable
}

// validators reports whether the provider can be asked if the answer still
// holds.
func (a *entry) validators() bool {
	return a != nil && a.response.Status == 200 && (a.etag != "" || a.modified != "")
}

// renewed is the same answer, found unchanged at a later time.
func (a *entry) renewed(date, at time.Time, expiry time.Duration) *entry {
	n := &entry{response: a.response, receivedAt: at, expiry: expiry, etag: a.etag, modified: a.modified}
	n.response.Date = date
	n.read.Store(a.read.Load())
	return n
}

// weigh is about how many bytes of memory an answer takes: its body, about as
// much again for what was read of it, and the rest.
func weigh(k key, a *entry) uint32 {
	const rest = 512
	return uint32(min(len(k.url)+len(k.accept)+2*len(a.response.Body)+rest, math.MaxUint32))
}

// viewed is an answer as one type sees it.
type typedEntry[T any] struct {
	*entry
	data *T
	none *coast.Error
}

// seen is what was read of an answer before, where it was read to a T.
func parsed[T any](a *entry) (typedEntry[T], bool) {
	o := a.read.Load()
	if o == nil {
		return typedEntry[T]{}, false
	}
	data, ok := o.data.(*T)
	return typedEntry[T]{a, data, o.none}, ok
}

// view reads an answer to a T, once. An answer that was read to another type
// is read again.
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

// fresh is up to which age an answer is given without asking.
func (v typedEntry[T]) fresh(c Class) time.Duration {
	if v.none != nil {
		return c.negative()
	}
	return c.Fresh
}

// value is what a caller gets. An error is a copy: the kept one stays as it is
// whatever the caller does to it.
func (v typedEntry[T]) value(stale bool) (Value[T], error) {
	if v.none != nil {
		e := *v.none
		e.Issues = slices.Clone(e.Issues)
		return Value[T]{}, &e
	}
	return Value[T]{Data: *v.data, Date: v.response.Date, ReceivedAt: v.receivedAt, Stale: stale}, nil
}

// question is a request on its way.
type query struct {
	key
	address *url.URL
	class   Class
	caller  string // whose turn the fetch takes; those who join it add theirs
	old     *entry // what is kept already, or nil
	read    func(Response) (*outcome, error)
}

func newQuery(r Request, caller string, old *entry, read func(Response) (*outcome, error)) (*query, error) {
	address, err := url.Parse(r.URL)
	if err != nil {
		return nil, fmt.Errorf("reading an address: %w", err)
	}
	return &query{r.key(), address, r.Class, caller, old, read}, nil
}
