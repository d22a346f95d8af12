package bolt

import (
	"context"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
)

// readers is how many goroutines read. A read takes microseconds, so that far
// fewer would do; where the disk hangs, so many callers are held by it before
// the others wait outside.
const readers = 64

// result is what a read found.
type result[T any] struct {
	value T
	err   error
}

// read returns what fn finds in the store as it is. What fn returns must be no
// part of the transaction's memory. Where ctx ends first read returns at once,
// and fn goes on by itself.
func read[T any](ctx context.Context, s *Store, fn func(*bbolt.Tx) (T, error)) (T, error) {
	var none T
	if err := s.admit(ctx); err != nil {
		return none, err
	}
	done := make(chan result[T], 1)
	run := func() {
		value, err := view(s, fn)
		done <- result[T]{value, err}
	}
	select {
	case s.reads <- run:
	case <-s.closing:
		return none, errClosed
	case <-ctx.Done():
		return none, ctx.Err()
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// runReader is a goroutine that reads. It is there before it is needed: one of
// its own for each read would spend more on its stack than on the read.
func (s *Store) runReader() {
	defer s.readers.Done()
	debug.SetPanicOnFault(true) // a mapped page that cannot be read is a fault of memory
	for {
		select {
		case run := <-s.reads:
			run()
		case <-s.closing:
			return
		}
	}
}

// view runs a read in this goroutine.
func view[T any](s *Store, fn func(*bbolt.Tx) (T, error)) (value T, err error) {
	began := time.Now()
	defer func() {
		if err != nil && !refused(err) {
			err = unavailable(err)
			s.observe(0, time.Since(began), err)
		}
	}()
	defer s.survive(&err)
	tx, err := s.db.Begin(false)
	if err != nil {
		return value, err
	}
	defer tx.Rollback()
	return fn(tx)
}
