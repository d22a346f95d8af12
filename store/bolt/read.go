package bolt

import (
	"context"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
)

// readers is the number of goroutines that read. A read takes microseconds, so far fewer would
// suffice. If the disk hangs, this many reads hang with it and the others wait in the queue.
const readers = 64

// result is the result of a read.
type result[T any] struct {
	value T
	err   error
}

// read returns the result of fn in a read transaction. The result must not refer to memory of the
// transaction. If ctx ends first, read returns at once and fn continues in its goroutine.
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

// runReader executes reads until the store is closed. Readers are started in advance: growing the
// stack of a new goroutine would take longer than the read.
func (s *Store) runReader() {
	defer s.readers.Done()
	debug.SetPanicOnFault(true) // a mapped page that cannot be read causes a memory fault
	for {
		select {
		case run := <-s.reads:
			run()
		case <-s.closing:
			return
		}
	}
}

// view executes a read in this goroutine.
func view[T any](s *Store, fn func(*bbolt.Tx) (T, error)) (value T, err error) {
	began := time.Now()
	defer func() {
		if err != nil && !refused(err) {
			err = s.failure("read", err)
			s.observe(0, time.Since(began), err)
		}
	}()
	defer s.recoverFault(&err)
	tx, err := s.db.Begin(false)
	if err != nil {
		return value, err
	}
	defer tx.Rollback()
	return fn(tx)
}
